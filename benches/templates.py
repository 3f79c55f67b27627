"""Measures `simsieve templates` and `--ignore` on generated text: their cost, and whether what was planted is found.

A document is 3 to 8 sentences of its own, drawn from a vocabulary of 4,000 words; one in five has a template, a run of
30 to 200 letters, before or after them. So recall is the share of the planted templates that are in a part, and
precision the share of the letters of all parts that were planted. With --ignore near pairs must be those of the own
sentences: planted copies. On sets with labels it counts the near pairs of one label, and the others, with and without.

Usage: templates.py [--megabytes N] [--data FOLDER]
"""

import argparse
import json
import random
import sys
import tempfile
from pathlib import Path

from common import DATA, absent_sets, finish, measured, records, table
from simsieve import find_pairs, templates

GOALS, RECALL, PRECISION = (3.5, 2.5), 0.999, 0.99
"""CPU seconds at most, in those of a run of `dedup`: of the search and of a run that ignores; and the least shares."""
SETS = {"html_doc_sites": ("cluster", 10), "qbank": ("computed_group", 5), "zh_law": ("cluster", 5)}
"""Sets with labels, their field, and the least documents of a template: a page has versions in seven languages."""
TEMPLATES = 200
COPIES = 0.01


def written(source: Path, size: int) -> tuple[list[str], int, int]:
    """Write documents; give the templates, the number of the documents and that of the copies among them."""
    draw = random.Random(7)
    words = ["".join(draw.choices("abcdefghijklmnopqrstuvwxyz", k=draw.randrange(2, 9))) for _ in range(4000)]
    signs = [chr(0x4E00 + at) for at in range(4000)]
    planted = ["".join(draw.choices(signs, k=draw.randrange(30, 200))) for _ in range(TEMPLATES)]
    documents = copies = at = 0
    last = ""
    with source.open("w", encoding="utf-8") as out:
        while at < size:
            if last and draw.random() < COPIES:
                own, copies = last + "!", copies + 1
            else:
                own = ". ".join(
                    " ".join(draw.choices(words, k=draw.randrange(8, 25))) for _ in range(draw.randrange(3, 9))
                )
            last = own
            if draw.random() < 0.2:
                own = f"{draw.choice(planted)}。{own}" if draw.random() < 0.5 else f"{own}。{draw.choice(planted)}"
            at += out.write(json.dumps({"text": own}) + "\n")
            documents += 1
    return planted, documents, copies


def labelled(path: Path, field: str, least: int, file: Path) -> list[object]:
    """Documents, templates, and near pairs of one label and others: without and with templates ignored."""
    read = list(records(path))
    texts, labels = [one["text"] for one in read], [one.get(field) for one in read]
    found = templates(texts, min_count=least)
    found.write(file)
    row: list[object] = [len(texts), len(found)]
    for ignore in (None, file):
        pairs = find_pairs(texts, ignore=ignore)
        same = sum(labels[one.a_position] == labels[one.b_position] is not None for one in pairs)
        row += [same, len(pairs) - same]
    return row


def main() -> int:
    """Measure, and print what was measured."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", maxsplit=1)[0])
    parser.add_argument("--megabytes", type=int, default=100, help="the size of the generated text")
    parser.add_argument("--data", type=Path, default=DATA, help="the folder of the development data")
    given = parser.parse_args()
    program, wrong = Path(sys.executable).with_name("simsieve"), list[str]()
    with tempfile.TemporaryDirectory() as folder:
        source, found, kept = (Path(folder, name) for name in ("texts.jsonl", "templates.jsonl", "kept.jsonl"))
        planted, documents, copies = written(source, given.megabytes * 1_000_000)
        gigabytes = source.stat().st_size / 1e9
        used = measured([program, "templates", source, "-o", found, "-q"])
        parts = [json.loads(line)["text"] for line in found.open(encoding="utf-8")]
        plain = measured([program, "dedup", source, "-o", kept, "-q"])
        ignored = measured([program, "dedup", source, "-o", kept, "-q", "--ignore", found])
        stayed = sum(1 for _ in kept.open(encoding="utf-8"))
        absent = absent_sets("templates", given.data, SETS)
        each = {name: given.data / f"{name}.jsonl.gz" for name in SETS if name not in absent}
        sets = [[name, *labelled(path, *SETS[name], found)] for name, path in each.items()]
    recall = sum(any(template in part for part in parts) for template in planted) / len(planted)
    right = sum(len(part) for part in parts if any(template in part or part in template for template in planted))
    precision = right / max(1, sum(map(len, parts)))
    dropped = (documents - stayed) / copies
    seconds = [one.cpu_seconds / gigabytes for one in (used, plain, ignored)]
    if recall < RECALL or precision < PRECISION:
        wrong.append(f"recall {recall:.4f}, precision {precision:.4f} by letters")
    if not 0.99 <= dropped <= 1.01:
        wrong.append(f"with templates ignored {documents - stayed} documents went, {copies} were planted copies")
    for what, took, most in zip(("the search", "--ignore"), (seconds[0], seconds[2]), GOALS, strict=True):
        if took > most * seconds[1]:
            wrong.append(f"{what} took {took / seconds[1]:.2f} times the CPU seconds of dedup, more than {most}")
    head = ("templates", "cpu s a GB", "MB", "found", "of letters", "dedup", "with --ignore", "copies that went")
    row = [seconds[0], used.peak_rss_bytes / 1e6, recall, precision, *seconds[1:], dropped]
    figures = {"cpu_seconds_a_gb": round(seconds[0], 2), "recall": round(recall, 4), "precision": round(precision, 4)}
    readable = table(head, [[f"{gigabytes * 1e3:,.0f} MB", *row]])
    if sets:
        columns = ("set", "documents", "templates", "one label", "others", "ignored: one label", "others")
        readable += "\n" + table(columns, sets)
    return finish("templates", {**figures, "sets": sets}, readable, wrong)


if __name__ == "__main__":
    sys.exit(main())
