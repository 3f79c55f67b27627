"""The bits of one fingerprint: how wide its blocks are, and its digits as text."""

from functools import cache

from simsieve.checks import check_integer, shown
from simsieve.errors import ConfigError

WORD = 64
"""Bits of a word of an array of fingerprints."""
MOST_BITS = 256


def check_blocks(width: int, count: int) -> int:
    """Check into how many blocks a fingerprint is cut."""
    return check_integer("blocks", count, (width + WORD - 1) // WORD, width)


def read_bits(bits: str) -> int:
    """Read zeros and ones, most significant bit first: 1 to 256 digits."""
    if not isinstance(bits, str):
        raise TypeError(f"bits are of type {type(bits).__name__}: give a text of zeros and ones")
    if not 1 <= len(bits) <= MOST_BITS or set(bits) - {"0", "1"}:
        raise ConfigError(
            "bits {bits} are not allowed: give 1 to {most_bits} zeros and ones", bits=shown(bits), most_bits=MOST_BITS
        )
    return int(bits, 2)


def decimal_fingerprint(value: int, width: int) -> str:
    """Write a fingerprint in decimal digits, always as many: so texts are equal and ordered as the numbers are."""
    # BSON has no whole numbers of 64 bits without a sign, and none of 128.
    return f"{value:0{_digits(width)}}"


@cache
def _digits(width: int) -> int:
    return len(str((1 << width) - 1))
