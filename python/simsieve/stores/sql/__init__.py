"""Tables of SQLite, PostgreSQL, MySQL and MariaDB: read, written and marked, by ADBC and PyMySQL."""

from simsieve.stores.sql.store import STORE

__all__ = ["STORE"]
