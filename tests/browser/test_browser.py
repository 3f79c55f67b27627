"""The pages in a real browser: they open offline, fit a phone, have two themes, and take verdicts by keyboard.

Pictures of the pages go to the folder that SIMSIEVE_SCREENSHOTS names.
"""

from pathlib import Path
from typing import Any

import pytest
from tests.browser.conftest import downloaded, fits, pictured, until
from tests.integration.pictures import photos
from tests.integration.review_server import write

import simsieve
from simsieve.cli import main

WIDE, NARROW = (1280, 900), (390, 844)
SOURCE = Path(__file__).resolve().parents[2] / "examples/texts.jsonl"
LINE = "港口的老灯塔每隔两年都要重新刷漆一次，守塔人说这是祖父那一辈留下来的规矩，谁也不敢忘记。"
QUOTED = "夏天的午后，蝉声从槐树上落下来，整条街道都昏昏欲睡，只有卖冰棍的老人还推着车慢慢往前走。"
THESIS = f"第一章\n𠮷😀{LINE}\n他写道：“{QUOTED}”\n" + "这里是作者自己的话。" * 8


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """Give a page of each kind."""
    folder = tmp_path_factory.mktemp("pages")
    files = {name: folder / f"{name}.html" for name in ("report", "review", "curves", "edits", "passages")}
    simsieve.dedup(SOURCE).report(files["report"])
    assert main(["review", str(SOURCE), "-o", str(files["review"]), "--quiet"]) == 0
    assert main(["calibrate", str(SOURCE), "--report", str(files["curves"]), "--quiet"]) == 0
    edits = ["--min-characters", "0", "--draws", "1", "--report", str(files["edits"]), "--quiet"]
    assert main(["evaluate", "edits", str(SOURCE), *edits]) == 0
    (folder / "thesis.txt").write_text(THESIS, encoding="utf-8")
    against = [{"id": at, "text": f"{at}: {text}"} for at, text in enumerate((LINE, QUOTED, LINE + QUOTED))]
    simsieve.passages(folder / "thesis.txt", against=against).report(files["passages"])
    return files


def opened(browser: Any, path: Path, size: tuple[int, int], theme: str) -> tuple[Any, list[str]]:
    """Open a page without a network, and give it with the messages of its console."""
    context = browser.new_context(
        viewport={"width": size[0], "height": size[1]}, color_scheme=theme, offline=True, accept_downloads=True
    )
    page, messages = context.new_page(), []
    page.on("console", lambda message: messages.append(message.text))
    page.on("pageerror", lambda error: messages.append(str(error)))
    page.on("request", lambda request: None if request.url.startswith("file:") else messages.append(request.url))
    page.goto(path.as_uri())
    return page, messages


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("size", [WIDE, NARROW], ids=["wide", "narrow"])
@pytest.mark.parametrize("name", ["report", "review", "curves", "edits", "passages"])
def test_a_page_opens_and_fits(
    browser: Any, pages: dict[str, Path], name: str, size: tuple[int, int], theme: str
) -> None:
    """No error, no request, no scrolling sideways, and the theme's ground."""
    page, messages = opened(browser, pages[name], size, theme)
    width = page.evaluate("document.documentElement.scrollWidth")
    ground = page.evaluate("getComputedStyle(document.body).backgroundColor")
    pictured(page, f"{name}-{theme}-{size[0]}")
    page.context.close()

    assert messages == []
    assert width <= size[0]
    assert (sum(int(part) for part in ground[4:-1].split(",")) > 600) == (theme == "light")


def test_texts_have_contrast(browser: Any, pages: dict[str, Path]) -> None:
    """In both themes letters stand out from the ground by 4.5 to 1, in the body and in notes."""
    ratio = """(one) => {
      const light = (text) => { const c = text.match(/[\\d.]+/g).slice(0, 3).map((v) => { v /= 255;
        return v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4; });
        return 0.2126 * c[0] + 0.7152 * c[1] + 0.0722 * c[2]; };
      const a = light(getComputedStyle(one).color), b = light(getComputedStyle(document.body).backgroundColor);
      return (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05); }"""
    for theme in ("light", "dark"):
        page, _ = opened(browser, pages["report"], WIDE, theme)
        for place in ("main", ".note", ".card span"):
            assert page.locator(place).first.evaluate(ratio) >= 4.5, (theme, place)
        page.context.close()


