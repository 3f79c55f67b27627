"""What is taken out of texts: settings, the command line, wrong patterns, text with a sign for less than."""

import json
import pickle
from pathlib import Path

import pytest

import simsieve
from simsieve import ConfigError, CustomScheme, Scheme
from simsieve.cli import main
from simsieve.text.html import extract_text

QUESTIONS = ["1. 求 x 的值（3分）【解析】略", "12. 求 x 的值（5分）", "3. 证明它（3分）"]
CUT, STRIP = "【解析】", r"（\d+分）|(?m:^\d+\. )"


def test_the_command_line_cleans_wherever_a_text_is_read(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """`dedup`, `compare`, `features`, `fingerprint` and `pairs` take both options."""
    source = tmp_path / "questions.jsonl"
    source.write_text("".join(json.dumps({"text": text}) + "\n" for text in QUESTIONS))
    options = ["--cut-at", CUT, "--strip", STRIP]

    assert main(["dedup", str(source), "-o", "-", "--json", *options]) == 0
    out, err = capfd.readouterr()
    assert [json.loads(line)["text"] for line in out.splitlines()] == [QUESTIONS[0], QUESTIONS[2]]
    summary = json.loads(err.splitlines()[-1])
    assert (summary["exact_duplicates"], Scheme(summary["scheme"]).digest) == (1, summary["digest"])
    assert main(["compare", "--text", *QUESTIONS[:2], "--json", *options]) == 0
    assert json.loads(capfd.readouterr().out)["distance"] == 0
    assert main(["features", QUESTIONS[0], "--scheme", "words64", *options]) == 0
    assert "分" not in capfd.readouterr().out
    assert main(["fingerprint", str(source), *options]) == 0
    rows = [line.split("\t")[-1] for line in capfd.readouterr().out.splitlines()]
    assert rows[0] == rows[1] != rows[2]
    assert main(["pairs", str(source), "-o", "-", "--quiet", *options]) == 0
    assert len(capfd.readouterr().out.splitlines()) == 1


def test_pages_are_cleaned_without_their_structure(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """Where patterns are given, a page has the fingerprint of its text alone."""
    page = tmp_path / "page.html"
    page.write_text("<h1>题目</h1><p>求焦点（3分）【解析】略")
    assert main(["fingerprint", str(page), "--cut-at", CUT, "--strip", STRIP]) == 0
    found = capfd.readouterr().out.split()
    assert found[1:] == [_hex("题目\n求焦点")]


def _hex(text: str) -> str:
    made = simsieve.fingerprint(text)
    assert made is not None
    return made.hex


def test_a_custom_scheme_reads_patterns_from_a_file(tmp_path: Path) -> None:
    """TOML has the two keys; elements of pages refuse them."""
    file = tmp_path / "questions.toml"
    file.write_text(f"features = 'words'\ncut_at = '{CUT}'\nstrip = '{STRIP}'\n")
    scheme = Scheme(str(file))
    assert scheme == Scheme(str(file)) != CustomScheme("questions", features="words")
    assert scheme.features(QUESTIONS[0]) == scheme.features(QUESTIONS[1])
    assert pickle.loads(pickle.dumps(scheme.cleaned())).digest == scheme.digest
    with pytest.raises(ConfigError, match="the elements of the page itself"):
        CustomScheme("mine", features="dom", strip="a")
    with pytest.raises(ConfigError, match="a regular expression as a text"):
        CustomScheme("mine", strip=3)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("若 a<b 且 c>d", "若 a<b 且 c>d"),
        ("<p>若 a<b 且 c>d，则 <b>x</b><sub>1</sub>&lt;0", "若 a<b 且 c>d，则 x₁<0"),
        ("x<y<z and <unknown>", "x<y<z and <unknown>"),
    ],
)
def test_text_with_signs_for_less_than_stays_whole(text: str, expected: str) -> None:
    """Only what looks like a tag of HTML is one, in the function and in the scheme."""
    assert extract_text(text) == expected
    assert Scheme("words64:extract=text").features(text) == Scheme("words64").features(expected)
