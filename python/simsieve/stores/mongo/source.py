"""Collections of MongoDB: read in ranges in the order of `_id`, and asked again for documents of a run.

The server sends the fields that are needed as raw bytes. The core parses them and puts them into a spool, so that
only whole documents are asked for twice. In a run directory the spool of a range stays, and is not read again.
"""

import base64
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import FIRST_EXCEPTION, Future, ThreadPoolExecutor, wait
from contextlib import suppress
from dataclasses import replace
from functools import partial
from itertools import takewhile
from typing import Any

import bson
import numpy as np
from numpy.typing import NDArray

from simsieve import _core
from simsieve.checks import check_same
from simsieve.config.settings import DedupConfig
from simsieve.errors import ConfigError, SimsieveError, SourceError
from simsieve.machine import cores
from simsieve.messages import Message
from simsieve.sinks.base import Chosen, Kind, LineReader, Rows, RowSinks, Sink, SinkPath
from simsieve.sinks.records import LineRowSinks, RecordSink
from simsieve.sinks.records import extended as with_added
from simsieve.sinks.tables import TableSink, table_format_of
from simsieve.sources.base import Source
from simsieve.sources.fields import (
    FIRST,
    has_field,
    lacking_field,
    lacking_rules,
    near_field,
    shown_fields,
    text_fields,
    with_usual_names,
)
from simsieve.stores.mongo.client import Address, Retry, address_of, connect, query_of, server_errors
from simsieve.stores.mongo.reading import (
    ID,
    CollectionReader,
    CursorRange,
    NotedRanges,
    all_of,
    check_found,
    documents_of,
    projection_of,
    spool_fields,
)
from simsieve.stores.mongo.values import (
    FieldPlace,
    check_values,
    extended,
    last_place,
    types_of_ends,
    values_of,
    values_of_document,
)
from simsieve.types import Counts, Progress

_ASKED, _ASKED_BYTES = 4_000, 8 << 20
"""How many documents are asked for again at a time, and about how many bytes of them."""
_FIRST_ASKED = 200
_LOOKED_AT = 100
_SHOWN_FIELDS = 12
_NAMED = 10
"""How many failed documents are named by their `_id`."""
_WAIT_SECONDS = 0.1
_KINDS = {"view": "view", "timeseries": "time-series collection"}


