"""A service over HTTP on one or more indexes: the extra `serve`. The packages that it needs are imported only here."""
