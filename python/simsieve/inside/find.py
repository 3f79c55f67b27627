"""The run of `simsieve passages`: from checked settings to the passages of a collection."""

import os
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Unpack

import numpy as np

from simsieve import _core
from simsieve.checks import check_integer, check_real
from simsieve.config.checks import some_names
from simsieve.config.formats import DOCUMENTS
from simsieve.config.rows import FILE
from simsieve.config.settings import DedupConfig, check_taken
from simsieve.config.typed import PassageSettings, with_settings
from simsieve.errors import ConfigError, short_errors
from simsieve.inside.exclude import FINDERS, KINDS, Place, merged, units, widened
from simsieve.inside.result import PassageResult, ShownFields
from simsieve.messages import Message
from simsieve.progress import chosen_progress
from simsieve.registry import is_whole, on_disk
from simsieve.results.run import warn_of_failed
from simsieve.run.against import index_named, kept_rows, open_index
from simsieve.run.forecast import LEAST_BYTES, UNBOUNDED_BYTES, Warn, memory_bound, warn_program
from simsieve.run.no_effect import warn_of_markup
from simsieve.run.schemes import chosen_schemes
from simsieve.run.steps import open_store
from simsieve.sinks.checks import Output, check_outputs, write_outputs
from simsieve.sources.base import AnySource, Source
from simsieve.sources.checks import check_each
from simsieve.sources.fields import shown_fields
from simsieve.sources.opening import apart_from, check_old, open_source
from simsieve.sources.records import Records
from simsieve.types import Progress, ProgressOption

MIN_LENGTH, MIN_ITEM, COMMON, MOST_PLACES, JOINED = 60, 16, 20, 2**31 - 1, 150
"""The least units of a passage and those of one in an item, the usual bound of `common` and the highest, and the
letters between two pieces of a passage."""
_BYTES_OF_A_BYTE = 2
"""Memory for anchors and hits, or for units, for each byte of text."""
_HITS_OF_A_BYTE = 32
"""The same for hits where much is shared; where these fit into memory no file is made."""


@with_settings
def passages(
    source: AnySource,
    *,
    against: AnySource | None = None,
    against_text_field: str | Sequence[str] | None = None,
    min_length: int | None = None,
    min_share: float = 0.0,
    contained: float | None = None,
    doubtful: bool = False,
    exclude: Sequence[str] = (),
    common: int = COMMON,
    anchors: str | os.PathLike[str] | None = None,
    pieces: bool = False,
    within: bool = False,
    show: str | Sequence[str] = (),
    own: str | None = None,
    progress: ProgressOption = None,
    **settings: Unpack[PassageSettings],
) -> PassageResult:
    """Find the passages that documents share, though the rest of them differs.

    Source: winnowing (Schleimer, Wilkerson and Aiken, "Winnowing: local algorithms for document fingerprinting",
    2003) finds places where two texts may be equal; each is followed on both texts over edits, as far as they agree.

    Args:
        source: The documents, as for `dedup`.
        against: What they are held against, as for `dedup`, or the directory of an index, whose kept documents are
            meant; without it each is held against the earlier ones.
        against_text_field: The field of `against` that holds the text, or several, where `text_field` is of the
            documents alone.
        min_length: The least length of a passage in units: a Chinese, Japanese or Korean character is 2, another letter
            or digit 1, spaces and punctuation are none. By default 60, and with `contained` 16.
        min_share: The least share of a document that it has in common with a source, in [0, 1].
        contained: The least share of a source that stands in a document, in (0, 1]: with test items as `against` this
            finds those that have leaked into `source`. A row in which more than 12 units of the item are lacking in one
            run is left out, and one of other numbers; of an item that is in more than `common` documents 4 units.
        doubtful: Give these rows too, with `doubt`.
        exclude: `"quotes"` and `"references"`, whose text does not count, and files whose passages do not count.
            Passages end at the borders of excluded text, and shares are of the other text.
        common: What stands in more sources is common. With `against` a document has a row for the first of these, and
            the span says how many they are; without it common text leads to no pair, and `totals` has its share. Equal
            sources count once; with `contained` each of them has its rows, else this many.
        anchors: A file that keeps the anchors of `against`, 12 bytes for each seven characters: the next call with
            the same records does not read them through again. It is made where it is missing or does not fit.
        pieces: List the pieces of a passage, as `contained` does. By default pieces of a pair with at most 150 letters
            between them in either text are one passage.
        within: Hold each document against itself too, for a part that comes twice; without `against`.
        show: Fields that name documents and sources on the page in place of their ids, such as `"title"`.
        own: The field of the author, such as `"student"`: what a document shares with works of the same author has rows
            with `own_work`, and counts in `own_works_share` alone.
        progress: As for `dedup`.
        **settings: `text_field`, `id_field`, `extract`, `threads`, `memory` and how the records are read; see `dedup`.

    Returns:
        A row for each document and source, the totals of each document, `write` and `report`.

    Raises:
        ConfigError: A setting is unknown or not allowed.
        SimsieveError: As for `dedup`.

    Example:
        >>> line = "every passage of this length is found wherever it stands in a longer text"
        >>> result = passages([f"One text begins. {line}."], against=["something else", f"{line}, and it goes on"])
        >>> [(row.document_position, row.source_position, row.spans[0].start) for row in result]
        [(0, 1, 17)]
    """
    with short_errors, chosen_progress(progress) as shows:
        check_taken("passages", settings, tuple(PassageSettings.__annotations__))
        config = DedupConfig.from_settings(settings)
        result = run_passages(
            source, against, config, min_length, min_share, contained, exclude, common, anchors, against_text_field,
            pieces=pieces, within=within, show=show, own=own, doubtful=doubtful, progress=shows,
        )  # fmt: skip
    warn_of_failed(config, result.failures(), result.read)
    warn_of_failed(config, result.old_failures(), result.old_read, what="old records", listed="old_failures()")
    return result


