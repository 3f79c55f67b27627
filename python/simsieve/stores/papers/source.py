"""Word and PDF files as sources: a file is a record with its name as `id`, and its `text`.

A file that cannot be used is a failed record, and the run goes on. One that does not exist ends it.
"""

from collections.abc import Iterator

from simsieve.config.settings import DedupConfig
from simsieve.errors import TextError
from simsieve.optional import pdfium
from simsieve.sources.copies import Copies
from simsieve.sources.unpacked import Row, UnpackedFiles, failed
from simsieve.stores.papers import pdf, word


class PaperFiles(UnpackedFiles):
    """Files of `.docx` and `.pdf`."""

    fields = ("id", "text")
    has_pages = True

    def __init__(self, paths: tuple[str, ...], of_objects: Copies | None = None) -> None:
        super().__init__(paths, of_objects)
        if any(map(_is_pdf, paths)):
            pdfium()

    def rows(self, path: str, place: str, config: DedupConfig) -> Iterator[Row]:
        """Give the row of a file; see `UnpackedFiles.rows`."""
        try:
            if _is_pdf(path):
                text, pictures = pdf.read(place, config.max_record_bytes)
                self.pictures += pictures
            else:
                text = word.read(place, config.max_record_bytes)
        except TextError as error:
            yield failed(error.code, error.why), path.encode(), None
        else:
            yield None, path.encode(), text.encode(errors="replace")


def _is_pdf(path: str) -> bool:
    return path.lower().endswith(".pdf")
