"""Measures passages: planted ones that are found, by length and share of edited characters, and what they cost.

Passages of 60 to 600 characters are edited (40 % of the edits change a character, 30 % drop one, 30 % add one) and put
into other texts. The texts are `zh_tech_articles` where ../shared/data is, and generated ones. A passage is found if
half of it is in spans with its source. Precision is the share of the characters in spans that were planted; pairs that
share text by themselves, found before anything is planted, count neither way.

Cost: a document of 100,000 characters is held against generated text, and generated text against itself. So are real
texts that share passages, and texts of 20 real sentences, each in five texts, at two sizes: the power says how the cost
grows with the size, 1 as it does. Of these the seconds of a run on one short text are taken off.

`--peers FOLDER` measures the tools that `passage_peers.py install FOLDER` has put there, and simsieve, on one planting
for all; findings before the planting do not count. A tool need not name the source of a finding.

Usage: passages.py [--megabytes N] [--data FOLDER] [--peers FOLDER]
"""

import argparse
import json
import math
import random
import re
import sys
import tempfile
from collections import defaultdict
from collections.abc import Sequence
from itertools import accumulate
from pathlib import Path

from common import DATA, absent_sets, finish, measured, records, table
from passage_peers import PEERS
from peers import python_of
from simsieve import passages
from simsieve.inside import PassageResult

LENGTHS, EDITS = (60, 120, 300, 600), (0.0, 0.05, 0.1, 0.2)
GOALS = {0.0: 0.99, 0.05: 0.98, 0.1: 0.97, 0.2: 0.93}
PRECISION, DRAWS, MOST_HOSTS = 0.95, 4, 160
LEAST = 30
"""The units of a passage at least: the shortest planted ones may be of letters of an alphabet."""
SET = "zh_tech_articles"
REAL = (SET, "zh_wikipedia_passages", "en_tech_articles", "zh_docs_versions")
SENTENCES = (24_000, 48_000)
Covered = dict[tuple[int, int], set[int]]


class Writer:
    """Writes texts of Chinese characters, frequent ones more often, so that pairs of characters repeat as in prose."""

    def __init__(self, seed: int) -> None:
        self._random = random.Random(seed)
        self._signs = [chr(0x4E00 + at * 7 % 6000) for at in range(3000)]
        self._weights = list(accumulate(1 / (rank + 3) for rank in range(3000)))

    def text(self, length: int) -> str:
        """A text of sentences."""
        signs = self._random.choices(self._signs, cum_weights=self._weights, k=length)
        for at in range(self._random.randrange(8, 20), length, 17):
            signs[at] = "，。"[at % 2]
        return "".join(signs)

    def edited(self, passage: str, share: float) -> str:
        """A passage with that share of its characters changed, dropped or added."""
        signs = list(passage)
        for _ in range(round(len(passage) * share)):
            at, kind = self._random.randrange(len(signs)), self._random.random()
            other = self._random.choice(self._signs[:60])
            signs[at] = other if kind < 0.4 else "" if kind < 0.7 else signs[at] + other
        return "".join(signs)


def covered(result: PassageResult) -> Covered:
    """The characters in spans, by document and source."""
    found: Covered = defaultdict(set)
    for row in result:
        for span in row.spans:
            found[row.document_position, row.source_position].update(range(span.start, span.end))
    return found


