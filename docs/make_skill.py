"""Writes docs/reference/SKILL.md, which tells an assistant when and how to use simsieve; a test checks it is current.

Usage: make_skill.py [FILE]; `-` writes to standard output. It is made of the commands' help and of docs/README.md.
"""

import re
from collections.abc import Iterator
from pathlib import Path

import make_site
from making import written

from simsieve.cli import SECTIONS, cli
from simsieve.cli.help import Command, paragraphs

PAGE = Path(__file__).parent / "reference" / "SKILL.md"
OPENING = """---
name: simsieve
description: Find near-duplicate texts in files, folders, databases and indexes with the command simsieve, keep one of
  each group, and say why. Use it to deduplicate a corpus, to ask whether a text is known, to compare two texts, and to
  find copied passages, repeated lines and test items in training data.
---

# simsieve

This file is made by `docs/make_skill.py` from the help of the commands and the list of pages.

1. Look first: `simsieve dedup SOURCE --dry-run` writes nothing, and prints counts, warnings and the next command.
2. Name the fields where they are not `text` and `id`: `--text-field`, `--id-field`. Where the encoding is not UTF-8,
   give `--encoding auto`.
3. Run with `-o FILE --decisions FILE --run-dir DIR`. Sources are never changed. Tell the user what was dropped, what it
   loses (`lost`) and whether numbers conflict.
4. Results go to standard output, messages to standard error. `--json` is for programs. `simsieve COMMAND --help-all`
   has every option.
5. An error is one line that says what to do. Do that, and do not guess an option.

With the Model Context Protocol `simsieve mcp INDEX FOLDER` has these as tools, and reads nothing else.
"""


def lines() -> Iterator[str]:
    """The page, line by line."""
    yield OPENING
    yield paragraphs(cli)[-1]
    for title, names in SECTIONS.items():
        yield f"\n## {title}\n\n| command | what it does | example |\n|---|---|---|"
        for name in names:
            command = cli.commands[name]
            example = command.examples[0].splitlines()[0] if isinstance(command, Command) and command.examples else ""
            shown = f"`{example}`" if example else f"`simsieve {name} --help`"
            yield f"| `{name}` | {paragraphs(command)[0]} | {shown.replace('|', chr(92) + '|')} |"
    yield "\n## Pages by what the user has\n"
    text = (make_site.ROOT / "docs" / "README.md").read_text(encoding="utf-8")
    table = text.partition("| I have ... | page |")[2].partition("\n\n")[0]
    yield "| the user has | page |"
    # The links of the list of pages are from its own folder.
    yield re.sub(r"\]\((?!http)", "](../", table).strip()


def page() -> str:
    """The whole page."""
    return "\n".join(lines()) + "\n"


if __name__ == "__main__":
    raise SystemExit(written(page, PAGE))
