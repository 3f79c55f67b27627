"""Runs on new files since an earlier run: what is kept, and what is refused."""

import json
import random
from pathlib import Path
from typing import Any

import pytest

from simsieve import ConfigError, SourceError, dedup, find_pairs


def shard(path: Path, numbers: range) -> Path:
    """Write texts of which every third is an edited copy of an earlier one."""
    texts: list[list[str]] = []
    rows = []
    for number in range(numbers.stop):
        choose = random.Random(number)
        words = [f"w{choose.randrange(5000)}" for _ in range(14)]
        if number % 3 == 2:
            words = list(texts[choose.randrange(number)])
            words[number % 14] = "changed"
        texts.append(words)
        if number in numbers:
            rows.append({"id": number, "text": " ".join(words)})
    if path.suffix == ".jsonl":
        path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    elif path.suffix == ".csv":
        path.write_text("id,text\n" + "".join(f"{row['id']},{row['text']}\n" for row in rows))
    else:
        arrow, parquet = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
        parquet.write_table(arrow.Table.from_pylist(rows), path)
    return path


@pytest.mark.parametrize("ending", ["jsonl", "csv", "parquet"])
def test_shards_keep_what_a_run_on_all_keeps(tmp_path: Path, ending: str) -> None:
    """Below 8,192 records every pair is tested, so that the recipe is that of a run on all."""
    shards = [shard(tmp_path / f"{at}.{ending}", range(100 * at, 100 * at + 100)) for at in range(3)]
    whole = dedup(shards)
    expected = [decision.id for decision in whole.decisions if decision.decision == "kept"]
    kept: list[object] = []
    for at, path in enumerate(shards):
        since = tmp_path / f"{at - 1}.rundir" if at else None
        result = dedup(path, since_run=since, run_dir=str(tmp_path / f"{at}.rundir"))
        kept += [decision.id for decision in result.decisions if decision.decision == "kept"]
        assert result.counts.read == 100
        assert result.old_read == len(kept) - result.counts.kept
    assert kept == expected
    assert whole.counts.dropped > 50


@pytest.mark.parametrize("ending", ["jsonl", "parquet"])
@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"id_field": "text"}, "id_field was 'id' in the earlier run, and is 'text' now"),
        ({"text_field": "id"}, r"text_field was \['text'\] in the earlier run, and is \['id'\] now"),
        ({"keep": "max:id"}, "keep was 'first' in the earlier run, and is 'max:id' now"),
        ({"differ": "id"}, r"equal fields was \[\] in the earlier run, and is \['id'\] now"),
    ],
)
def test_another_field_is_named_and_no_change_of_sources(
    tmp_path: Path, ending: str, given: dict[str, Any], message: str
) -> None:
    """Fields decide what is read of columns: they are compared before the sources, which have not changed."""
    old, new = shard(tmp_path / f"old.{ending}", range(60)), shard(tmp_path / f"new.{ending}", range(60, 90))
    run = tmp_path / "run"
    dedup(old, run_dir=str(run))
    with pytest.raises(ConfigError, match=message):
        dedup(new, since_run=run, **given)


def test_what_does_not_fit_is_refused(tmp_path: Path) -> None:
    """Another setting, a changed source, a folder that is no run, and what cannot be opened again."""
    old, new = shard(tmp_path / "old.jsonl", range(60)), shard(tmp_path / "new.jsonl", range(60, 90))
    run = tmp_path / "run"
    dedup(old, run_dir=str(run))
    with pytest.raises(ConfigError, match=r"threshold was .*0\.6\b.* is .*0\.8"):
        dedup(new, since_run=run, similarity=0.8)
    with pytest.raises(ConfigError, match="max_record_bytes was 268435456"):
        dedup(new, since_run=run, max_record_bytes=1000)
    others: list[tuple[dict[str, Any], str]]
    others = [({"same": "numbers"}, "the setting `same`"), ({"recall": 0.9}, "recall"), ({"keep": "last"}, "keep")]
    for other, told in others:
        with pytest.raises(ConfigError, match=f"{told} was .* in the earlier run, and is"):
            dedup(new, since_run=run, **other)
    with pytest.raises(ConfigError, match="is for dedup"):
        find_pairs(new, since_run=run)
    dedup(old, run_dir=str(tmp_path / "part"), limit=10)
    with pytest.raises(ConfigError, match="read the first 10 records"):
        dedup(new, since_run=tmp_path / "part")
    with pytest.raises(ConfigError, match="is no run directory"):
        dedup(new, since_run=tmp_path)
    with pytest.raises(ConfigError, match="against are both given"):
        dedup(new, since_run=run, against=["a text"])
    with pytest.raises(ConfigError, match="a directory of its own"):
        dedup(new, since_run=run, run_dir=str(run))
    with pytest.raises(ConfigError, match="both a source and"):
        dedup(old, since_run=run)
    old.write_text(old.read_text() + '{"text": "one more"}\n')
    with pytest.raises(SourceError, match="has changed since the run"):
        dedup(new, since_run=run)
    dedup(["a text", "another"], run_dir=str(tmp_path / "texts"))
    with pytest.raises((ConfigError, SourceError)):
        dedup(new, since_run=tmp_path / "texts")
