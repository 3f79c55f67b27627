"""Fingerprints as arrays of words: their blocks, and their digits as text. Column 0 of an array is the low word."""

import numpy as np
from numpy.typing import NDArray

from simsieve import _core
from simsieve.checks import check_integer, shown
from simsieve.errors import ConfigError

_WORD = 64
MOST_BITS = 256
"""The most bits of a fingerprint."""


def check_blocks(width: int, count: int) -> int:
    """Check into how many blocks a fingerprint is cut.

    Args:
        width: Bits of the fingerprint, 1 to 256.
        count: How many blocks: from width / 64, rounded up, to width.

    Returns:
        The count.

    Raises:
        ConfigError: The count is not allowed.

    Example:
        >>> check_blocks(64, 3)
        3
    """
    return check_integer("blocks", count, (width + _WORD - 1) // _WORD, width)


def cut_blocks(values: NDArray[np.uint64], width: int, count: int) -> NDArray[np.uint64]:
    """Cut fingerprints into blocks of nearly one width, the wider ones first.

    Args:
        values: uint64[n, ceil(width / 64)].
        width: Bits of a fingerprint.
        count: As of `check_blocks`.

    Returns:
        uint64[n, count]; column 0 has the most significant bits.

    Raises:
        ConfigError: The count is not allowed.

    Example:
        >>> cut_blocks(np.array([[0xABCD]], dtype=np.uint64), 16, 4).tolist()
        [[10, 11, 12, 13]]
    """
    return _core.cut_blocks(np.ascontiguousarray(values), width, check_blocks(width, count))


def hex_digits(values: NDArray[np.uint64], width: int) -> NDArray[np.uint8]:
    """Write fingerprints in hex, most significant digit first.

    Args:
        values: uint64[n, ceil(width / 64)].
        width: Bits of a fingerprint.

    Returns:
        uint8[n, ceil(width / 4)], the ASCII codes of the digits.

    Example:
        >>> hex_digits(np.array([[0xABC]], dtype=np.uint64), 12).tobytes()
        b'abc'
    """
    raw = np.ascontiguousarray(values[:, ::-1]).astype(">u8").view(np.uint8)
    pairs = np.frombuffer("".join(f"{byte:02x}" for byte in range(256)).encode(), dtype=np.uint8).reshape(256, 2)
    digits = pairs[raw].reshape(len(values), 16 * values.shape[1])
    return np.ascontiguousarray(digits[:, digits.shape[1] - (width + 3) // 4 :])


def read_bits(bits: str) -> int:
    """Read zeros and ones, most significant bit first.

    Args:
        bits: 1 to 256 digits.

    Raises:
        TypeError: It is no text.
        ConfigError: It has other characters, none, or too many.

    Example:
        >>> read_bits("1010")
        10
    """
    if not isinstance(bits, str):
        raise TypeError(f"bits are of type {type(bits).__name__}: give a text of zeros and ones")
    if not 1 <= len(bits) <= MOST_BITS or set(bits) - {"0", "1"}:
        raise ConfigError(f"bits {shown(bits)} are not allowed: give 1 to {MOST_BITS} zeros and ones")
    return int(bits, 2)
