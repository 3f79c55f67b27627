"""Measures how long a browser takes to open the pages of a run: report, review, curves and edits.

The pages are those of the examples, or the files that `--page` names. Each is opened in a new context without a
network, on a wide and a narrow screen, and the median and the maximum of several times are shown. The answer is wrong
if a page takes longer than two seconds. It needs playwright and a chromium of the system, which CHROMIUM may name.

`--passages N` measures the served page on passages instead: of N texts of 4,000 characters that are made here, seven of
ten with paragraphs that others have too. The page is there when its table and its graph are.

Usage: browser.py [--source FILE | --page FILE ... | --passages N] [--repeat N]
"""

import argparse
import contextlib
import json
import os
import random
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from common import finish, memory_of, table
from simsieve.cli import main as simsieve

SIZES = {"wide": (1280, 900), "narrow": (390, 844)}
SECONDS = 2.0
STEPS = (
    ("open", None, "#graph > *"), ("order by name", "#table thead button", "#table th:first-child[aria-sort]"),
    ("a document", "#table tbody button", "#text mark"), ("a source beside it", "#sources button", "#twin mark"),
)  # fmt: skip
"""What a person does on the page on passages, where they click, and what is there then."""
SOURCE = Path(__file__).resolve().parents[1] / "examples/texts.jsonl"


def made(source: Path, folder: Path) -> dict[str, Path]:
    """Write a page of each kind."""
    files = {name: folder / f"{name}.html" for name in ("report", "review", "curves", "edits")}
    given = str(source)
    edits = ["--min-characters", "0", "--draws", "1", "--report", str(files["edits"])]
    for words in (
        ["dedup", given, "-o", str(folder / "kept.jsonl"), "--report", str(files["report"])],
        ["review", given, "-o", str(files["review"])],
        ["calibrate", given, "--report", str(files["curves"])],
        ["evaluate", "edits", given, *edits],
    ):
        with contextlib.redirect_stdout(sys.stderr):
            if simsieve([*words, "--quiet"]) != 0:
                raise SystemExit(f"simsieve {words[0]} failed")
    return files


def seconds_to_open(browser: Any, page: Path, size: tuple[int, int]) -> float:
    """Open a page without a network: the seconds until it is loaded."""
    context = browser.new_context(viewport={"width": size[0], "height": size[1]}, offline=True)
    opened = context.new_page()
    start = time.perf_counter()
    opened.goto(page.as_uri())
    took = time.perf_counter() - start
    context.close()
    return took


def write_essays(path: Path, count: int) -> None:
    """Write texts of sentences of their own, and of paragraphs from a pool."""
    draw = random.Random(1)
    words = ["".join(draw.choices("abcdefghijklmnoprstuvw", k=draw.randint(2, 9))) for _ in range(8000)]

    def sentences(number: int) -> str:
        return " ".join(" ".join(draw.choices(words, k=draw.randint(8, 20))) + "." for _ in range(number))

    pool = [sentences(3) for _ in range(count // 4)]
    with path.open("w", encoding="utf-8") as file:
        for at in range(count):
            text = ""
            while len(text) < 4000:
                text += (draw.choice(pool) if at % 10 >= 3 and draw.random() < 0.08 else sentences(1)) + "\n"
            file.write(json.dumps({"id": f"e{at}", "title": f"Essay {at}", "text": text}) + "\n")


def seconds_of_passages(browser: Any, folder: Path, count: int, repeat: int) -> tuple[dict[str, list[float]], str]:
    """Serve the page on passages: the seconds of each step of a person, and what else it takes."""
    write_essays(folder / "essays.jsonl", count)
    command = [sys.executable, "-m", "simsieve", "passages", "essays.jsonl", "--show", "title", "--serve", "--quiet"]
    found: dict[str, list[float]] = {name: [] for name, *_ in STEPS}
    start = time.perf_counter()
    with subprocess.Popen(command, cwd=folder, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as served:
        assert served.stdin is not None
        assert served.stdout is not None
        address = served.stdout.readline().strip()
        begun = time.perf_counter() - start
        for _ in range(repeat):
            page = browser.new_page()
            sent: list[int] = []
            page.on("response", lambda one, sent=sent: sent.append(int(one.headers.get("content-length", 0))))
            sizes = []
            for name, place, ready in STEPS:
                start = time.perf_counter()
                page.goto(address) if place is None else page.locator(place).first.click()
                page.wait_for_selector(ready)
                found[name].append(time.perf_counter() - start)
                sizes.append(f"{name} {sum(sent):,}")
                sent.clear()
            page.close()
            served.stdin.write("\n")
            served.stdin.flush()
            address = served.stdout.readline().strip()
        memory = memory_of(served.pid).get("VmHWM", 0) >> 20
        served.terminate()
    told = f"\n{count:,} documents: {begun:.1f} s from the command to the address, {memory:,} MB; bytes sent: "
    return found, told + ", ".join(sizes)


def main() -> int:
    """Measure every page on every screen."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--source", type=Path, default=SOURCE, help="the records of which the pages are made")
    parser.add_argument("--page", type=Path, action="append", help="a page to open; may be given several times")
    parser.add_argument("--passages", type=int, metavar="N", help="measure the served page on passages of N texts")
    parser.add_argument("--repeat", type=int, default=5, help="how often each page is opened")
    options = parser.parse_args()
    chromium = os.environ.get("CHROMIUM") or shutil.which("chromium") or shutil.which("google-chrome")
    try:
        from playwright.sync_api import sync_playwright  # noqa: PLC0415 - where it is not installed, nothing is measured
    except ImportError:
        chromium = None
    if chromium is None:
        print("NOT MEASURED: browser, for there is no playwright or no chromium", file=sys.stderr)
        return finish("browser", {"not_measured": ["browser"]}, "nothing measured", [])
    found: dict[str, list[float]] = {}
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        told = ""
        if options.passages is not None:
            found, told = seconds_of_passages(browser, Path(folder), options.passages, options.repeat)
        named = {page.name: page.resolve() for page in options.page or ()}
        pages = named or ({} if found else made(options.source, Path(folder)))
        for name, page in pages.items():
            for screen, size in SIZES.items():
                times = [seconds_to_open(browser, page, size) for _ in range(options.repeat)]
                found[f"{name}, {screen}"] = times
        browser.close()
    rows = [(name, statistics.median(times), max(times)) for name, times in found.items()]
    wrong = [f"{name}: {slowest:.2f} s, at most {SECONDS:g} asked" for name, _, slowest in rows if slowest > SECONDS]
    medians = {name: median for name, median, _ in rows}
    readable = table(("page", "seconds", "slowest"), rows) + told
    return finish("browser", {"seconds": medians}, readable, wrong, "playwright")


if __name__ == "__main__":
    sys.exit(main())
