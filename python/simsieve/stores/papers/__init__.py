"""Word, PDF and other documents, such as theses and mails: each is one record."""

from simsieve.stores.papers.source import PaperFiles

open_files = PaperFiles

__all__ = ["open_files"]