def planted(
    untouched: Sequence[str], sources: Sequence[str], draw: int, chance: random.Random, writer: Writer
) -> tuple[list[str], list[tuple[int, int, int, float]]]:
    """Texts with an edited passage of a source each, and where it stands, its length before and the share of edits."""
    hosts, truth = [], []
    for at, (host, source) in enumerate(zip(untouched, sources, strict=True)):
        length, share = LENGTHS[(at + draw) % 4], EDITS[at // 4 % 4]
        begin, place = chance.randrange(len(source) - length), chance.randrange(len(host))
        passage = writer.edited(source[begin : begin + length], share)
        hosts.append(host[:place] + passage + host[place:])
        truth.append((place, place + len(passage), length, share))
    return hosts, truth


def measure(name: str, texts: Sequence[str]) -> tuple[list[list[object]], dict[str, float], list[str]]:
    """Plant passages of one half of the texts in the other, some times, and find them."""
    chance, writer = random.Random(3), Writer(5)
    half = len(texts) // 2
    sources, untouched = texts[:half], texts[half : 2 * half]
    own = covered(passages(untouched, against=sources, min_length=LEAST))
    cells, characters = defaultdict(list), defaultdict(list)
    right = all_found = 0
    for draw in range(DRAWS):
        hosts, truth = planted(untouched, sources, draw, chance, writer)
        found = covered(passages(hosts, against=sources, min_length=LEAST))
        for at, (start, end, length, share) in enumerate(truth):
            part = len(found.get((at, at), set()) & set(range(start, end))) / (end - start)
            cells[share, length].append(part >= 0.5)
            characters[share].append(part)
        for (document, source), signs in found.items():
            if (document, source) not in own:
                # A planted part may stand in other sources too.
                start, end, *_ = truth[document]
                all_found += len(signs)
                right += len(signs & set(range(start, end)))
    rows: list[list[object]] = []
    figures, wrong = {"precision": right / max(1, all_found)}, []
    for share in EDITS:
        each = [sum(cells[share, length]) / max(1, len(cells[share, length])) for length in LENGTHS]
        together = [one for length in LENGTHS for one in cells[share, length]]
        recall = sum(together) / max(1, len(together))
        by_characters = sum(characters[share]) / max(1, len(characters[share]))
        rows.append([f"{name} {share:.0%} edited", *each, recall, by_characters])
        figures[f"recall_{share:.0%}"] = round(recall, 4)
        if recall < GOALS[share]:
            wrong.append(f"{name}: recall {recall:.3f} at {share:.0%} edits, less than {GOALS[share]}")
    if figures["precision"] < PRECISION:
        wrong.append(f"{name}: precision {figures['precision']:.3f}")
    return rows, figures, wrong


def compared(name: str, texts: Sequence[str], folder: Path) -> list[list[object]]:
    """What simsieve and each installed tool find of one planting, and what it costs."""
    half = min(len(texts) // 2, MOST_HOSTS)
    sources, untouched = list(texts[:half]), list(texts[half : 2 * half])
    hosts, truth = planted(untouched, sources, 0, random.Random(3), Writer(5))
    script, rows = str(Path(__file__).with_name("passage_peers.py")), list[list[object]]()
    with tempfile.TemporaryDirectory() as place:
        work, out = Path(place, "work.json"), Path(place, "found.json")
        # What is found in a text before anything is planted in it is right too, and does not count.
        given = {"hosts": hosts + untouched, "sources": sources}
        work.write_text(json.dumps(given, ensure_ascii=False), encoding="utf-8")
        for tool in ("simsieve", *PEERS):
            python = Path(sys.executable) if tool == "simsieve" else python_of(folder, tool)
            if not python.exists():
                print(f"NOT MEASURED: {tool} is not in {folder}")
                continue
            used = measured([python, script, tool, work, out])
            spans = [[at for span in some for at in range(*span)] for some in json.loads(out.read_text())]
            right = all_found = 0
            cells = defaultdict(list)
            for some, own, (start, end, _, share) in zip(spans[:half], spans[half:], truth, strict=True):
                found = set(some) - {at if at < start else at + end - start for at in own}
                part = len(found & set(range(start, end)))
                cells[share].append(2 * part >= end - start)
                right, all_found = right + part, all_found + len(found)
            recall = [round(sum(cells[share]) / len(cells[share]), 3) for share in EDITS]
            precision = round(right / max(1, all_found), 3)
            rows.append([f"{tool}, {name}", *recall, precision, used.cpu_seconds, used.peak_rss_bytes / 1e6])
    return rows


def cost(megabytes: int) -> list[list[object]]:
    """Processor seconds, wall seconds and memory of the command on generated text."""
    writer, rows = Writer(7), list[list[object]]()
    program = Path(sys.executable).with_name("simsieve")
    with tempfile.TemporaryDirectory() as folder:
        corpus, thesis, kept = (Path(folder, name) for name in ("corpus.jsonl", "thesis.jsonl", "corpus.anchors"))
        texts = [writer.text(3000) for _ in range(megabytes * 1_000_000 // 9000)]
        with corpus.open("w", encoding="utf-8") as lines:
            for at, text in enumerate(texts):
                lines.write(json.dumps({"id": at, "text": text}, ensure_ascii=False) + "\n")
        copied = "".join(writer.text(1000) + texts[at * 31 % len(texts)][500:1500] for at in range(50))
        thesis.write_text(json.dumps({"id": "thesis", "text": copied}, ensure_ascii=False) + "\n", encoding="utf-8")
        for name, words in (
            (f"100,000 characters against {megabytes} MB", [thesis, "--against", corpus]),
            (f"anchors of {megabytes} MB written", [thesis, "--against", corpus, "--anchors", kept]),
            (f"100,000 characters against anchors of {megabytes} MB", [thesis, "--against", corpus, "--anchors", kept]),
            (f"{megabytes} MB against itself", [corpus]),
        ):
            used = measured([program, "passages", *words, "-o", Path(folder, "out.jsonl"), "-q"])
            rows.append([name, used.cpu_seconds, used.wall_seconds, used.peak_rss_bytes / 1e6])
        rows.append(["MB of the anchors on disk", "", "", kept.stat().st_size / 1e6])
    return rows


def recombined(texts: Sequence[str], sentences: int) -> list[str]:
    """Texts of 20 sentences, each of the given number of which is in five."""
    chance = random.Random(4)
    pool = {one for text in texts for one in re.split(r"(?<=[.!?])\s+", text) if 40 < len(one) < 400}
    each = chance.sample(sorted(pool), sentences) * 5
    chance.shuffle(each)
    return [" ".join(each[at : at + 20]) for at in range(0, len(each), 20)]


def real_cost(data: Path) -> list[list[object]]:
    """Processor seconds of real texts that are held against themselves, all and a GB, and the pairs found."""
    program, rows = Path(sys.executable).with_name("simsieve"), list[list[object]]()
    read = {name: [row["text"] for row in records(data / f"{name}.jsonl.gz")] for name in REAL}
    sets = {"a short text": ["short"], "Chinese": read[SET] + read["zh_wikipedia_passages"]}
    sets |= {"English": read["en_tech_articles"], "versions": read["zh_docs_versions"]}
    sets |= {f"recombined, {count:,}": recombined(read["en_tech_articles"], count) for count in SENTENCES}
    sizes, seconds = list[float](), list[float]()
    with tempfile.TemporaryDirectory() as folder:
        place, out = Path(folder, "texts.jsonl"), Path(folder, "out.jsonl")
        for name, texts in sets.items():
            lines = (json.dumps({"id": at, "text": text}, ensure_ascii=False) + "\n" for at, text in enumerate(texts))
            place.write_text("".join(lines), encoding="utf-8")
            used = measured([program, "passages", place, "-o", out, "-q", "--threads", "1"])
            sizes.append(place.stat().st_size / 1e9)
            seconds.append(used.cpu_seconds - sum(seconds[:1]))
            pairs = out.read_bytes().count(b"\n")
            rows.append(
                [name, sizes[-1] * 1000, seconds[-1], seconds[-1] / sizes[-1], pairs, used.peak_rss_bytes / 1e6]
            )
    power = math.log(seconds[-1] / seconds[-2]) / math.log(sizes[-1] / sizes[-2])
    return [*rows[1:], ["power of recombined", "", power, "", "", ""]]


def main() -> int:
    """Measure, and print what was measured."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", maxsplit=1)[0])
    parser.add_argument("--megabytes", type=int, default=100, help="the size of the generated text")
    parser.add_argument("--data", type=Path, default=DATA, help="the folder of the development data")
    parser.add_argument("--peers", type=Path, help="the folder of other tools; only they and simsieve are measured")
    given = parser.parse_args()
    writer = Writer(1)
    sets = {"generated": [writer.text(4000) for _ in range(640)]}
    if not absent_sets("passages", given.data, [SET]):
        texts = [row["text"].replace("\n", "") for row in records(given.data / f"{SET}.jsonl.gz")]
        sets[SET] = [text for text in texts if len(text) > 3000][:900]
    if given.peers is not None:
        measurements = [row for name, texts in sets.items() for row in compared(name, texts, given.peers)]
        header = ("tool, texts", *(f"found at {share:.0%}" for share in EDITS), "precision", "cpu s", "MB")
        return finish("passage_peers", {"peers": measurements}, table(header, measurements), [])
    rows, figures, wrong = list[list[object]](), {}, list[str]()
    for name, texts in sets.items():
        some, figures[name], faults = measure(name, texts)
        rows += some
        wrong += faults
    costs, real = cost(given.megabytes), list[list[object]]()
    if not absent_sets("passages", given.data, REAL):
        real = real_cost(given.data)
    header = ("passages", *(f"{length}" for length in LENGTHS), "all", "by characters")
    precision = [[f"{name} precision", round(one["precision"], 4)] for name, one in figures.items()]
    readable = "\n\n".join(
        (
            table(header, rows), table(("set", "value"), precision), table(("work", "cpu s", "s", "MB"), costs),
            table(("text against itself", "MB of text", "cpu s", "a GB", "pairs", "MB"), real),
        )
    )  # fmt: skip
    return finish("passages", {"figures": figures, "cost": costs, "real": real}, readable, wrong)


if __name__ == "__main__":
    sys.exit(main())
