"""Settings in a TOML file: read, and written so that reading returns the same settings."""

import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any, cast

from simsieve import _core
from simsieve.checks import shown
from simsieve.config.near_rows import FIT, NONE, THRESHOLDS
from simsieve.config.setting import Setting
from simsieve.config.settings import SETTINGS, DedupConfig, check_known
from simsieve.config.typed import Settings
from simsieve.errors import ConfigError, SourceError, not_read
from simsieve.files import read_file
from simsieve.messages import Setting as NameOfSetting
from simsieve.messages import tr
from simsieve.schemes.criteria import Criterion, criterion_of, threshold_apart
from simsieve.schemes.custom import CustomScheme
from simsieve.screen import wrapped

_KINDS = {str: "a text", int: "a whole number", float: "a number", bool: "true or false"}

_OPENING = (
    "Settings of simsieve. `--config FILE` reads them again; the command line takes precedence.\n"
    "Names of files are taken from the folder of this file."
)


def settings_from(path: str | os.PathLike[str]) -> Settings:
    r"""Read the settings of a TOML file, whose keys are the names in `simsieve.config.settings.SETTINGS`.

    Args:
        path: A UTF-8 file. `text_field`, `block_by` and other lists of names may be lists of texts. Files that it names
            are looked for in its own folder: a scheme's TOML file, its stop words, a model.

    Returns:
        The settings of the file, by name, for `dedup` and similar functions; others can be added: `dedup(source,
        **settings_from("run.toml") | {"seed": 7})`.

    Raises:
        SourceError: The file cannot be read or is no TOML.
        ConfigError: A key is unknown (the nearest known one is suggested), of another type, or has a value that is not
            allowed; the text names the file and the key.

    Example:
        >>> import pathlib, tempfile
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     path = pathlib.Path(folder, "run.toml")
        ...     _ = path.write_text('similarity = 0.8\nkeep = ["longest", "first"]\n')
        ...     settings_from(path)
        {'similarity': 0.8, 'keep': ['longest', 'first']}
    """
    file = Path(path)
    read = read_toml(file)
    try:
        for name, value in read.items():
            check_known(name)
            _check_type(SETTINGS[name], value)
        settings = {name: _found(name, value, str(file.parent)) for name, value in read.items()}
        DedupConfig.from_settings(settings)
    except ConfigError as error:
        raise ConfigError("{file}: {error}", file=file, error=error) from error
    return cast(Settings, settings)


def read_toml(file: Path) -> dict[str, Any]:
    """Read a file of settings as it is."""
    # Loaded here, since few runs read such a file.
    import tomllib  # noqa: PLC0415 - see above

    try:
        return tomllib.loads(read_file(file, may_be_given=True).decode("utf-8-sig"))
    except OSError as error:
        raise not_read(file, "the file of settings", error) from error
    except (UnicodeDecodeError, tomllib.TOMLDecodeError, RecursionError) as error:
        raise SourceError(
            '{file}: is no TOML: {error}; write settings as in similarity = 0.8 or keep = "last"',
            file=file, error=error,
        ) from None  # fmt: skip


def settings_toml(config: DedupConfig) -> str:
    """Write the settings in force as TOML, each with its help, so that `settings_from` gives the same ones."""
    blocks = ["".join(f"# {line}\n" for line in tr(_OPENING).splitlines())]
    for name, setting in SETTINGS.items():
        value = _written(name, getattr(config, name))
        unit = f" ({tr(setting.unit)})" if setting.unit else ""
        line = tr("# {name} is not given", name=name) if value is None else f"{name} = {_literal(name, value)}"
        allowed = tr(" Allowed: {allowed}.", allowed=tr(setting.allowed) + unit).strip()
        comment = "".join(f"# {part}\n" for text in (tr(setting.help), allowed) for part in wrapped(text, 116))
        blocks.append(f"{comment}{line}\n")
    return "\n".join(blocks)


