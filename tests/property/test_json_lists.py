"""Files of JSON lists, against `json.loads` and the same records as JSON lines."""

import csv
import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import simsieve
from simsieve import SourceError
from simsieve.results import DedupResult

values = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(-9, 9), st.text('ab"\\[]{},\n 中', max_size=6)),
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(st.text("ab", max_size=2), inner, max_size=3)),
    max_leaves=6,
)
records = st.fixed_dictionaries(
    {"text": st.text("ab c", min_size=1, max_size=12)}, optional={"id": values, "x": values}
)
items = st.lists(st.one_of(records, records, values), max_size=8).map(lambda rest: [{"text": "a"}, *rest])
styles = st.sampled_from([{}, {"indent": 2}, {"indent": "\t", "separators": (" ,", " :")}, {"ensure_ascii": False}])


@given(items, styles)
def test_a_list_is_read_as_its_items_as_lines(
    tmp_path_factory: pytest.TempPathFactory, found: list[Any], style: dict[str, Any]
) -> None:
    """Decisions, ids and failures are those of JSON lines; places are indices; what is kept is a list again."""
    folder = tmp_path_factory.mktemp("lists")
    array, lines, kept = folder / "in.json", folder / "in.jsonl", folder / "kept.json"
    array.write_text(json.dumps(found, **style))
    lines.write_text("".join(json.dumps(item) + "\n" for item in found))
    wanted, result = (simsieve.dedup(path, allow_empty=True, max_failed="100%") for path in (lines, array))

    assert result.counts == wanted.counts
    rows = [(row.position, row.id, row.decision, row.representative_position, row.reason) for row in result.decisions]
    assert rows == [
        (row.position, row.id, row.decision, row.representative_position, row.reason) for row in wanted.decisions
    ]
    for position, code, message in result.failures():
        assert message.startswith(f"{array} index {position}: "), message
        assert code in ("no_text_field", "not_object", "text_not_string")
    result.write(kept)
    assert json.loads(kept.read_text()) == [found[position] for position in result.kept]
    assert [json.loads(line) for line in _written(result, folder / "kept.jsonl")] == json.loads(kept.read_text())


def _written(result: DedupResult, path: Path) -> list[str]:
    result.write(path)
    return path.read_text().splitlines()


@given(st.text('[]{}",:1a\\ \n', max_size=14))
def test_what_is_no_list_is_refused(tmp_path_factory: pytest.TempPathFactory, text: str) -> None:
    """A file is read where Python reads a list of it, or where its items alone are wrong, which then fail by index."""
    path = tmp_path_factory.mktemp("lists") / "in.json"
    path.write_text(text)
    try:
        read = json.loads(text)
    except ValueError:
        read = None
    try:
        result = simsieve.dedup(path, allow_empty=True, max_failed="100%", text_field="a")
    except (SourceError, simsieve.ConfigError):
        assert not isinstance(read, list) or all(not isinstance(item, dict) or "a" not in item for item in read)
        return
    except RuntimeWarning:
        assert read == []
        return
    assert not isinstance(read, list) or len(read) == result.counts.read
    assert isinstance(read, list) or result.counts.failed > 0


@given(
    st.lists(st.lists(st.text('ab,;|\t"\n ', max_size=6), min_size=2, max_size=2), min_size=1, max_size=6),
    st.sampled_from([*",;\t|"]),
)
def test_a_named_sign_reads_what_python_wrote(
    tmp_path_factory: pytest.TempPathFactory, rows: list[list[str]], sign: str
) -> None:
    """Ids are those that Python's reader gives."""
    source = tmp_path_factory.mktemp("table") / "in.csv"
    with source.open("w", newline="") as file:
        csv.writer(file, delimiter=sign).writerows([["id", "text"], *rows])
    result = simsieve.dedup(source, delimiter=sign, quoting="minimal")
    assert [row.id for row in result.decisions] == [row[0] or None for row in rows]
