"""The worked example of DESIGN.md: each drawing is what the program gives, and the prose has no other number."""

import re
from collections.abc import Iterator
from pathlib import Path

from tests.docs.test_readme import blocks

import simsieve
from simsieve import _core

TEXTS = {
    "A": "The red boat is at sea now.",
    "B": "THE RED BOAT  is at sea now.",
    "C": "The red boat is at sea no more.",
    "D": "A red boat is at sea no more these days.",
    "E": "The baker counts his loaves.",
}
SCHEME = _core.Scheme("chars128")
SHOWN_BITS = range(8)
TITLE = "\n## One example\n"


def windows(name: str) -> list[str]:
    """The distinct windows of a text, in their order."""
    return [row[0] for row in SCHEME.features(TEXTS[name])]


def features() -> Iterator[str]:
    """The texts, and the first and last windows of each."""
    yield f"   {'text':<42} windows"
    for name, text in TEXTS.items():
        found = windows(name)
        yield f"{name}  {text:<42} {len(found)}: {' '.join(found[:4])} ... {found[-1]}"


def fingerprints() -> Iterator[str]:
    """The first sums of two texts, and the bits that they give."""
    for name in "AC":
        sums = SCHEME.sums(TEXTS[name])
        assert sums is not None
        yield f"{name}  sums " + " ".join(f"{sums[bit]:+4d}" for bit in SHOWN_BITS)
        yield "   bits " + " ".join(f"{int(sums[bit] > 0):4d}" for bit in SHOWN_BITS)
    yield f"A and C differ in {distance('A', 'C')} of {SCHEME.width} bits"


def distance(a: str, b: str) -> int:
    """The Hamming distance of two texts."""
    return _core.hamming(*(SCHEME.fingerprint(TEXTS[name]) or b"" for name in (a, b)))


def pairs() -> Iterator[str]:
    """The pairs that share a window: the cosine from the counts is the one that the program gives."""
    yield "pair  shared windows  cosine                    bits"
    for a, b in ("AB", "AC", "AD", "CD"):
        one, other = windows(a), windows(b)
        shared = len(set(one) & set(other))
        cosine = shared / (len(one) * len(other)) ** 0.5
        assert abs(cosine - simsieve.similarity(TEXTS[a], TEXTS[b])) < 1e-12
        yield f"{a} {b}   {shared:<14}  {shared} / sqrt({len(one)} x {len(other)}) = {cosine:.2f}    {distance(a, b)}"


def decisions() -> Iterator[str]:
    """The decisions of a run, each with its reason."""
    names = list(TEXTS)
    for name, decision in zip(names, simsieve.dedup(list(TEXTS.values())).decisions, strict=True):
        line = f"{name}  {decision.decision:<7}  {decision.reason}"
        if decision.decision == "dropped":
            nearest = names[decision.representative_position or 0]
            line += f", for {nearest}: cosine {decision.similarity:.2f}, lost {decision.lost or 0}"
        yield line


def drawings() -> list[str]:
    """All drawings of the example, in their order."""
    made = (features, fingerprints, pairs, decisions)
    return ["".join(f"{line.rstrip()}\n" for line in draw()) for draw in made]


def test_the_example_is_what_the_program_gives(root: Path) -> None:
    """The blocks of the example are the drawings; each number of the prose is in one of them, or a constant."""
    section = (root / "DESIGN.md").read_text(encoding="utf-8").split(TITLE)[1].split("\n## ")[0]
    shown = [content for kind, content in blocks(section) if kind == "text"]
    constants = {"128", "8,192", "0.60", "512"}
    prose = re.sub(r"^```.*?^```", "", section, flags=re.MULTILINE | re.DOTALL)
    numbers = set(re.findall(r"\d[\d.,]*\d|\d", prose))

    assert shown == drawings()
    assert numbers - set(re.findall(r"\d[\d.,]*\d|\d", "".join(shown))) - constants == set()
