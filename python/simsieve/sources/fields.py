"""The fields of records: which there are, whether those that are named are among them, and which was probably meant."""

import json
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from simsieve import _core
from simsieve.checks import nearest
from simsieve.config.checks import LENGTH, keep_fields
from simsieve.config.kinds import USUAL
from simsieve.config.settings import SETTINGS, DedupConfig
from simsieve.errors import ConfigError
from simsieve.json_values import record_of
from simsieve.messages import Message, Setting
from simsieve.sinks import fields as sink_fields
from simsieve.sinks.fields import ALL
from simsieve.sources.base import Source

FINGERPRINT = "fingerprint"
"""The column of fingerprints in what `simsieve fingerprint` writes."""
FIRST = 1000
"""How many records are looked at."""
_SHOWN = 8
_EXPORTED_ID = "_id"
_ID_RECORDS = 100
"""Records whose ids are looked at."""
PROBE = "external64"
"""A scheme that makes no features, so that looking at a record costs no more than parsing it."""


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


def lacking_rules(config: DedupConfig, lacks: Callable[[str], bool]) -> Iterator[tuple[Sequence[str], Setting]]:
    """Give each field and rule whose names the records all lack: its names, and the setting that has it."""
    for one in config.field_texts:
        if all(map(lacks, one.names)):
            yield one.names, Setting("@`field`")
    for names, bound, apart, _ in config.field_rules:
        is_usual = config.kind == "references" and names[0] in USUAL
        if not is_usual and all(map(lacks, names)):
            yield names, Setting(f"@`{'agree' if not apart else 'differ' if bound == 'known' else 'near'}`")
    yield from (
        ((name,), Setting(f"@`{rule_of(name, config.block_by)}`")) for name in config.equal_fields if lacks(name)
    )


def shown_fields(known: Sequence[str]) -> str:
    """List the first fields."""
    return (", ".join(repr(name) for name in known[:_SHOWN]) or "no fields") + (", ..." if len(known) > _SHOWN else "")


def agreeing(names: Sequence[str], bound: str, one: Mapping[str, Any], other: Mapping[str, Any]) -> bool | None:
    """Say whether two records agree by a rule on fields, each with its first known value; None where none is known."""
    return _core.field_agrees(bound, known_value(names, one), known_value(names, other))


def known_value(names: Sequence[str], values: Mapping[str, Any]) -> str | None:
    """Give the first known value of some fields, as the core has it: a text, or JSON."""
    found = map(values.get, names)
    texts = (one if isinstance(one, str) or one is None else json.dumps(one, ensure_ascii=False) for one in found)
    return next((text for text in texts if _core.field_agrees("known", text, text)), None)


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


def check_fields(
    records: _core.Records, config: DedupConfig, warn: Callable[[str], None], *, knows_fields: bool = False
) -> None:
    """Check that some of the first records have the fields that are named; few records of an index may lack some."""
    head = records.first(min(FIRST, records.new_len))
    if not head.new_len:
        return
    columns = head.columns
    if columns is not None:
        _check_columns(columns, config)
        return
    failures = _failures(head, config.text_field, config)
    if not config.field and _none_has(failures, head):
        lacking = _lacking(head, config.text_field)
        if _has_numbers_alone(head.objects([0])[0]):
            why = Message(
                "{lacking}; name the field that holds the text with {@text_field}, or give a CustomScheme with "
                'features="tokens" if these are tokens with weights',
                lacking=lacking,
            )
        else:
            why = Message("{lacking}; name the field that holds the text with {@text_field}", lacking=lacking)
        raise ConfigError(why.with_id("source.no_text_field"))
    _warn_of_shape(failures, head, warn)
    unmet = () if knows_fields else lacking_rules(config, lambda name: not some_have(head, name, config))
    for names, setting in unmet:
        raise ConfigError("{lacking}; name a field with {setting}", lacking=_lacking(head, names), setting=setting)
    named = () if config.id_field == SETTINGS["id_field"].default else (config.id_field,)
    several = config.text_field if len(config.text_field) > 1 and not config.field else ()
    fields = {
        "texts are without it": several,
        "ids are empty": named,
        "keep does not order by it": keep_fields(config.keep),
    }
    for effect, name in ((effect, name) for effect, names in fields.items() for name in names):
        if _none_has(_failures(head, (name,), config), head):
            warn(Message("{lacking}: {effect}", lacking=_lacking(head, (name,)), effect=effect))
    _warn_of_exported_ids(head, config, warn)


def _has_numbers_alone(line: bytes | None) -> bool:
    """Whether a record may be tokens with weights that was taken for a record."""
    try:
        record = json.loads(line or b"", parse_int=float)
    except (ValueError, RecursionError):
        return False
    return isinstance(record, dict) and all(isinstance(value, float) for value in record.values())


def some_have(head: _core.Records, name: str, config: DedupConfig) -> bool:
    """Say whether some of the first records have a field, or `check_fields` had no cause to warn."""
    return not _none_has(_failures(head, (name,), config), head)


def with_usual_names(config: DedupConfig, known: Sequence[str]) -> DedupConfig:
    """Give the settings of references with the names that the records have; what none has stays unknown."""
    if config.kind != "references":
        return config

    def found(name: str) -> str:
        usual = USUAL.get(name.casefold(), ())
        alike = () if name in known else (one for one in known if one.strip().casefold() in usual)
        return "|".join(alike) or name

    def named(rules: Sequence[str]) -> tuple[str, ...]:
        return tuple(found(field) + sign + bound for field, sign, bound in (one.partition(":") for one in rules))

    differ, near, agree, field = map(named, (config.differ, config.near, config.agree, config.field))
    text = [part for name in config.text_field for part in found(name).split("|")]
    # Those of fields that are compared by themselves follow from these.
    texts = SETTINGS["text_field"].default if config.field else tuple(text)
    return replace(config, text_field=texts, differ=differ, near=near, agree=agree, field=field)


