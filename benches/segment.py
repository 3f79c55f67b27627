"""Compares the segmenter with jieba 0.42.1, token for token, over all Chinese development data.

Every distinct piece of text is compared once. Pieces end after commas, full stops and white space: no word crosses
those. Each mode is tested with and without the hidden Markov model, with the built-in dictionary, a user dictionary
and, if given, a big one. Tagged words and keywords are tested on a sample, because jieba's tagger is slow. Both sides
are timed in processor seconds. The answer is wrong if one token differs.

Usage: segment.py [--data FOLDER] [--big FILE] [--dictionaries NAME ...] [--megabytes M] [--tagged M]
"""

import argparse
import importlib
import logging
import re
import sys
import tempfile
import time
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import simsieve
from common import DATA, finish, records, table

# English letters within Chinese, words that overlap others, one that is split by force, tags and no frequencies.
USER_WORDS = """云计算 5
李小福 2 nr
创新办 3 i
easy_install 3 eng
开源软件 n
操作系统 0
系统
的时
人民法
apt-get
共和国 100 ns
zh_TW 7
"""

# The characters that end a piece are in no word of jieba, so a piece is cut alone as it is in its text.
PIECE = re.compile(r"[^，。；：、！？（）《》“”\s]*[，。；：、！？（）《》“”\s]+|.+$")

Cut = Callable[[str], list[Any]]


def chinese_texts(data: Path) -> Iterator[str]:
    """Every text of the development data that is marked as Chinese, or lies in a file of Chinese texts."""
    for path in sorted(data.glob("*.jsonl.gz")):
        for row in records(path):
            if path.name.startswith("zh") or str(row.get("lang", "")).startswith("zh"):
                yield from (row[field] for field in ("title", "text", "text_a", "text_b") if row.get(field))


def distinct_pieces(data: Path, size: float) -> list[str]:
    """The distinct pieces of these texts with the marks that end them: about `size` bytes, evenly spread."""
    found = dict.fromkeys(piece for text in chinese_texts(data) for piece in PIECE.findall(text))
    whole = sum(len(piece.encode()) for piece in found)
    step = max(1, round(whole / size))
    return list(found)[::step]


