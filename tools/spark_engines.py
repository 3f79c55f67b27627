"""Engines that speak the protocol of Spark Connect, as processes on this machine, for the tests of jobs.

`connect` is the server of the pip package `pyspark` before a standalone cluster; `sail` is the server of the package
`pysail`, which has no Java. A process has sessions of one kind: of Connect, or of a cluster of its own.
"""

import importlib.util
import os
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from tools.ports import HOST, free_port
from tools.spark_cluster import SparkCluster
from tools.spark_cluster import missing as missing_cluster

ENGINES = ("cluster", "connect", "sail")
NEEDED = {"connect": ("grpc", "pip install 'pyspark[connect]==4.3.0'"), "sail": ("pysail", "pip install pysail==0.7.2")}
_PATIENCE = 180
_SERVER = "org.apache.spark.sql.connect.service.SparkConnectServer"
_SAIL = """import sys
from pysail.spark import SparkConnectServer
SparkConnectServer(sys.argv[1], int(sys.argv[2])).start(background=False)
"""


def missing(engine: str) -> str | None:
    """What an engine needs and this machine does not have; None where it has all."""
    module, advice = NEEDED.get(engine, ("pyspark", ""))
    if importlib.util.find_spec(module) is None:
        return advice
    return None if engine == "sail" else missing_cluster()


@contextmanager
def sessions(engine: str, python_path: str) -> Iterator[Any]:
    """Give the session of an engine; its processes end with the block.

    Args:
        engine: `connect` or `sail`.
        python_path: Folders from which its workers import.
    """
    port = free_port()
    if engine == "sail":
        with tempfile.NamedTemporaryFile() as log:
            process = subprocess.Popen(
                [sys.executable, "-c", _SAIL, HOST, str(port)],
                env={**os.environ, "PYTHONPATH": python_path}, stdout=log, stderr=subprocess.STDOUT,
            )  # fmt: skip
            try:
                with _session(port, process, Path(log.name)) as session:
                    yield session
            finally:
                process.kill()
                process.wait()
        return
    with SparkCluster(python_path=python_path) as cluster:
        process = cluster.start(
            "connect", "org.apache.spark.deploy.SparkSubmit", "--class", _SERVER, "--master", cluster.url,
            *(word for name, value in cluster.options().items() for word in ("--conf", f"{name}={value}")),
            "--conf", f"spark.connect.grpc.binding.port={port}", "spark-internal", memory="1g",
        )  # fmt: skip
        with _session(port, process, cluster.folder / "connect.log") as session:
            yield session


@contextmanager
def _session(port: int, process: "subprocess.Popen[bytes]", log: Path) -> Iterator[Any]:
    from pyspark.sql import SparkSession  # noqa: PLC0415 - where there is none, `missing` says so

    end = time.monotonic() + _PATIENCE
    while True:
        with socket.socket() as probe:
            if probe.connect_ex((HOST, port)) == 0:
                break
        if time.monotonic() > end or process.poll() is not None:
            raise RuntimeError(f"the server did not start: {log.read_text(errors='replace')[-3000:]}")
        time.sleep(0.2)
    # `SparkSession.builder.getOrCreate()` of a program gives this session too.
    os.environ["SPARK_REMOTE"] = f"sc://{HOST}:{port}"
    session = SparkSession.builder.getOrCreate()
    try:
        yield session
    finally:
        # A client whose server is gone would ask it for minutes when the process ends.
        session.stop()
