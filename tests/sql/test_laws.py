"""Laws of URIs and of values in SQLite, for any password and any row."""

import sqlite3
import sys
from contextlib import closing
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from urllib.parse import quote

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import simsieve as library
from simsieve import ConfigError
from simsieve.registry import store_of
from simsieve.stores.sql.address import address_of
from simsieve.stores.sql.database import connect

SECRETS = st.text(st.characters(codec="utf-8", exclude_characters="\0"), min_size=1).map(lambda text: f"secret{text}")


@given(SECRETS, st.sampled_from(("postgresql", "postgres", "mysql", "mariadb")), st.booleans())
def test_no_password_is_shown(secret: str, scheme: str, as_option: bool) -> None:
    """Neither in the URI for messages nor in the address itself, wherever it stands; the address has it."""
    quoted = quote(secret, safe="")
    login, option = ("me", f"&password={quoted}") if as_option else (f"me:{quoted}", "")
    name = f"{scheme}://{login}@host:5432/db?table=t{option}"
    address = address_of(name)
    assert address.password == secret
    assert (address.user, address.host, address.port, address.place, address.table) == ("me", "host", 5432, "db", "t")
    for shown in (address.shown, address.database, repr(address), store_of(name).shown(name)):
        assert "secret" not in shown
    assert "secret" not in address.hidden(f"an error about {secret}")


KINDS: dict[str, Any] = {
    "integer": st.integers(-(2**63), 2**63 - 1), "real": st.floats(allow_nan=False), "blob": st.binary(max_size=20),
    "text": st.text(st.characters(codec="utf-8", exclude_characters="\0"), max_size=20),
}  # fmt: skip


@settings(max_examples=20)
@given(st.sampled_from(list(KINDS)).flatmap(
    lambda kind: st.tuples(st.just(kind), st.lists(KINDS[kind], min_size=1, max_size=40, unique=True),
                           st.lists(st.none() | KINDS[kind], min_size=40, max_size=40))
))  # fmt: skip
def test_rows_of_sqlite_come_back(made: tuple[str, list[Any], list[Any]]) -> None:
    """A copy of a table has its keys and values, of every type; none is lost between pages."""
    kind, keys, values = made
    with TemporaryDirectory() as folder, pytest.MonkeyPatch.context() as patch:
        patch.setattr("simsieve.stores.sql.source._FIRST_ROWS", 3)
        patch.setattr("simsieve.stores.sql.source.BATCH_ROWS", 5)
        with closing(sqlite3.connect(Path(folder, "a.db"))) as database, database:
            database.execute(f"CREATE TABLE t (k {kind} PRIMARY KEY, text TEXT, v {kind})")
            rows = [
                (key, f"text {at * 7919} of {at}", value)
                for at, (key, value) in enumerate(zip(keys, values, strict=False))
            ]
            database.executemany("INSERT INTO t VALUES (?, ?, ?)", rows)
            before = database.execute("SELECT *, typeof(k), typeof(v) FROM t ORDER BY k").fetchall()
        result = library.dedup(f"sqlite:///{folder}/a.db?table=t", scheme="chars64", max_distance=0)
        result.write(f"sqlite:///{folder}/b.db?table=u")
        with closing(sqlite3.connect(Path(folder, "b.db"))) as database:
            after = database.execute("SELECT *, typeof(k), typeof(v) FROM u ORDER BY k").fetchall()
    assert result.counts.read == len(before)
    assert after == before


@pytest.mark.parametrize(
    ("uri", "package"), [("postgresql://h/d?table=t", "adbc-driver-manager"), ("mysql://h/d?table=t", "pymysql")]
)
def test_a_missing_package_is_named(uri: str, package: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """With the extra that has it."""
    monkeypatch.setitem(sys.modules, package.replace("-", "_"), None)
    with pytest.raises(ConfigError, match=f"by {package}, which is not installed: pip install adbc"):
        connect(address_of(uri))
