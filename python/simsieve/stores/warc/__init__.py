"""WARC files: pages and texts, read by warcio."""

from simsieve.stores.warc.source import WarcFiles

open_files = WarcFiles

__all__ = ["open_files"]
