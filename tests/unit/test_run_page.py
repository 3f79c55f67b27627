"""The page on a run: what it has, what it leaves out, that it is whole, escaped, private and small."""

import re
import stat
from pathlib import Path

import numpy as np
import pytest
from tests.unit.test_display import Checked

import simsieve
from simsieve import ConfigError, dedup
from simsieve.differences import MOST_CHARACTERS, clipped
from simsieve.report.page import Line, bars, lines

FOX = "the quick brown fox jumps over the lazy dog near the river bank"
HOSTILE = "</script><script>alert(1)</script> <img src=x onerror=alert(2)> & \"quoted\" 'text'"


def texts(count: int = 40) -> list[str]:
    """Different texts, a copy and a near copy of the first."""
    draw = np.random.default_rng(3)
    words = [f"word{number}" for number in range(400)]
    made = [" ".join(draw.choice(words, 30)) for _ in range(count)]
    return [*made, made[0], made[0] + " and a few more", made[1].replace("word", "other", 2)]


def written(folder: Path, records: object, **given: object) -> str:
    """The page on a run over some records."""
    with_texts = bool(given.pop("texts", True))
    result = dedup(records, **given)  # type: ignore[arg-type]
    result.report(folder / "page.html", texts=with_texts)
    return (folder / "page.html").read_text(encoding="utf-8")


def test_the_page_has_every_part(tmp_path: Path) -> None:
    """Counts, recall, charts, both sides of the threshold, clusters, the search, failures, and how to do it again."""
    page = written(tmp_path, texts(), similarity=0.8)

    for part in (
        "<b>43</b>", "Recall: 1.0000", "Similarity of near duplicates", "Distance of near", "Clusters by size",
        "Just in", "Just out", "Largest clusters", "candidate pairs", "Failed records", "similarity=0.8",
        simsieve.Scheme("chars128").digest, "word",
    ):  # fmt: skip
        assert part in page, part


def test_nothing_of_a_text_or_an_id_is_markup(tmp_path: Path) -> None:
    """Hostile texts, ids and settings stay text, and the page loads nothing."""
    records = [{"id": HOSTILE + str(at), "text": f"{HOSTILE} {FOX} {at % 2}"} for at in range(4)]
    page = written(tmp_path, records)
    checked = Checked(page.removeprefix("<!doctype html>\n"))

    assert checked.opened == []
    assert {tag for tag, _ in checked.seen} & {"script", "img", "link", "iframe"} == set()
    # The links of the list of contents are to parts of the page.
    links = [str(dict(attrs)["href"]) for tag, attrs in checked.seen if tag == "a"]
    assert links == [f"#part-{number}" for number in range(1, 10)]
    assert re.findall(r'id="(part-\d)"', page) == [link[1:] for link in links]
    assert not [attrs for _, attrs in checked.seen if any(name.startswith("on") or name == "src" for name in attrs)]
    assert "&lt;script&gt;" in page
    assert re.findall(r"url\(|@import|https?://", page) == []


def test_texts_can_be_left_out(tmp_path: Path) -> None:
    """Without texts, no word of them is on the page; ids and numbers are."""
    records = [{"id": f"id-{at}", "text": text} for at, text in enumerate(texts())]
    page = written(tmp_path, records, texts=False)

    assert "word" not in page.replace("overflow-wrap: anywhere", "").replace("break-word", "")
    assert "id-41" in page and "similarity 0." in page


def test_only_the_owner_may_read_it(tmp_path: Path) -> None:
    """It has texts: its mode is 600, also where a file of another mode is replaced."""
    target = tmp_path / "page.html"
    target.write_text("old")
    target.chmod(0o644)
    dedup(texts()).report(target)

    assert stat.S_IMODE(target.stat().st_mode) == 0o600
    assert target.read_text(encoding="utf-8").startswith("<!doctype html>")


