"""Input as an enemy would write it: huge, packed a thousandfold, all alike, deeply nested, with ids of every kind."""

import gzip
import json
import random
from collections.abc import Iterable
from typing import Any

import pytest
from tests.integration.conftest import Outcome, Program

GOOD = b'{"id": 1, "text": "a text that is good and has enough words to have features"}\n'
OTHER = b'{"id": 2, "text": "something else altogether, of which nothing stands in the first"}\n'
MARK = b"\xef\xbb\xbf"
# Just above the number up to which every pair is looked at.
SEARCHED = 8_200
MIB = 1 << 20
GIB = 1 << 30


def run(program: Program, *words: str) -> tuple[Outcome, dict[str, Any]]:
    """Run `dedup` quietly and give the outcome with the summary."""
    outcome = program("dedup", *words, "--summary", "s.json", "--quiet")
    summary: dict[str, Any] = json.loads((program.folder / "s.json").read_text())
    assert summary["read"] == summary["kept"] + summary["dropped"] + summary["failed"]
    return outcome, summary


def zst(blocks: Iterable[bytes | int]) -> bytes:
    """A zstd frame put together by hand: bytes go in as they are, a number is that many zero bytes in 128 KiB runs."""
    most = 128 << 10
    body: list[bytes] = []
    for block in blocks:
        if isinstance(block, int):
            assert block % most == 0
            body.append(((most << 3) | 1 << 1).to_bytes(3, "little") + b"\0")
            body[-1] *= block // most
        else:
            assert 0 < len(block) <= most
            body.append((len(block) << 3).to_bytes(3, "little") + block)
    # Magic number, a header without checksum and size, a window of 1 MiB; at the end an empty last block.
    return b"\x28\xb5\x2f\xfd\x00\x50" + b"".join(body) + b"\x01\0\0"


