"""The catalogue of translations, `locale/zh_CN.po`: extracts the texts that it has to hold, and compiles it.

Usage: python -m tools.catalogue. New texts get an entry without a translation, and those that are gone lose theirs. A
text under the context "value" is a word of the system or of a value, and stays. What is compiled is in the package.
"""

import ast
import os
import re
import sys
from collections.abc import Iterator
from io import BytesIO
from pathlib import Path

from babel.messages.catalog import Catalog
from babel.messages.mofile import write_mo
from babel.messages.pofile import read_po, write_po

ROOT = Path(__file__).parents[1]
SOURCES = ROOT / "python/simsieve"
CATALOGUE = ROOT / "locale/zh_CN.po"
COMPILED = SOURCES / "messages/zh_CN/LC_MESSAGES/simsieve.mo"
CONTEXT = "value"
STAGES = (
    "check", "copies", "decide", "fetch", "fingerprint", "fit", "freeze", "measure", "open", "read", "recall", "sample",
    "save", "search", "verify", "write", "starting",
)  # fmt: skip
_MADE = {
    "Message", "ConfigError", "DigestError", "ResumeError", "SourceError", "SinkError", "StorageError",
    "TooManyPairsError", "TextError", "InternalError", "Interrupted", "Guess", "Unread", "kind", "tr",
}  # fmt: skip
_IN_CORE = re.compile(r'\bmsg!\(\s*"((?:[^"\\]|\\.|\\\n)*)"')
_ESCAPES = {"n": "\n", "t": "\t", "r": "\r"}


