"""A person's work in a browser: a look, a run, groups, and what becomes of the files and records that are not kept."""

import json
import os
import tempfile
import threading
from collections.abc import Callable
from itertools import accumulate
from pathlib import Path
from typing import Any

from simsieve.config.settings import DedupConfig
from simsieve.display import likeness, readable_bytes
from simsieve.errors import ConfigError, SimsieveError
from simsieve.index import Index
from simsieve.inside import PassageResult
from simsieve.inside.find import run_passages
from simsieve.messages import Message, tr
from simsieve.progress import JsonProgress
from simsieve.review.cards import card_of, shared_wording
from simsieve.run.against import index_named
from simsieve.run.pipeline import run_dedup, say_nothing
from simsieve.screen import visible
from simsieve.sources.folders import Unread
from simsieve.tidy.groups import GROUPS, MEMBERS, Groups
from simsieve.tidy.looking import look_at, proposal
from simsieve.tidy.moves import BESIDE, BIN, Moves, Stamp, new_file, stamp
from simsieve.tidy.page import on_page

TEXTS, PICTURES, PASSAGES = "texts", "pictures", "passages"
"""What a run compares; passages are what texts share, of which nothing is moved."""
_FIELDS = 8
"""Fields of a record that are shown beside a text."""
_LISTED = 1000
"""Files of a move that are listed."""


class _CancelledError(Exception):
    """A person has ended the run."""


