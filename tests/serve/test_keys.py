"""Keys decide who may do what, change without a restart, and their file is for nobody else."""

import base64
import os
import time
from pathlib import Path
from typing import Any

import pytest
from tests.serve.conftest import Service

from simsieve.cli import main

ROLES = {"read": "r" * 20, "write": "w" * 20, "admin": "a" * 20}


def written(folder: Path, text: str, mode: int = 0o600) -> Path:
    """Write a file of keys in place of the one before."""
    new = folder / "keys.new"
    new.write_text(text, encoding="utf-8")
    os.chmod(new, mode)
    new.rename(folder / "keys")
    return folder / "keys"


def all_keys() -> str:
    """The text of a file with a key of each role."""
    return "# keys of the tests\n" + "".join(f"{role} {key}\n" for role, key in ROLES.items())


def test_a_role_allows_what_it_says(folder: Path) -> None:
    """Each role does what the ones before it do, and no more; health needs none; a browser may send it as password."""
    written(folder, all_keys())
    service = Service(folder, "--key-file", "keys", "--host", "0.0.0.0")
    asked: dict[str, tuple[str, Any]] = {
        "read": ("/v1/indexes/seen/check", {"documents": []}), "write": ("/v1/indexes/seen/add", {"documents": []}),
        "admin": ("/v1/indexes/seen/remove", {"ids": []}),
    }  # fmt: skip
    names = list(ROLES)
    statuses = {
        (has, needs): service.ask(path, body, Authorization=f"Bearer {ROLES[has]}").status
        for has in names for needs, (path, body) in asked.items()
    }  # fmt: skip
    basic = base64.b64encode(f"me:{ROLES['read']}".encode()).decode()
    page = service.ask("/docs")

    assert statuses == {
        (has, needs): 200 if names.index(has) >= names.index(needs) else 403 for has in names for needs in names
    }
    assert (page.status, page.code) == (401, "unauthorized")
    assert page.headers["www-authenticate"].startswith("Basic")
    assert service.ask("/docs", Authorization=f"Basic {basic}").status == 200
    for wrong in ("", "Bearer", "Bearer x", f"Bearer {ROLES['read']}x", "Basic !!", "Bearer \xff"):
        assert service.ask("/v1/indexes", Authorization=wrong).status == 401, wrong
    assert [service.ask(path).status for path in ("/healthz", "/readyz", "/metrics")] == [200, 200, 401]
    assert service.stop() == 0


def test_keys_change_without_a_restart(folder: Path) -> None:
    """A new key counts within seconds, a key that is gone no longer; a file that is wrong changes nothing."""
    written(folder, f"read {'r' * 20}\n")
    service = Service(folder, "--key-file", "keys")

    def status(key: str) -> int:
        return service.ask("/v1/indexes", Authorization=f"Bearer {key * 20}").status

    assert (status("r"), status("n")) == (200, 401)
    written(folder, f"read {'n' * 20}\n")
    time.sleep(1.1)
    assert (status("n"), status("r")) == (200, 401)
    written(folder, "nonsense\n")
    time.sleep(1.1)
    assert status("n") == 200
    (folder / "keys").unlink()
    time.sleep(1.1)
    assert status("n") == 200
    assert service.stop() == 0
    assert [line["event"] for line in service.log if line["event"].startswith("keys")][:2] == ["keys", "keys_refused"]


@pytest.mark.parametrize(
    ("words", "told"),
    [
        ("seen --host 0.0.0.0", "there are no keys: give --key-file"),
        ("seen --config serve.toml", "unknown option 'prot': did you mean 'port'"),
        ("seen seen", "two indexes have the name seen"),
        ("a:b=seen", "cannot be the name of an index"),
        ("other=.", "is no index"),
        ("seen --port 99999", "--port"),
        ("", "Missing argument"),
        ("seen --key-file open", "others may read the keys"),
        ("seen --key-file empty", "has no key"),
        ("seen --key-file short", "line 1: write read, write or admin"),
        ("seen --key-file owner", "line 1: write read, write or admin"),
    ],
)
def test_a_service_that_cannot_be_is_told_in_one_line(
    folder: Path, words: str, told: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Mistakes on the command line and in files that it names end with one line, without a key, and exit code 2."""
    monkeypatch.chdir(folder)
    for name, text in (
        ("open", all_keys()),
        ("empty", ""),
        ("short", "read short\n"),
        ("owner", f"owner {'k' * 20}\n"),
    ):
        written(folder, text, 0o644 if name == "open" else 0o600).rename(folder / name)
    (folder / "serve.toml").write_text("prot = 1\n", encoding="utf-8")

    assert main(["serve", *words.split()]) == 2
    said = capsys.readouterr().err
    assert told in said
    assert said.count("\n") == 1
    assert "k" * 20 not in said and "a" * 20 not in said


def test_options_come_from_a_file(folder: Path) -> None:
    """A file of options names directories and limits; the command line goes before it."""
    (folder / "serve.toml").write_text('indexes = ["mine=seen"]\nmax_batch = 1\ntimeout = 2\n', encoding="utf-8")
    service = Service(folder, "--config", "serve.toml", "--timeout", "9", indexes={})
    two = service.ask("/v1/indexes/mine/check", {"documents": [{"text": "a"}] * 2})
    limits = service.ask("/openapi.json").json["info"]["description"]

    assert service.stop() == 0
    assert (two.status, two.json["error"]["values"]["most"]) == (413, 1)
    assert "9 seconds" in limits
