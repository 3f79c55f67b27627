"""Work for a second thread while results are written: copying records, and making the next block of a table."""

from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor, wait
from contextlib import contextmanager
from threading import Event
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from simsieve.sinks.base import Rows, Sink, batches_of
from simsieve.types import Progress

_PAUSE_S = 0.1
_END = object()

Item = TypeVar("Item")


def one_ahead(items: Iterable[Item]) -> Iterator[Item]:
    """Give items while a second thread makes the next one."""
    source = iter(items)
    with ThreadPoolExecutor(1, "simsieve-ahead") as threads:
        following = threads.submit(next, source, _END)
        while (item := following.result()) is not _END:
            following = threads.submit(next, source, _END)
            yield item  # type: ignore[misc]


@contextmanager
def rows_beside(sink: Sink[Rows], wanted: NDArray[np.bool_]) -> Iterator[Callable[[Progress | None], None]]:
    """Begin to write records to a sink, go on in a second thread while the block works, and commit when it says so.

    The block gets a function that waits for the rest and commits. It takes what is called now and then with (stage,
    done, total). Where the block ends without a call of it, after Ctrl-C too, nothing is left.
    """
    written, stopped = 0, Event()

    def write() -> None:
        nonlocal written
        for rows in batches_of(wanted):
            if stopped.is_set():
                return
            sink.write(rows)
            written += len(rows.wanted)

    with ThreadPoolExecutor(1, "simsieve-kept") as threads:
        try:
            sink.begin()
            rest = threads.submit(write)

            def commit(progress: Progress | None) -> None:
                while not rest.done():
                    if progress is not None:
                        progress("write", written, len(wanted))
                    wait([rest], _PAUSE_S)
                rest.result()
                if progress is not None:
                    progress("write", len(wanted), len(wanted))
                sink.commit()

            yield commit
        finally:
            stopped.set()
            threads.shutdown()
            # It has no effect after the commit.
            sink.abort()
