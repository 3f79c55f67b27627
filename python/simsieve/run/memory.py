"""How much memory a run may hold, what its run directory takes, and when it is refused."""

from collections.abc import Mapping

from simsieve.config.checks import memory_bytes
from simsieve.config.settings import DedupConfig
from simsieve.display import readable_bytes
from simsieve.machine import available_bytes
from simsieve.messages import Message

LEAST_BYTES = 256 << 20
"""Memory that every run may take, whatever the bound is."""
UNBOUNDED_BYTES = 1 << 62
"""Memory that is more than any machine has, where no bound is known."""

DISK_PARTS = ("columns", "keys", "pairs", "decisions")


def disk_values(parts: Mapping[str, int]) -> dict[str, str]:
    """Give what a run directory takes, in words: the bytes of the whole and of each part."""
    values = {name: readable_bytes(part) for name, part in parts.items()}
    return {"disk": readable_bytes(sum(parts.values())), **values}


def memory_bound(config: DedupConfig) -> int | None:
    """Return the bytes of memory that a run may hold; None where neither the settings nor the system give it."""
    if config.memory is not None:
        return memory_bytes(config.memory)
    free = available_bytes()
    return None if free is None else free // 2


def refusal(bound: int | None, in_memory: int, in_directory: int, documents: int) -> str | None:
    """Say why a run is refused for its memory; None where it is not."""
    if bound is None or in_memory <= bound or in_directory <= max(bound, LEAST_BYTES):
        return None
    return Message(
        "{readable_bytes} of memory are too little for {documents:,} records: about {readable_bytes_2} are needed "
        "with a run directory, and {readable_bytes_3} without; give more by {@`memory`}, or fewer records",
        readable_bytes=readable_bytes(bound), documents=documents, readable_bytes_2=readable_bytes(in_directory),
        readable_bytes_3=readable_bytes(in_memory),
    )  # fmt: skip


def small_bound(config: DedupConfig) -> str | None:
    """Say that a bound of memory is below what every run may take; None where it is not."""
    if config.memory is None or memory_bytes(config.memory) >= LEAST_BYTES:
        return None
    least = readable_bytes(LEAST_BYTES)
    return Message(
        "memory {memory} is below the {least} that every run may take: a run may hold {least}",
        memory=config.memory, least=least,
    )  # fmt: skip
