"""A review of a run that people hold in a browser: its queue, its verdicts, and what they come to."""

import tempfile
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from simsieve.config.pair_rows import PairRow
from simsieve.config.verdicts import WORDS, rows_of
from simsieve.config.words import in_words
from simsieve.errors import ConfigError, SimsieveError
from simsieve.evaluate.review import bands_of, precision_by
from simsieve.messages import Message, tr
from simsieve.results.dedup import DedupResult
from simsieve.review.cards import Cards
from simsieve.review.queue import ORDERS, Queue, View, Wanted
from simsieve.review.verdicts import SKIPPED, Change, Entry, Key, Taken, VerdictLog, Verdicts, is_wrong
from simsieve.screen import visible
from simsieve.sinks.base import SinkPath

MOST_OF_AN_ITEM = 20
"""Near duplicates of one document that are shown at a time."""
_CLAIMED_SECONDS = 120.0
"""How long another person is not sent to the document that one looks at."""
_MOST_VALUES = 200
"""Values of a field that are offered as a filter."""

Rerun = Callable[[SinkPath], DedupResult]
"""Decides again with a table of verdicts; nothing is written."""


@dataclass(frozen=True, slots=True)
class Ending:
    """The end of a review: `apply` takes its table of verdicts, or None, and returns the sentence to show."""

    apply: Callable[[SinkPath | None], str]
    button: Callable[[], str]
    needs_verdict: bool = False
    none: str = ""


@dataclass(frozen=True, slots=True)
class Effects:
    """What the next run would do otherwise with the verdicts up to a number of the log."""

    number: int
    kept_before: int
    kept: int | None = None
    error: str | None = None


