"""`--fold` makes Traditional Chinese Simplified for every command, as the option of the scheme does."""

import pytest
from tests.integration.conftest import Program

import simsieve as library
from simsieve import ConfigError, CustomScheme, Scheme

PAIR = ("他看著新買的軟體，第二行", "他看着新买的软件，第二行")
RECORDS = "".join(f'{{"id": {at}, "text": "{text}"}}\n' for at, text in enumerate(PAIR))


@pytest.mark.parametrize("fold", ["t2s", "tw2sp"])
@pytest.mark.parametrize(
    "words",
    [
        ["dedup", "in.jsonl", "-o", "-", "--similarity", "0.9"], ["pairs", "in.jsonl", "--similarity", "0.3"],
        ["fingerprint", "in.jsonl"], ["compare", "--text", *PAIR], ["features", PAIR[0]],
    ],
)  # fmt: skip
def test_every_command_folds_as_the_scheme(words: list[str], fold: str, simsieve: Program) -> None:
    """The output is that of the scheme with the option in its spec, and another than without a fold."""
    simsieve.file("in.jsonl", RECORDS)
    by_option = simsieve(*words, "--fold", fold)
    by_spec = simsieve(*words, "--scheme", f"chars128:fold={fold}")
    plain = simsieve(*words)

    assert by_option.code == by_spec.code == 0, by_option.err
    assert by_option.out == by_spec.out
    assert (by_option.out != plain.out) is (words[0] != "dedup" or fold == "tw2sp")


def test_a_saved_run_has_its_fold(simsieve: Program) -> None:
    """It decides again as it did."""
    simsieve.file("in.jsonl", RECORDS)
    words = ("--fold", "tw2sp", "--similarity", "0.9", "-q", "-o")
    assert simsieve("dedup", "in.jsonl", *words, "first.jsonl", "--run-dir", "run").code == 0
    again = simsieve("dedup", "--run-dir", "run", "-q", "-o", "again.jsonl", "--similarity", "0.95")
    assert again.code == 0, again.err
    assert len(simsieve.rows("again.jsonl")) == len(simsieve.rows("first.jsonl")) == 1


def test_schemes_of_ones_own_are_folded_last() -> None:
    """In Python and with a model; what folds already or takes no text is refused."""
    mine = CustomScheme("mine", features="chars", normalise=["usual", "no-digits"])
    steps = CustomScheme("mine", features="chars", normalise=["usual", "no-digits", "tw2sp"])
    assert mine.folded("tw2sp").digest == steps.digest
    assert library.dedup(list(PAIR), scheme=mine, fold="tw2sp").counts.exact == 1
    assert Scheme("words64:n=2").folded("t2s") == Scheme("words64:fold=t2s,n=2")
    refused: list[tuple[str | CustomScheme, str]] = [
        ("chars64:fold=t2s", "fold is given twice"), ("dom64", "its options are"), ("external64", "its option is"),
        (steps, "says already how texts are folded"), (CustomScheme("no", features="dom"), "takes the elements"),
    ]  # fmt: skip
    for scheme, part in refused:
        with pytest.raises(ConfigError, match=part):
            library.dedup(list(PAIR), scheme=scheme, fold="t2s")
