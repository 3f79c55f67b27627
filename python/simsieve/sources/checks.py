"""Sources are read and checked: whether there is anything to read, and how it is read. `fields` checks their fields."""

import itertools
import os
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace

from simsieve import _core
from simsieve.config.formats import has_records, is_text, rules_of
from simsieve.config.rows import LINE
from simsieve.config.settings import SETTINGS, DedupConfig
from simsieve.errors import ConfigError, GuessedEncodingWarning, SourceError
from simsieve.messages import Listed, Message
from simsieve.registry import is_picture
from simsieve.sources.base import ENDINGS, Files, Source, noted_copies
from simsieve.sources.fields import check_fields, check_rules, with_text_fields
from simsieve.sources.folders import counts_by, ending_of, files_below
from simsieve.types import Progress

_SHOWN = 8
_SMALL = 4096
"""Bytes of a file that may have no record: a header, a byte-order mark or line ends alone."""


class Guess(Message):
    """The text of a warning of an encoding that was found by trying."""

    category = GuessedEncodingWarning


def check_each(config: DedupConfig, *sources: Source) -> None:
    """Check that what says which texts are documents has a source with texts; what has records is read by records."""
    given = next((name for name in ("each", "suffix") if getattr(config, name) != SETTINGS[name].default), None)
    if given is None or any(source.has_texts for source in sources):
        return
    if given == "each" and (paths := [path for source in sources for path in source.given_names]):
        raise ConfigError(
            "{path}: has records, and each {each} is of texts; leave it out", path=paths[0], each=config.each
        )
    if not all(source.is_named for source in sources):
        raise ConfigError(
            "{name} {value!r} is for files: leave it out for texts and records",
            name=given, value=getattr(config, given),
        )  # fmt: skip


def read_checked(
    opened: Source, config: DedupConfig, progress: Progress | None, warn: Callable[[str], None],
    directory: _core.RunDirectory | None, *, checked: DedupConfig, tell: Callable[[str], None],
    warn_unread: Callable[[str], None], knows_fields: bool = False,
) -> tuple[_core.Records, DedupConfig]:  # fmt: skip
    """Read a source and check what was read; give the records, and the settings with the text fields that they have."""
    opened.keep_in(directory, progress, warn)
    opened.knows_fields = knows_fields
    records = opened.read(config, noted_copies(opened.paths, config, progress, tell))
    _check_read(opened, records, config, warn)
    opened.left_out.tell(" ".join(opened.given_names[:1]), tell, warn_unread)
    _warn_of_delimiters(records, config, warn)
    _warn_of_quotes(records, config, warn)
    _warn_of_lines(opened, config, warn)
    reading = with_text_fields(records, checked)
    if not opened.checks_fields:
        check_fields(records, reading, warn, knows_fields=knows_fields)
    elif opened.columns is not None and not knows_fields:
        # Dots reach into a column.
        named = (*reading.text_field, *reading.rule_fields, *reading.equal_fields)
        inner = [name for name in named if name.partition(".")[0] in opened.columns]
        check_rules(list(dict.fromkeys([*opened.columns, *inner])), reading)
    return records, reading


def _check_read(opened: Source, records: _core.Records, config: DedupConfig, warn: Callable[[str], None]) -> None:
    """Check that there are records in each source, where they are files and folders."""
    if not opened.is_named or opened.reads_on or (records.new_len and records.new_len == config.limit):
        return
    if not records.new_len and records.left_out[1]:
        # What they have is read elsewhere in the run.
        return
    # Without records no source has any; with some, a source alone has them.
    beside = opened.paths if isinstance(opened, Files) and len(opened.paths) > 1 else ()
    empty = [path for path in beside if _has_nothing(opened, path, config)] if records.new_len else list(opened.paths)
    for folder in filter(os.path.isdir, empty):
        lack = _folder_without_texts(folder, config)
        if not config.allow_empty:
            raise SourceError("{lack}, or {@allow_empty} if it may be empty", lack=lack)
        warn(lack)
    files = [path for path in empty if not os.path.isdir(path)]
    if files:
        more = Message(" and {count:,} others", count=len(files) - _SHOWN) if len(files) > _SHOWN else ""
        named = Listed("standard input" if path == "-" else path for path in files[:_SHOWN])
        warn(Message("nothing was read from {named}{more}: it has no record", named=named, more=more))


def _has_nothing(opened: Source, path: str, config: DedupConfig) -> bool:
    """Whether a source beside others has no record: a folder, or a file so small that it costs nothing to open it."""
    # A pipe is read once.
    place = opened.of_objects.place(path) if opened.of_objects else path
    if not os.path.isdir(place) and not (os.path.isfile(place) and os.path.getsize(place) <= _SMALL):
        return False
    return not len(Files((path,), opened.of_objects).spool(replace(config, limit=1)))


