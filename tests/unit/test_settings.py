"""Settings in a TOML file: what is written is read as the same, and what is wrong is named with file and key."""

import os
import tempfile
import tomllib
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from simsieve import ConfigError, Criterion, CustomScheme, Model, SourceError, dedup, fit, settings_from
from simsieve.config.settings import SETTINGS, DedupConfig
from simsieve.config.toml import over, settings_toml
from simsieve.sinks.base import write_text

names = st.text(st.characters(codec="utf-8"), min_size=1, max_size=12)
"""Names of fields: quotes, line ends, control characters and all planes among them."""

similarities = st.floats(0, 1, exclude_min=True)
orders = st.one_of(st.sampled_from(["first", "last", "longest", "shortest"]), names.map(lambda n: f"max:{n}x"))


@st.composite
def thresholds(draw: st.DrawFn) -> dict[str, Any]:
    """A scheme, or several, with a threshold in one of the places where it may stand."""
    kind = draw(st.sampled_from(["none", "similarity", "distance", "several", "own"]))
    if kind == "similarity":
        return {"similarity": draw(similarities), "measure": draw(st.sampled_from(["cosine", "jaccard"]))}
    if kind == "distance":
        return {"max_distance": draw(st.integers(0, 63)), "scheme": "chars64:n=3"}
    if kind == "several":
        own = Criterion("words64", similarity=draw(similarities))
        return {"scheme": ["chars64", own, "dom64@3bits"], "similarity": draw(similarities), "combine": "any"}
    return {} if kind == "none" else {"scheme": Criterion("chars256:weights=tf", similarity=draw(similarities))}


others: st.SearchStrategy[dict[str, Any]] = st.fixed_dictionaries(
    {},
    optional={
        "text_field": st.one_of(names, st.lists(names, min_size=1, max_size=3)),
        "id_field": names,
        "extract": st.sampled_from(["none", "text", "main"]),
        "fold": st.sampled_from(["none", "t2s", "tw2sp"]),
        "cut_at": st.one_of(st.none(), st.sampled_from(["【解析】", "a{1,3}", "%@,:='\"\\"])),
        "strip": st.one_of(st.none(), names),
        "idf": st.one_of(st.sampled_from(["none", "fit"]), names.map("/models/{}".format)),
        "max_features": st.integers(1, 2**20),
        "recall": st.floats(0.5, 1, exclude_max=True),
        "keep": st.lists(orders, min_size=1, max_size=3),
        "seed": st.integers(0, 2**64 - 1),
        "threads": st.integers(0, 1024),
        "batch": st.integers(0, 2**63 - 1),
        "max_record_bytes": st.integers(1, 2**63 - 1),
        "max_failed": st.one_of(st.integers(0, 10**6), st.integers(0, 100).map("{}%".format)),
        "max_pairs": st.integers(1, 2**63 - 1),
        "sample": st.integers(0, 2**63 - 1),
        "input_format": st.sampled_from([None, "jsonl", "parquet"]),
        "output_format": st.sampled_from([None, "jsonl", "txt"]),
        "shard_size": st.sampled_from([None, 7, "1000", "256MiB"]),
        "encoding": names.filter(lambda name: name.strip() and "=" not in name),
        "delimiter": st.sampled_from([None, ";", "tab", "\t", "|", "\\"]),
        "each": st.sampled_from([None, "file", "line"]),
        "suffix": st.lists(st.sampled_from([".py", "d.ts", "*.TEX"]), max_size=2),
    },
)


@given(thresholds(), others)
def test_what_is_written_is_read_as_the_same(near: dict[str, Any], more: dict[str, Any]) -> None:
    """The settings of any config, written as TOML and read again, make an equal config."""
    config = DedupConfig.from_settings(near | more)
    text = settings_toml(config)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "run.toml")
        path.write_bytes(text.encode())
        again = DedupConfig.from_settings(settings_from(path))

    assert again == config and settings_toml(again) == text


