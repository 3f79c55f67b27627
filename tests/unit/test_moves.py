"""Files that are moved and put back: none is lost or replaced, whatever the order, and a bin is that of its rules."""

import os
from collections import Counter
from pathlib import Path
from tempfile import TemporaryDirectory
from urllib.parse import unquote

import pytest
from hypothesis import given
from hypothesis import strategies as st

from simsieve.tidy.moves import BESIDE, BIN, LOG, Moves

NAMES = ("a.txt", "b/a.txt", "b/c d.tar.gz", "名 %.md")
STEPS = st.lists(st.tuples(st.sampled_from(("move", "undo", "new")), st.integers(0, 5), st.booleans()), max_size=14)


def contents(*folders: Path) -> Counter[bytes]:
    """The contents of all files, but for logs and what a bin tells of files."""
    paths = (path for folder in folders for path in folder.rglob("*"))
    return Counter(
        path.read_bytes() for path in paths if path.is_file() and path.name != LOG and path.suffix != ".trashinfo"
    )


@given(steps=STEPS)
def test_no_file_is_lost_or_replaced(steps: list[tuple[str, int, bool]]) -> None:
    """After any moves, undos and new files every content that was there is there once."""
    with TemporaryDirectory() as top, pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_DATA_HOME", f"{top}/data")
        root = Path(top).resolve() / "docs"
        written: Counter[bytes] = Counter()
        for turn, (what, number, is_bin) in enumerate([("new", at, False) for at in range(4)] + steps):
            moves, path = Moves(root), root / NAMES[number % len(NAMES)]
            if what == "new" and not path.exists():
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_bytes(str(turn).encode())
                written[str(turn).encode()] += 1
            elif what == "move" and path.exists():
                moves.move(path, BIN if is_bin else BESIDE, moves.new_batch())
                assert not path.exists()
            elif what == "undo" and (batches := moves.batches()):
                moves.undo(batches[number % len(batches)][0])
            assert contents(root.parent) == written


def test_an_undo_restores_the_tree(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Content, times and folders come back, and the bin knows the path of each file while it is there."""
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    root = tmp_path / "docs"
    moves = Moves(root)
    for at, name in enumerate(NAMES):
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(name, encoding="utf-8")
        os.utime(root / name, (1_700_000_000 + at,) * 2)
    for name in NAMES:
        moves.move(root / name, BIN, 1)
    (root / "b").rmdir()
    infos = [path.read_text(encoding="utf-8") for path in (tmp_path / "data/Trash/info").iterdir()]
    told = {unquote(info.splitlines()[1].removeprefix("Path=")) for info in infos}
    assert told == {str(root / name) for name in NAMES} and all("DeletionDate=2" in info for info in infos)

    assert [(batch, len(names)) for batch, _, names in Moves(root).batches()] == [(1, 4)]
    assert Moves(root).undo(1) == (4, [])
    assert {name: (root / name).stat().st_mtime for name in NAMES} == {
        name: 1_700_000_000 + at for at, name in enumerate(NAMES)
    }
    assert Moves(root).batches() == [] and not any((tmp_path / "data/Trash/info").iterdir())


def test_another_file_system_gets_a_copy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where no link can be made, content and time are copied, and the name is still not taken from another file."""

    def refuse(*_: object, **__: object) -> None:
        raise OSError(18, "Invalid cross-device link")

    monkeypatch.setattr(os, "link", refuse)
    root = tmp_path / "docs"
    for turn in range(2):
        root.mkdir(exist_ok=True)
        (root / "a.txt").write_text(f"text {turn}", encoding="utf-8")
        Moves(root).move(root / "a.txt", BESIDE, Moves(root).new_batch())
    found = {path.name: path.read_text(encoding="utf-8") for path in (tmp_path / "docs.duplicates").iterdir()}
    assert found == {"a.txt": "text 0", "a (2).txt": "text 1"}
    assert Moves(root).undo(1) == (1, []) and (root / "a.txt").read_text(encoding="utf-8") == "text 0"


def test_a_file_that_has_changed_away_stays_there(tmp_path: Path) -> None:
    """What a person has written into a moved file is not put over anything."""
    root = tmp_path / "docs"
    root.mkdir()
    (root / "a.txt").write_text("a text", encoding="utf-8")
    Moves(root).move(root / "a.txt", BESIDE, 1)
    (tmp_path / "docs.duplicates/a.txt").write_text("another text", encoding="utf-8")
    done, refused = Moves(root).undo(1)
    assert (done, "has changed since it was moved" in refused[0]) == (0, True)
