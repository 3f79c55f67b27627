"""What the scripts that write pages of the reference share: where a page goes."""

import sys
from collections.abc import Callable
from pathlib import Path


def written(page: Callable[[], str], place: Path) -> int:
    """Write a page to the file that the command line names, `-` for standard output, or else to its place."""
    target = sys.argv[1] if len(sys.argv) > 1 else str(place)
    if target == "-":
        sys.stdout.write(page())
    else:
        Path(target).write_text(page(), encoding="utf-8")
    return 0
