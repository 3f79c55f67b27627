"""The schemes on tokens in the commands: fingerprint, compare, dedup, pairs, schemes, and what they refuse."""

import json
from typing import TYPE_CHECKING

import pytest

from simsieve import dedup, find_pairs, similarity
from simsieve.schemes import schemes

if TYPE_CHECKING:
    from tests.integration.conftest import Program

NAMES = [row.name for row in schemes() if not row.name.startswith(("chars", "dom", "external"))]

TEXTS = [
    "村口的老槐树下聚了许多人，都在谈论雨水和收成，也有人在下棋。\n孩子们在河边放风筝，老人晒太阳。 It rained.",
    "村口的老槐树下聚了许多人，都在谈论雨水和收成，也有人在喝茶。\n孩子们在河边放风筝，老人晒太阳。 It rained.",
    "The ferry leaves the harbour at seven 渡船七点离开港口, and whoever is late must walk 要绕过海湾走路.",
    "图书馆的旧楼已经关闭，新楼在公园旁边，每天早上九点开门，读者可以借阅五本书。\nThe library is open.",
]  # fmt: skip


@pytest.mark.parametrize("name", NAMES)
def test_dedup_and_pairs_use_the_weights_of_the_tokens(name: str) -> None:
    """By similarity the pairs are those whose cosine reaches the threshold, and the near text is dropped."""
    cosines = {(a, b): similarity(TEXTS[a], TEXTS[b], name) for b in range(4) for a in range(b)}
    threshold = (max(cosines.values()) + sorted(cosines.values())[-2]) / 2
    wanted = {pair for pair, cosine in cosines.items() if cosine >= threshold}
    found = find_pairs(TEXTS, scheme=name, similarity=threshold)

    assert len(wanted) == 1
    assert {(pair.a_position, pair.b_position) for pair in found} == wanted
    assert dedup(TEXTS, scheme=name, similarity=threshold).summary["near_duplicates"] == 1


@pytest.mark.parametrize("name", NAMES)
def test_commands_take_the_scheme(simsieve: "Program", name: str) -> None:
    """Fingerprints are as wide as the scheme, equal texts are copies, and compare tells the distance."""
    simsieve.file("in.jsonl", b"".join(json.dumps({"text": text}).encode() + b"\n" for text in [*TEXTS, TEXTS[0]]))
    width = next(row.width for row in schemes() if row.name == name)
    bits = simsieve("fingerprint", "in.jsonl", "--format", "bits", "--scheme", name, "--quiet")
    rows = [line.split(b"\t") for line in bits.out.splitlines()]

    assert bits.code == 0
    assert {len(row[-1]) for row in rows} == {width}
    assert rows[0][-1] == rows[4][-1]
    done = simsieve(
        "dedup", "in.jsonl", "-o", "out.jsonl", "--scheme", name, "--max-distance", "0", "--json", "--quiet"
    )
    summary = json.loads(done.out)
    assert (summary["read"], summary["exact_duplicates"]) == (5, 1)
    simsieve.file("a.txt", TEXTS[0].encode())
    simsieve.file("b.txt", TEXTS[1].encode())
    compared = simsieve("compare", "a.txt", "b.txt", "--scheme", name, "--json")
    assert json.loads(compared.out)["similarity"] == pytest.approx(similarity(TEXTS[0], TEXTS[1], name))


def test_a_model_is_refused(simsieve: "Program") -> None:
    """Models count windows of characters; a scheme on tokens says so."""
    simsieve.file("in.jsonl", b'{"text": "one"}\n')
    fitted = simsieve("fit", "in.jsonl", "-o", "m.model", "--scheme", "words64")
    run = simsieve("dedup", "in.jsonl", "-o", "out.jsonl", "--scheme", "angelo32", "--idf", "fit")

    assert fitted.code == run.code != 0
    assert "models count windows of characters" in fitted.err
    assert '"angelo32" is not used with a model' in run.err
