"""Pictures as a source: hashes as the library makes them, in every command, and what cannot be read."""

import base64
import csv
import io
import json
import os
import re
from pathlib import Path

import imagehash
import pytest
from PIL import Image
from tests.integration.conftest import Program
from tests.integration.pictures import drawn, photos

from simsieve import ConfigError, dedup, fingerprint, hamming
from simsieve.schemes.scheme import HASHES, PICTURES

# A folder of pictures has a text beside them, which is told.
pytestmark = pytest.mark.filterwarnings("ignore:.*1 file is not read. 1 .txt:simsieve.UnreadFilesWarning")
NEAR = ("--scheme", "dhash64", "--max-distance", "8")
ALLOWED = ("--max-failed", "2", "--quiet")


def read(run: Program, name: str) -> bytes:
    """Read a file of the program's folder."""
    return (run.folder / name).read_bytes()


@pytest.fixture
def run(simsieve: Program) -> Program:
    """Give the program in a folder that has the folder of pictures."""
    photos(simsieve.folder)
    return simsieve


@pytest.mark.parametrize("scheme", PICTURES)
def test_hashes_are_those_of_the_library(scheme: str, tmp_path: Path) -> None:
    """Of every format and mode of colour the fingerprint has the bits that imagehash computes, by name and width."""
    made = [("png", "RGB"), ("png", "RGBA"), ("png", "P"), ("png", "1"), ("png", "I;16"), ("gif", "P"), ("jpg", "CMYK"),
            ("jpg", "L"), ("webp", "RGB"), ("tiff", "F"), ("bmp", "RGB"), ("ppm", "L")]  # fmt: skip
    for at, (ending, mode) in enumerate(made):
        picture = drawn(7 * at, "L" if mode == "I;16" else mode)
        (picture.convert("I").convert("I;16") if mode == "I;16" else picture).save(tmp_path / f"{at:02}.{ending}")
    function, size = getattr(imagehash, HASHES[scheme[:5]]), {64: 8, 256: 16}[int(scheme[5:])]
    found = dedup(tmp_path, scheme=scheme, max_distance=0)
    kept = tmp_path / "kept.jsonl"
    found.write(kept)

    assert found.counts.read == len(made)
    assert (found.counts.failed, found.summary["scheme"]) == (0, scheme)
    for row in map(json.loads, kept.read_bytes().splitlines()):
        with Image.open(row["id"]) as picture:
            assert row["fingerprint"] == str(function(picture, hash_size=size))
            assert (row["width"], row["height"], row["pixels"]) == (320, 240, 76_800)
        assert row["bytes"] == os.path.getsize(row["id"])


def test_a_folder_is_sifted_and_what_cannot_be_read_is_told(run: Program) -> None:
    """The larger copy stays, a broken picture and one that would fill the memory fail by name, and the run goes on."""
    done = run(
        "dedup", "photos", "-o", "kept.jsonl", "--dropped", "dropped.csv", "--failed", "failed.jsonl", "--keep",
        "max:pixels", *NEAR, "--json",
    )  # fmt: skip
    summary, failed = json.loads(done.out), run.rows("failed.jsonl")

    assert done.code == 1
    assert [row["id"] for row in run.rows("kept.jsonl")] == ["photos/harbour.png", "photos/market.png"]
    [dropped] = csv.DictReader(io.StringIO(read(run, "dropped.csv").decode("utf-8-sig")))
    assert (dropped["id"], dropped["representative"]) == ("photos/small/harbour.jpg", "photos/harbour.png")
    assert (summary["read"], summary["failed"], summary["other_files"]) == (5, 2, 1)
    assert [row["code"] for row in failed] == ["unreadable", "unreadable"]
    assert "photos/bomb.png: the picture cannot be read: Image size (900000000 pixels)" in failed[0]["message"]
    assert "photos/broken.jpg: the picture cannot be read: image file is truncated" in failed[1]["message"]


@pytest.mark.parametrize("link", [(), ("--link",)])
def test_kept_pictures_go_to_a_folder(run: Program, link: tuple[str, ...]) -> None:
    """A folder gets the files, byte for byte, under their names below the folder that all have in common."""
    done = run("dedup", "photos", "-o", "kept/", *link, "--scheme", "ahash64", "--max-distance", "0", *ALLOWED)
    made = {str(path.relative_to(run.folder / "kept")) for path in (run.folder / "kept").rglob("*.*")}

    assert (done.code, made) == (0, {"harbour.png", "market.png", "small/harbour.jpg"})
    assert read(run, "kept/small/harbour.jpg") == read(run, "photos/small/harbour.jpg")
    assert (run.folder / "kept/market.png").samefile(run.folder / "photos/market.png") is bool(link)
    assert "is a folder with something in it" in run("dedup", "photos", "-o", "kept/", *NEAR, *ALLOWED).refused()