def with_text_fields(records: _core.Records, config: DedupConfig) -> DedupConfig:
    """Give the settings with the text fields of these records; see `text_fields` and `with_usual_names`."""
    if config.kind == "references":
        return with_usual_names(config, first_fields(records))
    # Records are looked at only where their fields matter.
    fields = text_fields(config, first_fields(records) if config.given_forms else ())
    return config if fields == config.text_field else replace(config, text_field=fields)


def _check_columns(columns: list[str], config: DedupConfig) -> None:
    for name in () if config.field else config.text_field:
        hint = meant((name,), columns) if name not in columns and len(columns) > 1 else ""
        if hint:
            why = Message(
                "no column {name!r}:{hint} There are {shown_fields}; name the column that holds the text with "
                "{@text_field}",
                name=name, hint=hint, shown_fields=shown_fields(columns),
            )  # fmt: skip
            raise ConfigError(why.with_id("source.no_text_field"))
    check_rules(columns, config)


def check_rules(columns: Sequence[str], config: DedupConfig) -> None:
    """Check that a table has the columns that are compared besides the text, or that have thresholds of their own."""
    for names, setting in lacking_rules(config, lambda name: name not in columns):
        hint = meant(names, columns)
        there = Message(":{hint} There are", hint=hint) if hint else "; there are"
        raise ConfigError(
            "no column {name!r}{there} {columns}; name a column with {setting}",
            name="|".join(names), there=there, columns=shown_fields(columns), setting=setting,
        )  # fmt: skip


def _failures(head: _core.Records, names: Iterable[str], config: DedupConfig) -> list[tuple[int, str, str]]:
    """How records fail whose text is in these fields."""
    return head.encode([_core.Scheme(PROBE)], list(names), "id", config.threads).failures()


def _warn_of_exported_ids(head: _core.Records, config: DedupConfig, warn: Callable[[str], None]) -> None:
    """Warn where ids are empty by default, and all records have the id that a database writes when it exports."""
    usual = SETTINGS["id_field"].default
    # Each id that is no text gives a message, so a few records are looked at.
    head = head.first(_ID_RECORDS)
    if config.id_field != usual or not _none_has(_failures(head, (usual,), config), head):
        return
    if "no_text_field" not in {code for _, code, _ in _failures(head, (_EXPORTED_ID,), config)}:
        warn(Message(
            "the records have no field {usual!r}, but {other!r}: ids are empty; name it with {@id_field}",
            usual=usual, other=_EXPORTED_ID,
        ))  # fmt: skip


def _none_has(failures: Sequence[tuple[int, str, str]], head: _core.Records) -> bool:
    """Whether records lack the fields, and none has one of them."""
    codes = Counter(code for _, code, _ in failures)
    # A record that is no object says nothing of the fields; one that fails for another reason may have them.
    judged = set(codes) <= {"no_text_field", "not_json", "not_object"}
    return judged and codes["no_text_field"] > 0 and codes.total() == head.new_len


def _warn_of_shape(failures: Sequence[tuple[int, str, str]], head: _core.Records, warn: Callable[[str], None]) -> None:
    """Warn where the first lines are no objects, with the likely form."""
    if not failures or failures[0][0] != 0:
        return
    first = failures[0][2]
    none_is = len(failures) == head.new_len and all(code in ("not_json", "not_object") for _, code, _ in failures)
    if ": [; " in first or (none_is and "the record is a list (" in first):
        warn(Message("the records seem to be a JSON list, not JSON lines: give {@`input_format`} json"))
    elif none_is and ": {; " in first:
        warn(Message("the records seem to be JSON over several lines: write each on one line, as with `jq -c . FILE`"))


def _lacking(head: _core.Records, names: Iterable[str]) -> str:
    wanted = " or ".join(repr(name) for name in names)
    known = first_fields(head, inner=True)
    lack = (
        Message("none of the first {new_len:,} records has a field", new_len=head.new_len)
        if head.new_len > 1
        else "the record has no field"
    )
    return with_fields(lack, wanted, meant(names, known), known)


def first_fields(records: _core.Records, *, inner: bool = False) -> list[str]:
    """Give the fields of the first records: the columns of a table, else what the objects have."""
    if records.columns is not None:
        return records.columns
    found: dict[str, None] = {}
    for line in records.objects(range(min(FIRST, records.new_len))):
        for name, value in record_of(line).items():
            found[name] = None
            if inner:
                found.update(dict.fromkeys(inner_names(name, value)))
    return list(found)


def check_named(config: DedupConfig, records: _core.Records, source: Source) -> None:
    """Check that the first records have the fields that are written, and those by which drops are counted."""
    if config.fields is not None:
        check_known("fields", config.fields, records, source)
    if names := [name for name in config.merge if name != ALL]:
        check_known(Setting("@`merge`"), names, records, source)
    if named := [name for name in config.drops_by if name != LENGTH]:
        check_known(Setting("drops_by"), named, records, source)


def check_known(setting: str, fields: Sequence[str], records: _core.Records, source: Source) -> None:
    """Check that the first records have fields; those of a database may differ, so they are not looked at."""
    if not source.has_same_fields:
        return
    # The records have only the columns that a run reads.
    columns = source.columns
    lacking = sink_fields.lacking_field(fields, columns or first_fields(records, inner=True))
    if lacking is not None:
        known = columns or first_fields(records)
        raise ConfigError(
            "{setting} has {lacking!r}, and the first records have no such field:{meant} they have {shown_fields}",
            setting=setting, lacking=lacking, meant=meant((lacking,), known), shown_fields=shown_fields(known),
        )  # fmt: skip
