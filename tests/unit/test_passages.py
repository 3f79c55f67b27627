"""Passages in Python: rows, totals, what is excluded, leaks, and how they are written."""

import csv
import io
import json
import re
from dataclasses import asdict
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from simsieve import ConfigError, Index, passages
from simsieve.evaluate.pairs import judged_rows
from simsieve.inside import PassageResult, page
from simsieve.inside.exclude import quotes, references
from simsieve.review.passages import judged, write_sample

LINE = "港口的老灯塔每隔两年都要重新刷漆一次，守塔人说这是祖父那一辈留下来的规矩，谁也不敢忘记。"
OTHER = "夏天的午后，蝉声从槐树上落下来，整条街道都昏昏欲睡，只有卖冰棍的老人还推着车慢慢往前走。"
ENGLISH = "every passage of this length is found wherever it stands in a longer text about quite another matter"


def test_spans_are_code_points_of_both_texts() -> None:
    """A span cuts the same run out of both texts as they were written, also after signs beyond the first plane."""
    one, two = f"𠮷e\u0301😀 начало. {LINE} Ende", f"ﾃｽﾄ{LINE}"
    (row,) = passages([{"id": "a", "text": one}], against=[{"id": 7, "text": two}])
    (span,) = row.spans

    assert (row.document, row.source, span.score) == ("a", 7, 1.0)
    assert one[span.start : span.end] == two[span.source_start : span.source_end] == LINE.rstrip("。")
    assert row.share == round((span.end - span.start) / len(one), 6)


def test_case_width_and_punctuation_do_not_count() -> None:
    """What a reader takes for the same is the same."""
    wide = "".join(chr(ord(sign) + 0xFEE0) if "!" <= sign <= "~" else sign for sign in ENGLISH.upper())
    (row,) = passages([wide.replace(" ", " - ")], against=[f"It begins. {ENGLISH}."])

    assert row.share == 1 and row.spans[0].source_start == len("It begins. ")


def test_edited_passages_are_found_and_others_are_not() -> None:
    """Changed, missing and added characters are bridged; a text on something else shares nothing."""
    edited = LINE.replace("重新", "").replace("规矩", "老规矩").replace("不敢", "没有")
    (row,) = passages([f"{OTHER}{edited}"], against=[LINE])

    assert row.spans[0].score > 0.8 and row.spans[0].end >= len(OTHER) + len(edited) - 5
    assert len(passages([OTHER], against=[LINE])) == 0


def test_without_against_the_source_is_earlier() -> None:
    """Each pair is one row; copies of copies are rows too."""
    result = passages([LINE, OTHER, f"{OTHER}{LINE}"])

    assert [(row.document_position, row.source_position) for row in result] == [(2, 0), (2, 1)]
    (total,) = result.totals
    assert (total.share, total.sources) == (round((len(OTHER + LINE) - 2) / len(OTHER + LINE), 6), 2)


def test_what_is_excluded_does_not_count(tmp_path: Path) -> None:
    """Quotations, references and the text of a file leave rows and shares; the totals have both shares anyway."""
    text = f"他写道：“{LINE}”。{OTHER}\n参考文献\n{ENGLISH}"
    old = [LINE, OTHER, ENGLISH]
    given = tmp_path / "given.txt"
    given.write_text(f"题目：\n{OTHER}\n", encoding="utf-8")

    def found(*exclude: str) -> list[int]:
        return sorted(row.source_position for row in passages([text], against=old, exclude=exclude))

    assert found() == [0, 1, 2]
    assert found("quotes") == [1, 2]
    assert found("references") == [0, 1]
    assert found("quotes", "references", str(given)) == []
    (total,) = passages([text], against=old).totals
    assert total.share > 0.9 and total.own_share == pytest.approx((len(OTHER) - 1) / len(text), abs=0.01)