def over(given: Mapping[str, Any], file: Mapping[str, Any]) -> dict[str, Any]:
    """Merge given settings over those of a file; a given threshold removes every threshold of the file."""
    own = [criterion_of(each).has_threshold for each in _listed(given.get("scheme", ()))]
    left = dict(file)
    if any(given.get(name) is not None for name in THRESHOLDS) or (own and all(own)):
        left = {name: value for name, value in left.items() if name not in THRESHOLDS}
    if any(given.get(name) is not None for name in THRESHOLDS) and "scheme" in left and "scheme" not in given:
        schemes = _listed(left["scheme"])
        if len(schemes) == 1:
            left["scheme"] = criterion_of(schemes[0]).scheme
    return {**left, **given}


def _check_type(setting: Setting, value: object) -> None:
    kinds = (setting.kind, *(kind for kind in setting.also if kind is not dict))
    items = value if setting.several and isinstance(value, list) else [value]
    if dict in setting.also and isinstance(value, dict):
        items = list(value.values())
    for item in items:
        is_kind = isinstance(item, (int, *kinds) if setting.kind is float else kinds)
        if not is_kind or (isinstance(item, bool) and setting.kind is not bool):
            allowed = " or ".join(_KINDS[kind] for kind in kinds)
            raise ConfigError(
                "{name} = {value} is of another type: give {allowed}{more}; {allowed_2}",
                name=setting.name, value=shown(value), allowed=allowed,
                more=" or a list of them" if setting.several else "", allowed_2=setting.allowed,
            )  # fmt: skip


def _found(name: str, value: Any, folder: str) -> Any:
    """A setting of a file in that folder, with names of files relative to the current folder."""
    if (name in ("verdicts", "ignore") and value) or (name == "idf" and value not in ("", NONE, FIT)):
        return os.path.join(folder, value)
    if name == "scheme":
        return [_anchored(one, folder) for one in value] if isinstance(value, list) else _anchored(value, folder)
    return value


def _written(name: str, value: Any) -> Any:
    """A setting as in a file, with absolute names of files."""
    if name == "idf" and not isinstance(value, str):
        raise ConfigError(
            "idf is a model in memory, and a file of settings names files only: save it and give its path"
        )
    if name == "verdicts" and isinstance(value, tuple):
        raise ConfigError("verdicts are rows in memory, which no file of settings can have: write them to a file")
    if name == "scheme":
        schemes = [_scheme(one) for one in _listed(value)]
        return schemes if isinstance(value, tuple) else schemes[0]
    return _found(name, value, os.getcwd())


def _scheme(value: Any) -> str:
    scheme = value.scheme if isinstance(value, Criterion) else value
    if isinstance(scheme, CustomScheme):
        raise ConfigError(
            "scheme is an object in memory, and a file of settings names files only: describe the scheme in a TOML file"
        )
    return _anchored(str(value), os.getcwd())


def _anchored(scheme: str, folder: str) -> str:
    """A scheme whose files are looked for in a folder, where their names are not absolute."""
    spec, threshold = threshold_apart(scheme)
    if spec.endswith(".toml"):
        return os.path.join(folder, spec) + threshold
    return (_core.spec_in_folder(spec, folder) if _core.spec_files(spec) else spec) + threshold


def _listed(value: Any) -> list[Any]:
    return list(value) if isinstance(value, list | tuple) else [value]


def _literal(name: str, value: Any) -> str:
    if isinstance(value, list | tuple):
        return "[" + ", ".join(_literal(name, item) for item in value) + "]"
    if isinstance(value, bool):
        return str(value).lower()
    if not isinstance(value, str):
        return repr(value)
    try:
        value.encode()
    except UnicodeEncodeError:
        raise ConfigError(
            "{name} {value!r} holds a lone surrogate, which TOML cannot express: give another text",
            name=NameOfSetting(name), value=value,
        ) from None  # fmt: skip
    # Strings of JSON are strings of TOML, except for one control character, which TOML requires escaped.
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
