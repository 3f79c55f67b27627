"""Keys of callers: a file of lines `role key`, which is read again when it changes."""

import hmac
import os
import time
from hashlib import sha256
from pathlib import Path

from simsieve.errors import ConfigError, SourceError, not_read
from simsieve.files import read_file
from simsieve.serve.metrics import log

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
