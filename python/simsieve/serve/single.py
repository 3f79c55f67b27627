"""Single texts of many callers, done together: questions in one look at the index, additions in one durable change.

Each has the answer that it would have alone. What a neighbour in the group changes is known from the decision: of a
question it is asked again alone, and additions with such neighbours are not put into one group.
"""

import asyncio
import time
from collections import deque
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

from simsieve import _core
from simsieve.errors import ServiceError, SimsieveError
from simsieve.index import Index, IndexBatch
from simsieve.messages import Message
from simsieve.serve.bodies import Row
from simsieve.serve.metrics import log
from simsieve.types import Decision

_GROUP, _GROUP_BYTES = 64, 1 << 14
"""Texts of a group of questions, and their characters: so few are done by the thread that asks."""
_ADDED = 512
"""Additions of a group."""
_SMALL = 200_000
"""Documents of an index whose search keys are made anew without being asked: it takes seconds."""


@dataclass(eq=False, slots=True)
class Job:
    """A text that waits for its answer."""

    text: str
    id: Any
    done: asyncio.Future[Any]
    on_known_id: str = "replace"


def _give(answers: Iterable[tuple[asyncio.Future[Any], Any]]) -> None:
    """Hand answers and errors to those who wait for them."""
    for done, answer in answers:
        if done.done():
            continue
        if isinstance(answer, BaseException):
            done.set_exception(answer)
        else:
            done.set_result(answer)


class Questions:
    """Checks of single texts."""

    def __init__(self, index: Index, pool: ThreadPoolExecutor, threads: int) -> None:
        self._index, self._pool, self._free = index, pool, threads
        self._waiting: deque[Job] = deque()
        self._loop = asyncio.get_running_loop()

    def ask(self, text: str, id: Any) -> asyncio.Future[Decision]:
        """Ask, and give what the decision will be in."""
        done: asyncio.Future[Decision] = self._loop.create_future()
        self._waiting.append(Job(text, id, done))
        self._start()
        return done

    def __len__(self) -> int:
        """Count those that wait."""
        return len(self._waiting)

    def _start(self) -> None:
        while self._waiting and self._free:
            group: list[Job] = []
            size = 0
            while self._waiting and len(group) < _GROUP:
                size += len(self._waiting[0].text)
                if group and size > _GROUP_BYTES:
                    break
                job = self._waiting.popleft()
                if not job.done.done():
                    group.append(job)
            if group:
                self._free -= 1
                self._pool.submit(self._answer, group)

    def _answer(self, group: list[Job]) -> None:
        """Decide on a group, in a thread of the pool."""
        try:
            answers: Sequence[Any] = decided(self._index, [(job.text, job.id) for job in group])
        except BaseException as error:  # noqa: BLE001 - the caller gets it
            answers = [error] * len(group)
        self._loop.call_soon_threadsafe(self._answered, group, answers)

    def _answered(self, group: list[Job], answers: Sequence[Any]) -> None:
        self._free += 1
        _give((job.done, answer) for job, answer in zip(group, answers, strict=True))
        self._start()


def decided(index: Index, asked: Sequence[tuple[str, Any]]) -> list[Decision | BaseException]:
    """Decide on each text as if it were alone."""
    try:
        together = index.check_texts([text for text, _ in asked])
    except SimsieveError as error:
        if len(asked) == 1:
            return [error]
        # One of them is at fault, and which one is known when each is asked alone.
        return [answer for one in asked for answer in decided(index, [one])]
    answers: list[Decision | BaseException] = []
    seen = set()
    for decision, (text, label) in zip(together, asked, strict=True):
        mark = repr((decision.representative, decision.distance, decision.similarity))
        # An exact copy of a neighbour has the same representative; alone it would be near that one, not exact.
        is_copy = decision.reason == "exact" and mark in seen
        seen.add(mark)
        is_changed = decision.representative_collection == "new" or is_copy
        answers.append(as_single(index.check_texts([text])[0] if is_changed else decision, label))
    return answers


def as_single(decision: Decision, id: Any, representative: Any = None) -> Decision:
    """A decision as that of a text alone; `representative` is the id of a neighbour that represents it."""
    of = decision
    if of.decision != "dropped":
        reason = "unique" if of.reason == "representative" else of.reason
        return Row(0, id, of.decision, None, None, None, None, None, reason)
    if of.representative_collection == "old":
        representative = of.representative
    return Row(
        0, id, "dropped", representative, None, of.distance, of.similarity, of.measure, of.reason, of.lost, of.conflict,
        representative_collection="old",
    )  # fmt: skip


def as_added(decision: Decision) -> Decision:
    """A decision on a document that is in the index as it is: what represents itself is kept."""
    if decision.decision != "dropped" or decision.id is None or decision.representative != decision.id:
        return decision
    return Row(decision.position, decision.id, "kept", None, None, None, None, None, "unique")


