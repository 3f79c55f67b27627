"""What the tests of object stores share: a real server with the interface of S3, and a folder in it of the test's own.

The server is SeaweedFS, which people run with their data; it is no imitation made for tests. It is not Amazon's, so
what only that store does is not tested here.
"""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from tools.seaweed import PACKAGE, Seaweed, weed_path


class Store:
    """A folder of the bucket `open`.

    Args:
        server: The server.
        folder: The name of the folder.
    """

    def __init__(self, server: Seaweed, folder: str) -> None:
        self.server, self.folder, self.client = server, folder, server.client()

    def name(self, key: str) -> str:
        """The name of an object, or of more where the key ends in a slash or is a pattern."""
        return f"s3://open/{self.folder}/{key}"

    def put(self, key: str, content: bytes) -> str:
        """Write an object, and give its name."""
        self.client.put_object(Bucket="open", Key=f"{self.folder}/{key}", Body=content)
        return self.name(key)

    def get(self, key: str) -> bytes:
        """Read an object."""
        return bytes(self.client.get_object(Bucket="open", Key=f"{self.folder}/{key}")["Body"].read())

    def keys(self) -> list[str]:
        """All objects in the folder, by their names from it on."""
        found = self.client.list_objects_v2(Bucket="open", Prefix=f"{self.folder}/").get("Contents", ())
        return sorted(one["Key"].removeprefix(f"{self.folder}/") for one in found)

    def unfinished(self) -> list[str]:
        """The keys of uploads that are begun and neither completed nor aborted."""
        found = self.client.list_multipart_uploads(Bucket="open").get("Uploads", ())
        return [one["Key"] for one in found if one["Key"].startswith(self.folder)]


@pytest.fixture(scope="session")
def seaweed() -> Iterator[Seaweed]:
    """A real server for all tests of a process; skips loudly where there is none."""
    missing = [PACKAGE] if weed_path() is None else []
    try:
        __import__("boto3")
    except ImportError:
        missing.append("boto3")
    if missing:
        if os.environ.get("CI"):
            pytest.fail(f"CI must test object stores: pip install {' '.join(missing)}")
        pytest.skip(f"OBJECT STORES NOT TESTED: pip install {' '.join(missing)}")
    with Seaweed() as server:
        yield server


@pytest.fixture
def store(seaweed: Seaweed, request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Store:
    """An empty folder of the test's own; the environment has the keys of the user who may do everything."""
    for name in [name for name in os.environ if name.startswith("AWS_")]:
        monkeypatch.delenv(name)
    for name, value in seaweed.environment().items():
        monkeypatch.setenv(name, value)
    return Store(seaweed, f"t{abs(hash(request.node.nodeid)):x}")


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty folder, in which the test runs, and which has the temporary files."""
    monkeypatch.chdir(tmp_path)
    return tmp_path
