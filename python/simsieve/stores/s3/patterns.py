"""Which objects a name means: one, those under a prefix, or those that a pattern matches."""

import fnmatch
import glob
import re
from collections.abc import Iterator, Sequence
from typing import Any

from simsieve.checks import shown
from simsieve.errors import ConfigError, SourceError
from simsieve.registry import Version
from simsieve.stores.s3.client import Address, address_of, listed, look

_READ = re.compile(r"\.((jsonl|ndjson|json|csv|tsv)(\.gz|\.zst)?|warc(\.gz)?|parquet)$", re.IGNORECASE)
_TEXT = re.compile(r"\.(txt|md|markdown|html?)(\.gz|\.zst)?$", re.IGNORECASE)


def objects_of(client: Any, name: str) -> list[tuple[str, Version]]:
    """Give the objects that a name means, sorted by their keys."""
    address = address_of(name, of_object=False)
    if not address.key or address.key.endswith("/"):
        return _under(client, address)
    found = look(client, address)
    if found is not None:
        return [(address.name, found)]
    if glob.has_magic(address.key):
        return _matching(client, address)
    if next(listed(client, Address(address.bucket, address.key + "/")), None) is not None:
        raise SourceError("{name}: there is no such object, but some are under it: give {name}/", name=address.name)
    raise SourceError("{name}: there is no such object; check the name", name=address.name)


def _under(client: Any, address: Address) -> list[tuple[str, Version]]:
    everything = list(listed(client, address))
    if not everything:
        raise SourceError("{name}: there is no object under this prefix; check the name", name=address.name)
    texts = next((one for one, _ in everything if _TEXT.search(one.key)), None)
    if texts is not None:
        ending = texts.key[texts.key.rindex(".") :] if not texts.key.endswith((".gz", ".zst")) else ""
        raise ConfigError(
            "{name}: has texts such as {name_2}, and texts that are a record each are read from a folder on a disk: "
            "copy them first, or give '{name}**/*{ending}' to have each line as a record",
            name=address.name, name_2=texts.name, ending=ending,
        )  # fmt: skip
    files = [(one.name, found) for one, found in everything if _READ.search(one.key)]
    if not files:
        raise SourceError(
            "{name}: none of the {count:,} objects under it ends as a file of records, such as {name_2}; give a "
            "pattern or names, and {@input_format}",
            name=address.name, count=len(everything), name_2=shown(everything[0][0].name),
        )  # fmt: skip
    return files


def _matching(client: Any, address: Address) -> list[tuple[str, Version]]:
    wanted = address.key.split("/")
    fixed = re.split(r"[*?[]", address.key, maxsplit=1)[0]
    everything = listed(client, Address(address.bucket, fixed))
    files = [(one.name, found) for one, found in everything if matches(one.key.split("/"), wanted)]
    if not files:
        raise SourceError("{name}: no object matches this pattern; check it", name=address.name)
    return files


def matches(names: Sequence[str], wanted: Sequence[str]) -> bool:
    """Say whether the steps of a key are those of a pattern, as names of files are with `glob`."""
    if not wanted:
        return not names
    if wanted[0] == "**":
        return any(matches(names[at:], wanted[1:] or ["*"]) for at in _depths(names))
    if not names or (names[0].startswith(".") and not wanted[0].startswith(".")):
        return False
    return fnmatch.fnmatchcase(names[0], wanted[0]) and matches(names[1:], wanted[1:])


def _depths(names: Sequence[str]) -> Iterator[int]:
    """How many folders `**` may be."""
    for depth in range(len(names)):
        yield depth
        if names[depth].startswith("."):
            return