@pytest.mark.parametrize("megabytes", [5, pytest.param(200, marks=pytest.mark.slow)])
def test_a_line_of_many_megabytes_is_an_ordinary_record(simsieve: Program, megabytes: int) -> None:
    """A long record is beside small ones, is kept byte for byte, and takes less than fifteen times its size."""
    word = b"".join(b"%d words and " % n for n in range(80_000))
    huge = b'{"id": "huge", "text": "' + word * (megabytes * 10**6 // len(word)) + b'"}\n'
    simsieve.file("in.jsonl", GOOD + huge + OTHER)
    outcome, summary = run(simsieve, "in.jsonl", "-o", "out.jsonl")

    assert (outcome.code, summary["kept"], summary["failed"]) == (0, 3, 0)
    assert (simsieve.folder / "out.jsonl").read_bytes() == GOOD + huge + OTHER
    assert summary["peak_rss_bytes"] < 200 * MIB + 15 * len(huge)


@pytest.mark.parametrize("size", [GIB // 2, pytest.param(10 * GIB, marks=pytest.mark.slow)], ids=["quick", "large"])
@pytest.mark.parametrize("ending", ["gz", "zst"])
def test_a_bomb_is_one_failed_record(simsieve: Program, ending: str, size: int) -> None:
    """Zeros packed a thousandfold fail as one record, take less than 500 MB, and the rest goes on."""
    if ending == "gz":
        member = gzip.compress(bytes(64 * MIB), 9)
        content = gzip.compress(GOOD) + member * (size // (64 * MIB)) + gzip.compress(b"\n" + OTHER)
    else:
        content = zst([GOOD, size, b"\n" + OTHER])
    assert len(content) < size // 900
    simsieve.file(f"in.jsonl.{ending}", content)
    outcome, summary = run(simsieve, f"in.jsonl.{ending}", "-o", "out.jsonl", "--failed", "failed.jsonl")
    (failed,) = (json.loads(line) for line in (simsieve.folder / "failed.jsonl").read_text().splitlines())

    assert (outcome.code, summary["kept"], summary["failed"]) == (1, 2, 1)
    assert (failed["position"], failed["code"], failed["bytes"]) == (1, "too_long", size)
    assert failed["truncated"]
    assert (simsieve.folder / "out.jsonl").read_bytes() == GOOD + OTHER
    assert summary["peak_rss_bytes"] < 500 * MIB


def test_a_hundred_thousand_equal_texts(simsieve: Program) -> None:
    """Equal texts collapse to one, whatever their number, and none is compared with another."""
    simsieve.file("in.jsonl", GOOD * 100_000)
    outcome, summary = run(simsieve, "in.jsonl", "-o", "out.jsonl")

    assert (outcome.code, summary["exact_duplicates"], summary["largest_cluster"]) == (0, 99_999, 100_000)
    assert (simsieve.folder / "out.jsonl").read_bytes() == GOOD
    assert (summary["candidates"], summary["verified"]) == (0, 0)


def words(chance: random.Random, number: int) -> list[str]:
    """Words that are hardly ever the same twice."""
    return [f"{chance.getrandbits(40):x}" for _ in range(number)]


@pytest.mark.parametrize(("similarity", "most"), [("0.65", 20), ("0.6", 40)])
def test_a_family_of_near_texts(simsieve: Program, similarity: str, most: int) -> None:
    """Twenty thousand texts that are all near one another are one cluster or nearly so; each is compared with few."""
    chance = random.Random(1)
    base = words(chance, 60)
    lines = []
    for _ in range(20_000):
        changed = [*base]
        changed[chance.randrange(60)] = words(chance, 1)[0]
        lines.append(" ".join(changed) + "\n")
    simsieve.file("in.txt", "".join(lines))
    outcome, summary = run(simsieve, "in.txt", "-o", "out.txt", "--similarity", similarity)

    assert outcome.code == 0
    assert summary["kept"] < most
    assert summary["near_duplicates"] + summary["exact_duplicates"] == 20_000 - summary["kept"]
    assert summary["verified"] <= summary["candidates"] < 2 * 20_000


def test_a_template_is_no_near_duplicate(simsieve: Program) -> None:
    """Texts that share a quarter of their words, and are not near, all stay, and few pairs are looked at."""
    chance = random.Random(2)
    template = " ".join(words(chance, 20))
    simsieve.file("in.txt", "".join(f"{template} {' '.join(words(chance, 65))}\n" for _ in range(SEARCHED)))
    outcome, summary = run(simsieve, "in.txt", "-o", "out.txt")

    assert (outcome.code, summary["kept"], summary["dropped"]) == (0, SEARCHED, 0)
    assert (simsieve.folder / "out.txt").read_bytes() == (simsieve.folder / "in.txt").read_bytes()
    assert summary["verified"] <= summary["candidates"] < SEARCHED


@pytest.mark.parametrize("documents", [SEARCHED, pytest.param(40_000, marks=pytest.mark.slow)])
def test_a_large_template_costs_no_square(simsieve: Program, documents: int) -> None:
    """Of texts that share half of their words each meets about ten, and not every second one is verified."""
    chance = random.Random(2)
    template = " ".join(words(chance, 40))
    simsieve.file("in.txt", "".join(f"{template} {' '.join(words(chance, 45))}\n" for _ in range(documents)))
    outcome, summary = run(simsieve, "in.txt", "-o", "out.txt")

    assert (outcome.code, summary["kept"]) == (0, documents)
    assert summary["candidates"] < 30 * documents and summary["verified"] < documents
    assert (simsieve.folder / "out.txt").read_bytes() == (simsieve.folder / "in.txt").read_bytes()


def test_texts_of_few_letters_cost_no_square(simsieve: Program) -> None:
    """Texts that have nearly the same windows all stay, and few of the 34 million pairs are verified."""
    chance = random.Random(3)
    simsieve.file("in.txt", "".join("".join(chance.choices("abc", k=220)) + "\n" for _ in range(SEARCHED)))
    outcome, summary = run(simsieve, "in.txt", "-o", "out.txt")

    assert (outcome.code, summary["kept"]) == (0, SEARCHED)
    assert summary["verified"] < 4 * SEARCHED


def test_a_million_empty_lines(simsieve: Program) -> None:
    """Empty lines of a JSON source are counted and are no records, and what stands between them is found."""
    simsieve.file("in.jsonl", b"\n" * 500_000 + GOOD + b"\r\n" * 500_000)
    outcome, summary = run(simsieve, "in.jsonl", "-o", "out.jsonl")

    assert (outcome.code, summary["read"], summary["blank_lines"]) == (0, 1, 1_000_000)
    assert (simsieve.folder / "out.jsonl").read_bytes() == GOOD


def test_a_million_empty_documents(simsieve: Program) -> None:
    """Empty lines of a text file are documents without features: near to nothing, kept, and written as they stood."""
    content = b"\n" * 500_000 + b"a line of text that stands in the middle\n" + b"\r\n" * 500_000
    simsieve.file("in.txt", content)
    outcome, summary = run(simsieve, "in.txt", "-o", "out.txt")

    assert (outcome.code, summary["read"], summary["kept"], summary["blank_lines"]) == (0, 1_000_001, 1_000_001, 0)
    assert content == (simsieve.folder / "out.txt").read_bytes()


@pytest.mark.parametrize("ending", ["gz", "zst"])
@pytest.mark.parametrize(
    "content",
    [
        MARK + GOOD + OTHER,
        (GOOD + OTHER).replace(b"\n", b"\r\n"),
        MARK + (GOOD + OTHER).replace(b"\n", b"\r\n").removesuffix(b"\r\n"),
        GOOD + OTHER.removesuffix(b"\n"),
    ],
    ids=["byte order mark", "CRLF", "mark, CRLF, no last line end", "no last line end"],
)
def test_lines_keep_their_bytes_through_packing(simsieve: Program, ending: str, content: bytes) -> None:
    """Marks, CRLF and a missing last line end go through a packed source and a packed sink byte for byte."""
    whole = gzip.compress(content) if ending == "gz" else zst([content])
    simsieve.file(f"in.jsonl.{ending}", whole)
    first, summary = run(simsieve, f"in.jsonl.{ending}", "-o", f"mid.jsonl.{ending}")
    second, _ = run(simsieve, f"mid.jsonl.{ending}", "-o", "out.jsonl")

    assert (first.code, second.code, summary["kept"]) == (0, 0, 2)
    assert content == (simsieve.folder / "out.jsonl").read_bytes()
    if ending == "gz":
        assert content == gzip.decompress((simsieve.folder / "mid.jsonl.gz").read_bytes())


def test_a_huge_number_of_keys(simsieve: Program) -> None:
    """An object of 300,000 keys is a record; where its text is missing, the message names a few of them."""
    keys = b",".join(b'"key%d": %d' % (n, n) for n in range(300_000))
    with_text = b"{" + keys + b', "text": "a text behind very many keys, and nothing like the others"}\n'
    simsieve.file("in.jsonl", GOOD + with_text + b"{" + keys + b"}\n" + OTHER)
    outcome, summary = run(simsieve, "in.jsonl", "-o", "out.jsonl")

    assert (outcome.code, summary["kept"], summary["failed"]) == (1, 3, 1)
    assert (simsieve.folder / "out.jsonl").read_bytes() == GOOD + with_text + OTHER
    assert 'the fields "key0", "key1"' in outcome.err and "and 299992 more" in outcome.err
    assert len(outcome.err) < 1000


@pytest.mark.parametrize("depth", [100, 100_000])
@pytest.mark.parametrize(("open_", "close"), [(b"[", b"]"), (b'{"a":', b"}")])
def test_deep_nesting_harms_nobody(simsieve: Program, depth: int, open_: bytes, close: bytes) -> None:
    """A value nested a hundred deep is read; one nested past all reason is a record or a failed one, never a crash."""
    deep = b'{"deep": ' + open_ * depth + b"1" + close * depth + b', "text": "a text behind a deep place, its own"}\n'
    simsieve.file("in.jsonl", GOOD + deep + OTHER)
    outcome, summary = run(simsieve, "in.jsonl", "-o", "out.jsonl", "--keep", "max:deep")

    assert (outcome.code, summary["kept"]) in ((0, 3), (1, 2))
    if depth == 100:
        assert summary["failed"] == 0
    kept = (simsieve.folder / "out.jsonl").read_bytes()
    assert kept == (GOOD + deep + OTHER if summary["kept"] == 3 else GOOD + OTHER)


def test_ids_of_every_type(simsieve: Program) -> None:
    """An id comes out as it stood, an object as its JSON in a text; null and lists are none; equal ones are counted."""
    given = ['"a"', "1", "1.0", "-0", "true", "false", "null", "[1]", '{"a":1}', '"1"', '""', "1", '"a"', "true", "[1]"]
    written = {"[1]": "null", '{"a":1}': r'"{\"a\":1}"'}
    simsieve.file(
        "in.jsonl", "".join(f'{{"id": {i}, "text": "number {n} of its own {n * 7919}"}}\n' for n, i in enumerate(given))
    )
    outcome, summary = run(simsieve, "in.jsonl", "-o", "out.jsonl", "--max-distance", "0", "--decisions", "why.jsonl")
    rows = (simsieve.folder / "why.jsonl").read_text().splitlines()

    assert outcome.code == 0
    assert summary["repeated_ids"] == 3
    assert "3 ids are repeated" in simsieve("dedup", "in.jsonl", "-o", "out.jsonl", "--max-distance", "0").err
    wanted = [written.get(i, i) for i in given]
    assert [f'{{"position":{n},"id":{i},"decision":"kept","representative":{i},' for n, i in enumerate(wanted)] == [
        row[: row.index('"representative_position"')] for row in rows
    ]


@pytest.mark.parametrize("order", ["max:nowhere", "min:nowhere", "max:nowhere,min:no.where"])
def test_a_field_that_is_nowhere_leaves_the_position_to_decide(simsieve: Program, order: str) -> None:
    """Where no record has the field of a keep rule all are tied, and the first of each is kept."""
    again = GOOD.replace(b'"id": 1', b'"id": 3')
    simsieve.file("in.jsonl", GOOD + OTHER + again)
    outcome, summary = run(simsieve, "in.jsonl", "-o", "out.jsonl", "--keep", order)

    assert (outcome.code, summary["exact_duplicates"]) == (0, 1)
    assert (simsieve.folder / "out.jsonl").read_bytes() == GOOD + OTHER
