"""Names of objects, the patterns that match them, and what each answer of a store says; no store is asked."""

import glob
import os
from pathlib import Path

import pytest
from botocore import exceptions as errors

from simsieve import ConfigError
from simsieve.messages.bodies import in_chinese
from simsieve.registry import on_disk
from simsieve.stores.s3.client import Address, address_of, store_errors
from simsieve.stores.s3.patterns import matches

NAMES = [
    "a.csv",
    "b.csv.gz",
    ".hidden.csv",
    "one/a.csv",
    "one/two/a.csv",
    "one/.no/a.csv",
    "on[e/a.csv",
    "one/b",
    "é/ü.csv",
]
PATTERNS = [
    "*", "*.csv", "?.csv", "**", "**/*", "**/*.csv", "*/*", "one/**", "one/**/a.csv", "**/two/*", "[ab].csv*", "[!a].*",
    ".*", "one/.*/*", "**/.no/*", "on[[]e/*", "*/**/*.csv", "é/?.csv", "nothing*", "**/**/a.csv",
]  # fmt: skip


@pytest.mark.parametrize("pattern", PATTERNS)
def test_patterns_match_keys_as_they_match_files(pattern: str, tmp_path: Path) -> None:
    """Python's own glob is the oracle, on files of the same names."""
    for name in NAMES:
        (tmp_path / name).parent.mkdir(exist_ok=True, parents=True)
        (tmp_path / name).write_text("")
    found = glob.glob(pattern, root_dir=tmp_path, recursive=True)
    files = sorted({os.path.normpath(name) for name in found if (tmp_path / name).is_file()})

    assert sorted(name for name in NAMES if matches(name.split("/"), pattern.split("/"))) == files


def test_names() -> None:
    """A path object has lost a slash; a folder is no object; other names are files."""
    assert address_of(Path("s3://b/c/d.jsonl")) == Address("b", "c/d.jsonl")
    assert address_of("s3://b/c//d", of_object=False).name == "s3://b/c//d"
    assert all(map(on_disk, ["s3.jsonl", "a/s3://b", "S3", "http://s3", 3, None]))
    for name in ("s3://b", "s3://b/", "s3://b/c/"):
        with pytest.raises(ConfigError, match="names no object"):
            address_of(name)


ANSWERS = {
    "NoSuchBucket": "there is no such bucket",
    "404": "there is no such object",
    "AccessDenied": "have no right to read it, or it is not there",
    "SignatureDoesNotMatch": "does not accept the keys",
    "ExpiredToken": "the keys have expired",
    "PermanentRedirect": "is in another region",
    "InvalidObjectState": "is archived",
    "RequestTimeTooSkewed": "the clock of this machine is wrong",
    "SlowDown": "the store cannot read: An error occurred (SlowDown)",
}


@pytest.mark.parametrize("code", ANSWERS)
def test_each_answer_says_what_to_do(code: str) -> None:
    """In both languages."""
    error = errors.ClientError({"Error": {"Code": code, "Message": "why: so; it is"}}, "GetObject")
    with pytest.raises(OSError, match=r"^s3://b/k: ") as raised, store_errors("s3://b/k", "read"):
        raise error
    assert ANSWERS[code] in str(raised.value)
    assert in_chinese(str(raised.value)) is not None


MESSAGES = """
s3://b/k: no keys were found (Unable to locate credentials); set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or name a profile with AWS_PROFILE
s3://b/k: no server answers, or the connection was lost (Could not connect to the endpoint URL: "http://h:9/b/k"); check the network and AWS_ENDPOINT_URL
s3://b/k: the settings of the store are not valid (The config profile (nosuch) could not be found); check AWS_PROFILE
s3://b/k: its ETag was abc when this run began, and is def now; go on with what it was, or remove the run directory and begin again
s3://b/k: is copied to a file first, and /tmp cannot be written: No space left on device; free some space, or set TMPDIR, or the setting `run_dir`, to a folder with room
s3://b/x/: the store cannot write: why; of the objects of s3://b/x/, 3 are there: run the same again, with `replace`
"""  # noqa: E501 - each message is one line


@pytest.mark.parametrize("message", MESSAGES.strip().splitlines())
def test_messages_made_of_parts_are_translated(message: str) -> None:
    """As people see them."""
    assert in_chinese(message) is not None
