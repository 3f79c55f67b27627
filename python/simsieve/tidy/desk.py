"""A person's work in a browser: a look, a run, groups, and what becomes of the files and records that are not kept."""

import json
import os
import tempfile
import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from simsieve.config.settings import DedupConfig
from simsieve.config.words import in_words
from simsieve.display import cut, likeness, readable_bytes
from simsieve.errors import ConfigError, SimsieveError, TooManyPairsError
from simsieve.evaluate.review import shown_values
from simsieve.index import Index
from simsieve.messages import Message, tr
from simsieve.progress import JsonProgress
from simsieve.results import tables
from simsieve.results.arrow import KEPT, grouped, heads
from simsieve.results.dedup import DedupResult
from simsieve.results.texts import Texts
from simsieve.review.cards import Cards, card_of
from simsieve.run.against import index_named
from simsieve.run.pipeline import run_dedup, say_nothing
from simsieve.screen import visible
from simsieve.sinks.checks import Sinks
from simsieve.sinks.kept import Kept
from simsieve.sources.folders import Unread
from simsieve.tidy.looking import look_at, proposal
from simsieve.tidy.moves import BESIDE, BIN, Moves, Stamp, new_file, stamp

GROUPS, MEMBERS = 20, 100
"""Groups of a page, and files or records of a group, that are shown at most."""
TEXTS, PICTURES = "texts", "pictures"
_PREVIEW = 300
"""Characters of a text that are shown in a group."""
_LISTED = 1000
"""Files of a move that are listed."""
_MOST_LINKS = 200_000
"""Near pairs among which links of groups are looked for."""


class _CancelledError(Exception):
    """A person has ended the run."""


