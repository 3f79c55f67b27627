"""Names of objects, the patterns that match them, and what each answer of a store says; no store is asked."""

import glob
import os
from pathlib import Path

import pytest
from botocore import exceptions as errors

from simsieve import ConfigError
from simsieve.registry import on_disk
from simsieve.stores.s3.client import Address, address_of, matches, store_errors

NAMES = "a.csv b.csv.gz .hidden.csv one/a.csv one/two/a.csv one/.no/a.csv on[e/a.csv one/b é/ü.csv".split()
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
    """What the store answers, and the way out."""
    error = errors.ClientError({"Error": {"Code": code, "Message": "why: so; it is"}}, "GetObject")
    with pytest.raises(OSError, match=r"^s3://b/k: ") as raised, store_errors("s3://b/k", "read"):
        raise error
    assert ANSWERS[code] in str(raised.value)
