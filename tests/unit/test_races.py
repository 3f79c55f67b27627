"""Threads of Python that race for the first call of a process, and over one result; also where there is no GIL."""

import subprocess
import sys
from pathlib import Path

RACE = """
import sys, sysconfig, threading
from pathlib import Path

import simsieve

# An interpreter that can do without the lock would take it again for a module that needs it.
assert not (sysconfig.get_config_var("Py_GIL_DISABLED") and sys._is_gil_enabled())
sys.setswitchinterval(1e-6)
TEXTS = ["昨天下午，村口的老槐树下聚了许多人。", "昨天上午，村口的老槐树下聚了许多人。"]
TEXTS += [f"the ferry leaves at {at}" for at in range(300)]
FOLDER = Path(sys.argv[1])


def race(calls):
    # All calls at once, from a thread each; what they give, and what they raise.
    gate, answers = threading.Barrier(len(calls)), [None] * len(calls)

    def one(at):
        gate.wait()
        answers[at] = calls[at]()

    threads = [threading.Thread(target=one, args=(at,)) for at in range(len(calls))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return answers


FIRST = (
    lambda: [(one.reason, one.representative) for one in simsieve.dedup(TEXTS, conflict="numbers").decisions],
    lambda: [simsieve.fingerprint(TEXTS[0], scheme).hex for scheme in ("words64", "keywords64", "chars128:fold=tw2sp")],
    lambda: simsieve.Segmenter().keywords(TEXTS[1]),
    lambda: simsieve.explain(*TEXTS[:2]).similarity,
)
found = race(FIRST * 3)
assert found == [call() for call in FIRST] * 3

result = simsieve.dedup(TEXTS, similarity=0.7, conflict="numbers")
SHARED = (
    lambda: [result.decisions[at].reason for at in range(len(TEXTS))],
    lambda: [pair.b_position for pair in result.review(5)],
    lambda: result.rethreshold(similarity=0.9).counts.kept,
    lambda: (result.kept.tolist(), result.clusters(), result.summary["dropped"]),
)
assert race(SHARED * 3) == [call() for call in SHARED] * 3
race([lambda at=at: result.write(FOLDER / f"{at}.jsonl", FOLDER / f"{at}.csv") for at in range(8)])
assert {len({(FOLDER / f"{at}.{ending}").read_bytes() for at in range(8)}) for ending in ("jsonl", "csv")} == {1}

fingerprinter = simsieve.Fingerprinter("words64:weights=idf").fit(TEXTS)
prints = race([lambda: fingerprinter.transform(TEXTS).values.tolist()] * 8)
assert all(one == prints[0] for one in prints)
print("alike")
"""


def test_threads_that_race_get_the_answers_of_one(tmp_path: Path) -> None:
    """Each gets what a call alone gives: by the first calls of a process, over one result and one model."""
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", RACE, str(tmp_path)], capture_output=True, text=True, check=False
    )

    assert (done.stdout, done.stderr) == ("alike\n", "")
