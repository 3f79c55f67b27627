"""Measures the service: single texts and batches over HTTP on loopback, beside an application that only says hello.

The index is of generated questions, as in `benches/index.py`. Texts of 160 to 240 characters that it does not have are
asked about and added. Server and client share the processors, so requests a second are told with the processor seconds
of the server alone. Latencies are wall time, at half of the rate that was reached before.

The answer is wrong if a decision over HTTP is not that of `Index.check_texts` alone, a request fails, or a document
whose addition was acknowledged is not in the index when the service has ended.

Usage: serve.py [--documents N] [--requests N] [--memory-requests N] [--folder F]
"""

import argparse
import asyncio
import json
import os
import signal
import socket
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from itertools import cycle, islice
from pathlib import Path
from typing import Any

import uvicorn
import uvloop
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse
from starlette.routing import Route

from common import finish, table
from large import questions_file
from simsieve import Index

HEADER = ("work", "texts a request", "connections", "requests", "requests/s", "texts/s", "server CPU us a text",
          "texts a server CPU s", "median ms", "p99 ms")  # fmt: skip
HOST = "127.0.0.1"
BATCH = 1000


class Connection(asyncio.Protocol):
    """One connection: sends a request, waits for its answer, and sends the next one."""

    def __init__(self, load: "Load") -> None:
        self.load, self.data, self.wanted, self.start = load, bytearray(), 0, 0.0

    def connection_made(self, transport: Any) -> None:
        """Begin."""
        self.transport = transport
        self.next()

    def next(self) -> None:
        """Send the next request, when it is due."""
        request = next(self.load.requests, None)
        if request is None:
            self.transport.close()
            return
        due, loop = self.load.due(), asyncio.get_running_loop()
        self.number, body = request
        if due <= loop.time():
            self.send(body, due)
        else:
            loop.call_at(due, self.send, body, due)

    def send(self, body: bytes, due: float) -> None:
        """Send one; a latency begins when it was due."""
        self.start = due if self.load.rate else asyncio.get_running_loop().time()
        self.transport.write(body)

    def data_received(self, data: bytes) -> None:
        """Take a part of an answer."""
        self.data += data
        if not self.wanted:
            end = self.data.find(b"\r\n\r\n")
            if end < 0:
                return
            head = bytes(self.data[:end]).lower()
            self.wanted = end + 4 + int(head.split(b"content-length: ")[1].split(b"\r\n")[0])
            self.status = int(head[9:12])
            self.at = end + 4
        if len(self.data) >= self.wanted:
            self.load.times.append(asyncio.get_running_loop().time() - self.start)
            self.load.answers[self.number] = (self.status, bytes(self.data[self.at :]))
            self.data, self.wanted = bytearray(), 0
            self.next()

    def connection_lost(self, _: Exception | None) -> None:
        """End."""
        self.load.open -= 1
        if not self.load.open:
            self.load.done.set_result(None)


class Load:
    """Requests over some connections, as fast as they are answered or at a rate."""

    def __init__(self, requests: Sequence[bytes], connections: int, rate: float = 0.0) -> None:
        self.requests: Iterator[tuple[int, bytes]] = iter(list(enumerate(requests)))
        self.open, self.rate, self.sent = connections, rate, 0
        self.times: list[float] = []
        self.answers: dict[int, tuple[int, bytes]] = {}

    def due(self) -> float:
        """When the next request is to be sent."""
        now = asyncio.get_running_loop().time()
        if not self.rate:
            return now
        self.sent += 1
        return self.begun + self.sent / self.rate

    async def run(self, port: int) -> float:
        """Send all, and give the seconds that it took."""
        loop = asyncio.get_running_loop()
        self.done, self.begun = loop.create_future(), loop.time()
        for _ in range(self.open):
            await loop.create_connection(lambda: Connection(self), HOST, port)
        await self.done
        return loop.time() - self.begun


def processor_seconds(process: int) -> float:
    """Processor seconds of a process so far."""
    parts = Path(f"/proc/{process}/stat").read_text(encoding="ascii").rpartition(")")[2].split()
    return (int(parts[11]) + int(parts[12])) / os.sysconf("SC_CLK_TCK")


