"""Writes docs/reference/api.md from the description of the service; a test checks that the page is current.

Usage: make_api.py [FILE]; `-` writes to standard output.
"""

import json
from collections.abc import Iterator
from pathlib import Path

from making import written

from simsieve.serve.describe import codes, description, endpoints, fields
from simsieve.serve.failures import HINTS
from simsieve.serve.options import Options

PAGE = Path(__file__).parent / "reference" / "api.md"
OPENING = """# The interface of the service

This page is made from the description of the service by `docs/make_api.py`; a test fails when it is stale. A running
service gives the same as `GET /openapi.json` (OpenAPI 3.1) and as a page, `GET /docs`. How to use it:
[how-to/serve.md](../how-to/serve.md).
"""


def lines() -> Iterator[str]:
    """The page, line by line."""
    told = description(Options())
    schemas = told["components"]["schemas"]
    yield OPENING
    yield f"{told['info']['description']}\n"
    yield "## Endpoints\n"
    yield "| endpoint | what it does | role of the key | request | answer |\n|---|---|---|---|---|"
    for one in endpoints():
        answer = one.answer if "/" in one.answer else f"`{one.answer}`"
        request = f"`{one.request}`" if one.request else "-"
        yield f"| `{one.title}` | {one.summary} | {one.role or '-'} | {request} | {answer} |"
    yield "\n## Examples of requests\n"
    for one in endpoints():
        if one.example:
            yield f"`{one.title}`\n\n```text\n{json.dumps(one.example, ensure_ascii=False)}\n```\n"
    yield "## Bodies\n"
    for name, schema in schemas.items():
        if schema.get("properties"):
            yield f"### {name}\n\n{schema.get('description', '')}\n\n| field | type | what it is |\n|---|---|---|"
            for field, kind, text in fields(schemas, name):
                yield f"| `{field}` | {kind} | {text or '-'} |"
            yield ""
    yield "## Errors\n"
    yield "A text that the scheme cannot use has the code of a [failed record](failures.md), with status 422.\n"
    yield "| code | status | what to do |\n|---|---|---|"
    for code, status in codes().items():
        yield f"| `{code}` | {status} | {HINTS[status]} |"


def page() -> str:
    """The whole page."""
    return "\n".join(lines()) + "\n"


if __name__ == "__main__":
    raise SystemExit(written(page, PAGE))
