"""Shows what simsieve does on Spark: starts a cluster, decides on the examples, compares with one machine, and ends it.

Usage: python -m tools.demo_spark; the cluster runs while this program runs, and its files go with it.
"""

from pathlib import Path
from typing import Any

from tools.spark_cluster import SparkCluster, missing

import simsieve

EXAMPLES = Path(__file__).resolve().parents[1] / "examples" / "texts.jsonl"


def main() -> None:
    """Carry the demonstration out."""
    lacks = missing()
    if lacks is not None:
        raise SystemExit(f"there is no Spark: {lacks}")
    from simsieve.spark import dedup  # noqa: PLC0415 - where there is none, `missing` has said so

    one = simsieve.dedup(EXAMPLES).decisions.to_arrow().to_pylist()
    with SparkCluster(python_path=str(Path(simsieve.__file__).resolve().parents[1])) as cluster:
        print(f"a master and {len(cluster.processes) - 1} workers run at {cluster.url}", flush=True)
        spark: Any = cluster.session()
        rows = spark.read.json(str(EXAMPLES)).drop("position")
        positions = spark.createDataFrame([(row["id"], row["position"]) for row in one], "id string, position long")
        decisions = dedup(rows.join(positions, "id"), order="position")
        decisions.orderBy("position").show(12)
        found = decisions.toArrow().sort_by("position").to_pylist()
    if found != one:
        raise SystemExit("the decisions differ from those of one machine")
    kept = sum(row["decision"] == "kept" for row in found)
    print(f"All {len(found)} decisions are those of simsieve.dedup: {kept} rows are kept.")


if __name__ == "__main__":
    main()
