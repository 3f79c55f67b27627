"""The core against its plain twin: normalisation, features, sums, fingerprints, similarity and digests."""

import sys

import pytest
import unicodedata2
from hypothesis import example, given
from hypothesis import strategies as st
from tests import strategies
from tests.property import twin

from simsieve import _core, fingerprint, similarity

PLANE = 0x10000
BLOCK = 1024


def blocks(plane: int) -> list[list[str]]:
    """Every Unicode scalar value of a plane, in blocks."""
    codes = [code for code in range(plane * PLANE, (plane + 1) * PLANE) if not 0xD800 <= code < 0xE000]
    return [[chr(code) for code in codes[at : at + BLOCK]] for at in range(0, len(codes), BLOCK)]


def named(texts: list[str]) -> list[str]:
    """Characters as code points, for messages."""
    return [" ".join(f"U+{ord(c):04X}" for c in text) for text in texts]


# Of 4 to 13 no character is assigned.
PLANES = pytest.mark.parametrize(
    "plane", [pytest.param(at, marks=[pytest.mark.slow] if 4 <= at <= 13 or at == 15 else []) for at in range(17)]
)


@PLANES
def test_every_character_is_normalised_as_unicode_says(plane: int) -> None:
    """Each character of Unicode, alone and between letters, is normalised as the newest tables say."""
    for block in blocks(plane):
        for between in (" ", "a"):
            text = between.join(block)
            if twin.normalise(text) == _core.normalise(text):
                continue
            different = [c for c in block if _core.normalise(f"a{c}a{c}") != twin.normalise(f"a{c}a{c}")]
            assert named(different) == [], f"or only together, in the block of {named(block[:1])}"


@PLANES
def test_every_character_is_cut_as_its_width_says(plane: int) -> None:
    """The features of each character between letters are the twin's: its class and its units are right."""
    core, options = _core.Scheme("chars64:units=2"), twin.parse("chars64:units=2")
    for block in blocks(plane):
        text = "xy".join(block)
        if [row[0] for row in core.features(text)] == list(twin.features(text, options)):
            continue
        alone = [f"x{c}yz" for c in block]
        different = [c for c in alone if [row[0] for row in core.features(c)] != list(twin.features(c, options))]
        assert named(different) == [], f"or only together, in the block of {named(block[:1])}"


def test_the_digest_names_the_unicode_version_of_the_data() -> None:
    """The Unicode version in the digests is that of the tables which every character above was held against."""
    assert unicodedata2.unidata_version == "18.0.0"
    for spec in ("chars64", "chars128", "chars256:n=3,weights=log,punctuation=keep", "chars64:units=64,weights=tf"):
        assert twin.digest(spec, "18.0.0") == _core.Scheme(spec).digest


@given(strategies.texts)
@example("x" * 5000 + "\u0301")
@example("\ufdfa" * 300)
@example("ẛ̣ ΐ İ \u1e9b\u0323\u0345")
def test_normalised_texts_are_the_twins(text: str) -> None:
    """Any text is normalised as the plain definition says, whatever stands beside what."""
    assert twin.normalise(text) == _core.normalise(text)


@given(strategies.texts, strategies.schemes)
def test_features_are_the_twins(text: str, spec: str) -> None:
    """Features come in the order of their first occurrence, with hash, count and weight, under every option."""
    wanted = [(f, *row) for f, row in twin.features(text, twin.parse(spec)).items()]

    assert wanted == _core.Scheme(spec).features(text)


@given(strategies.texts, strategies.schemes)
@example("中" * 3000, "chars256:n=1,weights=tf")
@example("ab" * 40_000, "chars128:units=3,weights=tf")
@example("ab" * 40_000, "chars128:units=3,weights=log")
def test_sums_and_fingerprints_are_the_twins(text: str, spec: str) -> None:
    """Sums and bits are those of the plain definition, and a text has no sums where it has no features."""
    options, core = twin.parse(spec), _core.Scheme(spec)
    weighted = [(h, w) for h, _, w in twin.features(text, options).values()]
    sums, made = core.sums(text), fingerprint(text, spec)

    assert (sums is None, made is None) == (not weighted, not weighted)
    if sums is not None and made is not None:
        assert twin.sums(weighted, options.width) == sums.tolist()
        assert (twin.fold(weighted, options.width), options.width) == (int(made), made.width)


@given(st.integers(200, 1000), st.integers(0, 2**32), st.sampled_from(["once", "tf", "log"]))
@example(40_000, 1, "once")
@example(40_000, 1, "log")
def test_sums_of_many_features_are_exact(length: int, seed: int, rule: str) -> None:
    """A long text of ever new features has exact sums: partial sums never overflow."""
    spec = f"chars64:n=3,weights={rule}"
    value, text = seed, []
    for _ in range(length):
        value = twin.word(value, 1)
        text.append(chr(0x4E00 + value % 0x5000))
    weighted = [(h, w) for h, _, w in twin.features("".join(text), twin.parse(spec)).values()]
    sums = _core.Scheme(spec).sums("".join(text))

    assert sums is not None
    assert twin.sums(weighted, 64) == sums.tolist()


@given(strategies.weighted_hashes, strategies.widths)
@example([(0, 1), (2**64 - 1, 1)], 64)
@example([(7, 0)], 64)
@example([], 64)
def test_fold_is_the_twins(features: list[tuple[int, int]], width: int) -> None:
    """Features given by hash and weight make the twin's bits at any width: a sum of zero a 0, no weight nothing."""
    folded = _core.fold(features, width)

    if any(weight for _, weight in features):
        assert folded is not None
        assert twin.fold(features, width) == int.from_bytes(folded, "big")
    else:
        assert folded is None


@given(strategies.texts, strategies.texts, strategies.schemes)
def test_similarity_is_the_plain_cosine(a: str, b: str, spec: str) -> None:
    """The similarity of any two texts is the cosine of their weights, to the last bits of a double."""
    assert similarity(a, b, spec) == pytest.approx(
        twin.cosine(*(twin.weights(text, twin.parse(spec)) for text in (a, b))), rel=8 * sys.float_info.epsilon
    )
    assert similarity(a, b, spec) == similarity(b, a, spec)


@given(strategies.mixed_texts, st.lists(strategies.mixed_texts, max_size=2), strategies.schemes)
def test_similarity_of_overlapping_texts_is_the_plain_cosine(a: str, more: list[str], spec: str) -> None:
    """The same for texts that share a part."""
    b = "".join([*more, a, *more])

    assert similarity(a, b, spec) == pytest.approx(
        twin.cosine(*(twin.weights(text, twin.parse(spec)) for text in (a, b))), rel=8 * sys.float_info.epsilon
    )


@given(st.integers(1, 5000))
@example(2**16)
def test_log_weights_round_half_to_even(count: int) -> None:
    """The weight of a feature that occurs `count` times is 256 (1 + ln count), rounded half to even."""
    (row,) = _core.Scheme("chars64:n=1,weights=log").features("中" * count)

    assert (count, twin.weight(count, "log")) == row[2:]
