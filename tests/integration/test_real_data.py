"""Real texts in every format go through every command, and every format decides alike."""

import csv
import gzip
import itertools
import json
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from tests.integration.conftest import Program

RECORDS = 300
SETS = (
    "en_sms", "en_tech_articles", "en_wikipedia", "html_crawled_cc", "html_doc_sites", "qbank", "zh_algorithm_wiki",
    "zh_docs_versions", "zh_law", "zh_manpages_hans_hant", "zh_poems_two_editions", "zh_tech_articles",
    "zh_tech_revisions", "zh_wikipedia_passages",
)  # fmt: skip


def flat(record: dict[str, Any]) -> dict[str, str]:
    """A record as a table holds it: no types, and no zero bytes."""
    return {name: (value if isinstance(value, str) else json.dumps(value)) for name, value in record.items()}


@pytest.mark.slow
@pytest.mark.parametrize("name", SETS)
def test_every_format_decides_alike(name: str, shared_data: Path, simsieve: Program) -> None:
    """Of JSON lines, CSV, TSV, Parquet, gb18030 and a folder the same documents are kept; each command ends well."""
    with gzip.open(shared_data / f"{name}.jsonl.gz", "rt", encoding="utf-8") as file:
        records = [flat(json.loads(line)) for line in itertools.islice(file, RECORDS)]
    field = "text_a" if name == "zh_tech_revisions" else "text"
    records = [record for record in records if "\0" not in record[field]]
    names = list(dict.fromkeys(itertools.chain.from_iterable(records)))
    lines = "".join(json.dumps(record, ensure_ascii=False) + "\n" for record in records)
    simsieve.file("in.jsonl", lines)
    simsieve.file("in.gb.jsonl", lines.encode("gb18030", "replace"))
    for ending, sign in [("csv", ","), ("tsv", "\t")]:
        with (simsieve.folder / f"in.{ending}").open("w", encoding="utf-8", newline="") as table:
            writer = csv.DictWriter(table, names, delimiter=sign)
            writer.writeheader()
            writer.writerows(records)
    pq.write_table(pa.Table.from_pylist(records), simsieve.folder / "in.parquet")
    (simsieve.folder / "in").mkdir()
    for number, record in enumerate(records):
        (simsieve.folder / "in" / f"{number:04}.txt").write_bytes(record[field].encode())

    decisions = {}
    for source, sink, more in [
        ("in.jsonl", "out.jsonl", ()),
        ("in.gb.jsonl", "out.gb.jsonl", ("--encoding", "gb18030")),
        ("in.csv", "out.csv", ()),
        ("in.tsv", "out.tsv", ()),
        ("in.parquet", "out.parquet", ()),
        ("in", "out/", ()),
    ]:
        words = () if source == "in" else ("--text-field", field)
        why = f"{sink.strip('/')}.why.jsonl"
        simsieve("dedup", source, "-o", sink, "--quiet", "--decisions", why, *words, *more).silent()
        rows = simsieve.rows(why)
        decisions[source] = [(row["position"], row["decision"], row["representative_position"]) for row in rows]
    # A character that gb18030 lacks would make other texts there; these sets have none.
    assert [source for source in decisions if decisions[source] != decisions["in.jsonl"]] == []
    kept = [position for position, decision, _ in decisions["in.jsonl"] if decision == "kept"]
    assert sorted(path.name for path in (simsieve.folder / "out").iterdir()) == [f"{at:04}.txt" for at in kept]
    assert pq.read_table(simsieve.folder / "out.parquet").num_rows == len(kept)

    for command in [
        ("pairs", "in.csv", "-o", "pairs.jsonl"),
        ("fingerprint", "in.parquet", "-o", "prints.tsv"),
        ("fit", "in.tsv", "-o", "a.model"),
    ]:
        simsieve(*command, "--text-field", field, "--quiet").silent()


@pytest.mark.slow
@pytest.mark.timeout(600)
@pytest.mark.parametrize("name", SETS)
def test_whole_sets_go_through_every_command(name: str, shared_data: Path, simsieve: Program) -> None:
    """The sets as they are, packed: every command ends well, and the books of dedup balance."""
    source = shared_data / f"{name}.jsonl.gz"
    field = "text_a" if name == "zh_tech_revisions" else "text"
    with gzip.open(source, "rt", encoding="utf-8") as file:
        texts = [json.loads(line)[field] for line in file if line.strip()]
    for at, text in enumerate(texts[:2]):
        simsieve.file(f"{at}.txt", text)
    extract = ("--extract", "text") if name.startswith("html") else ()
    reading = ("--text-field", field, *extract, "--quiet")
    for command in [
        ("dedup", source, "-o", "kept.jsonl", "--summary", "summary.json", "--run-dir", "a.run", *reading),
        ("dedup", "--run-dir", "a.run", "--similarity", "0.9", "-o", "fewer.jsonl", "--quiet"),
        ("dedup", source, "--against", "kept.jsonl", "-o", "none.jsonl", *reading),
        ("dedup", source, "-o", "both.jsonl", "--scheme", "chars128", "--scheme", "words64", *reading),
        ("pairs", source, "-o", "pairs.jsonl", *reading),
        ("fingerprint", source, "-o", "prints.tsv", *reading),
        ("fit", source, "-o", "a.model", *reading),
        ("compare", "0.txt", "1.txt", "--json", *extract),
        ("fingerprint", "--pages", "0.txt", "1.txt"),
        ("plan", source, *reading),
        ("schemes",),
    ]:
        outcome = simsieve(*command).ok()
        assert "warning" not in outcome.err, (command, outcome.err)
    summary = json.loads((simsieve.folder / "summary.json").read_text(encoding="utf-8"))
    assert (summary["read"], summary["failed"]) == (len(texts), 0)
    assert summary["kept"] + summary["dropped"] == summary["read"]
    prints = (simsieve.folder / "prints.tsv").read_text(encoding="utf-8").splitlines()
    assert len(prints) == 1 + len(texts)
    assert all("\t" in line for line in prints)
    # Held against what was kept of it, a set has nothing new but what has no features, and what a search by bands may
    # miss: the first run may have compared all pairs, and the second, of more texts, promises 98 % of them.
    kept = (simsieve.folder / "none.jsonl").read_text(encoding="utf-8").splitlines()
    featureless = sum(line.endswith("\t") for line in prints)
    assert len(kept) <= featureless + 0.02 * summary["near_duplicates"]
