"""Measures how often short Chinese sentences are near another sentence of nearly the same words, by threshold.

Sentences of 10 to 40 characters are drawn from the development data. Of each are made another sentence, in which two
words have exchanged their places; a third, in which a word is that of the sentence before; and a copy that lacks a
character. The copy should be near, and the others should not. Each pair is compared alone.

Usage: short.py [--data FOLDER] [--sentences N] [--conflict KINDS]
"""

import argparse
import random
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import simsieve
from common import DATA, finish, records, table
from simsieve.config.kinds import KINDS

SETS = ("zh_wikipedia_passages", "zh_tech_articles")
SENTENCE = re.compile(r"[\u4e00-\u9fff，、]{9,39}[。！？]")
MADE = ("exchanged", "replaced", "copied")
STEPS = [at / 20 for at in range(8, 20)]


def drawn(data: Path, count: int) -> list[str]:
    """Draw different sentences of the sets."""
    texts = (row["text"] for name in SETS for row in records(data / f"{name}.jsonl.gz"))
    found = sorted({sentence for text in texts for sentence in SENTENCE.findall(text)})
    return random.Random(1).sample(found, min(count, len(found)))


def pairs_of(sentences: list[str]) -> Iterator[tuple[str, str, str]]:
    """Give what was made, of which sentence, and what it became."""
    draw, segmenter = random.Random(2), simsieve.Segmenter()
    strange: list[str] = []
    for sentence in sentences:
        words = list(segmenter.cut(sentence))
        long = [at for at, word in enumerate(words) if len(word) > 1]
        if len({words[at] for at in long}) > 2:
            first, second = draw.sample(long, 2)
            exchanged, replaced, lacking = [*words], [*words], draw.randrange(len(sentence) - 1)
            exchanged[first], exchanged[second] = words[second], words[first]
            replaced[first] = draw.choice(strange or words)
            texts = ("".join(exchanged), "".join(replaced), sentence[:lacking] + sentence[lacking + 1 :])
            yield from ((kind, sentence, text) for kind, text in zip(MADE, texts, strict=True) if text != sentence)
        strange = [words[at] for at in long]


def main() -> int:
    """Read the command line, and print a line for each threshold."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", maxsplit=1)[0])
    parser.add_argument("--data", type=Path, default=DATA)
    parser.add_argument("--sentences", type=int, default=2000)
    parser.add_argument("--conflict", default=KINDS["short"]["conflict"])
    given = parser.parse_args()
    made = list(pairs_of(drawn(given.data, given.sentences)))
    counts = Counter(kind for kind, *_ in made)
    rows = [
        {"id": f"{at}{side}", "text": text, "pair": str(at)}
        for at, (_, *both) in enumerate(made)
        for side, text in zip("ab", both, strict=True)
    ]
    pairs = simsieve.find_pairs(rows, similarity=STEPS[0], conflict=given.conflict, block_by="pair").to_arrow()
    near = [(made[int(row["a"][:-1])][0], row["similarity"]) for row in pairs.to_pylist()]
    told = []
    for step in STEPS:
        found = Counter(kind for kind, similarity in near if similarity >= step)
        told.append({"threshold": step} | {kind: found[kind] / counts[kind] for kind in MADE})
    lines = [tuple(f"{row[name]:.3f}" for name in ("threshold", *MADE)) for row in told]
    return finish("short", {"pairs": counts, "rows": told}, table(("threshold", *MADE), lines), [])


if __name__ == "__main__":
    raise SystemExit(main())
