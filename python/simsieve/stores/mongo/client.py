"""MongoDB: the names of databases and collections, connections, and what a server answers, as errors of simsieve.

Sources and sinks get clients from here, and values from `values`.
"""

import logging
import os
import threading
import time
import weakref
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, TypeVar
from urllib.parse import quote

from bson import errors as bson_errors
from bson import json_util
from pymongo import MongoClient, errors, timeout, uri_parser

from simsieve.errors import ConfigError, SimsieveError, SinkError, SourceError
from simsieve.messages import Message

PREFIXES = ("mongodb://", "mongodb+srv://")
RUNS = "simsieve_runs"
"""The collection of a database in which every run that wrote to the database has its document."""

_TIMEOUTS = {"serverSelectionTimeoutMS": 10_000, "connectTimeoutMS": 10_000, "socketTimeoutMS": 300_000}
"""How long a server may take, where the URI says nothing. pymongo alone would wait for an answer without end."""
_DEFAULTS = {**_TIMEOUTS, "w": "majority"}
"""What most members of a replica set have is there after any of them has ended."""

_PASSING = frozenset((
    6, 7, 43, 63, 64, 89, 91, 133, 134, 150, 175, 189, 234, 262, 317, 9001, 10058, 10107, 11600, 11602, 13388, 13435,
    13436,
))  # fmt: skip
"""Codes of passing errors: no primary, a server that ends or starts, a cursor or an operation that ended with it."""
_OUTAGE = 6.0
"""How long an outage may last, in times of the URI's `serverSelectionTimeoutMS`: 60 s by default."""
_FIRST_WAIT, _LONGEST_WAIT = 0.2, 5.0
_CLOSING_SECONDS = 0.5

_AUTHENTICATION, _UNAUTHORIZED, _NO_DISK, _TOO_LARGE = (18, 8000), (13,), (14031,), (10334, 17419)


@dataclass(frozen=True, slots=True)
class Address:
    """A URI of MongoDB, taken apart."""

    uri: str
    hosts: str
    database: str
    collection: str | None

    @property
    def shown(self) -> str:
        """The URI for messages: no password, no options."""
        return f"mongodb://{self.hosts}/{self.namespace}"

    def beside(self, collection: str) -> str:
        """The URI of another collection of the database."""
        place, mark, options = self.uri.partition("?")
        return f"{place.rpartition('/')[0]}/{quote(self.database)}.{quote(collection, safe='')}{mark}{options}"

    @property
    def namespace(self) -> str:
        """The database, and the collection after a dot."""
        return self.database if self.collection is None else f"{self.database}.{self.collection}"


def address_of(name: str | os.PathLike[str], *, collection: bool = True) -> Address:
    """Take a URI apart."""
    uri = os.fspath(name)
    form = "mongodb://host:port/database" + (".collection" if collection else "")
    try:
        found = uri_parser.parse_uri(uri)
    except (errors.PyMongoError, ValueError) as error:
        # The message of a URI that cannot be parsed may hold the password.
        advice = "; write @, : and / in a name or password as %40, %3A and %2F" if "@" in uri else ""
        raise ConfigError(
            "the URI of MongoDB is not valid ({first_line}): give {form}{advice}",
            first_line=_first_line(error), form=form, advice=advice,
        ) from None  # fmt: skip
    hosts = ",".join(f"{host}:{port}" if port else str(host) for host, port in found["nodelist"])
    database, named = found["database"], found["collection"]
    if not database or (collection and not named):
        lacks = "database" if not database else "collection"
        raise ConfigError(
            "mongodb://{hosts}/{value}: the URI names no {lacks}: give {form}",
            hosts=hosts, value=database or "", lacks=lacks, form=form,
        )  # fmt: skip
    return Address(uri, hosts, database, named if collection else None)


def named(name: str | os.PathLike[str] | None) -> Address | None:
    """Take the name of an output apart; None where it is no URI of MongoDB."""
    return address_of(name) if name is not None and os.fspath(name).startswith(PREFIXES) else None


def connect(address: Address, owner: object = None) -> Any:
    """Make a client for the servers of an address; nothing is sent yet."""
    options = uri_parser.parse_uri(address.uri, warn=False)["options"]
    given = {name.lower() for name in options}
    defaults = {name: value for name, value in _DEFAULTS.items() if name.lower() not in given}
    try:
        client = MongoClient(address.uri, appname="simsieve", **defaults)
    except (errors.PyMongoError, ValueError) as error:
        raise ConfigError(
            "{shown}: {first_line}; fix the options of the URI", shown=address.shown, first_line=_first_line(error)
        ) from None
    if owner is not None:
        weakref.finalize(owner, _close, client)
    return client


def _close(client: Any) -> None:
    """Close a client; a server that is gone is not waited for as long as by a run."""
    with timeout(_CLOSING_SECONDS):
        client.close()


@contextmanager
def server_errors(address: Address, doing: str, kind: type[SimsieveError] = SourceError) -> Iterator[None]:
    """Turn errors of pymongo into one line that says what to do."""
    try:
        yield
    except errors.PyMongoError as error:
        raise kind("{shown}: {advice}", shown=address.shown, advice=_advice(error, doing)) from error


