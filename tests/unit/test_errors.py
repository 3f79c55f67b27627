"""The error tree, and that the compiled core raises its classes."""

import pickle
import re
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import pytest

import simsieve
from simsieve import _core, errors
from simsieve.cli import main

VALUES = np.zeros((3, 1), dtype=np.uint64)


def damaged_run() -> None:
    """Open a run directory whose log is no log."""
    with TemporaryDirectory() as folder:
        Path(folder, "run.log").write_bytes(b"no log\nno log\n")
        _core.RunDirectory(folder, "resume", 0, [])


def run_in_use() -> None:
    """Open a run directory twice."""
    with TemporaryDirectory() as folder:
        first = _core.RunDirectory(folder, "new", 0, [])
        try:
            _core.RunDirectory(folder, "new", 0, [])
        finally:
            first.remove()


RAISED: list[tuple[type[Exception], Callable[[], object], str]] = [
    (errors.ConfigError, lambda: _core.Scheme("char64"), 'unknown scheme "char64": did you mean "chars64"?'),
    (errors.ConfigError, lambda: _core.page_decode(b"", "utf-7"), 'charset "utf-7" is not known'),
    (
        errors.SourceError,
        lambda: _core.Model.load("no-such.model"),
        "no-such.model: does not exist; `simsieve fit` makes models",
    ),
    (errors.SourceError, lambda: _core.Records([("no.jsonl", None)], 9), "no.jsonl: does not exist"),
    (errors.SinkError, lambda: _core.check_sinks([], ["no-such-folder/a.jsonl"]), "no-such-folder"),
    (errors.StorageError, lambda: _core.RunDirectory("no-such-folder/run", "new", 0, []), "its folder does not exist"),
    (errors.StorageError, run_in_use, "is in use by process"),
    (errors.ResumeError, damaged_run, "run.log is cut off or changed"),
    (errors.TooManyPairsError, lambda: _core.near_pairs(VALUES, None, 64, 0, 2), "more than max_pairs = 2"),
    (errors.TextError, lambda: _core.Scheme("external64").fingerprint("no"), 'text 0: "no" is no fingerprint'),
    (errors.TextError, lambda: _core.page_decode(bytes(range(256)) * 8), "the page is no text"),
]


@pytest.mark.parametrize(("wanted", "call", "part"), RAISED)
def test_the_core_raises_the_classes_of_the_tree(
    wanted: type[Exception], call: Callable[[], object], part: str
) -> None:
    """A failure of the core is of its class at the border already, with the core's text."""
    with pytest.raises(wanted) as caught:
        call()

    assert type(caught.value) is wanted
    assert part in str(caught.value)


@pytest.mark.parametrize("retryable", [True, False])
def test_a_storage_error_says_whether_the_call_can_succeed_later(retryable: bool) -> None:
    """A directory in use is free later; a folder that is missing stays so."""
    with pytest.raises(errors.StorageError) as caught:
        run_in_use() if retryable else _core.RunDirectory("no/run", "new", 0, [])
    assert caught.value.retryable is retryable


def test_a_text_error_of_the_core_knows_the_text() -> None:
    """Index, code and reason come with the error: those of the first text that cannot be used."""
    with pytest.raises(errors.TextError) as caught:
        _core.Scheme("external64").transform(["ff", "no"], first=5)

    error = caught.value
    assert (error.index, error.code) == (6, "unusable_text")
    assert str(error) == f"text 6: {error.why}"


def test_digests_that_differ_are_named() -> None:
    """Fingerprints and models of two schemes are refused with a DigestError that has both digests."""
    one, other = simsieve.fingerprint("a text", "chars64"), simsieve.fingerprint("a text", "words64")
    assert one is not None and other is not None
    chars, words = (simsieve.fit(["a text"], scheme=scheme) for scheme in ("chars64", "words64"))
    calls: list[tuple[Callable[[], object], str, tuple[str, str]]] = [
        (lambda: one.distance(other), "make both with one scheme", (one.digest, other.digest)),
        (lambda: chars.merge(words), "cannot be merged", (chars.features_digest, words.features_digest)),
    ]
    for call, part, digests in calls:
        with pytest.raises(errors.DigestError, match=part) as caught:
            call()
        assert caught.value.digests == digests and all(digest in str(caught.value) for digest in digests)


PLAIN = "ConfigError SourceError SinkError ResumeError TooManyPairsError InternalError Interrupted"
WITH_MORE = [
    errors.StorageError("a", retryable=True),
    errors.DigestError("a", ("00", "ff")),
    errors.TextError("text 3: a", index=3, code="not_text", why="a"),
]


@pytest.mark.parametrize("error", [*(getattr(errors, kind)("a") for kind in PLAIN.split()), *WITH_MORE])
def test_errors_cross_processes(error: BaseException) -> None:
    """An error that is pickled comes out as it went in."""
    made: Any = pickle.loads(pickle.dumps(error))

    assert (type(made), str(made), vars(made)) == (type(error), str(error), vars(error))


def test_no_module_wraps_the_core() -> None:
    """The classes are raised at the border alone: no module translates errors of the core."""
    package = Path(simsieve.__file__).parent
    assert [path for path in package.rglob("*.py") if re.search(r"\bCoreError", path.read_text(encoding="utf-8"))] == []


BUILTINS: dict[type[Exception], type[Exception]] = {
    errors.ConfigError: ValueError,
    errors.DigestError: errors.ConfigError,
    errors.SourceError: OSError,
    errors.SinkError: OSError,
    errors.ResumeError: errors.ConfigError,
    errors.StorageError: OSError,
    errors.TooManyPairsError: Exception,
    errors.TextError: ValueError,
    errors.InternalError: Exception,
}


@pytest.mark.parametrize("error", BUILTINS)
def test_errors_are_of_the_tree_and_of_their_builtin(error: type[Exception]) -> None:
    """Each can be caught as SimsieveError and as the builtin that fits it; an interruption is no Exception."""
    assert issubclass(error, errors.SimsieveError) and issubclass(error, BUILTINS[error])
    assert issubclass(errors.Interrupted, KeyboardInterrupt) and not issubclass(errors.Interrupted, Exception)


@pytest.mark.parametrize(
    ("line", "settings", "named", "option"),
    [
        ('{"body": "a text"}\n{"text": "another"}', {}, "with text_field", "with --text-field"),
        ("\ufeff{}", {"encoding": "big5"}, "the setting `encoding` is Big5", "and --encoding is Big5"),
    ],
)
def test_messages_name_settings_here_and_options_there(
    line: str, settings: dict[str, Any], named: str, option: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A message of the core names a setting as Python has it, and the command line writes its option."""
    source = tmp_path / "in.jsonl"
    source.write_text(line + "\n", encoding="utf-8")
    try:
        ((_, _, message),) = simsieve.dedup(source, **settings).failures()
    except errors.SourceError as error:
        message = str(error)
    words = [word for name, value in settings.items() for word in (f"--{name}", str(value))]

    assert named in message
    assert main(["dedup", str(source), "-o", str(tmp_path / "out.jsonl"), *words]) != 0
    told = capsys.readouterr().err
    assert option in told
    assert named not in told
