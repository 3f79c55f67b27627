"""What the tests of the pages share."""

import importlib.util
from collections.abc import Callable
from pathlib import Path
from types import ModuleType

import pytest


@pytest.fixture
def maker(root: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[str], ModuleType]:
    """Give what loads the script of that name that writes a page of the reference."""
    # As it is for a script that is run.
    monkeypatch.syspath_prepend(root / "docs")

    def load(name: str) -> ModuleType:
        spec = importlib.util.spec_from_file_location(name, root / "docs" / f"{name}.py")
        assert spec is not None and spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        return module

    return load
