"""Files that become objects: their bytes are sent first, and the objects appear when all of them are there.

A large file is sent as a multipart upload, which makes no object until it is completed; one that is not completed is
aborted. A small file is sent at the end, in one request.
"""

import os
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, suppress
from dataclasses import dataclass, field
from typing import Any

from s3transfer.utils import ReadFileChunk

from simsieve.errors import ConfigError, SinkError
from simsieve.sinks.base import temporary_folder
from simsieve.sinks.folder import OutputFolder
from simsieve.stores.s3.client import Address, address_of, connect, listed, store_errors

_PART_BYTES = 8 << 20
"""A file up to this size is sent at once; parts of others have this size at least."""
_MOST_PARTS = 10_000
"""The parts that a store takes for an object."""
_THREADS = 4


@dataclass(slots=True)
class _Object:
    """A file on its way to an object."""

    address: Address
    path: str
    upload: str | None = None
    parts: list[dict[str, Any]] = field(default_factory=list)


class Uploads:
    """Files on their way to objects: any number of `send`, then `commit` or `abort`."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._client = connect(name, SinkError)
        self._objects: list[_Object] = []

    def send(self, path: str, name: str) -> None:
        """Send a file, without making its object."""
        one, size = _Object(address_of(name), path), os.path.getsize(path)
        self._objects.append(one)
        if size <= _PART_BYTES:
            return
        part_bytes = max(_PART_BYTES, -(-size // _MOST_PARTS))
        with store_errors(name, "write", SinkError):
            one.upload = self._client.create_multipart_upload(**one.address.place)["UploadId"]
            with ThreadPoolExecutor(_THREADS) as pool:
                jobs = [pool.submit(self._send_part, one, at, part_bytes) for at in range(-(-size // part_bytes))]
                try:
                    one.parts = [job.result() for job in jobs]
                except BaseException:
                    pool.shutdown(cancel_futures=True)
                    raise

    def _send_part(self, one: _Object, at: int, part_bytes: int) -> dict[str, Any]:
        chunk = ReadFileChunk.from_filename(one.path, at * part_bytes, part_bytes)
        with chunk:
            place = {**one.address.place, "UploadId": one.upload, "PartNumber": at + 1}
            return {"PartNumber": at + 1, "ETag": self._client.upload_part(**place, Body=chunk)["ETag"]}

    def commit(self) -> None:
        """Make the objects, one after another."""
        made = 0
        try:
            for one in list(self._objects):
                with store_errors(one.address.name, "write", SinkError):
                    self._make(one)
                self._objects.remove(one)
                made += 1
        except SinkError as error:
            self.abort()
            if not made:
                raise
            raise SinkError(
                "{error}; of the objects of {name}, {made:,} are there: run the same again, with {`replace`}",
                error=error, name=self._name, made=made,
            ) from error  # fmt: skip
        self._client.close()

    def _make(self, one: _Object) -> None:
        if one.upload is None:
            with open(one.path, "rb") as file:
                self._client.put_object(**one.address.place, Body=file)
        else:
            parts = {"Parts": one.parts}
            self._client.complete_multipart_upload(**one.address.place, UploadId=one.upload, MultipartUpload=parts)

    def abort(self) -> None:
        """Abort the uploads that are no objects yet; allowed at any time."""
        objects, self._objects = self._objects, []
        for one in objects:
            if one.upload is not None:
                with suppress(SinkError), store_errors(one.address.name, "abort", SinkError):
                    self._client.abort_multipart_upload(**one.address.place, UploadId=one.upload)
        # Connections are made again where one is needed.
        self._client.close()

    def remove(self, names: Sequence[Address]) -> None:
        """Remove objects of an earlier run."""
        for address in names:
            with store_errors(address.name, "remove", SinkError):
                self._client.delete_object(**address.place)
        self._client.close()


def check_writable(name: str | os.PathLike[str]) -> None:
    """Check that an object can be written, by an upload that is begun and aborted."""
    address = address_of(name, of_object=False)
    # Of a folder any key in it will do.
    place = {"Bucket": address.bucket, "Key": f"{address.key}part" if address.name.endswith("/") else address.key}
    with closing(connect(address.name, SinkError)) as client, store_errors(address.name, "write", SinkError):
        upload = client.create_multipart_upload(**place)["UploadId"]
        client.abort_multipart_upload(**place, UploadId=upload)


def abort_left(name: str | os.PathLike[str]) -> None:
    """Abort the uploads of an output that a killed run has left; without the right to see them they stay."""
    address = address_of(name, of_object=False)
    client = connect(address.name, SinkError)
    with closing(client), suppress(SinkError), store_errors(address.name, "list", SinkError):
        pages = client.get_paginator("list_multipart_uploads").paginate(Bucket=address.bucket, Prefix=address.key)
        for upload in [upload for page in pages for upload in page.get("Uploads", ())]:
            if upload["Key"] == address.key or address.key.endswith("/"):
                place = {"Bucket": address.bucket, "Key": upload["Key"], "UploadId": upload["UploadId"]}
                client.abort_multipart_upload(**place)


def held(name: str | os.PathLike[str]) -> dict[str, int]:
    """Give the objects in a folder with their bytes, by their names from the folder on."""
    address = address_of(name, of_object=False)
    with closing(connect(address.name, SinkError)) as client:
        found = listed(client, address, SinkError)
        return {one.key.removeprefix(address.key): about.size for one, about in found}


class ObjectFile:
    """A file in a temporary folder that becomes an object."""

    def __init__(self, name: str | os.PathLike[str]) -> None:
        self._address = address_of(name)
        self._folder: Any = None

    def begin(self) -> str:
        """Make the folder, and give the place of the file, which has the object's last name."""
        self._folder = temporary_folder()
        return os.path.join(self._folder.name, os.path.basename(self._address.key))

    def commit(self) -> None:
        """Make the object of the file, and remove the file."""
        if self._folder is not None:
            uploads = Uploads(self._address.name)
            try:
                path = os.path.join(self._folder.name, os.path.basename(self._address.key))
                uploads.send(path, self._address.name)
                uploads.commit()
            except BaseException:
                uploads.abort()
                raise
        self.abort()

    def abort(self) -> None:
        """Remove the file."""
        folder, self._folder = self._folder, None
        if folder is not None:
            folder.cleanup()