def resident_mb(process: int) -> float:
    """Memory of a process in MB."""
    return int(Path(f"/proc/{process}/statm").read_text(encoding="ascii").split()[1]) * os.sysconf("SC_PAGE_SIZE") / 1e6


def request(path: str, body: Any) -> bytes:
    """A request as bytes."""
    raw = b"" if body is None else json.dumps(body, ensure_ascii=False).encode()
    head = f"{'GET' if body is None else 'POST'} {path} HTTP/1.1\r\nHost: {HOST}\r\n"
    kind = f"Content-Type: application/json\r\nContent-Length: {len(raw)}\r\n" if raw else ""
    return f"{head}{kind}\r\n".encode() + raw


class Bench:
    """Rows of figures on one server."""

    def __init__(self, process: int, port: int, rows: list[dict[str, Any]], faults: list[str]) -> None:
        self.process, self.port, self.rows, self.faults = process, port, rows, faults

    def __call__(
        self, work: str, requests: Sequence[bytes], connections: int, texts: int = 1, rate: float = 0.0
    ) -> dict[int, tuple[int, bytes]]:
        """Send requests, and note what they took."""
        load = Load(requests, connections, rate)
        before = processor_seconds(self.process)
        seconds = uvloop.run(load.run(self.port))
        cpu, count = processor_seconds(self.process) - before, len(requests)
        bad = [status for status, _ in load.answers.values() if status != 200]
        if bad or len(load.answers) != count:
            self.faults.append(f"{work}: {len(bad)} of {count} requests failed, the first with {bad[:1]}")
        row: dict[str, Any] = {
            "work": work, "texts a request": texts, "connections": connections, "requests": count,
            "requests/s": round(count / seconds), "texts/s": round(count * texts / seconds),
            "server CPU us a text": round(cpu / count / texts * 1e6, 1),
            "texts a server CPU s": round(count * texts / cpu) if cpu else None,
            "median ms": round(statistics.median(load.times) * 1e3, 2),
            "p99 ms": round(statistics.quantiles(load.times, n=100)[98] * 1e3, 2),
        }  # fmt: skip
        self.rows.append(row)
        return load.answers


@contextmanager
def served(words: Sequence[str]) -> Iterator[tuple[int, int]]:
    """Start a server, and give its process and its port."""
    with subprocess.Popen([sys.executable, *words], stderr=subprocess.PIPE) as process:
        assert process.stderr is not None
        port = int(json.loads(process.stderr.readline())["url"].rpartition(":")[2])
        try:
            yield process.pid, port
        finally:
            process.send_signal(signal.SIGTERM)
            process.wait()


def hello() -> None:
    """Serve an application of starlette that only says hello, with the server that the service has."""

    async def answer(_: Request) -> JSONResponse:
        return JSONResponse({"hello": "world"})

    app = Starlette(routes=[Route("/", answer)])
    with socket.socket() as bound:
        bound.bind((HOST, 0))
        bound.listen()
        print(json.dumps({"url": f"http://{HOST}:{bound.getsockname()[1]}"}), file=sys.stderr, flush=True)
        uvicorn.Server(uvicorn.Config(app, access_log=False, log_config=None)).run(sockets=[bound])


def new_texts(path: Path, first: int, count: int) -> list[str]:
    """Texts of 160 to 240 characters behind the first ones of a file; where there are too few, with other numbers."""
    with path.open(encoding="utf-8") as lines:
        texts = [json.loads(line)["text"] for line in islice(lines, first, None)]
    long = [text for text in texts if 160 <= len(text) <= 240]
    return [f"{text} {at}" if at >= len(long) else text for at, text in zip(range(count), cycle(long), strict=False)]


def posted(endpoint: str, texts: Sequence[str], name: str, size: int = 1) -> list[bytes]:
    """Requests with `size` of the texts each, whose ids begin with `name`."""
    documents = [{"id": f"{name}{at}", "text": text} for at, text in enumerate(texts)]
    blocks = (documents[at : at + size] for at in range(0, len(documents), size))
    return [request(f"/v1/indexes/seen/{endpoint}", {"documents": block}) for block in blocks]


