"""Records as they were, with values added to each: the dropped records, and all of an annotated output."""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from simsieve import _core
from simsieve.sinks.base import Chosen, Kind, SinkPath
from simsieve.sinks.tables import line_of, put_lines, table_format_of, write_table
from simsieve.types import Progress

_BATCH = 1 << 10


def write_store_records(
    store: _core.Store, chosen: Chosen, sink: SinkPath, form: str | None, progress: Progress | None
) -> None:
    """Write records that the core has read.

    Args:
        store: The sources.
        chosen: Which records, and what is added.
        sink: The file, whose name gives the format.
        form: The format where it is given.
        progress: Called now and then with (stage, done, total).

    Raises:
        SinkError: The file cannot be written.
        ConfigError: Its ending is none that a table can have.
    """
    positions = chosen.positions

    def lines() -> Iterator[bytes]:
        for at in range(0, len(positions), _BATCH):
            if progress is not None:
                progress("write", at, len(positions))
            batch = positions[at : at + _BATCH]
            for position, record in zip(batch, store.objects(batch), strict=True):
                yield extended(record, chosen.values(position), chosen.taken)

    names = free_names(chosen.added, chosen.taken)
    last = {names[name]: kind for name, kind in chosen.added.items()}
    form = table_format_of(sink, form)
    # Fields of tables are texts; those of JSON lines are found in the records.
    columns: dict[str, Kind | None] = dict.fromkeys(store.columns or (), "text")
    write_table(sink, lambda path: put_lines(path, lines()), columns, form, last=last)


def free_names(added: Iterable[str], taken: Iterable[str]) -> dict[str, str]:
    """Name the values that are added to a record; one whose name the record has gets `simsieve_` before it.

    Example:
        >>> free_names(["decision", "group"], ["id", "group"])
        {'decision': 'decision', 'group': 'simsieve_group'}
    """
    known = set(taken)
    names = {}
    for name in added:
        free = name
        while free in known:
            free = f"simsieve_{free}"
        names[name] = free
    return names


def extended(record: bytes | None, values: Mapping[str, Any], taken: Sequence[str] = ()) -> bytes:
    """Add values to a record, which otherwise stays as it is written.

    Args:
        record: An object of JSON; anything else leaves the values alone.
        values: What is added.
        taken: Names that no value gets, beside those of the record.

    Example:
        >>> extended(b'{"a": 1.50}', {"b": None})
        b'{"a": 1.50,"b":null}'
    """
    body = (record or b"").strip()
    try:
        # Only the names count: a number of thousands of digits is none of Python's.
        fields = json.loads(body, parse_int=str)
    except (ValueError, RecursionError):
        fields = None
    if not isinstance(fields, dict):
        body, fields = b"{}", {}
    names = free_names(values, (*taken, *fields))
    more = line_of({names[name]: value for name, value in values.items()})
    return body[:-1].rstrip() + (b"," if fields else b"") + more[1:]