def _folder_without_texts(folder: str, config: DedupConfig) -> str:
    endings = (ending_of(os.path.basename(path).lower()) for path in files_below(folder))
    others = Counter(filter(None, endings))
    if not others:
        return Message("{folder}: the folder has no file; check the name, or give a file", folder=folder)
    wanted = config.suffix or ((".txt",) if config.each == LINE else (".txt", ".md", ".html", *ENDINGS))
    lack = Message(
        "{folder}: the folder has no {listed} file, but {counts_by}",
        folder=folder, listed=_listed(wanted), counts_by=counts_by(others),
    )  # fmt: skip
    if config.has_pictures:
        return Message(
            "{folder}: the folder has no picture, but {counts_by}: give a folder of pictures",
            folder=folder, counts_by=counts_by(others),
        )  # fmt: skip
    if any(map(is_picture, others)):
        return Message("{lack}: copies of pictures are found with {@scheme} phash64", lack=lack)
    known = next((ending for ending, _ in others.most_common() if is_text(ending) or has_records(ending)), None)
    if known is None:
        return Message(
            "{lack}: {@`suffix`} names the files that are documents, such as {most_common}",
            lack=lack, most_common=others.most_common(1)[0][0],
        )  # fmt: skip
    nested = not any(ending_of(name.lower()) == known for name in os.listdir(folder))
    pattern = os.path.join(folder, "**" if nested else "", f"*{known}")
    return f"{lack}: give '{pattern}'"


def _listed(names: Sequence[str]) -> str:
    return " or ".join(filter(None, (", ".join(names[:-1]), names[-1])))


def _warn_of_lines(opened: Source, config: DedupConfig, warn: Callable[[str], None]) -> None:
    """Warn where several texts are named, and nothing says whether a file or a line is a document."""
    if config.each is None and config.input_format is None:
        texts = [path for path in opened.given_names if is_text(path) and not os.path.isdir(path)]
        if len(texts) > 1:
            warn(Message(
                "each line of {count:,} .txt files is a document: give {@`each`} file to compare whole files, or "
                "line",
                count=len(texts),
            ))  # fmt: skip


_NAMED = {";": "semicolons", "\t": "tabs"}


def _warn_of_delimiters(records: _core.Records, config: DedupConfig, warn: Callable[[str], None]) -> None:
    """Warn of the sign between the fields of tables where it is not the comma that their name promises."""
    for path, sign in records.delimiters if config.delimiter is None else ():
        if sign != "," and not (sign == "\t" and _is_tsv(path, config)):
            name = "standard input" if os.fspath(path) == "-" else path
            found = _NAMED.get(sign, repr(sign))
            warn(Message(
                "{name} is read with {found} between its fields, as was found; {@`delimiter`} names another",
                name=name, found=found,
            ))  # fmt: skip


def _warn_of_quotes(records: _core.Records, config: DedupConfig, warn: Callable[[str], None]) -> None:
    """Warn of tables whose quotes were found to be data, and of quoted fields that hold what looks like rows."""
    for path, quoted, failed, fields, lines in records.quotes if config.quoting == "auto" else ():
        name = "standard input" if os.fspath(path) == "-" else path
        if not quoted:
            warn(Message(
                "{name} is read with quotes as data, as was found: else {failed:,} of its rows fail, and "
                "{fields:,} quoted fields swallow {lines:,} lines that look like rows; {@`quoting`} minimal reads "
                "it so",
                name=name, failed=failed, fields=fields, lines=lines,
            ))  # fmt: skip
        elif fields:
            warn(Message(
                "{name} has {fields:,} quoted fields with {lines:,} lines that look like rows; {@`quoting`} none "
                "makes them rows",
                name=name, fields=fields, lines=lines,
            ))  # fmt: skip


def _is_tsv(path: os.PathLike[str], config: DedupConfig) -> bool:
    name = os.fspath(path).lower()
    return config.input_format == "tsv" or (
        config.input_format is None and name.removesuffix(".gz").removesuffix(".zst").endswith(".tsv")
    )


def check_patterns(paths: Sequence[str], config: DedupConfig) -> None:
    """Check that each pattern of the setting `encoding` matches a source, or a file of one that is a folder."""
    for pattern, name in rules_of(config.encoding):
        if pattern is None or _core.matches(pattern, paths):
            continue
        if not _core.matches(pattern, itertools.chain.from_iterable(map(files_below, paths))):
            raise ConfigError(
                "encoding {pattern}={name}: no source matches the pattern {pattern!r}; check it, or leave it out",
                pattern=pattern, name=name,
            )  # fmt: skip


def warn_of_guesses(records: _core.Records, warn: Callable[[str], None]) -> None:
    """Warn of sources that are read in another encoding than UTF-8 because it was found by trying."""
    guesses = [(os.fspath(path), name) for path, name, found in records.encodings if found and name != "UTF-8"]
    for path, name in guesses[:_SHOWN]:
        shown = "standard input" if path == "-" else path
        warn(Guess(
            "{shown} is read as {name}, as was found by trying; {@`encoding`} names another", shown=shown, name=name
        ))  # fmt: skip
    if len(guesses) > _SHOWN:
        others = len(guesses) - _SHOWN
        warn(Guess(
            "{others:,} other sources are read in encodings that were found by trying: the summary lists them",
            others=others,
        ))  # fmt: skip