class CollectionSource(Source):
    """A collection, a view or a time-series collection, looked at but not read."""

    is_named = True
    is_kept = can_mark = checks_fields = True
    has_same_fields = False
    packed_id = ID

    def __init__(self, name: str, config: DedupConfig) -> None:
        self.address: Address = address_of(name)
        self._query = query_of(config.query)
        self._limit = config.limit
        self._max_record_bytes = config.max_record_bytes
        # How many documents are asked for at a time: few, until it is known how long they are.
        self._asked = _FIRST_ASKED
        self.paths = (self.address.shown,)
        self.client = connect(self.address, self)
        self.retry = Retry(self.address, self.client)
        """Asks again what the server cannot do for the moment."""
        self.since_field = config.since_field
        """The field that tells which documents came in since an index has read the collection."""
        self.since_place: FieldPlace | None = None
        """Only documents after this place in the order of that field are read; None reads all."""
        self._until: FieldPlace | None = None
        self.directory: _core.RunDirectory | None = None
        """Where the spools stay for a run that goes on; None has them in temporary files."""
        self.total = 0
        """How many documents there are, whatever `limit` says."""
        self._database = self.client[self.address.database]
        with server_errors(self.address, "list collections"):
            info = list(self._database.list_collections(filter={"name": self.address.collection}))
            if not info:
                raise self._missing()
        self.kind = _KINDS.get(info[0]["type"], "collection")
        """`collection`, `view` or `time-series collection`."""
        self.is_copied = False
        """Whether its documents go to a collection, where no two have one `_id`."""
        self.repeated_id: str | None = None
        """An `_id` that several documents have, as canonical extended JSON."""
        # Others have no index of `_id` whose ranges can be read.
        self._has_index = self.kind == "collection" and "clusteredIndex" not in info[0].get("options", {})
        self.collection = self._database[self.address.collection]
        self._named = self._with_names(config)
        self._fields = spool_fields(self._named)
        names = [field for field, _ in self._fields.values()]
        self._projection = projection_of(names)
        projection_of([*names, *filter(None, [self.since_field])])

    def _with_names(self, config: DedupConfig) -> DedupConfig:
        """Give the settings with the names of fields that the first documents have."""
        if config.kind != "references" and not config.given_forms:
            return config
        with server_errors(self.address, "read"):
            known = list(dict.fromkeys(name for document in self._first(FIRST) for name in document))
        return with_usual_names(replace(config, text_field=text_fields(config, known)), known)

    def _first(self, count: int = _LOOKED_AT) -> list[dict[str, Any]]:
        return list(self.collection.find(self._query).limit(count))

    @property
    def reads_on(self) -> bool:  # type: ignore[override] # others read all
        """Whether only later documents are read."""
        return self.since_place is not None

    def follow(self, place: str | None) -> None:
        """Read only the documents after a place in the order of `since_field`; see `Source.follow`."""
        if place is None:
            return
        before = values_of_document(base64.b64decode(place))
        of = Message("the index that follows {shown}", shown=self.address.shown)
        check_same("since_field", before["field"], self.since_field, of, Message("give the same"))
        check_same("query", before["query"], extended(self._query), of, Message("give the same"))
        self.since_place = FieldPlace.of(before)

    def followed(self) -> tuple[str, str] | None:
        """Give the place of the last document in the order of `since_field`; see `Source.followed`."""
        if self._until is None:
            return None
        return self.address.shown, self._until.packed(query=extended(self._query))

    def keep_in(
        self, directory: _core.RunDirectory | None, progress: Progress | None, warn: Callable[[str], None]
    ) -> None:
        """Say where the spools are kept, and who is warned of outages."""
        self.directory, self.retry = directory, Retry(self.address, self.client, warn)

    def row_sinks(self) -> "DocumentRowSinks":
        """Make lines of JSON of documents, which are asked for again."""
        return DocumentRowSinks(self)

    def summary(self, counts: Counts, failed: Sequence[int]) -> dict[str, Any]:
        """Give documents in all, processed, repeated, kept, rates, and the first failed ones."""
        read = counts.read
        return {
            "total": self.total,
            "processed": read,
            "repeated": counts.dropped,
            "kept": counts.kept,
            "valid_rate": counts.kept / read if read else None,
            "repeated_rate": counts.dropped / read if read else None,
            "first_failed": [extended(one) for one in self.ids(failed[:_NAMED])] if failed else [],
            "first_failed_fields": self.fields_there(failed[0]) if failed else [],
        }

    def _missing(self) -> SourceError:
        known = sorted(self._database.list_collection_names(filter={"name": {"$not": {"$regex": r"^system\."}}}))
        near = near_field(self.address.collection or "", known)
        there = Message("there are {names}", names=shown_fields(known)) if known else "the database has no collection"
        if near:
            there = Message("did you mean {near!r}? There are {names}", near=near, names=shown_fields(known))
        return SourceError(
            "{shown}: there is no such collection: {there}; check the URI", shown=self.address.shown, there=there
        )

    def spool(self, config: DedupConfig, progress: Progress | None = None) -> _core.Records:
        """Read what a run needs of every document, in the order of `_id`."""
        with server_errors(self.address, "read"):
            self._check_fields(config)
            first, *others = self._read(config, progress)
        self._opened = first.finish(others)
        self.total = max(self.total, len(self._opened))
        return self._opened

    def _count(self) -> None:
        if self.reads_on:
            # They are counted when they are read.
            self.total = 0
        elif self._query and self._limit is not None:
            self.total = self.collection.count_documents(self._query)
        elif not self._query and self.kind == "collection":
            self.total = self.collection.estimated_document_count()

    def _rows(self, place: tuple[_core.RunDirectory, str] | None = None) -> _core.Rows:
        directory, name = place or (None, "")
        rows = _core.Rows(list(self._fields), self._max_record_bytes, directory, name)
        if not rows.is_complete:
            rows.begin(self.address.shown)
        return rows

    def _check_fields(self, config: DedupConfig) -> None:
        first = self._first()
        if self._query and not first and not self.reads_on:
            check_found(
                self.collection, self.address.shown, self._query, self.retry.warn if config.allow_empty else None
            )
        if any("_id" not in document for document in first):
            raise ConfigError(
                "{shown}: its documents have no _id, by which they are known: let it keep _id", shown=self.address.shown
            )
        fields = [(self._named.text_field, Message("the field that holds the text with {@text_field}"))]
        if self.since_field is not None:
            what = Message("the field by which documents came in with {@since_field}")
            fields.append(((self.since_field,), what))
        # A field of a rule may be in few documents.
        is_new = first and not self.knows_fields
        lacking = lacking_rules(self._named, lambda name: not self._is_there(name, first)) if is_new else ()
        rules = ((names, Message("a field with {setting}", setting=setting)) for names, setting in lacking)
        for names, what in (*fields, *rules):
            if first and not any(has_field(document, name) for document in first for name in names):
                raise ConfigError(
                    "{shown}: {lacking_field}; name {what}",
                    shown=self.address.shown, lacking_field=lacking_field(first, names), what=what,
                )  # fmt: skip

    def _is_there(self, name: str, first: Sequence[Mapping[str, Any]]) -> bool:
        """Whether some document has a field; all are asked for one that the first ones lack."""
        path, _, _ = name.partition(".*")
        is_first = any(has_field(document, name) for document in first)
        return is_first or self.collection.find_one({"$and": [self._query, {path: {"$exists": True}}]}) is not None

    def _read(self, config: DedupConfig, progress: Progress | None) -> list[_core.Rows]:
        noted = None
        if self.directory is not None:
            about = {"query": config.query, "limit": self._limit, "fields": self._fields, "source": self.address.shown}
            about["since_field"] = self.since_field
            noted = NotedRanges(self.directory, self.address, about)
        known = None if noted is None else noted.known()
        if known is not None:
            self.total, ranges = known
        elif self.since_field is not None:
            self._until = last_place(self.collection, self.since_field, self.address.shown, self.since_place)
            self._warn_of_values(self.since_field)
        reading = self._reader()
        if known is None:
            self._count()
            if noted is None:
                ranges = reading.ranges(self.total, resumable=False)
            else:
                about_all = self.collection.estimated_document_count() if reading.has_index else 0
                ranges = reading.ranges(about_all, resumable=True)
                noted.note(self.total, ranges)
        expected = min(self.total, self._limit or self.total)
        done = [0] * len(ranges)
        read: dict[int, _core.Rows] = {}

        def read_range(at: int) -> None:
            read[at] = self._read_range(
                reading, ranges[at], None if noted is None else (noted.directory, noted.name(at)), done, at
            )

        self.retry.stopped.clear()
        with ThreadPoolExecutor(max(2, min(cores(), len(ranges)))) as pool:
            waiting: set[Future[None]] = {pool.submit(read_range, at) for at in range(len(ranges))}
            try:
                while waiting:
                    finished, waiting = wait(waiting, _WAIT_SECONDS, FIRST_EXCEPTION)
                    for future in finished:
                        future.result()
                    if progress is not None:
                        progress("read", min(sum(done), expected or sum(done)), expected)
            except BaseException:
                self.retry.stopped.set()
                for future in waiting:
                    future.cancel()
                raise
        return [read[at] for at in range(len(ranges))]

    def _reader(self) -> CollectionReader:
        places = [] if self._until is None else [self._until.until()]
        # Few documents follow, and the server finds them by an index of the field, where it has one.
        has_index = self._has_index and self.since_place is None
        if self.since_place is not None:
            places.append(self.since_place.after())
        query = {"$and": [self._query, *places]} if places else self._query
        fields = [*self._fields.values()]
        return CollectionReader(self.collection, query, self._projection, self._limit, has_index, fields, self.retry)

    def _warn_of_values(self, field: str) -> None:
        lacks = check_values(self.collection, field, self.address.shown)
        if lacks is not None:
            self.retry.warn(Message(
                "{shown}: the document {lacks} has no value in field {field!r}: no later run takes such documents "
                "as new ones",
                shown=self.address.shown, lacks=lacks, field=field,
            ))  # fmt: skip
        if (types := types_of_ends(self.collection, field)) is not None:
            self.retry.warn(Message(
                "{shown}: field {field!r} has values of type {least} and of type {greatest}, which is greater: no "
                "later run takes a document with the former as a new one; give the field one type",
                shown=self.address.shown, field=field, least=types[0], greatest=types[1],
            ))  # fmt: skip

    def _read_range(
        self,
        reading: CollectionReader,
        part: CursorRange,
        place: tuple[_core.RunDirectory, str] | None,
        done: list[int],
        at: int,
    ) -> _core.Rows:
        """Read a range, and count its documents in `done[at]`; in a run directory it is read once."""
        rows = self._rows(place)

        def count(read: _core.Rows) -> None:
            done[at] = len(read)
            if read.repeated_id is not None and self.repeated_id is None:
                self.repeated_id = read.repeated_id
                _tell_of_repeats(self, is_sharded=reading.has_index)

        if rows.is_complete:
            count(rows)
            return rows

        if reading.has_index:
            reading.read_range(rows, part, count)
        else:
            rows = reading.read_all(partial(self._rows, place), count)
        if place is not None and not self.retry.stopped.is_set():
            rows.commit(*place)
        return rows

    def ids(self, positions: Sequence[int]) -> list[Any]:
        """Give the `_id`s of documents that were read, each of the type that it has on the server."""
        return values_of(self.packed_ids(positions))

    def fields_there(self, position: int) -> list[str]:
        """Give the fields of a document that was read, as it is now; none where the server has it no more."""
        with suppress(SimsieveError), server_errors(self.address, "read"):
            return list(self.collection.find_one({"_id": self.ids([position])[0]}) or {})[:_SHOWN_FIELDS]
        return []

    def packed_ids(self, positions: Sequence[int]) -> bytes:
        """Give the `_id`s of documents that were read, as an array of BSON."""
        return self.was_read().unpacked(positions, self.packed_id)

    def unchanged(
        self, positions: Sequence[int], *, whole: bool, field: str | None = None
    ) -> Iterator[tuple[Sequence[int], list[bytes | None]]]:
        """Ask again for documents that were read."""
        store, names, fields = self.was_read(), list(self._fields), list(self._fields.values())
        more = {} if field is None else {field: 1}
        projection = None if whole else {**self._projection, **more}
        start = 0
        while start < len(positions):
            batch = positions[start : self._end_of(positions, start + self._asked)]
            start += len(batch)
            with server_errors(self.address, "read"):
                sent = self.retry("read", partial(self._found, batch, projection))
            size = sum(map(len, sent)) // len(batch)
            self._asked = max(1, min(_ASKED, _ASKED_BYTES // max(size, 1)))
            yield batch, store.unchanged(batch, sent, names, fields)

    def _end_of(self, positions: Sequence[int], end: int) -> int:
        """Give where a batch ends, so that all documents of one `_id` are in it."""
        while self.repeated_id and end < len(positions):
            first, *others = self.ids(positions[end - 1 : end + _ASKED])
            equal = sum(1 for _ in takewhile(first.__eq__, others))
            end += equal
            if equal < len(others):
                break
        return end

    def _found(self, positions: Sequence[int], projection: Mapping[str, int] | None, _failures: int = 0) -> list[bytes]:
        """Ask for documents by `_id`; the replies, each as the document of its cursor."""
        half, ids = len(positions) // 2, self.packed_ids(positions)
        found = None if self.repeated_id else documents_of(self.collection, ids, len(positions), projection)
        if found is not None:
            return [found]
        if self.repeated_id or not half:
            return all_of(self.collection, ids, projection)
        # They are longer than a reply.
        return self._found(positions[:half], projection) + self._found(positions[half:], projection)

    def take(self, positions: NDArray[np.int64]) -> list[dict[str, Any]]:
        """Give whole documents; one that is gone, or has changed since it was read, is left out."""
        found: list[dict[str, Any]] = []
        for _, documents in self.unchanged(positions.tolist(), whole=True):
            found += [bson.decode(document) for document in documents if document is not None]
        return found


def _tell_of_repeats(source: CollectionSource, *, is_sharded: bool) -> None:
    """Refuse documents with one `_id` where they cannot be told apart or copied; else warn of it."""
    if is_sharded:
        # Pages of a range begin after an `_id`.
        raise ConfigError(
            "{repeats}, as those of two shards may, so they cannot be told apart: give each an _id of its own, or "
            'read a copy that is made by {{"$unset": "_id"}} and {{"$out": "NAME"}}',
            repeats=_repeats(source),
        )
    if source.is_copied:
        refuse_copies(source)
    source.retry.warn(Message("{repeats}: the ids of decisions do not tell them apart", repeats=_repeats(source)))


def refuse_copies(source: CollectionSource) -> None:
    """Refuse to copy documents of one `_id` to a collection."""
    raise ConfigError(
        "{repeats}, and a collection takes one document of an _id: write the {kind} to a collection by "
        '{{"$unset": "_id"}} and {{"$out": "NAME"}}, and name that as source, or give a file for the kept documents',
        repeats=_repeats(source), kind=source.kind,
    )  # fmt: skip


def _repeats(source: CollectionSource) -> Message:
    return Message("{shown}: several documents have the _id {key}", shown=source.address.shown, key=source.repeated_id)


class DocumentRowSinks(LineRowSinks):
    """The sinks of documents of a collection, which are asked for again, whole."""

    def __init__(self, source: CollectionSource) -> None:
        self._source = source

    def of_source(self, source: int) -> RowSinks:
        """Refuse: documents are in no files."""
        raise ConfigError("{shown}: a collection is no file: give {@`shard_size`}", shown=self._source.address.shown)

    def check_kept(self, sink: SinkPath, form: str | None) -> None:
        """Check that the sink takes JSON lines; see `RowSinks.check_kept`."""
        if table_format_of(sink, form) != "jsonl":
            raise ConfigError(
                "the output {sink} is no JSON lines, and documents of MongoDB have no columns: give a name in .jsonl, "
                "or the URI of another collection",
                sink=os.fspath(sink),
            )

    def kept(self, store: _core.Records, sink: SinkPath, form: str | None, *, link: bool = False) -> Sink[Rows]:
        """Make the sink of kept documents; see `RowSinks.kept`."""
        self.check_kept(sink, form)
        return super().kept(store, sink, form, link=link)

    def extended(self, store: _core.Records, chosen: Chosen, sink: SinkPath, form: str | None) -> Sink[Rows]:
        """Make the sink of documents with values added; see `RowSinks.extended`."""
        read = self.reader(store)

        def lines(batch: Rows) -> Iterator[bytes]:
            return (with_added(line, chosen.values(position)) for position, line in read(batch))

        return RecordSink(TableSink(sink, {}, table_format_of(sink, form)), lines, store.check_unchanged)

    def columns(self, store: _core.Records) -> dict[str, Kind | None]:
        """Give none: the documents show their fields."""
        return {}

    def records(self, store: _core.Records, positions: Sequence[int], but: Sequence[str]) -> dict[int, dict[str, Any]]:
        """Ask for a few documents; values that JSON lacks are texts. See `RowSinks.records`."""
        return {
            position: {name: _plain(value) for name, value in values_of_document(document).items()}
            for at, documents in self._source.unchanged(positions, whole=True)
            for position, document in zip(at, documents, strict=True) if document is not None
        }  # fmt: skip

    def reader(self, store: _core.Records) -> LineReader:
        """Give what reads documents as lines of JSON; see `RowSinks.reader`."""
        return self._read

    def _read(self, batch: Rows) -> Iterator[tuple[int, bytes]]:
        for positions, documents in self._source.unchanged(batch.positions, whole=True):
            for position, document in zip(positions, documents, strict=True):
                if document is None:
                    key = extended(self._source.ids([position])[0])
                    raise SourceError(
                        "{shown}: the document {key} is gone or has changed since it was read; run again",
                        shown=self._source.address.shown, key=key,
                    )  # fmt: skip
                yield position, extended(values_of_document(document)).encode()


def _plain(value: Any) -> Any:
    return value if value is None or isinstance(value, (dict, list, str, int, float)) else extended(value)
