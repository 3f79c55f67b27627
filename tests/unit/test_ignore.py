"""Templates: the command, the file, wrong files, and every command that ignores one."""

import json
import pickle
from pathlib import Path

import numpy as np
import pytest

import simsieve
from simsieve import ConfigError, CustomScheme, DigestError, Index, Scheme, dedup, templates
from simsieve.cli import main
from simsieve.results import DedupResult
from simsieve.text.html import extract_text

STEM = "阅读下面的短文，根据短文内容从每题所给的四个选项中选出最佳答案，写在答题卡上。"
OWN = ["灯塔几年刷一次漆？", "守塔人住在哪里？", "海浪为什么发光？", "船长最怕什么天气？", "渔网是谁补好的？"]


@pytest.fixture
def source(tmp_path: Path) -> Path:
    """Five questions with one stem, and a copy of the first."""
    texts = [*(STEM + own for own in OWN), STEM + OWN[0]]
    file = tmp_path / "questions.jsonl"
    file.write_text("".join(json.dumps({"id": f"q{at}", "text": text}) + "\n" for at, text in enumerate(texts)))
    return file


@pytest.fixture
def found(source: Path, capfd: pytest.CaptureFixture[str]) -> Path:
    """The file of their templates."""
    file = source.parent / "templates.jsonl"
    table = source.parent / "templates.csv"
    assert main(["templates", str(source), "-o", str(file), "--table", str(table)]) == 0
    assert "1 templates in 6 documents" in capfd.readouterr().err
    return file


def test_the_command_writes_a_file_and_a_table(found: Path) -> None:
    """A template has its documents, the groups that near ones are, and examples of groups that differ."""
    (line,) = found.read_text().splitlines()
    read = json.loads(line)
    assert (read["simsieve_template"], read["text"], read["letters"]) == (1, STEM[:-1], 36)
    assert (read["documents"], read["groups"]) == (6, 5)
    assert read["examples"] == [{"id": f"q{at}", "position": at, "start": 0, "end": len(STEM) - 1} for at in range(3)]
    head, row = (found.parent / "templates.csv").read_text(encoding="utf-8-sig").splitlines()
    assert (head, row.split(",")[0]) == ("documents,groups,letters,text,position,id", "6")


