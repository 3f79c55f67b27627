"""Pictures as a source: each is hashed by a function of imagehash, as the library itself would do it.

A record has `id` (the name of the file), `fingerprint` (the hash in hex digits), `width` and `height` (pixels of the
picture as it is stored), `pixels` (their product) and `bytes` (of the file). A picture that cannot be read fails.
"""

import base64
import io
import itertools
import os
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cache, partial
from typing import cast

import imagehash
from PIL import Image, ImageOps

from simsieve.config.settings import DedupConfig
from simsieve.machine import cores
from simsieve.messages import Message
from simsieve.sinks.base import Kind
from simsieve.sources.copies import Copies
from simsieve.sources.handed import HandedFiles, Row, failed_row
from simsieve.stores.pictures.rows import PictureRowSinks

FIELDS: Mapping[str, Kind] = {
    "id": "text", "fingerprint": "text", "width": "int", "height": "int", "pixels": "int", "bytes": "int",
}  # fmt: skip
_AT_A_TIME = 1 << 8
"""Pictures that are handed to the threads at a time."""
_SHOWN = 240
"""Pixels of the longer side of a small form."""
_QUALITY = 70


class PictureFiles(HandedFiles):
    """Pictures of any format that Pillow reads by itself."""

    fields = FIELDS

    def __init__(self, paths: tuple[str, ...], of_objects: Copies | None = None) -> None:
        super().__init__(paths, of_objects)
        self._names = frozenset(paths)
        # The pictures of a folder are one source.
        self._folders = [(name or ".", list(some)) for name, some in itertools.groupby(paths, os.path.dirname)]

    @property
    def part_count(self) -> int:
        """How many sources its records are of."""
        return len(self._folders)

    def parts(self, places: Mapping[str, str], config: DedupConfig) -> Iterator[tuple[str, Iterator[Row]]]:
        """Give the pictures of each folder; see `HandedFiles.parts`."""
        # Pillow releases the interpreter while it decodes and scales, so threads are enough.
        with ThreadPoolExecutor(config.threads or cores()) as pool:
            for folder, paths in self._folders:
                yield folder, self._rows(pool, paths, places, config)

    def _rows(
        self, pool: ThreadPoolExecutor, paths: Sequence[str], places: Mapping[str, str], config: DedupConfig
    ) -> Iterator[Row]:
        paths = paths[: config.limit]
        function, hash_size = cast("tuple[str, int]", config.picture_hash)
        hashed = partial(getattr(imagehash, function), hash_size=hash_size)

        def row(path: str) -> Row:
            return _row(path, places.get(path, path), hashed, config.max_record_bytes)

        for first in range(0, len(paths), _AT_A_TIME):
            some = paths[first : first + _AT_A_TIME]
            with warnings.catch_warnings():
                # Of odd but readable pictures, and of large ones, of which `_opened` takes those below Pillow's limit.
                warnings.simplefilter("ignore")
                rows = list(pool.map(row, some))
            for path in some:
                self.check_copied(path)
            yield from rows

    def picture(self, name: object) -> str | None:
        """Give a small form of a picture, upright, as a `data:` address; see `Source.picture`."""
        if name not in self._names:
            return super().picture(name)
        place = self.of_objects.place(str(name)) if self.of_objects else str(name)
        return _small(place)

    def row_sinks(self) -> PictureRowSinks:
        """Make tables of the records, and folders of the pictures."""
        return PictureRowSinks(self.fields, self.paths, self.of_objects)


@cache
def _formats() -> tuple[str, ...]:
    """The formats of Pillow, but for one that starts another program."""
    Image.init()
    return tuple(name for name in Image.OPEN if name != "EPS")


def _opened(place: str) -> Image.Image:
    return Image.open(place, formats=_formats())


def _row(path: str, place: str, hashed: Callable[[Image.Image], imagehash.ImageHash], most_bytes: int) -> Row:
    """The row of a picture."""
    name = path.encode()
    try:
        size = os.path.getsize(place)
        if size > most_bytes:
            why = Message(
                "{path}: the picture has {size} bytes and the limit is {most_bytes}; make it smaller, or raise the "
                "limit with {@max_record_bytes}",
                path=path, size=size, most_bytes=most_bytes,
            )  # fmt: skip
            return failed_row("too_long", why), name, *[None] * 5
        with _opened(place) as picture:
            made = hashed(picture)
            width, height = picture.size
    # Pillow's decoders raise errors of many kinds on broken files, and none of them may end the run.
    except Exception as error:  # noqa: BLE001 - see above
        why = Message(
            "{path}: the picture cannot be read: {error}; repair it, or take it away",
            path=path, error=" ".join(str(error).split()) or type(error).__name__,
        )  # fmt: skip
        return failed_row("unreadable", why), name, *[None] * 5
    numbers = (width, height, width * height, size)
    return None, name, str(made).encode(), *(str(number).encode() for number in numbers)


def _small(place: str) -> str | None:
    """A picture in few pixels, as a `data:` address; None where it cannot be read any more."""
    made = io.BytesIO()
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            with _opened(place) as picture:
                picture.draft("RGB", (_SHOWN, _SHOWN))
                upright = ImageOps.exif_transpose(picture)
                upright.thumbnail((_SHOWN, _SHOWN))
                # What is transparent is white, as on most pages.
                whole = upright.convert("RGBA")
                white = Image.new("RGBA", whole.size, "white")
                white.alpha_composite(whole)
                white.convert("RGB").save(made, "JPEG", quality=_QUALITY)
    except Exception:  # noqa: BLE001 - as above
        return None
    return f"data:image/jpeg;base64,{base64.b64encode(made.getvalue()).decode()}"
