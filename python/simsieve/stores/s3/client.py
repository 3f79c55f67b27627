"""Object stores: names and patterns of objects, connections, and what a server answers, as errors of simsieve.

Sources and sinks get clients from here. Keys, region, endpoint, retries and certificates
come from the environment and the files that boto3 reads, such as AWS_ACCESS_KEY_ID, AWS_PROFILE and AWS_ENDPOINT_URL.
"""

import fnmatch
import glob
import os
import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from typing import Any

import botocore.session
from boto3 import exceptions as more
from boto3 import session
from botocore import config, loaders
from botocore import exceptions as errors
from s3transfer import exceptions as transfer

from simsieve.checks import shown
from simsieve.errors import ConfigError, SimsieveError, SourceError
from simsieve.messages import Message
from simsieve.registry import Version

# A path object has made one slash of two.
_NAME = re.compile(r"s3:/{1,2}([^/]*)/?(.*)", re.DOTALL)

_NO_BUCKET = ("NoSuchBucket",)
_NO_OBJECT = ("NoSuchKey", "NotFound", "404")
_NO_RIGHT = ("AccessDenied", "AllAccessDisabled", "AccountProblem", "Forbidden", "403")
_WRONG_KEYS = ("InvalidAccessKeyId", "SignatureDoesNotMatch", "InvalidToken", "InvalidClientTokenId")
_EXPIRED = ("ExpiredToken", "ExpiredTokenException", "TokenRefreshRequired", "RequestExpired")
_WRONG_REGION = ("PermanentRedirect", "AuthorizationHeaderMalformed", "IllegalLocationConstraintException", "301")
_ARCHIVED = ("InvalidObjectState",)
_WRONG_CLOCK = ("RequestTimeTooSkewed",)
CHANGED = "changed while it was read; let whatever writes it finish, then run again"
_CHECK_BUCKET = "there is no such bucket; check the name, and AWS_ENDPOINT_URL where the store is not Amazon's"


@dataclass(frozen=True, slots=True)
class Address:
    """The name of an object, taken apart."""

    bucket: str
    key: str

    @property
    def name(self) -> str:
        """The name as users write it."""
        return f"s3://{self.bucket}/{self.key}"

    @property
    def place(self) -> dict[str, str]:
        """The arguments of a request."""
        return {"Bucket": self.bucket, "Key": self.key}


def address_of(name: str | os.PathLike[str], *, of_object: bool = True) -> Address:
    """Take a name apart."""
    text = os.fsdecode(name)
    found = _NAME.fullmatch(text)
    if found is None or not re.fullmatch(r"[A-Za-z0-9._-]{1,255}", found[1]):
        raise ConfigError(
            "{text}: names no bucket: give s3://bucket/key, with letters, digits, dots and hyphens", text=text
        )
    if of_object and (not found[2] or found[2].endswith("/")):
        raise ConfigError("{text}: names no object: give s3://bucket/key", text=text)
    return Address(found[1], found[2])


def version_of(answer: dict[str, Any]) -> Version:
    """Take the version of an object from what a server answers to a listing, or to a question for the object."""
    size = answer["Size"] if "Size" in answer else answer["ContentLength"]
    # A listing and the object itself agree on no more of the time.
    return Version(int(size), str(answer["ETag"]).strip('"'), int(answer["LastModified"].timestamp()))


@cache
def _loader(folders: str | None) -> Any:
    """What reads the descriptions of services. All clients share it: reading was six sevenths of making a client."""
    return loaders.create_loader(folders)


def connect(name: str, kind: type[SimsieveError] = SourceError) -> Any:
    """Make a client for the settings of the environment; nothing is sent yet. Threads may share it."""
    settings = config.Config(user_agent_extra="simsieve")
    with store_errors(name, "connect", kind):
        try:
            # A session of its own: one that is shared keeps the keys that it has found first.
            own = botocore.session.get_session()
            own.register_component("data_loader", _loader(own.get_config_variable("data_path")))
            return session.Session(botocore_session=own).client("s3", config=settings)
        except ValueError as error:
            # boto3 checks the URL of an endpoint so.
            raise ConfigError(
                "{name}: the settings of the store are not valid ({error}); fix them", name=name, error=error
            ) from error


