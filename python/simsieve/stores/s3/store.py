"""What object stores can do: files that are fetched before they are read, and sent after they are written."""

from collections.abc import Callable
from typing import IO

from simsieve.registry import Name, Store, Version
from simsieve.stores.s3 import uploads
from simsieve.stores.s3.client import address_of, connect, look, objects_of, store_errors
from simsieve.stores.s3.uploads import ObjectFolder


class ObjectReader:
    """Finds and fetches objects by one client."""

    def __init__(self, name: str) -> None:
        self._client = connect(name)

    def find(self, name: str) -> dict[str, Version]:
        """Give the objects that a name means; see `objects_of`."""
        return dict(objects_of(self._client, name))

    def fetch(self, name: str, file: IO[bytes], count: Callable[[int], None]) -> Version | None:
        """Write an object to a file, and look at it again."""
        address = address_of(name)
        with store_errors(name, "read"):
            self._client.download_fileobj(address.bucket, address.key, file, Callback=count)
            return look(self._client, address)

    def close(self) -> None:
        """Close its connections."""
        self._client.close()


class Objects(Store):
    """The objects of S3."""

    def shown(self, name: Name) -> str:
        """The name; a path object has made one slash of two."""
        return address_of(name, of_object=False).name

    def reader(self, name: str) -> ObjectReader:
        """What finds and fetches objects."""
        return ObjectReader(name)

    def is_folder(self, name: Name) -> bool:
        """Whether a name is that of all objects under it."""
        return self.shown(name).endswith("/")

    def is_inside(self, name: Name, folder: Name) -> bool:
        """Whether a name is that of an object under another."""
        return self.shown(name).startswith(self.shown(folder))

    def held(self, name: Name) -> dict[str, int]:
        """The objects under a name with their bytes."""
        return uploads.held(name)

    def is_there(self, name: Name) -> bool:
        """Whether there is an object under a name."""
        return bool(uploads.held(name))

    def check_writable(self, name: Name) -> None:
        """Check that an object can be written."""
        uploads.check_writable(name)

    def upload(self, name: Name) -> uploads.ObjectFile:
        """What makes an object of a file."""
        return uploads.ObjectFile(name)

    def folder(self, name: str, is_own: Callable[[str], bool], *, replace: bool) -> ObjectFolder:
        """A folder of objects."""
        return ObjectFolder(name, is_own, replace=replace)

    def remove_unfinished(self, name: Name) -> None:
        """Abort the uploads that a killed run has left."""
        uploads.abort_left(name)


STORE = Objects()
