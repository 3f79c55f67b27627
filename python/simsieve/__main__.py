"""`python -m simsieve` is the command `simsieve`."""

import sys

from simsieve.cli import main

if __name__ == "__main__":
    sys.exit(main())