def measured(bench: Bench, texts: list[str], memory_requests: int) -> tuple[dict[int, tuple[int, bytes]], list[float]]:
    """Ask and add in every way; the answers to single questions, and the memory of the service."""
    count = len(texts)
    asked = posted("check", texts, "")
    bench("healthz", [request("/healthz", None)] * count, 32)
    bench("warm", asked[:500], 32)
    bench.rows.pop()
    for connections in (1, 8, 32, 128):
        answers = bench("check", asked[: count // (10 if connections == 1 else 1)], connections)
    bench("check at half load", asked[: count // 2], 128, rate=bench.rows[-1]["requests/s"] / 2)
    bench("check, batches", posted("check", texts, "", BATCH) * 2, 4, BATCH)
    for connections in (1, 32, 128):
        new = [f"{text} {at * 7919} {connections}" for at, text in enumerate(texts[: count // 4])]
        singles = posted("add", new, f"s{connections}-")
        bench("add, durable", singles[: count // (80 if connections == 1 else 4)], connections)
    bench(
        "add, batches, durable",
        posted("add", [f"{text} {at} x" for at, text in enumerate(texts)], "b", BATCH),
        2,
        BATCH,
    )
    memory = [resident_mb(bench.process)]
    for _ in range(4 if memory_requests else 0):
        bench("memory", list(islice(cycle(asked), memory_requests // 4)), 64)
        memory.append(resident_mb(bench.process))
    return answers, memory


def main() -> int:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--documents", type=int, default=1_000_000)
    parser.add_argument("--requests", type=int, default=20_000)
    parser.add_argument("--memory-requests", type=int, default=0)
    parser.add_argument("--folder", type=Path)
    parser.add_argument("--hello", action="store_true", help="only serve hello")
    options = parser.parse_args()
    if options.hello:
        hello()
        return 0
    rows: list[dict[str, Any]] = []
    faults: list[str] = []
    with tempfile.TemporaryDirectory(dir=options.folder) as made:
        source = questions_file(options.folder or Path(made), options.documents)
        first = options.documents * 9 // 10
        path, head = Path(made) / "seen", Path(made) / "head.jsonl"
        with source.open("rb") as lines, head.open("wb") as out:
            out.writelines(islice(lines, first))
        Index.create(path, head, expect=options.documents, sample=0).close()
        texts = new_texts(source, first, options.requests)
        with Index.open(path) as index:
            alone = [index.check_texts([text])[0] for text in texts[:1000]]
        with served([__file__, "--hello"]) as (process, port):
            bench = Bench(process, port, rows, faults)
            bench("hello", [request("/", None)] * 500, 32)
            rows.clear()
            bench("hello", [request("/", None)] * options.requests, 32)
        with served(["-m", "simsieve", "serve", str(path), "--port", "0", "--quiet"]) as (process, port):
            answers, memory = measured(Bench(process, port, rows, faults), texts, options.memory_requests)
        faults += wrong(answers, alone)
        with Index.open(path) as index:
            lost = [at for at in range(options.requests) if f"b{at}" not in index]
        faults += [f"b{at} was acknowledged and is not there" for at in lost[:3]]
    shown = table(HEADER, ([row.get(name) for name in HEADER] for row in rows))
    shown += "\nmemory of the service, MB: " + ", ".join(f"{one:.0f}" for one in memory)
    return finish("serve", {"rows": rows, "memory_mb": memory}, shown, faults)


def wrong(answers: dict[int, tuple[int, bytes]], alone: Sequence[Any]) -> list[str]:
    """What is another decision over HTTP than of a text alone."""
    names = ("decision", "representative", "distance", "similarity", "reason", "lost")
    faults = []
    for at, one in enumerate(alone):
        (got,) = json.loads(answers[at][1])["decisions"]
        if got["id"] != str(at) or any(got[name] != getattr(one, name) for name in names):
            faults.append(f"text {at}: {got}, and alone {one}")
    return faults[:3]


if __name__ == "__main__":
    sys.exit(main())