def test_copies_of_one_document_make_no_template(source: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """Without its file or with `near`, as many copies as `min_count` asks for are one document."""
    result = templates([STEM + OWN[0]] * 9)
    assert (len(result), result.read, result.summary["templates"]) == (0, 9, 0)
    assert len(templates([STEM + own for own in OWN], near=0.5)) == 0
    assert main(["templates", str(source), "--near", "0.5", "--json"]) == 0
    assert json.loads(capfd.readouterr().out) == {"read": 6, "failed": 0, "templates": 0}


def test_every_command_ignores_templates(source: Path, found: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """`dedup`, `pairs`, `compare`, `features`, `fingerprint`, `fit` and `index` take the file."""
    options, folder = ["--ignore", str(found)], source.parent
    assert main(["dedup", str(source), "-o", "-", "--json"]) == 0
    assert len(capfd.readouterr().out.splitlines()) == 1
    assert main(["dedup", str(source), "-o", "-", "--json", *options]) == 0
    out, err = capfd.readouterr()
    summary = json.loads(err.splitlines()[-1])
    assert (len(out.splitlines()), summary["exact_duplicates"], summary["matched"]) == (5, 1, {"texts": 6, "ignore": 6})
    assert main(["pairs", str(source), "-o", "-", "--quiet", *options]) == 0
    assert len(capfd.readouterr().out.splitlines()) == 1
    assert main(["compare", "--text", STEM + OWN[0], "题目" + STEM + OWN[1], "--json", *options]) == 0
    assert json.loads(capfd.readouterr().out)["similarity"] == simsieve.similarity(OWN[0], "题目" + OWN[1])
    assert main(["features", STEM + OWN[0], *options]) == 0
    assert "短文" not in capfd.readouterr().out
    assert main(["fingerprint", str(source), *options]) == 0
    rows = [line.split("\t")[-1] for line in capfd.readouterr().out.splitlines()]
    assert rows[0] == rows[5] != rows[1]
    assert main(["fit", str(source), "-o", str(folder / "model"), *options]) == 0
    assert main(["dedup", str(source), "--print-config", *options]) == 0
    assert f'ignore = "{found}"' in capfd.readouterr().out


def test_an_index_has_its_templates_for_good(source: Path, found: Path) -> None:
    """It ignores them in later batches, and refuses another file, and its own when that was changed."""
    path = source.parent / "index"
    with Index.create(path, source, ignore=found) as index:
        assert (len(index), index.add([STEM + "谁点亮了灯？"]).kept) == (5, 1)
    with Index.open(path) as index:
        assert index.check([STEM + "岛上有多少只羊？", STEM + OWN[2]]).kept.tolist() == [0]
        with pytest.raises(ConfigError, match="in the index, and"):
            index.check(["a"], ignore=source)
    found.write_text(found.read_text().replace("阅读下面的短文", "阅读上面的短文"))
    with pytest.raises(DigestError):
        Index.open(path)


def test_a_run_goes_on_with_the_same_templates_only(source: Path, found: Path) -> None:
    """A run directory of other templates is another run's."""
    folder = source.parent / "run"
    assert simsieve.DedupConfig(ignore=found).ignore == str(found)
    first = simsieve.dedup(source, ignore=found, run_dir=folder)
    again = simsieve.dedup(source, ignore=found, run_dir=folder, resume=True)
    assert first.kept.tolist() == again.kept.tolist() == [0, 1, 2, 3, 4]
    found.write_text(found.read_text().replace("阅读下面的短文", "阅读上面的短文"))
    with pytest.raises(simsieve.ResumeError):
        simsieve.dedup(source, ignore=found, run_dir=folder, resume=True)


def test_other_processes_have_the_same_templates(found: Path) -> None:
    """A scheme that is pickled, as for an executor, names the file; with other templates in it, it is refused."""
    scheme = Scheme("chars64").cleaned(ignore=found)
    assert pickle.loads(pickle.dumps(scheme)).digest == scheme.digest == Scheme(scheme.spec).digest
    toml = found.parent / "mine.toml"
    toml.write_text('features = "words"\nignore = "templates.jsonl"\n')
    assert Scheme(str(toml)).digest == CustomScheme("mine", ignore=found).digest
    pickled = pickle.dumps(scheme)
    found.write_text(found.read_text().replace("阅读下面的短文", "阅读上面的短文"))
    with pytest.raises(DigestError, match="a file that it names"):
        pickle.loads(pickled)


def test_what_people_write_on_a_line_does_not_matter(found: Path) -> None:
    """Order, counts, marks of byte order, empty lines, repeats and punctuation change no bit."""
    scheme = Scheme("chars64").cleaned(ignore=found)
    line = json.dumps({"text": STEM.replace("，", " "), "simsieve_template": 1, "note": "mine"})
    found.write_text(f"\ufeff{line}\n\n{line}\n")
    assert Scheme("chars64").cleaned(ignore=found).digest == scheme.digest


def test_choices_and_outputs_are_checked(source: Path, found: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """Bounds, an output that is no file of JSON lines, and one that has templates where none are found."""
    for wrong in ({"min_length": 14}, {"min_count": 1}, {"near": 0.0}):
        with pytest.raises(ConfigError, match=next(iter(wrong))):
            templates(["a"], **wrong)
    assert main(["templates", str(source), "-o", str(found.with_suffix(".csv"))]) == 2
    assert "a name that ends in .jsonl" in capfd.readouterr().err
    assert main(["templates", str(source), "-o", str(found), "--min-count", "7"]) == 2
    assert "of 6 records none has a template" in capfd.readouterr().err
    with pytest.warns(simsieve.SimsieveWarning, match="0 of 1 texts have a template of ignore"):
        simsieve.dedup(["something else"], ignore=found)


def test_templates_alone_are_texts_without_features(found: Path) -> None:
    """They are near nothing and stay, copies too, as texts of punctuation do."""
    run = simsieve.dedup([STEM, STEM, STEM + OWN[0]], ignore=found)
    assert [decision.reason for decision in run.decisions] == ["no_features", "no_features", "unique"]
    assert simsieve.fingerprint(STEM, f"chars64:ignore={found}") is None


def test_results_are_tables(source: Path) -> None:
    """Of a notebook, of Arrow, and of Python."""
    result = templates(source)
    assert result.to_arrow().to_pylist() == [
        {"documents": 6, "groups": 5, "letters": 36, "text": STEM[:-1], "position": 0, "id": "q0"}
    ]
    assert repr(result) == "<TemplatesResult: 1 template of 6 records>"
    assert STEM[:5] in result._repr_html_()


def test_failed_records_are_told(tmp_path: Path) -> None:
    """They are in no template, and are written with their bytes."""
    file = tmp_path / "some.jsonl"
    file.write_text("".join(json.dumps({"text": STEM + own}) + "\n" for own in OWN) + "{broken\n")
    failed = tmp_path / "failed.jsonl"
    assert main(["templates", str(file), "--failed", str(failed), "--quiet"]) == 1
    assert json.loads(failed.read_text())["position"] == 5


def test_a_message_that_people_copy_is_no_template() -> None:
    """A part is a template where its documents are mostly unlike without it; `groups` counts those that are."""
    message = "Forward this letter to ten friends before midnight and the ferry will bring you luck for a year"
    copied = [f"{message}{end}" for end in ("", "!", " :)", " ok", "", " fwd", " pls", " yes")]

    assert not templates(copied, near=1.0).templates
    assert [one.groups for one in templates([f"{message}。{own}" for own in OWN], near=1.0)] == [5]


HEAD = "This letter is sent to every customer of the ferry company. Please read it all, and keep it with your ticket."


def words_of(draw: np.random.Generator, count: int) -> str:
    """Words of four letters."""
    return " ".join("".join(draw.choice(list("abcdefghijklmnopqrstuvwxyz"), 4)) for _ in range(count))


def letters(count: int = 12, own: int = 60) -> list[str]:
    """Texts with one beginning, each with an end of its own; they are not near."""
    draw = np.random.default_rng(7)
    return [f"{HEAD} {words_of(draw, own)}" for _ in range(count)]


def strangers(count: int = 40) -> list[str]:
    """Texts that share nothing but a phrase."""
    draw = np.random.default_rng(8)
    return [f"{words_of(draw, 60)} in the name of the company" for _ in range(count)]


def rejected_of(result: DedupResult) -> list[tuple[int, int, int, float]]:
    """The rejected candidates of a run."""
    _, columns = result.with_sources()
    return list(zip(*(column.tolist() for column in columns.rejected(0, 2)), strict=True))


def test_rejected_candidates_are_kept_pairs_below_the_threshold() -> None:
    """Each has its similarity and distance; where every pair is tested, all that are a little below it are there."""
    texts = [*letters(15, 3), *strangers(), letters()[0]]
    result = dedup(texts, similarity=0.9)
    found = rejected_of(result)
    kept = set(result.kept.tolist())
    prints = [simsieve.fingerprint(text) for text in texts]

    assert found
    for a, b, distance, similarity in found:
        assert {a, b} <= kept and similarity == simsieve.similarity(texts[b], texts[a]) < 0.9
        one, other = prints[a], prints[b]
        assert one is not None and other is not None and one.distance(other) == distance
    near = {(a, b) for a in kept for b in kept if a < b and 0.85 < simsieve.similarity(texts[a], texts[b]) < 0.9}
    assert near <= {(min(a, b), max(a, b)) for a, b, _, _ in found}


@pytest.mark.parametrize("given", [{"max_distance": 5}, {"scheme": ["chars128", "words64"]}, {"limit": 1}], ids=str)
def test_some_runs_have_no_rejected_candidates(given: dict[str, object]) -> None:
    """Under a distance bits decide as they are compared, and of several schemes no one says it alone."""
    assert rejected_of(dedup(letters(), **given)) == []  # type: ignore[arg-type]


def test_the_page_has_templates_and_rejected_candidates(tmp_path: Path) -> None:
    """The common part is shown once, with names; without texts the names and numbers alone."""
    result = dedup([{"id": f"letter-{at}", "text": text} for at, text in enumerate(letters(12, 20))])
    result.report(tmp_path / "page.html")
    page = (tmp_path / "page.html").read_text("utf-8")
    result.report(tmp_path / "bare.html", texts=False)
    bare = (tmp_path / "bare.html").read_text("utf-8")

    assert "Similarity of rejected candidates" in page and "Distance of rejected candidates, in bits" in page
    title = "12 of 12 documents share 86 letters"
    assert title in page and title in bare
    assert page.split(title)[1].count(HEAD[:-1]) == 1 and HEAD[:-1] not in bare


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
    assert capfd.readouterr().out.split()[1:] == [_hex("题目\n求焦点")]


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
