"""Collections of MongoDB: read, written and marked, by pymongo."""

from simsieve.stores.mongo.client import address_of
from simsieve.stores.mongo.run import list_runs, undo_run
from simsieve.stores.mongo.store import STORE, shown_run

__all__ = ["STORE", "address_of", "list_runs", "shown_run", "undo_run"]
