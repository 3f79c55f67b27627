"""Warnings of loaded documents: verdicts, patterns and keep orders without the effect that was meant, and fingerprints.

A fingerprint that one feature decides says nothing of the rest of its text.
"""

from collections.abc import Sequence

from simsieve import _core
from simsieve.config.setting import CLEANED
from simsieve.config.settings import DedupConfig
from simsieve.display import cut
from simsieve.errors import ConfigError
from simsieve.messages import Message, Setting
from simsieve.run.forecast import Warn
from simsieve.schemes.scheme import options_of
from simsieve.sources.fields import FIRST, some_have

_SHOWN = 40
"""Characters of a feature or a value that a warning shows."""


def warn_of_verdicts(documents: _core.Documents, config: DedupConfig, warn: Warn, *, is_batch: bool = False) -> None:
    """Warn of the verdicts that have no effect; on a batch of an index none may have: a table grows day by day."""
    counts, example = documents.verdicts()
    unknown, total = counts["unknown"], sum(counts[name] for name in ("same", "different", "keep", "unknown"))
    if unknown and unknown == total and config.limit is None and not is_batch:
        raise ConfigError(
            "none of the {total:,} verdicts is on records of these sources, such as {example!r}: give the {@id_field} "
            "that the verdicts were made with, or the sources that were judged",
            total=total, example=example,
        )  # fmt: skip
    if unknown:
        verb = "names" if unknown == 1 else "name"
        warn(Message(
            "{unknown:,} of {total:,} verdicts {verb} an id that no record has, such as {example!r}; check the "
            "verdicts, or {@id_field}",
            unknown=unknown, total=total, verb=verb, example=example,
        ))  # fmt: skip
    if counts["overruled"]:
        warn(Message(
            "{count:,} of {total:,} verdicts say same or keep of records that differ in {fields}: they stay apart",
            count=counts["overruled"], total=total, fields=" or ".join((*config.equal_fields, *config.same)),
        ))  # fmt: skip


def warn_of_cleaning(documents: _core.Documents, config: DedupConfig, warn: Warn) -> None:
    """Warn of patterns of `cut_at` and `strip` that match in no text, and of templates that no text has."""
    texts, *found = documents.cleaned
    for name, count in zip(CLEANED, found, strict=True):
        if texts and count == 0:
            if name == "ignore":
                warn(Message(
                    "0 of {texts:,} texts have a template of {@ignore}: check that the file is of these texts",
                    texts=texts,
                ))  # fmt: skip
                continue
            pattern = getattr(config, name)
            setting = Setting(f"@{name}")
            shown = setting if pattern is None else Message("{setting} {pattern!r}", setting=setting, pattern=pattern)
            hint = "" if config.extract == "none" else Message("; what {@`extract`} gives has other white space")
            warn(Message(
                "{shown} matched in 0 of {texts:,} texts: check the pattern{hint}",
                shown=shown, texts=texts, hint=hint,
            ))  # fmt: skip


def warn_of_dominated(
    documents: _core.Documents, schemes: Sequence[_core.Scheme], config: DedupConfig, warn: Warn
) -> None:
    """Warn of fingerprints that one feature decides, because it has more than half of the weight of its text."""
    by_distance = [criterion.max_distance is not None for criterion in config.criteria]
    if not any(by_distance):
        return
    each = _core.dominated(documents, config.threads)
    for scheme, is_decided_by_bits, found in zip(schemes, by_distance, each, strict=True):
        options = options_of(scheme.spec)
        # The weights of a page's structure are no choice.
        if found is None or not is_decided_by_bits or "levels" in options:
            continue
        looked, decided, position = found
        if position is None:
            continue
        label = documents.id(position)
        heaviest = max(scheme.features(documents.text(position)), key=lambda feature: feature[3])[0]
        if not options or "weights" in options:
            advice = Message("weights=once lets every feature count the same")
        elif "top" in options:
            advice = Message("cap=p50 lets no keyword weigh more than the median of its text")
        else:
            advice = Message("a scheme with weights=once, such as words64, lets every feature count the same")
        warn(Message(
            "of {looked:,} documents looked at, {decided:,} have one feature with more than half of the weight "
            "under {spec}, such as {more!r} with {feature!r}: it alone decides their fingerprints; {advice}",
            looked=looked, decided=decided, spec=scheme.spec, more=position if label is None else label,
            feature=_cut(heaviest), advice=advice,
        ))  # fmt: skip


def warn_of_keep(store: _core.Records, documents: _core.Documents, config: DedupConfig, warn: Warn) -> None:
    """Warn of fields of the keep order that have both numbers and texts, no values, or texts whose order misleads."""
    for field, numbers, texts, missing, text, misordered in documents.keep_values():
        total = numbers + texts + missing
        if total and missing == total and some_have(store.first(min(FIRST, store.new_len)), field, config):
            warn(Message(
                "none of {total:,} documents has a number or a text in {field!r}: keep does not order by it; name "
                "a field with numbers, texts or dates",
                total=total, field=field,
            ))  # fmt: skip
        elif numbers and texts:
            warn(Message(
                "of the values of {field!r}, by which keep orders, {numbers:,} are numbers and {texts:,} are "
                "none, such as {value!r}: numbers precede texts; correct the others, or empty them",
                field=field, numbers=numbers, texts=texts, value=_cut(text or ""),
            ))  # fmt: skip
        elif misordered is not None:
            one, other = misordered
            warn(Message(
                "keep compares the values of {field!r} as texts, in which {one!r} is before {other!r}: write "
                "dates as 2024-01-31 and in one time zone, and numbers without words",
                field=field, one=_cut(one), other=_cut(other),
            ))  # fmt: skip


def _cut(text: str) -> str:
    return cut(text, _SHOWN)