def run_passages(
    source: AnySource,
    against: AnySource | None,
    config: DedupConfig,
    min_length: int | None = None,
    min_share: float = 0.0,
    contained: float | None = None,
    exclude: Sequence[str] = (),
    common: int = COMMON,
    anchors: str | os.PathLike[str] | None = None,
    against_text_field: str | Sequence[str] | None = None,
    *,
    pieces: bool = False,
    within: bool = False,
    show: str | Sequence[str] = (),
    own: str | None = None,
    doubtful: bool = False,
    outputs: Sequence[Output] = (),
    progress: Progress | None = None,
    warn: Warn = warn_program,
) -> PassageResult:
    """Find passages with checked settings of reading, and write the outputs of the result."""
    least = MIN_LENGTH if contained is None else MIN_ITEM
    length = least if min_length is None else check_integer("min_length", min_length, 1, MOST_PLACES)
    most = check_integer("common", common, 1, MOST_PLACES)
    share = check_real("min_share", min_share, "[0, 1]", lambda x: 0 <= x <= 1)
    _check_together(against, anchors, contained, within=within, doubtful=doubtful)
    held = 0.0 if contained is None else check_real("contained", contained, "(0, 1]", lambda x: 0 < x <= 1)
    for name in exclude:
        if not isinstance(name, str) or not name:
            raise ConfigError(
                "exclude {name!r} is no name: give quotes, references, or a file whose text does not count", name=name
            )
    (scheme,) = chosen_schemes(config)
    new_source = open_source(source, _of_files(source, config))
    old_text = () if not against_text_field else some_names("against_text_field", against_text_field)
    if old_text and (against is None or index_named(against) is not None):
        raise ConfigError(
            "{@against_text_field} {names!r} is of old records that are read: name these with {@against}, or leave it "
            "out",
            names=", ".join(old_text),
        )
    old_config = replace(_of_files(against, config), limit=None, text_field=old_text or config.text_field)
    old_source = None if against is None else _old(against, old_config)
    index = index_named(against)
    old_paths = () if old_source is None else old_source.paths if index is None else (str(index),)
    check_outputs(outputs, (*new_source.paths, *old_paths))
    check_each(config, new_source, *([] if old_source is None else [old_source]))
    kept = None
    store, reading = open_store(new_source, _of_texts(new_source, _of_files(source, config)), progress, warn)
    new, sides = store, [(new_source, store)]
    if old_source is not None:
        old_source = apart_from(new_source, old_source, old_config, warn)
        old, old_reading = _opened_old(old_source, _of_texts(old_source, old_config), progress, warn)
        check_old(old_source, old)
        sides.append((old_source, old))
        store = new.against(old, list(old_text))
        kept = None if anchors is None else _kept(os.fspath(anchors), old, scheme, old_reading, config, progress, warn)
    fields = ShownFields(
        sides, some_names("show", show) if show else (), None if own is None else some_names("own", own)[0]
    )
    warn_of_markup(store, [scheme], reading, warn)
    with run_directory(store, config, progress, _HITS_OF_A_BYTE) as directory:

        def found(
            one: _core.Records, least_length: int, most_places: int, kept: _core.PassageAnchors | None = None
        ) -> _core.Passages:
            fields = (reading.text_field, reading.id_field)
            bound = memory_bound(config) or UNBOUNDED_BYTES
            return _core.Passages(
                one, scheme, *fields, least_length, most_places, config.threads, progress, directory, kept,
                every_copy=contained is not None, cuts=bool(exclude), room=max(bound, LEAST_BYTES),
                joined=JOINED if not pieces and contained is None else 0, within=within,
            )  # fmt: skip

        core = found(store, length, most, kept)
        excluded = _excluded(core, exclude, warn)
        base = [Path(name) for name in exclude if name not in KINDS]
        if base:
            base_config = replace(_of_files(base, config), limit=None)
            old, _ = open_store(open_source(base, base_config), base_config, progress, warn)
            # What stands at many places of the base text is in it all the same.
            columns = found(new.against(old), length, MOST_PLACES).spans()
            for document, start, end in zip(*(columns[at].tolist() for at in (0, 2, 3)), strict=True):
                excluded.setdefault(document, []).append((start, end))
            excluded = {at: widened(places, core.text(at)) for at, places in excluded.items()}
    places = {document: merged(some) for document, some in excluded.items()}
    result = PassageResult(
        core, store, config, places, (share, held), [source for source, _ in sides], length, progress, fields, most,
        doubtful=doubtful,
    )  # fmt: skip
    if contained is not None:
        _tell_short(core, store, warn)
    write_outputs(outputs, result)
    return result


