"""What the tests of Ray share: a cluster of two nodes on this machine, and what reads and makes Datasets."""

import importlib.util
import itertools
import os
import random
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

NODE = {"num_cpus": 1, "object_store_memory": 100 << 20}


def check_ray() -> None:
    """Skip loudly where Ray is not there."""
    if importlib.util.find_spec("ray") is None:
        if os.environ.get("SIMSIEVE_RAY") == "required":
            pytest.fail("there is no ray, and it must be tested: pip install 'ray[data]==2.60.0'")
        pytest.skip("RAY NOT TESTED: pip install 'ray[data]==2.60.0'")


@pytest.fixture(scope="session")
def nodes() -> Iterator[Any]:
    """A cluster of two nodes on this machine for all tests of a process; skips loudly where it cannot be."""
    check_ray()
    os.environ["RAY_USAGE_STATS_ENABLED"] = "0"
    from ray.cluster_utils import Cluster

    cluster = Cluster(initialize_head=True, head_node_args={**NODE, "include_dashboard": False})
    cluster.add_node(**NODE)
    yield cluster
    cluster.shutdown()


@pytest.fixture(scope="session")
def ray(nodes: Any) -> Iterator[Any]:
    """Ray, connected to the cluster."""
    import ray

    ray.init(nodes.address, log_to_driver=False, logging_level="ERROR")
    ray.data.DataContext.get_current().enable_progress_bars = False
    yield ray
    ray.shutdown()


def dedup(*given: Any, **settings: Any) -> Any:
    """Call `simsieve.ray.dedup`: Ray is loaded where a test runs."""
    from simsieve import ray

    return ray.dedup(*given, **settings)


def blocks(ray: Any, rows: Any, count: int, seed: int = 0) -> Any:
    """The rows as a Dataset in another order, in `count` blocks; the first has half of them."""
    order = list(range(len(rows)))
    random.Random(seed).shuffle(order)
    rows, half = rows.take(np.array(order, dtype=np.int64)), len(rows) // 2
    size = -(-half // max(1, count - 1)) or 1
    ends = [0, *range(len(rows) - half, len(rows), size), len(rows)]
    return ray.data.from_arrow([rows.slice(start, stop - start) for start, stop in itertools.pairwise(ends)])


def got(ray: Any, decisions: Any) -> list[dict[str, Any]]:
    """The decisions of a job in the order of the rows."""
    import pyarrow as pa

    rows: list[dict[str, Any]] = pa.concat_tables(ray.get(decisions.to_arrow_refs())).sort_by("position").to_pylist()
    return rows
