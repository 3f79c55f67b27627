"""The served review in a real browser: a whole session, two people, hostile texts, every size, language and theme."""

import csv
import re
import signal
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from tests.browser.conftest import SERIOUS, downloaded, fits, pictured, shows, until
from tests.integration.pictures import photos
from tests.integration.review_server import Served, records, write
from tests.serve.conftest import Service
from tests.serve.test_keys import ROLES, all_keys, written

from simsieve import Index
from simsieve.cli import main

SIZES, THEMES = (360, 800, 1600), ("light", "dark")
KEYS = {"s": "same", "d": "different", "a": "keep a", "b": "keep b", "x": "skip"}
BIDI, NULS = "\u202e", "\0\0"
HOSTILE = [
    {
        "id": "<img src=x onerror=alert(1)>", "answer": "<b>1</b>",
        "text": f"<script>alert(1)</script> the quick brown fox{BIDI} jumps 5 times",
    },
    {
        "id": f"x{BIDI}y", "answer": "javascript:alert(1)",
        "text": f"<script>alert(1)</script> the quick brown fox {NULS} jumps 6 times &amp; not",
    },
]  # fmt: skip


def now(page: Any) -> int:
    """The position of the pair that is judged next; -1 while there is none."""
    return int(page.evaluate("document.querySelector('near-pair[aria-current=true]')?.pair.position ?? -1"))


def press(page: Any, key: str, verdicts: int) -> None:
    """Press a key, and wait until the page shows this many verdicts and another pair, and takes keys again."""
    before = now(page)
    page.keyboard.press(key)
    until(page, lambda: page.inner_text("#state").startswith(f"{verdicts} of") and now(page) not in (before, -1))
    page.wait_for_timeout(20)


def saved(page: Any, path: Path) -> dict[int, str]:
    """Download the table: the verdict of each position."""
    with downloaded(page, "a[download]", path).open(encoding="utf-8-sig", newline="") as file:
        return {int(row["position_b"]): row["verdict"] for row in csv.DictReader(file)}


@pytest.mark.parametrize("keys", [26, pytest.param(56, marks=pytest.mark.slow)])
def test_a_session_of_many_verdicts(opened: Callable[..., Any], tmp_path: Path, keys: int) -> None:
    """Verdicts by keyboard, undo, a reload and a second tab: the table has what was said, and `dedup` takes it."""
    source = write(tmp_path / "in.jsonl", records(30, 3))
    with Served(tmp_path, "in.jsonl") as served:
        page = opened(served)
        said: dict[int, str] = {}
        skipped: set[int] = set()
        for number in range(keys):
            key, position = "sdsabsdxsd"[number % 10], now(page)
            assert position not in said and position not in skipped
            if key == "x":
                skipped.add(position)
            else:
                said[position] = KEYS[key]
            press(page, key, len(said))
        assert len(said) > keys - 6
        for position in list(said)[-3:][::-1]:
            del said[position]
            press(page, "u", len(said))
            assert now(page) == position
        page.reload()
        page.wait_for_selector("near-pair[aria-current=true]")
        said[now(page)] = "different"
        press(page, "d", len(said))

        tab = page.context.new_page()
        tab.goto(served.address.partition("?")[0])
        tab.wait_for_selector("near-pair[aria-current=true]")
        said[now(tab)] = "same"
        press(tab, "s", len(said))
        shows(page, "#state", f"{len(said)} of")
        table = saved(page, tmp_path / "verdicts.csv")
        page.click("#work-out")
        shows(page, "#effects", "would stay")
        effects, precision = page.inner_text("#effects"), page.inner_text("#precision")
        assert page.told == []

    assert table == said
    assert f"{Counter(said.values())['different']} of {len(said)} judged pairs are wrong" in precision
    kept = tmp_path / "k.jsonl"
    assert main(["dedup", str(source), "--verdicts", str(tmp_path / "verdicts.csv"), "-o", str(kept), "--quiet"]) == 0
    assert f": {len(kept.read_bytes().splitlines())} documents" in effects


