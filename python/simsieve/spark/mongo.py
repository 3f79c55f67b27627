"""Collections of MongoDB as rows of Spark: a data source in Python over pymongo, which needs no jar.

A collection is read in ranges of `_id` that are fixed once, so a row has one position however often it is read.
"""

import base64
import json
from collections.abc import Iterator, Sequence
from functools import partial
from typing import Any

import pyarrow as pa
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.datasource import DataSource, DataSourceReader, InputPartition
from pyspark.sql.types import StructType

from simsieve import _core
from simsieve.cluster.rows import PLACE_BITS
from simsieve.cluster.steps import Batches, step
from simsieve.config.checks import keep_fields
from simsieve.config.settings import DedupConfig
from simsieve.messages import Message
from simsieve.stores.mongo.client import Retry, address_of, connect, query_of, server_errors
from simsieve.stores.mongo.reading import CollectionReader, CursorRange, projection_of, spool_fields
from simsieve.stores.mongo.source import CollectionSource
from simsieve.stores.mongo.values import bson_document, extended, one_of, values_of_document

FORMAT = "simsieve_mongo"
PACKED = "simsieve_id"
"""The column of the packed `_id`, by which whole documents are asked for again."""
_PACKED_KEY = "$id"
_LOOKED_AT = 100
_ROWS, _ASKED = 10_000, 1_000
_KINDS = ((int, "long"), (float, "double"), (str, "string"))


def read_mongo(
    spark: SparkSession, uri: str, *, text: str = "text", keep: str | Sequence[str] = "first", query: str | None = None
) -> DataFrame:
    """Read a collection of MongoDB as rows for `dedup`."""
    config = DedupConfig.from_settings({"text_field": text, "keep": keep, "query": query})
    source = CollectionSource(uri, config)
    with server_errors(source.address, "read"):
        source._check_fields(config)  # noqa: SLF001 - the check of a run on one machine
        first = list(source.collection.find(query_of(query), limit=_LOOKED_AT))
        # Views and time-series collections have no index of `_id` whose ranges can be read.
        indexed = source.kind == "collection" and "_id_" in source.collection.index_information()
        reader = _reader_of(source, config, indexed=indexed)
        ranges = reader.ranges(source.collection.estimated_document_count() if indexed else 0, resumable=True)
    columns = {"position": "long", "id": "string", text: "string", PACKED: "string"}
    for name in keep_fields(config.keep):
        columns.setdefault(name, _kind_of(first, name))
    options = {
        # Spark leaves out an option of this name where it shows a plan.
        "url": uri,
        "settings": json.dumps({"text_field": text, "keep": list(config.keep), "query": query}),
        "cuts": json.dumps([base64.b64encode(bson_document(end)).decode() for _, end in ranges if end is not None]),
        "indexed": json.dumps(indexed),
    }
    spark.dataSource.register(CollectionRows)
    schema = ", ".join(f"`{name.replace('`', '``')}` {kind}" for name, kind in columns.items())
    return spark.read.format(FORMAT).schema(schema).options(**options).load()


def _kind_of(first: Sequence[dict[str, Any]], name: str) -> str:
    """The type of a column, by the values of the first documents."""
    found = set[str]()
    for document in first:
        value: Any = document
        for part in name.split("."):
            value = value.get(part) if isinstance(value, dict) else None
        found.add(next((column for kind, column in _KINDS if isinstance(value, kind)), "long" if value else ""))
    found.discard("")
    return "string" if "string" in found or not found else "double" if "double" in found else "long"


def _reader_of(source: CollectionSource, config: DedupConfig, *, indexed: bool) -> CollectionReader:
    fields = list(spool_fields(config).values())
    projection = projection_of([field for field, _ in fields])
    return CollectionReader(source.collection, query_of(config.query), projection, None, indexed, fields, source.retry)


class CollectionRows(DataSource):  # type: ignore[misc] # pyspark is not among the packages with types
    """The rows of a collection; `read_mongo` gives its options."""

    @classmethod
    def name(cls) -> str:
        """Give the name of the format."""
        return FORMAT

    def schema(self) -> str:
        """Give the columns where nobody names them."""
        return Message("position long, id string, text string, {packed} string", packed=PACKED)

    def reader(self, schema: StructType) -> DataSourceReader:
        """Read columns."""
        return _RowsReader(dict(self.options), schema)


class _Range(InputPartition):  # type: ignore[misc] # as above
    """A range of `_id`, by its number."""

    def __init__(self, number: int) -> None:
        super().__init__(number)
        self.number = number


