"""What is not needed is not asked for: without the extras the rest works, and what needs one names it."""

import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from simsieve.optional import EXTRAS

# Stands before everything that a test runs: packages of the extras, and of the developer, are not to be found.
BLOCK = """
import sys

GONE = {
    "boto3", "botocore", "hypothesis", "imagehash", "jieba", "opencc", "pandas", "PIL", "polars", "pyarrow",
    "pypdfium2", "pytest", "rapidfuzz", "starlette", "striprtf", "uvicorn", "warcio", "xxhash",
}


class Gone:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in GONE:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)


sys.meta_path.insert(0, Gone())
"""

LINES = (
    '{"id": 1, "text": "The gate opens at nine in the morning, and closes at ten."}\n'
    '{"id": 2, "text": "The gate opens at nine in the morning, and closes at six."}\n'
    '{"id": 3, "text": "Nobody came to the other gate that day."}\n'
)


def run(code: str, folder: Path) -> subprocess.CompletedProcess[str]:
    """Run code in an interpreter that has no extras."""
    (folder / "texts.jsonl").write_text(LINES, encoding="utf-8")
    return subprocess.run([sys.executable, "-c", BLOCK + code], cwd=folder, capture_output=True, text=True, check=False)


def test_the_package_works_without_any_extra(tmp_path: Path) -> None:
    """Texts, records and files are sifted, compared and explained where no extra is installed."""
    done = run(
        """
import simsieve

texts = [line["text"] for line in map(__import__("json").loads, open("texts.jsonl", encoding="utf-8"))]
assert simsieve.dedup(texts).counts.kept == 2
assert simsieve.dedup([{"id": "a", "text": text} for text in texts]).counts.kept == 2
result = simsieve.dedup("texts.jsonl")
result.write("kept.jsonl")
assert simsieve.similarity(texts[0], texts[1]) > 0.6
assert len(simsieve.Fingerprinter("chars64").transform(texts)) == 3
told = simsieve.explain(texts[0], texts[1])
assert told.edit is None and "pip install rapidfuzz" in told.edit_note
assert not {"pandas", "polars", "pyarrow", "rapidfuzz"} & set(sys.modules)
print(open("kept.jsonl", encoding="utf-8").read(), end="")
""",
        tmp_path,
    )

    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == "".join(LINES.splitlines(keepends=True)[::2])


def test_the_command_works_without_any_extra(tmp_path: Path) -> None:
    """The command line, too."""
    done = run(
        """
from simsieve.cli import main

sys.argv = ["simsieve", "dedup", "texts.jsonl", "-o", "kept.jsonl"]
main()
""",
        tmp_path,
    )

    assert done.returncode == 0, done.stderr
    assert (tmp_path / "kept.jsonl").read_text(encoding="utf-8").count("\n") == 2


NEEDED = {"texts.parquet": "parquet", "other.parquet": "parquet", "s3://bucket/texts.jsonl": "s3"}
NEEDED |= {"one.png": "pictures", "thesis.pdf": "pdf", "thesis.rtf": "rtf"}


@pytest.mark.parametrize(("name", "extra"), NEEDED.items())
def test_what_needs_an_extra_names_it(name: str, extra: str, tmp_path: Path) -> None:
    """A Parquet file without pyarrow, and others without their packages, are errors that say how to install them."""
    scheme = "phash64" if extra == "pictures" else "chars128"
    (tmp_path / "texts.parquet").write_bytes(b"PAR1")
    (tmp_path / "thesis.pdf").write_bytes(b"%PDF-1.7")
    (tmp_path / "thesis.rtf").write_bytes(b"{\\rtf1 a}")
    done = run(
        f"""
import simsieve

try:
    simsieve.dedup({name!r}, scheme={scheme!r}, max_distance=8)
except simsieve.ConfigError as error:
    print(error)
""",
        tmp_path,
    )

    assert done.returncode == 0, done.stderr
    assert done.stdout.endswith(f"which is not installed: pip install {EXTRAS[extra]}\n")


def test_messages_name_the_packages_of_each_extra(root: Path) -> None:
    """The table of packages is that of the project."""
    project = tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    extras = {
        extra: " ".join(re.split("[<>=]", one)[0] for one in needed)
        for extra, needed in project["optional-dependencies"].items()
        if extra != "dev"
    }

    assert extras == EXTRAS


def test_a_table_without_pyarrow_names_the_extra(tmp_path: Path) -> None:
    """So is a table that comes by Arrow's protocol."""
    done = run(
        """
import simsieve


class Table:
    def __arrow_c_stream__(self, requested_schema=None):
        raise AssertionError("it is not asked for its rows")


try:
    simsieve.dedup(Table())
except simsieve.ConfigError as error:
    print(error)
""",
        tmp_path,
    )

    assert done.returncode == 0, done.stderr
    assert done.stdout.endswith("which is not installed: pip install pyarrow\n")


def test_a_page_without_a_server_names_the_extra(tmp_path: Path) -> None:
    """A review that is to be served says what serves it, before it reads anything."""
    done = run(
        """
from simsieve.cli import main

sys.argv = ["simsieve", "review", "texts.jsonl", "--serve"]
print(main())
""",
        tmp_path,
    )

    assert done.stdout == "2\n"
    assert done.stderr.endswith(f"which is not installed: pip install {EXTRAS['serve']}\n")