def test_a_kill_loses_no_verdict_that_was_shown(opened: Callable[..., Any], tmp_path: Path) -> None:
    """The program is killed when the page shows the verdict; the page says that nobody answers; it is there later."""
    write(tmp_path / "in.jsonl", records(3))
    with Served(tmp_path, "in.jsonl") as served:
        page = opened(served)
        press(page, "d", 1)
        served.process.send_signal(signal.SIGKILL)
        served.process.wait()
        page.keyboard.press("s")
        shows(page, "#told", "does not answer")
        assert page.inner_text("#state").startswith("1 of 3")
    with Served(tmp_path, "in.jsonl") as served:
        assert opened(served).inner_text("#state").startswith("1 of 3 judged · different 1")


def test_two_people_are_at_different_documents_and_see_each_other(opened: Callable[..., Any], tmp_path: Path) -> None:
    """An invitation lets one browser in; what one has judged shows at the other, who may judge otherwise."""
    write(tmp_path / "in.jsonl", records(4))
    with Served(tmp_path, "in.jsonl") as served:
        one = opened(served)
        one.fill("#invite input", "Ánna <b>")
        one.click("#invite button")
        shows(one, "#address", "token")
        address = one.inner_text("#address").splitlines()[-1]
        other = opened(served, address)
        assert now(one) != now(other)
        assert served.send("GET", f"/?{address.partition('?')[2]}")[0] == 401
        judged = now(one)
        while now(other) != judged:
            other.keyboard.press("p")
            other.wait_for_timeout(100)
        press(other, "s", 1)
        shows(one, "near-pair .said", "same, by Ánna <b>")
        press(one, "d", 1)
        shows(other, "#state", "1 of 4 judged · different 1")
        assert one.told == other.told == []


def test_the_page_of_a_service_takes_a_table(opened: Callable[..., Any], tmp_path: Path) -> None:
    """By a key that judges a table is taken over, with what was said otherwise; by one that looks nothing is."""
    rows = records(3)
    Index.create(tmp_path / "seen", rows[0::2]).close()
    write(tmp_path / "new.jsonl", rows[1::2])
    written(tmp_path, all_keys())
    table = tmp_path / "told.csv"
    table.write_text("a,b,verdict\nr0-0,r0-1,same\nr1-0,r1-1,different\n", encoding="utf-8")
    service = Service(tmp_path, "--review", "new.jsonl", "--key-file", "keys")
    place = SimpleNamespace(host=f"127.0.0.1:{service.port}", address=f"{service.url}/review")
    writer, reader = (
        opened(place, http_credentials={"username": role, "password": ROLES[role]}) for role in ("write", "read")
    )
    judged = now(writer)
    press(writer, "d", 1)
    writer.set_input_files("#take", table)
    shows(writer, "#taken", "verdicts are taken over")
    taken = writer.inner_text("#taken")
    shows(reader, "#state", f"{2 if judged in (0, 1) else 3} of 3 judged")
    table.write_text("a,b\nr0-0,r0-1\n", encoding="utf-8")
    writer.set_input_files("#take", table)
    shows(writer, "#taken", "told.csv: ")
    buttons = "button[data-verdict], #take, #work-out"
    pressed = reader.evaluate(f"[...document.querySelectorAll('{buttons}')].every((one) => one.disabled)")
    reader.keyboard.press("s")
    shows(reader, "#told", "You may look here")
    assert pressed and not reader.is_visible("#apply") and not writer.is_visible("#invite")
    assert writer.is_visible("#take") and taken.startswith(f"{1 if judged in (0, 1) else 2} verdicts")
    assert ("1 say otherwise" in taken) == (judged == 0)
    assert [one for one in (*writer.told, *reader.told) if "status of 4" not in one] == []
    assert service.stop() == 0


def test_a_large_group_is_shown_in_parts(opened: Callable[..., Any], tmp_path: Path) -> None:
    """A document with more near duplicates than are shown at once goes on where it was left, after a reload too."""
    stem = " ".join(f"word{at}" for at in range(40))
    write(tmp_path / "in.jsonl", [{"id": at, "text": f"{stem} {at}"} for at in range(26)])
    with Served(tmp_path, "in.jsonl") as served:
        page = opened(served)
        assert page.locator("near-pair").count() == 20 and page.inner_text("#more") == "5 more"
        for number in range(22):
            press(page, "s", number + 1)
        assert page.locator("near-pair").count() == 25 and not page.is_visible("#more")
        position = now(page)
        page.reload()
        until(page, lambda: now(page) == position)
        press(page, "u", 21)
        assert page.told == []