def test_other_commands_take_pictures(run: Program) -> None:
    """`pairs`, `fingerprint`, `compare`, an index, old pictures, a list of names and a limit have the same hashes."""
    pairs = run("pairs", "photos", *NEAR, *ALLOWED).rows()
    printed = dict(
        line.split("\t")
        for line in run("fingerprint", "photos", "--scheme", "dhash64", *ALLOWED).out.decode().splitlines()
    )
    compared = json.loads(
        run("compare", "photos/harbour.png", "photos/market.png", "--scheme", "dhash64", "--json").out
    )
    named = run(
        "dedup", "photos/*.png", "photos/small/harbour.jpg", "-o", "some.csv", "--suffix", ".jpg", *NEAR, *ALLOWED
    )

    assert [(pair["a"], pair["b"]) for pair in pairs] == [("photos/harbour.png", "photos/small/harbour.jpg")]
    assert 0 < pairs[0]["distance"] <= 8
    assert list(printed) == ["photos/harbour.png", "photos/market.png", "photos/small/harbour.jpg"]
    first, second, _ = printed.values()
    assert compared["distance"] == hamming(int(first, 16), int(second, 16))
    assert (named.code, read(run, "some.csv").count(b"\n")) == (0, 3)
    assert run("index", "create", "seen", "photos", *NEAR, *ALLOWED).code == 0
    [seen] = run("index", "check", "seen", "photos/small/harbour.jpg", "--decisions", "-", "--quiet").rows()
    assert (seen["decision"], seen["representative"]) == ("dropped", "photos/harbour.png")
    old = run("dedup", "photos/small", "-o", "new.jsonl", "--against", "photos", "--allow-empty", *NEAR, *ALLOWED)
    assert (old.code, read(run, "new.jsonl")) == (0, b"")
    assert "photos/small/harbour.jpg is left out of --against" in old.err
    assert dedup(run.folder / "photos", scheme="dhash64", max_distance=8, limit=2, max_failed="2").counts.read == 2


def test_hashes_that_were_kept_are_read_again(run: Program) -> None:
    """A table of hashes is a source of the same scheme, alone and beside pictures."""
    run("dedup", "photos", "-o", "hashes.jsonl", "--scheme", "dhash64", "--max-distance", "0", *ALLOWED)
    alone = run("dedup", "hashes.jsonl", "-o", "alone.jsonl", *NEAR, "--quiet")
    beside = run("dedup", "hashes.jsonl", "photos/market.png", "-o", "beside.jsonl", *NEAR, "--json", "--quiet")

    assert (alone.code, beside.code) == (0, 0)
    assert len(run.rows("alone.jsonl")) == 2
    assert json.loads(beside.out)["exact_duplicates"] == 1
    [row] = [row for row in run.rows("hashes.jsonl") if row["id"] == "photos/market.png"]
    made = fingerprint(row["fingerprint"], scheme="dhash64")
    assert made is not None and made.hex == row["fingerprint"]


def test_pages_have_small_forms_of_both_pictures(run: Program) -> None:
    """A report and a review have each pair as two small JPEGs in the page; a report without texts has none."""
    run("dedup", "photos", "-o", "kept.jsonl", "--report", "report.html", *NEAR, *ALLOWED)
    run("review", "photos", "-o", "review.html", *NEAR, *ALLOWED)
    run("dedup", "photos", "-o", "kept.jsonl", "--report", "plain.html", "--report-without-texts", *NEAR, *ALLOWED)
    for name in ("report.html", "review.html"):
        page = read(run, name).decode()
        found = re.findall(r'"data:image/jpeg;base64,([^"]*)"', page)
        assert len(set(found)) == 2 and "photos/harbour.png" in page and "photos/small/harbour.jpg" in page
        for content in found:
            with Image.open(io.BytesIO(base64.b64decode(content))) as picture:
                assert max(picture.size) <= 240
    assert b"<img" not in read(run, "plain.html")


@pytest.mark.parametrize(
    ("words", "part"),
    [
        (("photos", "--scheme", "phash64"), "hashes pictures, and a hash has no similarity: give --max-distance"),
        (("photos", "--scheme", "phash128", "--max-distance", "8"), "'phash128' is not known: pictures have phash64,"),
        (("photos", "--scheme", "phash64@8bits", "--scheme", "dhash64@8bits"), "a run has one fingerprint of each"),
        (("photos/market.png",), "photos/market.png: is a picture: its copies are found with --scheme phash64"),
        (("photos/market.png", "--scheme", "external64", "--max-distance", "3"), "is a picture: its copies"),
        (("only",), "file, but 1 .png: copies of pictures are found with"),
        (("none", *NEAR), "none: the folder has no picture, but 1 .xyz: give a folder of pictures"),
        (("absent.png", *NEAR), "absent.png: does not exist; check the name"),
        (("photos", "--encoding", "gbk", *NEAR), "encoding 'gbk' is for text files, and a picture has none"),
    ],
)  # fmt: skip
def test_mistakes_are_told(run: Program, words: tuple[str, ...], part: str) -> None:
    """What does not go together ends before anything is written, with what to do."""
    for name, file in (("only", "one.png"), ("none", "one.xyz")):
        (run.folder / name).mkdir()
        drawn(3).save(run.folder / name / file, "PNG")
    done = run("dedup", *words, "-o", "kept.jsonl")

    assert (done.code, (run.folder / "kept.jsonl").exists()) == (2, False)
    assert part in done.err


def test_a_picture_that_is_gone_is_shown_by_its_hash(tmp_path: Path) -> None:
    """A page that is made after the pictures were taken away has their hashes."""
    place = photos(tmp_path)
    result = dedup(place, scheme="dhash64", max_distance=8, max_failed="2")
    for path in place.rglob("*.*"):
        path.unlink()
    result.report(tmp_path / "report.html")

    assert "<img" not in (tmp_path / "report.html").read_text(encoding="utf-8")


def test_threads_change_no_record(tmp_path: Path) -> None:
    """The records are those of one thread, in the order of the names."""
    place = photos(tmp_path)
    rows = []
    for threads in (1, 3):
        result = dedup(place, scheme="ahash64", max_distance=0, threads=threads, max_failed="2")
        result.write(tmp_path / f"{threads}.jsonl")
        rows.append((tmp_path / f"{threads}.jsonl").read_bytes())

    assert rows[0] == rows[1]
    with pytest.raises(ConfigError, match="has no similarity"):
        dedup(place, scheme="ahash64", similarity=0.8)
