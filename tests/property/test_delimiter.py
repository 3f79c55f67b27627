"""Tables with any sign between their fields, against Python's own writer."""

import csv

import pytest
from hypothesis import given
from hypothesis import strategies as st

import simsieve


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
