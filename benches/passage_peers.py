"""Other tools on planted passages: each finds them in its own way, in an environment of its own.

`passage_peers.py install FOLDER [NAME ...]` makes the environments, in pinned versions. `passages.py --peers FOLDER`
then measures every installed tool beside simsieve. `passage_peers.py NAME WORK FOUND` is one such process: WORK is a
file of JSON with the texts `hosts` and `sources`, FOUND gets the spans of each host that stand in a source.

Usage: passage_peers.py install FOLDER [NAME ...] | passage_peers.py NAME WORK FOUND
"""

import io
import json
import re
import struct
import sys
import tempfile
from collections import defaultdict
from collections.abc import Iterator, Sequence
from hashlib import blake2b
from itertools import accumulate
from pathlib import Path
from typing import Any

from peers import Peer, install

WINDOW, AROUND = 8, 8
"""Characters of a window, and windows with one selected among them: a shared run of 15 characters is found."""
LEAST, GAP = WINDOW + AROUND - 1, 16
"""The least length of a span, and the characters that it may bridge."""
SENTENCES = 3
"""Parts of a sentence in a row that datatrove compares, as its own default has it."""
Spans = list[list[int]]


def joined(places: Sequence[tuple[int, int]]) -> Spans:
    """Places without their overlaps and small gaps, as far as they are long enough."""
    spans: Spans = []
    for start, end in sorted(places):
        if spans and start <= spans[-1][1] + GAP:
            spans[-1][1] = max(spans[-1][1], end)
        else:
            spans.append([start, end])
    return [span for span in spans if span[1] - span[0] >= LEAST]


def winnowed(text: str) -> Iterator[tuple[int, bytes]]:
    """Of each run of windows the one with the least hash."""
    hashes = [blake2b(text[at : at + WINDOW].encode(), digest_size=8).digest() for at in range(len(text) - WINDOW + 1)]
    last = -1
    for at in range(len(hashes) - AROUND + 1):
        chosen = min(range(at, at + AROUND), key=lambda one: (hashes[one], -one))
        if chosen != last:
            last = chosen
            yield chosen, hashes[chosen]


def winnowing(hosts: Sequence[str], sources: Sequence[str]) -> Iterator[Spans]:
    """The paper's own method in plain Python: selected windows in common, joined by source where they are near."""
    places: dict[bytes, list[int]] = defaultdict(list)
    for number, source in enumerate(sources):
        for _, key in winnowed(source):
            places[key].append(number)
    for host in hosts:
        found: dict[int, list[tuple[int, int]]] = defaultdict(list)
        for at, key in winnowed(host):
            for number in set(places.get(key, ())):
                found[number].append((at, at + WINDOW))
        yield joined([(start, end) for some in found.values() for start, end in joined(some)])


def copydetect(hosts: Sequence[str], sources: Sequence[str]) -> Iterator[Spans]:
    """Its fingerprints of texts as they are, and its comparison of every pair."""
    import numpy as np  # noqa: PLC0415 - a peer is imported only where it is asked for
    from copydetect import CodeFingerprint, compare_files  # noqa: PLC0415 - as above

    def printed(texts: Sequence[str]) -> list[Any]:
        return [
            CodeFingerprint(str(at), WINDOW, AROUND, filter=False, fp=io.StringIO(text))
            for at, text in enumerate(texts)
        ]

    old = printed(sources)
    for host in printed(hosts):
        found = [joined(np.array(compare_files(host, source)[2][0], dtype=int).T.tolist()) for source in old]
        yield joined([(start, end) for some in found for start, end in some])


