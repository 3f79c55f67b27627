"""Fields in evaluations: a wrong field of labels, and fields that keep records apart."""

import json
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from simsieve import ConfigError
from simsieve.cli import main
from simsieve.config.settings import DedupConfig
from simsieve.evaluate.calibrate import run_calibrate
from simsieve.evaluate.labels import run_labels

STEM = "read the passage and choose the best answer to the question that follows it below on the page"
RECORDS: list[dict[str, Any]] = [
    {"id": f"q{number}", "text": f"{STEM} {number // 2}", "of": f"g{number // 2}", "answer": "ABCD"[number % 2]}
    for number in range(8)
]


def written(folder: Path, ending: str) -> Path:
    """The records in a file."""
    path = folder / f"in.{ending}"
    if ending == "parquet":
        pq.write_table(pa.Table.from_pylist(RECORDS), path)
    elif ending == "csv":
        lines = [",".join(RECORDS[0]), *(",".join(record.values()) for record in RECORDS)]
        path.write_text("\n".join(lines) + "\n")
    else:
        path.write_text("".join(json.dumps(record) + "\n" for record in RECORDS))
    return path


@pytest.mark.parametrize("ending", ["jsonl", "csv", "parquet"])
def test_a_wrong_field_of_labels_is_named_as_one(ending: str, tmp_path: Path) -> None:
    """The message speaks of labels alone, has the fields, and what was meant; there is no warning beside it."""
    with pytest.raises(ConfigError) as error:
        run_labels(written(tmp_path, ending), DedupConfig(), field="Of", warn=pytest.fail)
    text = str(error.value)

    assert "did you mean 'of'? The fields are 'id', 'text', 'of', 'answer'; name the field of the labels" in text
    assert "keep" not in text
    assert "id_field" not in text


def test_fields_that_differ_are_no_errors_of_a_search() -> None:
    """Questions with one stem and another answer are not near, so they do not count as wrong."""
    ends = [
        "which of the four painters lived in the south", "how many ferries cross the bay each May",
        "what the miller said of the new bridge to him", "why the harbour was closed for ten days in 1910",
    ]  # fmt: skip
    sampled = [{"id": end[:3], "text": f"{STEM[:40]} {end}"} for end in ends]
    plain = run_labels(RECORDS, DedupConfig(), field="of")
    apart = run_labels(RECORDS, DedupConfig(block_by="of"), field="of")
    free = run_calibrate(sampled, DedupConfig(), ["chars128"], lowest=0.3, recall=0.99)
    ruled = run_calibrate(sampled, DedupConfig(differ="id"), ["chars128"], lowest=0.3, recall=0.99)

    assert plain.at.precision == pytest.approx(4 / 28)
    assert apart.at.precision == 1.0
    assert (free.curves[0].rows[0].found, ruled.curves[0].rows[0].found) == (28, 4)
    assert ruled.config.differ == ("id",)


def test_the_command_takes_the_rules(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """They are in the settings that calibrate writes."""
    source = written(tmp_path, "jsonl")
    other = tmp_path / "other.jsonl"
    lines = [{"id": end, "answer": "A", "text": f"{end} {STEM[at * 20 :]}"} for at, end in enumerate("xyz")]
    other.write_text("".join(json.dumps(line) + "\n" for line in lines))
    words = ["--block-by", "answer", "--differ", "id", "-o", str(tmp_path / "run.toml"), "--scheme", "chars128", "-q"]

    assert main(["calibrate", str(other), *words]) == 0
    assert 'block_by = ["answer"]' in (tmp_path / "run.toml").read_text()
    assert main(["evaluate", "labels", str(source), "--labels", "of", "--block-by", "of", "-q"]) == 0
    assert "precision at 0.6" in capsys.readouterr().out
