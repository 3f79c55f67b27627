"""Measures the served review of a run: how long its page takes to open, and each answer that it waits for.

The collection is made here: families of three records that differ in a number and a word. Two of them are near
duplicates. `simsieve review --serve` runs as a program of its own. The first page is that of a browser, with the first
document shown; the answers are those of HTTP, by their median and their greatest time. A verdict is on the disk when it
is answered.

The answer is wrong if the page, by the median of three browsers, or any answer takes longer than a second, or a table
has other verdicts than were given. Without playwright or a chromium, which CHROMIUM may name, the page
is not measured.

Usage: review.py [--documents N] [--repeat N] [--folder F]
"""

import argparse
import csv
import http.client
import io
import json
import os
import random
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from common import finish, table

SECONDS = 1.0
BROWSERS = 3
FAMILY = 3
ASKED = {
    "begin": "begin", "next document to judge": "item?after=0", "document in the middle": "item?rank={middle}",
    "changes": "changes?after=0", "largest groups first": "item?order=size&after=0",
    "filter by similarity": "item?similarity_to=0.9{again}&after=0",
    "filter by length": "item?length_from=1{again}&after=0",
}  # fmt: skip


def write_records(path: Path, documents: int) -> None:
    """Write families of records, of words that are no other family's by chance."""
    draw = random.Random(1)
    syllables = [one + other for one in "bdfgklmnprstvz" for other in "aeiou"]
    with path.open("w", encoding="utf-8") as file:
        for family in range(documents // FAMILY):
            stem = " ".join("".join(draw.choices(syllables, k=4)) for _ in range(20))
            for member in range(FAMILY):
                text = f"{stem} {draw.randrange(10, 99)} {'and' if member else 'or'} {draw.choice(syllables)}"
                file.write(json.dumps({"id": f"{family}-{member}", "text": text, "answer": f"{family % 9}"}) + "\n")


class Page:
    """A running page, and requests to it."""

    def __init__(self, source: Path, folder: Path) -> None:
        command = [
            sys.executable,
            "-m",
            "simsieve",
            "review",
            str(source),
            "--serve",
            "--port",
            "0",
            "--show",
            "answer",
        ]
        command += ["--log", str(folder / "verdicts.sqlite"), "--quiet"]
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        assert self.process.stdout is not None
        self.address = self.process.stdout.readline().strip()
        self.host, _, self.token = self.address.removeprefix("http://").partition("/?token=")
        self.connection = http.client.HTTPConnection(self.host, timeout=600)
        self.cookie = ""

    def ask(self, path: str, body: Any = None) -> tuple[float, Any]:
        """Ask once: the seconds until the answer, and the answer."""
        headers = {"Cookie": self.cookie, "Origin": f"http://{self.host}", "Content-Type": "application/json"}
        start = time.perf_counter()
        given = None if body is None else json.dumps(body)
        self.connection.request("GET" if body is None else "POST", path, given, headers)
        answer = self.connection.getresponse()
        content = answer.read()
        took = time.perf_counter() - start
        if answer.getheader("set-cookie"):
            self.cookie = (answer.getheader("set-cookie") or "").partition(";")[0]
        return took, content if "json" not in answer.getheader("content-type", "") else json.loads(content)


def first_page(address: str, chromium: str) -> float:
    """Open an address in a new browser: the seconds until the first document is there."""
    from playwright.sync_api import sync_playwright  # noqa: PLC0415 - where it is not installed, nothing is measured

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        page = browser.new_page()
        start = time.perf_counter()
        page.goto(address)
        page.wait_for_selector("near-pair[aria-current=true]")
        took = time.perf_counter() - start
        browser.close()
    return took


def judged(page: Page, repeat: int) -> tuple[list[float], dict[str, str]]:
    """Give verdicts on the first documents: the seconds of each, and the verdict by record."""
    times, said = [], {}
    for rank in range(repeat):
        pair = page.ask(f"/api/item?rank={rank}")[1]["pairs"][0]
        word = "different" if rank % 3 else "same"
        took, answer = page.ask("/api/verdict", {"position": pair["position"], "verdict": word, "seen": 0})
        times.append(took)
        assert answer["pair"]["verdict"] == word
        said[str(pair["position"])] = word
    return times, said


def main() -> int:
    """Measure."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--documents", type=int, default=30_000, help="records of the collection")
    parser.add_argument("--repeat", type=int, default=20, help="how often each answer is asked for")
    parser.add_argument("--folder", type=Path, help="where the collection is made; by default a temporary folder")
    options = parser.parse_args()
    chromium = os.environ.get("CHROMIUM") or shutil.which("chromium") or shutil.which("google-chrome")
    times: dict[str, list[float]] = {}
    with tempfile.TemporaryDirectory(dir=options.folder) as name:
        folder = Path(name)
        write_records(folder / "in.jsonl", options.documents)
        start = time.perf_counter()
        page = Page(folder / "in.jsonl", folder)
        times["until it is served"] = [time.perf_counter() - start]
        try:
            page.ask(f"/?token={page.token}")
            invited = [page.ask("/api/invite", {"name": "browser"})[1]["token"] for _ in range(BROWSERS)]
            if chromium is None:
                print("NOT MEASURED: the first page, for there is no chromium", file=sys.stderr)
            else:
                times["first page in a browser"] = [
                    first_page(f"http://{page.host}/?token={token}", chromium) for token in invited
                ]
                # The server has ended a connection that was silent meanwhile.
                page.connection.close()
            state = page.ask("/api/begin")[1]["state"]
            for what, path in ASKED.items():
                every = []
                for number in range(options.repeat):
                    asked = path.format(middle=state["items"] // 2, again=f"{number:03}" if number < 3 else "")
                    every.append(page.ask(f"/api/{asked}")[0])
                times[what] = every
            times["a verdict, durable"], said = judged(page, options.repeat)
            times["undo"] = [page.ask("/api/undo", {})[0]]
            said.popitem()
            content = page.ask("/api/verdicts.csv")[1].decode("utf-8-sig")
            written = {row["position_b"]: row["verdict"] for row in csv.DictReader(io.StringIO(content))}
            memory = int(Path(f"/proc/{page.process.pid}/status").read_text().partition("VmRSS:")[2].split()[0]) // 1024
        finally:
            page.process.terminate()
            page.process.wait()
    rows = [(what, statistics.median(every), max(every)) for what, every in times.items()]
    bounded = {what: mid if "browser" in what else most for what, mid, most in rows if what != "until it is served"}
    wrong = [f"{what}: {seconds:.2f} s" for what, seconds in bounded.items() if seconds > SECONDS]
    wrong += [] if written == said else ["the table has other verdicts than were given"]
    spent = resource.getrusage(resource.RUSAGE_CHILDREN)
    found = {
        "documents": options.documents, "near": state["near"], "items": state["items"], "memory_mb": memory,
        "cpu_seconds": round(spent.ru_utime + spent.ru_stime, 1), "seconds": {what: most for what, _, most in rows},
    }  # fmt: skip
    shown = table(
        ("answer", "median seconds", "slowest"), [(what, f"{mid:.4f}", f"{most:.4f}") for what, mid, most in rows]
    )
    return finish("review", found, shown, wrong, "starlette", "uvicorn", "playwright")


if __name__ == "__main__":
    sys.exit(main())
