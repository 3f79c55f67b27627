"""Other tools on the same collection, each as its own documentation uses it, in an environment of its own.

`peers.py install FOLDER [NAME ...]` makes the environments, in pinned versions. `bench_dedup.py --peers FOLDER` then
measures every installed peer beside simsieve, each in a separate process, so that all costs are measured in the same
way. `peers.py NAME SOURCE DECISIONS` is that process.

A document is dropped for the first kept one that the tool calls near. Of tools that give pairs or groups, the first
document of each connected group is kept.

semhash 0.5.0 is not measured: it loads a language model from a hub, which a machine without that access cannot.

Usage: peers.py install FOLDER [NAME ...] | peers.py NAME SOURCE DECISIONS
"""

import json
import os
import pickle
import subprocess
import sys
import venv
from collections.abc import Callable, Hashable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

SIMILARITY = 0.8
"""Of MinHash, as the examples of these tools have it."""
BITS = 3
"""Of SimHash, of 64 bits: the distance of Manku et al."""

Near = Callable[[str, str], int | None]
"""Gives for a text and its language the position of a kept one that is near it."""
Keep = Callable[[int, str, str], None]
"""Takes a kept text at its position."""


def tokens(text: str, lang: str) -> list[str]:
    """What a user of a word-based tool gives it: words, or for Chinese runs of three characters."""
    return text.split() if lang == "en" else [text[k : k + 3] for k in range(len(text) - 2)]


def records(source: Path) -> Iterator[dict[str, Any]]:
    """The records of a file of JSON lines."""
    with source.open(encoding="utf-8") as lines:
        yield from map(json.loads, lines)


def one_by_one(source: Path, decisions: Path, near: Near, keep: Keep) -> None:
    """Decide on one document after another: it is kept where no kept one is near."""
    ids: list[str] = []
    with decisions.open("w", encoding="utf-8") as out:
        for position, row in enumerate(records(source)):
            ids.append(row["id"])
            found = near(row["text"], row["lang"])
            if found is None:
                keep(position, row["text"], row["lang"])
            _decide(out, row["id"], row["id"] if found is None else ids[found])


def by_pairs(source: Path, decisions: Path, pairs: Callable[[list[list[str]]], Iterator[tuple[int, int]]]) -> None:
    """Decide by pairs of documents: of each connected group the first is kept."""
    rows = [(row["id"], tokens(row["text"], row["lang"])) for row in records(source)]
    first = list(range(len(rows)))

    def head(at: int) -> int:
        while first[at] != at:
            first[at] = first[first[at]]
            at = first[at]
        return at

    for a, b in pairs([found for _, found in rows]):
        low, high = sorted((head(a), head(b)))
        first[high] = low
    with decisions.open("w", encoding="utf-8") as out:
        for at, (name, _) in enumerate(rows):
            _decide(out, name, rows[head(at)][0])


def _decide(out: Any, name: str, representative: str) -> None:
    decision = "kept" if representative == name else "dropped"
    out.write(json.dumps({"id": name, "decision": decision, "representative": representative}) + "\n")


def by_lsh(source: Path, decisions: Path, lsh: Any, sketch_of: Callable[[str, str], Any]) -> None:
    """Decide by an index of sketches: the first with an estimate at the threshold represents a document."""
    kept: dict[int, Any] = {}
    made: list[Any] = []

    def near(text: str, lang: str) -> int | None:
        sketch = sketch_of(text, lang)
        made[:] = [sketch]
        return next((other for other in lsh.query(sketch) if kept[other].jaccard(sketch) >= SIMILARITY), None)

    def keep(position: int, text: str, lang: str) -> None:
        del text, lang
        lsh.insert(position, made[0])
        kept[position] = made[0]

    one_by_one(source, decisions, near, keep)


def rensa(source: Path, decisions: Path) -> None:
    """MinHash with 128 permutations in 16 bands; the first estimated at 0.8 or more represents a document."""
    from rensa import RMinHash, RMinHashLSH  # noqa: PLC0415  a peer is imported only where it is asked for

    def sketch_of(text: str, lang: str) -> RMinHash:
        sketch = RMinHash(num_perm=128, seed=42)
        sketch.update(tokens(text, lang))
        return sketch

    by_lsh(source, decisions, RMinHashLSH(threshold=SIMILARITY, num_perm=128, num_bands=16), sketch_of)


def datasketch(source: Path, decisions: Path) -> None:
    """MinHash with 128 permutations; the first estimated at 0.8 or more represents a document."""
    from datasketch import MinHash, MinHashLSH  # noqa: PLC0415  as above

    def sketch_of(text: str, lang: str) -> MinHash:
        sketch = MinHash(num_perm=128)
        sketch.update_batch([token.encode() for token in tokens(text, lang)] or [b""])
        return sketch

    by_lsh(source, decisions, MinHashLSH(threshold=SIMILARITY, num_perm=128), sketch_of)


