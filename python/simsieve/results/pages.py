"""Pages of a run whose main text is a small part of them."""

from simsieve import _core


def small_main_texts(documents: _core.Documents, threads: int) -> tuple[int, int, int] | None:
    """Count pages whose main text is less than a tenth of what a reader sees; of many, a sample is looked at."""
    for found in filter(None, _core.small_parts(documents, threads)):
        looked, small, position = found
        if position is not None:
            return looked, small, position
    return None