def test_every_setting_stands_in_what_is_written() -> None:
    """Each row of the table has its help, what is allowed, and its value, or a line that says it has none."""
    text = settings_toml(DedupConfig())
    read = tomllib.loads(text)
    unwrapped = text.replace("\n# ", " ")

    for name, setting in SETTINGS.items():
        assert setting.help in unwrapped and setting.allowed in unwrapped
        assert (name in read) is (setting.default is not None)
        assert (f"# {name} is not given\n" in text) is (setting.default is None)
    assert max(map(len, text.splitlines())) <= 120


def test_files_are_looked_for_beside_the_file_that_names_them(tmp_path: Path) -> None:
    """Relative names of schemes, stop words and models are of the settings' folder, and are written as whole names."""
    folder = tmp_path / "of, course"
    folder.mkdir()
    (folder / "mine.toml").write_text('features = "words"\n')
    (folder / "run.toml").write_text('scheme = ["mine.toml", "chars64"]\nidf = "some.model"\n')
    read = settings_from(folder / "run.toml")

    assert read == {"scheme": [str(folder / "mine.toml"), "chars64"], "idf": str(folder / "some.model")}
    assert f'"{folder}/mine.toml", "chars64"' in settings_toml(DedupConfig.from_settings(read))

    (tmp_path / "stop.txt").write_text("the\n")
    fit(["one text of words"], scheme="words64").save(tmp_path / "of.model")
    (tmp_path / "run.toml").write_text('scheme = "words64:weights=idf,stop=stop.txt,n=1@0.5"\n')
    assert settings_from(tmp_path / "run.toml")["scheme"] == f"words64:weights=idf,stop={tmp_path}/stop.txt@0.5"

    (folder / "run.toml").write_text('scheme = "words64:stop=stop.txt"\n')
    with pytest.raises(ConfigError, match="whose name has a comma: move it"):
        settings_from(folder / "run.toml")


def test_a_model_by_its_digest_is_no_file(tmp_path: Path) -> None:
    """A digest in a scheme stays what it is."""
    (tmp_path / "run.toml").write_text(f'scheme = "chars64:weights=idf,model={"a" * 32}"\n')

    assert settings_from(tmp_path / "run.toml")["scheme"] == f"chars64:weights=idf,model={'a' * 32}"


BAD = [
    ("similarty = 0.8", ConfigError, ["unknown setting 'similarty'", "did you mean 'similarity'?"]),
    ("[dedup]\nseed = 1", ConfigError, ["unknown setting 'dedup'", "known are text_field"]),
    ("similarity = '0.8'", ConfigError, ["similarity = '0.8' is of another type", "give a number", "(0, 1]"]),
    ("seed = 1.0", ConfigError, ["seed = 1.0 is of another type", "give a whole number"]),
    ("seed = true", ConfigError, ["seed = True is of another type"]),
    ("keep = ['first', 3]", ConfigError, ["keep = ['first', 3]", "give a text or a list of them", "max:FIELD"]),
    ("id_field = ['a']", ConfigError, ["id_field = ['a'] is of another type", "give a text"]),
    ("max_failed = 0.1", ConfigError, ["max_failed = 0.1", "give a text or a whole number"]),
    ("scheme = 'chars650'", ConfigError, ["chars650", "any width from 1 to 256"]),
    ("scheme = 'no.toml'", SourceError, ["no.toml", "cannot be read"]),
    ("similarity = 0.8\nmax_distance = 3", ConfigError, ["similarity 0.8 and max_distance 3 are both given"]),
    ("seed = 08", SourceError, ["is no TOML", "line 1", "write settings as in"]),
    ("seed = 1\nseed = 2", SourceError, ["is no TOML"]),
]


