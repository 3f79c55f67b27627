"""Measures jobs on a cluster of Spark on this machine against `simsieve.dedup` in a process of its own.

The texts are generated questions (`generate.py --short`). A master and two workers of one core run the job
`python -m simsieve.spark` twice in one session: in the first job Java compiles itself. Then `simsieve.spark.dedup`
gives the decisions alone, as `simsieve.dedup` does. Processor seconds are those of `/proc`, for the driver with its
Java, the executors with their Python, and the daemons. All decisions are compared, and the bytes of the keys that move
are counted.

With `--mixed` the texts are documents of several languages (`generate.py`). With `--crowds N` the job runs once on N
texts of each difficult shape of `scale.py`, after the ordinary case twice: all near each other, all of one template and
not near, all equal. Each may take three times the ordinary case. `--paper` multiplies the measured bytes of a text by a
billion texts.

Usage, with the environment that `make demo-spark` or `make test-spark` makes:
PYTHONPATH=python:. build/spark/bin/python benches/spark.py [--texts 200000] [--mixed] [--crowds 700000] [--paper]
"""

import argparse
import json
import os
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
from generate import make_shorts
from scale import shape

JOBS = ("first job", "second job")
PARTS = ("driver", "executors", "daemons")
HERE = Path(__file__).resolve()
UNMEASURED = ["--sample", "0", "--max-failed", "100%"]
"""Options of a run or job without a sample of the recall, which ends whatever fails."""
OF_FILES = ["source", "line"]
"""Columns of decisions on records of files; a job's records are rows."""
PYTHON = str(Path(simsieve.__file__).resolve().parents[1])


def one_machine(source: str, target: str) -> None:
    """Decide on one machine, write the decisions, and print the processor seconds of reading and deciding."""
    from pyarrow import parquet  # noqa: PLC0415 - the cluster's process reads the file

    wall, cpu = time.perf_counter(), time.process_time()
    decisions = simsieve.dedup(Path(source), sample=0, max_failed="100%").decisions
    cpu, wall = time.process_time() - cpu, time.perf_counter() - wall
    parquet.write_table(decisions.to_arrow(), target)
    print(json.dumps([cpu, wall]))


def decided_alone(texts: Path, target: Path) -> tuple[float, float]:
    """Run `one_machine` in a process of its own; its processor and wall seconds."""
    command = [sys.executable, str(HERE), "--one", str(texts), str(target)]
    # The session of a cluster has changed the variable.
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join((PYTHON, str(HERE.parents[1])))}
    printed = subprocess.run(command, check=True, capture_output=True, text=True, env=environment).stdout
    cpu, wall = json.loads(printed)
    return cpu, wall


def command_line(source: Path, folder: Path) -> tuple[float, float]:
    """Do on one machine what the job does: read Parquet, write kept rows and decisions. Processor and wall seconds."""
    words = ["dedup", str(source), "-o", str(folder / "alone.parquet"), "--decisions", str(folder / "all.parquet")]
    wall, before = time.perf_counter(), resource.getrusage(resource.RUSAGE_CHILDREN)
    command = [sys.executable, "-m", "simsieve", *words, *UNMEASURED]
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

    from simsieve.cluster.steps import SentSearch  # noqa: PLC0415 - as above
    from simsieve.spark.engine import df_of  # noqa: PLC0415 - as above
    from simsieve.spark.pipeline import job_of  # noqa: PLC0415 - as above

    job = job_of(spark.read.parquet(str(source)), "text", "id", "number", {})
    spread, search = job.frozen()
    rows = df_of(job.encoded(spread, SentSearch.of(job.scheme, search, job.rules), job.parts_log2(search)))
    sums = rows.where("kind = 'keys'").agg(functions.sum(functions.octet_length("value")).alias("bytes")).first()
    return search.mean_keys or 0.0, (sums["bytes"] or 0) / job.frame.count, 1 << job.parts_log2(search)


