"""Settings in the URI of a collection, such as `mongodb://localhost/exams.raw?query={"year":2020}&mark=simsieve`."""

from collections.abc import Sequence
from typing import Any
from urllib.parse import unquote

from simsieve.config.setting import IN_URI
from simsieve.config.settings import SETTINGS
from simsieve.errors import ConfigError
from simsieve.registry import in_database, store_of

_FLAGS = {"": True, "true": True, "false": False}


def apart(uri: str) -> tuple[str, dict[str, Any]]:
    """Give the URI without the settings that it has, and these."""
    place, _, query = uri.partition("?")
    own, others = _parts(query)
    found = {name: _value(name, text) for name, text in (part.partition("=")[::2] for part in own)}
    return place + ("?" + "&".join(others) if others else ""), found


def shown(name: str) -> str:
    """Give a word of a command line; of a URI without passwords and options of the store, and with its settings."""
    if not in_database(name):
        return name
    own, _ = _parts(name.partition("?")[2])
    return with_options(store_of(name).shown(apart(name)[0]), own)


def with_options(uri: str, options: Sequence[str]) -> str:
    """Add options to a URI that may have some."""
    return uri + ("&" if "?" in uri else "?") + "&".join(options) if options else uri


def _parts(query: str) -> tuple[list[str], list[str]]:
    parts = [part for part in query.split("&") if part]
    own = [part for part in parts if (row := SETTINGS.get(part.partition("=")[0])) and row.rare == IN_URI]
    return own, [part for part in parts if part not in own]


def _value(name: str, text: str) -> object:
    if SETTINGS[name].kind is not bool:
        return unquote(text)
    if text not in _FLAGS:
        raise ConfigError("{name}={text} in the URI is not allowed: give true or false", name=name, text=text)
    return _FLAGS[text]
