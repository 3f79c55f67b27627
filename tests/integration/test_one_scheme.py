"""Commands that are for one scheme: several are refused, wherever they stand, and one is taken as before."""

import pytest
from tests.integration.conftest import Program

COMMANDS = {
    "plan": ("a plan", ["plan", "in.jsonl"]),
    "fit": ("a model", ["fit", "in.jsonl", "-o", "out.model"]),
    "fit, of models alone": ("a model", ["fit", "--merge", "in.model", "-o", "out.model"]),
    "compare": ("a comparison", ["compare", "--text", "one text of words", "another text of words"]),
}


@pytest.fixture
def prepared(simsieve: Program) -> Program:
    """The program with a source, a model and a file of settings."""
    simsieve.file("in.jsonl", '{"text": "one text of words"}\n{"text": "another text of words"}\n')
    simsieve.file("two.toml", 'scheme = ["chars64", "words64"]\n')
    assert simsieve("fit", "in.jsonl", "-o", "in.model", "--quiet").code == 0
    return simsieve


@pytest.mark.parametrize("name", sorted(COMMANDS))
@pytest.mark.parametrize(
    "given", [["--scheme", "chars64", "--scheme", "words64"], ["--config", "two.toml"]], ids=["options", "file"]
)
def test_two_schemes_are_refused(prepared: Program, name: str, given: list[str]) -> None:
    """Neither of two schemes is taken, and the message names both; nothing is written."""
    what, words = COMMANDS[name]
    before = prepared.names()
    done = prepared(*words, *given)

    assert (done.code, done.out, prepared.names()) == (2, b"", before)
    assert f"{what} is for one scheme, and 2 are given: chars64@0.6, words64@0.6" in done.err


@pytest.mark.parametrize("name", sorted(COMMANDS))
def test_one_scheme_goes_before_those_of_a_file(prepared: Program, name: str) -> None:
    """One scheme on the command line stands, whatever a file has."""
    prepared(*COMMANDS[name][1], "--config", "two.toml", "--scheme", "chars64").ok()


def test_a_width_and_a_scheme_are_refused_as_they_are_written(prepared: Program) -> None:
    """`plan --bits` stands for a scheme, and is not taken beside one or two."""
    plan = COMMANDS["plan"][1]
    for schemes in (["chars64"], ["chars64", "words64"]):
        done = prepared(*plan, "--bits", "64", *(word for scheme in schemes for word in ("--scheme", scheme)))
        assert (done.code, f"bits 64 and scheme '{' and '.join(schemes)}' are both given" in done.err) == (2, True)
    assert prepared(*plan, "--bits", "64", "--config", "two.toml").code == 0


def test_settings_are_printed_with_one_scheme_or_two(prepared: Program) -> None:
    """`--print-config` writes a name where one is given, and a list of two."""
    plan = COMMANDS["plan"][1]
    assert b'\nscheme = "chars64"\n' in prepared(*plan, "--scheme", "chars64", "--print-config").out
    two = prepared(*plan, "--scheme", "chars64", "--scheme", "words64", "--print-config").out
    assert b'\nscheme = ["chars64", "words64"]\n' in two