class Reviewing:
    """A review of the near duplicates of a run, for any number of people at once."""

    def __init__(
        self, result: DedupResult, log: Path, show: Sequence[str], rerun: Rerun, table: SinkPath, ending: Ending
    ) -> None:
        self._result, self._rerun, self._table = result, rerun, table
        self.log, self.ending = log, ending
        self.cards = Cards(result, show)
        self.near, self._bands = self.cards.near, bands_of(result)
        self.queue = Queue(self.near, self._bands, result.config.seed, self.cards.columns())
        self.queue.view(Wanted())
        self.verdicts = Verdicts(VerdictLog(log), result.with_sources()[0].documents, self._first)
        self._taken_in = 0
        self._judged: dict[int, Entry] = {}
        self._seen: set[int] = set()
        self._claims: dict[int, tuple[str, float]] = {}
        self._lock = threading.RLock()
        self._effects: Effects | None = None
        self._busy = threading.Lock()
        # The next run gets those of this one again.
        self.take(rows_of(result.config.verdicts), "")
        self.refresh()

    def take(self, rows: Sequence[PairRow], person: str) -> Taken:
        """Take over checked verdicts on pairs that the log does not have."""
        with self._lock:
            self.refresh()
            return self.verdicts.take(rows, person)

    def close(self) -> None:
        """Close the log, which is one file then."""
        self.verdicts.close()

    def refresh(self) -> None:
        """Take in what this process and others have written."""
        with self._lock:
            self.verdicts.refresh()
            new = self.verdicts.changes[self._taken_in :]
            self._taken_in += len(new)
            for change in new:
                at = self._at(change.key)
                if at is None:
                    continue
                self._judged.pop(at, None)
                self._seen.discard(at)
                if change.entry is not None:
                    self._seen.add(at)
                    if change.entry.verdict != SKIPPED:
                        self._judged[at] = change.entry

    def changes(self, after: int) -> dict[str, Any]:
        """Give the pairs whose verdict has changed since a number of the log, and the state."""
        self.refresh()
        with self._lock:
            new: list[Change] = []
            for change in reversed(self.verdicts.changes):
                if change.number <= after:
                    break
                new.append(change)
            pairs = {
                str(self.near.position[at]): self._said(at) for one in new if (at := self._at(one.key)) is not None
            }
            return {"pairs": pairs, "state": self.state()}

    def state(self) -> dict[str, Any]:
        """Give the counts, the precision and the effects so far."""
        self.refresh()
        with self._lock:
            number = self.verdicts.changes[-1].number if self.verdicts.changes else 0
            words = [entry.verdict for entry in self._judged.values()]
            others = sum(1 for _ in self.verdicts.in_force()) - len(words)
            precision = precision_by(self._bands, {at: not is_wrong(entry) for at, entry in self._judged.items()})
            effects = self._effects
        state: dict[str, Any] = {
            "number": number, "judged": len(words), "near": len(self.near), "items": len(self.queue),
            "others": others, "precision": precision.text,
            "verdicts": {word: words.count(word) for word in WORDS},
        }  # fmt: skip
        wrong, kept = words.count("different"), words.count("keep b")
        state["about"] = tr(
            "Different: {wrong:,}; at most so many more documents would stay. Kept in place of their representative:"
            " {kept:,}.",
            wrong=wrong, kept=kept,
        )  # fmt: skip
        if state["others"]:
            state["about"] += " " + tr("Verdicts on other pairs than these: {others:,}.", others=state["others"])
        if self._busy.locked():
            state["effects"] = tr("The run is decided again ...")
        elif effects is not None:
            state["effects"] = _effects_text(effects, is_new=effects.number == number)
        return state

    def item(self, wanted: Wanted, person: str, *, rank: int | None = None, after: int = 0) -> dict[str, Any]:
        """Give the document at a place of the queue, or the first one from a place on that has a pair to judge."""
        self.refresh()
        view = self.queue.view(wanted)
        total = len(view.items)
        if not total:
            return {"total": 0, "rank": 0, "pairs": []}
        if rank is None:
            rank = self._open(view, min(max(after, 0), total - 1), person)
        rank = min(max(rank, 0), total - 1)
        item = int(view.items[rank])
        with self._lock:
            self._claims[item] = (person, time.monotonic())
        return {"total": total, "rank": rank} | self._shown(item, view, 0)

    def more(self, wanted: Wanted, rank: int, start: int) -> dict[str, Any]:
        """Give further near duplicates of the document at a place."""
        view = self.queue.view(wanted)
        if not 0 <= rank < len(view.items):
            raise ConfigError("rank {rank} is outside 0 to {last}", rank=rank, last=len(view.items) - 1)
        return self._shown(int(view.items[rank]), view, max(start, 0))

    def judge(self, position: int, verdict: str, seen: int, person: str) -> dict[str, Any]:
        """Give a verdict on a near duplicate; it is on the disk when this returns."""
        self.refresh()
        at = self.queue.at(position)
        if at is None:
            raise ConfigError("position {position} is of no near duplicate of the run", position=position)
        if verdict not in (*WORDS, SKIPPED):
            raise ConfigError(
                "verdict {word} is unknown: allowed are {words}", word=verdict, words=", ".join((*WORDS, SKIPPED))
            )
        if verdict == "keep b" and self.cards.is_old(at):
            raise ConfigError("an old document is never dropped: say same or different")
        with self._lock:
            last = self.verdicts.of(self._key(at))
            if last is not None and last.number > seen:
                stale = Message(
                    "{person} has said {verdict} of this pair meanwhile: look, and judge it again to change it",
                    person=last.person or "?", verdict=last.verdict,
                )  # fmt: skip
                raise ConfigError(stale.with_id("review.stale"))
            key, first = self._key(at), self.cards.positions(at)[0]
            self.verdicts.add(key, first, self.cards.naming(at), verdict, person)
        self.refresh()
        return {"pair": self._said(at), "state": self.state()}

    def undo(self, wanted: Wanted, person: str) -> dict[str, Any]:
        """Undo a person's last verdict, and say where its pair is in the queue."""
        self.refresh()
        with self._lock:
            key = self.verdicts.undo(person)
        self.refresh()
        at = None if key is None else self._at(key)
        state = self.state()
        if at is None:
            return {"state": state, "rank": None, "position": None, "is_undone": key is not None}
        rank = self.queue.view(wanted).rank_of(self.queue.item_of(at))
        position = int(self.near.position[at])
        return {"state": state, "rank": rank, "position": position, "pair": self._said(at), "is_undone": True}

    def filters(self) -> dict[str, Any]:
        """Give what the queue can be filtered by."""
        sources = self.cards.sources
        return {
            "orders": list(ORDERS), "sources": sources if len(sources) > 1 else [], "fields": list(self.cards.show),
            "by_bits": bool(len(self.near)) and bool(np.isnan(self.near.similarity).all()),
        }  # fmt: skip

    def values(self, field: str) -> dict[str, Any]:
        """Give the commonest values of a field among the near duplicates."""
        names, codes = self.cards.of_field(field)
        counts = np.bincount(codes.astype(np.int64), minlength=len(names))
        order = np.argsort(-counts, kind="stable")[:_MOST_VALUES].tolist()
        return {"values": [names[at] for at in order], "left_out": len(names) - len(order)}

    def wanted(self, given: Mapping[str, str]) -> Wanted:
        """Read a filter from its names and values."""
        ranges: list[tuple[str, float, float]] = []
        for name in ("similarity", "distance", "lost", "length"):
            ends = [_number(f"{name}_{end}", given.get(f"{name}_{end}", "")) for end in ("from", "to")]
            if ends != [None, None]:
                low, high = (-np.inf if ends[0] is None else ends[0]), (np.inf if ends[1] is None else ends[1])
                ranges.append((name, low, high))
        field, value = given.get("field", ""), given.get("value", "")
        if field:
            names, _ = self.cards.of_field(field)
            code = names.index(value) if value in names else -1
            ranges.append((f"field {field}", code, code))
        source = _number("source", given.get("source", ""))
        return Wanted(
            given.get("order") or ORDERS[0], None if source is None else int(source), field, value, tuple(ranges)
        )

    def table(self, sink: SinkPath) -> int:
        """Write the verdicts in force as a table that `--verdicts` takes, and give their number."""
        self.refresh()
        with self._lock:
            return self.verdicts.write(sink, safe=self._result.config.safe_cells)

    def work_out(self) -> dict[str, Any]:
        """Decide again with the verdicts, keep what would be otherwise, and give the state; one at a time."""
        if not self._busy.acquire(blocking=False):
            return {"state": self.state()}
        number = self.state()["number"]
        before = self._result.counts.kept
        try:
            with tempfile.TemporaryDirectory() as folder:
                sink = Path(folder, "verdicts.csv")
                kept = self._rerun(sink).counts.kept if self.table(sink) else before
            self._effects = Effects(number, before, kept)
        except SimsieveError as error:
            self._effects = Effects(number, before, error=in_words(error.message))
        finally:
            self._busy.release()
        return {"state": self.state()}

    def apply(self) -> str:
        """Write the table, do with it what the review is for, and say it."""
        count = self.table(self._table)
        if not count and self.ending.needs_verdict:
            raise ConfigError("there is no verdict to apply: judge a pair first")
        return self.ending.apply(self._table if count else None)

    def _open(self, view: View, after: int, person: str) -> int:
        """The first place from one on where something is to be judged and nobody else is, or the place itself."""
        now, total = time.monotonic(), len(view.items)
        taken = None
        for step in range(total):
            rank = (after + step) % total
            item = int(view.items[rank])
            if self._seen.issuperset(self.queue.members(item, view).tolist()):
                continue
            by, since = self._claims.get(item, (person, now))
            if by == person or now - since > _CLAIMED_SECONDS:
                return rank
            taken = rank if taken is None else taken
        return after if taken is None else taken

    def _shown(self, item: int, view: View, start: int) -> dict[str, Any]:
        every = self.queue.members(item, view)
        members = every[start : start + MOST_OF_AN_ITEM].tolist()
        shown = [card | self._said(at) for at, card in zip(members, self.cards.cards(members), strict=True)]
        name = self.cards.name(int(self.queue.heads[item]))
        return {"name": name, "size": len(every), "left": len(every) - start - len(members), "pairs": shown}

    def _first(self, key: Key) -> int | None:
        at = self._at(key)
        return None if at is None else self.cards.positions(at)[0]

    def _said(self, at: int) -> dict[str, Any]:
        """What was said of a near duplicate, by whom, and at which number of the log."""
        with self._lock:
            entry = self.verdicts.of(self._key(at))
        if entry is None:
            return {"verdict": "", "person": "", "number": 0}
        return {"verdict": entry.verdict, "person": visible(entry.person), "number": entry.number}

    def _key(self, at: int) -> Key:
        a, b = self.cards.positions(at)
        return min(a, b), max(a, b)

    def _at(self, key: Key) -> int | None:
        """The near duplicate that a pair is; None where the run did not drop one for the other."""
        for dropped in key:
            at = self.queue.at(dropped) if isinstance(dropped, int) else None
            if at is not None and self._key(at) == key:
                return at
        return None


def _effects_text(effects: Effects, *, is_new: bool) -> str:
    """What a second decision has found; `is_new` where no verdict was given since."""
    if effects.kept is None:
        return effects.error or ""
    more = effects.kept - effects.kept_before
    values = {"count": abs(more), "before": effects.kept_before, "kept": effects.kept}
    if more >= 0:
        text = tr("{count:,} more would stay: {kept:,} documents in place of {before:,}", **values)
    else:
        text = tr("{count:,} fewer would stay: {kept:,} documents in place of {before:,}", **values)
    return text if is_new else f"{text} {tr('(before the last verdicts)')}"


def _number(name: str, text: str) -> float | None:
    if not text.strip():
        return None
    try:
        found = float(text)
    except ValueError:
        found = float("nan")
    if found != found:  # noqa: PLR0124 - only NaN differs from itself
        raise ConfigError("{name} {text} is no number: give one, or leave it empty", name=name, text=text)
    return found
