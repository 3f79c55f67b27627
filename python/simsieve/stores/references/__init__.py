"""References in RIS, BibTeX, NBIB and XML of EndNote; BibTeX is read by bibtexparser."""

from simsieve.stores.references.source import ReferenceFiles

open_files = ReferenceFiles

__all__ = ["open_files"]
