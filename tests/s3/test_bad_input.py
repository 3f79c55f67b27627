"""What is wrong with a name, the keys, the store or an object is said in one line, with what to do; nothing is left."""

import os
from pathlib import Path

import pytest
from tests.integration.conftest import Program
from tests.integration.test_shards import ALL_ROWS, jsonl
from tests.s3.conftest import Store
from tools.seaweed import Seaweed

from simsieve import ConfigError, SinkError, SourceError, dedup
from simsieve.config.settings import DedupConfig
from simsieve.errors import ResumeError
from simsieve.run.pipeline import run_dedup
from simsieve.sinks.checks import Sinks
from simsieve.sources.opening import open_source

NO_BUCKET = "there is no such bucket; check the name, and AWS_ENDPOINT_URL where the store is not Amazon's"


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("s3://", "s3://: names no bucket: give s3://bucket/key, with letters, digits, dots and hyphens"),
        ("s3:///a.jsonl", "s3:///a.jsonl: names no bucket"),
        ("s3://b c/a.jsonl", "s3://b c/a.jsonl: names no bucket"),
        ("s3://nosuch/a.jsonl", f"s3://nosuch/a.jsonl: {NO_BUCKET}"),
        ("s3://nosuch/", f"s3://nosuch/: {NO_BUCKET}"),
        ("s3://nosuch/*.jsonl", f"s3://nosuch/*.jsonl: {NO_BUCKET}"),
        ("s3://open/nosuch.jsonl", "s3://open/nosuch.jsonl: there is no such object; check the name"),
        ("s3://open/nosuch*.jsonl", "s3://open/nosuch*.jsonl: no object matches this pattern; check it"),
        ("s3://open/nosuch/", "s3://open/nosuch/: there is no object under this prefix; check the name"),
    ],
)
def test_names_that_mean_no_object(name: str, told: str, store: Store) -> None:
    """A name is told as it was given, also where it is an output."""
    with pytest.raises((ConfigError, SourceError)) as error:
        dedup(name)
    assert told in str(error.value)
    if "nosuch/" in name and "*" not in name and "open" not in name:
        with pytest.raises(SinkError, match="there is no such bucket"):
            run_dedup(["a text"], DedupConfig(shard_size="9"), Sinks(name))


def test_prefixes(store: Store) -> None:
    """A prefix without its slash, of texts, or of unread objects says what to give."""
    store.put("in/a.jsonl", jsonl(ALL_ROWS))
    store.put("texts/a.txt", b"a text")
    store.put("others/a.log", b"a text")
    told = {
        "in": f"there is no such object, but some are under it: give {store.name('in/')}",
        "texts/": f"or give '{store.name('texts/')}**/*.txt' to have each line as a record",
        "others/": "none of the 1 objects under it ends as a file of records",
        "others/a.log": "the name gives no format that can be read",
        "in/a.jsonl.gz": "there is no such object; check the name",
    }
    for name, text in told.items():
        with pytest.raises((ConfigError, SourceError)) as error:
            dedup(store.name(name))
        assert text in str(error.value)
    assert dedup([Path(store.name("in/a.jsonl")), Path(store.name("in/*"))]).summary["same_files"] == 1
    with pytest.raises(ConfigError, match="is both a source and an old document"):
        dedup(store.name("in/a.jsonl"), against=store.name("in/a.jsonl"))


def test_keys_and_rights(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    """No keys, wrong ones, and no right to read or to write: the message says which, before any work."""
    source = store.put("a.jsonl", jsonl(ALL_ROWS))
    store.client.put_object(Bucket="closed", Key="a.jsonl", Body=jsonl(ALL_ROWS))
    for name, value in store.server.keys("reader").items():
        monkeypatch.setenv(name, value)
    assert dedup(source).counts.read == len(ALL_ROWS)
    for name in ("s3://closed/a.jsonl", "s3://closed/", "s3://closed/*.jsonl"):
        with pytest.raises(SourceError, match=r"the keys in use have no right to (read|list) it") as error:
            dedup(name)
        assert "grant the right, or use other keys" in str(error.value)
    for name in ("kept.jsonl", "out/"):
        with pytest.raises(SinkError, match=r"the keys in use have no right to (write|list) it"):
            run_dedup(source, DedupConfig(), Sinks(store.name(name)))
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "wrong")
    with pytest.raises(SourceError, match=r"the store does not accept the keys .*; check AWS_ACCESS_KEY_ID"):
        dedup(source)
    monkeypatch.delenv("AWS_SECRET_ACCESS_KEY")
    monkeypatch.delenv("AWS_ACCESS_KEY_ID")
    with pytest.raises(SourceError, match=r"no keys were found .*; set AWS_ACCESS_KEY_ID"):
        dedup(source)
    monkeypatch.setenv("AWS_PROFILE", "nosuch")
    with pytest.raises(SourceError, match="check AWS_PROFILE"):
        dedup(source)
    assert store.keys() == ["a.jsonl"]


