"""Shows what each stage of a large run takes: wall and processor seconds with one thread and with two, and its memory.

The collection comes from `benches/generator`. `simsieve dedup` runs as a program of its own for each number of threads,
and the figures are those of its summary. A stage keeps all threads busy where its processor seconds are as many times
its wall seconds as there are threads.

The answer is wrong if the kept records differ, if the stages take longer together than the run, or if the memory of a
stage is above the peak.

With `--limit` each run is in a memory control group of this many bytes, as on a machine with less memory: pages of
mapped files count too. It needs the rights to make one.

Usage: stages.py [--documents N] [--folder F] [--threads N...] [--limit BYTES] [-- OPTIONS OF DEDUP]
"""

import argparse
import json
import os
import subprocess
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from common import finish, table
from large import dedup_command, digest_of, questions_file


@contextmanager
def limited(limit: int | None) -> Iterator[Callable[[], None] | None]:
    """A function that puts a process into a memory control group of `limit` bytes; the group is removed at the end."""
    if limit is None:
        yield None
        return
    first = Path("/sys/fs/cgroup/memory")
    parent, name = (first, "memory.limit_in_bytes") if first.is_dir() else (Path("/sys/fs/cgroup"), "memory.max")
    group = parent / f"simsieve-stages-{os.getpid()}"
    group.mkdir()
    try:
        (group / name).write_text(str(limit), encoding="ascii")
        members = group / "cgroup.procs"

        def join() -> None:
            members.write_text(str(os.getpid()), encoding="ascii")

        yield join
    finally:
        group.rmdir()


def wrong_in(summary: dict[str, Any]) -> list[str]:
    """What cannot be in a summary."""
    stages = summary["stages"]
    seconds = sum(row["seconds"] for row in stages)
    wrong = [
        f"a stage has more {name} memory than the run"
        for name in ("anonymous", "mapped")
        if max(row.get(f"{name}_bytes", 0) for row in stages) > summary.get(f"peak_{name}_bytes", 0)
    ]
    if seconds > summary["seconds"] + 0.1:
        wrong.append(f"the stages take {seconds} s, and the run {summary['seconds']} s")
    return wrong


def main() -> int:
    """Generate, run, print."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", maxsplit=1)[0])
    parser.add_argument("--documents", type=int, default=2_000_000)
    parser.add_argument("--folder", type=Path, help="where the files go; the collection is kept there")
    parser.add_argument("--threads", nargs="+", type=int, default=[1, 2])
    parser.add_argument("--limit", type=int, help="bytes of a memory control group")
    parser.add_argument("options", nargs="*", help="options of dedup, after --")
    given = parser.parse_args()
    summaries: list[dict[str, Any]] = []
    kept: set[str] = set()
    wrong: list[str] = []
    with tempfile.TemporaryDirectory(dir=given.folder) as scratch:
        folder = Path(scratch)
        source = questions_file(given.folder or folder, given.documents)
        for threads in given.threads:
            command = dedup_command(source, "-o", folder / "kept.jsonl", "--json", "--threads", threads, *given.options)
            with limited(given.limit) as join:
                done = subprocess.run(command, check=True, stdout=subprocess.PIPE, preexec_fn=join)
            summaries.append(json.loads(done.stdout))
            kept.add(digest_of(folder / "kept.jsonl"))
            wrong += wrong_in(summaries[-1])
    if len(kept) > 1:
        wrong.append("the kept records differ between numbers of threads")
    rows = []
    for name in [row["stage"] for row in summaries[0]["stages"]]:
        found = [next((row for row in one["stages"] if row["stage"] == name), None) for one in summaries]
        cells = [row and row[key] for row in found for key in ("seconds", "cpu_seconds")]
        memory = [row["anonymous_bytes"] / 1e6 for row in found if row and "anonymous_bytes" in row]
        rows.append([name, *cells, max(memory, default=None)])
    sums = [sum(row[at] or 0.0 for row in rows) for at in range(1, 1 + 2 * len(summaries))]
    rows.append(["all", *sums, max(row[-1] or 0.0 for row in rows)])
    header = [f"{kind}, {threads} threads" for threads in given.threads for kind in ("wall s", "CPU s")]
    result = {
        "documents": given.documents,
        "limit": given.limit,
        "options": given.options,
        "threads": given.threads,
        "stages": rows,
    }
    return finish("stages", result, table(["stage", *header, "anonymous MB"], rows), wrong)


if __name__ == "__main__":
    raise SystemExit(main())
