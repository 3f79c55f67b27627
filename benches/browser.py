"""Measures how long a browser takes to open the pages of a run: report, review, curves and edits.

The pages are those of the examples, or the files that `--page` names. Each is opened in a new context without a
network, on a wide and a narrow screen, and the median and the maximum of several times are shown. The answer is wrong
if a page takes longer than two seconds. It needs playwright and a chromium of the system, which CHROMIUM may name.

Usage: browser.py [--source FILE | --page FILE ...] [--repeat N]
"""

import argparse
import contextlib
import os
import shutil
import statistics
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from common import finish, table
from simsieve.cli import main as simsieve

SIZES = {"wide": (1280, 900), "narrow": (390, 844)}
SECONDS = 2.0
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


def main() -> int:
    """Measure every page on every screen."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--source", type=Path, default=SOURCE, help="the records of which the pages are made")
    parser.add_argument("--page", type=Path, action="append", help="a page to open; may be given several times")
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
        named = {page.name: page.resolve() for page in options.page or ()}
        pages = named or made(options.source, Path(folder))
        browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        for name, page in pages.items():
            for screen, size in SIZES.items():
                times = [seconds_to_open(browser, page, size) for _ in range(options.repeat)]
                found[f"{name}, {screen}"] = times
        browser.close()
    rows = [(name, statistics.median(times), max(times)) for name, times in found.items()]
    wrong = [f"{name}: {slowest:.2f} s, at most {SECONDS:g} asked" for name, _, slowest in rows if slowest > SECONDS]
    medians = {name: median for name, median, _ in rows}
    return finish("browser", {"seconds": medians}, table(("page", "seconds", "slowest"), rows), wrong, "playwright")


if __name__ == "__main__":
    sys.exit(main())
