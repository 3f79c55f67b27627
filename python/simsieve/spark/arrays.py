"""Arrow columns as the compiled core takes them, and back."""

from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from simsieve.sources.columns import Buffers, buffers_of

SKETCH_WORDS = 8
"""Words of a sketch, which precede those of the fingerprint where rows are compared by similarity."""


def texts_of(array: Any) -> Buffers:
    """Give a column of texts as offsets, bytes, and which rows have a text."""
    array = array.cast(pa.large_string())
    return buffers_of(array.combine_chunks() if isinstance(array, pa.ChunkedArray) else array)


def words_array(words: NDArray[np.uint64]) -> Any:
    """Give rows of words as a column of binary values of one length."""
    data = pa.py_buffer(np.ascontiguousarray(words, dtype="<u8"))
    return pa.FixedSizeBinaryArray.from_buffers(pa.binary(words.shape[1] * 8), len(words), [None, data])


def words_of(array: Any) -> NDArray[np.uint64]:
    """Give a column of binary values of one length as rows of words."""
    if isinstance(array, pa.ChunkedArray):
        array = array.combine_chunks()
    width = array.type.byte_width
    data = np.frombuffer(array.buffers()[1] or b"", dtype=np.uint8)[array.offset * width :][: len(array) * width]
    return np.frombuffer(data.tobytes(), dtype="<u8").reshape(len(array), width // 8)


def longs(array: Any) -> NDArray[np.int64]:
    """Give a column of whole numbers without nulls."""
    return np.ascontiguousarray(array.to_numpy(zero_copy_only=False), dtype=np.int64)


def flags(array: Any) -> NDArray[np.bool_]:
    """Give a column of truth values without nulls."""
    return np.asarray(array.to_numpy(zero_copy_only=False), dtype=bool)