@contextmanager
def store_errors(name: str, doing: str, kind: type[SimsieveError] = SourceError) -> Iterator[None]:
    """Turn errors of boto3 into one line that says what to do."""
    try:
        yield
    except transfer.S3DownloadFailedError as error:
        # Its parts are of two versions.
        raise kind("{name}: {advice}", name=name, advice=CHANGED) from error
    except transfer.RetriesExceededError as error:
        raise kind("{name}: {advice}", name=name, advice=_lost(error.last_exception)) from error
    except (errors.BotoCoreError, errors.ClientError, more.Boto3Error) as error:
        raise kind("{name}: {advice}", name=name, advice=_advice(error, doing)) from error


def _advice(error: Any, doing: str) -> str:
    why = " ".join(str(error).split())
    code = str(error.response.get("Error", {}).get("Code", "")) if isinstance(error, errors.ClientError) else ""
    by_code = {
        _NO_BUCKET: _CHECK_BUCKET,
        _NO_OBJECT: "there is no such object; check the name",
        _NO_RIGHT: Message(
            "the keys in use have no right to {doing} it, or it is not there ({why}); grant the right, or use other "
            "keys",
            doing=doing, why=why,
        ),
        _WRONG_KEYS: Message(
            "the store does not accept the keys ({why}); check AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or "
            "AWS_PROFILE",
            why=why,
        ),
        _EXPIRED: Message("the keys have expired ({why}); get new ones, as with `aws sso login`", why=why),
        _WRONG_REGION: Message(
            "the bucket is in another region ({why}); set AWS_DEFAULT_REGION to that of the bucket", why=why
        ),
        _ARCHIVED: Message("is archived, and cannot be read at once ({why}); restore it first", why=why),
        _WRONG_CLOCK: Message("the clock of this machine is wrong ({why}); set it", why=why),
    }  # fmt: skip
    for codes, text in by_code.items():
        if code in codes:
            return text
    if isinstance(error, (errors.NoCredentialsError, errors.PartialCredentialsError, errors.CredentialRetrievalError)):
        return Message(
            "no keys were found ({why}); set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or name a profile with "
            "AWS_PROFILE",
            why=why,
        )
    if isinstance(error, errors.ProfileNotFound):
        return Message("the settings of the store are not valid ({why}); check AWS_PROFILE", why=why)
    if isinstance(error, (errors.HTTPClientError, errors.ConnectionError)):
        return _lost(error)
    return Message("the store cannot {doing}: {why}", doing=doing, why=why)


def _lost(error: Any) -> str:
    why = " ".join(str(error).split())
    return Message(
        "no server answers, or the connection was lost ({why}); check the network and AWS_ENDPOINT_URL", why=why
    )


def is_missing(error: Any) -> bool:
    """Say whether an error of boto3 is that there is no such object or bucket."""
    code = str(getattr(error, "response", {}).get("Error", {}).get("Code", ""))
    return code in (*_NO_BUCKET, *_NO_OBJECT)


def look(client: Any, address: Address, kind: type[SimsieveError] = SourceError) -> Version | None:
    """Look at an object; None where there is no such object."""
    with store_errors(address.name, "read", kind):
        try:
            return version_of(client.head_object(**address.place))
        except errors.ClientError as error:
            # The answer to such a request has no body, and so does not tell the fault.
            if not is_missing(error):
                client.get_object(**address.place, Range="bytes=0-0")["Body"].close()
                raise
        try:
            client.head_bucket(Bucket=address.bucket)
        except errors.ClientError as error:
            if is_missing(error):
                raise kind("{name}: {advice}", name=address.name, advice=_CHECK_BUCKET) from error
    return None


