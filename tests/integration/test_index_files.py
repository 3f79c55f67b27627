"""An index knows its files: those of another index, of another copy or of an earlier state are refused by name."""

import random
import shutil
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from tests.integration.index_files import forge, forge_manifest, newest, segments

from simsieve import ConfigError, Index, SourceError, StorageError
from simsieve.errors import SimsieveError


def rows(word: str, count: int) -> list[dict[str, Any]]:
    """Records that are not near one another."""
    draw = random.Random(word)
    return [
        {"id": f"{word}{at}", "text": " ".join(f"{draw.getrandbits(40):x}" for _ in range(9))} for at in range(count)
    ]


def ids(index: Index) -> list[Any]:
    """The ids of the kept documents."""
    return [id_ for id_, _ in index]


def restored(seen: Path, backup: Path) -> None:
    """The directory is made anew from a snapshot."""
    shutil.rmtree(seen)
    shutil.copytree(backup, seen)


def restored_by_links(seen: Path, backup: Path) -> None:
    """The same, by hard links."""
    shutil.rmtree(seen)
    shutil.copytree(backup, seen, copy_function=lambda source, to: Path(to).hardlink_to(source))


def over_it(seen: Path, backup: Path) -> None:
    """The files of a snapshot are copied over those that are there."""
    for file in backup.iterdir():
        # As `cp --remove-destination` does: both may be one file by hard links.
        (seen / file.name).unlink(missing_ok=True)
        shutil.copy(file, seen)


def made_anew(seen: Path, _: Path) -> None:
    """There is another index now."""
    shutil.rmtree(seen)
    Index.create(seen, rows("other", 2), sample=0).close()


def without_lock(seen: Path, _: Path) -> None:
    """The lock is removed."""
    (seen / "lock").unlink()


def with_an_older_manifest(seen: Path, _: Path) -> None:
    """The newest manifest is removed."""
    newest(seen).unlink()


def behind_a_link(seen: Path, backup: Path) -> None:
    """The name leads to a snapshot."""
    seen.rename(seen.with_name("moved"))
    seen.symlink_to(backup)


CHANGES = [restored, restored_by_links, over_it, made_anew, without_lock, with_an_older_manifest, behind_a_link]


@pytest.mark.parametrize("change", CHANGES)
def test_a_writer_leaves_a_directory_that_is_another_one(tmp_path: Path, change: Callable[[Path, Path], None]) -> None:
    """A change is refused, by any way to make one, and each file stays as the other program has left it."""
    seen, backup = tmp_path / "seen", tmp_path / "backup"
    with Index.create(seen, rows("a", 3), sample=0) as writer:
        writer.snapshot(backup)
        for row in rows("b", 6):
            writer.add_texts([row["text"]], [row["id"]])
        change(seen, backup)
        left = {file.name: file.read_bytes() for file in seen.iterdir()}
        calls: list[Callable[[], object]] = [
            lambda: writer.add_texts(["one more document, acknowledged or refused"], ["x"]),
            lambda: writer.add(rows("c", 1), sample=0),
            lambda: writer.remove(["a0"]),
            lambda: writer.undo("1"),
            writer.compact,
            writer.refreeze,
        ]
        for call in calls:
            with pytest.raises(StorageError, match="is not the file any more that this process has read or written"):
                call()
        assert {file.name: file.read_bytes() for file in seen.iterdir()} == left
    if change is not with_an_older_manifest and change is not over_it:
        with Index.open(seen, write=True) as again:
            assert again.add(rows("d", 1), sample=0).kept == 1


def test_two_processes_do_not_both_write(tmp_path: Path) -> None:
    """After the lock was removed one process writes, and the other is refused: each acknowledged text is there."""
    with Index.create(tmp_path / "seen", rows("a", 2), sample=0) as first:
        (tmp_path / "seen" / "lock").unlink()
        with Index.open(tmp_path / "seen", write=True) as second:
            second.add(rows("b", 1), sample=0)
            with pytest.raises(StorageError):
                first.add(rows("c", 1), sample=0)
            second.add(rows("d", 1), sample=0)
    assert ids(Index.open(tmp_path / "seen")) == ["a0", "a1", "b0", "d0"]


