"""The entry of the program: `simsieve`, or `python -m simsieve`."""

import sys

from simsieve._core import __version__


def main() -> int:
    """Carry out the words of the command line. The version is told without a load of the commands."""
    if sys.argv[1:] in (["--version"], ["-V"]) and sys.stdout is not None:
        try:
            sys.stdout.write(f"simsieve, version {__version__}\n")
            sys.stdout.flush()
            return 0
        except OSError:
            pass  # The command line says why.
    from simsieve.cli import main as of_commands  # noqa: PLC0415 - see above

    return of_commands()


if __name__ == "__main__":
    sys.exit(main())
