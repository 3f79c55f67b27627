"""The indexes of a service and the actions on them, for any protocol."""

import asyncio
import json
import os
from collections.abc import Callable, Container, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from dataclasses import asdict
from functools import partial
from multiprocessing import get_context, parent_process
from pathlib import Path
from threading import Thread
from typing import Any, NoReturn, TypeVar

from simsieve.comparison.explain import explain
from simsieve.config.settings import DedupConfig
from simsieve.differences import differences
from simsieve.errors import ConfigError, ServiceError
from simsieve.index import Index, IndexBatch
from simsieve.index.answers import id_named
from simsieve.inside.find import run_passages
from simsieve.machine import cores
from simsieve.messages import Message
from simsieve.schemes.scheme import load_scheme, schemes
from simsieve.serve.bodies import MOST_COMPARED, AddAnswer, Match, PassagesAnswer, Row, SourcePassages
from simsieve.serve.metrics import Metrics
from simsieve.serve.single import Questions, Writer, as_added
from simsieve.sources.base import AnySource
from simsieve.types import Decision

T = TypeVar("T")


def _end_with_parent() -> None:
    """In a process that compares: end when the service is gone, however it ended."""

    def waited() -> None:
        parent = parent_process()
        if parent is not None:
            parent.join()
        os._exit(0)

    Thread(target=waited, daemon=True).start()


class ServedIndex(Index):
    """An index whose decisions on texts are made to be encoded."""

    _decision = Row


