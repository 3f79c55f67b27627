"""`simsieve features`: what a scheme makes of one text."""

import dataclasses
import json
from typing import Any

import click

from simsieve.cli.common import echo, text_file
from simsieve.cli.given import Configured
from simsieve.cli.options import json_option, option, settings_options
from simsieve.config.setting import OUTPUT
from simsieve.config.settings import DedupConfig
from simsieve.messages import tr
from simsieve.schemes.scheme import Scheme
from simsieve.screen import cells


@click.command(
    cls=Configured,
    examples=(
        'simsieve features "the quick brown fox"',
        'simsieve features "一个中文句子" --scheme words64:weights=log',
        "simsieve features - --extract main --json < page.html",
        'simsieve features "苹果和香蕉，苹果更甜" --scheme keywords64 --by-weight',
    ),
)
@click.argument("text", metavar="TEXT")
@option("--by-weight", is_flag=True, help="The heaviest feature first, of equals the first in the text.", group=OUTPUT)
@settings_options("features")
@json_option("A JSON list of objects.")
def features(*, text: str, by_weight: bool, as_json: bool, **settings: Any) -> int:
    """Show the features of a text.

    Each has its weight, its count and its hash. TEXT is the text itself, or `-` for stdin in UTF-8. The features
    are in the order of their first occurrence, or of their weights with --by-weight.
    """
    from simsieve.run.schemes import only_criterion, with_input

    config = DedupConfig.from_settings(settings)
    used = with_input(only_criterion(config, "a list of features").scheme, config)
    found = (Scheme(used) if isinstance(used, str) else used).features(text_file("-") if text == "-" else text)
    if by_weight:
        found.sort(key=lambda feature: -feature.weight)
    if as_json:
        echo(json.dumps([dataclasses.asdict(feature) for feature in found], ensure_ascii=False))
        return 0
    rows = [(f"{one.weight:.4f}", f"{one.count:,}", f"{one.hash:016x}", _in_one_line(one.text)) for one in found]
    head = tr("weight"), tr("count"), tr("hash"), tr("feature")
    widths = [max(cells(row[at]) for row in (head, *rows)) for at in range(3)]
    for row in (head, *rows) if rows else ():
        numbers = (" " * (width - cells(cell)) + cell for cell, width in zip(row, widths, strict=False))
        echo("  ".join((*numbers, row[3])))
    if not rows:
        echo(tr("no features"))
    return 0


def _in_one_line(text: str) -> str:
    return text if text.isprintable() else json.dumps(text, ensure_ascii=False)
