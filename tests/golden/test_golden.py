"""What was once released stays as it is: bits, digests and every form of output, byte for byte."""

import json
from pathlib import Path

import pytest
from tests.golden import make
from tests.golden.cases import OTHERS, SCHEMES, SOURCE, TEXTS

from simsieve import Fingerprinter, fingerprint

OUTPUTS = make.FOLDER / "outputs"
NAMES = (
    "kept.jsonl", "decisions.jsonl", "decisions-by-distance.jsonl", "failed.jsonl", "summary.json", "pairs.jsonl",
    "pairs-by-distance.jsonl", "fingerprints-hex.tsv", "fingerprints-int.tsv", "fingerprints-bits.tsv",
    "decisions.csv", "decisions.tsv", "dropped.csv", "dropped.jsonl", "clusters.csv", "clusters.jsonl",
    "annotated.jsonl", "review.csv",
)  # fmt: skip


@pytest.fixture(scope="module")
def released() -> dict[tuple[str, str], str]:
    """Give the released fingerprints by scheme and text."""
    lines = (make.FOLDER / "fingerprints.tsv").read_text(encoding="utf-8").splitlines()
    (_, *specs), *rows = [line.split("\t") for line in lines]
    return {(spec, name): made for name, *all_made in rows for spec, made in zip(specs, all_made, strict=True)}


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    """Give what every command writes today."""
    return make.outputs(tmp_path_factory.mktemp("golden"))


@pytest.mark.parametrize("spec", SCHEMES)
def test_no_bit_has_moved(spec: str, released: dict[tuple[str, str], str]) -> None:
    """Every text has the fingerprint that was released, alone and in a batch."""
    batch = [None if made is None else made.hex for made in Fingerprinter(spec).transform(TEXTS.values())]
    wanted = {name: released[spec, name] for name in TEXTS}
    alone = {name: fingerprint(text, spec) for name, text in TEXTS.items()}

    assert wanted == {name: "-" if made is None else made.hex for name, made in alone.items()}
    assert list(wanted.values()) == ["-" if made is None else made for made in batch]


def test_every_text_and_scheme_is_pinned(released: dict[tuple[str, str], str]) -> None:
    """The golden file has each text under each scheme, and nothing else."""
    assert {(spec, name) for spec in SCHEMES for name in TEXTS} == set(released)
    assert len(TEXTS) >= 30


def test_no_bit_of_the_others_has_moved() -> None:
    """Schemes that take no running text give the fingerprints that were released, each of them pinned."""
    assert (make.FOLDER / "others.tsv").read_text(encoding="utf-8") == make.others()


def test_digests_are_those_released() -> None:
    """The digests of schemes and recipes are those that were released."""
    wanted = json.loads((make.FOLDER / "digests.json").read_text(encoding="utf-8"))

    assert wanted == json.loads(make.digests()) and list(wanted["schemes"]) == [*SCHEMES, *OTHERS]
    assert len(set(wanted["recipes"].values())) == 5


@pytest.mark.parametrize("name", NAMES)
def test_outputs_are_those_released(name: str, written: dict[str, bytes]) -> None:
    """Every form of output has the bytes that were released, field by field and in order."""
    assert (OUTPUTS / name).read_bytes() == written[name]


def test_every_output_is_pinned(written: dict[str, bytes]) -> None:
    """There is a golden file for every output, and no other."""
    assert set(NAMES) == set(written) == {path.name for path in OUTPUTS.iterdir()}


def test_the_source_has_every_kind_of_record() -> None:
    """Every decision and every reason that a JSON source can have is among the golden decisions."""
    rows = [json.loads(line) for line in (OUTPUTS / "decisions.jsonl").read_text(encoding="utf-8").splitlines()]

    assert {row["decision"] for row in rows} == {"kept", "dropped", "failed"}
    assert {row["reason"] for row in rows} == {
        "unique", "representative", "no_features", "exact", "near",
        "not_json", "not_object", "no_text_field", "text_not_string", "lone_surrogate", "invalid_utf8", "too_long",
    }  # fmt: skip
    assert {type(row["id"]) for row in rows} == {str, int, float, bool, type(None)}


def test_kept_records_are_lines_of_the_source() -> None:
    """The golden kept file is made of whole lines of the source, in their order, and nothing else."""
    lines = iter(SOURCE.removeprefix(b"\xef\xbb\xbf").splitlines())
    kept = Path(OUTPUTS / "kept.jsonl").read_bytes().removeprefix(b"\xef\xbb\xbf").splitlines()

    assert all(line in lines for line in kept)
    assert len(kept) == 7