SHAPES = ("ordinary", "near each other", "one template", "equal")
MOST = 3.0
"""A shape may take this many times the processor seconds of the ordinary case."""
MACHINES, CORES, BILLION, BYTES = 20, 4, 10**9, 500
"""The cluster and the texts of the estimate."""


def crowds(folder: Path, count: int) -> int:
    """Decide on each shape by a job and on one machine, and compare the decisions and the processor seconds."""
    rows, wrong, ordinary = list[list[Any]](), list[str](), 0.0
    with SparkCluster(python_path=PYTHON) as cluster:
        shape_of(cluster, folder, "ordinary", count)
        for name in SHAPES:
            cpu, one, wall, kept, bad = shape_of(cluster, folder, name, count)
            ordinary = ordinary or cpu
            rows.append([f"{count:,} {name}", cpu, one, cpu / ordinary, kept, wall])
            wrong += bad
            if cpu > MOST * ordinary:
                wrong.append(f"{name}: {cpu:.1f} processor seconds, more than {MOST:g} times {ordinary:.1f}")
    header = ["texts", "CPU s", "one machine, CPU s", "times the ordinary case", "kept", "s"]
    return finish("spark", {"rows": rows}, table(header, rows), wrong, "pyspark")


def shape_of(cluster: SparkCluster, folder: Path, name: str, count: int) -> tuple[float, float, float, int, list[str]]:
    """The processor seconds of a job and of one machine on a shape, wall seconds, kept texts, and what differs."""
    texts, source, alone = folder / "shape.jsonl", folder / "shape.parquet", folder / "shape-one.parquet"
    if name == "ordinary":
        make_shorts(texts, count)
    else:
        with texts.open("w", encoding="utf-8") as file:
            file.writelines(json.dumps({"id": at, "text": text}) + "\n" for at, text in enumerate(shape(name, count)))
    columns_of(source, texts)
    one, _ = decided_alone(texts, alone)
    spent, wall, wrong = decided_by(cluster, source, alone, name)
    kept = decisions_in(alone)["decision"].to_pylist().count("kept")
    return sum(spent), one, wall, kept, wrong


def decided_by(cluster: SparkCluster, source: Path, alone: Path, name: str) -> tuple[list[float], float, list[str]]:
    """Take the decisions to the driver, and write nothing: processor seconds by parts, wall seconds, what differs."""
    from simsieve.spark import dedup  # noqa: PLC0415 - where there is none, `missing` has said so

    spark, before, start = cluster.session(), cluster.cpu_parts(), time.perf_counter()
    found = dedup(spark.read.parquet(str(source)), order="number").toArrow().sort_by("position")
    wall, after = time.perf_counter() - start, cluster.cpu_parts()
    spark.catalog.clearCache()
    return [after[part] - before[part] for part in PARTS], wall, differing(found, decisions_in(alone), name)


def differing(found: Any, wanted: Any, name: str) -> list[str]:
    """Which columns of the decisions differ from those of one machine."""
    columns = ("decision", "representative_position", "distance", "similarity", "reason")
    return [
        f"{name}: {column} differs from one machine"
        for column in columns
        if not found[column].combine_chunks().cast(wanted[column].type).equals(wanted[column].combine_chunks())
    ]


def moved_bytes(spark: Any) -> int:
    """The bytes that all stages so far have written for other stages."""
    gateway = spark.sparkContext._gateway  # noqa: SLF001 - the figures of Spark's own interface, which is off
    nothing = gateway.new_array(gateway.jvm.double, 0)
    stages = spark.sparkContext._jsc.sc().statusStore().stageList(None, False, False, nothing, None)  # noqa: SLF001, FBT003
    found = list(gateway.jvm.scala.jdk.javaapi.CollectionConverters.asJava(stages))
    return sum(stage.shuffleWriteBytes() for stage in found)