def gaoya(source: Path, decisions: Path) -> None:
    """MinHash with 128 hashes in 16 bands, by its own words and runs of three characters: an index a language."""
    from gaoya.minhash import MinHashStringIndex  # noqa: PLC0415  as above

    def index(analyzer: str, size: int) -> Any:
        return MinHashStringIndex(32, SIMILARITY, 16, 8, None, analyzer, False, (size, size))  # noqa: FBT003

    indexes = {"en": index("word", 1), "zh": index("char", 3)}

    def near(text: str, lang: str) -> int | None:
        return min(indexes[lang].query(text), default=None)

    def keep(position: int, text: str, lang: str) -> None:
        indexes[lang].insert_document(position, text)

    one_by_one(source, decisions, near, keep)


def simhash(source: Path, decisions: Path) -> None:
    """SimHash of 64 bits by MD5, and its index in Python dictionaries, at most 3 bits."""
    from simhash import Simhash, SimhashIndex  # noqa: PLC0415  as above

    index = SimhashIndex([], f=64, k=BITS)
    made: list[Any] = []

    def near(text: str, lang: str) -> int | None:
        made[:] = [Simhash(tokens(text, lang))]
        return min(map(int, index.get_near_dups(made[0])), default=None)

    def keep(position: int, text: str, lang: str) -> None:
        del text, lang
        index.add(str(position), made[0])

    one_by_one(source, decisions, near, keep)


def text_dedup(source: Path, decisions: Path) -> None:
    """MinHash with 128 permutations over runs of five words, by the program of the package; groups are connected."""
    with TemporaryDirectory() as folder:
        places = ["--data_files", str(source), "--cache_dir", f"{folder}/cache", "--output", f"{folder}/out", "--debug"]
        program = [sys.executable, "-m", "text_dedup.minhash", "--path", "json", "--split", "train", "--column", "text"]
        options = ["--idx_column", "id", "--threshold", str(SIMILARITY), "--num_perm", "128", "--num_proc", "1"]
        environment = {**os.environ, "HF_HOME": folder, "HF_HUB_OFFLINE": "1"}
        subprocess.run([*program, *options, *places], check=True, env=environment)
        union = pickle.loads(Path(folder, "out/uf.pkl").read_bytes())
    by_groups(source, decisions, {name: union.find(name) for name in list(union.parent)})


def by_groups(source: Path, decisions: Path, groups: Mapping[str, Hashable]) -> None:
    """Decide by the group of each document; the first of each is kept, and so is one without a group."""
    first: dict[Hashable, str] = {}
    with decisions.open("w", encoding="utf-8") as out:
        for row in records(source):
            name = row["id"]
            _decide(out, name, first.setdefault(groups[name], name) if name in groups else name)


def datatrove(source: Path, decisions: Path) -> None:
    """MinHash in 14 bands of 8 over runs of five words of spaCy and jieba; each language by its own four stages."""
    groups: dict[str, Hashable] = {}
    with TemporaryDirectory() as folder:
        for lang in ("en", "zh"):
            place = Path(folder, lang)
            place.mkdir()
            with Path(place, "part.jsonl").open("w", encoding="utf-8") as part:
                rows = (row for row in records(source) if row["lang"] == lang)
                part.writelines(json.dumps({"id": row["id"], "text": row["text"]}) + "\n" for row in rows)
            _four_stages(place, lang)
            for name in ("kept", "removed"):
                for row in records(place / name / "00000.jsonl"):
                    if row["metadata"]["minhash_cluster_id"] >= 0:
                        groups[row["id"]] = lang, row["metadata"]["minhash_cluster_id"]
    by_groups(source, decisions, groups)


def _four_stages(place: Path, lang: str) -> None:
    from datatrove.executor import LocalPipelineExecutor  # noqa: PLC0415  as above
    from datatrove.pipeline import dedup as parts  # noqa: PLC0415  as above
    from datatrove.pipeline.readers import JsonlReader  # noqa: PLC0415  as above
    from datatrove.pipeline.writers import JsonlWriter  # noqa: PLC0415  as above

    reader = JsonlReader(str(place), glob_pattern="part.jsonl")
    sketches, pairs, removed = (str(place / name) for name in ("sketches", "pairs", "remove"))

    def writer(name: str) -> Any:
        return JsonlWriter(str(place / name), output_filename="${rank}.jsonl", compression=None)

    stages = [
        (1, [reader, parts.MinhashDedupSignature(sketches, language=lang)]),
        (14, [parts.MinhashDedupBuckets(sketches, pairs)]),
        (1, [parts.MinhashDedupCluster(pairs, removed, save_cluster_id=True)]),
        (1, [reader, parts.MinhashDedupFilter(removed, writer("removed"), load_cluster_ids=True), writer("kept")]),
    ]
    for at, (tasks, pipeline) in enumerate(stages):
        LocalPipelineExecutor(pipeline, tasks=tasks, workers=1, logging_dir=str(place / f"logs{at}")).run()