def listed(client: Any, address: Address, kind: type[SimsieveError] = SourceError) -> Iterator[tuple[Address, Version]]:
    """List the objects whose keys begin with the key of an address, in the order of their keys."""
    with store_errors(address.name, "list", kind):
        pages = client.get_paginator("list_objects_v2").paginate(Bucket=address.bucket, Prefix=address.key)
        for page in pages:
            for answer in page.get("Contents", ()):
                # An empty object whose name ends in a slash is how some programs show a folder.
                if not answer["Key"].endswith("/"):
                    yield Address(address.bucket, answer["Key"]), version_of(answer)


_READ = re.compile(r"\.((jsonl|ndjson|json|csv|tsv)(\.gz|\.zst)?|warc(\.gz)?|parquet)$", re.IGNORECASE)
_TEXT = re.compile(r"\.(txt|md|markdown|html?)(\.gz|\.zst)?$", re.IGNORECASE)


def objects_of(client: Any, name: str) -> list[tuple[str, Version]]:
    """Give the objects that a name means, sorted by their keys."""
    address = address_of(name, of_object=False)
    if not address.key or address.key.endswith("/"):
        return _under(client, address)
    found = look(client, address)
    if found is not None:
        return [(address.name, found)]
    if glob.has_magic(address.key):
        return _matching(client, address)
    if next(listed(client, Address(address.bucket, address.key + "/")), None) is not None:
        raise SourceError("{name}: there is no such object, but some are under it: give {name}/", name=address.name)
    raise SourceError("{name}: there is no such object; check the name", name=address.name)


def _under(client: Any, address: Address) -> list[tuple[str, Version]]:
    everything = list(listed(client, address))
    if not everything:
        raise SourceError("{name}: there is no object under this prefix; check the name", name=address.name)
    texts = next((one for one, _ in everything if _TEXT.search(one.key)), None)
    if texts is not None:
        ending = texts.key[texts.key.rindex(".") :] if not texts.key.endswith((".gz", ".zst")) else ""
        raise ConfigError(
            "{name}: has texts such as {name_2}, and texts that are a record each are read from a folder on a disk: "
            "copy them first, or give '{name}**/*{ending}' to have each line as a record",
            name=address.name, name_2=texts.name, ending=ending,
        )  # fmt: skip
    files = [(one.name, found) for one, found in everything if _READ.search(one.key)]
    if not files:
        raise SourceError(
            "{name}: none of the {count:,} objects under it ends as a file of records, such as {name_2}; give a "
            "pattern or names, and {@input_format}",
            name=address.name, count=len(everything), name_2=shown(everything[0][0].name),
        )  # fmt: skip
    return files


def _matching(client: Any, address: Address) -> list[tuple[str, Version]]:
    wanted = address.key.split("/")
    fixed = re.split(r"[*?[]", address.key, maxsplit=1)[0]
    everything = listed(client, Address(address.bucket, fixed))
    files = [(one.name, found) for one, found in everything if matches(one.key.split("/"), wanted)]
    if not files:
        raise SourceError("{name}: no object matches this pattern; check it", name=address.name)
    return files


def matches(names: Sequence[str], wanted: Sequence[str]) -> bool:
    """Say whether the steps of a key are those of a pattern, as names of files are with `glob`."""
    if not wanted:
        return not names
    if wanted[0] == "**":
        return any(matches(names[at:], wanted[1:] or ["*"]) for at in _depths(names))
    if not names or (names[0].startswith(".") and not wanted[0].startswith(".")):
        return False
    return fnmatch.fnmatchcase(names[0], wanted[0]) and matches(names[1:], wanted[1:])


def _depths(names: Sequence[str]) -> Iterator[int]:
    """How many folders `**` may be."""
    for depth in range(len(names)):
        yield depth
        if names[depth].startswith("."):
            return
