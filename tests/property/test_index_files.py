"""An index under a file manager: copies, restores, mixed, cut and missing files between the changes of two writers."""

import os
import random
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from simsieve import Index
from simsieve.errors import SimsieveError

Ids = frozenset[str]
READERS, WRITERS = 3, 2


def text(id_: str) -> str:
    """A text that is near no other."""
    draw = random.Random(id_)
    return " ".join(f"{draw.getrandbits(40):x}" for _ in range(9))


def found(index: Index) -> Ids:
    """The ids of an index, each with its own text."""
    kept = dict(index)
    assert all(text(id_) == of for id_, of in kept.items())
    return frozenset(kept)


class FileManager:
    """A directory, its whole copies, and who has it open; the sets of ids say what each of them must have."""

    def __init__(self, folder: Path, seed: int) -> None:
        self.folder, self.seen, self.draw = folder, folder / "seen", random.Random(seed)
        self.now: Ids = frozenset({"a", "b"})
        self.states = {self.now}
        self.copies: list[tuple[Path, Ids]] = []
        self.is_whole, self.count, self.refused, self.added = True, 0, 0, 0
        Index.create(self.seen, [{"id": id_, "text": text(id_)} for id_ in sorted(self.now)], sample=0).close()
        self.readers: list[Index | None] = [Index.open(self.seen) for _ in range(READERS)]
        self.writers: list[Index | None] = [None] * WRITERS

    def attempt(self, call: Callable[[], object]) -> bool:
        """Whether a call goes; where the directory is whole, no question to it is refused."""
        try:
            call()
        except SimsieveError:
            self.refused += 1
            return False
        return True

    def is_right(self) -> None:
        """Who opens the directory now has what was acknowledged last, or an error where a file is not what it was."""
        seen: list[Ids] = []
        assert self.attempt(lambda: seen.append(found(Index.open(self.seen)))) or not self.is_whole
        assert seen in ([], [self.now])

    def change(self) -> None:
        """A writer adds, replaces, removes, undoes or merges: acknowledged, or refused."""
        at = self.draw.randrange(WRITERS)
        writer = self.writers[at]
        if writer is None:
            opened: list[Index] = []
            if self.attempt(lambda: opened.append(Index.open(self.seen, write=True))):
                self.writers[at] = opened[0]
            return
        self.count += 1
        id_ = self.draw.choice([f"n{self.count}", *sorted(self.now)])
        kind = self.draw.choice(["add", "add", "add", "remove", "compact", "refreeze"])
        purge = self.draw.random() < 0.5
        calls: dict[str, tuple[Callable[[], object], Ids]] = {
            "add": (lambda: writer.add_texts([text(id_)], [id_]), self.now | {id_}),
            "remove": (lambda: writer.remove([id_]), self.now - {id_}),
            "compact": (lambda: writer.compact(purge=purge), self.now),
            "refreeze": (writer.refreeze, self.now),
        }
        call, then = calls[kind]
        if self.attempt(call):
            self.now, self.added = then, self.added + (kind == "add")
        elif self.draw.random() < 0.7:
            # As the error says.
            writer.close()
            self.writers[at] = None
        self.states.add(self.now)

    def close(self) -> None:
        """A writer ends."""
        at = self.draw.randrange(WRITERS)
        writer, self.writers[at] = self.writers[at], None
        if writer is not None:
            writer.close()

    def read(self) -> None:
        """A reader answers by a state that was acknowledged; once it has refreshed, by that of now."""
        at = self.draw.randrange(READERS)
        reader = self.readers[at]
        if reader is None:
            self.is_right()
            self.readers[at] = Index.open(self.seen) if self.is_whole else None
            return
        seen: list[Ids] = []
        if self.attempt(lambda: seen.append(found(reader))):
            assert seen[0] in self.states
        refreshed = self.attempt(reader.refresh)
        assert refreshed or not self.is_whole
        if refreshed and self.attempt(lambda: seen.append(found(reader))):
            assert seen[-1] == self.now

    def copy(self) -> None:
        """The directory is copied: by bytes, by links, or as a snapshot."""
        if not self.is_whole:
            return
        to = self.folder / f"copy{len(self.copies)}"
        how = self.draw.choice([shutil.copy, shutil.copy2, os.link, None])
        if how is None:
            Index.open(self.seen).snapshot(to)
        else:
            shutil.copytree(self.seen, to, copy_function=how)
        self.copies.append((to, self.now))

    def restore(self) -> None:
        """A copy takes the place of the directory: by bytes, by its name, by links, or behind a link."""
        if not self.copies:
            return
        copy, self.now = self.draw.choice(self.copies)
        if self.seen.is_symlink():
            self.seen.unlink()
        else:
            self.seen.rename(self.folder / f"old{self.count}-{self.draw.random()}")
        how = self.draw.choice([shutil.copy, shutil.copy2, os.link, None])
        if how is None:
            shutil.copytree(copy, own := self.folder / f"own{self.count}-{self.draw.random()}")
            self.seen.symlink_to(own)
        else:
            shutil.copytree(copy, self.seen, copy_function=how)
        self.is_whole = True

    def damage(self) -> None:
        """One file is removed, renamed, cut, emptied, swapped with another, or comes from a copy."""
        if self.is_whole:
            self.copy()
        files = sorted(path for path in self.seen.iterdir() if path.name != "newest")
        file, other = self.draw.choice(files), self.draw.choice(files)
        foreign = [path for copy, _ in self.copies for path in copy.iterdir() if path.name != "newest"]
        kind = self.draw.choice(["remove", "rename", "cut", "empty", "swap", "mix", "mix", "over"])
        whole = file.read_bytes()
        # The bytes of a file may be those of a copy too, by a link, so a file is never written in place.
        if kind in {"remove", "cut", "empty"}:
            file.unlink()
            if kind != "remove":
                file.write_bytes(whole[: len(whole) // 2] if kind == "cut" else b"")
        elif kind == "rename":
            file.rename(file.with_name(f"{file.name}.bak"))
        elif kind == "swap":
            bytes_ = other.read_bytes()
            for path, content in ((file, bytes_), (other, whole)):
                path.unlink(missing_ok=True)
                path.write_bytes(content)
        elif foreign:
            for one in [self.draw.choice(foreign)] if kind == "mix" else foreign:
                (self.seen / one.name).unlink(missing_ok=True)
                shutil.copy(one, self.seen)
        self.is_whole = False


def live(folder: Path, seed: int, steps: int) -> FileManager:
    """Take some steps; after each the directory is right."""
    of = FileManager(folder, seed)
    for _ in range(steps):
        kinds = [of.change] * 6 + [of.read] * 4 + [of.copy, of.restore, of.close, of.damage]
        if not of.is_whole:
            kinds += [of.restore] * 4
        of.draw.choice(kinds)()
        of.is_right()
    return of


@pytest.mark.parametrize("seed", [0, *(pytest.param(seed, marks=pytest.mark.slow) for seed in (1, 2))])
def test_no_answer_is_wrong_and_no_acknowledged_change_is_lost(tmp_path: Path, seed: int) -> None:
    """An answer is that of the state that was acknowledged or restored last, or it is an error."""
    of = live(tmp_path, seed, 60)
    assert of.refused > 0 and of.added > 0


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(10, 14))
def test_the_same_for_long(tmp_path: Path, seed: int) -> None:
    """The same for 300 steps each."""
    of = live(tmp_path, seed, 300)
    assert of.refused > 10 and of.added > 5
