"""Names of fields in messages: the ones that there are, and the one that was probably meant."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from simsieve.checks import nearest
from simsieve.config.settings import SETTINGS, DedupConfig
from simsieve.messages import Message

FINGERPRINT = "fingerprint"
"""The column of fingerprints in what `simsieve fingerprint` writes."""
_SHOWN = 8


def text_fields(config: DedupConfig, known: Iterable[str]) -> Sequence[str]:
    """Give the text fields: `fingerprint` where a scheme takes fingerprints and no text field is there."""
    usual = SETTINGS["text_field"].default
    names = set(known)
    if (
        config.text_field == usual
        and config.given_forms - {"tokens"}
        and FINGERPRINT in names
        and usual[0] not in names
    ):
        return (FINGERPRINT,)
    return config.text_field


def near_field(name: str, known: Iterable[str]) -> str | None:
    """Give the field that is nearest to a name, whatever its case."""
    folded: dict[str, str] = {}
    for one in known:
        folded.setdefault(one.casefold(), one)
    found = nearest(name.casefold(), folded)
    return None if found is None else folded[found]


def meant(names: Iterable[str], known: Sequence[str]) -> str:
    """Write what was probably meant by names that there are not, as a question; empty where nothing is near."""
    for name in names:
        parts = [part.strip() for part in name.replace("，", ",").split(",")]
        if len(parts) > 1 and all(part in known for part in parts):
            return " give several fields one by one, not with commas."
        if (near := near_field(name, known)) is not None:
            return Message(" did you mean {near!r}?", near=near)
    return ""


def with_fields(lack: str, names: str, question: str | None, known: Sequence[str]) -> Message:
    """Say that fields are lacking, what was probably meant, and which there are."""
    values = {"lack": lack, "names": names, "question": question, "fields": shown_fields(known)}
    if question:
        return Message("{lack} {names}:{question} The fields are {fields}", **values)
    return Message("{lack} {names}: the fields are {fields}", **values)


def rule_of(name: str, block_by: Sequence[str]) -> str:
    """Give the setting that names a field which must be equal in near records."""
    return "block_by" if name in block_by else "differ"


def shown_fields(known: Sequence[str]) -> str:
    """List the first fields."""
    return (", ".join(repr(name) for name in known[:_SHOWN]) or "no fields") + (", ..." if len(known) > _SHOWN else "")


def has_field(document: Any, name: str) -> bool:
    """Say whether a document has a field; dots reach into documents, and `*` and numbers into lists."""
    part, _, rest = name.partition(".")
    if isinstance(document, list):
        items = document if part == "*" else document[int(part) :][:1] if part.isdecimal() else []
        return any(not rest or has_field(item, rest) for item in items)
    if not isinstance(document, dict) or part not in document:
        return False
    return not rest or has_field(document[part], rest)


def inner_names(name: str, value: Any) -> list[str]:
    """Name the fields that a value has inside: those of a document, or of the first item of a list."""
    if isinstance(value, list) and value:
        return inner_names(f"{name}.*", value[0]) if isinstance(value[0], dict | list) else [f"{name}.*"]
    return [f"{name}.{key}" for key in value] if isinstance(value, dict) else []


def lacking_field(first: Sequence[Mapping[str, Any]], names: Sequence[str]) -> str:
    """Say that none of the first documents of a collection has a field, and which ones there are."""
    known: dict[str, None] = {}
    for document in first:
        for name, value in document.items():
            known[name] = None
            known.update(dict.fromkeys(inner_names(name, value)))
    wanted = " or ".join(repr(name) for name in names)
    dotted = next((name for name in names if "." in name and name in known), None)
    if dotted is not None:
        return Message(
            "none of the first {count:,} documents has a field {wanted}: dots reach into documents, and the name "
            "{dotted!r} itself has one: read a view that renames it by $getField",
            count=len(first), wanted=wanted, dotted=dotted,
        )  # fmt: skip
    near = next(filter(None, (near_field(name, known) for name in names)), None)
    lack = Message("none of the first {count:,} documents has a field", count=len(first))
    return with_fields(lack, wanted, near and Message(" did you mean {near!r}?", near=near), list(known))
