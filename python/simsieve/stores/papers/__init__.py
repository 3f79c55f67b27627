"""Papers, such as Word and PDF files, such as theses: each is a record, or has several."""

from simsieve.stores.papers.readers import Paper, read

__all__ = ["Paper", "read"]