def datatrove(hosts: Sequence[str], sources: Sequence[str]) -> Iterator[Spans]:
    """Its two steps that find repeated runs of three sentences, which end at commas too; sources come first."""
    from datatrove.executor import LocalPipelineExecutor  # noqa: PLC0415 - as above
    from datatrove.pipeline.dedup import SentDedupConfig, SentenceDedupSignature, SentenceFindDedups  # noqa: PLC0415
    from datatrove.pipeline.readers import JsonlReader  # noqa: PLC0415 - as above

    pieces = [re.findall("[^，。]*[，。]?", text)[:-1] for text in (*sources, *hosts)]
    with tempfile.TemporaryDirectory() as folder:
        rows = ({"id": str(at), "text": "\n".join(some)} for at, some in enumerate(pieces))
        Path(folder, "in").mkdir()
        Path(folder, "in", "a.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
        config = SentDedupConfig(n_sentences=SENTENCES, split_sentences=False)
        signs, found = f"{folder}/signs", f"{folder}/found"
        steps = [JsonlReader(f"{folder}/in"), SentenceDedupSignature(signs, config=config)]
        LocalPipelineExecutor(pipeline=steps, tasks=1, logging_dir=f"{folder}/one").run()
        steps = [SentenceFindDedups(signs, found, config=config)]
        LocalPipelineExecutor(pipeline=steps, tasks=1, logging_dir=f"{folder}/two").run()
        raw = b"".join(path.read_bytes() for path in Path(found).rglob("*") if path.is_file())
    repeated: dict[int, list[tuple[int, int]]] = defaultdict(list)
    ends = [[0, *accumulate(map(len, some))] for some in pieces]
    for document, first in struct.iter_unpack("<IH", raw):
        repeated[document].append((ends[document][first], ends[document][first + SENTENCES]))
    for number in range(len(sources), len(pieces)):
        yield joined(repeated[number])


def suffix_array(hosts: Sequence[str], sources: Sequence[str]) -> Iterator[Spans]:
    """The suffix array of all bytes by libdivsufsort: runs of 15 Chinese characters that stand in a source."""
    import numpy as np  # noqa: PLC0415 - as above
    from pydivsufsort import divsufsort, kasai  # noqa: PLC0415 - as above

    texts = [text.encode() for text in (*sources, *hosts)]
    whole = np.frombuffer(b"\0".join(texts) + b"\0", dtype=np.uint8).copy()
    begins = np.cumsum([0, *(len(text) + 1 for text in texts)])
    array = divsufsort(whole)
    common = kasai(whole, array)
    is_old = array < begins[len(sources)]
    # The longest run in common with a source stands at the nearest suffix of one, before or behind.
    longest = np.zeros(len(array), dtype=np.int64)
    for order, behind in ((range(1, len(array)), 1), (range(len(array) - 2, -1, -1), 0)):
        held = 0
        for at in order:
            before = at - 1 if behind else at + 1
            held = min(len(array) if is_old[before] else held, int(common[at - behind]))
            longest[at] = max(longest[at], held)
    chosen = (longest >= 3 * LEAST) & ~is_old
    starts, reach = array[chosen], longest[chosen]
    by_host: dict[int, list[tuple[int, int]]] = defaultdict(list)
    for start, length in zip(starts.tolist(), reach.tolist(), strict=True):
        number = int(np.searchsorted(begins, start, side="right")) - 1
        by_host[number].append((start - int(begins[number]), start - int(begins[number]) + length))
    for number, text in enumerate(texts[len(sources) :], len(sources)):
        spans = joined(by_host[number])
        yield [
            [len(text[:start].decode(errors="ignore")), len(text[:end].decode(errors="ignore"))] for start, end in spans
        ]


def simsieve(hosts: Sequence[str], sources: Sequence[str]) -> Iterator[Spans]:
    """This package."""
    from simsieve import passages  # noqa: PLC0415 - as above

    found: dict[int, list[tuple[int, int]]] = defaultdict(list)
    for row in passages(hosts, against=sources):
        found[row.document_position] += [(span.start, span.end) for span in row.spans]
    yield from (joined(found[number]) for number in range(len(hosts)))


PEERS = {
    "winnowing": Peer(("numpy==2.4.6",), winnowing),
    "copydetect": Peer(("copydetect==0.5.0", "numpy==2.4.6"), copydetect),
    "datatrove": Peer(
        (
            "datatrove==0.10.1",
            "numpy==2.4.6",
            "orjson==3.13.0",
            "regex==2026.11.19",
            "spacy==3.8.18",
            "tokenizers==0.23.3",
            "xxhash==3.5.0",
        ),
        datatrove,
    ),
    "suffix-array": Peer(("pydivsufsort==0.0.20", "numpy==2.4.6"), suffix_array),
}


def main(words: list[str]) -> int:
    """Install, or run one tool."""
    if words[:1] == ["install"] and len(words) > 1 and set(words[2:]) <= set(PEERS):
        install(Path(words[1]), words[2:], PEERS)
    elif len(words) == 3 and words[0] in (*PEERS, "simsieve"):
        work = json.loads(Path(words[1]).read_text(encoding="utf-8"))
        run = simsieve if words[0] == "simsieve" else PEERS[words[0]].run
        found = list(run(work["hosts"], work["sources"]))
        Path(words[2]).write_text(json.dumps(found), encoding="utf-8")
    else:
        print(f"{(__doc__ or '').strip().splitlines()[-1]}; tools: {', '.join(PEERS)}", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