class Served:
    """One index of a service."""

    def __init__(
        self, name: str, index: Index, pool: ThreadPoolExecutor, metrics: Metrics, read_only: Container[str]
    ) -> None:
        self.name, self.index, self._pool = name, index, pool
        config = index.config
        fields = (
            tuple(config.text_field),
            config.id_field,
            (*config.equal_fields, *config.rule_fields),
            config.date_field,
        )
        self.takes_texts = fields == (("text",), "id", (), None)
        self.shape = dict.fromkeys(config.text_field or ("text",), "...")
        """The fields of a document that are needed, as an error shows them."""
        self.questions = Questions(index, pool, cores())
        self.writer = Writer(index, partial(metrics.commit, name), is_closed=name in read_only)
        self._metrics = metrics
        self._loop = asyncio.get_running_loop()

    def stats(self) -> dict[str, Any]:
        """The counts of the index."""
        return self.index.stats()

    async def read(self, work: Callable[[], T]) -> T:
        """Do work that changes nothing in a thread."""
        return await asyncio.get_running_loop().run_in_executor(self._pool, work)

    async def check(self, documents: Sequence[Any]) -> Sequence[Decision]:
        """Decide on documents as one batch."""
        if self.takes_texts and len(documents) == 1:
            decisions: Sequence[Decision] = [await self.questions.ask(documents[0].text, documents[0].id)]
        elif self.takes_texts:
            texts, ids = [one.text for one in documents], [one.id for one in documents]
            decisions = await self.read(partial(self.index.check_texts, texts, ids))
        else:
            decisions = await self.read(lambda: list(self.index.check(documents).decisions))
        return self._counted(decisions)

    async def add(self, documents: Sequence[Any], batch: str | None, on_known_id: str) -> AddAnswer:
        """Add documents as one batch; one that was added before changes nothing."""
        if self.takes_texts and len(documents) == 1 and batch is None:
            added = await self.writer.add(documents[0].text, documents[0].id, on_known_id)
        else:
            added = await self.writer.do(partial(self._added, documents, batch, on_known_id))
        if isinstance(added, AddAnswer):
            return added
        self._counted(added.decisions)
        return AddAnswer(
            added.decisions if isinstance(added.decisions, list) else list(added.decisions),
            added.batch, added.kept, added.dropped, added.known, added.replaced, added.orphans,
        )  # fmt: skip

    def _added(self, documents: Sequence[Any], batch: str | None, on_known_id: str) -> IndexBatch | AddAnswer:
        try:
            return self._add(documents, batch, on_known_id)
        except ConfigError as error:
            if error.id != "index.batch_exists" or batch is None:
                raise
            return self._repeated(documents, batch)

    def _add(self, documents: Sequence[Any], batch: str | None, on_known_id: str) -> IndexBatch:
        if not self.takes_texts:
            return self.index.add(documents, name=batch, on_known_id=on_known_id, max_failed="100%")
        texts, ids = [one.text for one in documents], [one.id for one in documents]
        return self.index.add_texts(texts, ids, name=batch, on_known_id=on_known_id)

    def _repeated(self, documents: Sequence[Any], batch: str) -> AddAnswer:
        """The answer where the batch was added before as it is sent; another one is refused."""
        decided = self.index.check(documents, max_failed="100%").decisions if not self.takes_texts else documents
        try:
            # Nothing is added, as all ids are there, and a text that is another is refused.
            added = (
                self._add(documents, None, "refuse")
                if all(one.id is not None and one.id in self.index for one in decided)
                else None
            )
        except ConfigError:
            added = None
        if added is None:
            raise ServiceError(
                Message("the index has a batch named {batch} of other documents", batch=batch).with_id(
                    "index.batch_exists"
                ),
                code="conflict",
                field="batch",
            )
        decisions = [as_added(one) for one in added.decisions]
        return AddAnswer(decisions, batch, 0, 0, len(decisions), 0, [], repeated=True)

    def changed(self, change: Callable[[Index], T]) -> T:
        """Do a change for a thread that is not the loop's, and wait until it is on the disk."""

        async def done() -> Any:
            return await self.writer.do(partial(change, self.index))

        made: T = asyncio.run_coroutine_threadsafe(done(), self._loop).result()
        return made

    async def query(self, text: str, n: int, date: str | None, *, with_differences: bool) -> list[Match]:
        """Find near documents."""

        def found() -> list[Match]:
            near = self.index.query(text, n, date=date)
            matches = [Match(one.id, one.similarity, one.distance, one.text) for one in near]
            for match in matches:
                if with_differences and max(len(text), len(match.text)) <= MOST_COMPARED:
                    match.differences = differences(text, match.text)
            return matches

        return await self.read(found)

    def searched(self, most: int) -> Path:
        """The directory of the index, whose kept documents are all read; one of more bytes is refused."""
        size = self.index.stats()["bytes"]
        if size > most:
            raise ServiceError(
                Message(
                    "the index {name} has {size:,} bytes, and passages are searched in at most {most:,}: raise "
                    "--max-body, which is a fourth of that, or use `simsieve passages`, which searches in any",
                    name=self.name, size=size, most=most,
                ),
                code="too_large", field="index",
            )  # fmt: skip
        return self.index.path

    async def remove(self, ids: Sequence[Any]) -> IndexBatch:
        """Remove documents."""
        removed: IndexBatch = await self.writer.do(partial(self.index.remove, ids))
        return removed

    async def undo(self, batch: str) -> IndexBatch:
        """Take a batch back."""
        undone: IndexBatch = await self.writer.do(partial(self.index.undo, batch))
        return undone

    def id_of(self, name: str, *, is_json: bool) -> Any:
        """The id that a part of an address means; an error where the index has none."""
        if not is_json:
            label = id_named(self.index, name)
        else:
            try:
                label = json.loads(name)
            except (ValueError, RecursionError):
                self.has_no(name)
        return label if label in self.index else self.has_no(name)

    def has_no(self, name: str) -> NoReturn:
        """Say that the index has no such id."""
        missing = Message("{index}: no document has the id {id}", index=self.name, id=name)
        raise ServiceError(missing.with_id("index.no_such_document"), code="not_found")

    def _counted(self, decisions: Sequence[Decision]) -> Sequence[Decision]:
        self._metrics.decisions(self.name, (decision.reason for decision in decisions))
        return decisions


