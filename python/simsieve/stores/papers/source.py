"""Word, PDF and other documents as sources: a file is a record with its name as `id`, and its `text`.

A mailbox has a record for each mail, with its number behind the name.

A file that cannot be used is a failed record, and the run goes on. One that does not exist ends it.
"""

from collections.abc import Iterator, Mapping
from dataclasses import replace

from simsieve.config.settings import DedupConfig
from simsieve.errors import TextError
from simsieve.files import regular
from simsieve.sinks.base import Kind
from simsieve.sources.copies import Copies
from simsieve.sources.folders import LeftOut
from simsieve.sources.handed import HandedFiles, Row, failed_row, source_errors
from simsieve.stores.papers import readers


class PaperFiles(HandedFiles):
    """Files whose endings are in `registry.PAPERS`."""

    fields: Mapping[str, Kind] = {"id": "text", "text": "text"}
    has_pages = True
    _pictures = 0

    def __init__(self, paths: tuple[str, ...], of_objects: Copies | None = None) -> None:
        super().__init__(paths, of_objects)
        for path in paths:
            readers.check(path)

    def parts(self, places: Mapping[str, str], config: DedupConfig) -> Iterator[tuple[str, Iterator[Row]]]:
        """Give the row of each file; see `HandedFiles.parts`."""
        self._pictures = 0
        for path in self.paths:
            yield path, self._row(path, places.get(path, path), config.max_record_bytes)

    def _row(self, path: str, place: str, most_bytes: int) -> Iterator[Row]:
        with source_errors(path):
            with regular(place):
                pass
            try:
                for paper in readers.read(path, place, most_bytes):
                    if isinstance(paper, TextError):
                        yield failed_row(paper.code, paper.why), path.encode(), None
                    else:
                        self._pictures += paper.pictures
                        yield None, (path + paper.part).encode(), paper.text.encode(errors="replace")
            except TextError as error:
                yield failed_row(error.code, error.why), path.encode(), None
        self.check_copied(path)

    @property
    def left_out(self) -> LeftOut:
        """What is there and is not read; see `Source.left_out`."""
        return replace(super().left_out, pictures=self._pictures)
