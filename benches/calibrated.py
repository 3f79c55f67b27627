"""Measures whether `simsieve calibrate` without labels makes a collection worse, by people's labels.

Each set is calibrated by edited copies of its own texts. Its labels then judge the default and the choice. A set with
too few documents without a near one is refused, and keeps the default. The answer is wrong if a choice has an F1 more
than 0.01 below the default.

Usage: calibrated.py [--data FOLDER] [SET ...]

A set is one of labels.py, or NAME.jsonl in FOLDER with id, text and cluster.
"""

import argparse
import sys
from pathlib import Path
from typing import Any

from common import DATA, finish, table
from labels import SETS, labelled, source_of
from simsieve import ConfigError, calibrate, evaluate_labels

MOST_LOST = 0.01


def measure(name: str, data: Path) -> list[Any]:
    """A line of the table: F1 of the default, the choice, its F1."""
    rows = [{"id": number, "text": text, "label": cluster} for number, text, cluster in labelled(name, data)]
    default = evaluate_labels(rows, labels="label").at.f1
    try:
        chosen = calibrate(rows)
    except ConfigError as refused:
        return [name, len(rows), default, "refused: " + str(refused).partition(" documents")[0], default]
    scheme, similarity = chosen.choice.curve.scheme, chosen.choice.row.threshold
    after = evaluate_labels(rows, labels="label", **chosen.settings).at.f1
    return [name, len(rows), default, f"{scheme} at {similarity:g}", after]


def main() -> int:
    """Read the command line, and print a line a set."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", maxsplit=1)[0])
    parser.add_argument("--data", type=Path, default=DATA)
    parser.add_argument("sets", nargs="*", default=list(SETS), metavar="SET")
    options = parser.parse_args()
    absent = [name for name in options.sets if not source_of(name, options.data).is_file()]
    if absent:
        print(f"NOT CALIBRATED: {', '.join(absent)} not in {options.data}", file=sys.stderr)
    lines = [measure(name, options.data) for name in options.sets if name not in absent]
    wrong = [f"{line[0]}: F1 {line[4]:.4f} after {line[2]:.4f}" for line in lines if line[4] < line[2] - MOST_LOST]
    figures = {"sets": {line[0]: line[1:] for line in lines}, "not_measured": absent}
    return finish("calibrated", figures, table(["set", "texts", "F1 of the default", "chosen", "F1"], lines), wrong)


if __name__ == "__main__":
    raise SystemExit(main())
