"""Measures the recall of `dedup` where near texts are hard to find: just above the threshold, and near by a template.

`threshold`: generated English and Chinese documents of about 60 words, and short questions. Copies of some are edited
word by word until their similarity is within 0.05 above the threshold. A copy counts as found if it is dropped.
`--ways` names how texts are compared: `once` (features that count once), `tf`, `log`, `idf`, `tf-idf` and `log-idf`
(weights), or `jaccard`. A model of document frequencies is fitted on the collection without its copies. The threshold
of `jaccard` is the Jaccard similarity that sets of one size have at the cosine of the threshold.

`templates`: texts that share 66, 70 or 75 % of their characters with all others of the collection, and whose other
characters are rare. Any two are near, by features that all of them have. All but the first should be dropped.

The answer is wrong if fewer than 98 % (of copies) or 95 % (of texts with a template) are found.

Usage: planted.py [threshold] [templates] [--documents N] [--copies N] [--similarity X] [--ways W ...] [--folder F]
"""

import argparse
import json
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from common import finish, table
from generate import BEGINNINGS, ENDINGS, TOPICS, Ids, Language, draw, language, questions
from scale import alone
from simsieve import Scheme, fit
from simsieve import similarity as similarity_of
from simsieve.results.recall import clopper_pearson

# Trials of one copy: each edits one word more, or begins anew where the copy is no longer near.
TRIALS = 400
KINDS = ("en", "zh", "questions")
SHARES = (0.66, 0.70, 0.75)
WAYS = ("once", "tf", "log", "idf", "tf-idf", "log-idf", "jaccard")

HEADER = ["collection", "texts", "asked", "found", "recall", "from", "to", "recall printed", "CPU s", "peak MB"]


def originals(kind: str, n: int, rng: np.random.Generator) -> tuple[Language, list[Ids]]:
    """The words of the originals."""
    lang = language("en" if kind == "en" else "zh", rng)
    if kind == "questions":
        return lang, questions(lang, n, rng)
    lengths = np.clip(rng.lognormal(np.log(60), 0.3, n), 30, 200).astype(np.int64)
    tokens = draw(lang, lengths, rng.integers(TOPICS, size=n), rng)
    return lang, np.split(tokens, np.cumsum(lengths)[:-1])


@dataclass(frozen=True)
class Way:
    """How texts are compared: the settings of a run, and the similarity of two texts."""

    settings: dict[str, Any]
    measure: Callable[[str, str], float]

    @property
    def least(self) -> float:
        """The threshold."""
        return float(self.settings["similarity"])


def way_of(name: str, similarity: float, texts: list[str], folder: Path) -> Way:
    """The way of a name; some fit a model on texts."""
    if name == "jaccard":
        least = round(similarity / (2 - similarity), 3)
        return Way({"similarity": least, "measure": "jaccard"}, lambda a, b: similarity_of(a, b, measure="jaccard"))
    spec = "chars128" if name == "once" else f"chars128:weights={name}"
    if "idf" in name:
        model = folder / "frequencies.model"
        fit(texts, scheme="chars128").save(model)
        spec += f",model={model.resolve()}"
    scheme = Scheme(spec)
    return Way({"similarity": similarity, "scheme": spec}, lambda a, b: similarity_of(a, b, scheme))


def near_copy(kind: str, lang: Language, tokens: Ids, way: Way, rng: np.random.Generator) -> tuple[str, str] | None:
    """A text of these words, and a copy that is within 0.05 above the threshold; None where no trial gave one."""
    frame = rng.choice(BEGINNINGS), rng.choice(ENDINGS)

    def text_of(words: Ids) -> str:
        text = lang.text(words)
        return frame[0] + text + frame[1] if kind == "questions" else text

    text, copy = text_of(tokens), tokens.copy()
    for _ in range(TRIALS):
        copy[rng.integers(len(copy))] = rng.integers(lang.words)
        found = way.measure(text, text_of(copy))
        if found < way.least:
            copy = tokens.copy()
        elif found < way.least + 0.05:
            return text, text_of(copy)
    return None


def write(path: Path, rows: Iterator[tuple[str, str]]) -> None:
    """JSON lines with id and text."""
    with path.open("w", encoding="utf-8") as file:
        file.writelines(json.dumps({"id": key, "text": text}, ensure_ascii=False) + "\n" for key, text in rows)


