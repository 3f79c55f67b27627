"""The settings of a run: one table, its TOML form, the checks of single values, and the types of settings."""

from simsieve.lazy import lazy as _lazy

__all__, __getattr__ = _lazy(__name__, __file__)
