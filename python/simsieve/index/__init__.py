"""A durable index of the kept documents of a collection."""

from simsieve.index.index import Index, IndexBatch, IndexMatch

__all__ = ["Index", "IndexBatch", "IndexMatch"]