class Writer:
    """All changes of an index, one after another in a thread of its own."""

    def __init__(self, index: Index, committed: Callable[[float, int], None], *, is_closed: bool = False) -> None:
        self._index, self._committed, self._is_closed = index, committed, is_closed
        self._pool = ThreadPoolExecutor(1, thread_name_prefix="writer")
        self._waiting: deque[Job | tuple[Callable[[], Any], asyncio.Future[Any]]] = deque()
        self._loop = asyncio.get_running_loop()
        self._is_busy = False

    def __len__(self) -> int:
        """Count the changes that wait."""
        return len(self._waiting)

    def add(self, text: str, id: Any, on_known_id: str) -> asyncio.Future[IndexBatch]:
        """Add one text; what it came to is in the future when it is on the disk."""
        done: asyncio.Future[IndexBatch] = self._loop.create_future()
        self._put(Job(text, id, done, on_known_id))
        return done

    def do(self, change: Callable[[], Any]) -> asyncio.Future[Any]:
        """Do another change, which shares its commit with nobody."""
        done: asyncio.Future[Any] = self._loop.create_future()
        self._put((change, done))
        return done

    def check(self) -> None:
        """Refuse a change of an index that is served for reading."""
        if self._is_closed:
            raise ServiceError(
                Message("the index is served for reading alone, and this would change it"), code="read_only"
            )

    def close(self) -> None:
        """Do what waits, and end."""
        self._pool.shutdown()

    def _put(self, job: Job | tuple[Callable[[], Any], asyncio.Future[Any]]) -> None:
        self.check()
        self._waiting.append(job)
        self._start()

    def _start(self) -> None:
        if self._waiting and not self._is_busy:
            self._is_busy = True
            self._pool.submit(self._work)

    def _rested(self) -> None:
        self._is_busy = False
        self._start()

    def _work(self) -> None:
        """Do what waits, in the writer's thread."""
        try:
            while self._waiting:
                self._do([self._waiting.popleft() for _ in range(min(_ADDED, len(self._waiting)))])
        finally:
            self._loop.call_soon_threadsafe(self._rested)

    def _do(self, jobs: list[Job | tuple[Callable[[], Any], asyncio.Future[Any]]]) -> None:
        group: list[Job] = []
        keys: set[str] = set()
        for job in jobs:
            own = keys_of(job) if isinstance(job, Job) else set()
            if not own or own & keys:
                self._commit(group)
                group, keys = [], set()
            if not isinstance(job, Job):
                self._give([(job[1], self._done(job[0], 1))])
            elif job.id is not None and job.id in self._index:
                # What becomes of the document with this id is told of the whole change: it has one of its own.
                self._commit(group)
                group, keys = [], set()
                self._commit([job])
            else:
                group.append(job)
                keys |= own
        self._commit(group)

    def _commit(self, group: list[Job]) -> None:
        """Add a group of texts by one durable change."""
        if not group:
            return
        texts, ids = [job.text for job in group], [job.id for job in group]
        known = group[0].on_known_id
        added = self._done(lambda: self._index.add_texts(texts, ids, on_known_id=known), len(group))
        if isinstance(added, SimsieveError) and len(group) > 1:
            for job in group:
                self._commit([job])
            return
        if isinstance(added, BaseException):
            self._give([(job.done, added) for job in group])
            return
        self._give([(job.done, one) for job, one in zip(group, apart(added, ids), strict=True)])

    def _done(self, change: Callable[[], Any], count: int) -> Any:
        """Do a change, measure it, and keep the search keys of a young index up to date."""
        start = time.perf_counter()
        try:
            made = change()
            self._committed(time.perf_counter() - start, count)
        except BaseException as error:  # noqa: BLE001 - the caller gets it
            return error
        try:
            stats = self._index.stats()
            if stats["refreeze_due"] and stats["kept"] <= _SMALL:
                self._index.refreeze()
        except SimsieveError as error:
            log("refreeze_failed", level="error", code=error.code)
        return made

    def _give(self, answers: list[tuple[asyncio.Future[Any], Any]]) -> None:
        self._loop.call_soon_threadsafe(_give, answers)


def keys_of(job: Job) -> set[str]:
    """What two additions of a group may not have in common: an equal text would be an exact copy of a neighbour."""
    return {f"text {_core.normalise(job.text)}", *(() if job.id is None else (f"id {job.id!r}",))}


def apart(added: IndexBatch, ids: Sequence[Any]) -> list[IndexBatch]:
    """What each text of a group came to, as if it had been added alone behind the ones before it."""
    found = []
    for decision, label in zip(added.decisions, ids, strict=True):
        of = decision.representative_position
        one = as_added(as_single(decision, label, None if of is None else ids[of]))
        alone = (added.known, added.replaced) if len(ids) == 1 else (0, 0)
        is_new = not alone[0]
        kept, dropped = int(is_new and one.decision == "kept"), int(is_new and one.decision == "dropped")
        found.append(IndexBatch("", kept, dropped, *alone, orphans=added.orphans, decisions=[one]))
    return found
