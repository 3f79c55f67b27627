"""`simsieve fit` and `--idf`, as programs."""

import json

from tests.integration.conftest import Program

from simsieve import Model, fit

TEXTS = ["the quick brown fox jumps over", "the quick brown fox jumped over", "lorem ipsum dolor sit", "一二三四五"]


def lines(texts: list[str]) -> str:
    """Records as JSON lines."""
    return "".join(json.dumps({"id": at, "text": text}) + "\n" for at, text in enumerate(texts))


def test_fit_writes_the_model_and_tells_it(simsieve: Program) -> None:
    """The file is the model of the sources; merged in parts it is the same file."""
    simsieve.file("all.jsonl", lines(TEXTS))
    simsieve.file("a.jsonl", lines(TEXTS[:2]))
    simsieve.file("b.jsonl", lines(TEXTS[2:]))
    done = simsieve("fit", "all.jsonl", "-o", "all.model")

    model = Model.load(simsieve.folder / "all.model")
    assert (done.code, done.out) == (0, b"")
    assert f"model {model.digest}: 4 documents, {model.features} features with hashes of 64 bits" in done.err
    assert model == fit(TEXTS)
    assert simsieve("fit", "a.jsonl", "-o", "parts.model", "--quiet") == (0, b"", "")
    assert simsieve("fit", "b.jsonl", "--merge", "parts.model", "-o", "parts.model", "--quiet").code == 0
    assert (simsieve.folder / "parts.model").read_bytes() == (simsieve.folder / "all.model").read_bytes()
    assert simsieve("fit", "--merge", "all.model", "--merge", "all.model", "-o", "twice.model", "--quiet").code == 0
    assert Model.load(simsieve.folder / "twice.model").documents == 8


def test_idf_fits_or_reads_and_decides_alike(simsieve: Program) -> None:
    """`--idf fit` and `--idf MODEL` of the same documents give the same results, in every command that has it."""
    simsieve.file("all.jsonl", lines(TEXTS))
    simsieve("fit", "all.jsonl", "-o", "all.model", "--quiet")
    for command in (
        ["dedup", "all.jsonl", "-o", "-", "--similarity", "0.5", "--quiet"],
        ["pairs", "all.jsonl", "--similarity", "0.3", "--quiet"],
        ["fingerprint", "all.jsonl", "--quiet"],
    ):
        fitted, read, none = (simsieve(*command, *idf) for idf in (["--idf", "fit"], ["--idf", "all.model"], []))
        assert (fitted.code, read.code, none.code) == (0, 0, 0), fitted.err
        assert fitted == read
        assert (command[0] == "dedup") == (fitted == none)
    digest = fit(TEXTS).digest
    done = simsieve("dedup", "all.jsonl", "--dry-run", "--json", "--quiet", "--idf", "fit")
    assert json.loads(done.out)["scheme"] == f"chars128:weights=idf,model={digest}"
    compared = simsieve("compare", "--text", *TEXTS[:2], "--scheme", "chars128:weights=idf,model=all.model", "--json")
    assert 0 < json.loads(compared.out)["similarity"] < 1


def test_failed_records_are_left_out_and_counted(simsieve: Program) -> None:
    """More failed records than allowed end a fit with exit code 1, the model written all the same."""
    simsieve.file("some.jsonl", lines(TEXTS) + "no JSON\n")
    done = simsieve("fit", "some.jsonl", "-o", "some.model")

    assert done.code == 1
    assert "1 of 5 records failed, more than --max-failed 0 allows; the first is record 4 (not_json)" in done.err
    assert Model.load(simsieve.folder / "some.model") == fit(TEXTS)
