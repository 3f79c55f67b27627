"""The review page as a program of its own, and requests to it."""

import http.client
import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Self
from urllib.parse import urlsplit

WORDS = (
    "amber brook cedar delta ember field grove haven inlet jetty knoll ledge marsh north ocean plain quarry ridge"
).split()


def records(families: int, size: int = 2) -> list[dict[str, Any]]:
    """Families of records of other words, whose members differ in one number and one word."""
    found = []
    for family in range(families):
        stem = " ".join(f"{WORDS[(family * 7 + at * (family % 5 + 1)) % len(WORDS)]}{family}{at}" for at in range(14))
        found += [
            {
                "id": f"r{family}-{at}",
                "text": f"{stem} costs {at + 2} coins {'and more ' * (at % 3)}today",
                "answer": f"{at}",
            }
            for at in range(size)
        ]
    return found


def write(path: Path, rows: list[dict[str, Any]]) -> Path:
    """Write records as JSON lines."""
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


class Served:
    """A running `simsieve review --serve`; it is killed at the end of the block."""

    last: tuple[str, ...] = ("--serve", "--port", "0")
    command = "review"

    def __init__(self, folder: Path, *words: str, language: str = "en") -> None:
        command = [sys.executable, "-m", "simsieve", self.command, *words, *self.last]
        self.errors = open(folder / "stderr.txt", "w+", encoding="utf-8")  # noqa: SIM115 - closed at the end
        self.process = subprocess.Popen(
            command, cwd=folder, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self.errors, text=True,
            env={
                **os.environ, "SIMSIEVE_LANG": language, "XDG_DATA_HOME": str(folder / "data"), "HOME": str(folder),
                "XDG_RUNTIME_DIR": str(folder / ".runtime"),
            },
        )  # fmt: skip
        assert self.process.stdout is not None
        self.address = self.process.stdout.readline().strip()
        assert self.address, (folder / "stderr.txt").read_text(encoding="utf-8")
        self.host, self.token = urlsplit(self.address).netloc, urlsplit(self.address).query.partition("=")[2]
        self.cookie = ""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.process.kill()
        self.process.communicate()
        self.errors.close()

    def send(
        self, method: str, path: str, body: bytes | Iterator[bytes] | None = None, **headers: str
    ) -> tuple[int, dict[str, str], bytes]:
        """Send a request with just these headers, and give status, headers and body of the answer."""
        connection = http.client.HTTPConnection(self.host, timeout=30)
        given = {name.replace("_", "-"): value for name, value in headers.items() if value}
        connection.request(method, path, body, given)
        answer = connection.getresponse()
        found = answer.status, {name.lower(): value for name, value in answer.getheaders()}, answer.read()
        connection.close()
        return found

    def enter(self, token: str | None = None) -> Self:
        """Open the address, and keep the cookie."""
        status, headers, _ = self.send("GET", f"/?token={token or self.token}")
        assert status == 200
        self.cookie = headers["set-cookie"].partition(";")[0]
        return self

    def ask(self, path: str, body: Any = None) -> Any:
        """Ask as the page does; an error is given as it is."""
        if body is None:
            answer = self.send("GET", f"/api/{path}", cookie=self.cookie)
        else:
            answer = self.send(
                "POST", f"/api/{path}", json.dumps(body).encode(), cookie=self.cookie, origin=f"http://{self.host}",
                content_type="application/json",
            )  # fmt: skip
        return json.loads(answer[2])

    def again(self) -> str:
        """Press Enter in its terminal, and give the token of the address that it prints."""
        assert self.process.stdin is not None and self.process.stdout is not None
        self.process.stdin.write("\n")
        self.process.stdin.flush()
        return urlsplit(self.process.stdout.readline().strip()).query.partition("=")[2]

    def judge(self, position: int, verdict: str, seen: int = 0) -> Any:
        """Give a verdict."""
        return self.ask("verdict", {"position": position, "verdict": verdict, "seen": seen})


class App(Served):
    """A running `simsieve app`; its bin and the home folder are in the folder that it is started in."""

    last = ("--no-open", "--port", "0")
    command = "app"

    def found(self, *, what: str = "texts", limit: float = 0.6, field: str = "", kind: str = "") -> Any:
        """Carry out a run, and give the state at its end."""
        begun = self.ask("start", {"what": what, "limit": limit, "field": field, "kind": kind})
        assert "error" not in begun, begun
        while (state := self.ask("state"))["running"]:
            time.sleep(0.05)
        return state


class Passages(Served):
    """A running `simsieve passages --serve`."""

    last = ("--serve", "--quiet")
    command = "passages"
