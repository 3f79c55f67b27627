"""A folder of kept records that goes to an object store: written to a temporary folder, then sent."""

import os
from collections.abc import Callable, Sequence

from simsieve.errors import ConfigError
from simsieve.sinks.folder import OutputFolder
from simsieve.stores.s3.client import Address, address_of
from simsieve.stores.s3.uploads import ObjectFile, Uploads, check_writable, held


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
