"""What can go wrong, as one tree, named for what the caller does next.

    SimsieveError
    ├── ConfigError         (also ValueError)  mend the call: a setting or an argument is not allowed
    ├── SourceError         (also OSError)     mend or replace the file that is read
    ├── SinkError           (also OSError)     choose another place to write, or make room there
    ├── TooManyPairsError                      raise `max_pairs`, or ask for nearer pairs
    ├── TextError           (also ValueError)  mend the text, or leave it out: the scheme cannot use it
    └── InternalError                          a fault of simsieve itself: please report it

    Interrupted             (KeyboardInterrupt) the user asked to stop; no half file was left

`Interrupted` stands beside the tree: like any `KeyboardInterrupt` it must pass through `except Exception`, or a loop
around simsieve would swallow Ctrl-C.

A failure in the core arrives as `_core.CoreError` with a `kind`; `translate` is the only place that gives it a name
from this tree, and `core_errors` the only way to call it. Every module that calls the core does so inside
`core_errors`.
A bad record is none of these: it is counted, kept aside and reported as failed.
"""

import os
from collections.abc import Iterator
from contextlib import contextmanager

from simsieve import _core


class SimsieveError(Exception):
    """Any failure that simsieve raises on purpose; its text is one line that says what to do.

    Example:
        >>> issubclass(ConfigError, SimsieveError)
        True
    """


class ConfigError(SimsieveError, ValueError):
    """A setting or an argument has a value that is not allowed.

    Example:
        >>> issubclass(ConfigError, ValueError)
        True
    """


class SourceError(SimsieveError, OSError):
    """A source cannot be read whole: it is missing, unreadable, cut off or damaged.

    Example:
        >>> issubclass(SourceError, OSError)
        True
    """


class SinkError(SimsieveError, OSError):
    """A sink cannot be written; nothing is left at its name.

    Example:
        >>> issubclass(SinkError, OSError)
        True
    """


class TooManyPairsError(SimsieveError):
    """The answer has more pairs than `max_pairs` allows; the text gives their count.

    Example:
        >>> issubclass(TooManyPairsError, SimsieveError)
        True
    """


class TextError(SimsieveError, ValueError):
    """A text that was given cannot be used by the scheme; the error's text names its index.

    In a run such a text is a failed record instead, and the run goes on.

    Args:
        told: The error's text.
        index: Which text of the call it was, from 0.
        code: The code with which a record of that text would fail.
        why: What is wrong and what to do, without the index.

    Example:
        >>> issubclass(TextError, ValueError)
        True
        >>> str(TextError.of("a.html", TextError("text 0: it is too deep", why="it is too deep")))
        'a.html: it is too deep'
    """

    def __init__(self, told: str, *, index: int = 0, code: str = "unusable_text", why: str | None = None) -> None:
        super().__init__(told)
        self.index = index
        self.code = code
        self.why = told if why is None else why

    @classmethod
    def of(cls, name: str, error: "TextError") -> "TextError":
        """Give the error of a text that has a name, such as a file's."""
        return cls(f"{name}: {error.why}", index=error.index, code=error.code, why=error.why)


class InternalError(SimsieveError):
    """A promise that simsieve makes to itself was broken: the fault is not the caller's.

    Example:
        >>> issubclass(InternalError, SimsieveError)
        True
    """


class Interrupted(KeyboardInterrupt):
    """The work was stopped at the user's wish before anything was written.

    Example:
        >>> issubclass(Interrupted, Exception)
        False
    """


def not_read(path: str | os.PathLike[str], what: str, error: OSError, advice: str = "check the name") -> SourceError:
    """Give the error of a file that is not read, in the core's words where it may not be.

    Args:
        path: The file as the user named it.
        what: What it would be, such as `the scheme`; empty where the name says it.
        error: What the system says.
        advice: What to do, unless it is a matter of rights.

    Example:
        >>> str(not_read("mine.toml", "the scheme", FileNotFoundError(2, "No such file or directory")))
        'mine.toml: the scheme cannot be read: No such file or directory; check the name'
        >>> str(not_read("mine.toml", "the scheme", PermissionError(13, "Permission denied")))
        'mine.toml: the scheme may not be read; grant the right to read it, or run as its owner'
    """
    told = (
        "may not be read; grant the right to read it, or run as its owner"
        if isinstance(error, PermissionError)
        else f"cannot be read: {error.strerror}; {advice}"
    )
    return SourceError(f"{os.fspath(path)}: {what}{' ' if what else ''}{told}")


BY_KIND: dict[str, type[SimsieveError] | type[Interrupted]] = {
    "config": ConfigError,
    "source": SourceError,
    "sink": SinkError,
    "too_many": TooManyPairsError,
    "text": TextError,
    "interrupted": Interrupted,
}


def translate(error: _core.CoreError) -> SimsieveError | Interrupted:
    """Give a failure told by the core its name in the tree.

    Args:
        error: The core's exception; `error.kind` is one of the keys of `BY_KIND`.

    Returns:
        A new exception with the same text, not yet raised; `InternalError` for a kind that is not known here.

    Example:
        >>> failure = _core.CoreError("similarity 2 is outside (0, 1]")
        >>> failure.kind = "config"
        >>> type(translate(failure)).__name__
        'ConfigError'
    """
    kind = getattr(error, "kind", None)
    found = BY_KIND.get(kind) if isinstance(kind, str) else None
    if found is None:
        return InternalError(f"the core told a failure of the unknown kind {kind!r}: {error}")
    if found is TextError:
        about = {name: getattr(error, name) for name in ("index", "code") if hasattr(error, name)}
        return TextError(str(error), why=getattr(error, "message", None), **about)
    return found(str(error))


@contextmanager
def core_errors() -> Iterator[None]:
    """Run a block that calls the core, and raise its failures under their names in the tree.

    Raises:
        SimsieveError: Or `Interrupted`: what `translate` makes of a `CoreError`. Other exceptions pass unchanged.

    Example:
        >>> with core_errors():
        ...     width = _core.Scheme("chars128").width
        >>> width
        128
    """
    try:
        yield
    except _core.CoreError as error:
        raise translate(error) from error
