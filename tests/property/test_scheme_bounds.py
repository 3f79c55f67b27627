"""Options that bound weights and sums, and hashes by name, each against a few plain lines."""

import hashlib
import math
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from simsieve import CustomScheme, Fingerprinter, Scheme, fingerprint, fit
from simsieve.errors import ConfigError

texts = st.text(alphabet="港口灯塔渡船图书馆的在 ab,。", min_size=1, max_size=60)


def fnv(token: str, bits: int, *, a: bool) -> int:
    """FNV-1, or FNV-1a, of RFC 9923."""
    prime, value = {
        128: ((1 << 88) + 0x13B, 0x6C62272E07BB014262B821756295C58D),
        256: ((1 << 168) + 0x163, 0xDD268DBCAAC550362D98C384C4E576CCC8B1536847B6BBB31023B4C8CAEE0535),
    }[bits]
    for byte in token.encode():
        value = (value ^ byte) * prime % 2**bits if a else value * prime % 2**bits ^ byte
    return value


HASHES: dict[str, tuple[int, Callable[[str], int]]] = {
    "fnv1_128": (128, lambda token: fnv(token, 128, a=False)),
    "fnv1a_128": (128, lambda token: fnv(token, 128, a=True)),
    "fnv1_256": (256, lambda token: fnv(token, 256, a=False)),
    "fnv1a_256": (256, lambda token: fnv(token, 256, a=True)),
    "sha256": (256, lambda token: int.from_bytes(hashlib.sha256(token.encode()).digest(), "big")),
}


@pytest.mark.parametrize("name", HASHES)
@given(token=st.text(min_size=1, max_size=12), width=st.integers(1, 256))
def test_hashes_by_name_are_the_published_ones(name: str, token: str, width: int) -> None:
    """The fingerprint of one feature has the low bits of its hash; a greater width is refused."""
    most, plain = HASHES[name]
    parts: dict[str, Any] = {
        "features": lambda text: [text],
        "hash": name,
        "width": width,
        "normalise": [],
        "version": "1",
    }
    if width > most:
        with pytest.raises(ConfigError, match=f"allowed: 1 to {most}"):
            CustomScheme("one", **parts)
        return
    found = fingerprint(token, CustomScheme("one", **parts))
    assert found is not None and int(found) == plain(token) % (1 << width)


@given(texts, st.integers(1, 100))
def test_heavy_keywords_weigh_no_more_than_the_cap(text: str, percentile: int) -> None:
    """Each weighs what it weighs without a cap, or the percentile of the text's weights, by nearest rank."""
    plain = Scheme("keywords64").features(text)
    weights = sorted(one.weight for one in plain)
    most = weights[math.ceil(percentile / 100 * len(weights)) - 1] if weights else 0.0
    capped = Scheme(f"keywords64:cap=p{percentile}").features(text)
    assert [(one.text, one.weight) for one in capped] == [(one.text, min(one.weight, most)) for one in plain]


@given(texts, st.floats(-5, 5).map(lambda number: round(number, 2)))
def test_a_bit_is_one_where_the_sum_is_above_the_number(text: str, above: float) -> None:
    """Of a built-in scheme as of a custom one with that sign, and of the sums themselves."""
    scheme = Scheme(f"words64:weights=tf,above={above}")
    found = scheme.features(text)
    sums = [sum(one.weight if one.hash >> bit & 1 else -one.weight for one in found) for bit in range(64)]
    wanted = sum((total > above) << bit for bit, total in enumerate(sums)) if found else None
    made = fingerprint(text, scheme)
    own = CustomScheme("own", features="words", weights="tf", width=64, sign=f"> {above}")
    for one in (made, fingerprint(text, own)):
        assert (None if one is None else int(one)) == wanted


@given(texts, st.integers(1, 256))
def test_esimhash_has_any_width(text: str, width: int) -> None:
    """Up to 128 bits the fingerprint is the low part of that of 128; above, its low part is that of 128."""
    model = fit([text, "港口 灯塔 渡船"], scheme="esimhash128")
    for family in ("esimhash", "esimhash_baseline"):
        given = model if family == "esimhash" else None
        one, other = (Fingerprinter(f"{family}{bits}", model=given).transform([text])[0] for bits in (width, 128))
        if one is None or other is None:
            assert one is other is None
            continue
        least = min(width, 128)
        assert int(one) % (1 << least) == int(other) % (1 << least)


def test_what_is_no_number_is_refused() -> None:
    """And the schemes of other programs, whose sign is fixed, have no such option; a default is left out."""
    assert Scheme("chars64:above=-0,n=3").spec == "chars64:n=3"
    assert Scheme("keywords64:cap=none") == Scheme("keywords64")
    for spec, part in [
        ("chars64:above=x", "above is a number from -1000000000 to 1000000000"), ("chars64:above=nan", "above is a"),
        ("chars64:above=2e9", "above is a number"), ("gemantic64:above=1", "its options are"),
        ("keywords64:cap=0", "cap is none, a weight above 0"),
    ]:  # fmt: skip
        with pytest.raises(ConfigError, match=part):
            Scheme(spec)
