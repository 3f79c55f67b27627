"""Pictures as a source and as kept files: each is hashed by a function of imagehash, as the library itself would do it.

A record has `id` (the name of the file), `fingerprint` (the hash in hex digits), `width` and `height` (pixels of the
picture as it is stored), `pixels` (their product) and `bytes` (of the file). A picture that cannot be read fails.
"""

import base64
import io
import itertools
import json
import os
import shutil
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cache, partial
from typing import cast

import imagehash
from PIL import Image, ImageOps

from simsieve import _core
from simsieve.config.settings import DedupConfig
from simsieve.errors import SinkError
from simsieve.machine import cores
from simsieve.messages import Message
from simsieve.sinks.base import Kind, LineReader, Rows, Sink, SinkPath
from simsieve.sinks.checks import is_folder
from simsieve.sinks.folder import OutputFolder
from simsieve.sinks.records import HandedRowSinks
from simsieve.sources.copies import Copies
from simsieve.sources.handed import HandedFiles, Row, failed_row


class PictureRowSinks(HandedRowSinks):
    """The sinks of pictures."""

    def __init__(self, fields: Mapping[str, Kind], paths: Sequence[str], of_objects: Copies | None) -> None:
        super().__init__(fields)
        self._paths, self._of_objects = paths, of_objects

    def check_kept(self, sink: SinkPath, form: str | None) -> None:
        """Check the name; see `RowSinks.check_kept`."""
        if not is_folder(sink):
            super().check_kept(sink, form)

    def kept(self, store: _core.Records, sink: SinkPath, form: str | None, *, link: bool = False) -> Sink[Rows]:
        """Make the sink of kept pictures; see `RowSinks.kept`."""
        if not is_folder(sink):
            return super().kept(store, sink, form)
        places = {path: self._of_objects.place(path) if self._of_objects else path for path in self._paths}
        return PictureFolder(sink, self.reader(store), places, link=link)


class PictureFolder:
    """A folder that gets the kept pictures, under their names from the folder on that they have in common."""

    def __init__(self, sink: SinkPath, read: LineReader, places: Mapping[str, str], *, link: bool) -> None:
        self._read, self._places, self._put = read, places, os.link if link else shutil.copy2
        whole = {path: os.path.abspath(path) for path in places}
        common = os.path.commonpath([os.path.dirname(path) for path in whole.values()])
        self._names = {path: os.path.relpath(at, common) for path, at in whole.items()}
        own = set(self._names.values())
        self._folder = OutputFolder(sink, own.__contains__)
        self.begin, self.commit, self.abort = self._folder.begin, self._folder.commit, self._folder.abort

    def check(self) -> None:
        """Check that the folder can appear."""
        self._folder.check(list(self._places))

    def write(self, batch: Rows, /) -> None:
        """Copy pictures, or link them."""
        for _, line in self._read(batch):
            path = json.loads(line)["id"]
            place = self._folder.path(self._names[path])
            with self._folder.named():
                try:
                    self._put(self._places[path], place)
                except OSError as error:
                    raise SinkError(
                        "{path}: cannot be copied to {place}: {value}; see that it is there, and that there is room",
                        path=path, place=place, value=error.strerror or error,
                    ) from error  # fmt: skip


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
                # Pillow warns of odd pictures, and of large ones; `_opened` takes those below Pillow's limit.
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
                # Transparent parts are white, as on most pages.
                whole = upright.convert("RGBA")
                white = Image.new("RGBA", whole.size, "white")
                white.alpha_composite(whole)
                white.convert("RGB").save(made, "JPEG", quality=_QUALITY)
    except Exception:  # noqa: BLE001 - as above
        return None
    return f"data:image/jpeg;base64,{base64.b64encode(made.getvalue()).decode()}"
