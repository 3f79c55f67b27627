"""The schemes on tokens in the commands: fingerprint, compare, dedup, pairs, schemes, and what they refuse."""

import json
from pathlib import Path
from typing import Any

import pytest
from tests.integration.conftest import Program

from simsieve import dedup, find_pairs, fit, similarity
from simsieve.schemes.scheme import schemes

NAMES = [row.name for row in schemes() if not row.name.startswith(("chars", "dom", "external"))]
OWN_MODEL = {name: {"idf": "fit"} for name in NAMES if name in ("esimhash64", "esimhash128")}
"""The settings of schemes that need a model of the texts."""

TEXTS = [
    "村口的老槐树下聚了许多人，都在谈论雨水和收成，也有人在下棋。\n孩子们在河边放风筝，老人晒太阳。 It rained.",
    "村口的老槐树下聚了许多人，都在谈论雨水和收成，也有人在喝茶。\n孩子们在河边放风筝，老人晒太阳。 It rained.",
    "The ferry leaves the harbour at seven 渡船七点离开港口, and whoever is late must walk 要绕过海湾走路.",
    "图书馆的旧楼已经关闭，新楼在公园旁边，每天早上九点开门，读者可以借阅五本书。\nThe library is open.",
]  # fmt: skip


def model_of(name: str, folder: Path) -> str:
    """The scheme with a model of the texts, where it needs one."""
    if name not in OWN_MODEL:
        return name
    fit(TEXTS, scheme=name).save(folder / "texts.model")
    return f"{name}:model={folder / 'texts.model'}"


@pytest.mark.parametrize("name", NAMES)
def test_dedup_and_pairs_use_the_weights_of_the_tokens(name: str, tmp_path: Path) -> None:
    """By similarity the pairs are those whose cosine reaches the threshold, and the near text is dropped."""
    spec = model_of(name, tmp_path)
    settings: dict[str, Any] = {**OWN_MODEL.get(name, {})}
    cosines = {(a, b): similarity(TEXTS[a], TEXTS[b], spec) for b in range(4) for a in range(b)}
    threshold = (max(cosines.values()) + sorted(cosines.values())[-2]) / 2
    wanted = {pair for pair, cosine in cosines.items() if cosine >= threshold}
    found = find_pairs(TEXTS, scheme=name, similarity=threshold, **settings)

    assert len(wanted) == 1 and {(pair.a_position, pair.b_position) for pair in found} == wanted
    assert dedup(TEXTS, scheme=name, similarity=threshold, **settings).summary["near_duplicates"] == 1


@pytest.mark.parametrize("name", NAMES)
def test_commands_take_the_scheme(simsieve: Program, name: str) -> None:
    """Fingerprints are as wide as the scheme, equal texts are copies, and compare tells the distance."""
    simsieve.file("in.jsonl", b"".join(json.dumps({"text": text}).encode() + b"\n" for text in [*TEXTS, TEXTS[0]]))
    width = next(row.width for row in schemes() if row.name == name)
    spec = model_of(name, simsieve.folder)
    bits = simsieve("fingerprint", "in.jsonl", "--format", "bits", "--scheme", spec, "--quiet")
    rows = [line.split(b"\t") for line in bits.out.splitlines()]

    assert bits.code == 0
    assert {len(row[-1]) for row in rows} == {width}
    assert rows[0][-1] == rows[4][-1]
    done = simsieve(
        "dedup", "in.jsonl", "-o", "out.jsonl", "--scheme", spec, "--max-distance", "0", "--json", "--quiet"
    )
    summary = json.loads(done.out)
    assert (summary["read"], summary["exact_duplicates"]) == (5, 1)
    simsieve.file("a.txt", TEXTS[0].encode())
    simsieve.file("b.txt", TEXTS[1].encode())
    compared = simsieve("compare", "a.txt", "b.txt", "--scheme", spec, "--json")
    assert json.loads(compared.out)["similarity"] == pytest.approx(similarity(TEXTS[0], TEXTS[1], spec))


def test_fit_tells_by_how_many_bits_neighbours_are_known(simsieve: Program) -> None:
    """A model with neighbours is made, told, merged and used by the commands."""
    simsieve.file("in.jsonl", b"".join(json.dumps({"text": text}).encode() + b"\n" for text in TEXTS))
    fitted = simsieve("fit", "in.jsonl", "-o", "m.model", "--scheme", "esimhash128")
    few = simsieve("fit", "in.jsonl", "-o", "few.model", "--scheme", "esimhash128", settings="max_features = 8")

    assert "neighbours by 96 of 96 bits" in fitted.err
    assert "of 96 bits" in few.err and "by 96 of" not in few.err
    printed = simsieve("fingerprint", "in.jsonl", "--scheme", "esimhash128:model=m.model", "--quiet")
    assert printed.out == simsieve("fingerprint", "in.jsonl", "--scheme", "esimhash128", "--idf", "fit", "--quiet").out
