"""Columns of Arrow, handed to the core row by row: what a run needs of them, and nothing else."""

import json
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from simsieve import _core
from simsieve.config.settings import SETTINGS, DedupConfig
from simsieve.errors import ConfigError
from simsieve.messages import Message, Setting
from simsieve.optional import arrow
from simsieve.sinks.arrow import ArrowRows, ArrowRowSinks
from simsieve.sources.base import Source, spool_folder
from simsieve.sources.fields import FINGERPRINT, lacking_rules, meant, shown_fields, text_fields, with_usual_names
from simsieve.tabular import plain_type
from simsieve.types import Progress

BATCH_ROWS = 1 << 14
"""How many rows are handed over at a time."""


class ColumnSource(Source, ArrowRows):
    """A source that gives its rows in batches of columns: Parquet files and tables in memory."""

    checks_fields = True

    @property
    def columns(self) -> list[str] | None:  # type: ignore[override] # other sources have none
        """The names of all columns."""
        return self.names(self.parts[0])

    def row_sinks(self) -> ArrowRowSinks:
        """Make tables of all columns, with their types."""
        return ArrowRowSinks(self)

    def stream(self, positions: NDArray[np.int64]) -> Any:
        """Give the rows at these ascending positions as a `pyarrow.RecordBatchReader`, which reads them when asked."""
        wanted = np.zeros(int(positions[-1]) + 1 if len(positions) else 0, dtype=bool)
        wanted[positions] = True
        return self.row_sinks().stream(wanted)

    def names(self, part: str) -> list[str]:
        """The names of all its columns."""
        return list(self.schema(part).names)

    def row_labels(self, first: int, count: int) -> Any:
        """Labels of rows that have no id, as an Arrow array, by default the row numbers; None where there are none."""
        return arrow().array(np.arange(first, first + count, dtype=np.int64))

    def spool(self, config: DedupConfig, progress: Progress | None = None) -> _core.Records:
        """Hand the columns that a run needs to the core."""
        return spooled(self, config, progress)


def spooled(source: ColumnSource, config: DedupConfig, progress: Progress | None = None) -> _core.Records:
    """Hand what a run needs of every row to the core."""
    names = source.names(source.parts[0])
    config = with_usual_names(config, names)
    rules = [name for name in config.rule_fields if name.partition(".")[0] in names]
    # A field that is compared by itself may have other names, which other tables have.
    texts = [name for name in config.text_field if not config.field or name.partition(".")[0] in names]
    wanted = [*texts, config.id_field, *config.value_fields, *config.equal_fields, *rules]
    wanted = list(dict.fromkeys(wanted))
    packed = config.text_field if "bytes" in config.given_forms else ()
    places = {part: _places(part, source, wanted, config) for part in source.parts}
    # Of a path into a list the core gets the column as JSON, and takes the texts out of it.
    listed = {name for at in places.values() for name, steps in at.items() if _into_list(steps)}
    heads = list(dict.fromkeys(name.partition(".")[0] for name in wanted if name in listed))
    wanted = [name for name in wanted if name not in listed]
    labelled = False
    if config.id_field == SETTINGS["id_field"].default and any(config.id_field not in at for at in places.values()):
        # The usual id may be missing, and then is of no source. Rows in memory have labels of their own.
        labelled = source.row_labels(0, 0) is not None
        wanted = [name for name in wanted if name != config.id_field or name in config.text_field]
    done = 0
    names = [*heads, *wanted, *([config.id_field] if labelled else [])]
    rows = _core.Rows(names, config.max_record_bytes, folder=spool_folder(config))
    for part, at in places.items():
        rows.begin(part)
        for batch in source.batches(part, sorted({at[name][0] for name in (*wanted, *listed)})):
            paths = [at[name] for name in listed]
            columns = [
                _json_column(batch.column(head), [path[1:] for path in paths if path[0] == head]) for head in heads
            ]
            columns += [_column(_inner(batch, at[name]), packed=name in packed, ruled=name in rules) for name in wanted]
            labels = [_column(source.row_labels(done, len(batch)))] if labelled else []
            rows.add(len(batch), columns + labels)
            done += len(batch)
            if progress is not None:
                progress("read", done, 0)
            if config.limit is not None and done >= config.limit:
                return rows.finish()
    return rows.finish()


