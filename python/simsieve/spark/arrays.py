"""Arrow columns as the compiled core takes them, and back."""

from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

SKETCH_WORDS = 8
"""Words of a sketch, which precede those of the fingerprint where rows are compared by similarity."""
Texts = tuple[NDArray[np.int64], NDArray[np.uint8], NDArray[np.bool_] | None]


def texts_of(array: Any) -> Texts:
    """Give a column of texts as offsets, bytes, and which rows have a text."""
    array = array.cast(pa.large_string())
    if isinstance(array, pa.ChunkedArray):
        array = array.combine_chunks()
    _, offsets, data = array.buffers()
    ends = np.zeros(len(array) + 1, dtype=np.int64)
    if offsets is not None and len(array):
        ends = np.frombuffer(offsets, dtype=np.int64)[array.offset : array.offset + len(array) + 1]
    content = np.zeros(0, dtype=np.uint8)
    if data is not None and data.size:
        content = np.frombuffer(data, dtype=np.uint8)
    valid = np.ascontiguousarray(array.is_valid().to_numpy(zero_copy_only=False)) if array.null_count else None
    return np.ascontiguousarray(ends), content, valid


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