def on_paper(moved: float, size: float, cpu: float, texts: int) -> str:
    """What a billion texts take, by the bytes and processor seconds of a measured text."""
    growth = BYTES / size
    shuffled, disk = BILLION * moved * growth, BILLION * (4 * BYTES + 700)
    hours = BILLION * cpu / texts * growth / (MACHINES * CORES) / 3600
    return (
        f"on paper, {BILLION:,} texts of {BYTES} bytes on {MACHINES} executors of {CORES} cores, by {texts:,} texts of"
        f" {size:.0f} bytes: {hours:.1f} h where all cores work; shuffled {shuffled / 1e12:.2f} TB"
        f" ({moved:.0f} bytes a text here, {moved / size:.1f} times its length); on disk {disk / 1e12:.1f} TB"
    )


def decisions_in(path: Path) -> Any:
    """The decisions of a file, or of a folder of files, in the order of the texts."""
    from pyarrow import parquet  # noqa: PLC0415 - as above

    return parquet.read_table(path).sort_by("position")


def main() -> int:
    """Run the measurements and print them."""
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--texts", type=int, default=200_000)
    arguments.add_argument("--mixed", action="store_true")
    arguments.add_argument("--crowds", type=int, metavar="N")
    arguments.add_argument("--paper", action="store_true")
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
        if given.crowds:
            return crowds(folder, given.crowds)
        texts, source, alone = folder / "texts.jsonl", folder / "texts.parquet", folder / "one.parquet"
        made = [sys.executable, str(HERE.with_name("generate.py")), str(texts), "--documents", str(given.texts)]
        subprocess.run([*made, *([] if given.mixed else ["--short"])], check=True, stdout=subprocess.DEVNULL)
        size = columns_of(source, texts)
        cpu, wall = decided_alone(texts, alone)
        rows.append(["simsieve.dedup", cpu, None, None, None, wall])
        cpu, wall = command_line(source, folder)
        rows.append(["simsieve dedup, all written", cpu, None, None, None, wall])
        wanted = decisions_in(alone).drop_columns(OF_FILES)
        with SparkCluster(python_path=PYTHON) as cluster:
            spark = cluster.session()
            for at, called in enumerate(JOBS):
                out, decisions = folder / f"kept{at}", folder / f"decisions{at}"
                shuffled = moved_bytes(spark)
                words = [source, "-o", out, "--decisions", decisions, "--order", "number", *UNMEASURED]
                before, start = cluster.cpu_parts(), time.perf_counter()
                code = job(list(map(str, words)))
                seconds, after = time.perf_counter() - start, cluster.cpu_parts()
                spent = [after[part] - before[part] for part in PARTS]
                rows.append([called, sum(spent), *spent, seconds])
                a_text = (moved_bytes(spark) - shuffled) / given.texts
                found = decisions_in(decisions).select(wanted.schema.names).cast(wanted.schema)
                if code or not found.equals(wanted):
                    wrong.append(f"{called}: exit code {code}, or decisions that differ")
                spark.catalog.clearCache()
            spent, seconds, bad = decided_by(cluster, source, alone, "decisions alone")
            rows.append(["decisions alone", sum(spent), *spent, seconds])
            wrong += bad
            keys, moved, parts = key_bytes(spark, source)
    header = ["", "CPU s", *(f"{part}, CPU s" for part in PARTS), "s"]
    paper = "\n" + on_paper(a_text, size / given.texts, rows[-2][1], given.texts) if given.paper else ""
    told = (
        f"{given.texts:,} texts of {size / given.texts:.0f} bytes; {keys:.1f} keys a text, which move as"
        f" {moved:.0f} bytes in {parts} partitions; {len(wanted):,} decisions compared; {a_text:.0f} bytes of"
        f" shuffle a text{paper}"
    )
    result = {
        "texts": given.texts,
        "rows": rows,
        "shuffle_bytes": a_text,
        "keys": keys,
        "key_bytes": moved,
        "partitions": parts,
    }
    return finish("spark", result, f"{table(header, rows)}\n{told}", wrong, "pyspark")


if __name__ == "__main__":
    sys.exit(main())
