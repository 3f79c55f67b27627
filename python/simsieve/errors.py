"""What can go wrong, as one tree, named for what the caller does next.

    SimsieveError
    ├── ConfigError         (also ValueError)  fix the call: a setting or an argument is not allowed
    │   ├── DigestError                        make both with one scheme: the digests differ
    │   └── ResumeError                        go on with what the run began with, or begin again
    ├── SourceError         (also OSError)     fix or replace the file that is read
    ├── SinkError           (also OSError)     choose another place to write, or make room there
    ├── StorageError        (also OSError)     make room for the run's own files, or name another folder
    ├── TooManyPairsError                      raise `max_pairs`, or ask for nearer pairs
    ├── TextError           (also ValueError)  fix the text, or leave it out: the scheme cannot use it
    ├── ServiceError        (also OSError)     a service refuses a request, or cannot be reached: see its code
    └── InternalError                          a fault of simsieve itself: please report it

    MemoryError             Python's own: take a smaller batch, or a machine with more memory
    Interrupted             (KeyboardInterrupt) the user asked to stop; no half file was left

    SimsieveWarning         (RuntimeWarning) the work is done; something in it is probably not meant
    ├── GuessedEncodingWarning             a source was read in an encoding that was found by trying
    ├── UnreadFilesWarning                 files of a folder, or pages of them, were not read
    └── FailedRecordsWarning               more records failed than `max_failed` allows

`Interrupted` is outside the tree: like any `KeyboardInterrupt` it must pass through `except Exception`, or a loop
around simsieve would swallow Ctrl-C.

The compiled core raises these classes itself. A bad record is none of these: it is counted, kept aside and reported as
failed.
"""

import logging
import os
from types import TracebackType

from simsieve.messages import Message

_log = logging.getLogger(__name__)


class SimsieveError(Exception):
    """Any failure that simsieve raises on purpose; its text is one line that says what to do.

    Example:
        >>> import simsieve
        >>> try:
        ...     simsieve.dedup("nosuch.jsonl")
        ... except SimsieveError as error:
        ...     print(error)
        nosuch.jsonl: does not exist; check the name
        >>> ConfigError("{@max_pairs} {value} is not allowed", value=0).as_json()["values"]
        {'value': 0}

    Args:
        template: The text in English, with `{name}` for each value, or a message.
        **values: The values.
    """

    code: str = "error"

    def __init__(self, template: str, /, **values: object) -> None:
        super().__init__(template if isinstance(template, Message) else Message(template, **values))

    @property
    def _message(self) -> Message:
        message: Message = self.args[0]
        return message

    @property
    def message(self) -> str:
        """The text, which a program shows in the user's language."""
        return self._message

    @property
    def template(self) -> str:
        """The text in English with `{name}` for each value."""
        return self._message.template

    @property
    def values(self) -> dict[str, object]:
        """The values of the template, by name; a value that is a message has a template and values too."""
        return self._message.values

    @property
    def id(self) -> str:
        """The name by which a program knows the error, such as `index.no_such_batch`; empty where it has none."""
        return self._message.id

    def as_json(self) -> dict[str, object]:
        """Give the code of the next step, the id, the text, its template and its values, as JSON has them."""
        return {"code": self.code, "id": self.id} | self._message.as_json()


class ConfigError(SimsieveError, ValueError):
    """A setting or an argument has a value that is not allowed.

    Example:
        >>> import simsieve
        >>> simsieve.dedup(["a text"], similarity=2)
        Traceback (most recent call last):
        ...
        simsieve.errors.ConfigError: similarity 2 is outside (0, 1]: give a number in (0, 1]
    """

    code = "config"


class DigestError(ConfigError):
    """Fingerprints or models of two digests meet; the text names both.

    Args:
        message: The error's text.
        digests: The two digests, in hex.

    Example:
        >>> DigestError("fingerprints of two schemes cannot be compared", ("00", "ff")).digests
        ('00', 'ff')
    """

    code = "digest"

    def __init__(self, message: str, digests: tuple[str, str] = ("", "")) -> None:
        super().__init__(message)
        self.digests = digests

    @classmethod
    def of_schemes(cls, ours: tuple[str, str], theirs: tuple[str, str]) -> "DigestError":
        """Give the error of fingerprints of two schemes, each as (spec, digest)."""
        template = (
            "fingerprints of two schemes cannot be compared: {spec} (digest {digest}) and {other_spec} (digest"
            " {other_digest}); make both with one scheme"
        )
        (spec, digest), (other_spec, other_digest) = ours, theirs
        values = {"spec": spec, "digest": digest, "other_spec": other_spec, "other_digest": other_digest}
        return cls(Message(template, **values), (digest, other_digest))


