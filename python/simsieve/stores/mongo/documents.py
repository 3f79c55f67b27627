"""Documents of MongoDB in files: lines of canonical extended JSON, from which every type comes back."""

import os
from collections.abc import Iterator, Sequence
from typing import Any

from simsieve import _core
from simsieve.errors import ConfigError, SourceError
from simsieve.sinks.base import Chosen, Kind, LineReader, Rows, RowSinks, Sink, SinkPath
from simsieve.sinks.records import LineRowSinks, RecordSink, extended
from simsieve.sinks.tables import TableSink, table_format_of
from simsieve.stores.mongo.outcome import CollectionDocuments
from simsieve.stores.mongo.values import extended as extended_json
from simsieve.stores.mongo.values import values_of_document


class DocumentRowSinks(LineRowSinks):
    """The sinks of documents of a collection, which are asked for again, whole."""

    def __init__(self, source: CollectionDocuments) -> None:
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
            )  # fmt: skip

    def kept(self, store: _core.Records, sink: SinkPath, form: str | None, *, link: bool = False) -> Sink[Rows]:
        """Make the sink of kept documents; see `RowSinks.kept`."""
        self.check_kept(sink, form)
        return super().kept(store, sink, form, link=link)

    def extended(self, store: _core.Records, chosen: Chosen, sink: SinkPath, form: str | None) -> Sink[Rows]:
        """Make the sink of documents with values added; see `RowSinks.extended`."""
        read = self.reader(store)

        def lines(batch: Rows) -> Iterator[bytes]:
            return (extended(line, chosen.values(position)) for position, line in read(batch))

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
                    key = extended_json(self._source.ids([position])[0])
                    raise SourceError(
                        "{shown}: the document {key} is gone or has changed since it was read; run again",
                        shown=self._source.address.shown, key=key,
                    )  # fmt: skip
                yield position, extended_json(values_of_document(document)).encode()


def _plain(value: Any) -> Any:
    return value if value is None or isinstance(value, (dict, list, str, int, float)) else extended_json(value)
