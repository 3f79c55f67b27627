"""Measures `simsieve dedup` end to end on generated documents with known near-duplicates.

It measures the cost (processor seconds, wall seconds, memory) and the result. For documents that repeat an earlier one
of their family it counts those dropped for one of their family, exact and edited ones apart. It also counts lost
families (no document kept). The answer is wrong if fewer than 99 % of the edited or not all of the exact ones are
found, if a family is lost, or if counts of records do not add up. Installed peers do the same work in the same run;
their answers are shown, not judged. `peers.py install FOLDER` installs them, and `make bench-peers` does both.

Usage: bench_dedup.py [--documents N] [--seed S] [--folder F] [--peers FOLDER | --no-peers] [--max-cpu SECONDS]
                      [--similarity X]
"""

import argparse
import json
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from common import Usage, finish, measured, table, version_in
from generate import make_corpus
from peers import PEERS, python_of

FOUND_AT_LEAST = 0.99


@dataclass
class Quality:
    """How a tool's decisions compare with the truth."""

    read: int = 0
    kept: int = 0
    dropped: int = 0
    exact: int = 0
    exact_found: int = 0
    edited: int = 0
    edited_found: int = 0
    foreign_drops: int = 0
    families: int = 0
    families_lost: int = 0

    @property
    def edited_recall(self) -> float:
        """The share of edited copies that were found."""
        return self.edited_found / self.edited if self.edited else 1.0

    @property
    def exact_recall(self) -> float:
        """The share of exact copies that were found."""
        return self.exact_found / self.exact if self.exact else 1.0


def rows(path: Path) -> Iterator[dict[str, Any]]:
    """The records of a file of JSON lines, one at a time."""
    with path.open(encoding="utf-8") as lines:
        for line in lines:
            yield json.loads(line)


def compare(source: Path, decisions: Path) -> Quality:
    """Hold decisions against the truth.

    A document repeats an earlier one as `exact` where a document with its text (the original or an exact copy) came
    before, otherwise as `edited` where any of its family came before. It is found where it is dropped for one of its
    family.
    """
    truth = {row["id"]: (row["truth"]["original"], row["truth"]["kind"]) for row in rows(source)}
    quality = Quality()
    families: dict[str, bool] = {}
    same_text: set[str] = set()
    for row in rows(decisions):
        family, kind = truth[row["id"]]
        seen, kept = family in families, row["decision"] == "kept"
        right = not kept and row["decision"] == "dropped" and truth[row["representative"]][0] == family
        quality.read += 1
        quality.kept += kept
        quality.dropped += row["decision"] == "dropped"
        quality.foreign_drops += row["decision"] == "dropped" and not right
        if kind != "edited" and family in same_text:
            quality.exact += 1
            quality.exact_found += right
        elif seen:
            quality.edited += 1
            quality.edited_found += right
        if kind != "edited":
            same_text.add(family)
        families[family] = families.get(family, False) or kept
    quality.families = len(families)
    quality.families_lost = sum(not kept for kept in families.values())
    return quality


def judge(quality: Quality, usage: Usage, documents: int, max_cpu: float | None) -> list[str]:
    """What is wrong with our answer; empty where nothing is."""
    wrong = []
    if quality.edited_recall < FOUND_AT_LEAST:
        wrong.append(f"edited copies found: {quality.edited_recall:.4f}, at least {FOUND_AT_LEAST} asked")
    if quality.exact_found != quality.exact:
        wrong.append(f"exact copies found: {quality.exact_found} of {quality.exact}")
    if quality.families_lost:
        wrong.append(f"{quality.families_lost} families lost: no document of theirs is kept")
    if quality.read != documents or quality.kept + quality.dropped != documents:
        wrong.append(
            f"books: {quality.read} decisions, {quality.kept} kept, {quality.dropped} dropped, {documents} documents"
        )
    if max_cpu is not None and usage.cpu_seconds > max_cpu:
        wrong.append(f"{usage.cpu_seconds:.1f} processor seconds, at most {max_cpu} asked")
    return wrong


def run(options: argparse.Namespace, folder: Path) -> int:
    """Make the collection, run every tool on it, compare and print."""
    source = folder / f"corpus-{options.documents}-{options.seed}.jsonl"
    size = make_corpus(source, options.documents, options.seed)
    dedup: list[str | Path] = [sys.executable, "-m", "simsieve", "dedup", source, "-o", folder / "kept.jsonl"]
    if options.similarity is not None:
        dedup += ["--similarity", str(options.similarity)]
    commands = {"simsieve": [*dedup, "--decisions"]}
    versions: dict[str, str] = {}
    for name, peer in {} if options.no_peers else PEERS.items():
        python = python_of(options.peers, name)
        version = version_in(python, peer.package)
        if version is None:
            print(f"peer {name}: skipped, not installed")
        else:
            versions[name] = version
            commands[name] = [python, Path(__file__).parent / "peers.py", name, source]

    results: dict[str, tuple[Usage, Quality]] = {}
    for name, command in commands.items():
        decisions = folder / f"decisions-{name}.jsonl"
        usage = measured([*command, decisions])
        results[name] = usage, compare(source, decisions)
        # A slow peer takes minutes, and what was measured before it is not lost with it.
        print(
            f"{name}: {usage.cpu_seconds:.2f} CPU s, {usage.peak_rss_bytes / 1e6:.1f} MB, {results[name][1]}",
            flush=True,
        )

    usage, quality = results["simsieve"]
    readable = table(
        ["tool", "CPU s", "wall s", "peak MB", "MB/s", "edited found", "exact found", "families lost", "foreign drops"],
        [
            [
                name,
                u.cpu_seconds,
                u.wall_seconds,
                u.peak_rss_bytes / 1e6,
                size / 1e6 / u.wall_seconds,
                q.edited_recall,
                q.exact_recall,
                q.families_lost,
                q.foreign_drops,
            ]
            for name, (u, q) in results.items()
        ],
    )
    told = {name: {**asdict(u), **asdict(q)} for name, (u, q) in results.items()}
    result = {
        "documents": options.documents, "bytes": size, "seed": options.seed, "tools": told, "peers": versions,
    }  # fmt: skip
    wrong = judge(quality, usage, options.documents, options.max_cpu)
    return finish("dedup", result, f"{options.documents:,} documents, {size / 1e6:,.1f} MB\n{readable}", wrong)


def main() -> int:
    """Read the command line; use a temporary folder unless one is named."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", maxsplit=1)[0])
    parser.add_argument("--documents", type=int, default=200_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--folder", type=Path, help="keep the collection and the decisions here")
    parser.add_argument("--peers", type=Path, help="a folder with an environment for each peer, of peers.py install")
    parser.add_argument("--no-peers", action="store_true", help="measure simsieve alone")
    parser.add_argument("--similarity", type=float, help="the threshold of simsieve, in place of its default")
    parser.add_argument("--max-cpu", type=float, help="processor seconds above which the answer is wrong")
    options = parser.parse_args()
    if options.folder is not None:
        options.folder.mkdir(parents=True, exist_ok=True)
        return run(options, options.folder)
    with tempfile.TemporaryDirectory() as folder:
        return run(options, Path(folder))


if __name__ == "__main__":
    raise SystemExit(main())