@pytest.mark.parametrize(
    "text", [f"“{LINE}”{OTHER[:20]}", f"{OTHER[:20]}{LINE}\n参考文献\n[1] 王某, 2001.\n" + "[2] a, 1.\n" * 20]
)
def test_a_text_that_is_mostly_excluded_is_told(text: str) -> None:
    """Nobody hides a text between quotation marks, or behind a heading of references."""
    with pytest.warns(match="quotations or references are more than half of 1 documents with passages, first of t1"):
        passages([{"id": "t1", "text": text}], against=[LINE], exclude=["quotes", "references"])


@pytest.mark.parametrize("quoted", [10, 30])
def test_passages_end_at_the_borders_of_what_is_excluded(quoted: int) -> None:
    """Text beside a quotation is a passage of its own if it is long enough; its share is of the text not excluded."""
    text = f"{OTHER}“{LINE[:quoted]}”{LINE[quoted:]}"
    (row,) = passages([text], against=[LINE], exclude=["quotes"], min_length=11)
    (total,) = passages([text], against=[LINE], exclude=["quotes"], min_length=11).totals

    (span,) = row.spans
    assert (span.start, span.end) == (len(OTHER) + quoted + 2, len(text) - 1)
    assert text[span.start : span.end] == LINE[span.source_start : span.source_end]
    assert (span.source_start, total.excluded) == (quoted, quoted + 2)
    assert row.share == total.share == round((span.end - span.start) / (len(text) - quoted - 2), 6)
    assert not passages([text], against=[LINE], exclude=["quotes"], min_length=80)


@pytest.mark.parametrize("beside", ["", "\n", f"\n{OTHER[::-1]}\n"])
def test_a_copy_beside_a_template_is_found(tmp_path: Path, beside: str) -> None:
    """However long the template is; two documents that are equal but for it share all that is left."""
    given = tmp_path / "given.txt"
    given.write_text("read the input of the exercise line by line and print the sorted list of its names\n" * 4)
    base = given.read_text()
    (row,) = passages([f"{base}{beside}{LINE}"], against=[f"{base}{beside[::-1]}{LINE}"], exclude=[str(given)])
    assert row.spans[-1].end - row.spans[-1].start >= len(LINE) - 1
    (total,) = passages([f"{base}{LINE}"], against=[f"{base}{LINE}"], exclude=[str(given)]).totals
    assert total.share == total.own_share == total.largest_share > 0.95


