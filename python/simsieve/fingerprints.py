"""The fingerprints of many texts as arrays of words: their blocks, and their digits. Column 0 is the low word."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any, overload

import numpy as np
from numpy.typing import DTypeLike, NDArray

from simsieve import _core
from simsieve.bits import check_blocks
from simsieve.errors import ConfigError
from simsieve.optional import arrow
from simsieve.tabular import ArrowTable, Tabular
from simsieve.types import Fingerprint


@dataclass(frozen=True, eq=False, slots=True, repr=False)
class Fingerprints(Tabular):
    """The fingerprints of many texts of one scheme, as arrays; a sequence of `Fingerprint | None`.

    `numpy.asarray` gives `values`. `to_arrow`, `to_pandas`, `to_polars` and Arrow's stream give a table with one column
    `fingerprint`: hex digits, null where a text had no features.

    Args:
        values: uint64[n, ceil(width / 64)]; column 0 is the low word. A row that is not valid is zero.
        valid: bool[n]; False where the text had no features.
        width: Bits of a fingerprint.
        scheme: The scheme's spec.
        digest: The scheme's digest, in hex.

    Example:
        >>> values = np.array([[10], [0]], dtype=np.uint64)
        >>> prints = Fingerprints(values, np.array([True, False]), 64, "demo", "00")
        >>> len(prints), int(prints[0]), prints[1] is None
        (2, 10, True)
    """

    values: NDArray[np.uint64]
    valid: NDArray[np.bool_]
    width: int
    scheme: str
    digest: str

    @classmethod
    def of(cls, fingerprints: "Iterable[Fingerprint | None]") -> "Fingerprints":
        """Gather fingerprints of one scheme.

        Args:
            fingerprints: In the order of the rows; None for a text without features, but not for all of them.

        Raises:
            TypeError: An item is neither.
            ConfigError: No item is a fingerprint.
            DigestError: Two digests differ; the text names both schemes.

        Example:
            >>> one = Fingerprint(10, 8, "demo", "00")
            >>> Fingerprints.of([one, None]).valid.tolist()
            [True, False]
        """
        rows = list(fingerprints)
        for at, row in enumerate(rows):
            if row is not None and not isinstance(row, Fingerprint):
                raise TypeError(f"item {at} is of type {type(row).__name__}: give Fingerprint or None")
        first = next((row for row in rows if row is not None), None)
        if first is None:
            raise ConfigError(
                "none of {count} items is a fingerprint, so no scheme is known: give at least one", count=len(rows)
            )
        for row in rows:
            if row is not None:
                first.distance(row)
        words = (first.width + 63) // 64
        raw = b"".join((0 if row is None else row.value).to_bytes(8 * words, "little") for row in rows)
        values = np.frombuffer(raw, dtype="<u8").astype(np.uint64).reshape(len(rows), words)
        valid = np.array([row is not None for row in rows], dtype=np.bool_)
        return cls(values, valid, first.width, first.scheme, first.digest)

    def __repr__(self) -> str:
        """Show the scheme and the counts."""
        return f"<Fingerprints of {len(self):,} texts by {self.scheme}, {int(self.valid.sum()):,} with features>"

    def __array__(self, dtype: DTypeLike | None = None, copy: bool | None = None) -> NDArray[Any]:  # noqa: FBT001
        """Give `values`, as `numpy.asarray` asks for them."""
        return np.array(self.values, dtype=dtype, copy=copy)

    def blocks(self, count: int) -> NDArray[np.uint64]:
        """Cut each fingerprint into blocks, for the tables of a database of one's own.

        Two fingerprints that differ in fewer than `count` bits have an equal block in the same column (Manku et al.,
        WWW 2007, section 3). Store a row a block, and compare what shares one.

        Args:
            count: How many blocks: from width / 64, rounded up, to width.

        Returns:
            uint64[n, count]: column 0 has the most significant bits; widths differ by at most 1 bit, the wider blocks
            first. A row that is not valid is zero.

        Raises:
            ConfigError: The count is not allowed.

        Example:
            >>> prints = Fingerprints.of([Fingerprint(0xABCD, 16, "demo", "00")])
            >>> prints.blocks(4).tolist()
            [[10, 11, 12, 13]]
        """
        return cut_blocks(self.values, self.width, count)

    def to_arrow(self) -> ArrowTable:
        """Give the rows as a `pyarrow.Table` whose metadata name the scheme and its digest; see `Tabular`."""
        pa = arrow()
        digits = hex_digits(self.values, self.width)
        ends = np.arange(len(self) + 1, dtype=np.int64) * digits.shape[1]
        texts = pa.LargeStringArray.from_buffers(len(self), pa.py_buffer(ends), pa.py_buffer(digits))
        texts = arrow("pyarrow.compute").if_else(pa.array(self.valid), texts, pa.scalar(None, pa.large_string()))
        return pa.table({"fingerprint": texts}, metadata={"scheme": self.scheme, "digest": self.digest})

    def __len__(self) -> int:
        """Count the texts."""
        return len(self.valid)

    @overload
    def __getitem__(self, index: int) -> Fingerprint | None: ...
    @overload
    def __getitem__(self, index: slice) -> "Fingerprints": ...
    def __getitem__(self, index: int | slice) -> "Fingerprint | Fingerprints | None":
        """Give one fingerprint (None where the text had no features), or those of a slice."""
        if isinstance(index, slice):
            values = np.ascontiguousarray(self.values[index])
            valid = np.ascontiguousarray(self.valid[index])
            return Fingerprints(values, valid, self.width, self.scheme, self.digest)
        if not self.valid[index]:
            return None
        value = sum(int(word) << 64 * place for place, word in enumerate(self.values[index]))
        return Fingerprint(value, self.width, self.scheme, self.digest)

    def __iter__(self) -> Iterator[Fingerprint | None]:
        """Go through the fingerprints in order."""
        return (self[index] for index in range(len(self)))


def cut_blocks(values: NDArray[np.uint64], width: int, count: int) -> NDArray[np.uint64]:
    """Cut fingerprints into blocks of nearly one width."""
    return _core.cut_blocks(np.ascontiguousarray(values), width, check_blocks(width, count))


def hex_digits(values: NDArray[np.uint64], width: int) -> NDArray[np.uint8]:
    """Write fingerprints in hex, most significant digit first."""
    raw = np.ascontiguousarray(values[:, ::-1]).astype(">u8").view(np.uint8)
    pairs = np.frombuffer("".join(f"{byte:02x}" for byte in range(256)).encode(), dtype=np.uint8).reshape(256, 2)
    digits = pairs[raw].reshape(len(values), 16 * values.shape[1])
    return np.ascontiguousarray(digits[:, digits.shape[1] - (width + 3) // 4 :])