@pytest.mark.parametrize(("text", "kind", "parts"), BAD, ids=[text for text, *_ in BAD])
def test_a_wrong_file_is_refused(text: str, kind: type[Exception], parts: list[str], tmp_path: Path) -> None:
    """What is wrong is named with the file, the key, the value and what is allowed."""
    path = tmp_path / "wrong.toml"
    path.write_text(text)
    with pytest.raises(kind) as caught:
        settings_from(path)

    assert [part for part in (str(tmp_path), *parts) if part not in str(caught.value)] == []


def test_a_file_that_cannot_be_read_is_refused(tmp_path: Path) -> None:
    """One that is missing, a folder, and one that is no UTF-8 are errors that name it."""
    (tmp_path / "latin.toml").write_bytes(b'id_field = "\xe9"')
    for name, part in (("no.toml", "No such file"), ("", "directory"), ("latin.toml", "is no TOML")):
        with pytest.raises(SourceError, match=part) as caught:
            settings_from(tmp_path / name)
        assert str(tmp_path / name) in str(caught.value)


def test_what_is_in_memory_only_is_not_written() -> None:
    """A scheme or a model that is an object, and a text that no UTF-8 has, cannot be told in a file."""
    model: Model = fit(["one text"])
    for settings, part in (
        ({"scheme": CustomScheme("mine")}, "scheme is an object in memory"),
        ({"scheme": [Criterion(CustomScheme("mine"), 0.5), "chars64"]}, "scheme is an object in memory"),
        ({"idf": model}, "idf is a model in memory"),
        ({"id_field": "a\udc80"}, "id_field 'a\\\\udc80' holds a lone surrogate"),
    ):
        with pytest.raises(ConfigError, match=part):
            settings_toml(DedupConfig.from_settings(settings))


OVER: list[tuple[dict[str, Any], dict[str, Any], dict[str, Any]]] = [
    ({"seed": 1}, {"seed": 2, "recall": 0.9}, {"seed": 1, "recall": 0.9}),
    ({"similarity": 0.5}, {"max_distance": 3}, {"similarity": 0.5}),
    ({"similarity": None}, {"max_distance": 3}, {"max_distance": 3, "similarity": None}),
    ({"similarity": 0.5}, {"scheme": "chars64@3bits"}, {"similarity": 0.5, "scheme": "chars64"}),
    ({"scheme": ("chars64@3bits",)}, {"similarity": 0.5}, {"scheme": ("chars64@3bits",)}),
    ({"scheme": ("chars64",)}, {"similarity": 0.5}, {"scheme": ("chars64",), "similarity": 0.5}),
    ({"similarity": 0.5}, {"scheme": ["a@3bits", "b"]}, {"similarity": 0.5, "scheme": ["a@3bits", "b"]}),
]  # fmt: skip


@pytest.mark.parametrize(("given_settings", "file", "wanted"), OVER)
def test_what_is_given_goes_before(given_settings: Any, file: Any, wanted: Any) -> None:
    """A setting that is given takes the place of the file's, a threshold that of every threshold there."""
    assert over(given_settings, file) == wanted


def test_a_run_takes_settings_of_a_file(tmp_path: Path) -> None:
    """In Python the settings of a file are arguments like any others."""
    (tmp_path / "run.toml").write_text('similarity = 0.99\nkeep = "last"\n')
    texts = ["the quick brown fox jumps", "the quick brown fox jumps", "the quick brown fox jumped"]
    settings = settings_from(tmp_path / "run.toml")

    assert list(dedup(texts, **settings).kept) == [1, 2]
    assert list(dedup(texts, **settings | {"similarity": 0.5}).kept) == [2]


def test_settings_are_written_whole_or_not_at_all(tmp_path: Path) -> None:
    """What cannot be written leaves nothing behind."""
    write_text(tmp_path / "run.toml", settings_toml(DedupConfig(seed=3)))
    with pytest.raises(ConfigError):
        write_text(tmp_path / "other.toml", settings_toml(DedupConfig(scheme=CustomScheme("mine"))))

    assert settings_from(tmp_path / "run.toml")["seed"] == 3
    assert os.listdir(tmp_path) == ["run.toml"]