def _places(part: str, source: ColumnSource, wanted: list[str], config: DedupConfig) -> dict[str, list[str]]:
    """Where each field is: its column, and the fields of structs below it."""
    more = [FINGERPRINT] if config.given_forms else []
    schema, names = source.schema(part, [*wanted, *more]), source.names(part)
    # The core reads the column under the name of the setting.
    column = dict(zip(config.text_field, text_fields(config, names), strict=True))
    found = {}
    for name in wanted:
        steps, kind = _steps(schema, column.get(name, name))
        if steps is None:
            if name == config.id_field == SETTINGS["id_field"].default and name not in config.text_field:
                continue
            setting: str = Message("{@text_field}" if name in config.text_field else "{@id_field} or {@`keep`}")
            if name == config.date_field:
                setting = Setting("@date_field")
            setting = next((of for known, of in lacking_rules(config, lambda _: True) if name in known), setting)
            lacks, hint = "no column", meant((name,), names)
            if names.count(name) > 1:
                lacks, hint = "more than one column", ""
            there = Message(":{hint} There are", hint=hint) if hint else "; there are"
            shown = shown_fields(names)
            raise ConfigError(
                "{part}: {lacks} {name!r}{there} {shown}; name the column with {setting}",
                part=part, lacks=lacks, name=name, there=there, shown=shown, setting=setting,
            )  # fmt: skip
        if _into_list(steps) and name not in config.text_field:
            raise ConfigError(
                "{part}: column {name!r} is inside a list, and only texts are read there; name another",
                part=part, name=name,
            )  # fmt: skip
        if name in config.text_field and config.field and _is_text(getattr(kind, "value_type", kind)):
            # A list is handed over whole.
            steps = [*steps, "*"] if hasattr(kind, "value_type") else steps
        elif name in config.text_field and not config.field and not _is_text(kind):
            _check_given(part, name, kind, config.given_forms)
        found[name] = steps
    return found


def _steps(schema: Any, name: str) -> tuple[list[str] | None, Any]:
    types = arrow("pyarrow.types")
    fields = {field.name: field.type for field in schema}
    if list(schema.names).count(name) > 1:
        return None, None
    if name in fields:
        return [name], fields[name]
    steps, kind = [], None
    for step in name.split("."):
        if step not in fields:
            return None, None
        steps.append(step)
        kind = fields[step]
        if types.is_struct(kind):
            fields = {kind.field(i).name: kind.field(i).type for i in range(kind.num_fields)}
        elif hasattr(kind, "value_type") and not types.is_dictionary(kind):
            fields = _Items(kind.value_type)
        else:
            fields = {}
    return steps, kind


class _Items(dict[str, Any]):
    """The items of a list: `*` is each of them, and a number is one."""

    def __init__(self, kind: Any) -> None:
        self._kind = kind

    def __contains__(self, step: object) -> bool:
        return step == "*" or (isinstance(step, str) and step.isdecimal())

    def __getitem__(self, step: str) -> Any:
        return self._kind


def _into_list(steps: Sequence[str]) -> bool:
    return any(step == "*" or step.isdecimal() for step in steps[1:])


def _json_column(array: Any, paths: list[list[str]]) -> "_Handed":
    """A column of lists as the core takes it: JSON with what some paths reach."""
    return "json", *buffers_of(_as_json(array, paths))


def _as_json(array: Any, paths: list[list[str]]) -> Any:
    values = _pruned(array, paths).to_pylist()
    # Bytes that are no UTF-8 become half of a surrogate pair, and their records fail.
    texts = [None if value is None else json.dumps(value, default=_with_surrogates) for value in values]
    return arrow().array(texts, arrow().large_string())


def _with_surrogates(value: bytes) -> str:
    return value.decode(errors="surrogateescape")


def _pruned(array: Any, paths: list[list[str]]) -> Any:
    """An array without the fields of structs that no path reaches, down to texts."""
    pa, types = arrow(), arrow("pyarrow.types")
    kind = array.type
    if types.is_struct(kind):
        steps = dict.fromkeys(path[0] for path in paths)
        inner = [
            _pruned(arrow("pyarrow.compute").struct_field(array, step), [path[1:] for path in paths if path[0] == step])
            for step in steps
        ]
        return pa.StructArray.from_arrays(inner, list(steps), mask=array.is_null())
    if not all(paths) or types.is_dictionary(kind):
        return array
    array = array.cast(pa.large_list(kind.value_type))
    ends = pa.array(array.offsets.to_numpy(), pa.int64())
    return pa.LargeListArray.from_arrays(
        ends, _pruned(array.values, [path[1:] for path in paths]), mask=array.is_null()
    )


def _is_text(kind: Any) -> bool:
    types = arrow("pyarrow.types")
    if isinstance(kind, arrow().BaseExtensionType):
        kind = kind.storage_type
    if types.is_dictionary(kind) or types.is_run_end_encoded(kind):
        kind = kind.value_type
    return (
        types.is_string(kind) or types.is_large_string(kind) or types.is_binary(kind) or types.is_large_binary(kind)
        or types.is_null(kind) or str(kind) in ("string_view", "binary_view")
    )  # fmt: skip


def _inside(name: str, kind: Any) -> str:
    """What to name in place of a column: the texts in it, where it is a list of them or of structs."""
    types = arrow("pyarrow.types")
    item = getattr(kind, "value_type", None)
    if item is None:
        return "another column"
    if types.is_struct(item):
        texts = [item.field(at).name for at in range(item.num_fields) if _is_text(item.field(at).type)]
        usual = [text for text in texts if text in ("content", "text", "value")] or texts
        return (
            Message("the texts in the list, '{name}.*.{usual}'", name=name, usual=usual[0])
            if usual
            else "another column"
        )
    return Message("the texts in the list, '{name}.*'", name=name) if _is_text(item) else "another column"


