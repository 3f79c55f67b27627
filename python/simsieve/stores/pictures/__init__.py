"""Pictures: their hashes, computed by imagehash, and small forms of them for pages."""

from simsieve.stores.pictures.source import PictureFiles

open_files = PictureFiles

__all__ = ["open_files"]
