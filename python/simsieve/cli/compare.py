"""`simsieve compare`: compare two texts."""

import json
import os
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from click.core import ParameterSource

from simsieve.cli.common import echo, page_of, text_file, warned
from simsieve.cli.given import Configured, given_settings, is_given
from simsieve.cli.options import PATH, json_option, option, settings_options
from simsieve.config.formats import is_document
from simsieve.config.pair_rows import id_text
from simsieve.config.setting import INPUT
from simsieve.config.settings import SETTINGS, DedupConfig
from simsieve.config.words import in_words
from simsieve.errors import ConfigError, SourceError, TextError
from simsieve.messages import tr
from simsieve.registry import is_picture
from simsieve.report.table import aligned
from simsieve.schemes.scheme import DEFAULT_SCHEME, load_scheme

if TYPE_CHECKING:
    from simsieve.comparison.records import Beside

_SHOWN = 20
_OF_RECORDS = [name for name, row in SETTINGS.items() if "compare" in row.of and "edits" not in row.of]
"""The settings that are about two records, and not about the features of a text."""


@click.command(
    cls=Configured,
    examples=(
        "simsieve compare old.txt new.txt",
        'simsieve compare --text "the quick brown fox" "the quick red fox"',
        "simsieve compare corpus.jsonl:1 corpus.jsonl:7",
        "simsieve compare old.html new.html --extract main",
        "simsieve compare old.txt new.txt --json",
    ),
)
@click.argument("a", metavar="A", type=PATH)
@click.argument("b", metavar="B", type=PATH)
@option("--text", "literal", is_flag=True, help="A and B are the texts themselves, not files.", group=INPUT)
@settings_options("compare")
@json_option("One JSON object, with every difference.")
def compare(*, a: str, b: str, literal: bool, as_json: bool, **settings: Any) -> int:
    """Compare two texts by every measure, and show where they differ.

    The measures are distance, similarity, Jaccard similarity, containment both ways, edits of characters, and of pages
    edits of elements. A and B are files of UTF-8 text, one of them may be `-` for stdin. FILE:N is the N-th record of a
    file of records, from 1 on; FILE:ID is the one with that id. With --extract, or a scheme on pages, they are pages in
    any encoding that browsers know, and the differences are those of what is extracted. Under a scheme of pictures,
    such as phash64, they are pictures. With --field, or rules such as --near, two records are compared field by field,
    and what decides is told.
    """
    from simsieve.comparison.explain import explain
    from simsieve.comparison.records import beside
    from simsieve.run.schemes import chosen_schemes, only_criterion, with_input
    from simsieve.sinks.fields import in_lines

    if not literal and a == "-" and b == "-":
        raise ConfigError(tr("A and B are both stdin: give one of them as a file"))
    config = DedupConfig.from_settings(given_settings(settings))
    criterion = config.criteria[0] if config.field else only_criterion(config, "a comparison")
    used = with_input(criterion.scheme, config)
    takes_pages = load_scheme(used).takes_pages
    read = page_of if takes_pages else text_file
    records = [None if literal else _record(name, config) for name in (a, b)]
    _check_records((a, b), records)
    texts = [
        name if literal else read(name) if record is None else record[0]
        for name, record in zip((a, b), records, strict=True)
    ]
    by_fields = None
    values = [record[1] for record in records if record is not None]
    if len(values) > 1 and any(is_given(click.get_current_context(), name) for name in _OF_RECORDS):
        by_fields = beside((texts[0], texts[1]), values, config, chosen_schemes(config))
    one, other = (in_lines(text) if config.field else text for text in texts)
    try:
        found = explain(one, other, used)
    except TextError as error:
        name = ("B" if error.index else "A") if literal else (a, b)[error.index]
        raise TextError.of(name, error) from error
    report = found.as_json()
    if by_fields is not None:
        report |= by_fields._asdict()
    if as_json:
        echo(json.dumps(report, ensure_ascii=False))
        return 0
    rows = [] if by_fields is None else _rows_of(by_fields)
    if found.similarity is None:
        rows.append((tr("similarity"), tr("none: the scheme has no features")))
    else:
        both = tr("{a:.4f} of a in b, {b:.4f} of b in a", a=found.a_in_b, b=found.b_in_a)
        rows += [
            (tr("similarity"), f"{found.similarity:.4f}"),
            ("jaccard", f"{found.jaccard:.4f}"),
            (tr("containment"), both),
            (tr("edit"), _value(found.edit, found.edit_note)),
        ]
        if takes_pages:
            rows.append((tr("tree edit"), _value(found.tree_edit, found.tree_edit_note)))
    apart = tr("none: a text has no features") if found.distance is None else tr("{count} bits", count=found.distance)
    rows.append((tr("distance"), apart))
    if found.estimate is not None:
        value, low, high = found.estimate
        rows.append(
            (tr("estimate"), tr("{value:.4f} ({low:.4f} to {high:.4f}), by the bits", value=value, low=low, high=high))
        )
    rows += [(side, report[side] or tr("no features")) for side in ("a", "b")]
    echo(aligned(rows, gap=1))
    for difference in found.differences[:_SHOWN]:
        place = tr("at {a}, {b}:  ", a=difference.a_start, b=difference.b_start)
        echo(f"{place}{difference.a!r} -> {difference.b!r}")
    if len(found.differences) > _SHOWN:
        left = len(found.differences) - _SHOWN
        echo(tr("and {count:,} more differences; --json lists them all", count=left))
    return 0


