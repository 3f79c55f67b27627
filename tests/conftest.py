"""What all tests share: the Hypothesis profiles, the language and the development data.

SIMSIEVE_TEST_PROFILE=slow runs every property over 1,000 examples, all over 200; the default, fast, over 50.
"""

import os
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

ROOT = Path(__file__).resolve().parents[1]

# Messages are compared in English, whatever the language of who runs the tests.
os.environ["SIMSIEVE_LANG"] = "en"
SHARED_DATA = (ROOT / "../shared/data").resolve()

# No deadline: the machine that runs the tests may be busy with other work, and pytest-timeout guards against hanging.
settings.register_profile("fast", max_examples=50, deadline=None, print_blob=True)
settings.register_profile("all", max_examples=200, deadline=None, print_blob=True)
settings.register_profile(
    "slow", max_examples=1000, deadline=None, print_blob=True, suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile(os.environ.get("SIMSIEVE_TEST_PROFILE", "fast"))


@pytest.fixture(scope="session")
def root() -> Path:
    """The project's folder."""
    return ROOT


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """The folder of the development data, real texts that do not come with the project; skips where it is not there."""
    if not SHARED_DATA.is_dir():
        pytest.skip("NOT TESTED ON REAL TEXTS: there is no ../shared/data beside the project's folder")
    return SHARED_DATA
