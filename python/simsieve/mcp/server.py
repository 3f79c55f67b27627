"""The server: requests come in by standard input, and answers go to standard output."""

import inspect
import json
from contextlib import closing
from typing import Any

import anyio
import anyio.to_thread
from mcp.server.lowlevel import Server
from mcp.server.stdio import stdio_server
from mcp.types import CallToolResult, ListToolsResult, TextContent, Tool, ToolAnnotations
from pydantic import ValidationError

from simsieve._core import __version__
from simsieve.checks import check_key
from simsieve.checks import shown as short
from simsieve.errors import SimsieveError
from simsieve.json_values import json_of
from simsieve.mcp.tools import TOOLS, Doors
from simsieve.messages import shown

AT_ONCE = 2
"""Calls that are worked on at once: a search in a large folder does not hold up a short question."""
INSTRUCTIONS = (
    "simsieve finds near-duplicate texts and says why. `check` and `query` ask an index, `compare` two texts, "
    "`find_duplicates` a file or folder, `explain` a finished run. Allowed here: {names}. {adds}"
)


def listed(doors: Doors) -> list[Tool]:
    """Describe the tools that are allowed."""
    reads = ToolAnnotations(read_only_hint=True, open_world_hint=False)
    adds = ToolAnnotations(read_only_hint=False, destructive_hint=False, open_world_hint=False)
    return [
        Tool(
            name=name, description=inspect.cleandoc(tool.__doc__ or ""), input_schema=tool.model_json_schema(),
            annotations=adds if name == "add" else reads,
        )
        for name, tool in TOOLS.items() if name != "add" or doors.allow_add
    ]  # fmt: skip


def called(doors: Doors, name: str, arguments: dict[str, Any]) -> CallToolResult:
    """Answer a call; an error says what was given, the allowed values and the next step."""
    try:
        check_key("tool", name, TOOLS)
        found = TOOLS[name].model_validate(arguments).answer(doors)
    except ValidationError as error:
        return _failed(f"{name}: {_wrong(error)}; its arguments are {', '.join(TOOLS[name].model_fields)}")
    except SimsieveError as error:
        return _failed(shown(error.message, lambda option: option.strip("@`")))
    except (TypeError, ValueError, OSError) as error:
        return _failed(f"{name}: {error}")
    # Values of other people's tables may be of any type.
    text = json_of(found)
    return CallToolResult(content=[TextContent(type="text", text=text)], structured_content=json.loads(text))


def _failed(text: str) -> CallToolResult:
    return CallToolResult(content=[TextContent(type="text", text=text)], is_error=True)


def _wrong(error: ValidationError) -> str:
    """Tell each argument that is wrong, with what was given."""
    return "; ".join(
        f"{'.'.join(map(str, one['loc']))}: {one['msg']}"
        + ("" if one["type"] == "missing" else f", and {short(one['input'])} is given")
        for one in error.errors(include_url=False)[:5]
    )


def serve(given: tuple[str, ...], *, allow_add: bool) -> None:
    """Answer until standard input ends."""
    with closing(Doors(given, allow_add=allow_add)) as doors:
        anyio.run(_serve, doors)


async def _serve(doors: Doors) -> None:
    limiter = anyio.CapacityLimiter(AT_ONCE)

    async def tools(*_: Any) -> ListToolsResult:
        return ListToolsResult(tools=listed(doors))

    async def call(_: Any, asked: Any) -> CallToolResult:
        return await anyio.to_thread.run_sync(called, doors, asked.name, asked.arguments or {}, limiter=limiter)

    adds = "`add` adds to an index." if doors.allow_add else "Nothing is changed."
    told = INSTRUCTIONS.format(names=", ".join(doors.roots) or "texts in the question", adds=adds)
    server: Server[Any] = Server(
        "simsieve", version=__version__, instructions=told, on_list_tools=tools, on_call_tool=call
    )
    async with stdio_server() as (read, write):
        await server.run(read, write, server.create_initialization_options())