def _check_together(
    against: AnySource | None, anchors: str | os.PathLike[str] | None, contained: float | None, *, within: bool,
    doubtful: bool,
) -> None:  # fmt: skip
    """Refuse settings that say nothing without another one, and those that exclude each other."""
    if doubtful and contained is None:
        raise ConfigError("{@doubtful} is of leaks: give {@contained} too, or leave it out")
    if anchors is not None and against is None:
        raise ConfigError("{@anchors} keeps what is known of old records: name these with {@against}, or leave it out")
    if within and against is not None:
        raise ConfigError("{@within} is of documents that are held against themselves: leave out {@against}")


def _opened_old(
    source: Source, config: DedupConfig, progress: Progress | None, warn: Warn
) -> tuple[_core.Records, DedupConfig]:
    """Open old records; where their text is missing, the message names the setting that is of them alone."""
    try:
        store, reading = open_store(source, config, progress, warn)
    except ConfigError as error:
        if error.id != "source.no_text_field":
            raise
        raise ConfigError(
            "{error}; {@against_text_field} names it where the old records have another one than the documents",
            error=error.message,
        ) from None
    columns = store.columns
    if columns is not None and (lacking := [name for name in reading.text_field if name not in columns]):
        raise ConfigError(
            "no column {name!r} in the old records: there are {columns}; name the one that holds their text with "
            "{@against_text_field}",
            name=lacking[0], columns=shown_fields(columns),
        )  # fmt: skip
    return store, reading