class Groups:
    """The groups of a run, and what is kept of each.

    Args:
        result: The run.
        place: The folder or the file.
    """

    def __init__(self, result: DedupResult, place: Path) -> None:
        self.result = result
        self._run, self._columns = result.with_sources()
        self.cards = Cards(result, ())
        self._root = place if place.is_dir() else None
        self._texts = Texts(self._run.documents, self._run.schemes[0], len(self._columns), self._run.rows.picture)
        paths = [Path(path) for path, _ in self._run.store.sources]
        # Names of documents begin behind the folder that they have in common.
        self._base = place if [place] == paths else Path(os.path.commonpath([one.parent for one in paths] or [place]))
        self.of = heads(self._columns.decision, self._columns.representative)
        positions = np.flatnonzero(self.of >= 0)
        self._members = grouped(self.of[positions], positions, 2)
        self.heads = sorted(self._members, key=lambda head: -len(self._members[head]))
        self.keep = self._columns.decision == KEPT
        self.none: set[int] = set()
        self._by_hand: set[int] = set()
        """Groups that a person has changed; a rule for all leaves them as they are."""
        self.notes: list[str] = []
        if self._is_pictures:
            # Of copies of one picture the largest is the original.
            self.apply("longest", "", least=False)

    def members(self, head: int) -> list[int]:
        """Give the positions of a group; an error if there is none of the number."""
        if head not in self._members:
            raise ConfigError("there is no group {number}", number=head)
        return self._members[head]

    def path(self, position: int) -> Path:
        """Give the file of a document of a folder."""
        return self._base / str(self._run.documents.id(position))

    def name(self, position: int) -> str:
        """Give the name of a record, or the path of a file in the folder."""
        if self._root is None:
            # Records without a label are counted as people count.
            is_known = self._run.documents.id(position) is not None
            return self.cards.name(position) if is_known else tr("record {number}", number=position + 1)
        return visible(str(self.path(position).relative_to(self._root)))

    def gone(self) -> list[int]:
        """Give the positions of groups that are not kept."""
        return [at for head in self.heads for at in self._members[head] if not self.keep[at]]

    def check(self, position: int, *, keeps: bool) -> int:
        """Keep a member or not, and give its group; its last one stays unless none of the group is to be kept."""
        head = int(self.of[position]) if 0 <= position < len(self.of) else -1
        members = self.members(head)
        if not keeps and head not in self.none and not self.keep[[one for one in members if one != position]].any():
            raise ConfigError("one of a group is kept: check another one first, or choose to keep none of this group")
        if keeps:
            self.none.discard(head)
        self.keep[position] = keeps
        self._by_hand.add(head)
        return head

    def keep_none(self, head: int, *, none: bool) -> None:
        """Keep none of a group, which only a person may choose, or the proposed one again."""
        members = self.members(head)
        self._by_hand.add(head)
        (self.none.add if none else self.none.discard)(head)
        self.keep[members] = False
        self.keep[head] = not none

    def keep_all(self, head: int) -> None:
        """Keep each member of a group."""
        self.keep[self.members(head)] = True
        self.none.discard(head)
        self._by_hand.add(head)

    def apply(self, rule: str, field: str, *, least: bool) -> None:
        """Keep of each group the best by a rule, and those not near that one; a member without a value is no best.

        Groups that were changed by hand stay.
        """
        values, ordered = self._values(rule, field), list[list[int]]()
        for head in (one for one in self.heads if one not in self._by_hand):
            known = [at for at in self._members[head] if values(at)] or self._members[head]
            # Of equal ones the first is the best.
            best = min(known, key=values) if least else max(known, key=values)
            ordered.append([best, *(one for one in self._members[head] if one != best)])
        self.keep[self._drop_of(ordered)] = False

    def _values(self, rule: str, field: str) -> Callable[[int], tuple[Any, ...]]:
        """What a rule orders the members by; nothing for a missing value."""
        if rule == "longest" and not self._is_pictures:
            return lambda at: (len(self._texts.text(at)),)
        if rule in {"longest", "newest"}:
            return lambda at: (stamp(self.path(at)) or (0, 0))[rule == "newest" :][:1]
        if rule == "first":
            return lambda at: (-at,)
        if rule != "field" or not field:
            raise ConfigError("rule {rule} is not known: allowed are longest, newest, first and field", rule=rule)
        read = shown_values(self.result, np.array([at for one in self._members.values() for at in one]), [field])

        def value(at: int) -> tuple[Any, ...]:
            found = read.get(at, {}).get(field)
            try:
                return () if found is None else (float(found), "")
            except (TypeError, ValueError):
                return (0.0, str(found))

        return value

    @property
    def _is_pictures(self) -> bool:
        return self.result.config.has_pictures

    def _drop_of(self, ordered: Sequence[Sequence[int]]) -> list[int]:
        """Decide in each group again, its first one first: what is near no kept one is kept too."""
        self.keep[[at for members in ordered for at in members]] = True
        if self._is_pictures:
            most, values = self.result.config.max_distance or 0, self._run.documents.values[:, 0]
            return [
                at for best, *others in ordered for at in others if int(values[best] ^ values[at]).bit_count() <= most
            ]  # fmt: skip
        rows = [{"text": self._texts.text(at), "group": number} for number, one in enumerate(ordered) for at in one]
        positions = [at for members in ordered for at in members]
        config = replace(
            self.result.config, text_field=("text",), id_field="id", each=None, keep=("first",), sample=0, limit=None,
            block_by=("group",), extract="none", encoding="utf-8",
        )  # fmt: skip
        columns = run_dedup(rows, config, warn=say_nothing, tell=say_nothing).with_sources()[1]
        return [at for at, decision in zip(positions, columns.decision.tolist(), strict=True) if decision != KEPT]

    def shown(self, start: int) -> list[dict[str, Any]]:
        """Give what the page shows of some groups."""
        return [self.group(head) for head in self.heads[max(start, 0) : max(start, 0) + GROUPS]]

    def group(self, head: int) -> dict[str, Any]:
        """Give what the page shows of a group."""
        members = self.members(head)
        first = [head, *(one for one in members if one != head)][:MEMBERS]
        linked = [self.name(one) for one in sorted(self._links.get(head, ()))[:MEMBERS]]
        return {
            "head": head, "size": len(members), "none": head in self.none, "linked": linked,
            "left": len(members) - len(first), "members": [self._member(at, head) for at in first],
        }  # fmt: skip

    def _member(self, at: int, head: int) -> dict[str, Any]:
        picture = (self._texts.pictures(at) or [None])[0]
        text = "" if self._is_pictures else self._texts.text(at)
        return {
            "position": at, "name": self.name(at), "kept": bool(self.keep[at]), "picture": picture,
            "text": visible(cut(text, _PREVIEW)), "letters": len(text),
            "why": "" if at == head else self.cards.why(at, head),
        }  # fmt: skip

    @cached_property
    def _links(self) -> Mapping[int, set[int]]:
        """The groups that have near texts in one another; none, which the page says, where there are too many pairs."""
        found: dict[int, set[int]] = {}
        try:
            pairs = self._run.documents.pairs(_MOST_LINKS, threads=self.result.config.threads)
        except TooManyPairsError:
            self.notes.append(tr("There are too many near pairs to look which groups are linked."))
            return found
        a, b = self.of[pairs[0]], self.of[pairs[1]]
        for one, other in zip(a[a != b].tolist(), b[a != b].tolist(), strict=True):
            found.setdefault(one, set()).add(other)
            found.setdefault(other, set()).add(one)
        return found

    def pair(self, position: int) -> dict[str, Any]:
        """Show a member beside one that is kept of its group; one that is kept beside one that goes, if any does."""
        members = self.members(int(self.of[position]) if 0 <= position < len(self.of) else -1)
        others = [one for one in (int(self.of[position]), *members) if one != position]
        other = next((one for one in others if self.keep[one] != self.keep[position]), others[0])
        a, b = (position, other) if self.keep[position] else (other, position)
        stays = {True: tr("stays: {name}"), False: tr("goes: {name}")}
        names = [stays[bool(self.keep[one])].format(name=self.name(one)) for one in (a, b)]
        return self.cards.beside(a, b) | {"names": names}

    def write(self, sink: Path) -> int:
        """Write what is kept, byte for byte, and give how many records that are."""
        sinks = Sinks(sink)
        kept = Kept.of(self._run.sinks, self._run.rows.given_names, sinks.files, self.result.config)
        kept.open(self._run.store)
        with tables.writing_kept(self._run, self._columns, sinks.files, kept, self.keep) as write:
            write(None)
        return int(self.keep.sum())


