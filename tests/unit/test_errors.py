"""The error tree, and what the core's failures become."""

import pytest

from simsieve import _core, errors


def failure(kind: str) -> _core.CoreError:
    """Make a failure as the core tells it."""
    error = _core.CoreError("x.jsonl: what is wrong; what to do")
    error.kind = kind
    return error


@pytest.mark.parametrize(
    ("kind", "wanted"),
    [
        ("config", errors.ConfigError),
        ("source", errors.SourceError),
        ("sink", errors.SinkError),
        ("too_many", errors.TooManyPairsError),
        ("text", errors.TextError),
        ("interrupted", errors.Interrupted),
    ],
)
def test_each_kind_of_the_core_has_its_error(kind: str, wanted: type[BaseException]) -> None:
    """A failure of each kind is translated to its class, with its text unchanged."""
    translated = errors.translate(failure(kind))

    assert wanted is type(translated)
    assert str(translated) == "x.jsonl: what is wrong; what to do"


def test_all_kinds_are_in_the_table() -> None:
    """The table of kinds holds exactly the kinds of the contract."""
    assert {"config", "source", "sink", "too_many", "text", "interrupted"} == set(errors.BY_KIND)


def test_an_unknown_kind_is_an_internal_error() -> None:
    """A kind that is not known is told as a fault of simsieve, with the kind and the text."""
    translated = errors.translate(failure("new"))

    assert isinstance(translated, errors.InternalError)
    assert "'new'" in str(translated)
    assert "what is wrong" in str(translated)


@pytest.mark.parametrize(
    ("error", "builtin"),
    [
        (errors.ConfigError, ValueError),
        (errors.SourceError, OSError),
        (errors.SinkError, OSError),
        (errors.TooManyPairsError, Exception),
        (errors.TextError, ValueError),
        (errors.InternalError, Exception),
    ],
)
def test_errors_are_of_the_tree_and_of_their_builtin(error: type[Exception], builtin: type[Exception]) -> None:
    """Each error can be caught as SimsieveError and as the builtin that fits it."""
    assert issubclass(error, errors.SimsieveError)
    assert issubclass(error, builtin)


def test_interruption_passes_through_except_exception() -> None:
    """Interrupted is a KeyboardInterrupt and no Exception."""
    assert issubclass(errors.Interrupted, KeyboardInterrupt)
    assert not issubclass(errors.Interrupted, Exception)


def test_core_errors_translates_and_keeps_the_cause() -> None:
    """A failure inside the block leaves it translated, with the core's own as the cause."""
    with pytest.raises(errors.SinkError) as caught, errors.core_errors():
        raise failure("sink")

    assert isinstance(caught.value.__cause__, _core.CoreError)


def test_core_errors_leaves_other_errors_alone() -> None:
    """What is no failure of the core passes unchanged."""
    with pytest.raises(ZeroDivisionError), errors.core_errors():
        _ = 1 // 0
