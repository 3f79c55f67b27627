"""The description of the interface is what the service does, for any request that is made from it."""

import json
from typing import Any

import msgspec
from hypothesis import given
from hypothesis import strategies as st
from tests.serve.conftest import Service

from simsieve.serve.bodies import ErrorAnswer
from simsieve.serve.endpoints import ENDPOINTS

ANY = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=5,
)
ANSWERS = {row.name: row.answer for row in ENDPOINTS}


def values(schema: dict[str, Any], schemas: dict[str, Any]) -> st.SearchStrategy[Any]:
    """Values that a schema allows."""
    if "$ref" in schema:
        return values(schemas[schema["$ref"].rpartition("/")[2]], schemas)
    if "anyOf" in schema:
        return st.one_of([values(one, schemas) for one in schema["anyOf"]])
    if "enum" in schema:
        return st.sampled_from(schema["enum"])
    kinds: dict[str | None, st.SearchStrategy[Any]] = {
        "string": st.text(max_size=60) | st.just("the quick brown fox jumps over the lazy dog"),
        "integer": st.integers(schema.get("minimum", -(2**70)), schema.get("maximum", 2**70)),
        "number": st.floats(allow_nan=False, allow_infinity=False), "boolean": st.booleans(), "null": st.none(),
    }  # fmt: skip
    if schema.get("type") == "array":
        return st.lists(values(schema.get("items", {}), schemas), max_size=4)
    if schema.get("type") == "object" and "properties" in schema:
        fields = {name: values(one, schemas) for name, one in schema["properties"].items()}
        needed = {name: fields.pop(name) for name in schema.get("required", [])}
        return st.fixed_dictionaries(needed, optional=fields)
    return kinds.get(schema.get("type"), ANY)


@st.composite
def spoilt(draw: st.DrawFn, right: st.SearchStrategy[Any]) -> Any:
    """A right body with one field of any value, one field more, or none of it."""
    body = draw(right)
    if isinstance(body, dict):
        name = draw(st.sampled_from(sorted(body)) | st.text(max_size=8)) if body else "x"
        return body | {name: draw(ANY)}
    return draw(ANY)


def ask_any(service: Service, path: str, method: str, operation: dict[str, Any], right: Any) -> None:
    """Send bodies of all kinds to one operation."""
    shape = ANSWERS[operation["operationId"]]

    @given(right | spoilt(right) | ANY | st.binary(max_size=40), st.sampled_from(["seen"] * 9 + ["other"]))
    def ask(body: Any, index: str) -> None:
        raw = body if isinstance(body, bytes) else json.dumps(body).encode()
        answer = service.ask(path.replace("{name}", index), raw, method.upper())

        assert str(answer.status) in operation["responses"]
        assert answer.status < 500 or answer.status in {503, 504}
        msgspec.json.decode(answer.body, type=shape if answer.status == 200 else ErrorAnswer)

    ask()


def test_any_request_is_answered_as_the_description_says(service: Service) -> None:
    """Right, spoilt and broken bodies are answered by a status and a shape of the description, and never by a fault."""
    described = service.ask("/openapi.json").json
    asked = 0
    for path, methods in described["paths"].items():
        for method, operation in methods.items():
            kind = operation.get("requestBody", {}).get("content", {}).get("application/json")
            if kind is not None:
                right = values(kind["schema"], described["components"]["schemas"])
                ask_any(service, path, method, operation, right)
                asked += 1
    assert asked == 7
    assert service.stop() == 0
    assert [line for line in service.log if line["level"] == "error"] == []
