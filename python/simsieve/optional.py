"""Packages that only some sources and sinks need; they are imported when they are needed."""

import importlib
from typing import Any

from simsieve.errors import ConfigError


def arrow(name: str = "pyarrow") -> Any:
    """Import pyarrow, or a module of it.

    Raises:
        ConfigError: It is not installed; the text says how to install it.
    """
    try:
        return importlib.import_module(name)
    except ImportError:
        raise ConfigError(
            "Parquet files, data frames and Arrow tables are read by pyarrow, which is not installed:"
            " pip install 'simsieve[parquet]'"
        ) from None