def _advice(error: Any, doing: str) -> str:
    codes = _codes(error)
    why = _first_line(error)
    if codes & set(_AUTHENTICATION):
        return "user or password is wrong; fix them in the URI, and name the user's database with ?authSource=admin"
    if codes & set(_UNAUTHORIZED):
        return Message(
            "the user of the URI has no right to {doing} ({why}); grant it, or name another user", doing=doing, why=why
        )
    # A server that has no room for its own files gives the error number of its system in place of a code.
    if codes & set(_NO_DISK) or "No space left on device" in why:
        return Message("the server's disk is full ({why}); make room there and run again", why=why)
    if isinstance(error, errors.ServerSelectionTimeoutError):
        return Message(
            "no server answers ({why}); check host and port and that the server runs; "
            "?serverSelectionTimeoutMS=60000 waits longer",
            why=why,
        )
    if isinstance(error, (errors.NetworkTimeout, errors.ExecutionTimeout)):
        return Message("the server stopped answering ({why}); check it; ?socketTimeoutMS=600000 waits longer", why=why)
    if isinstance(error, errors.ConnectionFailure):
        return Message("the connection was lost ({why}); check server and network and run again", why=why)
    if isinstance(error, errors.DocumentTooLarge) or codes & set(_TOO_LARGE) or "too large" in why:
        return Message(
            "a document would be longer than the server's 16 MB ({why}); leave fields out with {@`fields`}", why=why
        )
    return Message("the server cannot {doing}: {why}", doing=doing, why=why)


Result = TypeVar("Result")


class Retry:
    """Asks again what a server could not do for the moment, such as while a replica set elects a primary.

    Waits grow to some seconds. An outage that lasts longer than six times `serverSelectionTimeoutMS` of the URI is an
    error.
    """

    def __init__(self, address: Address, client: Any, warn: Callable[[str], None] | None = None) -> None:
        self._address = address
        self._longest = _OUTAGE * client.options.server_selection_timeout
        self.warn = warn or logging.getLogger(__name__).warning
        """Called when an outage begins."""
        self._lock = threading.Lock()
        self._has_warned = False
        self.stopped = threading.Event()
        """Set it, and nothing is asked again."""

    def attempts(self, doing: str) -> "Attempts":
        """Begin something; see `Attempts`."""
        return Attempts(self, doing)

    def __call__(self, doing: str, work: Callable[[int], Result]) -> Result:
        """Do something that may be done twice."""
        attempts = self.attempts(doing)
        while True:
            try:
                done = work(attempts.failures)
            except errors.PyMongoError as error:
                attempts.failed(error)
            else:
                attempts.worked()
                return done

    def report(self, doing: str, error: BaseException) -> None:
        """Warn of an outage, once for all threads."""
        with self._lock:
            if not self._has_warned:
                self._has_warned = True
                self.warn(Message(
                    "{shown}: the server cannot {doing} for the moment ({first_line}); it is asked again for "
                    "{longest:.0f} s",
                    shown=self._address.shown, doing=doing, first_line=_first_line(error), longest=self._longest,
                ))  # fmt: skip

    def passed(self) -> None:
        """The server answers again: the next outage is reported again."""
        with self._lock:
            self._has_warned = False

    def has_time(self, since: float) -> bool:
        """Whether an outage that began then may last longer."""
        return not self.stopped.is_set() and time.monotonic() - since < self._longest


class Attempts:
    """The attempts to do one thing, such as to read a range."""

    def __init__(self, retry: Retry, doing: str) -> None:
        self._retry, self._doing, self._since = retry, doing, 0.0
        self.failures = 0
        """How many attempts have failed since the last one that worked."""

    def worked(self) -> None:
        """A step was done: an outage begins anew."""
        if self.failures:
            self.failures = 0
            self._retry.passed()

    def failed(self, error: Any) -> None:
        """Wait until the next attempt."""
        if not self.failures:
            self._since = time.monotonic()
        if not is_passing(error) or not self._retry.has_time(self._since):
            raise error
        self._retry.report(self._doing, error)
        self.failures += 1
        self._retry.stopped.wait(min(_FIRST_WAIT * 2 ** min(self.failures - 1, 10), _LONGEST_WAIT))


def is_passing(error: Any) -> bool:
    """Say whether an error of pymongo may be gone at the next attempt."""
    details = getattr(error, "details", None)
    refused = details.get("writeErrors", ()) if isinstance(details, dict) else ()
    if any(one.get("code") not in _PASSING for one in refused):
        return False
    return isinstance(error, errors.ConnectionFailure) or bool(_codes(error) & _PASSING)


def _codes(error: Any) -> set[int]:
    """The codes of an error, those of single writes too."""
    details = getattr(error, "details", None) or {}
    inner = [*details.get("writeErrors", ()), *details.get("writeConcernErrors", ())]
    return {code for code in (getattr(error, "code", None), *(one.get("code") for one in inner)) if code is not None}


def _first_line(error: BaseException) -> str:
    details = getattr(error, "details", None) or {}
    reason = details.get("errmsg") if isinstance(details, dict) else None
    if isinstance(details, dict) and details.get("writeErrors"):
        reason = details["writeErrors"][0].get("errmsg")
    # pymongo adds the state of all servers after the first sentence.
    text = " ".join(str(reason or error).partition(", full error")[0].partition(", Timeout:")[0].split())
    return text.partition(" (configured timeouts:")[0][:300]


def sink_errors(address: Address, doing: str) -> Any:
    """Turn errors of pymongo into `SinkError`; see `server_errors`."""
    return server_errors(address, doing, SinkError)


def query_of(text: str | None) -> dict[str, Any]:
    """Read a query in extended JSON."""
    if text is None:
        return {}
    try:
        query = json_util.loads(text)
    except (ValueError, TypeError, bson_errors.BSONError) as error:
        raise ConfigError(
            "query {text!r} is not extended JSON ({first_line}): give an object such as '{{\"year\": {{\"$gte\": "
            "2020}}}}'",
            text=text, first_line=_first_line(error),
        ) from None  # fmt: skip
    if not isinstance(query, dict):
        raise ConfigError('query {text!r} is no object: give one such as \'{{"year": {{"$gte": 2020}}}}\'', text=text)
    return query
