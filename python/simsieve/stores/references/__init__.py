"""References in RIS, BibTeX and NBIB; BibTeX is read by bibtexparser."""

from simsieve.stores.references.source import ReferenceFiles

open_files = ReferenceFiles

__all__ = ["open_files"]
