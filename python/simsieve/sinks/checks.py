"""Where the results of a run go, and whether they can go there."""

import os
from collections.abc import Sequence
from dataclasses import dataclass

from simsieve import _core
from simsieve.sinks.base import SinkPath


@dataclass(frozen=True, slots=True)
class Sinks:
    """Where the results of a run go; None writes none.

    Args:
        kept: The kept records.
        decisions: A JSON line a record.
        failed: The failed records.
        summary: The run's numbers as one JSON object.
        dry_run: Do everything but write.
        run: What a later run at a stricter threshold needs.
        all_pairs: Put every near pair into `run`, so that the later run need not search.
        link: Put hard links into a folder of kept files in place of copies.
        config: The settings in force, as TOML.

    Example:
        >>> Sinks(kept="-").decisions is None
        True
    """

    kept: SinkPath | None = None
    decisions: SinkPath | None = None
    failed: SinkPath | None = None
    summary: SinkPath | None = None
    dry_run: bool = False
    run: SinkPath | None = None
    all_pairs: bool = False
    link: bool = False
    config: SinkPath | None = None

    def check(self, sources: tuple[str, ...]) -> None:
        """Check that every sink can be written and none is a source; see `check_sinks`."""
        check_sinks(sources, (self.decisions, self.failed, self.summary, self.run, self.config), self.kept)


def check_sinks(sources: Sequence[str], sinks: Sequence[SinkPath | None], kept: SinkPath | None = None) -> None:
    """Check that sinks can be written, are no sources and are not the same, links seen through.

    Args:
        sources: The sources' paths; `-` is stdin and no obstacle to a sink.
        sinks: Files, `-` for stdout, or None.
        kept: The sink of the kept records, which may be a folder.

    Raises:
        SinkError: A sink cannot be written.
        ConfigError: A sink is a source, or two sinks are the same.

    Example:
        >>> check_sinks([], ["a.jsonl", "a.jsonl"])
        Traceback (most recent call last):
        ...
        simsieve.errors.ConfigError: the sinks a.jsonl and a.jsonl are the same file; give each its own
    """
    files = [os.fspath(sink) for sink in (kept, *sinks) if sink is not None]
    folder = None
    if kept is not None and is_folder(kept):
        takes_folder = os.fspath(kept).endswith("/") or any(os.path.isdir(source) for source in sources)
        # A folder without a slash takes kept files only where sources are folders, and they may not be known yet.
        folder = os.fspath(kept) if takes_folder else None
        if takes_folder or not sources:
            files = files[1:]
    _core.check_sinks(list(sources), files, folder)


def is_folder(sink: str | os.PathLike[str]) -> bool:
    """Say whether a sink's name is a folder's: it ends in a slash, or there is a folder of the name.

    Example:
        >>> is_folder("kept/"), is_folder("kept.jsonl")
        (True, False)
    """
    name = os.fspath(sink)
    return name.endswith("/") or os.path.isdir(name)
