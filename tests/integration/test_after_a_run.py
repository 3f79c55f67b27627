"""What the closing table says beyond the counts, and the bound of a source's losses."""

import datetime as dt
import json
from random import Random

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.integration.conftest import Program, jsonl

from simsieve import ConfigError, dedup

WORDS = [f"word{number}" for number in range(300)]


def bank(questions: int = 40, seed: int = 1) -> list[dict[str, object]]:
    """Questions, each twice with another word at the end: another answer in three of four, another address in all."""
    draw = Random(seed)
    rows: list[dict[str, object]] = []
    for number in range(questions):
        text = draw.choices(WORDS, k=20)
        for copy in range(2):
            answer = "A" if copy == 0 or number % 4 == 0 else "B"
            rows.append(
                {
                    "id": len(rows),
                    "text": " ".join([*text, f"end{copy}"]),
                    "answer": answer,
                    "its level": answer,
                    "url": f"http://{number}/{copy}",
                }
            )
    return rows


def test_fields_of_columns_are_compared(simsieve: Program) -> None:
    """As of JSON lines: of Parquet, and where some files are Parquet; nested columns and texts are left out."""
    rows = [{**row, "deep": {"a": at}, "when": dt.date(2026, 1, 1 + at % 2)} for at, row in enumerate(bank())]
    pq.write_table(pa.Table.from_pylist(rows), simsieve.folder / "a.parquet", row_group_size=7)
    simsieve.file("a.jsonl", jsonl(bank()[:30]))
    pq.write_table(pa.Table.from_pylist(rows[30:]), simsieve.folder / "b.parquet", row_group_size=7)
    for names in (["a.parquet"], ["a.jsonl", "b.parquet"]):
        ended = simsieve("dedup", *names, "--dry-run", "--similarity", "0.7")
        told = [line.split("  ")[-1].strip() for line in ended.err.splitlines() if "duplicates have another" in line]
        assert "30 of 40 near duplicates have another answer: --differ answer keeps them" in told, ended.err
        assert not any("url" in line or "deep" in line for line in told)


def test_the_closing_table_says_where_to_look(simsieve: Program) -> None:
    """Failures by code, drops by source and field, fields that differ, the largest groups and the next command."""
    rows = bank()
    simsieve.file("a.jsonl", jsonl([*rows, *[rows[0]] * 3]))
    simsieve.file("b.jsonl", jsonl(rows[:40:2]) + "no JSON\n{}\n{}\n")
    words = ["dedup", "a.jsonl", "b.jsonl", "-o", "kept.jsonl", "--similarity", "0.7", "--drops-by", "answer"]
    ended = simsieve(*words, "--max-failed", "3", "--summary", "numbers.json").ok()
    assert "failed by code    no_text_field 2, not_json 1\n" in ended.err
    assert "drops by source   a.jsonl: 43 (51.81 %)\n                  b.jsonl: 20 (86.96 %), 3 failed\n" in ended.err
    assert "                  B: 30 (100.00 %)\n" in ended.err and "(none): 0 (0.00 %), 3 failed\n" in ended.err
    # The address differs in every near duplicate, and tells no questions apart.
    told = [line for line in ended.err.splitlines() if "near duplicates have another" in line]
    assert told == [
        "other fields      30 of 40 near duplicates have another answer: --differ answer keeps them",
        "                  30 of 40 near duplicates have another 'its level': --differ 'its level' keeps them",
    ]
    assert "largest groups    6 records like 0: word" in ended.err
    review = "simsieve review a.jsonl b.jsonl --similarity 0.7 --max-failed 3 -o review.html"
    assert f"next              {review}\n" in ended.err
    assert simsieve(*review.split()[1:]).code == 0
    numbers = json.loads((simsieve.folder / "numbers.json").read_text())
    assert numbers["failed_by_code"] == {"no_text_field": 2, "not_json": 1}
    assert [(one["value"], one["dropped"], one["failed"]) for one in numbers["sources"]] == [
        ("a.jsonl", 43, 0),
        ("b.jsonl", 20, 3),
    ]
    assert sum(one["dropped"] for one in numbers["drops_by"]["answer"]) == numbers["dropped"]


def test_what_is_next_depends_on_the_run(simsieve: Program) -> None:
    """Too many failed records come first; drops for old documents are shown by a report; quiet is silent."""
    simsieve.file("in.jsonl", jsonl(bank(5)) + "no JSON\n")
    simsieve.file("old.jsonl", jsonl(bank(5)[:4:2]))

    def following(*words: str) -> list[str]:
        ended = simsieve("dedup", *words)
        return [line.partition("next")[2].strip() for line in ended.err.splitlines() if line.startswith("next ")]

    first = "simsieve dedup in.jsonl -o kept.jsonl"
    assert following("in.jsonl", "-o", "kept.jsonl") == [f"{first} --failed failed.jsonl"]
    assert following(*first.split()[2:], "--failed", "f.jsonl", "--keep", "longest,first", "--same", "negation") == [
        "simsieve review in.jsonl --same negation --keep longest,first -o review.html"
    ]
    against = (*first.split()[2:], "--against", "old.jsonl", "--max-failed", "1")
    assert following(*against) == [f"simsieve dedup {' '.join(against)} --report report.html"]
    assert following(*first.split()[2:], "--max-failed", "1", "--report", "r.html") == []
    assert following(*first.split()[2:], "--max-failed", "1", "--similarity", "1") == []
    assert simsieve("dedup", *first.split()[2:], "--max-failed", "1", "--quiet").err == ""


