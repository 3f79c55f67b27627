"""`simsieve compare`: compare two texts."""

import json
import os
from dataclasses import replace
from pathlib import Path
from typing import Any

import click
from click.core import ParameterSource

from simsieve.cli.common import echo, page_of, text_file, warned
from simsieve.cli.given import Configured
from simsieve.cli.options import PATH, json_option, option, settings_options
from simsieve.config.formats import is_document
from simsieve.config.pair_rows import id_text
from simsieve.config.setting import INPUT
from simsieve.config.settings import DedupConfig
from simsieve.config.words import in_words
from simsieve.errors import ConfigError, SourceError, TextError
from simsieve.messages import tr
from simsieve.registry import is_picture
from simsieve.report.table import aligned
from simsieve.schemes.scheme import DEFAULT_SCHEME, load_scheme

_SHOWN = 20


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
    such as phash64, they are pictures.
    """
    from simsieve.comparison.explain import explain
    from simsieve.run.schemes import only_criterion, with_input

    if not literal and a == "-" and b == "-":
        raise ConfigError(tr("A and B are both stdin: give one of them as a file"))
    config = DedupConfig.from_settings(settings)
    used = with_input(only_criterion(config, "a comparison").scheme, config)
    takes_pages = load_scheme(used).takes_pages
    read = page_of if takes_pages else text_file
    records = [None if literal else _record(name, config) for name in (a, b)]
    context = click.get_current_context()
    if records == [None, None] and context.get_parameter_source("text_field") == ParameterSource.COMMANDLINE:
        raise ConfigError(tr("--text-field is for records: give FILE:N or FILE:ID in place of {path}", path=a))
    one, other = (
        name if literal else read(name) if text is None else text for name, text in zip((a, b), records, strict=True)
    )
    try:
        found = explain(one, other, used)
    except TextError as error:
        name = ("B" if error.index else "A") if literal else (a, b)[error.index]
        raise TextError.of(name, error) from error
    report = found.as_json()
    if as_json:
        echo(json.dumps(report, ensure_ascii=False))
        return 0
    rows = []
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


def _value(value: float | None, note: str | None) -> str:
    return tr("none: ") + in_words(str(note)) if value is None else f"{value:.4f}"


def _record(name: str, config: DedupConfig) -> str | None:
    """The text of a record named as FILE:N or FILE:ID, or of a paper, or the hash of a picture; None of others."""
    from simsieve.run.schemes import chosen_schemes, without_thresholds
    from simsieve.run.steps import load, open_store
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
    store, reading = open_store(open_source(Path(path), reading), reading, None, warned)
    if not wanted.isascii() or not wanted.isdigit():
        documents = load(store, chosen_schemes(reading), reading, None)
        ids = (documents.id(at) for at in range(store.new_len))
        place = next((at for at, one in enumerate(ids) if one not in (None, "") and id_text(one) == wanted), None)
        if place is None:
            text = tr("{path} has no record with the id {name}: give FILE:N, its number from 1 on")
            raise ConfigError(text.format(path=path, name=repr(wanted)))
        return documents.text(place)
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
    return documents.text(number - 1)
