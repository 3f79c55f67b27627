"""What a job on a cluster of Spark takes, by what jobs of two kinds of texts took: see docs/how-to/spark.md."""

from dataclasses import dataclass
from typing import Any, Self

from simsieve.display import readable_bytes
from simsieve.messages import tr

_SECONDS = (47e-6, 0.121e-6)
"""Processor seconds of a text, and of a byte of it: 62 microseconds at 121 bytes, 254 at 1,703."""
_TEST = 5e-9
"""Processor seconds of a pair that is tested, with its part of the sort."""
_SHUFFLED = (354, 2.48)
"""The same in bytes that are shuffled: 654 at 121 bytes, 4,577 at 1,703."""
_ON_DISK = (700, 4)
_ROUNDS = 400
"""Bytes that are shuffled for a near pair in the rounds of decisions."""
_SAMPLED = 1 << 20
"""Texts that the driver samples at most; it sees counts of the rest."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ClusterPlan:
    """What a job on a cluster takes; processor time, shuffle and disk are measured ones in proportion.

    Args:
        executors: How many executors.
        core_hours: Hours of one core, in all.
        shuffle_bytes: Bytes that are moved between executors.
        disk_bytes: Bytes on the disks of all executors.
        driver_bytes: Bytes of the sample that the driver takes, at most.
    """

    executors: int
    core_hours: float
    shuffle_bytes: int
    disk_bytes: int
    driver_bytes: int

    @classmethod
    def of(cls, executors: int, documents: int, mean_bytes: int, found: dict[str, Any]) -> Self:
        """Plan a job on documents, by what a forecast of them has found."""
        seconds, shuffled, on_disk = (
            documents * (a_text + a_byte * mean_bytes) for a_text, a_byte in (_SECONDS, _SHUFFLED, _ON_DISK)
        )
        return cls(
            executors=executors,
            core_hours=(seconds + _TEST * found["looks"]) / 3600,
            shuffle_bytes=round(shuffled + _ROUNDS * found["verified"]),
            disk_bytes=round(on_disk),
            driver_bytes=min(documents, _SAMPLED) * mean_bytes,
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
