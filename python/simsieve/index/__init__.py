"""A durable index of the kept documents of a collection."""

from simsieve.index.answers import BatchCounts, IndexBatch, IndexDocument, IndexMatch
from simsieve.index.index import Index

__all__ = ["BatchCounts", "Index", "IndexBatch", "IndexDocument", "IndexMatch"]
