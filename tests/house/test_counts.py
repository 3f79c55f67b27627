"""The comparison of counted instructions with those on record."""

import json
import runpy
from pathlib import Path

TOOLS = Path(__file__).parents[2] / "tools"
COUNTS = runpy.run_path(str(TOOLS / "counts.py"))


def test_a_count_may_move_a_little_and_no_more() -> None:
    """A loop within the tolerance is as on record; one with more or fewer instructions is named with both figures."""
    record = {"portable": {"fast": 10.0, "slow": 20.0}}

    assert COUNTS["differences"](record, {"portable": {"fast": 10.4, "slow": 19.1}}) == []
    assert COUNTS["differences"](record, {"portable": {"fast": 10.6, "slow": 18.9}}) == [
        "portable fast: 10.6 instructions a byte, 10.0 on record (+6%)",
        "portable slow: 18.9 instructions a byte, 20.0 on record (-6%)",
    ]


def test_a_loop_without_its_record_is_told() -> None:
    """A new loop, one that is gone, and a kernel that was never counted are differences."""
    record = {"portable": {"gone": 1.0}}

    assert COUNTS["differences"](record, {"portable": {"new": 1.0}, "avx2": {"new": 1.0}}) == [
        "portable gone: on record only",
        "portable new: not on record",
        "avx2 new: not on record",
    ]


def test_the_record_has_every_kernel_that_is_counted() -> None:
    """The file on record names the compiler, and each kernel has the same loops."""
    record = json.loads((TOOLS / "counts.json").read_text(encoding="utf-8"))

    assert record["setting"]["compiler"].startswith("rustc ")
    assert list(record["counts"]) == list(COUNTS["KERNELS"])
    assert len({tuple(counts) for counts in record["counts"].values()}) == 1
