"""`dedup` and `find_pairs` on a Dataset: its columns are checked and renamed for a job."""

import json
import os
import re
import time
from decimal import Decimal
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from pyarrow import types
from ray.data import Dataset

from simsieve.cluster.job import Frame, Job
from simsieve.cluster.result import SAMPLE, JobResult
from simsieve.cluster.rows import DATE, EQUAL, FACT, OLD
from simsieve.cluster.settings import (
    BETWEEN,
    COUNT,
    KEEP_NEEDED,
    MARK,
    ORDER_NEEDED,
    PARTS_NEEDED,
    TEXTS_NEEDED,
    Named,
    job_config,
    no_order,
    other_ids,
    wrong_kind,
)
from simsieve.cluster.settings import is_whole_name as _is_whole_name
from simsieve.cluster.steps import Batches, step
from simsieve.ray.engine import RayEngine, RayRows, dataset_of
from simsieve.sources.columns import as_texts

_NUMBER = re.compile(r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?")
"""A text that the core takes for a number."""
_WHOLE = re.compile(r"[+-]?[0-9]{1,38}")
_WORDS = {"number": pa.float64(), "whole": pa.decimal128(38, 0), "word": pa.large_string()}
"""The columns that compare texts as the core does: those written like numbers precede the others."""
_FIELD_NEEDED = "numbers, texts, dates and lists of texts are compared; cast it to one of these"
_COUNTS = "rows long, set long, bytes long"
Made = list[tuple[str, tuple[str, ...], str]]
"""The columns of a job, each with those that it is made of, and how."""


class Columns(Named):
    """The columns that a job reads."""

    __slots__ = ()

    def of(self, dataset: Dataset) -> tuple[Made, list[tuple[str, bool]], str, Any]:
        """Check the columns; give those of a job, the keep order, what orders the rows, and the type of the ids."""
        kinds, config = _kinds(dataset), self.config

        def kind_of(what: str, name: str, allowed: Any = None, needed: str = "") -> Any:
            kind = kinds
            for part in [name] if _is_whole_name(what, name, list(kinds)) else name.split("."):
                kind = kind[part] if isinstance(kind, dict) else _field(kind, what, name, part)
            if allowed is not None and not allowed(kind):
                raise wrong_kind(what, name, str(kind), needed)
            return kind

        for text in self.texts:
            kind_of("text", text, *((_is_part, PARTS_NEEDED) if config.field else (_is_text, TEXTS_NEEDED)))
        name, place = ("id", self.id) if self.order is None else ("order", self.order)
        kind_of(name, place, types.is_integer, ORDER_NEEDED)
        made: Made = [("position", (place,), "position"), ("id", (self.id,), "same")]
        made.append(("text", self.texts, "joined" if config.field else "same"))
        keep = list[tuple[str, bool]]()
        for rule in config.keep:
            word, _, field = rule.partition(":")
            if word in ("first", "last"):
                keep.append(("position", word == "last"))
                break
            ways = ["length"]
            if field:
                kind = kind_of(f"keep {word}", field, _is_ordered, KEEP_NEEDED)
                ways = list(_WORDS) if _is_text(kind) else ["finite"]
            for way in ways:
                keep.append((f"keep_{len(keep)}", word in ("longest", "max")))
                made.append((keep[-1][0], (field,) if field else self.texts, way))
        else:
            keep.append(("position", False))
        read = [field for names, *_ in config.field_rules for field in names]
        facts = [(f"{FACT}_{at}", field) for at, field in enumerate(read)]
        facts += [(DATE, field) for field in [config.date_field] if field is not None]
        for field in [*(field for _, field in facts), *config.equal_fields]:
            kind_of("column", field, _is_compared, _FIELD_NEEDED)
        made += [(fact, (field,), "text") for fact, field in facts]
        made += [(EQUAL, tuple(config.equal_fields), "equal")] if config.equal_fields else []
        return made, keep, place, kind_of("id", self.id)


def frame_of(dataset: Dataset, given: Columns, against: Dataset | None = None) -> Frame:
    """Check the columns of a Dataset and read them, after the rows of an old one."""
    made, keep, place, ids = given.of(dataset)
    of_old, _, _, old_ids = (made, keep, place, ids) if against is None else given.of(against)
    if ids != old_ids:
        raise other_ids(str(ids), str(old_ids))
    if against is not None and keep[-1] == ("position", True):
        # The keep order is that of new rows; old ones are in the order of their positions.
        made, of_old = ([*some, ("keep_last", (place,), "position")] for some in (made, of_old))
        keep = [*keep[:-1], ("keep_last", True), ("position", False)]
    rows = _read(dataset, made, None if against is None else False)
    if against is not None:
        rows, keep = rows.union(_read(against, of_old, True)), [(OLD, True), *keep]  # noqa: FBT003 - a value
    found = rows.map(_counted(), _COUNTS).table()
    count, filled, size = (pc.sum(found[name]).as_py() or 0 for name in ("rows", "set", "bytes"))
    if filled < count:
        raise no_order(place, f"{count - filled} rows have none")
    return Frame(RayEngine(), rows, count, size, place, tuple(keep), ids)


def _read(dataset: Dataset, made: Made, old: bool | None) -> RayRows:  # noqa: FBT001 - or none
    found = dataset.map_batches(_renamed, fn_args=(made, old), batch_size=None, batch_format="pyarrow")
    return RayRows.of_blocks(found.to_arrow_refs(), None)


def _renamed(table: Any, made: Made, old: bool | None) -> Any:  # noqa: FBT001 - Ray gives it by its place
    """The columns of a job; old rows have no keep order."""
    table = table.combine_chunks()
    columns = {name: _WAYS[way](*(_column(table, source) for source in sources)) for name, sources, way in made}
    if old is not None:
        columns[OLD] = pa.array(np.full(len(table), old))
    if old:
        columns |= {name: pa.nulls(len(table), columns[name].type) for name in columns if name.startswith("keep_")}
    return pa.table(columns)


def _column(table: Any, name: str) -> Any:
    """A column by its whole name, or a field of a struct, in one chunk."""
    if name in table.column_names:
        column = table[name]
    else:
        head, *fields = name.split(".")
        column = pc.struct_field(table[head], fields)
    if types.is_dictionary(column.type):
        column = column.cast(column.type.value_type)
    return column.combine_chunks() if isinstance(column, pa.ChunkedArray) else column


@step
def _counted(batches: Batches) -> Batches:
    for batch in batches:
        sizes = pc.sum(pc.binary_length(batch.column("text"))).as_py() or 0
        filled = len(batch) - batch.column("position").null_count
        yield pa.record_batch([[len(batch)], [filled], [sizes]], ["rows", "set", "bytes"])


def _kinds(dataset: Dataset) -> dict[str, Any]:
    """The types of columns; those of a frame of pandas may be in its first row alone."""
    schema = dataset.schema()
    kinds = {} if schema is None else dict(zip(schema.names, schema.types, strict=True))
    if any(not isinstance(kind, pa.DataType) for kind in kinds.values()):
        kinds = {field.name: field.type for field in dataset.take_batch(1, batch_format="pyarrow").schema}
    return {name: kind.value_type if types.is_dictionary(kind) else kind for name, kind in kinds.items()}


def _field(kind: Any, what: str, name: str, part: str) -> Any:
    """The type of a field of a struct."""
    names = [kind.field(at).name for at in range(kind.num_fields)] if types.is_struct(kind) else []
    if part not in names:
        raise wrong_kind(what, name, str(kind), f"it has no field {part!r}")
    return kind.field(part).type


def _is_text(kind: Any) -> bool:
    return bool(types.is_string(kind) or types.is_large_string(kind))


def _is_ordered(kind: Any) -> bool:
    return types.is_integer(kind) or types.is_floating(kind) or _is_text(kind)


def _is_compared(kind: Any) -> bool:
    plain = types.is_boolean(kind) or types.is_decimal(kind) or types.is_temporal(kind) or types.is_null(kind)
    return plain or _is_ordered(kind) or (types.is_list(kind) and _is_text(kind.value_type))


def _is_part(kind: Any) -> bool:
    return _is_text(kind) or types.is_integer(kind) or (types.is_list(kind) and _is_text(kind.value_type))


def _joined(*columns: Any) -> Any:
    """The texts of several columns as the core parts them again; null where a row has none of them."""
    texts = [pc.replace_substring(_part(column), MARK, " ") for column in columns]
    between = pa.scalar(BETWEEN, pa.large_string())
    whole = pc.binary_join_element_wise(*(pc.fill_null(text, "") for text in texts), between)
    return pc.if_else(pc.coalesce(*texts).is_valid(), whole, None)


def _part(column: Any) -> Any:
    """A column as texts; a list counts as a set."""
    if not types.is_list(column.type):
        return column.cast(pa.large_string())
    rows = (
        None if row is None else "\n".join(sorted(item for item in row if item is not None))
        for row in column.to_pylist()
    )
    return pa.array(rows, pa.large_string())


def _texts(column: Any) -> Any:
    """A column as the core reads a value."""
    return as_texts(column, ruled=True)[1]


def _equal(*columns: Any) -> Any:
    """The values of several columns as one text."""
    rows = zip(*(_texts(column).to_pylist() for column in columns), strict=True)
    return pa.array(map(json.dumps, rows), pa.large_string())


def _words(text: str | None) -> dict[str, Any]:
    """What a text is compared by."""
    trimmed = (text or "").strip(" \t\n\f\r")
    if not _NUMBER.fullmatch(trimmed):
        return {"word": text if trimmed else None}
    return {"number": float(trimmed), "whole": Decimal(trimmed) if _WHOLE.fullmatch(trimmed) else None}


def _word(column: Any, way: str) -> Any:
    """What the texts of a column are compared by in one way."""
    texts = column.dictionary_encode()
    values = pa.array([_words(text).get(way) for text in texts.dictionary.to_pylist()], _WORDS[way])
    return values.take(texts.indices)


_WAYS: dict[str, Any] = {
    "position": lambda column: column.cast(pa.int64()),
    "same": lambda column: column,
    "joined": _joined,
    "length": lambda *columns: pc.utf8_length(columns[0] if len(columns) == 1 else _joined(*columns)),
    # A value that is no finite number is missing, as in JSON.
    "finite": lambda column: pc.if_else(pc.is_finite(column), column, None),
    "text": _texts,
    "equal": _equal,
    **{way: lambda column, way=way: _word(column, way) for way in _WORDS},
}


def dedup(
    dataset: Dataset,
    *,
    text: str = "text",
    id: str = "id",
    order: str | None = None,
    against: Dataset | str | os.PathLike[str] | None = None,
    **settings: Any,
) -> Dataset:
    """Decide which rows of a Dataset to keep, with the decisions of `simsieve.dedup`.

    Args:
        dataset: The rows. Ray reads some again where a node is lost, so they must be the same each time.
        text: The column of the texts; dots reach into structs where no column has the whole name.
        id: The column of the labels.
        order: A column of whole numbers that differ. It orders the rows, as their place in a file does on one machine.
            None takes the column `id`, which must have such numbers then.
        against: Old rows with the same columns. They precede all others and stay: none is decided on, dropped or
            compared with another old one. A row near an old one, or its copy, is dropped for it. Or the folder of an
            index, on storage that all nodes read: its settings are in force, and a row near a document of it is
            dropped for that one.
        **settings: Those of `simsieve.spark.dedup`.

    Returns:
        A row for each row, in no order, with the columns of `simsieve.spark.dedup`: `position` (the order's number),
        `id`, `decision`, `representative`, `representative_position`, `distance`, `similarity`, `measure`, `reason`,
        `lost`, `conflict` and `cluster`; with old rows also `representative_collection`.

    Raises:
        ConfigError: A setting, a column or an old one is not allowed, or a verdict names an id that rows share.
    """
    return dataset_of(_result_of(dataset, text, id, order, settings, against).decisions())


def dedup_with_summary(
    dataset: Dataset,
    *,
    text: str = "text",
    id: str = "id",
    order: str | None = None,
    against: Dataset | str | os.PathLike[str] | None = None,
    sample: int = SAMPLE,
    **settings: Any,
) -> tuple[Dataset, dict[str, Any]]:
    """Decide as `dedup`, and count and measure what was decided.

    The arguments and errors are those of `dedup`. For the recall at most `sample` kept rows are compared with all
    earlier kept ones; 0 measures none.

    Returns:
        The decisions of `dedup`, and a summary with the names of `DedupResult.summary`.

    Example:
        >>> decisions, summary = dedup_with_summary(dataset, order="number")
        >>> summary["read"] == decisions.count()
        True
    """
    result = _result_of(dataset, text, id, order, settings, against, sample)
    return dataset_of(result.decisions()), result.summary()


def find_pairs(
    dataset: Dataset, *, text: str = "text", id: str = "id", order: str | None = None, **settings: Any
) -> Dataset:
    """Find the near pairs among the different texts of a Dataset. The arguments are those of `dedup`.

    Returns:
        A row for each pair: `a` and `b`, the positions of its rows, the lower first, `distance`, `similarity`,
        `lost_a`, `lost_b` and `conflict`.

    Raises:
        ConfigError: As for `dedup`; or there are fewer than 8,192 rows, verdicts, or a large group of similar texts,
            whose pairs are as many as the square of its rows.

    Example:
        >>> find_pairs(dataset, order="number", similarity=0.9).schema().names[:3]
        ['a', 'b', 'distance']
    """
    return dataset_of(_job_of(dataset, text, id, order, settings).near_pairs())


def _result_of(
    dataset: Dataset, text: str, id: str, order: str | None, settings: dict[str, Any], against: Any, sample: int = 0
) -> JobResult:
    started = time.perf_counter()
    job = _job_of(dataset, text, id, order, settings, against, drops=True, sample=sample)
    return JobResult.of(job, sample, started)


def _job_of(
    dataset: Dataset, text: str, id: str, order: str | None, settings: dict[str, Any], against: Any = None, **more: Any
) -> Job:
    """Check settings and columns, and count the rows."""
    old = against if isinstance(against, Dataset) else None
    config, index = job_config("Ray", settings, against if old is None else None, **more)
    with RayEngine().stage(COUNT):
        frame = frame_of(dataset, Columns(text, id, order, config), old)
    return Job.of(frame, config, index)
