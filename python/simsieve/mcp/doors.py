"""What an assistant may reach: the indexes, folders and files that were named when the server was started."""

import os
from collections.abc import Iterable, Sequence

from simsieve.checks import shown
from simsieve.errors import ConfigError, SourceError
from simsieve.index import Index
from simsieve.index.index import read_fields
from simsieve.run.against import index_named
from simsieve.sources.folders import files_below

ADD = "--allow-add"


class Doors:
    """The paths that are allowed, links seen through, and the open indexes among them, by their names as given."""

    def __init__(self, given: Sequence[str], *, allow_add: bool) -> None:
        self.allow_add = allow_add
        self.roots: dict[str, str] = {}
        self.indexes: dict[str, Index] = {}
        for name in given:
            if not os.path.exists(name):
                raise SourceError("{path} does not exist; check the name", path=name)
            self.roots[name] = os.path.realpath(name)
            if index_named(name) is not None:
                self.indexes[name] = Index.open(name, write=allow_add)
        if allow_add and not self.indexes:
            raise ConfigError("{option} is given and no index: name an index", option=ADD)

    def _named(self, names: Iterable[str]) -> str:
        return ", ".join(names) or "nothing"

    def index(self, name: str | None) -> Index:
        """Give an index as it is now on the disk; the only one needs no name."""
        if name is None and len(self.indexes) == 1:
            (name,) = self.indexes
        if name not in self.indexes:
            raise ConfigError(
                "index {name} is not allowed: allowed are {names}; an index is named when the server is started",
                name="none" if name is None else shown(name), names=self._named(self.indexes),
            )  # fmt: skip
        index = self.indexes[name]
        if not self.allow_add:
            index.refresh()
        if read_fields(index.config) is None:
            raise ConfigError(
                "index {name} compares other fields than a text: use `simsieve index check` with whole records",
                name=name,
            )
        return index

    def path(self, name: str) -> str:
        """Give the real path of something that is allowed; of others it is not told whether they exist."""
        try:
            real = os.path.realpath(name)
        except ValueError:
            # A NUL.
            real = ""
        if not any(_is_inside(real, root) for root in self.roots.values()):
            raise ConfigError(
                "path {name} is outside what is allowed: allowed are {names}, and what is in them",
                name=shown(name), names=self._named(self.roots),
            )  # fmt: skip
        if not os.path.exists(real):
            raise ConfigError("path {name} does not exist: check the name", name=shown(name))
        for file in files_below(real) if os.path.isdir(real) else ():
            if not any(_is_inside(os.path.realpath(file), root) for root in self.roots.values()):
                raise ConfigError(
                    "path {name} has a link that leads outside what is allowed, {file}: remove it, or name files",
                    name=shown(name), file=shown(os.path.relpath(file, real)),
                )  # fmt: skip
        return real

    def close(self) -> None:
        """Close the indexes."""
        for index in self.indexes.values():
            index.close()


def _is_inside(real: str, root: str) -> bool:
    return bool(real) and (real == root or real.startswith(root.rstrip("/") + "/"))
