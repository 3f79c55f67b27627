"""What the pages on the service show is run on a real one; so are the commands of the image."""

import json
import os
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.docs.test_how_to import assert_shown
from tests.docs.test_pages import LINK
from tests.docs.test_readme import ROOT, folder
from tests.serve.conftest import KNOWN, Service

from simsieve import Index

__all__ = ["folder"]

PAGES = [ROOT / place / "serve.md" for place in ("docs/how-to", "docs/zh")]
ADDRESS = "http://127.0.0.1:8080"
DOCKERFILE = (ROOT / "deploy/Dockerfile").read_text(encoding="utf-8")


@pytest.fixture
def address(folder: Path) -> Iterator[str]:
    """Make the index of the page, and serve it."""
    if shutil.which("curl") is None:
        pytest.skip("PAGES ON THE SERVICE NOT TESTED: there is no curl")
    Index.create(folder / "seen", folder / "examples/texts.jsonl").close()
    service = Service(folder)
    yield service.url
    assert service.stop() == 0


@pytest.mark.parametrize("page", PAGES, ids=["en", "zh"])
def test_the_page_does_what_it_shows(page: Path, address: str, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Commands and Python sessions in their order, as of every page; the lines that make and start it are checked."""
    monkeypatch.chdir(folder)
    monkeypatch.setattr("tests.docs.test_readme.RUN", ("simsieve ", "curl "))
    text = page.read_text(encoding="utf-8")
    started = re.findall(r"^(?:nohup )?simsieve serve (.*?)(?: 2>.*)?$", text, re.MULTILINE)
    text = re.sub(r"^```sh\n.*?^```$", "", text, flags=re.MULTILINE | re.DOTALL)

    assert_shown(page, text.replace(ADDRESS, address), folder)
    assert [link for link in LINK.findall(text) if "://" not in link and not (page.parent / link).exists()] == []
    help_text = subprocess.run(
        [sys.executable, "-m", "simsieve", "serve", "--help-all"], capture_output=True, text=True, check=True
    ).stdout
    for words in started:
        assert [word for word in words.split() if word.startswith("--") and word not in help_text] == []


def instruction(name: str) -> list[str]:
    """The words of an instruction of the Dockerfile that are a list."""
    found = re.search(rf"^{name}.*?(\[.*\])$", DOCKERFILE, re.MULTILINE)
    assert found is not None
    words: list[str] = json.loads(found[1])
    return words


def test_the_image_starts_is_healthy_and_ends(tmp_path: Path) -> None:
    """Its command serves with the folders of this machine, its health check passes and then fails; nobody is root."""
    Index.create(tmp_path / "seen", KNOWN).close()
    keys = tmp_path / "keys"
    keys.write_text(f"read {'k' * 20}\n", encoding="utf-8")
    os.chmod(keys, 0o600)
    words = instruction("ENTRYPOINT") + instruction("CMD")
    places = {"/data/seen": str(tmp_path / "seen"), "/run/secrets/keys": str(keys)}
    for place, here in places.items():
        assert any(place in word for word in words)
        words = [word.replace(place, here) for word in words]
    assert words[:2] == ["simsieve", "serve"]
    service = Service(tmp_path, *words[2:], indexes={})
    check = [word.replace(":8080", f":{service.port}") for word in instruction("HEALTHCHECK")]
    check[0] = sys.executable

    assert subprocess.run(check, check=False).returncode == 0
    assert service.stop() == 0
    assert subprocess.run(check, stderr=subprocess.DEVNULL, check=False).returncode == 1
    assert re.search(r"^USER 10001$", DOCKERFILE, re.MULTILINE)
    assert re.search(r"^STOPSIGNAL SIGTERM$", DOCKERFILE, re.MULTILINE)
    assert DOCKERFILE.count("\nFROM ") == 1


def test_the_compose_file_gives_no_more_than_is_needed() -> None:
    """It is reached from its own machine, writes its volume only, and has the time to end that a request may take."""
    text = (ROOT / "deploy/compose.yaml").read_text(encoding="utf-8")
    for line in ('ports: ["127.0.0.1:8080:8080"]', "read_only: true", 'cap_drop: ["ALL"]', "stop_grace_period: 40s"):
        assert f"    {line}\n" in text
    assert "\t" not in text
    # The wheel that the image copies lies in the folder of the repository.
    assert "\n      context: ..\n      dockerfile: deploy/Dockerfile\n" in text and "\nCOPY dist/" in DOCKERFILE


UNIT = (ROOT / "deploy/simsieve.service").read_text(encoding="utf-8")


def test_the_unit_of_systemd_starts_and_ends(tmp_path: Path) -> None:
    """Its commands make the index and serve it, with the folders of this machine; a second start keeps the index."""
    keys = tmp_path / "keys"
    keys.write_text(f"write {'k' * 20}\n", encoding="utf-8")
    os.chmod(keys, 0o600)
    first, start = (re.findall(rf"^{name}=(.*)$", UNIT, re.MULTILINE)[0] for name in ("ExecStartPre", "ExecStart"))
    program = str(Path(sys.executable).with_name("simsieve"))
    for _ in range(2):
        subprocess.run(shlex.split(first.replace("/opt/simsieve/bin/simsieve", program)), cwd=tmp_path, check=True)
        words = shlex.split(start.replace("/etc/simsieve/keys", str(keys)))
        assert words[:2] == ["/opt/simsieve/bin/simsieve", "serve"]
        assert Service(tmp_path, *words[2:], indexes={}).stop() == 0
    assert Index.open(tmp_path / "seen").stats()["kept"] == 0


def test_the_unit_of_systemd_gives_no_more_than_is_needed() -> None:
    """It is no root's, writes its own folder only, ends as long as a request may take, and systemd understands it."""
    lines = UNIT.splitlines()
    for line in ("User=simsieve", "ProtectSystem=strict", "StateDirectory=simsieve", "TimeoutStopSec=40"):
        assert line in lines
    if shutil.which("systemd-analyze") is None:
        pytest.skip("THE UNIT NOT READ BY SYSTEMD: there is no systemd-analyze")
    found = subprocess.run(
        ["systemd-analyze", "verify", ROOT / "deploy/simsieve.service"], capture_output=True, text=True, check=False
    )
    # The program is not where the unit has it.
    assert [line for line in found.stderr.splitlines() if "is not executable" not in line] == []
