"""What a run says of its near duplicates: hubs with their shared passage, and the kind that the texts look like."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from simsieve import SimsieveWarning, dedup
from simsieve.results.hubs import common_part

VERSE = "床前明月光，疑是地上霜。举头望明月，低头思故乡。"


@given(texts=st.lists(st.text("ab", min_size=1, max_size=12), min_size=2, max_size=3))
def test_the_common_part_is_the_longest_one(texts: list[str]) -> None:
    """It is that of all slices, tried one by one."""
    first, *others = texts
    slices = {first[a:b] for a in range(len(first)) for b in range(a + 1, len(first) + 1)}
    shared = [part for part in slices if all(part in other for other in others)]
    found = common_part(texts)
    assert len(found) == max(map(len, shared), default=0)
    assert all(found in text for text in texts)


def test_a_hub_is_told() -> None:
    """Forms that are filled in differently are one, by a warning and in the summary; nine near duplicates are none."""
    reports = [f"Market report. Wheat costs {at}{at + 3} a ton in the port, and trade is calm." for at in range(11)]
    with pytest.warns(SimsieveWarning, match="10 near duplicates of '0' share 'a ton in the port, and trade is calm.'"):
        summary = dedup(reports, conflict="none").summary
    assert summary["hubs"] == [
        {"representative": 0, "near_duplicates": 10, "lost_much": 0, "conflicts": 10,
         "passage": "a ton in the port, and trade is calm."},
    ]  # fmt: skip
    assert "hubs" not in dedup(reports[:10], conflict="none").summary and dedup(reports).counts.dropped == 0


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("<p>one</p><p>two</p><div>three</div>", "web"),
        ("第一条 本法适用。第二条 本法施行。第三条 其他。", "laws"),
        ("How many boats?\nA. one\nB. two\nC. three\nD. four", "questions"),
        (VERSE, "poems"),
        ("import os\nimport re\ndef one():\n    return 1\ndef two():\n    return 2\n", "code"),
        ("good soup, slow waiter", "short"),
        ("The council met in the hall and heard the report on the harbour. " * 4, None),
    ],
)
def test_a_run_names_the_kind_of_its_texts(text: str, kind: str | None) -> None:
    """By its signs and lengths; a kind that is given is not guessed."""
    way: dict[str, Any] = {"similarity": 1, "extract": "text" if kind == "web" else "none"}
    texts = [f"{text} {f'{at:03}' * 3}" for at in range(100)]
    cases: list[tuple[list[str], dict[str, Any]]] = [(texts, {}), (texts[1:], {}), (texts, {"kind": "ocr"})]
    assert [dedup(some, **way, **more).summary.get("looks_like") for some, more in cases] == [kind, None, None]
