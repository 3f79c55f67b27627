"""`simsieve mcp`: tools for assistants."""

import click

from simsieve.cli.help import Command
from simsieve.cli.options import PATH, option
from simsieve.config.setting import INPUT


@click.command(
    cls=Command, examples=("simsieve mcp seen", "simsieve mcp texts/ corpus.jsonl", "simsieve mcp seen --allow-add")
)
@click.argument("allowed", nargs=-1, metavar="[INDEX|FOLDER|FILE]...", type=PATH)
@option("--allow-add", is_flag=True, group=INPUT, common=True, help="Let the assistant add texts to the indexes.")
def mcp(*, allowed: tuple[str, ...], allow_add: bool) -> int:
    """Give an assistant tools by the Model Context Protocol, on standard input and output.

    The tools are check, query, compare, explain and find_duplicates. They read the indexes, folders and files that are
    named here, and nothing else. An assistant starts this command by itself; docs/how-to/assistants.md says how.
    """
    from simsieve.optional import mcp as needed

    needed()
    from simsieve.mcp.server import serve

    serve(allowed, allow_add=allow_add)
    return 0