@pytest.mark.parametrize(
    ("text", "kind", "cut"),
    [
        ("a “b” c", quotes, ["“b”"]),
        ('he said "go" and "stay', quotes, ['"go"']),
        ("「一『二』三」", quotes, ["「一『二』三」"]),
        ("no quotation", quotes, []),
        ("Text\n\n## References\n[1] A\n\nAcknowledgements\nThanks", references, ["## References\n[1] A\n\n"]),
        ("正文提到参考文献一词。\n参 考 文 献：\n[1] 书", references, ["参 考 文 献：\n[1] 书"]),
        ("参考文献\n一\n\n五、参考文献\n二", references, ["五、参考文献\n二"]),
        ("references are good", references, []),
        ('A 5" pipe, and then a 3" pipe', quotes, []),
        ('A 24" pipe is "long" here', quotes, ['"long"']),
        ('One " sign alone. She said "yes" and', quotes, ['"yes"']),
        ('Opened "and never closed. She said "yes" and', quotes, ['"yes"']),
        ('他说"去吧"，又说"好"。', quotes, ['"去吧"', '"好"']),
        ("“opened\n\nclosed” and “so\non”", quotes, ["“so\non”"]),
        ("“opened and left.\nclosed” and „ja“, «да»", quotes, ["„ja“", "«да»"]),
        ("the dogs' 'own' it's", quotes, []),
        ("A\nReferences\nSmith 2001, A lamp.\nChapter 2\nMine", references, ["References\nSmith 2001, A lamp.\n"]),
        ("一\n参考文献\n[1] 王某. 灯塔[J].\n第二章 方法\n正文", references, ["参考文献\n[1] 王某. 灯塔[J].\n"]),
        (
            "References\nDoe (1999). A long\n title.\n\n2 Methods\nMine",
            references,
            ["References\nDoe (1999). A long\n title.\n\n"],
        ),
        ("References\n[1] A book.\nAnd this is mine", references, ["References\n[1] A book.\n"]),
        (
            "References\n[1] A\nII. Results\nx\nReferences\n[2] B",
            references,
            ["References\n[1] A\n", "References\n[2] B"],
        ),
        ("Contents\nOne\nReferences\nAppendix\n\nOne\nMine", references, []),
        ("Contents\nOne\nReferences\n\nThe text begins", references, []),
        ("One\nTwo\nReferences\n\nOne\nMine", references, []),
        ("Contents\nOne .. 1\nReferences .. 31\n\nOne\nMine", references, []),
        (
            "x\nLiteraturverzeichnis\nMüller, Licht. 1999.\nAnhang A\nx",
            references,
            ["Literaturverzeichnis\nMüller, Licht. 1999.\n"],
        ),
        (
            "x\nRéférences bibliographiques\nDupont, 1999.\nAnnexe",
            references,
            ["Références bibliographiques\nDupont, 1999.\n"],
        ),
        ("x\n5 Bibliografía\nGarcía (2001). La luz.", references, ["5 Bibliografía\nGarcía (2001). La luz."]),
        (
            "x\nСписок литературы\n1. Иванов. Свет. 1999.\nПриложение 1",
            references,
            ["Список литературы\n1. Иванов. Свет. 1999.\n"],
        ),
        ("x\n참고문헌\n김, 등대, 2001.\n제2장 방법\nx", references, ["참고문헌\n김, 등대, 2001.\n"]),
        ("x\n5. 参考・引用文献\n1) 山田: 灯台, 1999.\n付録", references, ["5. 参考・引用文献\n1) 山田: 灯台, 1999.\n"]),
    ],
)
def test_quotations_and_references_are_found(text: str, kind: object, cut: list[str]) -> None:
    """By their marks in a paragraph, and from a heading to the next one or behind the last entry."""
    assert [text[start:end] for start, end in kind(text)] == cut  # type: ignore[operator]


def test_leaked_items_are_found_by_their_share() -> None:
    """A short item counts where most of it stands in a document, and a long shared part of another item does not."""
    items = [{"id": "leaked", "text": LINE[:22]}, {"id": "part", "text": f"{LINE[:15]}{OTHER}"}]
    train = [{"id": at, "text": f"{OTHER[:20]}{LINE}{at}"} for at in range(30)]
    with pytest.warns(match="may be missed"):
        rows = passages(train, against=[*items, {"id": "short", "text": "谁也不敢说"}], contained=0.8)

    assert {row.source for row in rows} == {"leaked"}
    assert len(rows) == 30
    assert all(row.source_share >= 0.8 for row in rows)


def test_pieces_of_an_item_that_are_far_apart_are_no_leak() -> None:
    """What is all over a long text stands in no place of it; an item whose parts are side by side is found."""
    parts = [LINE[:11], OTHER[:11], LINE[20:31], OTHER[20:31]]
    signs = "".join(chr(0x5000 + at * 7919 % 9000) for at in range(2000))
    scattered = "".join(f"{part}{signs[at * 400 : at * 400 + 400]}" for at, part in enumerate(parts))
    near = f"{signs}{parts[1]}，{parts[0]}。{signs[:5]}{parts[2]}{parts[3]}"
    (row,) = passages([scattered, near], against=["".join(parts)], contained=0.8)
    assert (row.document_position, row.source_share) == (1, 1)
    assert passages([scattered], against=["".join(parts)], min_length=16)[0].source_share == 1


@pytest.mark.parametrize(("times", "copies"), [(25, 1), (1, 30), (30, 30), (2000, 3)])
def test_an_item_is_not_hidden_by_its_own_copies(times: int, copies: int) -> None:
    """Neither by its places in a document nor by equal items; under `contained` each of these has its row."""
    own = [chr(0x5000 + at * 7 % 5000) for at in range(times)]
    document = "。".join(f"{sign}{LINE}{sign}" for sign in own)
    items = [{"id": at, "text": LINE if at % 2 else LINE.replace("，", " ")} for at in range(copies)]
    rows = passages([document, OTHER], against=items, contained=0.8)
    assert {row.source for row in rows} == set(range(copies))
    assert all(len(row.spans) == times and row.source_share > 0.9 for row in rows)
    rows = passages([document], against=items)
    assert (len(rows), rows.summary["unlisted"]) == (min(copies, 20), max(0, copies - 20))


