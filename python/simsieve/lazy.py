"""Names of a package that are loaded when they are first used: its stub is the table, which type checkers read too."""

import re
import sys
from collections.abc import Callable
from importlib import import_module
from typing import Any

_ROW = re.compile(r"^from (simsieve\.\S+) import ([A-Za-z]\w*) as \2$", re.MULTILINE)


def lazy(package: str, file: str) -> tuple[list[str], Callable[[str], Any]]:
    """Give the public names of a package, in order, and the function that loads one of them."""
    with open(f"{file.removesuffix('.py')}.pyi", encoding="utf-8") as stub:
        homes = {name: home for home, name in _ROW.findall(stub.read())}
    module = sys.modules[package]

    def load(name: str) -> Any:
        if name not in homes:
            raise AttributeError(f"module {package!r} has no attribute {name!r}", name=name, obj=module)
        found = getattr(import_module(homes[name]), name)
        # From here on it is found without this function.
        setattr(module, name, found)
        return found

    return sorted(homes), load
