"""A run on objects has the bytes of the same run on files, in every format, and with outputs in the store too."""

import io
import json
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from tests.integration.bad_files import gz, zst
from tests.integration.conftest import Program
from tests.integration.test_shards import ALL_ROWS, SHARDS, jsonl, parquet, table
from tests.integration.warc_files import packed, pages
from tests.s3.conftest import Store

from simsieve import dedup, find_pairs
from simsieve.config.settings import DedupConfig
from simsieve.registry import StoreName
from simsieve.run.pipeline import run_dedup
from simsieve.sinks.checks import Sinks

TEXTS = [f"<html><body><p>{row['text']}</p></body></html>" for row in ALL_ROWS]
FILES = {
    "a.jsonl": jsonl(ALL_ROWS),
    "a.jsonl.gz": gz(jsonl(ALL_ROWS)),
    "a.jsonl.zst": zst(jsonl(ALL_ROWS)),
    "a.json": json.dumps(ALL_ROWS).encode(),
    "a.csv": table(ALL_ROWS),
    "a.tsv.gz": gz(table(ALL_ROWS).replace(b",", b"\t")),
    "a.txt": "".join(f"{row['text']}\n" for row in ALL_ROWS).encode(),
    "a.parquet": parquet(ALL_ROWS),
    "a.warc.gz": packed(pages(TEXTS)),
}


@pytest.mark.filterwarnings("ignore:14 of the first 14 texts are pages of HTML")
@pytest.mark.parametrize("name", FILES)
def test_every_format(name: str, store: Store, here: Path) -> None:
    """Kept records and decisions of an object are those of a file, byte for byte but for its name."""
    (here / name).write_bytes(FILES[name])
    out = name if not name.endswith(".warc.gz") else "a.jsonl"

    dedup(here / name).write(f"file-{out}", "file.csv")
    put = store.put(name, FILES[name])
    dedup(put).write(store.name(f"out/{out}"), store.name("why.csv"))

    kept = (here / f"file-{out}").read_bytes()
    if out.endswith((".gz", ".zst")):
        assert store.get(f"out/{out}") == kept
    elif out.endswith(".parquet"):
        assert pq.read_table(io.BytesIO(store.get(f"out/{out}"))).equals(pq.read_table(f"file-{out}"))
    else:
        assert store.get(f"out/{out}") == kept
        assert kept
    assert str(put).encode() in store.get("why.csv")
    assert (
        store.get("why.csv").replace(str(put).encode(), str(here / name).encode()) == (here / "file.csv").read_bytes()
    )
    assert store.unfinished() == []


def test_shards_in_and_shards_out(store: Store, here: Path) -> None:
    """A pattern, a prefix and names give the same; a folder of outputs has an object for each source."""
    rows = iter(ALL_ROWS)
    shards = [jsonl([next(rows) for _ in shard]) for shard in SHARDS]
    for at, shard in enumerate(shards):
        (here / f"in{at}.jsonl.zst").write_bytes(zst(shard))
        store.put(f"in/in{at}.jsonl.zst", zst(shard))
    store.put("in/_SUCCESS", b"")
    run_dedup(here / "in*.zst", DedupConfig(), Sinks("mirror/"))

    names = [f"in{at}.jsonl.zst" for at in range(3)]
    given: dict[str, str | list[StoreName]] = {
        "a": store.name("in/*.zst"), "b": store.name("in/"), "c": store.name("**/in?.*"),
        "d": [StoreName(store.name(f"in/{name}")) for name in names],
    }  # fmt: skip
    for place, source in given.items():
        run_dedup(source, DedupConfig(), Sinks(store.name(f"out/{place}/")))
        for name in names:
            assert store.get(f"out/{place}/{name}") == (here / "mirror" / name).read_bytes()
            store.client.delete_object(Bucket="open", Key=f"{store.folder}/out/{place}/{name}")


