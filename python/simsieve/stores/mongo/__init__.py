"""Collections of MongoDB: read, written and marked, by pymongo."""

from simsieve.stores.mongo.store import STORE

__all__ = ["STORE"]