def test_no_text_is_markup(opened: Callable[..., Any], tmp_path: Path) -> None:
    """Ids, texts and fields with tags, signs that turn the direction, and NUL show as they are, and nothing runs."""
    write(tmp_path / "in.jsonl", HOSTILE)
    with Served(tmp_path, "in.jsonl", "--show", "answer", "--conflict", "none") as served:
        page = opened(served)
        names = page.locator(".side h3").all_inner_texts()
        texts = page.locator(".text").all_inner_texts()
        fields = page.locator(".fields td").all_inner_texts()
        elements = page.evaluate("[...document.querySelectorAll('near-pair *')].map((one) => one.tagName)")
        page.keyboard.press("s")
        shows(page, "#state", "1 of 1 judged")
        shows(page, "#told", "Every pair")
        assert page.told == []
    assert names == ["a: <img src=x onerror=alert(1)> (stays)", "b: x\\u202ey (goes)"]
    assert texts[0] == "<script>alert(1)</script> the quick brown fox\\u202e jumps 5 times"
    assert texts[1] == "<script>alert(1)</script> the quick brown fox \\u0000\\u0000 jumps 6 times &amp; not"
    assert fields == ["<b>1</b>", "javascript:alert(1)"]
    assert set(elements) <= {"P", "SPAN", "DIV", "H3", "BUTTON", "KBD", "TABLE", "TR", "TH", "TD", "TBODY"}


def test_pictures_are_shown(opened: Callable[..., Any], tmp_path: Path) -> None:
    """A pair of pictures is shown as such, under the policy of the page."""
    photos(tmp_path)
    near = ("--scheme", "dhash64", "--max-distance", "8", "--max-failed", "2")
    with Served(tmp_path, "photos", *near) as served:
        page = opened(served)
        assert page.evaluate("[...document.images].map((one) => [one.naturalWidth, one.alt])") == [
            [240, "photos/harbour.png"], [160, "photos/small/harbour.jpg"]
        ]  # fmt: skip
        pictured(page, "pictures-served", full_page=False)
        assert page.told == []


@pytest.mark.parametrize("language", [pytest.param("en", marks=pytest.mark.slow), "zh"])
def test_it_fits_and_all_can_use_it(opened: Callable[..., Any], tmp_path: Path, language: str) -> None:
    """In every size and theme nothing scrolls sideways, axe finds nothing serious, and Chinese is Chinese."""
    write(tmp_path / "in.jsonl", records(2, 4) + HOSTILE)
    with Served(tmp_path, "in.jsonl", "--show", "answer", language=language) as served:
        page = opened(served)
        page.keyboard.press("d")
        until(page, lambda: "1" in page.inner_text("#state"))
        page.click("summary")
        for theme in THEMES:
            for width in SIZES:
                page.emulate_media(color_scheme=theme)
                page.set_viewport_size({"width": width, "height": 900})
                fits(page, width, looked_at=language == "en" or width == SIZES[0], impacts=SERIOUS)
                pictured(page, f"served-{language}-{theme}-{width}")
        shown = page.inner_text("body") if language == "zh" else ""
        assert page.told == []
    for word in ("Show", "next", "same", "stays", "judged", "similarity", "differ"):
        assert word not in re.sub("(?s)a：.*?answer", "", shown)


def test_the_keyboard_alone_is_enough(opened: Callable[..., Any], tmp_path: Path) -> None:
    """Tab reaches every control, letters in a field are letters, and a filter is set and taken away by keys."""
    write(tmp_path / "in.jsonl", records(6))
    with Served(tmp_path, "in.jsonl") as served:
        page = opened(served)
        page.focus("summary")
        page.keyboard.press("Enter")
        page.focus("input[name=lost_from]")
        page.keyboard.type("1000")
        page.keyboard.press("Enter")
        shows(page, "#name", "Nothing is left")
        page.focus("#filters button[type=reset]")
        page.keyboard.press("Enter")
        page.wait_for_selector("near-pair")
        page.focus("#invite input")
        page.keyboard.type("sad")
        assert page.input_value("#invite input") == "sad" and page.inner_text("#state").startswith("0 of")
        reached = set()
        for _ in range(60):
            page.keyboard.press("Tab")
            reached.add(page.evaluate("document.activeElement.id || document.activeElement.textContent.trim()"))
        assert page.told == []
    assert {"work-out", "apply", "s same", "p previous document", "a keep this one", "Save a table"} <= reached


