"""Objects of S3 and of stores with its interface, read and written by boto3."""

from simsieve.stores.s3.store import STORE

__all__ = ["STORE"]
