"""Writes docs/reference/bad-input.md: the program's results for the cases in `tests/integration/bad_inputs.py`.

Usage: make_bad_input.py [FILE]; `-` writes to standard output.
"""

import sys
from pathlib import Path

from making import written

ROOT = Path(__file__).parents[1]


def page() -> str:
    """The whole page."""
    sys.path.insert(0, str(ROOT))
    from tests.integration.bad_inputs import page as made  # noqa: PLC0415 - the path to it is made above

    return made()


if __name__ == "__main__":
    raise SystemExit(written(page, ROOT / "docs/reference/bad-input.md"))
