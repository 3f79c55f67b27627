"""Measures jobs on a cluster of Spark on this machine against `simsieve.dedup` in a process of its own.

The texts are generated questions (`generate.py --short`). A master and two workers of one core run the job
`python -m simsieve.spark` twice in one session: in the first job Java compiles itself. Processor seconds are those of
`/proc`, for the driver with its Java, the executors with their Python, and the daemons. All decisions are compared, and
the bytes of the keys that move are counted.

Usage, with the environment that `make demo-spark` or `make test-spark` makes:
PYTHONPATH=python:. build/spark/bin/python benches/spark.py [--texts 200000]
"""

import argparse
import json
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from tools.spark_cluster import SparkCluster, missing

import simsieve
from common import finish, table

JOBS = ("first job", "second job")
PARTS = ("driver", "executors", "daemons")
HERE = Path(__file__).resolve()


def one_machine(source: str, target: str) -> None:
    """Decide on one machine, write the decisions, and print the processor seconds of reading and deciding."""
    from pyarrow import parquet  # noqa: PLC0415 - the cluster's process reads the file

    wall, cpu = time.perf_counter(), time.process_time()
    decisions = simsieve.dedup(Path(source), sample=0, max_failed="100%").decisions
    cpu, wall = time.process_time() - cpu, time.perf_counter() - wall
    parquet.write_table(decisions.to_arrow(), target)
    print(json.dumps([cpu, wall]))


def command_line(source: Path, folder: Path) -> tuple[float, float]:
    """Do on one machine what the job does: read Parquet, write kept rows and decisions. Processor and wall seconds."""
    words = ["dedup", str(source), "-o", str(folder / "alone.parquet"), "--decisions", str(folder / "all.parquet")]
    wall, before = time.perf_counter(), resource.getrusage(resource.RUSAGE_CHILDREN)
    command = [sys.executable, "-m", "simsieve", *words, "--sample", "0", "--max-failed", "100%"]
    subprocess.run(command, check=True, capture_output=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return cpu, time.perf_counter() - wall


def columns_of(path: Path, texts: Path) -> int:
    """Write the texts with their places as Parquet, and return how many bytes they have."""
    import pyarrow as pa  # noqa: PLC0415 - as above
    from pyarrow import parquet  # noqa: PLC0415 - as above

    with texts.open(encoding="utf-8") as lines:
        rows = [json.loads(line) for line in lines]
    whole = {"number": range(len(rows)), "id": [row["id"] for row in rows], "text": [row["text"] for row in rows]}
    parquet.write_table(pa.table({name: list(values) for name, values in whole.items()}), path)
    return sum(len(row["text"].encode()) for row in rows)


def key_bytes(spark: Any, source: Path) -> tuple[float, float, int]:
    """The keys of a text, their bytes as they move, and in how many partitions they are."""
    from pyspark.sql import functions  # noqa: PLC0415 - where there is none, `missing` has said so

    from simsieve.config.settings import DedupConfig  # noqa: PLC0415 - as above
    from simsieve.spark.job import Job  # noqa: PLC0415 - as above
    from simsieve.spark.sent import SentSearch  # noqa: PLC0415 - as above

    job = Job.of(spark.read.parquet(str(source)), "text", "id", "number", DedupConfig())
    spread, search = job.frozen()
    rows = job.encoded(spread, SentSearch.of(job.scheme, search), job.parts_log2(search))
    sums = rows.where("kind = 'keys'").agg(functions.sum(functions.octet_length("value")).alias("bytes")).first()
    return search.mean_keys or 0.0, (sums["bytes"] or 0) / job.frame.count, 1 << job.parts_log2(search)


def decisions_in(path: Path) -> Any:
    """The decisions of a file, or of a folder of files, in the order of the texts."""
    from pyarrow import parquet  # noqa: PLC0415 - as above

    return parquet.read_table(path).sort_by("position")


def main() -> int:
    """Run the measurements and print them."""
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--texts", type=int, default=200_000)
    arguments.add_argument("--one", nargs=2, help=argparse.SUPPRESS)
    given = arguments.parse_args()
    if given.one:
        one_machine(*given.one)
        return 0
    if (lacks := missing()) is not None:
        raise SystemExit(f"NOT MEASURED: there is no Spark: {lacks}")
    from simsieve.spark.__main__ import main as job  # noqa: PLC0415 - as above

    rows: list[list[Any]] = []
    wrong: list[str] = []
    with tempfile.TemporaryDirectory(prefix="simsieve-bench-") as name:
        folder = Path(name)
        texts, source, alone = folder / "texts.jsonl", folder / "texts.parquet", folder / "one.parquet"
        made = [str(HERE.with_name("generate.py")), str(texts), "--documents", str(given.texts), "--short"]
        subprocess.run([sys.executable, *made], check=True, stdout=subprocess.DEVNULL)
        size = columns_of(source, texts)
        command = [sys.executable, str(HERE), "--one", str(texts), str(alone)]
        cpu, wall = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
        rows.append(["simsieve.dedup", cpu, None, None, None, wall])
        cpu, wall = command_line(source, folder)
        rows.append(["simsieve dedup, all written", cpu, None, None, None, wall])
        wanted = decisions_in(alone)
        with SparkCluster(python_path=str(Path(simsieve.__file__).resolve().parents[1])) as cluster:
            spark = cluster.session()
            for at, called in enumerate(JOBS):
                out, decisions = folder / f"kept{at}", folder / f"decisions{at}"
                words = [source, "-o", out, "--decisions", decisions, "--order", "number", "--max-failed", "100%"]
                before, start = cluster.cpu_parts(), time.perf_counter()
                code = job(list(map(str, words)))
                seconds, after = time.perf_counter() - start, cluster.cpu_parts()
                spent = [after[part] - before[part] for part in PARTS]
                rows.append([called, sum(spent), *spent, seconds])
                found = decisions_in(decisions).select(wanted.schema.names)
                if code or not found.cast(wanted.schema).equals(wanted):
                    wrong.append(f"{called}: exit code {code}, or decisions that differ")
                spark.catalog.clearCache()
            keys, moved, parts = key_bytes(spark, source)
    header = ["", "CPU s", *(f"{part}, CPU s" for part in PARTS), "s"]
    told = f"{given.texts:,} texts of {size / given.texts:.0f} bytes; {keys:.1f} keys a text"
    told += f", which move as {moved:.0f} bytes in {parts} partitions; {len(wanted):,} decisions compared"
    result = {"texts": given.texts, "rows": rows, "keys": keys, "key_bytes": moved, "partitions": parts}
    return finish("spark", result, f"{table(header, rows)}\n{told}", wrong, "pyspark")


if __name__ == "__main__":
    sys.exit(main())