@pytest.mark.parametrize("settings", [{}, {"similarity": 0.9}, {"scheme": "words64"}])
def test_a_reader_opens_an_index_that_was_made_anew(tmp_path: Path, settings: dict[str, Any]) -> None:
    """It has the documents, the threshold and the scheme of the new one, and no file of the old one."""
    Index.create(tmp_path / "seen", rows("old", 3), sample=0).close()
    with Index.open(tmp_path / "seen") as reader:
        shutil.rmtree(tmp_path / "seen")
        Index.create(tmp_path / "seen", rows("new", 3), sample=0, **settings).close()
        reader.refresh()
        assert ids(reader) == ["new0", "new1", "new2"]
        with Index.open(tmp_path / "seen") as fresh:
            assert reader.config == fresh.config
        reader.verify()


def test_a_reader_follows_a_restore(tmp_path: Path) -> None:
    """What was taken back is gone, and what was removed meanwhile is there again; later batches are seen."""
    seen = tmp_path / "seen"
    with Index.create(seen, rows("a", 3), sample=0) as writer:
        writer.snapshot(tmp_path / "backup")
        writer.add(rows("b", 2), sample=0)
        writer.remove(["a1"])
    with Index.open(seen) as reader:
        assert ids(reader) == ["a0", "a2", "b0", "b1"]
        restored(seen, tmp_path / "backup")
        reader.refresh()
        assert ids(reader) == ["a0", "a1", "a2"]
        with Index.open(seen, write=True) as writer:
            writer.add(rows("c", 1), sample=0)
        reader.refresh()
        assert ids(reader) == ["a0", "a1", "a2", "c0"] and reader.get("b0") is None


@pytest.mark.parametrize("of_large", [False, True])
def test_a_file_of_another_place_is_refused(tmp_path: Path, of_large: bool) -> None:
    """Each segment with the bytes of another one, and the frozen set of another index, is refused by its name."""
    seen = tmp_path / "seen"
    many = rows("x", 60_000 if of_large else 1)
    with Index.create(seen, many, sample=0) as writer:
        for word in ("b", "c"):
            writer.add(rows(word, 1), sample=0)
    Index.create(tmp_path / "other", rows("o", 1), sample=0).close()
    files = segments(seen)
    swaps = [(one, other) for one in files for other in files if one != other]
    if of_large:
        # That of few texts is empty in each index.
        swaps.append((next(seen.glob("frozen-*")), next((tmp_path / "other").glob("frozen-*"))))
    for file, other in swaps:
        whole = file.read_bytes()
        file.unlink()
        shutil.copy(other, file)
        with pytest.raises(SourceError, match=f"{file.name}: is whole, and is not the file that the manifest"):
            Index.open(seen)
        file.unlink()
        file.write_bytes(whole)
    assert len(Index.open(seen)) == len(many) + 2


def test_a_missing_newest_manifest_is_noticed(tmp_path: Path) -> None:
    """The state before the last change is not taken for the newest, until the user says so; nothing is removed."""
    seen = tmp_path / "seen"
    with Index.create(seen, rows("a", 2), sample=0) as writer:
        writer.add(rows("b", 1), sample=0)
    lost = newest(seen)
    lost.unlink()
    left = sorted(seen.iterdir())
    for write in (False, True):
        with pytest.raises(
            SourceError, match=rf"{lost.name}: is the newest manifest .* and is missing.*remove the file newest"
        ):
            Index.open(seen, write=write)
    assert sorted(seen.iterdir()) == left
    (seen / "newest").unlink()
    assert ids(Index.open(seen)) == ["a0", "a1"]


def test_a_file_named_unfinished_is_no_mark(tmp_path: Path) -> None:
    """A directory of the user is refused for a new index, and its files stay."""
    for name in ("unfinished", ".notes.part", "segment-000001"):
        (tmp_path / name).write_text("mine")
    with pytest.raises(ConfigError, match="is not empty"):
        Index.create(tmp_path, rows("a", 2), sample=0)
    assert {file.name: file.read_text() for file in tmp_path.iterdir() if file.name != "lock"} == dict.fromkeys(
        ("unfinished", ".notes.part", "segment-000001"), "mine"
    )