def test_a_high_bound_keeps_to_memory() -> None:
    """A text of one letter is one passage: of many equal places each is met once."""
    (row,) = passages(["a" * 5000], against=["a" * 4000], common=2**30, memory="256MiB")
    assert row.source_share == 1


FRAME = "Read the statement carefully, then decide which one of the four answers A, B, C and D completes it best. "
SHOP = "A shop sells {} boxes of tea a day at {} coins each; how many coins does it take in {} days?"


@pytest.mark.parametrize(
    ("item", "document", "doubt"),
    [
        (f"{FRAME}The harbour closes at dusk.", f"{FRAME}Copper boils late. Another text.", "lacking"),
        (f"{LINE}\n这句话出自哪一本书？", f"{OTHER}{LINE}{OTHER}", "lacking"),
        (f"Why?\n{ENGLISH}", f"It is so: {ENGLISH}", None),
        (SHOP.format(312, 7, 12), f"{OTHER}{SHOP.format(845, 9, 31)}", "numbers"),
        (SHOP.format(312, 7, 12), f"{OTHER}{SHOP.format(312, 7, 12)} Or {SHOP.format(845, 9, 31)}", None),
        (
            SHOP.format(312, 7, 12),
            f"{OTHER}{SHOP.format(312, 8, 12).replace('boxes', 'tins').replace('tea', 'oats')}",
            None,
        ),
    ],
    ids=["frame", "quotation", "little", "numbers", "beside", "edited"],
)
def test_hits_that_may_be_no_leaks_are_left_out(item: str, document: str, doubt: str | None) -> None:
    """What has an item's frame or quotation alone, or its numbers changed, is counted, and listed on request."""
    result = passages([document], against=[item], contained=0.7)
    assert len(result) == (doubt is None)
    assert [result.summary[name] for name in ("lacking", "other_numbers")] == [doubt == "lacking", doubt == "numbers"]
    (row,) = passages([document], against=[item], contained=0.7, doubtful=True)
    assert row.doubt == doubt
    with pytest.raises(ConfigError, match="doubtful"):
        passages([document], against=[item], doubtful=True)


def test_a_common_text_needs_the_whole_item() -> None:
    """Of an item whose text is in many documents little may be lacking; what is excluded does not lack."""
    texts = [f"{OTHER[:at]}{ENGLISH}" for at in range(30)]
    item = f"Explain {ENGLISH}"
    assert len(passages(texts, against=[item], contained=0.8, common=40)) == 30
    result = passages([*texts, f"{OTHER}{item}"], against=[item], contained=0.8)
    assert [row.document_position for row in result] == [30]


