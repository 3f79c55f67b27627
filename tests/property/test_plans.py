"""A plan changes no byte: threads, batches and kernels over a collection that is large enough to be searched."""

import random

import pytest
from tests.integration.conftest import Program

from simsieve import _core

WORDS = "river stone lamp 山水 garden window 城市 quiet letter 时间 market engine 花园 bridge winter 学校".split()
FAMILIES, EACH = 2100, 4


@pytest.fixture(scope="module")
def collection(tmp_path_factory: pytest.TempPathFactory) -> Program:
    """Give a folder with 8,400 records: families of copies, near copies and strangers, and some that fail."""
    program = Program(tmp_path_factory.mktemp("plans"))
    chance = random.Random(7)
    lines = []
    for family in range(FAMILIES):
        words = [f"{chance.choice(WORDS)}{chance.randrange(1000)}" for _ in range(40)]
        for member in range(EACH):
            if member:
                words[chance.randrange(40)] = f"changed{member}"
            fields = f'"id": {family * EACH + member}, "score": {chance.randrange(3)}'
            lines.append(f'{{{fields}, "text": "{" ".join(words)}"}}\n')
    chance.shuffle(lines)
    lines[100:100] = ["no JSON\n", '{"text": "?!"}\n', '{"text": null}\n']
    program.file("in.jsonl", "".join(lines))
    return program


def outputs(
    program: Program, name: str, *words: str, env: dict[str, str] | None = None, settings: str = ""
) -> tuple[bytes, ...]:
    """Run all commands and give what they wrote: kept, decisions, failed, pairs, fingerprints."""
    threshold = words[:2]
    keep = ["--keep", "max:score,longest", "--max-failed", "2", "--quiet"]
    sides = ["--decisions", f"{name}.why.jsonl", "--failed", f"{name}.failed.jsonl"]
    made = program("dedup", "in.jsonl", "-o", f"{name}.jsonl", *sides, *keep, *words, env=env, settings=settings)
    pairs = program("pairs", "in.jsonl", "--max-failed", "2", "--quiet", *words, env=env, settings=settings)
    prints = program("fingerprint", "in.jsonl", "--max-failed", "2", "--quiet", *words[2:], env=env, settings=settings)
    assert [(o.code, o.err) for o in (made, pairs, prints)] == [(0, "")] * 3, threshold
    files = tuple((program.folder / f"{name}{end}").read_bytes() for end in (".jsonl", ".why.jsonl", ".failed.jsonl"))
    return (*files, pairs.out, prints.out)


@pytest.fixture(scope="module")
def wanted(collection: Program) -> dict[str, tuple[bytes, ...]]:
    """Give what the defaults write, by threshold; it is no trivial answer."""
    by = {
        "--similarity": outputs(collection, "similar", "--similarity", "0.7"),
        "--max-distance": outputs(collection, "distant", "--max-distance", "12"),
    }
    for files in by.values():
        kept, decisions, failed, pairs, prints = (len(content.splitlines()) for content in files)
        assert (decisions, failed, prints) == (FAMILIES * EACH + 3, 2, FAMILIES * EACH + 1)
        assert 1000 < kept < FAMILIES * EACH - 1000
        assert pairs > 1000
    return by


PLANS = [
    ("1", "1"),
    ("2", "7"),
    *(pytest.param(*plan, marks=pytest.mark.slow) for plan in [("1", "10000"), ("2", "1")]),
]


@pytest.mark.parametrize("threshold", ["--similarity", "--max-distance"])
@pytest.mark.parametrize(("threads", "batch"), PLANS)
def test_threads_and_batches_change_no_byte(
    collection: Program, wanted: dict[str, tuple[bytes, ...]], threshold: str, threads: str, batch: str
) -> None:
    """Any number of threads and any batch write the same kept records, decisions, failures, pairs and fingerprints."""
    value = {"--similarity": "0.7", "--max-distance": "12"}[threshold]

    assert wanted[threshold] == outputs(
        collection, "plan", threshold, value, "--threads", threads, settings=f"batch = {batch}"
    )


@pytest.mark.parametrize("threshold", ["--similarity", "--max-distance"])
@pytest.mark.parametrize("kernel", ["portable", *(name for name in _core.kernels() if name != "portable")])
def test_kernels_change_no_byte(
    collection: Program, wanted: dict[str, tuple[bytes, ...]], threshold: str, kernel: str
) -> None:
    """Every kernel of this machine, chosen by name, writes what the default kernel writes."""
    value = {"--similarity": "0.7", "--max-distance": "12"}[threshold]

    assert wanted[threshold] == outputs(collection, "kernel", threshold, value, env={"SIMSIEVE_KERNEL": kernel})
