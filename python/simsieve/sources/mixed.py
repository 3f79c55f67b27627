"""Files of which some are Parquet and others are text: each is read as its kind."""

from collections.abc import Sequence

from simsieve import _core
from simsieve.config.settings import DedupConfig
from simsieve.sinks.mixed import MixedRowSinks
from simsieve.sources.base import Source
from simsieve.sources.folders import LeftOut
from simsieve.types import Progress


class MixedFiles(Source):
    """Groups of files of one kind each, whose records follow one another."""

    is_named = True
    has_same_fields = False

    def __init__(self, groups: Sequence[Source]) -> None:
        self.groups = tuple(groups)
        self.paths = tuple(path for group in groups for path in group.paths)
        # All groups have the same.
        self.of_objects = groups[0].of_objects
        self.has_texts = any(group.has_texts for group in groups)

    def spool(self, config: DedupConfig, progress: Progress | None = None) -> _core.Records:
        """Read each group."""
        read: list[_core.Records] = []
        for group in self.groups:
            # A file is read once, in whatever group it is.
            group.named, group.apart = self.paths, (*self.apart, *read)
            read.append(group.read(config, progress))
        return _core.Records.joined(read)

    @property
    def has_pages(self) -> bool:  # type: ignore[override]
        """Whether texts that were read of a group have pages."""
        return any(group.has_pages for group in self.groups)

    @property
    def left_out(self) -> LeftOut:
        """What is there and is not read; see `Source.left_out`."""
        found = super().left_out
        for group in self.groups:
            found.records += group.left_out.records
            found.pictures += group.left_out.pictures
            found.blank += group.left_out.blank
        return found

    def holds(self, names: Sequence[str]) -> list[bool]:
        """Say which files, by their names, a group has read."""
        return [any(held) for held in zip(*(group.holds(names) for group in self.groups), strict=True)]

    def picture(self, name: object) -> str | None:
        """Give a small form of a picture of a group; see `Source.picture`."""
        shown = filter(None, (group.picture(name) for group in self.groups))
        return next(shown, None) or super().picture(name)

    def row_sinks(self) -> MixedRowSinks:
        """Make lines of JSON of the rows of all groups."""
        return MixedRowSinks([(group.row_sinks(), group.part_count) for group in self.groups], self.check_unchanged)

    def check_unchanged(self) -> None:
        """Check that no file has changed."""
        for group in self.groups:
            group.check_unchanged()
