"""What a program calls: `dedup` on a Dataset."""

import os
from typing import Any

import pyarrow as pa
from ray.data import Dataset

import ray
from simsieve.cluster import outcome
from simsieve.cluster.job import Job
from simsieve.cluster.settings import job_config
from simsieve.cluster.stages import COUNT
from simsieve.ray.engine import RayEngine, dataset_of
from simsieve.ray.frame import Columns, frame_of

_KINDS = {
    **dict.fromkeys(("position", "representative_position", "lost", "cluster"), pa.int64()),
    "distance": pa.int32(), "similarity": pa.float64(), "conflict": pa.bool_(),
}  # fmt: skip


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
    engine, old = RayEngine(), against if isinstance(against, Dataset) else None
    config, index = job_config(engine.name, settings, against if old is None else None, drops=True)
    with engine.stage(COUNT):
        frame, ids = frame_of(dataset, Columns(text, id, order, config), old)
    job = Job.of(frame, config, index)
    kinds = {"id": ids, "representative": ids, **_KINDS}
    schema = pa.schema([(name, kinds.get(name, pa.string())) for name in outcome.columns(old=job.has_old)])
    if not frame.count:
        return ray.data.from_arrow(schema.empty_table())
    spread, search = job.frozen()
    found = job.found(spread, search)
    decisions = job.with_changed(found.rows.of("rows"), job.decide(found)).map(job.decided(), schema)
    return dataset_of(decisions)
