"""What a run gives back: decisions, pairs, the summary and the recall, and the rows of other answers."""

from simsieve.lazy import lazy as _lazy

__all__, __getattr__ = _lazy(__name__, __file__)
