"""What a scheme makes of a text, shown: in Python and on the command line."""

import io
import json
import sys
from pathlib import Path

import pytest

from simsieve import CustomScheme, Scheme, fit
from simsieve.cli import main
from simsieve.results import Feature


def test_features_have_text_count_and_weight() -> None:
    """In the order of their first occurrence; the weight is that of the rule, not the whole number of the core."""
    found = Scheme("words64:weights=log").features("b a b c b")

    assert [(one.text, one.count) for one in found] == [("b", 3), ("a", 1), ("c", 1)]
    assert found[1].weight == 1.0 and found[0].weight == pytest.approx(1 + 1.0986, abs=1 / 256)
    assert found[0] == Feature("b", found[0].hash, 3, found[0].weight)
    assert Scheme("chars128").features("") == []


def test_weights_of_every_kind() -> None:
    """Counts, document frequencies, own weights and elements of pages have their own units."""
    model = fit(["a b", "a c"], scheme="words64")
    waiting = CustomScheme("mine", features="words", weights="idf", model=model)
    weights = {one.text: one.weight for one in waiting.features("a b")}

    assert weights["a"] == 1.0 < weights["b"] == pytest.approx(1.405, abs=1 / 256)
    assert [one.weight for one in Scheme("words64:weights=tf").features("a a")] == [2.0]
    own = CustomScheme("mine", features="words", weights={"fox": 2.5}, other=1.0)
    assert {one.text: one.weight for one in own.features("a fox")} == {"a": 1.0, "fox": 2.5}
    assert [one.text for one in Scheme("dom64").features("<html><body><p>x</p></body></html>")][-1] == "p"


def test_the_command(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """A table for people, JSON for programs; the text or stdin; a scheme of one's own too."""
    assert main(["features", "b a b", "--scheme", "words64:weights=tf"]) == 0
    assert [line.split()[::3] for line in capsys.readouterr().out.splitlines()] == [
        ["weight", "feature"], ["2.0000", "b"], ["1.0000", "a"],
    ]  # fmt: skip

    assert main(["features", "b a b", "--scheme", "words64", "--json"]) == 0
    rows = json.loads(capsys.readouterr().out)
    assert [row["text"] for row in rows] == ["b", "a"] and set(rows[0]) == {"text", "hash", "count", "weight"}

    assert main(["features", "a c b b c d d", "--scheme", "words64:weights=tf", "--by-weight", "--json"]) == 0
    assert [row["text"] for row in json.loads(capsys.readouterr().out)] == ["c", "b", "d", "a"]

    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"\xef\xbb\xbf<p>one two</p>")))
    toml = tmp_path / "mine.toml"
    toml.write_text('features = "words"\n')
    assert main(["features", "-", "--scheme", str(toml), "--extract", "text"]) == 0
    assert capsys.readouterr().out.split()[-1] == "two"

    assert main(["features", ""]) == 0
    assert capsys.readouterr().out == "no features\n"


def test_the_command_refuses(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    """Several schemes, and bytes that are no text, are told in one line."""
    assert main(["features", "a", "--scheme", "chars64", "--scheme", "words64"]) == 2
    assert "a list of features is for one scheme" in capsys.readouterr().err
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"\xff")))
    assert main(["features", "-"]) == 2
    assert "-: byte 0 is not UTF-8" in capsys.readouterr().err