@pytest.mark.filterwarnings("ignore:.*1 file is not read. 1 .txt:simsieve.UnreadFilesWarning")
def test_pictures_are_shown(browser: Any, tmp_path: Path) -> None:
    """A report and a review show the pictures of a pair, and load nothing."""
    place = photos(tmp_path)
    near = ["--scheme", "dhash64", "--max-distance", "8", "--max-failed", "2", "--quiet"]
    assert main(["review", str(place), "-o", str(tmp_path / "review.html"), *near]) == 0
    simsieve.dedup(place, scheme="dhash64", max_distance=8, max_failed="2").report(tmp_path / "report.html")
    for name in ("review", "report"):
        page, messages = opened(browser, tmp_path / f"{name}.html", NARROW, "light")
        assert set(page.evaluate("[...document.images].map((one) => one.naturalWidth)")) == {160, 240}
        assert page.evaluate("document.documentElement.scrollWidth") <= NARROW[0]
        assert messages == []
        pictured(page, f"pictures-{name}")
        page.context.close()


def reloaded(page: Any) -> None:
    """Load a page again until it has verdicts: the browser passes what a page stores to the next one a moment later."""
    for _ in range(40):
        page.reload()
        if page.locator("near-pair[data-verdict]:not([data-verdict=''])").count():
            return
        page.wait_for_timeout(250)
    raise AssertionError("no verdict is there after ten seconds")


def press(page: Any, key: str) -> None:
    """Press a key, and wait until the page has done it."""
    page.keyboard.press(key)
    page.wait_for_timeout(50)


def test_verdicts_are_given_by_keyboard_and_saved(browser: Any, pages: dict[str, Path], tmp_path: Path) -> None:
    """Keys judge and move; the command reads the saved file, and a page that is opened again has the verdicts."""
    page, messages = opened(browser, pages["review"], WIDE, "light")
    naming = page.evaluate("document.querySelector('near-pair').pair.naming")
    ids = [str(naming[name]) for name in ("a", "b", "position_a", "position_b", "check_a", "check_b")]
    assert all(ids)
    for key in ("d", "s", "a", "k", "b", "d", "u", "x"):
        press(page, key)
    saved = downloaded(page, "a[download]", tmp_path / "verdicts.csv")
    lines = saved.read_text(encoding="utf-8").splitlines()
    reloaded(page)
    kept = page.locator("near-pair").first.get_attribute("data-verdict")
    page.context.close()

    assert messages == []
    row = ",".join([*ids[:2], "different", *ids[2:]])
    assert lines[:2] == ["a,b,verdict,position_a,position_b,check_a,check_b", row]
    assert [line.split(",")[2] for line in lines[2:]] == ["same", "keep b"]
    assert kept == "different"
    assert main(["review", str(SOURCE), "--verdicts", str(saved), "--quiet"]) == 0


def test_verdicts_are_given_by_touch(browser: Any, pages: dict[str, Path]) -> None:
    """On a phone a tap on a pair chooses it, and a tap on a button judges it."""
    page, messages = opened(browser, pages["review"], NARROW, "dark")
    page.locator("near-pair .why").nth(2).click()
    page.locator(".buttons [data-verdict=different]").click()
    page.wait_for_timeout(100)
    verdict = page.locator("near-pair").nth(2).get_attribute("data-verdict")
    state = page.locator("#state").inner_text()
    page.context.close()

    assert (messages, verdict, state) == ([], "different", "1 of 25 judged · different 1")


def test_a_page_that_is_opened_again_goes_on_at_the_first_pair_without_a_verdict(browser: Any, tmp_path: Path) -> None:
    """No key overwrites a verdict, ids may repeat or be formulas, and the command takes what the page saves."""
    ends = ("ant", "bee", "cat", "dog", "elk")
    fox = "the quick brown fox jumps over the lazy dog"
    records = [{"id": "=1" if end == "elk" else "x", "text": f"{fox} {end}"} for end in ends]
    source = tmp_path / "in.jsonl"
    write(source, records)
    assert main(["review", str(source), "-o", str(tmp_path / "review.html"), "--quiet"]) == 0
    page, messages = opened(browser, tmp_path / "review.html", WIDE, "light")
    for key in ("d", "d", "j", "s"):
        press(page, key)
    reloaded(page)
    now = page.locator("near-pair[aria-current=true]")
    before = now.get_attribute("data-verdict")
    press(page, "d")
    verdicts = [page.locator("near-pair").nth(at).get_attribute("data-verdict") for at in range(len(ends) - 1)]
    press(page, "d")
    again = [page.locator("near-pair").nth(at).get_attribute("data-verdict") for at in range(len(ends) - 1)]
    saved = downloaded(page, "a[download]", tmp_path / "verdicts.csv")
    page.context.close()

    assert (messages, before) == ([], "")
    assert verdicts == again == ["different", "different", "different", "same"]
    assert main(["review", str(source), "--verdicts", str(saved), "--quiet"]) == 0
    assert main(["dedup", str(source), "--verdicts", str(saved), "-o", str(tmp_path / "k.jsonl"), "--quiet"]) == 0


