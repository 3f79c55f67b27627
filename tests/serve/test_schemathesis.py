"""The description of the interface, by the requests that schemathesis makes from it."""

from typing import Any

import pytest
import schemathesis
from hypothesis import HealthCheck, given, settings
from schemathesis import GenerationMode
from schemathesis.core.result import Ok
from tests.serve.conftest import KNOWN, Service

from simsieve.serve.describe import PLAIN
from simsieve.serve.endpoints import ENDPOINTS

TRIES = settings.default.max_examples // 5 if settings.default else 10


def as_written(value: Any) -> Any:
    """A value whose whole numbers are written so: to a schema 1.0 is one, and not to the service."""
    if isinstance(value, dict):
        return {name: as_written(one) for name, one in value.items()}
    if isinstance(value, list):
        return [as_written(one) for one in value]
    return int(value) if isinstance(value, float) and value.is_integer() else value


def asked(operation: Any, mode: GenerationMode) -> int:
    """Send requests of a kind to one operation, and give how many were answered as it is described."""
    count = 0

    @settings(max_examples=TRIES, deadline=None, suppress_health_check=[*HealthCheck])
    @given(operation.as_strategy(generation_mode=mode))
    def ask(case: Any) -> None:
        nonlocal count
        count += 1
        # Of names and ids that are drawn the service has none.
        case.path_parameters |= {name: value for name, value in {"name": "seen", "id": str(KNOWN[0]["id"])}.items()
                                 if name in case.path_parameters and count % 4}  # fmt: skip
        case.body = as_written(case.body) if mode is GenerationMode.POSITIVE else case.body
        case.call_and_validate()

    ask()
    return count


@pytest.mark.slow
def test_any_request_of_schemathesis_is_answered_as_the_description_says(service: Service) -> None:
    """Right and wrong requests are answered by a status and a shape of the description, and never by a fault."""
    described = service.ask("/openapi.json").json
    for path in ("check", "add"):
        # The index of this service takes texts; records are for one of other fields.
        content = described["paths"][f"/v1/indexes/{{name}}/{path}"]["post"]["requestBody"]["content"]
        content["application/json"]["schema"] = content["application/json"]["schema"]["anyOf"][0]
    for name in ("CompareRequest", "FingerprintRequest"):
        # These take a text only with a model, or only if it is a fingerprint.
        of = described["components"]["schemas"][name]["properties"]["scheme"]
        of["enum"] = [one for one in of["enum"] if one not in ("esimhash64", "esimhash128", "external64")]
    # The index of this service has no window of time, so it refuses a date.
    del described["components"]["schemas"]["QueryRequest"]["properties"]["date"]
    schema = schemathesis.openapi.from_dict(described)
    schema.config.update(base_url=service.url)
    operations: list[Any] = [found.ok() for found in schema.get_all_operations() if isinstance(found, Ok)]
    right = {one.label: asked(one, GenerationMode.POSITIVE) for one in operations}
    # Without a body nothing can be wrong: every request would be thrown away, and none be found.
    wrong = {one.label: asked(one, GenerationMode.NEGATIVE) for one in operations if one.body}

    assert len(right) == len(ENDPOINTS) + len(PLAIN) and min(right.values()) > 0
    assert len(wrong) == sum(one.request is not None for one in ENDPOINTS) and min(wrong.values()) >= TRIES
    assert service.stop() == 0
    assert [line for line in service.log if line["level"] == "error"] == []