def test_objects_beside_files(store: Store, here: Path) -> None:
    """Files, objects and formats go together, and to parts of a size; messages name the object."""
    (here / "a.csv").write_bytes(table(ALL_ROWS[:5]))
    object_name = StoreName(store.put("b.jsonl", jsonl(ALL_ROWS[5:]) + b"no json\n"))
    parquet_name = StoreName(store.put("c.parquet", parquet(ALL_ROWS)))
    sources = [here / "a.csv", object_name, parquet_name]
    config = DedupConfig(shard_size="4", output_format="jsonl", max_failed="1")

    result = run_dedup(sources, config, Sinks(store.name("parts/"), failed=store.name("bad.jsonl")))

    parts = [f"parts/part-0000{at}.jsonl" for at in range(3)]
    assert store.keys() == ["b.jsonl", "bad.jsonl", "c.parquet", *parts]
    lines = [json.loads(line) for key in parts for line in store.get(key).splitlines()]
    assert [line["text"] for line in lines] == list(dict.fromkeys(row["text"] for row in ALL_ROWS))
    assert f"{object_name.name} line 10" in result.failures()[0][2]


def test_all_outputs_and_a_later_threshold(store: Store, here: Path) -> None:
    """Tables, page, settings and numbers go to the store, and a run on an object is decided again."""
    source = StoreName(store.put("a.jsonl", jsonl(ALL_ROWS)))
    sinks = Sinks(
        store.name("kept.jsonl"), store.name("why.parquet"), store.name("bad.csv"), store.name("sum.json"),
        dropped=store.name("drop.jsonl"), clusters=store.name("groups.tsv"),
        report=store.name("page.html"),
    )  # fmt: skip
    run_dedup(source, DedupConfig(run_dir="a.run"), sinks)

    made = "a.jsonl bad.csv drop.jsonl groups.tsv kept.jsonl page.html sum.json why.parquet"
    assert store.keys() == made.split()
    assert len(pq.read_table(pa.BufferReader(store.get("why.parquet")))) == len(ALL_ROWS)
    again = DedupConfig(run_dir="a.run", resume=True, similarity=0.9)
    run_dedup(source, again, Sinks(store.name("stricter.jsonl")))
    assert store.get("stricter.jsonl") == store.get("kept.jsonl")


def test_old_documents_and_pairs(store: Store, here: Path) -> None:
    """Old documents may be objects, and so may the two sides of pairs."""
    sides = {"new.jsonl": ALL_ROWS[:6], "old.jsonl": ALL_ROWS[6:]}
    new, old = (store.put(name, jsonl(rows)) for name, rows in sides.items())
    (here / "new.jsonl").write_bytes(jsonl(ALL_ROWS[:6]))
    (here / "old.jsonl").write_bytes(jsonl(ALL_ROWS[6:]))

    assert dedup(new, against=old).kept.tolist() == dedup("new.jsonl", against="old.jsonl").kept.tolist()
    pairs = find_pairs("new.jsonl", against="old.jsonl")
    assert list(find_pairs(new, against=old)) == list(pairs)
    assert len(pairs) > 0


def test_a_large_object_in_parts(store: Store, here: Path) -> None:
    """An object of several parts comes and goes whole."""
    texts = (b" ".join(b"%dx%d" % (at, word) for word in range(200)) for at in range(11_000))
    content = b"".join(b'{"id": %d, "text": "%s"}\n' % row for row in enumerate(texts))
    assert len(content) > 2 * (8 << 20)

    dedup(store.put("large.jsonl", content), max_distance=0).write(store.name("kept.jsonl"))

    assert store.get("kept.jsonl") == content and store.unfinished() == []


def test_fingerprints_models_and_the_command_line(store: Store, here: Path) -> None:
    """They go to the store and come from there, and old documents of the command line may be objects."""
    source = store.put("a.jsonl", jsonl(ALL_ROWS))
    (here / "a.jsonl").write_bytes(jsonl(ALL_ROWS))
    simsieve, env = Program(here), store.server.environment()
    for name in ("prints.jsonl", "prints", "prints.tsv"):
        assert simsieve("fingerprint", "a.jsonl", "-o", name).code == 0
        assert simsieve("fingerprint", source, "-o", store.name(name), env=env).code == 0
        assert store.get(name) == (here / name).read_bytes()
    assert simsieve("fit", source, "-o", store.name("a.model"), env=env).code == 0
    assert len(store.get("a.model")) > 0
    ended = simsieve("dedup", source, "--against", source, "-o", "-", env=env)
    assert "is both a source and an old document" in ended.err
    ended = simsieve("dedup", "a.jsonl", "--against", source, "-o", "new.jsonl", "--progress", "json", env=env)
    assert ended.code == 0
    assert (here / "new.jsonl").read_bytes() == b""
    assert '"stage": "fetch"' in ended.err
