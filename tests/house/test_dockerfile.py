"""The image takes what `make wheel` leaves, and is not run as root; serve/test_how_to.py starts it."""

import json
import re
import tomllib
from pathlib import Path


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