def calls(folder: Path, *names: str) -> Iterator[tuple[Path, ast.Call]]:
    """The calls of functions of these names in a folder's modules."""
    for path in sorted(folder.rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and ast.unparse(node.func).rpartition(".")[2] in names:
                yield path, node


def constants(node: ast.expr) -> Iterator[str]:
    """The texts that an argument may be; a template in a variable is `template = ...`."""
    if isinstance(node, ast.IfExp):
        yield from constants(node.body)
        yield from constants(node.orelse)
    elif isinstance(node, ast.Constant) and isinstance(node.value, str):
        yield node.value


def of_python() -> Iterator[str]:
    """The texts of calls that make messages, errors or translations."""
    for _, call in calls(SOURCES, *_MADE):
        yield from (text for argument in call.args[:1] for text in constants(argument))
    for path in sorted(SOURCES.rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "template":
                yield from constants(node.value)


def of_core() -> Iterator[str]:
    """The templates of `msg!` in the core and the border."""
    for path in sorted((ROOT / "crates").glob("*/src/**/*.rs")):
        if "test" in path.name or "tests" in path.relative_to(ROOT).parts:
            continue
        code = path.read_text(encoding="utf-8").partition("#[cfg(test)]\nmod tests {")[0]
        code = re.sub(r"^\s*//.*$", "", code, flags=re.MULTILINE)
        for found in _IN_CORE.finditer(code):
            joined = re.sub(r"\\\n\s*", "", found[1])
            yield re.sub(r"\\(.)", lambda sign: _ESCAPES.get(sign[1], sign[1]), joined)


def of_tables() -> Iterator[str]:
    """The texts of tables: settings, options, commands, groups, schemes, errors, codes and stages."""
    # Imported here, as they are those of the package that is extracted.
    import click  # noqa: PLC0415 - see above

    from simsieve.cli import SECTIONS, cli  # noqa: PLC0415 - see above
    from simsieve.cli.common import CODES  # noqa: PLC0415 - see above
    from simsieve.cli.help import Option, paragraphs  # noqa: PLC0415 - see above
    from simsieve.cli.hints import _LEADS  # noqa: PLC0415 - see above
    from simsieve.config.setting import GROUPS  # noqa: PLC0415 - see above
    from simsieve.config.settings import SETTINGS  # noqa: PLC0415 - see above
    from simsieve.config.toml import _OPENING  # noqa: PLC0415 - see above
    from simsieve.evaluate.edits import KINDS  # noqa: PLC0415 - see above
    from simsieve.schemes.scheme import SchemeInfo, picture_schemes, schemes  # noqa: PLC0415 - see above
    from simsieve.serve.failures import templates  # noqa: PLC0415 - see above

    for setting in SETTINGS.values():
        # Bounds without a word are the same in every language.
        yield from (text for text in (setting.help, setting.allowed, setting.unit) if any(map(str.isalpha, text)))
    groups = [one for one in cli.commands.values() if isinstance(one, click.Group)]
    for command in (cli, *cli.commands.values(), *(inner for group in groups for inner in group.commands.values())):
        # In English, a paragraph is its own key.
        yield from paragraphs(command)
        yield from (param.help for param in command.params if isinstance(param, Option) and param.help)
    yield from (*GROUPS, *SECTIONS, "Examples", "Commands", *STAGES, "[OPTIONS]", "records", "old records")
    yield from (lead for _, lead in _LEADS)
    yield from (*CODES.values(), "tested pairs", "candidates", "verified")
    for info in (*schemes(), *picture_schemes()):
        told = (info.features, info.weights, info.hash, info.widths, info.sign, info.unit, info.purpose)
        yield from (text for text in told if re.search("[a-z]{3}", text))
    yield from (*KINDS, *SchemeInfo.__slots__, _OPENING, *templates())


OF_CLICK: tuple[str | tuple[str, str], ...] = (
    ("Got unexpected extra argument ({args})", "Got unexpected extra arguments ({args})"),
    ("Option {name!r} requires an argument.", "Option {name!r} requires {nargs} arguments."),
    "Option {name!r} does not take a value.", "Missing command.", "{value!r} is not a valid {number_type}.",
)  # fmt: skip
"""What click says of a wrong command line; a pair is of one and of several."""


def texts() -> set[str | tuple[str, str]]:
    """All that has to be in the catalogue; a text of signs alone is the same in every language, but for some signs."""
    every = {*of_python(), *of_core(), *of_tables()}
    return {text for text in every if re.search("[A-Za-z:;]", re.sub(r"\{[^{}]*\}", "", text))} | set(OF_CLICK)


def catalogue() -> Catalog:
    """The catalogue as it is in its file."""
    with CATALOGUE.open("rb") as file:
        return read_po(file, locale="zh_CN", domain="simsieve", abort_invalid=True)


def compiled(of: Catalog) -> bytes:
    """The bytes that the standard library's gettext reads."""
    out = BytesIO()
    write_mo(out, of)
    return out.getvalue()


def main() -> int:
    """Bring the catalogue up to date, and compile it."""
    os.environ["SIMSIEVE_LANG"] = "en"
    known, wanted = catalogue(), texts()
    kept = Catalog(
        locale="zh_CN", domain="simsieve", project="simsieve", header_comment="# The texts of simsieve in Chinese."
    )
    # The time of extraction would change the file each time.
    kept.creation_date, kept.revision_date = known.creation_date, known.revision_date
    kept.mime_headers = [("MIME-Version", "1.0"), ("Content-Type", "text/plain; charset=utf-8")]
    for message in known:
        if message.id and (message.context == CONTEXT or message.id in wanted):
            kept.add(message.id, message.string, context=message.context)
    missing = sorted((text for text in wanted if (found := kept.get(text)) is None or not found.string), key=str)
    for text in missing:
        kept.add(text)
    written = BytesIO()
    write_po(written, kept, width=0, no_location=True, sort_output=True)
    # An entry is two lines: a blank line between them, and the kind of its format, say nothing more.
    lines = written.getvalue().splitlines(keepends=True)
    CATALOGUE.write_bytes(b"".join(line for line in lines if line.strip() and not line.startswith(b"#,")))
    COMPILED.write_bytes(compiled(catalogue()))
    sys.stdout.writelines(f"without a translation: {text}\n" for text in missing)
    return min(len(missing), 1)


if __name__ == "__main__":
    sys.exit(main())
