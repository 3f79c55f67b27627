"""URIs of tables, taken apart; no message and no representation of one has a password."""

import os
from dataclasses import dataclass, field
from urllib.parse import unquote

from simsieve.errors import ConfigError

_OWN = ("table", "key", "where")
"""Options of a URI that are ours; the others are the driver's."""
_FORMS = {
    "sqlite": "sqlite:///folder/file.db, or sqlite:////folder/file.db from the root on",
    "postgresql": "postgresql://user:password@host:5432/database",
    "mysql": "mysql://user:password@host:3306/database",
}
_NAMES = {"postgres": "postgresql", "mariadb": "mysql"}


@dataclass(frozen=True, slots=True)
class Address:
    """A URI of a database, and the table that it names, if any."""

    dialect: str
    shown: str
    """The URI for messages and run directories: without password and options of the driver."""
    database: str
    """The same without the table."""
    place: str
    """A file of SQLite; else the database on its server."""
    host: str = ""
    port: int | None = None
    user: str | None = None
    password: str | None = field(default=None, repr=False)
    table: str | None = None
    key: str | None = None
    where: str | None = None
    options: dict[str, str] = field(default_factory=dict, repr=False)

    def is_same_table(self, other: "Address") -> bool:
        """Whether another address names the same table."""
        names = ("dialect", "host", "port", "place", "table")
        return all(getattr(self, name) == getattr(other, name) for name in names)

    def hidden(self, text: str) -> str:
        """Take the password out of a text."""
        return text.replace(self.password, "***") if self.password else text


def address_of(name: str | os.PathLike[str]) -> Address:
    """Take a URI apart."""
    place, _, query = os.fspath(name).partition("?")
    scheme, _, rest = place.partition("://")
    dialect = _NAMES.get(scheme, scheme)
    login, at, server = rest.rpartition("@")
    hosts, slash, path = server.partition("/")
    host, _, port = hosts.rpartition(":") if not hosts.endswith("]") and ":" in hosts else (hosts, "", "")
    is_file = dialect == "sqlite"
    if not slash or not path or (is_file and (hosts or at)) or (port and not port.isdigit()):
        advice = "; write @, : and / in a name or password as %40, %3A and %2F" if at and not is_file else ""
        raise ConfigError(
            "the URI of {dialect} is not valid: give {form}?table=NAME{advice}",
            dialect=dialect, form=_FORMS[dialect], advice=advice,
        )  # fmt: skip
    user, _, password = login.partition(":")
    options = dict(part.partition("=")[::2] for part in query.split("&") if part)
    own = {name: unquote(options.pop(name)) for name in _OWN if name in options}
    options = {name: unquote(value) for name, value in options.items()}
    secret = options.pop("password", None) or unquote(password) or None
    database = f"{scheme}://{f'{user}@' if user else ''}{hosts}/{path}"
    told = "&".join(part for part in query.split("&") if part.partition("=")[0] in _OWN)
    return Address(
        dialect, f"{database}?{told}" if told else database, database, unquote(path), unquote(host.strip("[]")),
        int(port) if port else None, unquote(user) or None, secret, **own, options=options,
    )  # fmt: skip