class Indexes(Mapping[str, Served]):
    """All indexes of a service, by their names, and the threads that work for them."""

    def __init__(self, opened: Mapping[str, Index], read_only: Container[str] = ()) -> None:
        self.opened = opened
        """The indexes, before the service starts too."""
        self.read_only = [name for name in opened if name in read_only]
        """The names of those that no request changes."""
        self._served: dict[str, Served] = {}
        self.metrics = Metrics(self.stats)
        self.folders = {str(Path(index.path).absolute()): name for name, index in opened.items()}
        self.folders |= {str(index.path): name for name, index in opened.items() if len(str(index.path)) > 1}
        self._comparing: ProcessPoolExecutor | None = None
        # One at a time, so that the threads of the readers stay free.
        self._searching = ThreadPoolExecutor(1, thread_name_prefix="passages")

    @classmethod
    def open(cls, folders: Mapping[str, Path], *, read_only: bool = False) -> "Indexes":
        """Open all, or none; for writing, unless `read_only` says or a folder takes no files."""
        opened: dict[str, Index] = {}
        closed = {name for name, folder in folders.items() if read_only or _takes_no_files(folder)}
        try:
            for name, folder in folders.items():
                opened[name] = ServedIndex.open(folder, write=name not in closed)
        except BaseException:
            for index in opened.values():
                index.close()
            raise
        return cls(opened, closed)

    def __getitem__(self, name: str) -> Served:
        return self._served[name]

    def __iter__(self) -> Any:
        return iter(self._served)

    def __len__(self) -> int:
        return len(self._served)

    def start(self) -> None:
        """Start the threads, in the loop that serves."""
        self._pool = ThreadPoolExecutor(cores() + 1, thread_name_prefix="reader")
        for name, index in self.opened.items():
            self._served[name] = Served(name, index, self._pool, self.metrics, self.read_only)

    def stop(self) -> None:
        """End the work under way, and let others write the indexes."""
        for served in self._served.values():
            served.writer.close()
        self._pool.shutdown()
        self._searching.shutdown(cancel_futures=True)
        if self._comparing is not None:
            self._comparing.shutdown(cancel_futures=True)
        for index in self.opened.values():
            index.close()

    def stats(self) -> dict[str, dict[str, Any]]:
        """The counts of each."""
        return {name: {**one.stats(), "waiting": len(one.writer)} for name, one in self._served.items()}

    async def compare(self, a: str, b: str, scheme: str) -> dict[str, Any]:
        """Compare two texts in a process of its own: the alignment does not let the interpreter go."""
        loop = asyncio.get_running_loop()
        if self._comparing is None:
            self._comparing = ProcessPoolExecutor(1, get_context("spawn"), _end_with_parent)
        try:
            return await loop.run_in_executor(self._comparing, compared, a, b, scheme)
        except BrokenProcessPool:
            self._comparing = None
            raise MemoryError from None

    async def passages(self, text: str, against: AnySource, min_length: int, n: int) -> PassagesAnswer:
        """The passages that a text shares with documents; an index is read as it is when the search begins."""

        def found() -> PassagesAnswer:
            config = DedupConfig(threads=1, allow_empty=True)
            result = run_passages([{"text": text}], against, config, min_length, warn=lambda _: None)
            sources = [
                SourcePassages(
                    row.source, row.share, row.source_share, row.longest, list(row.spans),
                    result.source_text(row.source_position),
                )
                for row in result[:n]
            ]  # fmt: skip
            if not result.totals:
                return PassagesAnswer(0.0, 0.0, 0.0, 0, sources)
            (total,) = result.totals
            return PassagesAnswer(total.share, total.own_share, total.common_share, total.sources, sources)

        return await asyncio.get_running_loop().run_in_executor(self._searching, found)

    async def fingerprints(self, texts: Sequence[str], scheme: str) -> list[str | None]:
        """The fingerprints of texts, in hex."""
        from simsieve.comparison.fingerprint import Fingerprinter  # noqa: PLC0415 - it loads numpy

        def made() -> list[str | None]:
            return [None if one is None else one.hex for one in Fingerprinter(scheme).transform(texts)]

        return await asyncio.get_running_loop().run_in_executor(self._pool, made)


def _takes_no_files(folder: Path) -> bool:
    """Whether a folder is there, and nothing can be written in it."""
    return folder.is_dir() and not os.access(folder, os.W_OK)


def compared(a: str, b: str, scheme: str) -> dict[str, Any]:
    """Compare two texts by every measure."""
    return explain(a, b, scheme).as_json()


def scheme_names() -> list[str]:
    """The names of the schemes that are built in."""
    return [info.name for info in schemes()]


def check_scheme(name: str) -> None:
    """Refuse all but the name of a scheme: files, patterns and models come in by no request."""
    if name not in (names := scheme_names()):
        raise ServiceError(
            Message("scheme {name!r} is not allowed here: give one of {names}", name=name, names=", ".join(names)),
            code="config", field="scheme",
        )  # fmt: skip
    load_scheme(name)


def as_dict(batch: IndexBatch) -> dict[str, Any]:
    """What was taken out, as an answer has it."""
    return {name: value for name, value in asdict(batch).items() if name in {"kept", "dropped", "missing", "orphans"}}
