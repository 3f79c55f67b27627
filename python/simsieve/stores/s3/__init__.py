"""Objects of S3 and of stores with its interface, fetched before they are read and sent when written, by boto3."""

from collections.abc import Callable
from typing import IO

from simsieve.registry import Name, Store, Version
from simsieve.stores.s3 import uploads
from simsieve.stores.s3.client import address_of, connect, look, objects_of, store_errors

__all__ = ["STORE"]


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
    """The objects of S3; its methods are those of `Store`."""

    reader = staticmethod(ObjectReader)
    held = staticmethod(uploads.held)
    check_writable = staticmethod(uploads.check_writable)
    upload = staticmethod(uploads.ObjectFile)
    remove_unfinished = staticmethod(uploads.abort_left)

    def shown(self, name: Name) -> str:
        """The name; a path object has made one slash of two."""
        return address_of(name, of_object=False).name

    def is_folder(self, name: Name) -> bool:
        """Whether a name is that of all objects under it."""
        return self.shown(name).endswith("/")

    def is_inside(self, name: Name, folder: Name) -> bool:
        """Whether a name is that of an object under another."""
        return self.shown(name).startswith(self.shown(folder))

    def is_there(self, name: Name) -> bool:
        """Whether there is an object under a name."""
        return bool(uploads.held(name))

    def folder(self, name: str, is_own: Callable[[str], bool], *, replace: bool) -> uploads.ObjectFolder:
        """A folder of objects."""
        return uploads.ObjectFolder(name, is_own, replace=replace)


STORE = Objects()
