"""Word, PDF and other documents, such as theses and mails: each is one record."""

from simsieve.stores.papers.readers import Paper, check, read

__all__ = ["Paper", "check", "read"]