def _prints(rows: list[list[str]]) -> list[int]:
    from simhash import compute, unsigned_hash  # noqa: PLC0415  as above

    return [compute([unsigned_hash(token.encode()) for token in row]) for row in rows]


def simhash_pybind(source: Path, decisions: Path) -> None:
    """SimHash of 64 bits by MD5, and its search of all pairs in C++, at most 3 bits."""
    from simhash import find_all  # noqa: PLC0415  as above

    def pairs(rows: list[list[str]]) -> Iterator[tuple[int, int]]:
        first: dict[int, int] = {}
        for at, value in enumerate(_prints(rows)):
            if first.setdefault(value, at) != at:
                yield first[value], at
        for a, b in find_all(list(first), BITS + 3, BITS):
            yield first[a], first[b]

    by_pairs(source, decisions, pairs)


def faiss(source: Path, decisions: Path) -> None:
    """The fingerprints of simhash-pybind, and the binary multi-index hash of FAISS, at most 3 bits."""
    import numpy as np  # noqa: PLC0415  as above
    from faiss import IndexBinaryMultiHash  # noqa: PLC0415  as above

    def pairs(rows: list[list[str]]) -> Iterator[tuple[int, int]]:
        data = np.array(_prints(rows), dtype=np.uint64).view(np.uint8).reshape(-1, 8)
        index = IndexBinaryMultiHash(64, BITS + 1, 16)
        index.add(data)
        limits, _, found = index.range_search(data, BITS + 1)
        for at in range(len(data)):
            for other in found[limits[at] : limits[at + 1]].tolist():
                if other != at:
                    yield at, other

    by_pairs(source, decisions, pairs)


@dataclass(frozen=True)
class Peer:
    """A tool that is measured beside simsieve: what is installed for it, the tool itself first, and how it is used."""

    packages: tuple[str, ...]
    run: Callable[..., Any]
    alone: bool = False
    """The tool is installed without what it names as needed: that of text-dedup is 600 MB of other jobs."""

    @property
    def package(self) -> str:
        """The name of the package."""
        return self.packages[0].partition("==")[0]


PEERS = {
    "rensa": Peer(("rensa==0.5.0",), rensa),
    "datasketch": Peer(("datasketch==2.0.0", "numpy==2.4.6", "scipy==1.17.1"), datasketch),
    "text-dedup": Peer(
        (
            "text-dedup==0.4.0",
            "bitarray==3.12.3",
            "click==8.5.1",
            "click-option-group==0.5.10",
            "datasets==5.2.0",
            "ftfy==6.3.1",
            "numpy==2.4.6",
            "psutil==7.2.2",
            "regex==2026.11.19",
            "rich==13.9.4",
            "scipy==1.17.1",
            "setuptools==84.2.1",
            "xxhash==4.1.0",
            "zstandard==0.25.0",
        ),
        text_dedup,
        alone=True,
    ),
    "datatrove": Peer(
        (
            "datatrove==0.10.1",
            "jieba==0.42.1",
            "numpy==2.4.6",
            "orjson==3.13.0",
            "regex==2026.11.19",
            "spacy==3.8.18",
            "tokenizers==0.23.3",
            "xxhash==3.8.2",
        ),
        datatrove,
    ),
    "gaoya": Peer(("gaoya==0.2.2",), gaoya),
    "simhash": Peer(("simhash==2.1.2", "numpy==2.4.6"), simhash),
    "simhash-pybind": Peer(("simhash-pybind==0.0.3",), simhash_pybind),
    "faiss": Peer(("faiss-cpu==1.15.1", "simhash-pybind==0.0.3", "numpy==2.4.6"), faiss),
}


def python_of(folder: Path | None, name: str) -> Path:
    """The interpreter of a peer's environment; without a folder the one that runs."""
    return Path(sys.executable) if folder is None else folder / name / "bin/python"


def install(folder: Path, names: list[str], peers: Mapping[str, Peer] = PEERS) -> None:
    """Make the environments of some peers, or of all."""
    for name in names or peers:
        python = python_of(folder, name)
        if not python.exists():
            venv.create(python.parents[1], with_pip=True)
        tool, *others = peers[name].packages
        pip: list[str | Path] = [python, "-m", "pip", "install", "--quiet", "--no-compile"]
        if others:
            subprocess.run([*pip, *others], check=True)
        subprocess.run([*pip, *(["--no-deps"] if peers[name].alone else []), tool], check=True)


def main(words: list[str]) -> int:
    """Install, or run one peer."""
    if words[:1] == ["install"] and len(words) > 1 and set(words[2:]) <= set(PEERS):
        install(Path(words[1]), words[2:])
    elif len(words) == 3 and words[0] in PEERS:
        PEERS[words[0]].run(Path(words[1]), Path(words[2]))
    else:
        print(f"{(__doc__ or '').strip().splitlines()[-1]}; peers: {', '.join(PEERS)}", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