def test_a_sample_of_leaks_is_judged_on_its_page(browser: Any, tmp_path: Path) -> None:
    """Keys judge, none keeps a side, and the command takes what the page saves."""
    fox = "the quick brown fox jumps over the lazy dog and runs"
    for name, texts in (
        ("train", [f"Told {at}. {fox} home. What then?" for at in range(3)]),
        ("tests", [f"{fox} home."]),
    ):
        write(tmp_path / f"{name}.jsonl", [{"id": at, "text": text} for at, text in enumerate(texts)])
    words = ["passages", str(tmp_path / "train.jsonl"), "--of", str(tmp_path / "tests.jsonl"), "--contained", "0.8"]
    assert main([*words, "--review", str(tmp_path / "sample.html"), "--quiet"]) == 0
    page, messages = opened(browser, tmp_path / "sample.html", NARROW, "dark")
    for key in ("a", "s", "b", "d", "s"):
        press(page, key)
    verdicts = [one.get_attribute("data-verdict") for one in page.locator("near-pair").all()]
    keeps = page.locator("near-pair [data-verdict^=keep]").count()
    fits(page, NARROW[0])
    saved = downloaded(page, "a[download]", tmp_path / "verdicts.csv")
    page.context.close()

    assert (messages, keeps) == ([], 0)
    assert verdicts == ["same", "different", "same"]
    assert main([*words, "--verdicts", str(saved), "--quiet"]) == 0


def test_passages_are_shown_beside_their_sources(browser: Any, pages: dict[str, Path]) -> None:
    """Excluding and choosing change the numbers at once, and a passage leads to its twin in the source."""
    page, messages = opened(browser, pages["passages"], WIDE, "light")

    def numbers() -> list[str]:
        return [text.split("\n")[0] for text in page.locator("#numbers .card").all_inner_texts()]

    page.click("#table button.name")
    share, own, _, sources, count = numbers()
    page.click("#next")
    # A mark begins with the number of its passage.
    first, twin = page.locator("#text mark.now").all_inner_texts(), page.locator("#twin mark.now").inner_text()
    page.check("#quotes")
    quoted = numbers()
    page.locator("#sources input").first.uncheck()
    without = numbers()
    page.check("#only")
    only = page.locator("#text").inner_text()
    page.context.close()

    assert messages == []
    assert (sources, count) == ("3", "3")
    assert "".join(first).lstrip("12 ").startswith(LINE)
    assert twin.lstrip("12 ").startswith(LINE)
    assert quoted[0] == own != share and quoted[3:] == ["2", "2"]
    assert without[3:] == ["1", "1"]
    assert LINE.rstrip("。") in only
    assert "作者自己的话" not in only


OWN = "".join(chr(0x4E00 + at * 7919 % 20000) for at in range(3000))
EDITED = LINE.replace("重新", "").replace("规矩", "老规矩")
STUDENTS = [
    {"id": "=a", "who": "x", "text": f"{OWN[:400]}{LINE}{OWN[400:800]}{QUOTED}{OWN[800:1200]}"},
    {"id": "b", "who": "y", "text": f"{OWN[1200:1500]}{QUOTED}\n{OWN[1500:2100]}{EDITED}{OWN[2100:2200]}"},
    {"id": "c", "who": "y", "text": f"{OWN[2200:2300]}{EDITED}"},
    {"id": "d", "who": "z", "text": OWN[2300:3000]},
]


