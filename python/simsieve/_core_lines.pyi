"""What `simsieve._core` has for repeated lines and templates; no module of its own, but a part of the other stub."""

from collections.abc import Sequence
from typing import Any, ClassVar, final

import numpy as np
from numpy.typing import NDArray

from simsieve._core import Records, RunDirectory, Scheme, _Progress

@final
class Lines:
    """The lines, sentences or paragraphs of a collection."""

    def __new__(
        cls, store: Records, text_field: str, id_field: str, scope: str | None, unit: str, min_length: int,
        threads: int = 0, progress: _Progress | None = None, run_dir: RunDirectory | None = None,
    ) -> Lines: ...  # fmt: skip
    @property
    def units(self) -> int: ...
    @property
    def characters(self) -> NDArray[np.uint32]: ...
    def write_distinct(
        self, sink: str, similarity: float, threads: int = 0, progress: _Progress | None = None
    ) -> tuple[NDArray[np.uint32], int]: ...
    def remove(
        self, keep: int, min_share: float, shown: int, representatives: NDArray[np.uint32] | None = None,
        threads: int = 0, progress: _Progress | None = None,
    ) -> RemovedLines: ...  # fmt: skip
    def failures(self) -> list[tuple[int, str, str]]: ...
    def write_failed(self, sink: str) -> None: ...

@final
class RemovedLines:
    """A collection without what is repeated in it."""

    @property
    def store(self) -> Records: ...
    @property
    def characters(self) -> NDArray[np.uint32]: ...
    @property
    def counts(self) -> tuple[int, int, int]: ...
    @property
    def frequent(self) -> list[tuple[int, int, int, str]]: ...
    @property
    def scopes(self) -> list[tuple[int, int, int, int]]: ...
    def text(self, position: int) -> str: ...
    def spans(self, position: int) -> list[tuple[int, int]]: ...

@final
class Templates:
    """The parts that documents of many groups share."""

    FIELD: ClassVar[str]
    VERSION: ClassVar[int]
    LEAST: ClassVar[int]

    def __new__(
        cls, store: Records, scheme: Scheme, text_field: Sequence[str], id_field: str, min_length: int, min_count: int,
        groups: NDArray[np.uint32], threads: int = 0, progress: _Progress | None = None,
        run_dir: RunDirectory | None = None,
    ) -> Templates: ...  # fmt: skip
    def rows(self) -> list[tuple[str, int, int, int, list[tuple[int, int, int]]]]: ...
    def id(self, position: int) -> Any: ...
    def failures(self) -> list[tuple[int, str, str]]: ...
    def write_failed(self, sink: str) -> None: ...