class ObjectFolder(OutputFolder):
    """A folder of objects: a prefix that ends in a slash. They appear together, as far as a store can do that."""

    def __init__(self, sink: str, is_own: Callable[[str], bool], *, replace: bool = False) -> None:
        super().__init__(sink, is_own, replace=replace)
        address = address_of(sink, of_object=False)
        key = address.key if not address.key or address.key.endswith("/") else address.key + "/"
        self._address = Address(address.bucket, key)
        self._beside: ObjectFile | None = None
        self._held: list[str] = []

    def check(self, sources: Sequence[str]) -> None:
        """Check, before the work, that the objects can appear; see `OutputFolder.check`."""
        for source in sources:
            if source.startswith(self._address.name):
                raise ConfigError(
                    "the source {source} is in the folder {name}, which is written: sources are never overwritten; "
                    "name another folder",
                    source=source, name=self.name,
                )  # fmt: skip
        self._check_held()
        check_writable(self._address.name)

    def _check_held(self) -> None:
        self._held = sorted(held(self._address.name))
        self.check_files(self._held)

    def begin(self) -> None:
        """Make the folder in which the files are written."""
        self._beside = ObjectFile(f"{self._address.name}files")
        self._temporary = self._beside.begin()
        with self._errors():
            os.mkdir(self._temporary)

    def commit(self) -> None:
        """Make objects of the files, and remove those of an earlier run that are in their place no more."""
        # Someone else may have written there since it was checked.
        self._check_held()
        uploads, written = Uploads(self.name), []
        try:
            for inside, _, names in sorted(os.walk(self._temporary)):
                for path in sorted(os.path.join(inside, name) for name in names):
                    written.append(os.path.relpath(path, self._temporary))
                    uploads.send(path, self._address.name + written[-1])
            uploads.commit()
            key = self._address.key
            uploads.remove([Address(self._address.bucket, key + name) for name in self._held if name not in written])
        except BaseException:
            uploads.abort()
            raise
        finally:
            self.abort()

    def abort(self) -> None:
        """Remove the files."""
        beside, self._beside = self._beside, None
        self._temporary = ""
        if beside is not None:
            beside.abort()