def outcome(path: Path, settings: dict[str, Any]) -> tuple[dict[str, Any], set[str]]:
    """The measurements of `dedup`, and the ids of the texts that it dropped."""
    answer = alone(path, settings, dropped=True)
    return answer, set(answer["dropped"])


def row_of(name: str, answer: dict[str, Any], asked: int, found: int) -> list[Any]:
    """One line of the table."""
    cpu, peak = answer["seconds"]["all"][1], answer["peak_rss_bytes"] / 1e6
    return [
        name,
        answer["read"],
        asked,
        found,
        found / asked,
        *clopper_pearson(found, asked),
        answer["recall"],
        cpu,
        peak,
    ]


def just_above(
    folder: Path, n: int, copies: int, similarity: float, ways: list[str]
) -> Iterator[tuple[list[Any], str | None]]:
    """Copies just above the threshold, in each kind of collection and by each way of comparing."""
    for kind in KINDS:
        for name in ways:
            rng = np.random.default_rng(7)
            lang, documents = originals(kind, n, rng)
            others = [lang.text(tokens) for tokens in documents[copies:]]
            way = way_of(name, similarity, others, folder)
            planted = [near_copy(kind, lang, tokens, way, rng) for tokens in documents[:copies]]
            pairs = [pair for pair in planted if pair is not None]
            path = folder / f"{kind}.jsonl"
            first = ((f"o{at}", text) for at, (text, _) in enumerate(pairs))
            middle = ((f"d{at}", text) for at, text in enumerate(others))
            last = ((f"c{at}", copy) for at, (_, copy) in enumerate(pairs))
            write(path, (row for part in (first, middle, last) for row in part))
            answer, dropped = outcome(path, way.settings)
            # An original that is itself a copy of another says nothing.
            asked = [at for at in range(len(pairs)) if f"o{at}" not in dropped]
            found = sum(f"c{at}" in dropped for at in asked)
            where = f"{kind}, {name}, {way.least:g} to {way.least + 0.05:.3g}"
            bad = f"{where}: {found} of {len(asked)} copies found, 98 % asked" if found < 0.98 * len(asked) else None
            yield row_of(where, answer, len(asked), found), bad


def templates(folder: Path, n: int, least: float) -> Iterator[tuple[list[Any], str | None]]:
    """Texts that are near by a template alone."""
    characters = np.array([chr(code) for code in range(0x4E00, 0x9FA0)])
    for share in SHARES:
        rng = np.random.default_rng(11)
        template = "".join(rng.choice(characters, 100))
        own = rng.choice(characters, (n, 160))
        # As long as makes the template this share of the characters.
        length = round(100 * (1 - share) / share)
        texts = [template + "".join(rest[:length]) for rest in own]
        near = similarity_of(texts[0], texts[1])
        path = folder / "template.jsonl"
        write(path, ((f"t{at}", text) for at, text in enumerate(texts)))
        if near < least:
            continue
        answer, dropped = outcome(path, {"similarity": least})
        bad = None
        if len(dropped) < 0.95 * (n - 1):
            bad = f"template of {share:.0%}: {len(dropped)} of {n - 1} dropped, 95 % asked"
        yield row_of(f"template of {share:.0%}, similarity {near:.3f}", answer, n - 1, len(dropped)), bad


def main() -> int:
    """Read the command line; use a temporary folder unless one is named."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", maxsplit=1)[0])
    parser.add_argument("parts", nargs="*", help="threshold, templates; both by default")
    parser.add_argument("--documents", type=int, default=100_000)
    parser.add_argument("--copies", type=int, default=3_000)
    parser.add_argument("--similarity", type=float, default=0.65)
    parser.add_argument("--ways", nargs="+", choices=WAYS, default=["once"])
    parser.add_argument("--folder", type=Path)
    options = parser.parse_args()
    parts = options.parts or ["threshold", "templates"]
    measured: list[tuple[list[Any], str | None]] = []
    with tempfile.TemporaryDirectory(dir=options.folder) as folder:
        if "threshold" in parts:
            measured += just_above(Path(folder), options.documents, options.copies, options.similarity, options.ways)
        if "templates" in parts:
            measured += templates(Path(folder), options.documents, options.similarity)
    rows, wrong = [row for row, _ in measured], [bad for _, bad in measured if bad is not None]
    return finish("planted", {"header": HEADER, "rows": rows}, table(HEADER, rows), wrong)


if __name__ == "__main__":
    raise SystemExit(main())
