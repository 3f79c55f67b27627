"""Schemes of pictures: given fingerprints that simsieve makes itself, by a hash of the package imagehash."""

import re
from math import isqrt
from typing import Any

from simsieve.errors import ConfigError

HASHES = {"phash": "phash", "dhash": "dhash", "ahash": "average_hash", "whash": "whash"}
"""The hash of each family of schemes, by its name in imagehash."""
_WIDTHS = (64, 256)
PICTURES = tuple(f"{family}{width}" for family in HASHES for width in _WIDTHS)
"""The names of the schemes."""
_NAME = re.compile(rf"({'|'.join(HASHES)})(\d+)(:.*)?", re.DOTALL)


def picture_hash(scheme: Any) -> tuple[str, int] | None:
    """Give the function of imagehash, and its `hash_size`, that a scheme's name means; None of any other scheme."""
    found = _NAME.fullmatch(str(scheme))
    if found is None:
        return None
    name, family, width, _ = found[0], *found.groups()
    if name not in PICTURES:
        raise ConfigError(
            "scheme {name!r} is not known: pictures have {names}, without options", name=name, names=", ".join(PICTURES)
        )
    return HASHES[family], isqrt(int(width))


def given_name(spec: str) -> str:
    """Give the scheme as the core knows it: a fingerprint that is given in hex digits."""
    return spec if picture_hash(spec) is None else f"external{spec[5:]}"