def test_it_is_in_the_language_of_the_user(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """In Chinese no English label is left."""
    monkeypatch.setenv("SIMSIEVE_LANG", "zh")
    page = written(tmp_path, texts())
    titles = re.findall(r"<h[123]>(.*?)</h[123]>", page)

    assert 'lang="zh-Hans"' in page
    assert len(titles) > 8
    assert [title for title in titles if title.isascii()] == []


@pytest.mark.parametrize(
    "given",
    [
        {}, {"max_distance": 8}, {"measure": "jaccard"}, {"scheme": "words64"}, {"sample": 0},
        {"scheme": ["chars128", "words64"]}, {"scheme": ["chars128", "words64"], "combine": "any"},
        {"against": texts(5)}, {"idf": "fit"},
    ],
    ids=str,
)  # fmt: skip
@pytest.mark.parametrize("records", [texts(), ["one text"], [], ["a"], ["", "", ""], [FOX] * 30], ids=range(6))
def test_every_kind_of_run_has_a_page(records: list[str], given: dict[str, object], tmp_path: Path) -> None:
    """Small, empty and uniform collections, and every criterion, give a whole page."""
    page = written(tmp_path, records, **given)

    assert Checked(page.removeprefix("<!doctype html>\n")).opened == []
    assert "nan" not in page.lower().replace("nand", "")


def test_an_old_document_is_called_old(tmp_path: Path) -> None:
    """A pair across two collections names both."""
    page = written(tmp_path, [{"id": "new", "text": FOX}], against=[{"id": "was", "text": FOX + " again"}])

    assert "was (old)" in page and "new" in page


def test_failed_records_are_listed(tmp_path: Path) -> None:
    """At most fifty are shown, with their codes."""
    records = [{"text": text} for text in texts()] + [{"no": 1}] * 60
    page = written(tmp_path, records)

    assert page.count("<td>no_text_field</td>") == 50
    assert '<th scope="row">no_text_field</th><td>60</td>' in page and "and 10 more" in page


def test_pairs_just_outside_are_found(tmp_path: Path) -> None:
    """Two texts a little below the threshold are shown, two that are unlike are not."""
    words = [f"w{number:03}" for number in range(60)]
    a, b = " ".join(words), " ".join(words[:50] + [f"x{number:03}" for number in range(10)])
    records = [{"id": "a", "text": a}, {"id": "b", "text": b}, {"id": "c", "text": FOX}]
    value = simsieve.similarity(a, b)
    page = written(tmp_path, records, similarity=value + 0.02)
    outside = page.split("Just out")[1].split("</section>")[0]

    assert f"similarity {value:.4f}" in outside and "fox" not in outside


def test_a_page_needs_its_ending_and_its_own_place(tmp_path: Path) -> None:
    """Another ending, and a source, are refused before anything is written."""
    source = tmp_path / "in.html.txt"
    source.write_text("one text\n")
    result = dedup(source)

    with pytest.raises(ConfigError, match=r"ends in \.html"):
        result.report(tmp_path / "page.txt")
    page = tmp_path / "in.html"
    page.symlink_to(source)
    with pytest.raises(ConfigError, match="source"):
        result.report(page)
    assert source.read_text() == "one text\n"


def test_long_texts_are_clipped_at_their_difference() -> None:
    """What differs is shown, however far into the texts it is."""
    a, b = ("word " * 50_000 + part for part in ("one end", "two ends"))
    parts = clipped(a, b)
    shown = "".join(one for _, one, _ in parts)

    assert "one" in shown and len(shown) <= MOST_CHARACTERS + 10
    assert clipped("same", "same") == [(True, "same", "same")]


def test_the_page_does_not_grow_with_the_collection(tmp_path: Path) -> None:
    """Many long texts, clusters and failures make a page of less than 2 MB."""
    draw = np.random.default_rng(5)
    letters = np.array(list("天地玄黄宇宙洪荒日月盈昃辰宿列张寒来暑往秋收冬藏"))
    made = ["".join(draw.choice(letters, 6_000)) for _ in range(30)]
    records = [{"text": text[: 6_000 - 40 * step] + "尾" * step} for text in made for step in range(8)]
    assert len(written(tmp_path, records + [{"no": 1}] * 200).encode()) < 2_000_000


@pytest.mark.parametrize("counts", [[], [0], [1], [3, 0, 2], [1_234_567, 1]])
def test_charts_of_any_counts_can_be_drawn(counts: list[int]) -> None:
    """Each count is a bar, at least so high that it can be seen."""
    drawn = bars([str(at) for at in range(len(counts))], counts, "sizes")
    heights = [float(height) for height in re.findall(r'class="bar"[^>]* height="([\d.]+)"', drawn)]

    assert len(heights) == len(counts)
    assert all((height >= 1.5) == (count > 0) for height, count in zip(heights, counts, strict=True))


def test_lines_of_one_point_can_be_drawn() -> None:
    """No width, no height and no points divide by nothing."""
    assert lines([Line("one", [(0.5, 1.0)])], (0.5, 0.5), "one").count("<polyline") == 1
    assert lines([Line("none", [])], (0.4, 1.0), "none", [0.65]).count('class="mark"') == 1


def test_the_page_says_what_it_is_of(tmp_path: Path) -> None:
    """Sources with their drops, the time in UTC, the version, and the drops by a field."""
    records = [{"text": text, "by": "even" if at % 2 == 0 else None} for at, text in enumerate(texts())]
    page = written(tmp_path, records, drops_by="by")

    assert re.search(rf"simsieve {re.escape(simsieve.__version__)}, \d{{4}}-\d\d-\d\d \d\d:\d\d UTC", page)
    assert '<th scope="row">the records</th><td>43</td><td>3 (6.98 %)</td><td>0</td>' in page
    assert '<th scope="row">even</th><td>22</td><td>2 (9.09 %)</td>' in page
    assert '<th scope="row">(none)</th><td>21</td><td>1 (4.76 %)</td>' in page


def test_pairs_are_folded_but_the_first(tmp_path: Path) -> None:
    """Of each list one pair is open; the others show their ids and numbers."""
    made = [text.split() for text in texts()]
    near = [[*one[: at + 1], "other", *one[at + 1 :]] for at, one in enumerate(made[:5])]
    far = [[*one[:22], *made[at + 20][22:]] for at, one in enumerate(made[5:10])]
    page = written(tmp_path, [" ".join(one) for one in (*made, *near, *far)], similarity=0.8)
    edges = page.split('id="part-4"')[1].split("</section>")[0].split("<h3>")

    for part in edges[1:]:
        assert part.count("<details") > part.count('<details open=""') == 1
        assert re.search(r"<summary>\d+ ~ \d+ · similarity 0\.\d{4} · \d+ bits apart", part)


@pytest.mark.parametrize(("limit", "first"), [({"similarity": 0.6}, "0.6"), ({"max_distance": 20}, None), ({}, "0.6")])
def test_charts_have_a_line_at_the_threshold(tmp_path: Path, limit: dict[str, float], first: str | None) -> None:
    """It is where the bars of near duplicates begin, and those of rejected candidates end; labels are round."""
    draw = np.random.default_rng(5)
    words = [f"word{number}" for number in range(60)]
    made = [list(draw.choice(words, 12)) for _ in range(60)]
    near = [[*one[: at % 11], "other", *one[at % 11 :]] for at, one in enumerate(made)]
    page = written(tmp_path, [" ".join(one) for one in (*made, *near)], **limit)
    charts = re.findall(r"<svg.*?</svg>", page)
    marked = [chart for chart in charts if 'class="mark"' in chart]

    assert len(marked) >= 2
    for chart in marked if first else ():
        line = float(re.findall(r'<line x1="([\d.]+)"[^>]*class="mark"', chart)[0])
        bars_at = re.findall(r'x="([\d.]+)"[^>]*height="([\d.]+)"[^>]*><title>([\d.]+):', chart)
        assert [label for _, _, label in bars_at if len(label) > 4] == []
        if "rejected" not in chart:
            assert min(float(x) for x, height, _ in bars_at if float(height)) > line
