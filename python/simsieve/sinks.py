"""Where the results of a run go."""

from dataclasses import dataclass

from simsieve.decide import check_sinks
from simsieve.rows import SinkPath


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
        """Check that every sink can be written and none is a source; see `decide.check_sinks`."""
        check_sinks(sources, (self.decisions, self.failed, self.summary, self.run, self.config), self.kept)
