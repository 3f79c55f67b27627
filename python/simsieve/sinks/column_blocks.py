"""Lines of JSON as blocks of columns, read by pyarrow: many times faster than a row at a time.

It serves tables whose columns hold plain values of one kind each, as nearly all do. For others the answer is None, and
the caller reads rows.
"""

from collections.abc import Iterator, Mapping
from typing import IO, Any

from simsieve.optional import arrow
from simsieve.sinks.base import Kind

_BLOCK_BYTES = 1 << 24


def _blocks(lines: IO[bytes]) -> Iterator[bytes]:
    """Whole lines, about 16 MiB of them at a time."""
    while block := lines.read(_BLOCK_BYTES):
        yield block + lines.readline()


def _table(block: bytes, schema: Any) -> Any:
    """The columns of a block; those that the schema does not name have the types that pyarrow finds."""
    json, pa = arrow("pyarrow.json"), arrow()
    parse = json.ParseOptions(explicit_schema=schema, unexpected_field_behavior="infer")
    # One block of pyarrow's own, so that a column has one type.
    return json.read_json(pa.BufferReader(block), json.ReadOptions(block_size=len(block) + 1), parse)


def plain_kinds(lines: IO[bytes], columns: Mapping[str, Kind | None], schema_of: Any) -> dict[str, Kind] | None:
    """Find what each column holds, where all values of a column are of one plain kind."""
    pa = arrow()
    found = dict(columns)
    fixed = schema_of({name: kind for name, kind in columns.items() if kind is not None})
    kinds: dict[Any, Kind] = {pa.int64(): "int", pa.string(): "text", pa.bool_(): "bool"}
    for block in _blocks(lines):
        try:
            table = _table(block, fixed)
        except pa.ArrowInvalid:
            return None
        for field in table.schema:
            if columns.get(field.name) is not None or field.type == pa.null():
                found.setdefault(field.name, None)
                continue
            # A text that looks like a date is a text.
            kind = "text" if pa.types.is_timestamp(field.type) else kinds.get(field.type)
            if kind is None or found.get(field.name) not in (None, kind):
                return None
            found[field.name] = kind
    return {name: kind or "text" for name, kind in found.items()}


def column_blocks(lines: IO[bytes], schema: Any) -> Iterator[Any]:
    """Give the rows as tables of Arrow with the columns of a schema, which has all of them."""
    pa = arrow()
    for block in _blocks(lines):
        table = _table(block, schema)
        missing = [name for name in schema.names if name not in table.column_names]
        for name in missing:
            table = table.append_column(schema.field(name), pa.nulls(len(table), schema.field(name).type))
        yield table.select(schema.names)
