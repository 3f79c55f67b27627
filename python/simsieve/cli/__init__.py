"""The command line: one file for each command; this file is common to all.

Results go to stdout, progress and messages to stderr. Exit codes: 0 done; 1 done, with more failed records than
`--max-failed` allows; 2 could not run, with a message of one line; 130 interrupted. A closed pipe on stdout is a normal
end.
"""

import atexit
import errno
import gc
import os
import select
import sys
from collections.abc import Iterator, Mapping, MutableMapping, Sequence
from importlib import import_module
from itertools import chain
from typing import cast

import click

from simsieve._core import __version__, exit_when_memory_runs_out
from simsieve.cli.common import COULD_NOT_RUN, DONE, INTERRUPTED, WORDS, say
from simsieve.cli.completion import completed
from simsieve.cli.help import Group
from simsieve.cli.hints import check_command, error_text
from simsieve.config.words import from_file, in_words
from simsieve.errors import SimsieveError, SinkError
from simsieve.messages import speak, tr

_STDOUT_FAILS = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO, errno.EBADF)
"""What the system says where standard output takes no more."""
_SHOWN = 80
"""Characters that a message shows of a text that is no UTF-8."""


class Commands(Mapping[str, click.Command]):
    """The commands by their names, each from the module of its name, which is loaded when the command is first used."""

    def __init__(self, *names: str) -> None:
        self._names = names

    def __getitem__(self, name: str) -> click.Command:
        if name not in self._names:
            raise KeyError(name)
        return cast("click.Command", getattr(import_module(f"simsieve.cli.{name}"), name))

    def __iter__(self) -> Iterator[str]:
        return iter(self._names)

    def __len__(self) -> int:
        return len(self._names)


SECTIONS = {
    "Clean": ("dedup", "app", "lines", "templates"),
    "Look": ("pairs", "compare", "passages", "review", "thresholds", "features"),
    "Measure and keep": (
        "calibrate", "evaluate", "plan", "fit", "schemes", "fingerprint", "index", "serve", "mcp", "mongo",
        "completion",
    ),
}  # fmt: skip
"""The commands by what they are for."""


class Program(Group):
    """The program: a file in place of a command is answered with the command line that was meant."""

    sections = SECTIONS

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


@click.group(cls=Program, commands=cast("MutableMapping[str, click.Command]", Commands(*chain(*SECTIONS.values()))))
@click.version_option(__version__, "-V", "--version", prog_name="simsieve")
def cli() -> None:
    """Find the near-duplicates in a collection of texts, keep one of each, and say why.

    Exit codes: 0 done; 1 done, with more failed records than --max-failed allows; 2 could not run; 130 interrupted.
    """


def main(arguments: Sequence[str] | None = None) -> int:
    """Carry out a command line."""
    answered = completed(cli) if arguments is None else None
    if answered is not None:
        return answered
    if arguments is None:
        exit_when_memory_runs_out()
        # The process ends with a search for circles among all objects: 0.03 CPU seconds. All memory goes anyway.
        atexit.register(gc.freeze)
        # numpy starts a thread of OpenBLAS for each processor when it is imported: 0.06 CPU seconds on two. No command
        # multiplies matrices.
        os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
        _open_streams()
    from_file(())
    speak()
    words = list(sys.argv[1:] if arguments is None else arguments) or ["--help"]
    try:
        return _carried_out(words)
    except KeyboardInterrupt as stop:
        say(tr("interrupted; nothing was left half written"))
        _say_notes(stop)
        return INTERRUPTED
    except Exception as error:  # noqa: BLE001 - the exit code 1 that Python would give means something else here
        return _failed(error)


def _failed(error: Exception) -> int:
    """Say what went wrong in one line, and give the exit code."""
    # The core names the sink first.
    is_pipe = isinstance(error, SinkError) and str(error).startswith("-: ") and _stdout_is_closed()
    if is_pipe or isinstance(error, BrokenPipeError):
        _give_up_stdout()
        return DONE
    said = _line_of(error)
    if said is None:
        # Loaded here, since it is hardly ever needed.
        import traceback

        traceback.print_exc()
        said = tr("this is a fault of simsieve itself: please report it with the lines above")
    say(said)
    _say_notes(error)
    return getattr(error, "exit_code", COULD_NOT_RUN)


def _line_of(error: Exception) -> str | None:
    """Write an error as one line; None where it is a fault of simsieve itself."""
    if isinstance(error, (click.ClickException, SimsieveError)):
        return error_text(error)
    if isinstance(error, MemoryError):
        return tr("the memory is used up; use a machine with more, or ask `simsieve plan` how much a run takes")
    if isinstance(error, RecursionError):
        return tr("a value is nested too deep; make it flatter, or leave it out")
    if isinstance(error, UnicodeError):
        shown = ascii(getattr(error, "object", ""))[:_SHOWN]
        return tr("{value} is no text in UTF-8: give names and values in UTF-8", value=shown)
    return _of_system(error) if isinstance(error, OSError) else None


def _open_streams() -> None:
    """Put something in place of standard streams that are closed, so that no file of a run takes their numbers.

    Standard output is opened for reading, so that whoever writes there gets an error. A folder is what nobody reads.
    """
    for number, (path, flags) in enumerate((("/", os.O_RDONLY), (os.devnull, os.O_RDONLY), (os.devnull, os.O_WRONLY))):
        try:
            os.fstat(number)
        except OSError:
            os.dup2(os.open(path, flags), number)
    # Python has no object for a stream that was closed when it began.
    sys.stdin = sys.stdin or open(os.devnull)  # noqa: SIM115 - open as long as the process
    sys.stdout = sys.stdout or open(1, "w", closefd=False)  # noqa: SIM115 - as above
    sys.stderr = sys.stderr or open(2, "w", closefd=False)  # noqa: SIM115 - as above


def _of_system(error: OSError) -> str:
    """Write what the system says: of standard output, the current folder, a file, or something else."""
    why = in_words(error.strerror or str(error))
    if error.filename is None and error.errno in _STDOUT_FAILS:
        _give_up_stdout()
        if error.errno == errno.EBADF:
            return tr("-: standard output is closed; leave it open, or write to a file")
        return tr("-: standard output cannot be written: {why}; free some space, or write elsewhere", why=why)
    try:
        os.getcwd()
    except OSError:
        return tr("the current folder cannot be found ({why}): change to one that exists", why=why)
    name = os.fspath(error.filename) if isinstance(error.filename, str | os.PathLike) else ""
    return tr("{name}: the system says: {why}", name=name, why=why) if name else tr("the system says: {why}", why=why)


def _say_notes(error: BaseException) -> None:
    """Write what else there is to say of an error, such as how a run goes on."""
    for note in getattr(error, "__notes__", ()):
        say(in_words(note))


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


def _give_up_stdout() -> None:
    # Python would fail again when it flushes stdout at the end; it flushes to the null device instead.
    try:
        nothing = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nothing, sys.stdout.fileno())
    except (OSError, ValueError):
        pass
