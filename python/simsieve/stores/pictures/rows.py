"""Kept pictures: tables of their records, or a folder of the files."""

import json
import os
import shutil
from collections.abc import Mapping, Sequence

from simsieve import _core
from simsieve.errors import SinkError
from simsieve.sinks.base import Kind, LineReader, Rows, Sink, SinkPath
from simsieve.sinks.checks import is_folder
from simsieve.sinks.folder import OutputFolder
from simsieve.sinks.handed import HandedRowSinks
from simsieve.sources.copies import Copies


class PictureRowSinks(HandedRowSinks):
    """The sinks of pictures."""

    def __init__(self, fields: Mapping[str, Kind], paths: Sequence[str], of_objects: Copies | None) -> None:
        super().__init__(fields)
        self._paths, self._of_objects = paths, of_objects

    def check_kept(self, sink: SinkPath, form: str | None) -> None:
        """Check the name; see `RowSinks.check_kept`."""
        if not is_folder(sink):
            super().check_kept(sink, form)

    def kept(self, store: _core.Records, sink: SinkPath, form: str | None, *, link: bool = False) -> Sink[Rows]:
        """Make the sink of kept pictures; see `RowSinks.kept`."""
        if not is_folder(sink):
            return super().kept(store, sink, form)
        places = {path: self._of_objects.place(path) if self._of_objects else path for path in self._paths}
        return PictureFolder(sink, self.reader(store), places, link=link)


class PictureFolder:
    """A folder that gets the kept pictures, under their names from the folder on that they have in common."""

    def __init__(self, sink: SinkPath, read: LineReader, places: Mapping[str, str], *, link: bool) -> None:
        self._read, self._places, self._put = read, places, os.link if link else shutil.copy2
        whole = {path: os.path.abspath(path) for path in places}
        common = os.path.commonpath([os.path.dirname(path) for path in whole.values()])
        self._names = {path: os.path.relpath(at, common) for path, at in whole.items()}
        own = set(self._names.values())
        self._folder = OutputFolder(sink, own.__contains__)
        self.begin, self.commit, self.abort = self._folder.begin, self._folder.commit, self._folder.abort

    def check(self) -> None:
        """Check that the folder can appear."""
        self._folder.check(list(self._places))

    def write(self, batch: Rows, /) -> None:
        """Copy pictures, or link them."""
        for _, line in self._read(batch):
            path = json.loads(line)["id"]
            place = self._folder.path(self._names[path])
            with self._folder.named():
                try:
                    self._put(self._places[path], place)
                except OSError as error:
                    raise SinkError(
                        "{path}: cannot be copied to {place}: {value}; see that it is there, and that there is room",
                        path=path, place=place, value=error.strerror or error,
                    ) from error  # fmt: skip
