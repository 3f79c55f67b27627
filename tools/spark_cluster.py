"""A cluster of Spark on this machine out of the pip package: a master and two workers as processes of their own.

For tests, `make demo-spark` and measurements. It listens on the loopback interface alone, keeps its files in a folder
that goes with it, and ends the processes that it started, by their ids.
"""

import importlib.util
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from contextlib import suppress
from pathlib import Path
from typing import Any, Self

from tools.ports import HOST, free_port

PACKAGE = "pyspark==4.3.0"
_PATIENCE = 180
# A short job is over before the second compiler of Java pays.
_QUICK = "-XX:+UseSerialGC -XX:TieredStopAtLevel=1"


def missing() -> str | None:
    """What a cluster needs and this machine does not have; None where it has all."""
    if importlib.util.find_spec("pyspark") is None:
        return f"pip install '{PACKAGE}' 'pandas<3' pyarrow"
    if shutil.which("java") is None:
        return "install Java 17 or later"
    return None


class SparkCluster:
    """A standalone master and some workers with one core each.

    Args:
        workers: How many workers.
        python_path: Folders from which the executors import.
    """

    def __init__(self, workers: int = 2, python_path: str = os.environ.get("PYTHONPATH", "")) -> None:
        import pyspark  # noqa: PLC0415 - where there is none, `missing` says so

        self.home = Path(pyspark.__file__).parent
        self.folder = Path(tempfile.mkdtemp(prefix="simsieve-spark-"))
        self.url = f"spark://{HOST}:{free_port()}"
        self.processes: list[subprocess.Popen[bytes]] = []
        self.python_path = python_path
        self._workers = workers
        self._session: Any = None
        self._before = dict(os.environ)

    def __enter__(self) -> Self:
        """Start the processes and wait until the master listens."""
        port = int(self.url.rpartition(":")[2])
        master = "org.apache.spark.deploy.master.Master"
        self.start("master", master, "--host", HOST, "--port", str(port), "--webui-port", "0")
        end = time.monotonic() + _PATIENCE
        while True:
            with socket.socket() as probe:
                if probe.connect_ex((HOST, port)) == 0:
                    break
            if time.monotonic() > end or self.processes[0].poll() is not None:
                log = (self.folder / "master.log").read_text(errors="replace")
                self.close()
                raise RuntimeError(f"the master did not start: {log[-1000:]}")
            time.sleep(0.2)
        for _ in range(self._workers):
            self.add_worker()
        return self

    def __exit__(self, *_: object) -> None:
        """End all."""
        self.close()

    def add_worker(self) -> subprocess.Popen[bytes]:
        """Start a worker."""
        number = len(list(self.folder.glob("worker*.log")))
        folder = self.folder / f"worker{number}"
        folder.mkdir()
        return self.start(
            f"worker{number}", "org.apache.spark.deploy.worker.Worker", "--host", HOST, "--cores", "1",
            "--memory", "2g",
            "--webui-port", "0", "--work-dir", str(folder), self.url,
        )  # fmt: skip

    def session(self, **options: str) -> Any:
        """Give the session of this process; options are those of Spark, with `__` for a dot."""
        if self._session is not None:
            return self._session
        from pyspark.sql import SparkSession  # noqa: PLC0415 - as above

        os.environ.update(self._environment())
        builder = SparkSession.builder.master(self.url).appName("simsieve")
        for name, value in (
            self.options() | {name.replace("__", "."): value for name, value in options.items()}
        ).items():
            builder = builder.config(name, value)
        self._session = builder.getOrCreate()
        self._session.sparkContext.setLogLevel("ERROR")
        return self._session

    def options(self) -> dict[str, str]:
        """Give the options of a session."""
        return {
            "spark.driver.host": HOST, "spark.driver.bindAddress": HOST, "spark.driver.memory": "1g",
            "spark.executor.memory": "1g", "spark.ui.enabled": "false", "spark.sql.shuffle.partitions": "8",
            "spark.executorEnv.PYTHONPATH": self.python_path, "spark.ui.showConsoleProgress": "false",
            "spark.driver.extraJavaOptions": _QUICK, "spark.executor.extraJavaOptions": _QUICK,
            "spark.local.dir": str(self.folder / "local"), "spark.sql.warehouse.dir": str(self.folder / "warehouse"),
        }  # fmt: skip

    def cpu_seconds(self) -> float:
        """The processor time of this process, of its children and of the cluster, so far."""
        return sum(self.cpu_parts().values())

    def cpu_parts(self) -> dict[str, float]:
        """The processor time so far of the driver (this process and its Java), of the executors and of the daemons."""
        whole = sum(_cpu_seconds(process.pid) for process in self.processes)
        daemons = sum(_own_seconds(process.pid) for process in self.processes)
        # The cluster's processes are children of this one.
        driver = _cpu_seconds(os.getpid()) - whole
        return {"driver": driver, "executors": whole - daemons, "daemons": daemons}

    def close(self) -> None:
        """Stop the session and the processes, and remove the files."""
        if self._session is not None:
            context = self._session.sparkContext
            gateway = context._gateway  # noqa: SLF001 - `stop` leaves the process of Java
            self._session.stop()
            self._session = None
            gateway.shutdown()
            type(context)._gateway = type(context)._jvm = None  # noqa: SLF001 - as above
            gateway.proc.terminate()
            gateway.proc.wait(_PATIENCE)
        for process in reversed(self.processes):
            # Each is the leader of a group: a worker's executors are in it.
            for sent in (signal.SIGTERM, signal.SIGKILL):
                try:
                    os.killpg(process.pid, sent)
                    process.wait(10)
                except ProcessLookupError:
                    break
                except subprocess.TimeoutExpired:
                    continue
        self.processes.clear()
        os.environ.clear()
        os.environ.update(self._before)
        shutil.rmtree(self.folder, ignore_errors=True)

    def _environment(self) -> dict[str, str]:
        return {
            "SPARK_HOME": str(self.home), "PYSPARK_PYTHON": sys.executable, "PYSPARK_DRIVER_PYTHON": sys.executable,
            "SPARK_LOCAL_IP": HOST, "SPARK_LOCAL_DIRS": str(self.folder / "local"),
            "PYTHONPATH": self.python_path, "SPARK_DAEMON_JAVA_OPTS": _QUICK,
        }  # fmt: skip

    def start(self, name: str, *command: str, memory: str = "256m") -> subprocess.Popen[bytes]:
        """Start a program of Spark, which ends with the cluster; its log has the name."""
        with (self.folder / f"{name}.log").open("wb") as log:
            process = subprocess.Popen(
                [str(self.home / "bin" / "spark-class"), *command],
                env={**os.environ, **self._environment(), "SPARK_DAEMON_MEMORY": memory},
                stdout=log, stderr=subprocess.STDOUT,
                start_new_session=True, cwd=self.folder,
            )  # fmt: skip
        self.processes.append(process)
        return process


def _cpu_seconds(pid: int) -> float:
    """The processor time of a process, of its children that have ended, and of those that run."""
    ticks = os.sysconf("SC_CLK_TCK")
    total, stack = 0.0, [pid]
    while stack:
        at = stack.pop()
        try:
            fields = Path(f"/proc/{at}/stat").read_text().rpartition(")")[2].split()
            threads = list(Path(f"/proc/{at}/task").iterdir())
        except OSError:
            continue
        total += sum(map(int, fields[11:15])) / ticks
        for thread in threads:
            # A thread that has ended meanwhile must not hide its process.
            with suppress(OSError):
                stack += [int(child) for child in (thread / "children").read_text().split()]
    return total


def _own_seconds(pid: int) -> float:
    """The processor time of a process without its children."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return sum(map(int, fields[11:13])) / os.sysconf("SC_CLK_TCK")
