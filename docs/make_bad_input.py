"""Writes docs/reference/bad-input.md: what the program makes of the cases in `tests/integration/bad_inputs.py`."""

import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]


def main() -> int:
    """Write the page."""
    sys.path.insert(0, str(ROOT))
    from tests.integration.bad_inputs import page  # noqa: PLC0415 - the path to it is made above

    (ROOT / "docs/reference/bad-input.md").write_text(page(), encoding="utf-8")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
