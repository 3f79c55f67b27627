"""Paths into lists: the texts that they reach, from every kind of source, and what is said where they reach none."""

import json
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from simsieve import ConfigError, dedup
from simsieve.config.settings import DedupConfig
from simsieve.run.schemes import chosen_schemes
from simsieve.run.steps import load
from simsieve.sources.opening import open_source

words = st.text(st.characters(codec="utf-8", exclude_characters="\0"), max_size=6)
turns = st.lists(st.fixed_dictionaries({"role": words, "parts": st.lists(words, min_size=1, max_size=3)}), min_size=1)


def texts_of(source: Any, name: str | list[str]) -> list[str]:
    """The text of every document, as a run compares it."""
    config = DedupConfig(text_field=name)
    store = open_source(source, config).read(config)
    documents = load(store, chosen_schemes(config), config, None)
    return [documents.text(position) for position in range(len(store))]


def of_every_kind(records: list[dict[str, Any]], folder: Path) -> list[Any]:
    """The same records as Python has them, as lines, a table, a frame and a file of Parquet."""
    table = pa.Table.from_pylist(records)
    pq.write_table(table, folder / "in.parquet")
    lines = folder / "in.jsonl"
    lines.write_text("".join(json.dumps(record) + "\n" for record in records))
    return [records, lines, table, pd.DataFrame(records), folder / "in.parquet"]


@given(st.lists(turns, min_size=1, max_size=4))
def test_the_texts_of_lists_are_joined_in_their_order(
    tmp_path_factory: pytest.TempPathFactory, chats: list[list[dict[str, Any]]]
) -> None:
    """A path has the texts that loops over the lists find, a line break between them, in every kind of source."""
    records = [{"a": {"turns": chat}, "id": at} for at, chat in enumerate(chats)]
    expected = {
        "a.turns.*.role": ["\n".join(turn["role"] for turn in chat) for chat in chats],
        "a.turns.*.parts.*": ["\n".join(part for turn in chat for part in turn["parts"]) for chat in chats],
        "a.turns.0.parts.0": [chat[0]["parts"][0] for chat in chats],
    }
    for source in of_every_kind(records, tmp_path_factory.mktemp("kinds")):
        for name, texts in expected.items():
            assert texts_of(source, name) == texts
        both = [f"{one}\n{other}" for one, other in zip(*list(expected.values())[:2], strict=True)]
        assert texts_of(source, list(expected)[:2]) == both


def test_what_is_no_text_fails_alone(tmp_path: Path) -> None:
    """An empty list, null, and an item without text fail with the place and what is there, in every kind of source."""
    records: list[dict[str, Any]] = [
        {"id": 0, "m": [{"c": "one"}, {"c": "two"}]},
        {"id": 1, "m": []},
        {"id": 2, "m": [{"c": "one"}, {"c": None}]},
        {"id": 3, "m": None},
    ]
    for source in of_every_kind(records, tmp_path):
        result = dedup(source, text_field="m.*.c", max_failed=3)
        found = [
            (position, code, message.partition('field "m.*.c": ')[2]) for position, code, message in result.failures()
        ]
        assert [(position, code, what.partition(";")[0]) for position, code, what in found] == [
            (1, "no_text_field", 'the list "m" is empty'),
            (2, "text_not_string", '"m.1.c" is null'),
            (3, "text_not_string", '"m" is null'),
        ]


def test_other_values_in_the_place_of_a_list_are_named() -> None:
    """A list of numbers, a text, an object and a number are told apart; of several fields a record may lack some."""
    records: list[dict[str, Any]] = [{"m": ["one"]}, {"m": [1]}, {"m": "one"}, {"m": {"a": "b"}}, {"m": 7}]
    failures = dedup(records, text_field="m.*", max_failed=4).failures()
    seen = [message.partition('field "m.*": ')[2].partition(";")[0] for _, _, message in failures]
    assert seen == ['"m.0" is a number 1', '"m" is a string "one"', '"m" is an object {"a": "b"}', '"m" is a number 7']
    some: list[dict[str, Any]] = [{"title": "one", "m": []}, {"title": "two"}, {"title": "three", "m": ["four"]}]
    assert texts_of(some, ["title", "m.*"]) == ["one", "two", "three\nfour"]


def test_a_key_with_its_dots_comes_first() -> None:
    """A literal key, whole or inside, wins over a path, wherever it stands."""
    records: list[dict[str, Any]] = [
        {"m.*.c": "whole", "m": [{"c": "inside"}]},
        {"m": [{"c": "inside"}], "m.*.c": "whole"},
        {"m": [{"c": "inside"}]},
        {"m": {"*": {"c": "a star"}}},
        {"m": {"*.c": "a star with a dot"}},
    ]
    assert texts_of(records, "m.*.c") == ["whole", "whole", "inside", "a star", "a star with a dot"]


def test_messages_name_a_path(tmp_path: Path) -> None:
    """Where a list is named, or nothing that there is, the message has the path that reaches texts."""
    chat = [
        {"messages": [{"role": "user", "content": "a longer text"}]},
        {"messages": [{"role": "user", "content": "b"}]},
    ]
    _, lines, table, *_ = of_every_kind(chat, tmp_path)
    first = dedup(lines, text_field="messages", max_failed=2).failures()[0][2]
    assert 'name the texts in the list, "messages.*.content", with text_field' in first
    with pytest.raises(ConfigError, match=r"name the texts in the list, 'messages\.\*\.content'"):
        dedup(table, text_field="messages")
    with pytest.raises(ConfigError, match=r"'messages\.\*\.role', 'messages\.\*\.content'"):
        dedup(lines)
    with pytest.raises(ConfigError, match=r"no column 'messages\.\*\.body'"):
        dedup(table, text_field="messages.*.body")
    with pytest.raises(ConfigError, match="inside a list, and only texts are read there"):
        dedup(table, text_field="messages.*.content", id_field="messages.0.role")


TYPES = [pa.large_list(pa.string()), pa.list_(pa.large_string()), pa.list_(pa.string(), 2), pa.list_(pa.binary())]


@pytest.mark.parametrize("kind", [*TYPES, pa.list_(pa.dictionary(pa.int8(), pa.string()))])
def test_lists_of_every_type_of_arrow(kind: Any) -> None:
    """Lists of all widths hold texts of all types; slices have their own rows, and bytes that are no text fail."""
    rows: list[Any] = [["a", "b"], ["c", "d"], None, ["e", "f"]]
    if kind.value_type == pa.binary():
        rows = [[text.encode() for text in row] if row else None for row in rows]
    table = pa.table({"m": pa.array(rows, kind)})
    assert dedup(table, text_field="m.*", max_failed=1).counts.failed == 1
    assert texts_of(table.slice(3), "m.*") == ["e\nf"] and texts_of(table.slice(0, 2), "m.1") == ["b", "d"]
    broken = pa.table({"m": pa.array([[b"a"], [b"\xff"]], pa.list_(pa.binary()))})
    assert [code for _, code, _ in dedup(broken, text_field="m.*", max_failed=1).failures()] == ["lone_surrogate"]
