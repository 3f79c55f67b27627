"""Word and PDF files, such as theses: each is one record."""

from simsieve.stores.papers.source import PaperFiles

open_files = PaperFiles

__all__ = ["open_files"]