def test_an_index_of_the_first_form_is_refused(tmp_path: Path) -> None:
    """The message names both versions and says what to do."""
    Index.create(tmp_path / "seen", rows("a", 2), sample=0).close()
    for version in (1, 2, 99):
        forge_manifest(tmp_path / "seen", simsieve_index=version)
        with pytest.raises(
            SourceError, match=f"of version {version}, and this simsieve reads version 3; make the index anew"
        ):
            Index.open(tmp_path / "seen")


@pytest.mark.parametrize("label", [b"\n", b"{", b"\xff", b"\0"])
def test_forged_ids_are_refused(tmp_path: Path, label: bytes) -> None:
    """Ids that are no JSON, under right checksums, are an error that names the file, whatever is asked."""
    seen, texts = tmp_path / "seen", [row["text"] for row in rows("a", 4)]
    with Index.create(seen, rows("a", 4), sample=0) as made:
        assert made.add_texts([f"{texts[0]}!"], ["near"]).dropped == 1

    def change(sections: dict[str, bytearray], _: dict[str, Any]) -> None:
        for name in ("labels", "dropped_labels"):
            sections[name][:] = label * len(sections[name])

    for file in segments(seen):
        forge(file, change)
    with Index.open(seen, write=True) as index:
        calls: list[Callable[[], object]] = [
            lambda: list(index),
            lambda: index.check_texts(texts),
            lambda: index.check(rows("a", 4)),
            lambda: index.query(texts[0]),
            lambda: index.add_texts([f"{texts[0]}?"], ["late"]),
            lambda: index.export(tmp_path / "kept.jsonl"),
        ]
        for call in calls:
            with pytest.raises(SourceError, match=r"segment-\w+-0.*is no JSON"):
                call()


def gets(index: Index, id_: str, text: str) -> bool:
    """Whether a text is found by its id."""
    return index.get(id_) == text


def knows(index: Index, id_: str, text: str) -> bool:
    """Whether a text is known."""
    return bool(index.check_texts([text])[0].representative == id_)


def merges(index: Index) -> bool:
    """Merge the files."""
    index.compact()
    return True


DAMAGED = 16
"""Places of damage in a large segment."""


@pytest.mark.slow
def test_damage_of_a_large_segment_is_found_when_it_is_read(tmp_path: Path) -> None:
    """Each answer is right, or an error that names the file; no change is written from a damaged file."""
    kept = rows("z", 70_000)
    Index.create(tmp_path / "seen", kept, sample=0).close()
    file = max(segments(tmp_path / "seen"), key=lambda path: path.stat().st_size)
    assert file.stat().st_size > 16 << 20
    texts = {row["id"]: row["text"] for row in kept}
    asked = [f"z{at}" for at in range(0, 70_000, 977)]
    whole, draw = file.read_bytes(), random.Random(7)

    def answers(path: Path, call: Callable[[Index], bool]) -> None:
        said = file.name
        try:
            with Index.open(path, write=True) as index:
                assert call(index)
        except SimsieveError as error:
            said = str(error)
        assert file.name in said

    for place in range(DAMAGED):
        at = len(whole) * place // DAMAGED + 4096
        size = draw.choice([1, 5000, 65_536])
        file.write_bytes(whole[:at] + bytes(byte ^ 0x55 for byte in whole[at : at + size]) + whole[at + size :])
        seen = file.parent
        for id_ in asked[place::DAMAGED]:
            answers(seen, partial(gets, id_=id_, text=texts[id_]))
            answers(seen, partial(knows, id_=id_, text=texts[id_]))
        answers(seen, lambda index: dict(index) == texts)
        answers(seen, lambda index: index.remove(["none"]).kept == 0)
        answers(seen, merges)
        assert file.exists(), f"place {place}: a damaged segment was merged"
        with pytest.raises(SourceError, match=file.name), Index.open(seen) as index:
            index.verify()