def _check_records(names: Sequence[str], records: Sequence[object]) -> None:
    """Refuse options on fields of records where there are texts."""
    context = click.get_current_context()
    needs = _OF_RECORDS if any(records) else [*_OF_RECORDS, "text_field"]
    # A file of settings is for other commands, too.
    said = (name for name in needs if context.get_parameter_source(name) is ParameterSource.COMMANDLINE)
    given = next((SETTINGS[name].option for name in said), None)
    if None in records and given is not None:
        path = names[records.index(None)]
        raise ConfigError(
            tr("{option} is for records: give FILE:N or FILE:ID in place of {path}", option=given, path=path)
        )


def _rows_of(found: "Beside") -> list[tuple[str, str]]:
    said = {True: tr("agrees"), False: tr("does not agree"), None: tr("not known")}
    decision = tr("near: {why}") if found.is_near else tr("not near: {why}")
    return [
        *((name, said[None] if value is None else f"{round(value, 4):g}") for name, value in found.fields.items()),
        *((rule, said[agree]) for rule, agree in found.rules.items()),
        (tr("by these"), decision.format(why=in_words(found.why))),
    ]


def _value(value: float | None, note: str | None) -> str:
    return tr("none: ") + in_words(str(note)) if value is None else f"{value:.4f}"


def _record(name: str, config: DedupConfig) -> tuple[str, Mapping[str, Any]] | None:
    """The text and fields of a record named as FILE:N or FILE:ID, of a paper or a picture's hash; None of others."""
    import numpy as np

    from simsieve import _core
    from simsieve.run.schemes import chosen_schemes, without_thresholds
    from simsieve.run.steps import load, open_store
    from simsieve.sinks.fields import values_of
    from simsieve.sources.fields import known_value, with_text_fields
    from simsieve.sources.opening import open_source

    path, _, wanted = name.rpartition(":")
    # Only its text is wanted, whatever the scheme is.
    reading = replace(config, scheme=DEFAULT_SCHEME)
    if config.has_pictures and is_picture(name):
        path, wanted, reading = name, "1", without_thresholds(config)
    elif is_document(name, config.each, config.input_format) and os.path.isfile(name):
        path, wanted = name, "1"
    elif os.path.exists(name) or not os.path.isfile(path):
        return None
    source = open_source(Path(path), reading)
    store, reading = open_store(source, reading, None, warned)

    def found(documents: _core.Documents, place: int) -> tuple[str, Mapping[str, Any]]:
        named = with_text_fields(store, reading)
        fields = (*named.equal_fields, *named.rule_fields)
        read = values_of(source.row_sinks(), store, np.array([place]), fields).get(place, {}) if fields else {}
        # Under the names of the settings, which two files may have in other words.
        rules = zip(config.field_rules, named.field_rules, strict=True)
        values = {of[0]: known_value(names, read) for (of, *_), (names, *_) in rules}
        return documents.text(place), values | {
            of: read.get(name) for of, name in zip(config.equal_fields, named.equal_fields, strict=True)
        }

    if not wanted.isascii() or not wanted.isdigit():
        documents = load(store, chosen_schemes(reading), reading, None)
        ids = (documents.id(at) for at in range(store.new_len))
        place = next((at for at, one in enumerate(ids) if one not in (None, "") and id_text(one) == wanted), None)
        if place is None:
            text = tr("{path} has no record with the id {name}: give FILE:N, its number from 1 on")
            raise ConfigError(text.format(path=path, name=repr(wanted)))
        return found(documents, place)
    number = int(wanted)
    if not 1 <= number <= store.new_len:
        text = tr(
            "{path} has {count:,} records: there is no record {number}", path=path, count=store.new_len, number=number
        )
        raise ConfigError(text)
    documents = load(store.first(number), chosen_schemes(reading), reading, None)
    failure = next((message for at, _, message in documents.failures() if at == number - 1), None)
    if failure is not None:
        raise SourceError(failure)
    return found(documents, number - 1)