@pytest.fixture(scope="module")
def students(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Give the page of some works that share with one another."""
    path = tmp_path_factory.mktemp("students") / "page.html"
    simsieve.passages(STUDENTS, own="who", show="who").report(path)
    return path


def test_all_documents_come_first(browser: Any, students: Path, tmp_path: Path) -> None:
    """A table that sorts and is saved, a graph of groups, names that are hidden; the way back is the browser's."""
    page, messages = opened(browser, students, WIDE, "light")

    def firsts() -> list[str]:
        return list(page.locator("#table tbody tr > *:first-child").all_inner_texts())

    assert firsts() == ["1. y (c)", "2. y (b)", "3. x (=a)", "4. z (d)"]
    assert "undefined" not in page.inner_text("#table")
    page.locator("#table thead button").first.click()
    assert firsts()[0] == "3. x (=a)"
    assert page.locator("#table [aria-sort]").inner_text() == "document ▲"
    # The copy of an own work is no line of the graph.
    assert page.locator("#graph line").count() == 2
    assert page.locator("#groups li").inner_text().startswith("3 documents, up to ")
    page.fill("#line", "90")
    assert page.locator("#graph line").count() == 0
    page.click("#hide")
    assert page.locator("#table").inner_text().count("(") == 0
    rows = downloaded(page, "#save", tmp_path / "documents.csv").read_text(encoding="utf-8-sig").splitlines()
    assert rows[0].startswith("document,characters,shared,quoted,longest passage,sources,own works")
    assert len(rows) == 5 and rows[1].startswith("document ")
    page.click("#hide")
    page.fill("#line", "1")
    page.locator("#graph circle").first.dispatch_event("click")
    page.wait_for_selector("#one:not([hidden])")
    page.go_back()
    page.wait_for_selector("#all:not([hidden])")
    page.context.close()
    assert messages == []


def test_a_pair_is_side_by_side(browser: Any, students: Path) -> None:
    """Both texts have numbered passages with what differs, scroll together, and are printed as a form."""
    page, messages = opened(browser, students, (1280, 420), "light")
    page.evaluate("location.hash = '1-2'")
    page.wait_for_selector("#twin ins")
    assert page.locator("#text ins").all_inner_texts() == ["老"]
    assert page.locator("#twin ins").all_inner_texts() == ["重新"]
    assert page.locator("#text sup").all_inner_texts() == ["1", "2"]
    assert sorted(page.locator("#twin sup").all_inner_texts()) == ["1", "2"]
    page.locator("#text").hover()
    before = page.evaluate("document.getElementById('twin').scrollTop")
    page.mouse.wheel(0, 24)
    until(page, lambda: page.evaluate("document.getElementById('twin').scrollTop") != before)
    tops = page.evaluate("[...document.querySelectorAll('mark.now')].map((one) => one.getBoundingClientRect().top)")
    assert len(tops) == 2 and abs(tops[0] - tops[1]) < 25
    page.emulate_media(media="print")
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    form = page.locator("#form").inner_text()
    assert "What the author says" in form and "does not say who copied" in form
    assert page.locator("#form tbody tr").count() == 2
    assert not page.locator(".passages").is_visible()
    page.emulate_media(media="screen")
    page.keyboard.press("Escape")
    page.wait_for_selector("#every:disabled", state="attached")
    page.keyboard.press("Escape")
    page.wait_for_selector("#all:not([hidden])")
    page.context.close()
    assert messages == []


@pytest.mark.parametrize("language", [pytest.param("en", marks=pytest.mark.slow), "zh"])
def test_the_page_of_passages_is_for_all(
    browser: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, language: str
) -> None:
    """Of all documents, one and a pair axe finds nothing, nothing scrolls sideways, and Chinese is Chinese."""
    monkeypatch.setenv("SIMSIEVE_LANG", language)
    page_file = tmp_path / "page.html"
    simsieve.passages(STUDENTS, own="who").report(page_file)
    for size, theme in ((WIDE, "light"), (WIDE, "dark"), (NARROW, "light"), (NARROW, "dark")):
        page, messages = opened(browser, page_file, size, theme)
        for place in ("", "1", "1-2"):
            page.evaluate(f"location.hash = '{place}'")
            page.wait_for_timeout(100)
            fits(page, size[0])
            pictured(page, f"students-{language}-{theme}-{size[0]}-{place}")
        shown = page.locator("body").inner_text()
        page.context.close()
        assert messages == []
        assert ("passage" in shown, "段落" in shown) == (language == "en", language == "zh")