def test_what_is_typed_counts(opened: Callable[..., Any], tmp_path: Path) -> None:
    """A Latin letter of another keyboard is that letter; in Russian and under an input method the place counts."""
    write(tmp_path / "in.jsonl", records(3, 4))
    with Served(tmp_path, "in.jsonl") as served:
        page = opened(served)
        typed = "(one) => document.body.dispatchEvent(new KeyboardEvent('keydown', {...one, bubbles: true}))"
        for key, code in (
            ("q", "KeyA"),
            ("o", "KeyS"),
            ("é", "KeyD"),
            (";", "KeyS"),
            ("e", "KeyD"),
            ("Enter", "Enter"),
        ):
            page.evaluate(typed, {"key": key, "code": code})
            page.wait_for_timeout(50)
            assert page.inner_text("#state").startswith("0 of"), key
        for count, (key, code) in enumerate((("a", "KeyQ"), ("ы", "KeyS"), ("Process", "KeyD"), ("S", "KeyS")), 1):
            before = now(page)
            page.evaluate(typed, {"key": key, "code": code})
            until(page, lambda: page.inner_text("#state").startswith(f"{count} of") and now(page) != before)  # noqa: B023
            page.wait_for_timeout(20)


def test_after_the_last_pair_no_key_changes_a_verdict(opened: Callable[..., Any], tmp_path: Path) -> None:
    """There is no pair that keys are for, until one is chosen; a page that is opened then has none either."""
    write(tmp_path / "in.jsonl", records(2, 2))
    with Served(tmp_path, "in.jsonl") as served:
        page = opened(served)
        for count in (1, 2):
            page.keyboard.press("s")
            shows(page, "#state", f"{count} of 2")
        shows(page, "#told", "is judged or skipped")
        for key in "ddabx":
            page.keyboard.press(key)
            page.wait_for_timeout(50)
        assert (now(page), "same 2" in page.inner_text("#state")) == (-1, True)
        page.reload()
        shows(page, "near-pair .said", "same")
        assert now(page) == -1
        page.keyboard.press("j")
        until(page, lambda: now(page) != -1)
        page.keyboard.press("d")
        shows(page, "#state", "different 1")
        assert page.inner_text("#apply") == "Write the kept records to in.kept.jsonl"
        page.click("#apply")
        shows(page, "#applied", "3 records are in")
        assert page.inner_text("#apply") == "Write the kept records to in.kept-2.jsonl"
    assert len((tmp_path / "in.kept.jsonl").read_bytes().splitlines()) == 3


def test_each_line_of_a_text_has_its_direction(opened: Callable[..., Any], tmp_path: Path) -> None:
    """Lines in Arabic and Hebrew begin at the right, and those in English at the left, in one text."""
    mixed = "الميناء مغلق حتى الظهر اليوم\nThe harbour is closed until noon\nהנמל סגור עד הצהריים היום"
    rows = [{"id": at, "text": mixed + "!" * at} for at in range(2)]
    write(tmp_path / "in.jsonl", rows)
    with Served(tmp_path, "in.jsonl") as served:
        page = opened(served, viewport={"width": 1400, "height": 800})
        places = page.evaluate("""() => {
          const text = document.querySelector("near-pair .text"), box = text.getBoundingClientRect();
          const node = document.createTreeWalker(text, NodeFilter.SHOW_TEXT).nextNode();
          const line = document.createRange();
          let at = 0;
          return node.data.split("\\n").map((words) => {
            line.setStart(node, at); line.setEnd(node, at += words.length); at += 1;
            const of = line.getBoundingClientRect();
            return of.left - box.left < 2 ? "left" : box.right - of.right < 2 ? "right" : "between";
          });
        }""")
    assert places == ["right", "left", "right"]
