"""What the page on pipelines shows is run against the real packages, in the environment that has them."""

import os
import re
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

PAGE = (Path(__file__).parents[2] / "docs/how-to/pipelines.md").read_text(encoding="utf-8")
PACKAGES = {"LangChain": "langchain_core", "LlamaIndex": "llama_index", "Haystack": "haystack"}
MOST_LINES = 25


@pytest.mark.parametrize("title", PACKAGES)
def test_a_step_drops_what_it_shows(title: str, root: Path, tmp_path: Path) -> None:
    """The step of each package is at most 25 lines, and prints what stands below it."""
    part = PAGE.split(f"\n## {title}\n")[1].split("\n## ")[0]
    code, shown = re.findall(r"^```(?:py|text)\n(.*?)^```$", part, re.MULTILINE | re.DOTALL)
    assert len([line for line in code.splitlines() if line.strip()]) <= MOST_LINES
    # They need other versions than the developer's tools, so they have an environment of their own.
    program = root / "build/pipelines/bin/python"
    if not program.exists() and find_spec(PACKAGES[title]) is None:
        pytest.skip(f"{title} NOT TESTED: make test-pipelines")
    # Haystack and LlamaIndex would tell their makers, and fetch words.
    quiet = {"HAYSTACK_TELEMETRY_ENABLED": "False", "NLTK_DATA": str(tmp_path), "HOME": str(tmp_path)}
    done = subprocess.run(
        [program if program.exists() else sys.executable, "-c", code],
        cwd=tmp_path, env={**os.environ, **quiet, "PYTHONPATH": str(root / "python")}, capture_output=True, text=True,
        check=False,
    )  # fmt: skip

    assert (done.returncode, done.stdout) == (0, shown), done.stderr
