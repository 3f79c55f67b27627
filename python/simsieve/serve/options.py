"""What a service is told: where it listens, who may ask by which keys, and how much one request may be."""

import hmac
import os
import re
import time
from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

from simsieve.errors import ConfigError, SourceError, not_read
from simsieve.files import read_file
from simsieve.machine import bracketed, is_loopback
from simsieve.serve.metrics import log

MIB = 1 << 20
LOOPBACK = ("127.0.0.1", "localhost", "[::1]")
_NAME = re.compile(r"(?!\.+$)[\w.-]{1,64}")


@dataclass(frozen=True, kw_only=True)
class Options:
    """The options of a service."""

    host: str = "127.0.0.1"
    port: int = 8080
    key_file: str | None = None
    certificate: str | None = None
    certificate_key: str | None = None
    allow_hosts: tuple[str, ...] = ()
    proxy: str | None = None
    max_body: int = 16 * MIB
    max_batch: int = 10_000
    max_text: int = MIB
    max_requests: int = 512
    timeout: float = 30.0
    quiet: bool = False
    has_doors: bool = False
    """Whether nothing is served but the review page, which lets people in by itself."""

    def __post_init__(self) -> None:
        """Refuse to be reached from elsewhere without keys."""
        if self.key_file is None and not self.has_doors and not is_loopback(self.host):
            raise ConfigError(
                "host {host} can be reached from other machines, and there are no keys: give --key-file, or listen on "
                "127.0.0.1",
                host=self.host,
            )
        if self.certificate is None and self.certificate_key is not None:
            raise ConfigError("a key is given without its certificate: give --certificate too")

    @property
    def hosts(self) -> frozenset[str] | None:
        """The names by which the service may be asked; None where any will do, as keys protect it."""
        if not self.allow_hosts and (self.key_file is not None or (self.has_doors and not is_loopback(self.host))):
            return None
        return frozenset((*LOOPBACK, bracketed(self.host), *self.allow_hosts))


def named_indexes(given: Sequence[str]) -> dict[str, Path]:
    """The directories of indexes by their names: `NAME=DIR`, or DIR, whose last part is the name."""
    found: dict[str, Path] = {}
    for one in given:
        name, equals, folder = one.partition("=")
        path = Path(folder if equals else one)
        name = name if equals else path.resolve().name
        if not _NAME.fullmatch(name):
            raise ConfigError(
                "{name!r} cannot be the name of an index in addresses: give NAME=DIR, with up to 64 letters, digits, "
                "points, _ and - in the name",
                name=name,
            )
        if name in found:
            raise ConfigError("two indexes have the name {name}: give one of them another as NAME=DIR", name=name)
        found[name] = path
    return found


ROLES = ("read", "write", "admin")
"""What a key allows; each allows what the ones before it do."""
_SHORTEST = 16
_EVERY = 1.0
"""Seconds between two looks at the file."""


class Keys:
    """The keys of a file, compared in constant time."""

    def __init__(self, path: str) -> None:
        self._path = Path(path)
        self._stamp, self._keys = self._read()
        self._looked = time.monotonic()

    def role(self, key: str) -> int | None:
        """The place of the role of a key in `ROLES`; None where the key is not known."""
        self._renew()
        asked, found = sha256(key.encode(errors="surrogateescape")).digest(), None
        # Every key is compared, so that the time tells nothing.
        for digest, role in self._keys:
            if hmac.compare_digest(digest, asked):
                found = role
        return found

    def _renew(self) -> None:
        """Read the file again where it has changed; a wrong one is told, and the keys stay as they were."""
        if time.monotonic() - self._looked < _EVERY:
            return
        self._looked = time.monotonic()
        try:
            if self._stat() == self._stamp:
                return
            self._stamp, self._keys = self._read()
            log("keys", keys=len(self._keys))
        except (ConfigError, OSError) as error:
            log("keys_refused", level="error", code=getattr(error, "code", "source"))

    def _stat(self) -> tuple[int, ...]:
        try:
            state = os.stat(self._path)
        except OSError as error:
            raise not_read(self._path, "the file of keys", error) from error
        return state.st_mtime_ns, state.st_ino, state.st_size, state.st_mode

    def _read(self) -> tuple[tuple[int, ...], list[tuple[bytes, int]]]:
        stamp = self._stat()
        if stamp[3] & 0o077:
            raise ConfigError(
                "{path}: others may read the keys: take the right from them by chmod 600", path=self._path
            )
        try:
            text = read_file(self._path).decode()
        except UnicodeDecodeError as error:
            raise SourceError("{path}: the file of keys is no UTF-8; write lines of a role and a key",
                              path=self._path) from error  # fmt: skip
        except OSError as error:
            raise not_read(self._path, "the file of keys", error) from error
        keys = []
        for number, line in enumerate(text.splitlines(), 1):
            words = line.partition("#")[0].split()
            if not words:
                continue
            if len(words) != 2 or words[0] not in ROLES or len(words[1]) < _SHORTEST:
                # The line is not shown, as it may have a key.
                raise ConfigError(
                    "{path}, line {number}: write read, write or admin, a space, and a key of at least {shortest} "
                    "characters",
                    path=self._path, number=number, shortest=_SHORTEST,
                )  # fmt: skip
            keys.append((sha256(words[1].encode()).digest(), ROLES.index(words[0])))
        if not keys:
            raise ConfigError(
                "{path}: has no key: write lines of a role (read, write or admin) and a key", path=self._path
            )
        return stamp, keys
