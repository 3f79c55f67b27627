"""Measures features in Japanese, Korean, Thai, Arabic, Devanagari, and mixed text.

Texts are made of words and patterns written for the project (`scripts_texts.py`). Texts on different subjects are
unrelated, although they share their grammar, and copies have 5, 10 and 20 % of their words replaced, left out or added
to. For every script and every treatment the table has the cosines of unrelated pairs (median, 99th percentile,
maximum), those of a text and its copy (least, median), and F1 of separating the two kinds at the default threshold
0.65.

`chars` and `words` are measured as simsieve computes them, `words` also with the option that cuts text of scripts
without spaces into every four characters. The trials are plain: windows of the same text in which other characters
count two units, or some count none, or Hangul is taken apart. These texts have few words and all share the patterns'
own, so under `words` unrelated texts are nearer than natural texts.

The answer is wrong where under `chars128`, or in Thai under `words128:unspaced=fours`, an unrelated pair is nearer than
the farthest copy, or F1 is below its floor.

Usage: scripts.py [SCRIPT ...]
"""

import argparse
import math
import unicodedata
from collections.abc import Callable, Iterator
from itertools import combinations
from typing import Any, Literal

import numpy as np

from common import finish, table
from scripts_texts import SCRIPTS, Script, edited, text
from simsieve import _core

Features = frozenset[Any]
Form = Literal["NFKC", "NFKD"]
THRESHOLD, TEXTS_A_SUBJECT, SHARES = 0.65, 6, (0.05, 0.1, 0.2)
IN_USE, FLOOR = "chars128", 0.99
"""The default scheme, and the least F1 that is right."""
IN_FOURS, UNSPACED = "words128:unspaced=fours", ("Thai",)
"""The words for scripts without spaces, and those scripts: there they are held to the same."""


def core(spec: str) -> Callable[[str], Features]:
    """The features of a scheme, by their hashes."""
    scheme = _core.Scheme(spec)
    return lambda given: frozenset(row[1] for row in scheme.features(given))


def windows(units: Callable[[str], int], drop: Callable[[str], bool], form: Form = "NFKC") -> Callable[[str], Features]:
    """Windows of six units of the letters, marks, digits and symbols, where `units` says how many a character has."""

    def cut(given: str) -> Features:
        plain = unicodedata.normalize(form, unicodedata.normalize("NFKC", given).casefold())
        kept = [c for c in plain if unicodedata.category(c)[0] not in "PZC" and not drop(c)]
        found, end, filled = [], 0, 0
        for first, c in enumerate(kept):
            while filled < 6 and end < len(kept):
                filled += units(kept[end])
                end += 1
            if filled < 6:
                break
            found.append("".join(kept[first:end]))
            filled -= units(c)
        return frozenset(found or ["".join(kept)])

    return cut


def dense(c: str) -> int:
    """The units of `chars`: two of Han, kana and Hangul."""
    return 2 if "\u1100" <= c <= "\u11ff" or "\u3005" <= c <= "\u9fff" or "\uac00" <= c <= "\ud7ff" else 1


def is_kana(c: str) -> bool:
    """Hiragana and katakana."""
    return "\u3040" <= c <= "\u30ff"


def is_mark(c: str) -> bool:
    """Vowel signs, accents, points."""
    return unicodedata.category(c)[0] == "M"


def never(_: str) -> bool:
    """Nothing is left out."""
    return False


TRIALS: dict[str, Callable[[str], Features]] = {
    "chars128": core("chars128"),
    "words128": core("words128"),
    IN_FOURS: core(IN_FOURS),
    "chars128:units=5": core("chars128:units=5"),
    "chars128:units=8": core("chars128:units=8"),
    "kana 1 unit": windows(lambda c: 1 if is_kana(c) else dense(c), never),
    "Hangul as jamo": windows(lambda _: 1, never, "NFKD"),
    "Thai, Arabic, Devanagari letters 2": windows(lambda c: 2 if unicodedata.category(c) == "Lo" else dense(c), never),
    "marks 0 units": windows(lambda c: 0 if is_mark(c) else dense(c), never),
    "marks left out": windows(dense, is_mark),
    "tatweel and harakat left out": windows(dense, lambda c: c == "\u0640" or "\u064b" <= c <= "\u0652"),
}


def cosine(a: Features, b: Features) -> float:
    """The cosine of two sets."""
    return len(a & b) / math.sqrt(len(a) * len(b)) if a and b else 0.0


def texts(script: Script) -> Iterator[tuple[int, str, list[str]]]:
    """Subject, text, and its copies."""
    for subject in range(len(script.subjects)):
        for seed in range(TEXTS_A_SUBJECT):
            pieces = text(script, subject, seed)
            yield subject, "".join(pieces), [edited(script, pieces, subject, share, seed) for share in SHARES]


def measure(script: Script, cut: Callable[[str], Features]) -> dict[str, float]:
    """The figures of one script under one treatment."""
    made = [(subject, cut(one), [cut(copy) for copy in copies]) for subject, one, copies in texts(script)]
    unrelated = [cosine(a, b) for (s, a, _), (t, b, _) in combinations(made, 2) if s != t]
    copies = [cosine(one, copy) for _, one, some in made for copy in some]
    right, wrong = sum(c >= THRESHOLD for c in copies), sum(c >= THRESHOLD for c in unrelated)
    return {
        "median": float(np.median(unrelated)),
        "p99": float(np.quantile(unrelated, 0.99)),
        "max": max(unrelated),
        "copy_min": min(copies),
        "copy_median": float(np.median(copies)),
        "f1": 2 * right / (len(copies) + right + wrong),
    }


def judge(name: str, seen: dict[str, float]) -> list[str]:
    """What is not right about the scheme in use."""
    wrong = []
    if seen["max"] >= seen["copy_min"]:
        wrong.append(f"{name}: an unrelated pair has {seen['max']:.3f}, and a copy {seen['copy_min']:.3f}")
    if seen["f1"] < FLOOR:
        wrong.append(f"{name}: F1 {seen['f1']:.4f} at {THRESHOLD}, at least {FLOOR} asked")
    return wrong


def run(names: list[str]) -> int:
    """Measure, print, judge."""
    lines: list[list[Any]] = []
    told: dict[str, dict[str, dict[str, float]]] = {}
    wrong: list[str] = []
    for name in names:
        for trial, cut in TRIALS.items():
            seen = measure(SCRIPTS[name], cut)
            told.setdefault(name, {})[trial] = seen
            lines.append([name, trial, *(round(value, 3) for value in seen.values())])
            if trial == IN_USE or (trial == IN_FOURS and name in UNSPACED):
                wrong += judge(f"{name}, {trial}", seen)
    header = ["script", "features", "unrelated median", "99 %", "max", "copies min", "median", "F1 at 0.65"]
    return finish("scripts", told, table(header, lines), wrong)


def main() -> int:
    """Read the command line."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", maxsplit=1)[0])
    parser.add_argument("scripts", nargs="*", default=list(SCRIPTS), metavar="SCRIPT", help=f"of {', '.join(SCRIPTS)}")
    names = parser.parse_args().scripts
    unknown = [name for name in names if name not in SCRIPTS]
    if unknown:
        parser.error(f"no such script: {', '.join(unknown)}; there are {', '.join(SCRIPTS)}")
    return run(names)


if __name__ == "__main__":
    raise SystemExit(main())
