"""The images take what `make wheel` leaves, and are not run as root; they and the unit of systemd start."""

import json
import re
import shlex
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest


def test_the_image_is_made_of_the_wheel(root: Path) -> None:
    """It copies the release's wheel alone, names extras of the project, and starts the project's program."""
    project = tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    lines = [line for line in (root / "Dockerfile").read_text(encoding="utf-8").splitlines() if line[:1].isupper()]
    steps = dict(line.split(maxsplit=1) for line in lines)
    oldest = tuple(map(int, project["requires-python"].removeprefix(">=").split(".")))
    extras = re.findall(r"\[([\w,]+)\]", steps["RUN"])[0].split(",")
    ignored = (root / ".dockerignore").read_text(encoding="utf-8").splitlines()[1:]

    assert tuple(map(int, re.findall(r"python:(\d+)\.(\d+)-slim", steps["FROM"])[0])) >= oldest
    assert steps["COPY"] == f"dist/{project['name']}-*.whl /tmp/"
    assert "dist" in (root / "tools/test_wheel.sh").read_text(encoding="utf-8")
    assert ignored == ["*", "!dist", "!dist/*.whl"]
    assert set(extras) <= project["optional-dependencies"].keys() - {"dev", "ray", "spark"}
    assert json.loads(steps["ENTRYPOINT"])[0] in project["scripts"]
    assert steps["USER"].split(":")[0] not in ("0", "root")


def commands(root: Path, name: str, folder: Path) -> tuple[str, list[str]]:
    """What is done before the start, and the start, of a unit or an image, with the paths of this machine."""
    text = (root / "deploy" / name).read_text(encoding="utf-8")
    paths = {"/opt/simsieve/bin/simsieve": f"{sys.executable} -m simsieve", "/data/seen": "seen"}
    paths |= dict.fromkeys(("/etc/simsieve/keys", "/run/secrets/keys"), str(folder / "keys"))
    for path, here in paths.items():
        text = text.replace(path, here)
    if name == "Dockerfile":
        return "", [sys.executable, "-m", *json.loads(text.split("\nENTRYPOINT ")[1].split("\n")[0]),
                    *json.loads(text.split("\nCMD ")[1])]  # fmt: skip
    before, start = re.findall(r"^ExecStart(?:Pre)?=(.+)$", text, re.MULTILINE)
    return shlex.split(before)[2], shlex.split(start)


@pytest.mark.parametrize("name", ["simsieve.service", "Dockerfile"])
def test_the_start_of_a_service_starts(root: Path, tmp_path: Path, name: str) -> None:
    """The lines of the unit and of the image make an index and serve it, and SIGTERM ends them in order."""
    (tmp_path / "keys").write_text(f"admin {'k' * 40}\n", encoding="utf-8")
    (tmp_path / "keys").chmod(0o600)
    before, start = commands(root, name, tmp_path)
    subprocess.run(before or [sys.executable, "-m", "simsieve", "index", "create", "seen"], shell=bool(before),
                   cwd=tmp_path, check=True, capture_output=True)  # fmt: skip
    with subprocess.Popen([*start, "--port", "0"], cwd=tmp_path, stderr=subprocess.PIPE, text=True) as service:
        assert service.stderr is not None
        listening = json.loads(service.stderr.readline())
        assert (listening["event"], listening["indexes"]) == ("listening", ["seen"])
        service.terminate()
        assert service.wait(30) == 0
