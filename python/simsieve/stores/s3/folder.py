"""Kept records that go to an object store: written to a temporary folder, and sent when all is written."""

import os
from collections.abc import Callable, Sequence

from simsieve.errors import ConfigError, InternalError
from simsieve.sinks.base import Rows, Sink
from simsieve.sinks.folder import OutputFolder
from simsieve.stores.s3.client import Address, address_of, is_s3
from simsieve.stores.s3.uploads import ObjectFile, Uploads, check_writable, held


class UploadedSink:
    """The sink of rows that go to an object.

    Args:
        name: The object.
        make: Makes the sink of the rows at a path.
    """

    def __init__(self, name: str, make: Callable[[str], Sink[Rows]]) -> None:
        self._name, self._make = name, make
        self._file = ObjectFile(name)
        self._sink: Sink[Rows] | None = None

    def check(self) -> None:
        """Check that the object can be written, and that its format can hold the rows."""
        check_writable(self._name)
        self._make(os.path.basename(address_of(self._name).key))

    def begin(self) -> None:
        """Begin the file."""
        self._sink = self._make(self._file.begin())
        self._sink.begin()

    def write(self, batch: Rows, /) -> None:
        """Write rows."""
        if self._sink is None:
            raise InternalError(f"the output {self._name} was not begun; call begin before write and commit")
        self._sink.write(batch)

    def commit(self) -> None:
        """End the file, and make the object of it."""
        if self._sink is not None:
            self._sink.commit()
            self._sink = None
        self._file.commit()

    def abort(self) -> None:
        """Remove the file."""
        sink, self._sink = self._sink, None
        if sink is not None:
            sink.abort()
        self._file.abort()


class ObjectFolder(OutputFolder):
    """A folder of objects: a prefix that ends in a slash. They appear together, as far as a store can do that.

    Args:
        sink: Its name.
        is_own: As for `OutputFolder`.
        replace: As for `OutputFolder`.
    """

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
            if is_s3(source) and source.startswith(self._address.name):
                raise ConfigError(
                    f"the source {source} is in the folder {self.name}, which is written: sources are never"
                    " overwritten; name another folder"
                )
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


def check_objects(sources: Sequence[str], sinks: Sequence[str]) -> None:
    """Check that objects can be written, are no sources and are not the same.

    Args:
        sources: Names of sources, of which those of objects count.
        sinks: Names of objects.

    Raises:
        SinkError: An object cannot be written.
        ConfigError: A sink is a source, or two sinks are the same.

    Example:
        >>> check_objects([], ["s3://a/b", "s3://a/b"])
        Traceback (most recent call last):
        ...
        simsieve.errors.ConfigError: the outputs s3://a/b and s3://a/b are the same file; give each its own
    """
    names = [address_of(sink).name for sink in sinks]
    for at, name in enumerate(names):
        if name in sources:
            raise ConfigError(
                f"the output {name} is the source {name}: sources are never overwritten; write to another file"
            )
        if name in names[:at]:
            raise ConfigError(f"the outputs {name} and {name} are the same file; give each its own")
    for name in names:
        check_writable(name)
