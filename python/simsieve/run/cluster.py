"""What a job on a cluster of Spark takes, by what jobs of two kinds of texts took: see docs/how-to/spark.md."""

from dataclasses import dataclass
from typing import Any, Self

from simsieve.display import readable_bytes
from simsieve.messages import Message, tr

MOST_PAIRS = 10**8
"""Near pairs that the driver of a job decides on at most."""
_SECONDS = (47e-6, 0.121e-6)
"""Processor seconds of a text, and of a byte of it: 62 microseconds at 121 bytes, 254 at 1,703."""
_TEST = 5e-9
"""Processor seconds of a pair that is tested, with its part of the sort."""
_SHUFFLED = (354, 2.48)
"""The same in bytes that are shuffled: 654 at 121 bytes, 4,577 at 1,703."""
_ON_DISK = (700, 4)
_DRIVER_ROW, _DRIVER_PAIR = 200, 40
"""Bytes of the driver for a row that has a candidate, and for a near pair."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ClusterPlan:
    """What a job on a cluster takes; processor time, shuffle and disk are measured ones in proportion.

    Args:
        executors: How many executors.
        core_hours: Hours of one core, in all.
        shuffle_bytes: Bytes that are moved between executors.
        disk_bytes: Bytes on the disks of all executors.
        driver_bytes: Bytes that the driver takes.
        near_pairs: Pairs that the driver decides on, at most.
    """

    executors: int
    core_hours: float
    shuffle_bytes: int
    disk_bytes: int
    driver_bytes: int
    near_pairs: int

    @classmethod
    def of(cls, executors: int, documents: int, mean_bytes: int, found: dict[str, Any]) -> Self:
        """Plan a job on documents, by what a forecast of them has found."""
        near, rows = round(found["verified"]), min(documents, round(2 * found["candidates"]))
        seconds, shuffled, on_disk = (
            documents * (a_text + a_byte * mean_bytes) for a_text, a_byte in (_SECONDS, _SHUFFLED, _ON_DISK)
        )
        return cls(
            executors=executors,
            core_hours=(seconds + _TEST * found["looks"]) / 3600,
            shuffle_bytes=round(shuffled),
            disk_bytes=round(on_disk),
            driver_bytes=_DRIVER_ROW * rows + _DRIVER_PAIR * near,
            near_pairs=near,
        )

    def __str__(self) -> str:
        """The plan as a line."""
        return tr(
            "Spark on {executors:,} executors: {hours:,.1f} core-hours; {shuffle} are shuffled, {disk} are on disk,"
            " {each} on each; the driver takes {driver}",
            executors=self.executors,
            hours=self.core_hours,
            shuffle=readable_bytes(self.shuffle_bytes),
            disk=readable_bytes(self.disk_bytes),
            each=readable_bytes(self.disk_bytes // self.executors),
            driver=readable_bytes(self.driver_bytes),
        )

    def refusal(self) -> Message | None:
        """Say that the driver refuses a job, if it does."""
        if self.near_pairs <= MOST_PAIRS:
            return None
        return Message(
            "a job is refused where more than {most_pairs:,} pairs are near, and {count:,} may be: ask for a higher"
            " similarity, or split the collection by a field and give it to block_by",
            most_pairs=MOST_PAIRS, count=self.near_pairs,
        )  # fmt: skip