def _decoded(array: Any) -> Any:
    """A column without dictionary, runs and names of types; a UUID is its text."""
    pa, types = arrow(), arrow("pyarrow.types")
    if isinstance(array.type, pa.BaseExtensionType):
        if array.type.extension_name == "arrow.uuid":
            return pa.array([None if one is None else str(one) for one in array.to_pylist()], pa.large_string())
        array = array.storage
    if types.is_run_end_encoded(array.type):
        array = arrow("pyarrow.compute").run_end_decode(array)
    if types.is_dictionary(array.type):
        array = array.cast(plain_type(array.type)).dictionary_decode()
    return array


def _check_given(part: str, name: str, kind: Any, forms: frozenset[str]) -> None:
    """Check that a column that is no text holds fingerprints in one of these forms."""
    types = arrow("pyarrow.types")
    fixed = types.is_fixed_size_binary(kind)
    whole = types.is_integer(kind) or (types.is_decimal(kind) and kind.scale == 0)
    if ("bytes" in forms and fixed) or ("int" in forms and whole):
        return
    needed: str = Message("text is needed; name {inside}", inside=_inside(name, kind))
    if forms and fixed:
        needed = "text is needed; for packed bytes give format=bytes, such as external64:format=bytes"
    elif forms and whole:
        needed = "text is needed; for whole numbers give format=int, such as external64:format=int"
    elif "int" in forms and types.is_floating(kind):
        needed = "whole numbers are needed; read or convert the column as uint64, where no digit is lost"
    raise ConfigError(
        "{part}: column {name!r} is of type {kind}, and {needed}", part=part, name=name, kind=kind, needed=needed
    )


def _inner(batch: Any, steps: list[str]) -> Any:
    compute = arrow("pyarrow.compute")
    array = batch.column(steps[0])
    for step in steps[1:]:
        array = compute.struct_field(array, step)
    return array


Buffers = tuple[NDArray[np.int64], NDArray[np.uint8], NDArray[np.bool_] | None]
_Handed = tuple[str, NDArray[np.int64], NDArray[np.uint8], NDArray[np.bool_] | None]


def _column(array: Any, *, packed: bool = False, ruled: bool = False) -> _Handed:
    """A column as the core takes it: what it holds, offsets, bytes, which rows have a value; a list for a rule."""
    holds, array = as_texts(array, packed=packed, ruled=ruled)
    return holds, *buffers_of(array)


def as_texts(array: Any, *, packed: bool = False, ruled: bool = False) -> tuple[str, Any]:
    """Give what a column holds, and its values as texts or bytes."""
    pa, types = arrow(), arrow("pyarrow.types")
    array = _decoded(array)
    kind, holds = array.type, "texts"
    if ruled and hasattr(kind, "value_type") and _is_text(kind.value_type):
        return "json", _as_json(array, [[]])
    binary = types.is_binary(kind) or types.is_large_binary(kind)
    if packed and (binary or types.is_fixed_size_binary(kind) or str(kind) == "binary_view"):
        holds = "bytes"
        array = array.cast(pa.large_binary())
    elif _is_text(kind) and not types.is_null(kind):
        # Bytes that are no UTF-8 stay as they are here, and their records fail.
        array = array.cast(pa.large_binary() if binary else pa.large_string())
    elif types.is_boolean(kind) or types.is_integer(kind) or types.is_decimal(kind):
        holds = "json"
        array = array.cast(pa.large_string())
    elif types.is_floating(kind):
        holds = "json"
        finite = arrow("pyarrow.compute").is_finite(array)
        array = arrow("pyarrow.compute").if_else(finite, array, None).cast(pa.large_string())
    elif types.is_temporal(kind):
        array = array.cast(pa.large_string())
    else:
        # Lists, structs and the like are no label and nothing to compare, as in JSON.
        array = pa.nulls(len(array), pa.large_string())
    return holds, array


def buffers_of(array: Any) -> Buffers:
    """Give an array of large texts or bytes as offsets, bytes, and which rows have a value; None where all have."""
    rows, first = len(array), array.offset
    _, offsets, data = array.buffers()
    ends = np.zeros(rows + 1, dtype=np.int64)
    if offsets is not None and rows:
        ends = np.frombuffer(offsets, dtype=np.int64)[first : first + rows + 1]
    content = np.frombuffer(data, dtype=np.uint8) if data is not None and data.size else np.zeros(0, dtype=np.uint8)
    valid = np.ascontiguousarray(array.is_valid().to_numpy(zero_copy_only=False)) if array.null_count else None
    return np.ascontiguousarray(ends), content, valid