def test_a_sample_is_drawn_by_a_seed_and_judged(tmp_path: Path) -> None:
    """The rows are the same each time; verdicts count for the texts that were judged, by position or by id."""
    items = [{"id": at, "text": f"{OTHER[at:]}{LINE}"} for at in range(4)]
    train = [{"id": at, "text": f"{at}{item['text']}{OTHER[: at * 3]}"} for at, item in enumerate(items)]
    result = passages(train, against=items, contained=0.3, doubtful=True)
    drawn = []
    for seed in (1, 1, 2):
        assert write_sample(result, tmp_path / "sample.csv", 5, seed) == 5
        drawn.append((tmp_path / "sample.csv").read_text("utf-8-sig"))
    assert drawn[0] == drawn[1] != drawn[2]
    rows = [
        row | {"verdict": "different" if at == 0 else "same"}
        for at, row in enumerate(csv.DictReader(io.StringIO(drawn[0])))
    ]
    assert all(LINE in row["text_a"] and LINE in row["text_b"] for row in rows)

    def told(rows: list[dict[str, str]], result: PassageResult = result) -> tuple[int, int, int]:
        (tmp_path / "judged.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
        precision, words, others = judged(result, judged_rows(str(tmp_path / "judged.jsonl")))
        assert precision.judged == len(words) and precision.low <= (precision.value or 0) <= precision.high
        return precision.judged, precision.wrong, others

    assert told(rows) == (5, 1, 0)
    assert told([{**row, "check_b": "a" * 8} for row in rows[:2]] + rows[2:]) == (3, 0, 2)
    by_name = [{"a": row["a"], "b": row["b"], "verdict": "1"} for row in rows if row["a"] != row["b"]]
    assert told([*by_name, {"a": "none", "b": "2", "verdict": "same"}]) == (len(by_name), 0, 1)
    changed = [train[0] | {"text": f"{train[0]['text']}!"}, *train[1:]]
    assert sum(told(rows, passages(changed, against=items, contained=0.3, doubtful=True))[::2]) == 5


def test_what_surrounds_a_passage_is_no_difference(tmp_path: Path) -> None:
    """On the page to judge only what lies between the spans is compared; an item is compared as a whole."""
    for contained, ends in ((None, ""), (0.5, "differs")):
        result = passages([f"Before it. {LINE} After it."], against=[f"{LINE} of talks"], contained=contained)
        assert write_sample(result, tmp_path / "sample.html") == 1
        page = (tmp_path / "sample.html").read_text("utf-8")
        made = re.search(r'type="application/json"[^>]*>(.*?)</script>', page, re.DOTALL)
        ((document, source),) = (pair["texts"] for pair in json.loads(made[1] if made else "")["pairs"])
        assert not any("differs" in marks for _, marks in document)
        assert (document[0][0], document[-1][0]) == ("Before it. ", "。 After it.")
        assert source[-1] == ["。 of talks", ends]


def test_each_side_has_its_text_field() -> None:
    """The text of old records may be in fields of their own; the message that refuses them names the setting."""
    train, items = [{"id": 1, "text": f"{OTHER}{LINE}"}], [{"id": 7, "stem": LINE, "answer": "B"}]
    for names in ("stem", ["answer", "stem"]):
        (row,) = passages(train, against=items, against_text_field=names, contained=0.8)
        assert (row.source, row.source_share > 0.9) == (7, True)
    with pytest.raises(ConfigError, match="against_text_field names it"):
        passages(train, against=items)
    with pytest.raises(ConfigError, match="against_text_field 'stem' is of old records"):
        passages(train, against_text_field="stem")
    with pytest.raises(ConfigError, match="stam"):
        passages(train, against=items, against_text_field="stam")


def test_what_stands_at_many_places_is_told() -> None:
    """A line of every document leads to no pair, and its share is in the totals; the bound can be raised."""
    texts = [f"{LINE}{at}" for at in range(25)]
    result = passages(texts)

    assert len(result) == 0 and result.summary["common"] == 25
    assert all(total.common_share > 0.1 and total.sources == 0 for total in result.totals)
    assert len(passages(texts, common=25)) == 25 * 24 // 2


def test_what_stands_in_many_sources_has_a_row_for_the_first() -> None:
    """An item of 25 training texts is found once, and its span says in how many it is."""
    train = [f"{OTHER[:at]}{LINE}{at}" for at in range(25)]
    (row,) = passages([{"id": "item", "text": LINE}], against=train)
    assert (row.source_position, [span.common for span in row.spans]) == (0, [25])
    (row, *others) = passages([LINE], against=train[:20])
    assert (len(others), row.spans[0].common) == (19, None)


def test_pieces_are_one_passage() -> None:
    """What is between two pieces of a pair is in the passage, unless pieces are asked for or it is long."""
    one, two = f"{LINE}{OTHER}{OTHER[::-1]}{ENGLISH}", f"{LINE}甲乙丙丁戊己庚辛壬癸{ENGLISH}"
    (row,) = passages([one], against=[two])
    (span,) = row.spans
    assert (span.start, span.end, span.source_end) == (0, len(one), len(two))
    assert 0.5 < span.score < 1
    for text, pieces in ((one, True), (f"{LINE}{OTHER * 9}{ENGLISH}", False)):
        (row,) = passages([text], against=[two], pieces=pieces)
        assert [text[span.start : span.end] for span in row.spans][-1] == ENGLISH
        assert len(row.spans) == 2


def test_a_part_that_comes_twice_is_found_on_request() -> None:
    """The source is then the document; other documents are held against earlier ones as before."""
    twice = f"{LINE}{OTHER}{LINE}"
    assert len(passages([twice])) == 0
    result = passages([twice, OTHER], within=True)
    assert [(row.document_position, row.source_position) for row in result] == [(0, 0), (1, 0)]
    (span,) = result[0].spans
    assert twice[span.start : span.end] == twice[span.source_start : span.source_end] == LINE.rstrip("。")
    with pytest.raises(ConfigError, match="within"):
        passages([twice], against=[OTHER], within=True)


def test_tables_have_the_rows(tmp_path: Path) -> None:
    """JSON lines have spans as objects, other formats as JSON; Arrow and the totals have their columns."""
    result = passages([{"id": "a", "text": f"{OTHER}{LINE}"}], against=[{"id": "b", "text": LINE}])
    many = passages([{"id": [at, "é"], "text": f"{LINE}{OTHER}" * (1 + at)} for at in range(3)], within=True)
    many.write(tmp_path / "many.jsonl")
    rows = [json.loads(row) for row in (tmp_path / "many.jsonl").read_text(encoding="utf-8").splitlines()]
    assert rows == [
        {name: value for name, value in asdict(row).items() if name in rows[0]}
        | {"spans": [{name: value for name, value in asdict(one).items() if value is not None} for one in row.spans]}
        for row in many
    ]
    assert len(rows) > 3
    assert many.largest(2) == sorted(many.totals, key=lambda total: -total.share)[:2]
    for name in ("rows.jsonl", "rows.csv", "rows.parquet"):
        result.write(tmp_path / name)
    result.write(tmp_path / "totals.jsonl", totals=True)
    row = json.loads((tmp_path / "rows.jsonl").read_text(encoding="utf-8"))
    total = json.loads((tmp_path / "totals.jsonl").read_text(encoding="utf-8"))

    assert (row["document"], row["source"], row["share"]) == ("a", "b", result[0].share)
    assert row["spans"][0]["source_end"] == len(LINE) - 1
    assert json.loads(result.to_arrow()["spans"][0].as_py()) == row["spans"]
    assert pa.table(result).num_rows == 1
    assert (tmp_path / "rows.csv").read_text(encoding="utf-8-sig").startswith("document,source,share,")
    assert total["largest_source"] == "b"
    assert "share" in result._repr_html_()


def test_an_index_is_a_corpus(tmp_path: Path) -> None:
    """The kept documents of an index are the sources, with their ids, whatever the fields of the new records are."""
    kept: list[dict[str, object]] = [{"id": 7, "text": LINE}, {"id": "x", "text": OTHER}]
    with Index.create(tmp_path / "seen", kept) as index:
        given = [{"n": "a", "head": "题", "body": f"{OTHER}{LINE}"}]
        result = passages(given, against=tmp_path / "seen", text_field=["head", "body"], id_field="n")
        assert {(row.document, row.source) for row in result} == {("a", "x"), ("a", 7)}
        assert {result.source_text(at).rstrip("\n") for at in (0, 1)} == {LINE, OTHER}
        index.remove([7, "x"])
        assert len(passages([LINE], against=str(tmp_path / "seen"), allow_empty=True)) == 0


def test_works_of_one_author_count_apart(tmp_path: Path) -> None:
    """Their rows say so, and their share is in a column of its own; a record without an author is nobody's own."""
    texts = [
        {"id": "a", "by": "x", "text": f"{LINE}{OTHER}"},
        {"id": "b", "by": "y", "text": OTHER},
        {"id": "c", "by": "x", "text": f"{LINE}{OTHER}{OTHER[::-1]}"},
        {"id": "d", "text": ENGLISH},
        {"id": "e", "text": ENGLISH},
    ]
    result = passages(texts, own="by")
    assert [(row.document, row.source, row.own_work) for row in result] == [
        ("b", "a", False), ("c", "a", True), ("c", "b", False), ("e", "d", False)
    ]  # fmt: skip
    totals = {total.document: total for total in result.totals}
    assert (totals["c"].sources, totals["c"].largest_source, totals["b"].own_works_share) == (1, "b", 0)
    assert (totals["c"].own_works_share or 0) > 0.6 > totals["c"].share > 0.3
    result.write(tmp_path / "totals.csv", totals=True)
    assert "own_works_share" in (tmp_path / "totals.csv").read_text(encoding="utf-8-sig")
    assert "own_work" in result.to_arrow().column_names
    assert "own_work" not in passages(texts).to_arrow().column_names
    with pytest.raises(ConfigError, match="own has 'writer', and the first records have no such field"):
        passages(texts, own="writer")
    with pytest.raises(ConfigError, match="own has 'by'"):
        passages(texts, against=[{"text": LINE}], own="by")


@pytest.mark.parametrize("kind", ["records", "frame", "parquet"])
def test_the_page_has_titles_and_all_documents(tmp_path: Path, kind: str) -> None:
    """A title of `show` stands before the id, of whatever kind the source is; who shares nothing has a row too."""
    records = [
        {"id": "a", "name": "Lamp </script>", "text": LINE},
        {"id": "b", "name": "", "text": f"{OTHER}{LINE}"},
        {"id": "c", "name": "C", "text": ENGLISH},
    ]
    source: object = records
    if kind != "records":
        source = table = pa.Table.from_pylist(records)
        if kind == "parquet":
            source = tmp_path / "in.parquet"
            pq.write_table(table, source)
    passages(source, show="name").report(tmp_path / "page.html")  # type: ignore[arg-type]
    data = json.loads(re.search('id="data">(.*?)</script>', (tmp_path / "page.html").read_text("utf-8"))[1])  # type: ignore[index]
    assert [*data["names"].values()] == ["b", "Lamp </script> (a)", "C (c)"]
    assert [one["sources"] for one in data["documents"]] == [1, 0, 0]
    assert [one["source"] for one in data["document"]["0"]["matches"]] == [data["documents"][0]["first"]] == [1]
    assert [line[1:] for line in data["lines"]] == [[0, 1]]
    assert data["text"]["1"] == [[0, LINE, False]]
    with pytest.raises(ConfigError, match="show has 'title'"):
        passages(source, show=["title"])  # type: ignore[arg-type]


def test_a_page_bounds_its_texts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Beyond the bound a source has the surroundings of its passages alone, in a file and where it is served."""
    for bound in ("_WHOLE", "_WHOLE_SOURCE"):
        monkeypatch.setattr(page, bound, 100)
    monkeypatch.setattr(page, "_AROUND", 5)
    result = passages([{"id": "t", "text": LINE}], against=[f"{OTHER * 3}{LINE}{OTHER}"])
    result.report(tmp_path / "page.html")
    text = (tmp_path / "page.html").read_text("utf-8")
    assert OTHER[-5:] + LINE in text and OTHER not in text
    served = page.PassagesPage(result, 5, 5)
    assert served.text(1, 0) == served.inside()["text"][1] and served.text(0, 0) == [[0, LINE, False]]
    assert [served.text(1, 1), served.text(2, 0), served.document(1)] == [None] * 3
    # The source has passages too, and is none of the documents that can be opened.
    monkeypatch.setattr(page, "MOST_DOCUMENTS", 1)
    result = passages([LINE, f"{OTHER * 3}{LINE}{OTHER}", LINE])
    result.report(tmp_path / "page.html")
    text = (tmp_path / "page.html").read_text("utf-8")
    assert OTHER[-5:] + LINE in text and OTHER not in text
