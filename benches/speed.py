"""Measures the speed of fingerprints on one core, of single calls, and of the program's start.

Texts are cut to documents of about 2.3 kB from the development data, or generated without that data. A scheme that
needs a model first gets one fitted on the same texts; only its fingerprints are measured. All figures are medians of
three runs, those of the start of eleven. The answer is wrong if a text has no fingerprint, or another one in a call of
its own. Modules that Python has not compiled yet are compiled in a first run, which is not counted.

Usage: speed.py [--data FOLDER] [--megabytes M]
"""

import argparse
import json
import os
import statistics
import sys
import tempfile
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import simsieve
from common import DATA, finish, measured, median_seconds, records, table
from generate import make_corpus
from simsieve.schemes.scheme import load_scheme

SCHEMES = (
    None,
    "chars64:n=3,weights=log",
    "chars128:n=3,weights=log",
    "chars128:fold=t2s",
    "chars128:fold=tw2sp",
    "words64",
    "words64:n=3",
    "keywords64",
    "esimhash128",
)
FILES = {"zh": ("zh_tech_articles", "zh_wikipedia_passages", "zh_law"), "en": ("en_tech_articles", "en_wikipedia")}
DOCUMENT_BYTES = 2_300


def real_texts(data: Path, lang: str) -> Iterator[str]:
    """The texts of a language in the development data."""
    for name in FILES[lang]:
        path = data / f"{name}.jsonl.gz"
        if path.is_file():
            yield from (row["text"] for row in records(path))


def invented_texts(lang: str, size: int) -> Iterator[str]:
    """Invented texts of a language, at least `size` bytes of them where possible."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "texts.jsonl")
        make_corpus(path, max(500, size // (300 if lang == "zh" else 1_400)))
        with path.open(encoding="utf-8") as lines:
            for row in map(json.loads, lines):
                if row["lang"] == lang:
                    yield row["text"]


def documents(texts: Iterator[str], lang: str, size: int) -> list[str]:
    """Documents of about DOCUMENT_BYTES, all together about `size` bytes."""
    step = DOCUMENT_BYTES // (3 if lang == "zh" else 1)
    found: list[str] = []
    left = size
    for text in texts:
        for at in range(0, max(1, len(text) - step // 2), step):
            found.append(text[at : at + step])
            left -= len(found[-1].encode())
            if left <= 0:
                return found
    return found


def fingerprint_speed(options: argparse.Namespace) -> Iterator[dict[str, Any]]:
    """Bytes of UTF-8 a second, for every language and scheme, on one core."""
    size = round(options.megabytes * 1e6)
    for lang in FILES:
        texts = documents(real_texts(options.data, lang), lang, size)
        real = bool(texts)
        if not real:
            print(f"REAL TEXTS NOT MEASURED: none in {options.data}; invented ones instead ({lang})", file=sys.stderr)
            texts = documents(invented_texts(lang, size), lang, size)
        measured_bytes = sum(len(text.encode()) for text in texts)
        for scheme in SCHEMES:
            maker = simsieve.Fingerprinter() if scheme is None else simsieve.Fingerprinter(scheme)
            if scheme is not None and load_scheme(scheme).needs_model:
                maker = maker.fit(texts)
            seconds, answer = median_seconds(partial(maker.transform, texts, threads=1))
            yield {
                "texts": f"{lang} {'real' if real else 'invented'}",
                "scheme": scheme or "default",
                "documents": len(texts),
                "megabytes_per_second": measured_bytes / 1e6 / seconds,
                "valid": int(answer.valid.sum()),
            }


def call_times(options: argparse.Namespace) -> Iterator[dict[str, Any]]:
    """Microseconds of a call of one short text, and whether it gives what a call of all gives."""
    texts = [text[:90] for text in documents(real_texts(options.data, "zh"), "zh", 400_000)]
    texts = texts or [text[:90] for text in documents(invented_texts("zh", 400_000), "zh", 400_000)]
    maker = simsieve.Fingerprinter()
    together = list(maker.transform(texts))
    calls: dict[str, Callable[[str], Any]] = {
        "fingerprint(text)": simsieve.fingerprint,
        "Fingerprinter.transform([text])": lambda text: maker.transform([text])[0],
        "similarity(text, other)": lambda text: simsieve.similarity(text, texts[0]),
    }
    for name, call in calls.items():
        seconds, answers = median_seconds(partial(lambda call: [call(text) for text in texts], call))
        is_right = name.startswith("similarity") or answers == together
        yield {"call": name, "microseconds": seconds / len(texts) * 1e6, "is_right": is_right}


def start_times() -> Iterator[dict[str, Any]]:
    """CPU seconds of the program where it has hardly any work."""
    program = Path(sys.executable).with_name("simsieve")
    # Python compiles modules once, unless the environment forbids it.
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder, "one.jsonl")
        source.write_text('{"text": "one text"}\n', encoding="utf-8")
        for words in (["--version"], ["dedup", source, "-o", Path(folder, "kept.jsonl"), "--quiet"]):
            measured([program, *words])
            cpu = statistics.median(measured([program, *words]).cpu_seconds for _ in range(11))
            yield {"start": f"simsieve {words[0]}", "cpu_seconds": cpu}


def main() -> int:
    """Read the command line, measure, print."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", maxsplit=1)[0])
    parser.add_argument("--data", type=Path, default=DATA, help="the folder of the development data")
    parser.add_argument("--megabytes", type=float, default=20, help="how much text of each language")
    options = parser.parse_args()

    speeds = list(fingerprint_speed(options))
    wrong = [
        f"{row['documents'] - row['valid']} texts without a fingerprint: {row}" for row in speeds if not row["valid"]
    ]
    calls, starts = list(call_times(options)), list(start_times())
    wrong += [f"another fingerprint alone than among others: {row}" for row in calls if not row["is_right"]]
    readable = table(["texts", "scheme", "documents", "MB/s", "valid"], [list(row.values()) for row in speeds])
    readable += "\n" + table(["one short text a call", "us", "right"], [list(row.values()) for row in calls])
    readable += "\n" + table(["start", "CPU s"], [list(row.values()) for row in starts])
    return finish("speed", {"fingerprint": speeds, "calls": calls, "starts": starts}, readable, wrong)


if __name__ == "__main__":
    raise SystemExit(main())
