"""Packages that only some sources and sinks need; they are imported when they are needed."""

import importlib
from typing import Any, Literal, NoReturn

from simsieve.errors import ConfigError
from simsieve.messages import Message

EXTRAS = {
    "edit": "rapidfuzz",
    "mcp": "mcp",
    "mongo": "pymongo",
    "pandas": "pandas pyarrow",
    "parquet": "pyarrow",
    "pdf": "pypdfium2",
    "pictures": "imagehash pillow",
    "polars": "polars pyarrow",
    "ray": "ray[data] pyarrow",
    "references": "bibtexparser",
    "rtf": "striprtf",
    "s3": "boto3",
    "serve": "httptools msgspec prometheus-client starlette uvicorn uvloop",
    "spark": "pyspark pandas pyarrow",
    "sql": "adbc-driver-postgresql pyarrow pymysql",
    "warc": "warcio",
}
"""The packages of each extra, for messages: they are installed by their own names wherever simsieve came from."""


def arrow(name: str = "pyarrow") -> Any:
    """Import pyarrow, or a module of it."""
    return _imported(name, "Parquet files, data frames and Arrow tables are read and made by pyarrow", "parquet")


def frames(name: Literal["pandas", "polars"]) -> Any:
    """Import a package of data frames."""
    return _imported(name, Message("a frame of {name} is made by {name}", name=name), name)


def spark() -> Any:
    """Import pyspark."""
    return _imported("pyspark", "jobs on a cluster are run by pyspark", "spark")


def ray_data() -> Any:
    """Import Ray Data."""
    return _imported("ray.data", "jobs on a cluster of Ray are run by Ray Data", "ray")


def rapidfuzz() -> Any:
    """Import the distances of RapidFuzz."""
    return _imported("rapidfuzz.distance", "edits of characters are counted by RapidFuzz", "edit")


def pdfium() -> Any:
    """Import what reads PDF."""
    return _imported("pypdfium2", "PDF files are read by pypdfium2", "pdf")


def striprtf() -> Any:
    """Import what reads RTF."""
    return _imported("striprtf.striprtf", "RTF files are read by striprtf", "rtf")


def bibtexparser() -> Any:
    """Import what reads BibTeX."""
    return _imported("bibtexparser", "BibTeX is read by bibtexparser", "references")


def web_server(*others: str) -> None:
    """Check that what serves pages is there, and what else of its extra is needed."""
    for name in ("starlette", "uvicorn", *others):
        _imported(name, "pages are served by Starlette and uvicorn", "serve")


def mcp() -> Any:
    """Import the SDK of the Model Context Protocol."""
    return _imported("mcp.server.lowlevel", "tools for assistants are served by the package mcp", "mcp")


def database_driver(name: str) -> Any:
    """Import a driver of SQL, or a module of it."""
    package = name.partition(".")[0]
    need = Message("tables of this database are read and written by {package}", package=package.replace("_", "-"))
    return _imported(name, need, "sql")


def datasketch() -> Any:
    """Import datasketch, which no extra installs: it is only measured for comparison."""
    try:
        return importlib.import_module("datasketch")
    except ImportError:
        raise ConfigError(
            "datasketch is measured for comparison, and it is not installed: pip install datasketch, or leave rivals"
            " out"
        ) from None


def not_installed(need: str, extra: str) -> NoReturn:
    """Say which packages are missing."""
    raise ConfigError(
        "{need}, which is not installed: pip install {packages}", need=need, packages=EXTRAS[extra]
    ) from None


def _imported(name: str, need: str, extra: str) -> Any:
    try:
        return importlib.import_module(name)
    except ImportError:
        not_installed(need, extra)