def _old(against: AnySource, config: DedupConfig) -> Source:
    """Look at what the documents are held against."""
    path = index_named(against)
    if path is None:
        return open_source(against, config)
    core, _ = open_index(path)
    # Several fields of a record are one text; that of a kept document is whole.
    first, *others = config.text_field
    rows = ({config.id_field: label, **dict.fromkeys(others, ""), first: text} for label, text, _ in kept_rows(core))
    return Records(rows, config)


def _kept(
    path: str, old: _core.Records, scheme: _core.Scheme, reading: DedupConfig, config: DedupConfig,
    progress: Progress | None, warn: Warn,
) -> _core.PassageAnchors:  # fmt: skip
    """Open the file of the anchors of old records, or make it."""
    was_there = os.path.exists(path)
    with run_directory(old, config, progress) as directory:
        fields = (reading.text_field, reading.id_field)
        kept = _core.PassageAnchors(path, old, scheme, *fields, config.threads, progress, directory)
    if was_there and kept.made:
        warn(Message("{path} was made of other records, or of other fields of them; it is made anew", path=path))
    return kept


def _of_files(given: AnySource | None, config: DedupConfig) -> DedupConfig:
    """The settings of reading, by which a file of text is one document where nothing else is said."""
    named = given if isinstance(given, (list, tuple)) else [Path(given) if isinstance(given, str) else given]
    if config.each is not None or config.input_format is not None:
        return config
    are_texts = all(isinstance(one, os.PathLike) and _is_text(os.fsdecode(one)) for one in named)
    return replace(config, each=FILE) if named and are_texts else config


def _of_texts(source: Source, config: DedupConfig) -> DedupConfig:
    """The settings of reading of one side: what says which texts are documents is for a side that has texts."""
    return config if source.has_texts else replace(config, each=None, suffix=())


def _is_text(name: str) -> bool:
    """Say whether a name is that of a plain file of text on a disk, or a pattern of such names."""
    return is_whole(name) or (name.lower().endswith(DOCUMENTS) and on_disk(name) and not os.path.isdir(name))


def _excluded(core: _core.Passages, kinds: Sequence[str], warn: Warn) -> dict[int, list[Place]]:
    """The quotations and references of the documents that have a passage, as far as they are to be excluded."""
    # Where one kind is most of a text, that is said, so that nobody hides a text between marks.
    finders = [FINDERS[kind] for kind in KINDS if kind in kinds]
    excluded, most = {}, []
    for document in np.unique(core.spans()[0]).tolist() if finders else []:
        text = core.text(document)
        found = [find(text) for find in finders]
        excluded[document] = [place for places in found for place in places]
        if any(2 * sum(units(text[start:end]) for start, end in places) > units(text) for places in found):
            most.append(document)
    if most:
        label = core.id(most[0])
        warn(Message(
            "quotations or references are more than half of {count:,} documents with passages, first of {name}: look "
            "at what {@`exclude`} leaves out there",
            count=len(most), name=most[0] if label is None else label,
        ))  # fmt: skip
    return excluded


@contextmanager
def run_directory(
    store: _core.Records, config: DedupConfig, progress: Progress | None, of_a_byte: int = _BYTES_OF_A_BYTE
) -> Iterator[_core.RunDirectory | None]:
    """Give a temporary run directory where the sorted hits may be more than memory holds."""
    bound = memory_bound(config)
    if bound is None or of_a_byte * store.bytes_read <= bound:
        yield None
        return
    path = tempfile.mkdtemp(prefix="simsieve-", suffix=".rundir")
    directory = _core.RunDirectory(path, "new", max(bound, LEAST_BYTES), [], progress)
    try:
        yield directory
    finally:
        directory.remove()
        directory.close()


def _tell_short(core: _core.Passages, store: _core.Records, warn: Warn) -> None:
    """Say how many items are so short that they may be missed."""
    dense, letters = core.certain
    short = int((core.lengths[store.new_len :] < dense).sum())
    if short:
        warn(Message(
            "{short:,} of {count:,} items have fewer than {dense} characters and may be missed: only a run of {dense} "
            "Chinese characters or {letters} other letters is found for certain",
            short=short, count=len(store) - store.new_len, dense=dense, letters=letters,
        ))  # fmt: skip