class ResumeError(ConfigError):
    """A run cannot go on from what its directory holds; the text names the difference or the damage.

    Example:
        >>> raise ResumeError('run: keep was "first" when this run began, and is "last" now')
        Traceback (most recent call last):
        simsieve.errors.ResumeError: run: keep was "first" when this run began, and is "last" now
    """

    code = "resume"


class SourceError(SimsieveError, OSError):
    """A source cannot be read whole: it is missing, unreadable, cut off or damaged.

    Example:
        >>> import simsieve
        >>> try:
        ...     simsieve.dedup("nosuch.jsonl")
        ... except OSError as error:
        ...     print(error)
        nosuch.jsonl: does not exist; check the name
    """

    code = "source"


class SinkError(SimsieveError, OSError):
    """A sink cannot be written; nothing is left at its name.

    Example:
        >>> import simsieve
        >>> simsieve.dedup(["a text"]).write("nosuch/kept.jsonl")
        Traceback (most recent call last):
        ...
        simsieve.errors.SinkError: nosuch/kept.jsonl: its folder nosuch does not exist; make it, or write elsewhere
    """

    code = "sink"


class StorageError(SimsieveError, OSError):
    """A file of the run's own, in a run directory or a temporary folder, cannot be written.

    Args:
        message: The error's text.
        retryable: Whether the same call can succeed later: after room was made, or after another process has ended.

    Example:
        >>> StorageError("run: no room is left", retryable=True).retryable
        True
    """

    code = "storage"

    def __init__(self, message: str, *, retryable: bool = False) -> None:
        super().__init__(message)
        self.retryable = retryable


class TooManyPairsError(SimsieveError):
    """The answer has more pairs than `max_pairs` allows; the text gives their count.

    Example:
        >>> import simsieve
        >>> simsieve.find_pairs(["a text"] * 4, max_pairs=3)
        Traceback (most recent call last):
        ...
        simsieve.errors.TooManyPairsError: the answer has at least 6 pairs, more than max_pairs = 3; raise it, ...
    """

    code = "too_many_pairs"


class TextError(SimsieveError, ValueError):
    """A text that was given cannot be used by the scheme; the error's text names its index.

    In a run such a text is a failed record instead, and the run goes on.

    Args:
        message: The error's text.
        index: Which text of the call it was, from 0.
        code: The code with which a record of that text would fail.
        why: The fault and the next step, without the index.

    Example:
        >>> import simsieve
        >>> try:
        ...     simsieve.fingerprint("no hex", "external64")
        ... except TextError as error:
        ...     print(error.code, error.index)
        unusable_text 0
        >>> str(TextError.of("a.html", TextError("text 0: it is too deep", why="it is too deep")))
        'a.html: it is too deep'
    """

    def __init__(self, message: str, *, index: int = 0, code: str = "unusable_text", why: str | None = None) -> None:
        super().__init__(message)
        self.index = index
        self.code = code
        self.why = self.message if why is None else why

    @classmethod
    def of(cls, name: str, error: "TextError") -> "TextError":
        """Give the error of a text that has a name, such as a file's."""
        return cls(
            Message("{name}: {why}", name=name, why=error.why), index=error.index, code=error.code, why=error.why
        )


class ServiceError(SimsieveError, OSError):
    """A service refuses a request, or cannot be reached.

    Args:
        message: The error's text.
        code: The fault: `busy`, `too_large`, `unauthorized` and the others of docs/reference/api.md, or the code of
            another error here. `unreachable` where there is no answer.
        field: The part of the request that is wrong, such as `documents[3].text`; empty where it is the whole.

    Example:
        >>> ServiceError("512 requests are under way", code="busy").code
        'busy'
    """

    code = "service"

    def __init__(self, message: str, *, code: str = "service", field: str = "") -> None:
        super().__init__(message)
        self.code = code
        self.field = field