class Desk:
    """The work on a folder, a file or an index, of one person."""

    def __init__(self, place: Path, kind: str | None = None) -> None:
        self.place = place.resolve(strict=True)
        is_index = index_named(self.place) is not None
        self._index = Index.open(self.place) if is_index else None
        self.is_folder = self.place.is_dir() and not is_index
        self._kind = kind
        self.moves = Moves(self.place) if self.is_folder else None
        self._groups: Groups | None = None
        self._passages: PassageResult | None = None
        self._lock = threading.RLock()
        self._stage: dict[str, Any] = {}
        self._error, self._notes = "", list[str]()
        self._thread: threading.Thread | None = None
        self._stops = threading.Event()
        self._stamps: dict[Path, Stamp | None] = {}

    @property
    def is_running(self) -> bool:
        """Whether a run is under way."""
        return self._thread is not None and self._thread.is_alive()

    def look(self) -> dict[str, Any]:
        """List the files, and propose a kind."""
        with self._lock:
            if self._index is not None:
                stats, name = self._index.stats(), visible(str(self.place))
                return {"name": name, "index": tr("{count:,} documents are kept.", count=stats["kept"])}
            look = look_at(self.place)
            told = look.told() | {"proposal": proposal(look), "name": visible(str(self.place))}
        return told | {"is_folder": self.is_folder, "kind": self._kind or told["proposal"]["kind"]} | self.state()

    def ask(self, text: str) -> list[dict[str, Any]]:
        """Give the documents of an index that are near a text, each beside it."""
        if self._index is None:
            raise ConfigError("a text is looked up in an index")
        return [
            card_of(
                (match.text, text), (tr("kept") if match.id is None else visible(str(match.id)), tr("your text")),
                why=likeness(None, match.distance) if match.similarity is None else shared_wording(match.similarity),
            ) | {"exact": likeness(match.similarity, match.distance)}
            for match in self._index.query(text)
        ]  # fmt: skip

    def state(self) -> dict[str, Any]:
        """Say how far the work is: the stage of a run, or the counts of the choices."""
        with self._lock:
            is_running, found = self.is_running, self._groups
            state: dict[str, Any] = {"running": is_running, "stage": self._stage, "error": self._error, "counts": None}
            if self.moves is not None:
                state["beside"] = visible(str(self.moves.beside))
                state["moved"] = [
                    [batch, tr("{time}, moved files: {count:,}", time=when, count=len(names)), names[:_LISTED]]
                    for batch, when, names in self.moves.batches()
                ]
            if self._passages is not None:
                state["passages"] = self._told_of(self._passages)
            if found is None or is_running:
                return state
            gone, counts = found.gone(), found.result.counts
            going = sum(map(len, gone))
            sizes = (self._stamps.get(found.path(at)) or (0, 0) for of in gone for at in of if self.is_folder)
            size = sum(size for size, _ in sizes)
            told = tr("{read:,} read, {groups:,} groups.", read=counts.read, groups=len(found.heads))
            told += " " + tr("{count:,} go.", count=going) + (f" ({readable_bytes(size)})" if size else "")
            if found.none:
                told += " " + tr("Of {count:,} groups none is kept.", count=len(found.none))
            if counts.failed:
                told += " " + tr("{count:,} could not be read.", count=counts.failed)
            failures = [text for _, _, text in found.result.failures()[:MEMBERS]]
            state["counts"] = {
                "groups": len(found.heads), "gone": going, "told": told,
                # Of the files that go, those in groups of the pages from each one on.
                "later": [going - before for before in [0, *accumulate(map(len, gone))][::GROUPS]], "page": GROUPS,
                "failures": [on_page(text) for text in failures],
                "notes": [on_page(text) for text in (*self._notes, *found.notes)],
                "name": "" if self.is_folder else new_name(self.place),
            }  # fmt: skip
            return state

    def _told_of(self, result: PassageResult) -> str:
        """Say what a run on passages has found and could not read."""
        numbers = result.summary
        told = [tr("{documents:,} of {read:,} texts share passages with an earlier one.", **numbers)]
        told += [tr("{count:,} could not be read.", count=numbers["failed"])] if numbers["failed"] else []
        return " ".join([*told, *map(on_page, self._notes)])

    def start(self, what: str, kind: str, limit: float, field: str, encoding: str) -> None:
        """Begin a run: of texts, of pictures, or on the passages that texts share."""
        with self._lock:
            if self.is_running:
                raise ConfigError("a run is under way: wait for its end, or cancel it")
            # A link that was made since the page was opened is not followed either.
            look = look_at(self.place)
            if what == PICTURES:
                files, settings = look.pictures, {"scheme": "dhash64", "max_distance": int(limit)}
            else:
                files = look.texts
                settings = {"encoding": encoding or "auto", "extract": look.extract(kind)}
                settings |= {"similarity": limit} | ({"kind": kind} if kind else {}) if what == TEXTS else {}
                if field:
                    settings |= {"text_field": [field]}
            source: Any = list(files)
            if self.is_folder and what != PICTURES:
                source, settings = (self.place, settings) if look.is_plain else (source, {**settings, "each": "file"})
            elif not self.is_folder:
                source = self.place
            if not files:
                raise ConfigError("there is nothing to compare: choose what there is")
            config = DedupConfig.from_settings(settings, drops=what != PASSAGES)
            fields = [name for name in look.fields if name != field][:_FIELDS]
            self._stamps = {path: stamp(path) for path in files}
            self._groups, self._passages, self._error, self._stage, self._notes = None, None, "", {}, []
            self._stops.clear()
            self._thread = threading.Thread(target=self._work, args=(what, source, config, fields), daemon=True)
            self._thread.start()

    def _work(self, what: str, source: Any, config: DedupConfig, fields: list[str]) -> None:
        show = JsonProgress(self._show)

        def progress(stage: str, done: int, total: int) -> None:
            if self._stops.is_set():
                raise _CancelledError
            show(stage, done, total)

        try:
            if what == PASSAGES:
                self._passages = run_passages(source, None, config, progress=progress, warn=self._note)
                return
            result = run_dedup(source, config, progress=progress, warn=self._note, tell=say_nothing)
            found = Groups(result, self.place, fields)
            with self._lock:
                self._groups = found
        except _CancelledError:
            self._error = tr("The run was cancelled: nothing has changed.")
        except (SimsieveError, OSError) as error:
            self._error = on_page(getattr(error, "message", str(error)))
        except Exception as error:  # noqa: BLE001 - whoever waits for the run has to know
            self._error = tr("the run failed: {why}", why=f"{type(error).__name__}: {error}")

    def _note(self, text: str) -> None:
        """Take a warning; the page has a table of files that are not read."""
        if not isinstance(text, Unread) or "counts_by" not in text.values:
            self._notes.append(text)

    def _show(self, line: str) -> None:
        told = json.loads(line)
        stage = str(told["stage"])
        self._stage = told | {"name": tr(stage)}

    def end(self) -> None:
        """End a run, and wait for it; what it had is gone."""
        self._stops.set()
        if self._thread is not None:
            self._thread.join()

    def close(self) -> None:
        """End the work under way, and close an index."""
        self.end()
        with self._lock:
            if self._index is not None:
                self._index.close()

    @property
    def groups(self) -> Groups:
        """The groups of the last run; an error if there is none."""
        found = self._groups
        if found is None:
            raise ConfigError("there is no run yet: start one")
        return found

    @property
    def passages(self) -> PassageResult:
        """The passages of the last run; an error if it was none on them."""
        if self._passages is None:
            raise ConfigError("there is no run yet: start one")
        return self._passages

    @property
    def run(self) -> int:
        """The number of the run whose groups there are; 0 where there are none."""
        return 0 if self._groups is None else self._groups.number

    def changed(self, work: Callable[[Groups], Any]) -> Any:
        """Change the kept files, one change at a time."""
        with self._lock:
            return work(self.groups)

    def move(self, where: str) -> dict[str, Any]:
        """Move the files that are not kept to the folder beside or to the bin; give what was done."""
        if self.moves is None or where not in (BESIDE, BIN):
            raise ConfigError("files of a folder are moved, to {beside} or {bin}", beside=BESIDE, bin=BIN)
        with self._lock:
            found, moves, refused, done = self.groups, self.moves, list[str](), 0
            batch = moves.new_batch()
            for head in found.heads:
                members = found.members(head)
                kept = [at for at in members if found.keep[at]]
                going = [found.path(at) for at in members if not found.keep[at]]
                if not any(self._is_same(found.path(at)) for at in kept) and head not in found.none:
                    refused += [_refused(path, tr("the kept one of its group has changed")) for path in going]
                    continue
                for path in going:
                    if not self._is_same(path):
                        refused.append(_refused(path, tr("it has changed since it was read")))
                        continue
                    try:
                        moves.move(path, where, batch)
                        done += 1
                    except (OSError, SimsieveError) as error:
                        refused.append(_refused(path, str(getattr(error, "strerror", None) or error)))
            self._groups = None
        place = tr("the bin") if where == BIN else visible(str(moves.beside))
        said = tr(
            "1 file was moved to {place}." if done == 1 else "{count:,} files were moved to {place}.",
            count=done, place=place,
        )  # fmt: skip
        return {"said": said, "refused": refused[:MEMBERS], "state": self.state()}

    def _is_same(self, path: Path) -> bool:
        """Whether a file is one that was listed, and is as it was when the run began."""
        return self._stamps.get(path) is not None and stamp(path) == self._stamps[path]

    def undo(self, batch: int, name: str | None = None) -> dict[str, Any]:
        """Put the files of a batch back, or one of them."""
        if self.moves is None:
            raise ConfigError("nothing was moved")
        with self._lock:
            done, refused = self.moves.undo(batch, name)
            self._groups = None
        said = tr("1 file is back." if done == 1 else "{count:,} files are back.", count=done)
        return {"said": said, "refused": [on_page(one) for one in refused[:MEMBERS]], "state": self.state()}

    def write(self, name: str) -> dict[str, Any]:
        """Write the kept records of a file to a new one beside it."""
        if self.is_folder:
            raise ConfigError("the files of a folder are moved; records of a file are written")
        if name != os.path.basename(name) or not name.strip() or name.startswith(".") or "\0" in name:
            raise ConfigError("{name} is no name of a file: give one without a folder", name=visible(name))
        with self._lock:
            return {"said": written_beside(self.groups.write, self.place.with_name(name)), "state": self.state()}


def written_beside(write: Callable[[Path], int], target: Path) -> str:
    """Write records to a file that is not there yet, and say it."""
    taken = Message("{path} is there already: give another name", path=str(target))
    if os.path.lexists(target):
        raise ConfigError(taken)
    with tempfile.TemporaryDirectory(prefix=".simsieve-", dir=target.parent) as folder:
        made = Path(folder, target.name)
        count = write(made)
        try:
            # A folder is not put over one that has something in it.
            made.rename(target) if made.is_dir() else new_file(made, target)
        except FileExistsError:
            raise ConfigError(taken) from None
    return tr("{count:,} records are in {path}", count=count, path=visible(str(target)))


def new_name(place: Path) -> str:
    """Give a name beside a file or a folder that nothing has."""
    stem, *endings = place.name.split(".")
    for number in range(1, 1000):
        name = ".".join([stem, "kept" if number == 1 else f"kept-{number}", *endings])
        if not os.path.lexists(place.with_name(name)):
            break
    return name


def _refused(path: Path, why: str) -> str:
    return visible(f"{path}: {why}")