def test_a_source_that_loses_too_much_stops_the_run(simsieve: Program) -> None:
    """Nothing is written and the output stays; the bound itself is allowed; without one more than half is told."""
    simsieve.file("in.jsonl", jsonl(bank(100)[::2] + bank(60)[1::2]))
    old = simsieve.file("kept.jsonl", '{"text": "old"}\n').read_bytes()
    words = ["dedup", "in.jsonl", "-o", "kept.jsonl", "--decisions", "why.jsonl", "--run-dir", "one.rundir"]
    told = simsieve(*words, "--max-dropped", "37%").refused()
    assert told.splitlines()[-1] == (
        "simsieve: in.jsonl: 60 of 160 records would be dropped, more than --max-dropped 37% allows, and nothing is"
        " written: look at them with a dry run and a report, then raise the similarity or --max-dropped"
    )
    assert (simsieve.folder / "kept.jsonl").read_bytes() == old
    assert not (simsieve.folder / "why.jsonl").exists()
    ended = simsieve(*words, "--max-dropped", "37.5%", "--resume")
    assert (ended.code, "more than half" in ended.err) == (0, False)
    simsieve.file("in.jsonl", jsonl([*bank(60), bank(60)[0]]))
    half = "simsieve: in.jsonl: more than half is dropped, 61 of 121 records; --max-dropped 50% would stop such a run"
    assert half in simsieve("dedup", "in.jsonl", "-o", "kept.jsonl").err
    assert simsieve("dedup", "in.jsonl", "-o", "kept.jsonl", "--quiet").err == ""
    with pytest.raises(
        ConfigError, match="the records: 1 of 2 records would be dropped, more than max_dropped 10% allows"
    ):
        dedup(["one text here"] * 2, max_dropped="10%")


def test_kept_rows_know_how_many_they_stand_for(simsieve: Program) -> None:
    """`@copies` is a field of the kept records, and `copies` an array beside `kept`; they sum to all records."""
    rows = [*bank(10), bank(10)[0]]
    simsieve.file("in.jsonl", jsonl(rows))
    fields = ["--fields", "id,@copies:n"]
    assert simsieve("dedup", "in.jsonl", "-o", "kept.jsonl", *fields).code == 0
    result = dedup(rows)
    expected = [{"id": at, "n": n} for at, n in zip(result.kept.tolist(), result.copies.tolist(), strict=True)]

    assert simsieve.rows("kept.jsonl") == expected
    assert int(result.copies.sum()) == len(rows)
    assert sorted([*result.kept.tolist(), *result.dropped.tolist()]) == list(range(len(rows)))


@given(
    st.lists(
        st.tuples(st.sampled_from(["one text of words", "other words in it", None]), st.sampled_from([1, "x", None])),
        min_size=1, max_size=30,
    )
)  # fmt: skip
def test_shares_are_those_of_the_records(given_rows: list[tuple[str | None, object]]) -> None:
    """For each value the counts are those of a walk over the decisions, and all together those of the run."""
    rows = [{"text": text, "by": by} for text, by in given_rows]
    result = dedup(rows, max_failed="100%")
    for field in ("by", "@length"):
        shares = result.drops_by(field)
        assert sum(share.read for share in shares) == result.counts.read
        assert sum(share.dropped for share in shares) == result.counts.dropped
        assert sum(share.failed for share in shares) == result.counts.failed
    walked: dict[str | None, list[str]] = {}
    for row, decision in zip(rows, result.decisions, strict=True):
        walked.setdefault(None if row["by"] is None else str(row["by"]), []).append(decision.decision)
    assert {share.value: (share.read, share.dropped, share.failed) for share in result.drops_by("by")} == {
        value: (len(some), some.count("dropped"), some.count("failed")) for value, some in walked.items()
    }


def test_a_parquet_file_says_its_drops_by_field(simsieve: Program) -> None:
    """Fields that the run did not read are read for it."""
    pyarrow = pytest.importorskip("pyarrow")
    parquet = pytest.importorskip("pyarrow.parquet")
    parquet.write_table(pyarrow.Table.from_pylist(bank(10)), simsieve.folder / "in.parquet")
    ended = simsieve("dedup", "in.parquet", "-o", "kept.parquet", "--drops-by", "answer", "--json")
    shares = json.loads(ended.out)["drops_by"]["answer"]
    assert [(one["value"], one["dropped"]) for one in shares] == [("B", 7), ("A", 3)]


def test_a_notebook_shows_groups_shortened() -> None:
    """Clusters are a dict whose page has ten of them; decisions of many records show dropped ones too."""
    texts = [" ".join(WORDS[9 * number : 9 * number + 9]) for number in range(30)]
    result = dedup([*texts, *texts])
    clusters = result.clusters()

    assert clusters == {at: [at, at + 30] for at in range(30)} and clusters._repr_html_().count("<tr>") == 11
    assert "30 clusters; the largest 10" in clusters._repr_html_()
    assert result.decisions._repr_html_().count("<td") > 0 and "exact" in result.decisions._repr_html_()
    assert "30 (50.0%)" in result.counts._repr_html_()