class Desk:
    """The work on a folder, a file or an index, of one person.

    Args:
        place: What it is; nothing else is read or written, but a folder or a file beside it and the bin.
        kind: The kind of its texts, where it is known.
    """

    def __init__(self, place: Path, kind: str | None = None) -> None:
        self.place = place.resolve(strict=True)
        is_index = index_named(self.place) is not None
        self._index = Index.open(self.place) if is_index else None
        self.is_folder = self.place.is_dir() and not is_index
        self._kind = kind
        self.moves = Moves(self.place) if self.is_folder else None
        self._groups: Groups | None = None
        self._lock = threading.RLock()
        self._stage: dict[str, Any] = {}
        self._error, self._notes = "", list[str]()
        self._thread: threading.Thread | None = None
        self._stops = threading.Event()
        self._stamps: dict[Path, Stamp | None] = {}

    def look(self) -> dict[str, Any]:
        """List what is there, and propose a kind."""
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
                (match.text, text), (visible(str(match.id)), tr("your text")),
                why=likeness(match.similarity, match.distance),
            )
            for match in self._index.query(text)
        ]  # fmt: skip

    def state(self) -> dict[str, Any]:
        """Say how far the work is: the stage of a run, or the counts of the choices."""
        with self._lock:
            is_running = self._thread is not None and self._thread.is_alive()
            found = self._groups
            state: dict[str, Any] = {"running": is_running, "stage": self._stage, "error": self._error, "counts": None}
            if self.moves is not None:
                state["beside"] = visible(str(self.moves.beside))
                state["moved"] = [
                    [batch, tr("{time}: {count:,} files were moved", time=when, count=len(names)), names[:_LISTED]]
                    for batch, when, names in self.moves.batches()
                ]
            if found is None or is_running:
                return state
            gone, counts = found.gone(), found.result.counts
            sizes = (self._stamps.get(found.path(at)) or (0, 0) for at in gone if self.is_folder)
            size = sum(size for size, _ in sizes)
            told = tr("{read:,} read, {groups:,} groups.", read=counts.read, groups=len(found.heads))
            told += " " + tr("{count:,} go.", count=len(gone)) + (f" ({readable_bytes(size)})" if size else "")
            if found.none:
                told += " " + tr("Of {count:,} groups none is kept.", count=len(found.none))
            if counts.failed:
                told += " " + tr("{count:,} could not be read.", count=counts.failed)
            failures = [text for _, _, text in found.result.failures()[:MEMBERS]]
            state["counts"] = {
                "groups": len(found.heads), "gone": len(gone), "told": told,
                "failures": [visible(in_words(text)) for text in failures],
                "notes": [visible(in_words(text)) for text in (*self._notes, *found.notes)],
                "name": "" if self.is_folder else new_name(self.place),
            }  # fmt: skip
            return state

    def start(self, what: str, kind: str, limit: float, field: str) -> None:
        """Begin a run: of texts, or of pictures."""
        with self._lock:
            if self._thread is not None and self._thread.is_alive():
                raise ConfigError("a run is under way: wait for its end, or cancel it")
            # A link that was made since the page was opened is not followed either.
            look = look_at(self.place)
            if what == PICTURES:
                files, settings = look.pictures, {"scheme": "dhash64", "max_distance": int(limit)}
            else:
                files = look.texts
                settings = {"similarity": limit, "encoding": "auto", "extract": look.extract(kind)}
                settings |= {"kind": kind} if kind else {}
                if field:
                    settings |= {"text_field": [field]}
            source: Any = list(files)
            if self.is_folder and what != PICTURES:
                source, settings = (self.place, settings) if look.is_plain else (source, {**settings, "each": "file"})
            elif not self.is_folder:
                source = self.place
            if not files:
                raise ConfigError("there is nothing to compare: choose what there is")
            config = DedupConfig.from_settings(settings, drops=True)
            self._stamps = {path: stamp(path) for path in files}
            self._groups, self._error, self._stage, self._notes = None, "", {}, []
            self._stops.clear()
            self._thread = threading.Thread(target=self._work, args=(source, config), daemon=True)
            self._thread.start()

    def _work(self, source: Any, config: DedupConfig) -> None:
        show = JsonProgress(self._show)

        def progress(stage: str, done: int, total: int) -> None:
            if self._stops.is_set():
                raise _CancelledError
            show(stage, done, total)

        try:
            result = run_dedup(source, config, progress=progress, warn=self._note, tell=say_nothing)
            found = Groups(result, self.place)
            with self._lock:
                self._groups = found
        except _CancelledError:
            self._error = tr("The run was cancelled: nothing has changed.")
        except (SimsieveError, OSError) as error:
            self._error = visible(in_words(getattr(error, "message", str(error))))
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

    def cancel(self) -> None:
        """End a run; what it had is gone."""
        self._stops.set()

    def end(self) -> None:
        """End a run, and wait for it."""
        self.cancel()
        if self._thread is not None:
            self._thread.join()

    def close(self) -> None:
        """End what is under way, and close an index."""
        self.end()
        if self._index is not None:
            self._index.close()

    @property
    def groups(self) -> Groups:
        """The groups of the last run; an error if there is none."""
        found = self._groups
        if found is None:
            raise ConfigError("there is no run yet: start one")
        return found

    def changed(self, work: Callable[[Groups], Any]) -> Any:
        """Change what is kept, one change at a time."""
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
        return {
            "said": tr(
                "{count:,} files were moved to {place}.",
                count=done,
                place=tr("the bin") if where == BIN else visible(str(moves.beside)),
            ),
            "refused": refused[:MEMBERS],
            "state": self.state(),
        }

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
        told = [visible(in_words(one)) for one in refused[:MEMBERS]]
        return {"said": tr("{count:,} files are back.", count=done), "refused": told, "state": self.state()}

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
