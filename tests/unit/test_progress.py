"""Progress: the lines and objects that say how far a stage is, and what is left of it."""

import json

import pytest

from simsieve.cli.common import KINDS, shown_progress
from simsieve.progress import JsonProgress, PlainProgress


def test_json_has_an_object_a_stage_and_a_second() -> None:
    """Each line is an object with the same five names; rate and seconds left come after a second."""
    lines: list[str] = []
    now = iter([0.0, 0.0, 0.5, 2.0, 2.1, 4.1])
    progress = JsonProgress(lines.append, lambda: next(now))
    for stage, done in (("fingerprint", 0), ("fingerprint", 10), ("fingerprint", 40), ("search", 0), ("search", 0)):
        progress(stage, done, 100 if stage == "fingerprint" else 0)
    objects = [json.loads(line) for line in lines]
    assert [list(made) for made in objects] == [["stage", "done", "total", "rate", "eta_seconds"]] * 4
    assert [tuple(made.values()) for made in objects] == [
        ("fingerprint", 0, 100, None, None),
        ("fingerprint", 40, 100, 20.0, 3.0),
        ("search", 0, None, None, None),
        ("search", 0, None, 0.0, None),
    ]


def test_plain_lines_have_what_is_left_of_a_stage() -> None:
    """A line comes after five seconds, and ends with the seconds that are left of its stage."""
    lines: list[str] = []
    now = iter([0.0, 0.0, 6.0, 12.0])
    progress = PlainProgress(lines.append, lambda: next(now))
    progress("search", 0, 2)
    progress("search", 1, 2)
    progress("decide", 1, 2)
    assert lines == [
        "simsieve: search 50 % (1 of 2), 6 s; about 0:06 left of this stage",
        "simsieve: decide 50 % (1 of 2), 12 s",
    ]


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_can_be_chosen(kind: str, capsys: pytest.CaptureFixture[str]) -> None:
    """JSON comes on stderr, also beside `--quiet`; none is nothing."""
    with shown_progress(quiet=True, kind=kind) as progress:
        assert (progress is None) == (kind in ("auto", "none"))
        if progress is not None:
            progress("read", 1, 2)
    written = capsys.readouterr()
    assert written.out == ""
    assert (written.err[:1] == "{") == (kind == "json")
