"""Passages over HTTP: what `passages` finds in a process."""

from pathlib import Path

import pytest
from tests.serve.conftest import KNOWN, Service

from simsieve import Index, ServiceError, passages

QUOTED = f"Someone writes that {KNOWN[0]['text']} and leaves."


def test_a_text_is_held_against_a_text_or_the_index(shared: Service, made: Path) -> None:
    """Shares, spans and sources are those of Python; the text may end like a file's name."""
    client = shared.client()
    (row,) = passages([QUOTED], against=made, min_length=30)
    wanted = {name: getattr(row.spans[0], name) for name in ("start", "end", "source_start", "source_end", "score")}
    for answer in (client.passages(QUOTED, min_length=30), client.passages(QUOTED, KNOWN[0]["text"], min_length=30)):
        (source,) = answer["sources"]
        assert (answer["share"], answer["found"], source["text"]) == (row.share, 1, KNOWN[0]["text"])
        assert [{name: span[name] for name in wanted} for span in source["spans"]] == [wanted]
    assert client.passages(QUOTED, min_length=30)["sources"][0]["id"] == 7
    assert client.passages("nothing.jsonl", "") == {
        "share": 0.0, "own_share": 0.0, "common_share": 0.0, "found": 0, "sources": []
    }  # fmt: skip


def test_an_index_that_is_large_for_the_service_is_refused(folder: Path) -> None:
    """It is read at each request, so its size has a limit, which follows that of a body."""
    running = Service(folder, "--max-body", "1000")
    try:
        with pytest.raises(ServiceError, match=r"the index seen has [\d,]+ bytes, .* at most 4,000: raise --max-body"):
            running.client().passages(QUOTED)
    finally:
        assert running.stop() == 0


def test_sources_beyond_n_are_counted(folder: Path) -> None:
    """`found` is the number of all; `min_length` bounds the passages."""
    with Index.open(folder / "seen", write=True) as index:
        # Each has so much of its own that it is kept.
        own = [" ".join(str(at * at) for at in range(first, first + 60)) for first in (100, 1000, 10_000)]
        assert index.add_texts([f"{KNOWN[0]['text']} {text}" for text in own]).kept == 3
    running = Service(folder)
    try:
        answer = running.client().passages(QUOTED, min_length=30, n=2)
        assert answer["found"] == 4 and len(answer["sources"]) == 2
        assert running.client().passages(QUOTED, min_length=99)["found"] == 0
    finally:
        assert running.stop() == 0


@pytest.mark.parametrize(
    ("body", "code", "field"),
    [
        ({"text": "a"}, "config", "source"),
        ({"text": "a", "source": "b", "index": "seen"}, "config", "source"),
        ({"text": "a", "index": "/etc"}, "not_found", "index"),
        ({"text": "a" * 20_001, "source": "b"}, "too_large", "text[0]"),
        ({"text": "b", "source": "a" * 20_001}, "too_large", "source[0]"),
        ({"text": "a", "source": "b", "min_length": 0}, "bad_request", "min_length"),
        ({"text": "a", "source": "b", "exclude": ["/etc/passwd"]}, "bad_request", ""),
    ],
)
def test_what_is_wrong_is_named(shared: Service, body: dict[str, object], code: str, field: str) -> None:
    """No file is named by a request, and each mistake has its code and its field."""
    answer = shared.ask("/v1/passages", body)

    assert answer.status in {400, 404, 413, 422} and answer.code == code
    assert answer.json["error"]["field"] == field
