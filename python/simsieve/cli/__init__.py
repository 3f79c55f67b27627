"""The command line: one file for each command; this file is common to all.

Results go to stdout, progress and messages to stderr. Exit codes: 0 done; 1 done, with more failed records than
`--max-failed` allows; 2 could not run, with a message of one line; 130 interrupted. A closed pipe on stdout is a normal
end.
"""

import errno
import os
import select
import sys
from collections.abc import Sequence

import click

from simsieve._core import __version__, exit_when_memory_runs_out
from simsieve.cli.calibrate import calibrate
from simsieve.cli.common import COULD_NOT_RUN, DONE, INTERRUPTED, WORDS, say
from simsieve.cli.compare import compare
from simsieve.cli.completion import completed, completion
from simsieve.cli.dedup import dedup
from simsieve.cli.evaluate import evaluate
from simsieve.cli.features import features
from simsieve.cli.fingerprint import fingerprint
from simsieve.cli.fit import fit
from simsieve.cli.help import Group
from simsieve.cli.hints import check_command, error_text
from simsieve.cli.mongo import mongo
from simsieve.cli.pairs import pairs
from simsieve.cli.plan import plan
from simsieve.cli.review import review
from simsieve.cli.schemes import schemes
from simsieve.cli.thresholds import thresholds
from simsieve.config.words import in_words
from simsieve.errors import SimsieveError, SinkError
from simsieve.messages import tr

_STDOUT_FAILS = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO, errno.EBADF)
"""What the system says where standard output takes no more."""


class Program(Group):
    """The program: a file in place of a command is answered with the command line that was meant."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Read the words, and keep them for pages that name the command."""
        ctx.meta[WORDS] = list(args)
        return super().parse_args(ctx, args)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find the command."""
        if not ctx.resilient_parsing and not args[0].startswith("-"):
            check_command(args[0], args[1:], list(self.commands), ctx)
        return super().resolve_command(ctx, args)


@click.group(
    cls=Program,
    commands=[
        dedup, pairs, compare, review, thresholds, calibrate, evaluate, fingerprint, features, fit, plan, schemes,
        mongo, completion,
    ],
)  # fmt: skip
@click.version_option(__version__, "-V", "--version", prog_name="simsieve")
def cli() -> None:
    """Find the near-duplicates in a collection of texts, keep one of each, and say why.

    Exit codes: 0 done; 1 done, with more failed records than --max-failed allows; 2 could not run; 130 interrupted.
    """


def main(arguments: Sequence[str] | None = None) -> int:
    """Carry out a command line.

    Args:
        arguments: The words after the program's name; by default those the process was started with.

    Returns:
        The exit code: 0, 1, 2 or 130.

    Example:
        >>> main(["compare", "--text", "same words here", "same words here"])  # doctest: +ELLIPSIS
        distance    0 bits
        similarity  1.0000
        ...
        0
    """
    answered = completed(cli) if arguments is None else None
    if answered is not None:
        return answered
    if arguments is None:
        exit_when_memory_runs_out()
        # numpy starts a thread of OpenBLAS for each processor when it is imported: 0.06 CPU seconds on two. No command
        # multiplies matrices.
        os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    words = list(sys.argv[1:] if arguments is None else arguments) or ["--help"]
    try:
        return _carried_out(words)
    except BrokenPipeError:
        return _pipe_closed()
    except SinkError as error:
        # The core names the sink first.
        if str(error).startswith("-: ") and _stdout_is_closed():
            return _pipe_closed()
        say(error_text(error))
        _say_notes(error)
    except (click.ClickException, SimsieveError) as error:
        say(error_text(error))
        _say_notes(error)
    except OSError as error:
        # Files are read and written under errors of simsieve's own, so this one is of a stream.
        if error.filename is not None or error.errno not in _STDOUT_FAILS:
            return _fault()
        _give_up_stdout()
        why = in_words(error.strerror or str(error))
        say(tr("-: standard output cannot be written: {why}; free some space, or write elsewhere", why=why))
    except MemoryError:
        say(tr("the memory is used up; use a machine with more, or ask `simsieve plan` how much a run takes"))
    except KeyboardInterrupt as stop:
        say(tr("interrupted; nothing was left half written"))
        _say_notes(stop)
        return INTERRUPTED
    except Exception:  # noqa: BLE001 - the exit code 1 that Python would give means something else here
        return _fault()
    return COULD_NOT_RUN


def _say_notes(error: BaseException) -> None:
    """Write what else there is to say of an error, such as how a run goes on."""
    for note in getattr(error, "__notes__", ()):
        say(in_words(note))


def _fault() -> int:
    # Loaded here, since it is hardly ever needed.
    import traceback

    traceback.print_exc()
    say(tr("this is a fault of simsieve itself: please report it with the lines above"))
    return COULD_NOT_RUN


def _carried_out(words: list[str]) -> int:
    try:
        with cli.make_context("simsieve", words) as context:
            code = cli.invoke(context)
    except click.exceptions.Exit as end:
        return end.exit_code
    sys.stdout.flush()
    return code if isinstance(code, int) else DONE


def _stdout_is_closed() -> bool:
    """Return whether the reader of stdout has gone; the core's message depends on the system's language."""
    try:
        poll = select.poll()
        poll.register(sys.stdout.fileno(), select.POLLOUT)
        return any(event & (select.POLLERR | select.POLLHUP) for _, event in poll.poll(0))
    except (OSError, ValueError, AttributeError):
        return False


def _pipe_closed() -> int:
    _give_up_stdout()
    return DONE


def _give_up_stdout() -> None:
    # Python would fail again when it flushes stdout at the end; it flushes to the null device instead.
    try:
        nothing = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nothing, sys.stdout.fileno())
    except (OSError, ValueError):
        pass
