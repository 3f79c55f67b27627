"""Indexes that each version of the files has written are read."""

import shutil
from pathlib import Path

import pytest
from tests.golden import make

from simsieve import Index

ALL = sorted((make.FOLDER / "indexes").iterdir())


@pytest.mark.parametrize("of_version", ALL, ids=lambda path: str(path.name))
def test_an_index_is_read(of_version: Path, tmp_path: Path) -> None:
    """It has its documents, decides as an index of today does, takes new documents, and undoes a batch."""
    shutil.copytree(of_version, tmp_path / "old")
    made = make.INDEXES[of_version.name]
    today = make.save_index(tmp_path, **made)
    with Index.open(tmp_path / "old", write=True) as old, Index.open(today, write=True) as new:
        old.verify()
        assert list(old) == list(new)
        assert (old.stats()["kept"], old.stats()["dropped"]) == (new.stats()["kept"], new.stats()["dropped"])
        rows = [row | {"id": f"again {row['id']}"} for batch in make.index_batches() for row in batch]
        assert list(old.check(rows).decisions) == list(new.check(rows).decisions)
        assert (old.add(rows).kept, list(old)) == (new.add(rows).kept, list(new))
        assert (old.undo("second").kept, list(old)) == (new.undo("second").kept, list(new))
        if made:
            assert (old.expire("2026-11-10").kept, list(old)) == (new.expire("2026-11-10").kept, list(new))
            assert 0 < len(old) < 30


def test_the_version_of_today_has_its_index() -> None:
    """A changed format brings a new index; those of earlier versions stay."""
    assert [path.name for path in ALL] == ["index-3", "index-3-window"]