def import_jieba() -> Any:
    """Import jieba with its tagger and its keywords, silently; None where it is not installed."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            jieba = importlib.import_module("jieba")
            for part in ("posseg", "analyse"):
                importlib.import_module(f"jieba.{part}")
        except ImportError:
            return None
    jieba.setLogLevel(logging.WARNING)
    return jieba


def cutters(theirs: Any, ours: simsieve.Segmenter) -> dict[str, tuple[Cut, Cut]]:
    """The modes, each as jieba's way and ours; the empty texts of jieba's full mode are no words."""
    return {
        "exact, hmm": (theirs.lcut, ours.cut),
        "exact": (lambda line: theirs.lcut(line, HMM=False), lambda line: ours.cut(line, hmm=False)),
        "full": (lambda line: [w for w in theirs.cut(line, cut_all=True) if w], lambda line: ours.cut(line, "full")),
        "search, hmm": (theirs.lcut_for_search, lambda line: ours.cut(line, "search")),
        "search": (
            lambda line: theirs.lcut_for_search(line, HMM=False),
            lambda line: ours.cut(line, "search", hmm=False),
        ),
    }


def taggers(tagger: Any, ours: simsieve.Segmenter) -> dict[str, tuple[Cut, Cut]]:
    """Tagged words, with and without the model."""
    return {
        "tagged, hmm": (lambda line: [(p.word, p.flag) for p in tagger.cut(line)], ours.tag),
        "tagged": (
            lambda line: [(p.word, p.flag) for p in tagger.cut(line, HMM=False)],
            lambda line: ours.tag(line, hmm=False),
        ),
    }


def compared(texts: list[str], dictionary: str, mode: str, theirs: Cut, ours: Cut) -> dict[str, Any]:
    """Cut all texts both ways and count."""
    start = time.process_time()
    expected = [theirs(text) for text in texts]
    middle = time.process_time()
    found = [ours(text) for text in texts]
    end = time.process_time()
    size = sum(len(text.encode()) for text in texts) / 1e6
    wrong = [text for text, a, b in zip(texts, expected, found, strict=True) if a != b]
    for text in wrong[:3]:
        a, b = theirs(text), ours(text)
        at = next((k for k, (x, y) in enumerate(zip(a, b, strict=False)) if x != y), min(len(a), len(b)))
        print(f"{dictionary}, {mode}: {a[at : at + 5]} is {b[at : at + 5]} in {text[:80]!r}", file=sys.stderr)
    tokens = sum(map(len, expected))
    state = f"{tokens:,} tokens of {len(texts):,} texts, {len(wrong)} texts differ"
    print(f"{dictionary}, {mode}: {state}", file=sys.stderr, flush=True)
    return {
        "dictionary": dictionary,
        "mode": mode,
        "megabytes": size,
        "texts": len(texts),
        "tokens": tokens,
        "differing_texts": len(wrong),
        "jieba_megabytes_per_second": size / (middle - start),
        "megabytes_per_second": size / (end - middle),
    }


def measure(jieba: Any, options: argparse.Namespace) -> Iterator[dict[str, Any]]:
    """Compare all dictionaries and modes."""
    pieces = distinct_pieces(options.data, options.megabytes * 1e6)
    tagged = distinct_pieces(options.data, options.tagged * 1e6)
    for name in options.dictionaries:
        theirs = jieba.Tokenizer(str(options.big)) if name == "big" else jieba.Tokenizer()
        ours = simsieve.Segmenter(dictionary=options.big if name == "big" else None)
        # Forced splits are shared by all of jieba's tokenizers; without this one run would change the next.
        jieba.finalseg.Force_Split_Words.clear()
        if name == "user":
            with tempfile.TemporaryDirectory() as folder:
                path = Path(folder, "words.txt")
                path.write_text(USER_WORDS, encoding="utf-8")
                theirs.load_userdict(str(path))
                ours.load_words(path)
        for mode, pair in cutters(theirs, ours).items():
            yield compared(pieces, name, mode, *pair)
        for mode, pair in taggers(jieba.posseg.POSTokenizer(theirs), ours).items():
            yield compared(tagged, name, mode, *pair)
    if "built-in" in options.dictionaries:
        yield from keywords(jieba, options)


def keywords(jieba: Any, options: argparse.Namespace) -> Iterator[dict[str, Any]]:
    """Compare keywords and their weights."""
    jieba.finalseg.Force_Split_Words.clear()
    texts = [text for text in chinese_texts(options.data) if len(text) > 200][:: options.keywords_step]
    ours, find = simsieve.Segmenter(), jieba.analyse.extract_tags
    for top in (20, 30):
        yield compared(
            texts,
            "built-in",
            f"keywords, {top}",
            lambda text, top=top: find(text, topK=top, withWeight=True),  # type: ignore[misc]
            lambda text, top=top: ours.keywords(text, top),  # type: ignore[misc]
        )
    nouns = ("n", "ns", "vn", "v", "nr")
    yield compared(
        [text[:2000] for text in texts[::10]],
        "built-in",
        "keywords, tags",
        lambda text: find(text, topK=20, withWeight=True, allowPOS=nouns),
        lambda text: ours.keywords(text, 20, tags=nouns),
    )


def main() -> int:
    """Read the command line, compare, print."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", maxsplit=1)[0])
    parser.add_argument("--data", type=Path, default=DATA, help="the folder of the development data")
    parser.add_argument("--big", type=Path, help="a dictionary that stands in for the built-in one")
    parser.add_argument(
        "--dictionaries", nargs="*", choices=["built-in", "user", "big"], help="which of the three; the default is all"
    )
    parser.add_argument("--megabytes", type=float, default=1_000, help="how much text is cut; the default is all")
    parser.add_argument("--tagged", type=float, default=2, help="how much text is tagged, in megabytes")
    parser.add_argument("--keywords-step", type=int, default=20, help="of every how many texts one gives keywords")
    options = parser.parse_args()
    if options.dictionaries is None:
        options.dictionaries = ["built-in", "user", *(["big"] if options.big else [])]
    elif "big" in options.dictionaries and not options.big:
        parser.error("--dictionaries big needs --big FILE")

    jieba = import_jieba()
    if jieba is None or not options.data.is_dir():
        print(f"NOT COMPARED: jieba is not installed, or there is no {options.data}", file=sys.stderr)
        return 0
    rows = list(measure(jieba, options))
    wrong = [
        f"{row['differing_texts']} texts differ: {row['dictionary']}, {row['mode']}"
        for row in rows
        if row["differing_texts"] or not row["tokens"]
    ]
    header = ["dictionary", "mode", "MB", "texts", "tokens", "differing", "jieba MB/s", "MB/s"]
    return finish("segment", {"compared": rows}, table(header, [list(row.values()) for row in rows]), wrong, "jieba")


if __name__ == "__main__":
    raise SystemExit(main())
