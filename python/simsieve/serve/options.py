"""What a service is told: where it listens, who may ask, and how much one request may be."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from simsieve.errors import ConfigError
from simsieve.machine import bracketed, is_loopback

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
            )  # fmt: skip
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
            )  # fmt: skip
        if name in found:
            raise ConfigError("two indexes have the name {name}: give one of them another as NAME=DIR", name=name)
        found[name] = path
    return found