def test_no_server(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    """A server that is not there, and an endpoint that is none."""
    monkeypatch.setenv("AWS_MAX_ATTEMPTS", "1")
    monkeypatch.setenv("AWS_ENDPOINT_URL", "http://127.0.0.1:9")
    with pytest.raises(SourceError, match=r"no server answers, .*check the network and AWS_ENDPOINT_URL"):
        dedup("s3://open/a.jsonl")
    with pytest.raises(SinkError, match="no server answers"):
        dedup(["a text"], output="s3://open/kept.jsonl")
    monkeypatch.setenv("AWS_ENDPOINT_URL", "nonsense")
    with pytest.raises(ConfigError, match="Invalid endpoint: nonsense"):
        dedup("s3://open/a.jsonl")


def test_outputs_that_cannot_be(store: Store, here: Path) -> None:
    """An output is no source, no other output and in no folder that is written."""
    source = store.put("in/a.jsonl", jsonl(ALL_ROWS))
    config = DedupConfig()
    told = {
        "sources are never overwritten": Sinks(source),
        "are the same file": Sinks(store.name("k.jsonl"), store.name("k.jsonl")),
        "is in the folder": Sinks(store.name("in/")),
        "which appears as a whole": Sinks(store.name("out/"), store.name("out/why.csv")),
        "names no object": Sinks("k.jsonl", summary="s3://open/"),
        "annotated records do not go to a folder": Sinks(store.name("out/"), annotate=True),
        "cannot have the ending .xlsx": Sinks("k.jsonl", store.name("why.xlsx")),
    }
    for text, sinks in told.items():
        with pytest.raises(ConfigError, match=text):
            run_dedup(source, config, sinks)
    run_dedup(source, config, Sinks(store.name("out/")))
    with pytest.raises(SinkError, match="is a folder with something in it"):
        run_dedup(source, config, Sinks(store.name("out/")))
    store.put("out/mine.txt", b"mine")
    with pytest.raises(SinkError, match=r"has the file mine.txt, which this run does not write"):
        run_dedup(source, DedupConfig(replace=True), Sinks(store.name("out/")))
    assert store.keys() == ["in/a.jsonl", "out/a.jsonl", "out/mine.txt"]
    with pytest.raises(ConfigError, match=r"has .* bytes, and of 0 records none is kept"):
        dedup([], output=store.name("out/a.jsonl"))
    (here / "texts").mkdir()
    (here / "texts/a.txt").write_text("a text")
    with pytest.raises(ConfigError, match="the sources are folders of texts"):
        dedup(here / "texts", output=store.name("new/"))
    assert os.listdir(here) == ["texts"]


def test_a_folder_is_replaced_whole(store: Store) -> None:
    """Parts that the new run does not write are removed."""
    source = store.put("a.jsonl", jsonl(ALL_ROWS))
    run_dedup(source, DedupConfig(shard_size="2"), Sinks(store.name("out/")))
    many = len(store.keys())
    run_dedup(source, DedupConfig(shard_size="5", replace=True), Sinks(store.name("out/")))
    assert store.keys() == ["a.jsonl", "out/part-00000.jsonl", "out/part-00001.jsonl"]
    assert many > 3


def test_an_object_that_changes(store: Store, here: Path) -> None:
    """It is refused while it is read, and when a run goes on, with what changed; the copy in use stays as it was."""
    source = store.put("a.jsonl", jsonl(ALL_ROWS))
    opened = open_source(source)
    store.put("a.jsonl", jsonl(ALL_ROWS[:3]))
    with pytest.raises(SourceError, match="changed while it was read; let whatever writes it finish"):
        opened.read(DedupConfig())

    opened = open_source(source)
    read = opened.read(DedupConfig())
    store.put("a.jsonl", jsonl(ALL_ROWS))
    read.check_unchanged()

    config = DedupConfig(run_dir="run", max_pairs=1)
    run_dedup(source, config, Sinks("kept.jsonl"))
    store.put("a.jsonl", jsonl(ALL_ROWS[:-1]))
    with pytest.raises(ResumeError) as error:
        run_dedup(source, DedupConfig(run_dir="run", resume=True), Sinks("kept.jsonl"))
    assert f"{source}: its ETag was " in str(error.value) and "when this run began, and is" in str(error.value)


def test_a_server_that_ends(here: Path, store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where the server ends before the output is sent, the error says so, and nothing is left on the disk."""
    with Seaweed() as server:
        for name, value in server.environment().items():
            monkeypatch.setenv(name, value)
        server.client().put_object(Bucket="open", Key="a.jsonl", Body=jsonl(ALL_ROWS))
        result = dedup("s3://open/a.jsonl")
    with pytest.raises(SinkError, match="no server answers"):
        result.write("s3://open/kept.jsonl")
    assert result.counts.read == len(ALL_ROWS)
    assert list(here.iterdir()) == []


LIMITED = "import resource, sys; resource.setrlimit(resource.RLIMIT_FSIZE, (100, 100));"
START = ("-c", LIMITED + "from simsieve.cli import main; sys.exit(main())")


def test_no_room_for_a_copy(store: Store, here: Path) -> None:
    """A disk without room is named, with what to set."""
    source = store.put("a.jsonl", jsonl(ALL_ROWS))
    ended = Program(here, START)("dedup", source, "-o", "-")
    assert ended.code == 2 and "is copied to a file first" in ended.err
    assert "free some space, or set TMPDIR, or --run-dir, to a folder with room" in ended.err