class InternalError(SimsieveError):
    """A promise that simsieve makes to itself was broken: the fault is not the caller's.

    Example:
        >>> from simsieve.sinks.base import FileSink
        >>> FileSink("a.bin").commit()
        Traceback (most recent call last):
        ...
        simsieve.errors.InternalError: the output a.bin was not begun; call begin before write and commit
    """

    code = "internal"


class Interrupted(KeyboardInterrupt):
    """The work was stopped at the user's wish before anything was written.

    Example:
        >>> try:
        ...     raise Interrupted("stopped")
        ... except Exception:
        ...     print("swallowed")
        ... except KeyboardInterrupt as error:
        ...     print(error)
        stopped
    """


class SimsieveWarning(RuntimeWarning):
    """The work is done, and something in it is probably not meant; the text says what to do.

    Example:
        >>> import warnings
        >>> import simsieve
        >>> with warnings.catch_warnings(record=True, action="always", category=SimsieveWarning) as caught:
        ...     result = simsieve.dedup([{"text": "a text"}, {}])
        >>> [issubclass(warning.category, SimsieveWarning) for warning in caught]
        [True]
    """


class GuessedEncodingWarning(SimsieveWarning):
    """A source is read in another encoding than UTF-8, which was found by trying; look at what was read.

    Example:
        >>> import warnings
        >>> warnings.simplefilter("error", GuessedEncodingWarning)
    """


class UnreadFilesWarning(SimsieveWarning):
    """Files of a folder are not read, or pages that are pictures; the text has counts by ending, and what to do.

    Example:
        >>> import warnings
        >>> warnings.simplefilter("default", UnreadFilesWarning)
    """


class FailedRecordsWarning(SimsieveWarning):
    """More records failed than `max_failed` allows; the results are complete without them.

    Example:
        >>> import warnings
        >>> import simsieve
        >>> with warnings.catch_warnings(record=True, action="always") as caught:
        ...     result = simsieve.dedup([{"text": "a text"}, {}])
        >>> [str(warning.message).partition(":")[0] for warning in caught]
        ['1 of 2 records failed, more than max_failed 0 allows']
    """


_CHECKING = ("simsieve.sources.", "simsieve.text.")
"""The modules that refuse what callers give by a TypeError; one of another module may be a fault."""


def _raised_in(frames: TracebackType | None) -> str:
    """The name of the module that raised an error."""
    while frames is not None and frames.tb_next is not None:
        frames = frames.tb_next
    return "" if frames is None else str(frames.tb_frame.f_globals.get("__name__", ""))


class _ShortErrors:
    """Leaves the frames of this package out of an error's traceback: the message tells the fault, not they.

    The error that caused it stays as its context, unshown, and the logger `simsieve` has all frames at level DEBUG.
    """

    def __enter__(self) -> None:
        """Nothing is prepared."""

    def __exit__(self, _: object, error: BaseException | None, frames: TracebackType | None) -> None:
        """Cut the traceback; the frame of the caller is added when the error goes on."""
        if isinstance(error, TypeError) and not _raised_in(frames).startswith(_CHECKING):
            return
        if isinstance(error, (SimsieveError, TypeError)) and not isinstance(error, InternalError):
            _log.debug("the frames of an error", exc_info=error)
            error.__context__ = error.__cause__ or error.__context__
            error.__cause__ = None
            error.__traceback__ = None


short_errors = _ShortErrors()
"""For the public functions: `with short_errors:` around all that they do."""


def not_read(path: str | os.PathLike[str], what: str, error: OSError, advice: str = "check the name") -> SourceError:
    """Give the error of a file that is not read; `what` is such as `the scheme`, or empty where the name says it."""
    is_right = isinstance(error, PermissionError)
    if is_right and not what:
        return SourceError("{path}: may not be read; grant the right to read it, or run as its owner", path=path)
    if is_right:
        template = "{path}: {what} may not be read; grant the right to read it, or run as its owner"
        return SourceError(template, path=path, what=what)
    why = error.strerror
    if not what:
        return SourceError("{path}: cannot be read: {why}; {advice}", path=path, why=why, advice=advice)
    template = "{path}: {what} cannot be read: {why}; {advice}"
    return SourceError(template, path=path, what=what, why=why, advice=advice)
