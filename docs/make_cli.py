"""Writes every command's full help as one page, in English and in Chinese: cli.md and cli.zh.md.

Usage: make_cli.py [FOLDER]; the default is build/docs.
"""

import os
import sys
from pathlib import Path

import click

from simsieve.cli import cli
from simsieve.cli.help import ALL, Context
from simsieve.messages import VARIABLE

FOLDER = Path(__file__).parents[1] / "build" / "docs"
PAGES = {"en": "cli.md", "zh": "cli.zh.md"}
OPENINGS = {
    "en": """# The command line

This page is made from the commands' own help (`--help-all`) by `docs/make_cli.py`. The
same work from Python: `simsieve.dedup`, `simsieve.find_pairs`, `simsieve.Fingerprinter`, `simsieve.similarity` and
`simsieve.schemes`. `simsieve COMMAND --help` shows the usual options only.

The language of help, messages and the closing table is that of the system (`LC_ALL`, `LC_MESSAGES`, `LANG`): Chinese
where it begins with `zh`, otherwise English. `SIMSIEVE_LANG=en` and `SIMSIEVE_LANG=zh` decide before those.
""",
    "zh": """# 命令行

本页由 `docs/make_cli.py` 从各命令自己的帮助（`--help-all`）生成。
`simsieve COMMAND --help` 只显示常用选项。
在 Python 里做同样的事：`simsieve.dedup`、`simsieve.find_pairs`、`simsieve.Fingerprinter`、`simsieve.similarity` 和
`simsieve.schemes`。English: [cli.md](cli.md)

帮助、提示和结尾表格的语言由系统决定（`LC_ALL`、`LC_MESSAGES`、`LANG`）：以 `zh` 开头是中文，否则是英文。
`SIMSIEVE_LANG=zh` 和 `SIMSIEVE_LANG=en` 优先于它们。
""",
}
WIDTH = 100


def help_of(command: click.Command, parent: click.Context | None, name: str) -> str:
    """A command's help as `--help-all` prints it, at a fixed width."""
    context = Context(command, info_name=name, parent=parent, terminal_width=WIDTH, max_content_width=WIDTH)
    context.meta[ALL] = True
    return command.get_help(context)


def page(language: str = "en") -> str:
    """The whole page in a language."""
    before = os.environ.get(VARIABLE)
    os.environ[VARIABLE] = language
    try:
        top = Context(cli, info_name="simsieve", terminal_width=WIDTH, max_content_width=WIDTH)
        sections = [("simsieve", help_of(cli, None, "simsieve"))]
        for name, command in sorted(cli.commands.items()):
            sections.append((f"simsieve {name}", help_of(command, top, name)))
            if isinstance(command, click.Group):
                group = Context(command, info_name=name, parent=top)
                inner = sorted(command.commands.items())
                sections += [(f"simsieve {name} {part}", help_of(one, group, part)) for part, one in inner]
    finally:
        if before is None:
            del os.environ[VARIABLE]
        else:
            os.environ[VARIABLE] = before
    return OPENINGS[language] + "".join(f"\n## {title}\n\n```text\n{told}\n```\n" for title, told in sections)


if __name__ == "__main__":
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else FOLDER
    folder.mkdir(parents=True, exist_ok=True)
    for language, name in PAGES.items():
        (folder / name).write_text(page(language), encoding="utf-8")