class _RowsReader(DataSourceReader):  # type: ignore[misc] # as above
    def __init__(self, options: dict[str, str], schema: StructType) -> None:
        self._options = options
        self._schema = [(field.name, field.dataType.simpleString()) for field in schema.fields]

    def partitions(self) -> Sequence[InputPartition]:
        """Give a partition for each range."""
        return [_Range(number) for number in range(len(json.loads(self._options["cuts"])) + 1)]

    def read(self, partition: InputPartition) -> Iterator[Any]:
        """Read a range. What the server cannot do for the moment is asked again."""
        number: int = partition.number
        cuts = [values_of_document(base64.b64decode(cut)) for cut in json.loads(self._options["cuts"])]
        part: CursorRange = ([None, *cuts][number], [*cuts, None][number])
        config = DedupConfig.from_settings(json.loads(self._options["settings"]))
        source = CollectionSource(self._options["url"], config)
        reader = _reader_of(source, config, indexed=json.loads(self._options["indexed"]))
        keys = list(spool_fields(config))

        def begin() -> _core.Rows:
            rows = _core.Rows(keys, config.max_record_bytes)
            rows.begin(source.address.shown)
            return rows

        with server_errors(source.address, "read"):
            if reader.has_index:
                rows = begin()
                reader.read_range(rows, part, lambda _: None)
            else:
                rows = reader.read_all(begin, lambda _: None)
        store = rows.finish()
        for start in range(0, len(store), _ROWS):
            places = range(start, min(start + _ROWS, len(store)))
            yield _batch(store.objects(list(places)), (number << PLACE_BITS) + start, self._schema)


def _batch(objects: Sequence[bytes | None], first: int, schema: Sequence[tuple[str, str]]) -> Any:
    """Rows of JSON as a batch; a value of another type than its column's is null."""
    rows = [_parsed(line) for line in objects]
    arrays = []
    for name, kind in schema:
        if name == "position":
            arrays.append(pa.array(range(first, first + len(rows)), pa.int64()))
        elif name == "id":
            arrays.append(pa.array([_label(row.get("id")) for row in rows], pa.string()))
        else:
            key, allowed, column = _PACKED_KEY if name == PACKED else name, *_ALLOWED[kind]
            values = (row.get(key) for row in rows)
            fitting = [
                value if isinstance(value, allowed) and not isinstance(value, bool) else None for value in values
            ]
            arrays.append(pa.array(fitting, column))
    return pa.record_batch(arrays, names=[name for name, _ in schema])


_ALLOWED: dict[str, tuple[tuple[type, ...], Any]] = {
    "string": ((str,), pa.string()), "bigint": ((int,), pa.int64()), "double": ((int, float), pa.float64()),
}  # fmt: skip


def _parsed(line: bytes | None) -> dict[str, Any]:
    try:
        found: dict[str, Any] = json.loads(line or b"{}")
    except UnicodeDecodeError:
        # A string of the server that is no UTF-8: such a record fails on one machine too.
        return {}
    return found


def _label(value: Any) -> str | None:
    if value is None or isinstance(value, str):
        return value
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


@step
def documents(batches: Batches, uri: str) -> Batches:
    """Give the whole documents of packed `_id`s as extended JSON, one a row; one that is gone is left out."""
    address = address_of(uri)
    with connect(address) as client, server_errors(address, "read"):
        collection, retry = client[address.database][address.collection], Retry(address, client)
        for batch in batches:
            packed = [values_of_document(base64.b64decode(value))["v"] for value in batch.column(0).to_pylist()]
            for start in range(0, len(packed), _ASKED):
                query = one_of("_id", _array(packed[start : start + _ASKED]))
                sent = retry("read", partial(_sent, collection, query))
                found = [extended(values_of_document(document)) for document in _split(sent)]
                yield pa.record_batch([pa.array(found, pa.string())], names=["value"])


def _sent(collection: Any, query: Any, _failures: int) -> bytes:
    return b"".join(collection.find_raw_batches(query))


def _array(values: Sequence[Any]) -> bytes:
    """Values as an array of BSON, which is a document with the names 0, 1 and so on."""
    return bson_document({str(at): value for at, value in enumerate(values)})


def _split(batch: bytes) -> Iterator[bytes]:
    start = 0
    while start < len(batch):
        end = start + int.from_bytes(batch[start : start + 4], "little")
        yield batch[start:end]
        start = end
