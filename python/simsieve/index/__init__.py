"""A durable index of the kept documents of a collection."""

from simsieve.index.answers import IndexBatch, IndexMatch
from simsieve.index.index import Index

__all__ = ["Index", "IndexBatch", "IndexMatch"]
