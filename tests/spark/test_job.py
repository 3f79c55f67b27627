"""The job for spark-submit: what it refuses before the work, the columns it takes, and its exit codes."""

import json
from pathlib import Path
from typing import Any

import pytest
from tests.spark.conftest import main

pytestmark = [pytest.mark.filterwarnings("ignore"), pytest.mark.timeout(900)]
TEXTS = ["The ferry leaves the harbour at seven.", "The ferry leaves the harbour at seven!", "Bakers count loaves."]


def written(path: Path, texts: list[str | None]) -> str:
    """A file of records with numbers and labels in a struct."""
    rows = [{"id": f"r{at}", "meta": {"n": 9 - at, "name": f"m{at}"}, "text": text} for at, text in enumerate(texts)]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return str(path)


def as_parquet(texts: list[str | None], path: Path) -> str:
    """A file of rows with a column of texts, which JSON lines of nulls do not give."""
    pa = pytest.importorskip("pyarrow")
    kinds = {"id": pa.int64(), "text": pa.string()}
    rows = pa.table({"id": pa.array(range(len(texts)), kinds["id"]), "text": pa.array(texts, kinds["text"])})
    pytest.importorskip("pyarrow.parquet").write_table(rows, path)
    return str(path)


@pytest.fixture
def no_work(monkeypatch: pytest.MonkeyPatch) -> None:
    """The job must not decide."""
    from simsieve.spark import __main__ as job

    def fail(*_: Any, **__: Any) -> None:
        pytest.fail("the job has begun its work")

    monkeypatch.setattr(job, "result_of", fail)


@pytest.mark.usefixtures("spark", "no_work")
@pytest.mark.parametrize(
    ("out", "decisions", "part"),
    [
        ("there", "new", "there: an output is there already; name a folder that does not exist"),
        ("new", "there", "there: an output is there already"),
        ("new", "new/", "are one folder, or one is in the other; name two folders"),
        ("new", "new/decisions", "are one folder, or one is in the other"),
    ],
)
def test_outputs_are_checked_before_the_work(
    out: str, decisions: str, part: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """An output that exists, or two in one place, are refused with nothing written."""
    source = written(tmp_path / "in.jsonl", list(TEXTS))
    (tmp_path / "there").mkdir()

    assert main([source, "-o", f"{tmp_path}/{out}", "--decisions", f"file:{tmp_path}/{decisions}"]) == 2

    assert part in capsys.readouterr().err
    assert sorted(path.name for path in tmp_path.iterdir()) == ["in.jsonl", "there"]


@pytest.mark.usefixtures("spark", "no_work")
@pytest.mark.parametrize(
    ("source", "out", "system"),
    [
        ("nowhere://host/in.jsonl", "kept", "nowhere"),
        ("in.jsonl", "nowhere://host/kept", "nowhere"),
        ("s3a://bucket/in.jsonl", "kept", "s3a"),
    ],
)
def test_a_file_system_that_spark_does_not_have_is_refused(
    source: str,
    out: str,
    system: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """The message names the path and its file system, and not the trace of Java."""
    monkeypatch.chdir(tmp_path)
    written(tmp_path / "in.jsonl", list(TEXTS))
    source, out = (path if ":" in path else f"{tmp_path}/{path}" for path in (source, out))

    assert main([source, "-o", out]) == 2

    err = capsys.readouterr().err
    assert f"Spark has no file system '{system}'" in err and "Exception" not in err


@pytest.mark.parametrize(
    ("words", "kept"),
    [
        (["--order", "meta.n"], ["r1", "r2"]),
        (["--id-field", "meta.n"], ["r1", "r2"]),
        (["--id-field", "meta.name"], ["r0", "r2"]),
    ],
)
def test_fields_of_structs_order_and_label(spark: Any, tmp_path: Path, words: list[str], kept: list[str]) -> None:
    """Such a field names an order or a label, and the columns of the kept rows are those of the source."""
    source = written(tmp_path / "in.jsonl", list(TEXTS))

    assert main([source, "-o", f"{tmp_path}/kept.jsonl", "--decisions", f"{tmp_path}/decisions", *words]) == 0

    rows = spark.read.json(f"{tmp_path}/kept.jsonl")
    assert rows.columns == ["id", "meta", "text"]
    assert sorted(row["id"] for row in rows.collect()) == kept


@pytest.mark.slow
def test_old_rows_and_indexes_are_named_by_an_option(spark: Any, tmp_path: Path) -> None:
    """Rows near old ones are not written, whatever the old ones are."""
    import simsieve

    source, old = written(tmp_path / "in.jsonl", [*TEXTS]), written(tmp_path / "old.jsonl", [TEXTS[1]])
    simsieve.Index.create(tmp_path / "index", old).close()

    for at, against in enumerate((old, str(tmp_path / "index"))):
        out = f"{tmp_path}/kept{at}.jsonl"
        assert main([source, "-o", out, "--order", "meta.n", "--against", against]) == 0
        assert [row["id"] for row in spark.read.json(out).collect()] == ["r2"]


@pytest.mark.usefixtures("spark")
@pytest.mark.parametrize(
    ("texts", "words", "code", "told"),
    [
        ([None, None], [], 1, "2 of 2 rows failed, more than --max-failed 0 allows"),
        ([*TEXTS, None], ["--max-failed", "1"], 0, ""),
        ([*TEXTS, None], ["--max-failed", "20%"], 1, "1 of 4 rows failed, more than --max-failed 20% allows"),
        (TEXTS, ["--max-failed", "some"], 2, "--max-failed 'some' is not allowed"),
    ],
)
def test_failed_rows_are_counted(
    texts: list[str | None], words: list[str], code: int, told: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The exit code says whether more rows failed than is allowed; the results are written anyway."""
    source = as_parquet(texts, tmp_path / "in.parquet")

    assert main([source, "-o", f"{tmp_path}/kept", *words]) == code

    err = capsys.readouterr().err
    assert told in err if told else "failed" not in err
    assert (tmp_path / "kept").exists() == (code != 2)


@pytest.mark.usefixtures("spark")
def test_messages_are_chinese_where_the_language_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The job speaks as the command line does."""
    monkeypatch.setenv("SIMSIEVE_LANG", "zh")

    assert main([written(tmp_path / "in.txt", list(TEXTS)), "-o", f"{tmp_path}/kept"]) == 2

    assert "从名字看不出格式" in capsys.readouterr().err
