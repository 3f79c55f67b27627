"""Two records by their fields and rules: how near each field is, what the rules say, and what decides."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from simsieve import _core
from simsieve.config.kinds import KNOWN
from simsieve.config.settings import DedupConfig
from simsieve.messages import Message
from simsieve.schemes.criteria import NO_FLOOR, Criterion
from simsieve.sources.fields import agreeing

BETWEEN = "\n\x1e"
"""What the core puts between the texts of fields."""


@dataclass(frozen=True, slots=True)
class Beside:
    """Two records by their fields and rules.

    Args:
        fields: The similarity of each field, or the bits between two; None where a record lacks it.
        rules: Of each rule whether the records agree; None where too little is known.
        is_near: Whether the records are near by these.
        why: What decides.
    """

    fields: Mapping[str, float | None]
    rules: Mapping[str, bool | None]
    is_near: bool
    why: str


def beside(
    texts: tuple[str, str], values: Sequence[Mapping[str, Any]], config: DedupConfig, schemes: Sequence[_core.Scheme]
) -> Beside:
    """Compare two records by the fields and rules of the settings, as a run does; other settings do not count."""
    names = ["|".join(field.names) for field in config.field_texts] or [", ".join(config.text_field)]
    near = [nearness(*texts, one, by, config) for one, by in zip(schemes, config.criteria, strict=True)]
    one, other = values
    rules: dict[str, bool | None] = {
        f"--{'block-by' if name in config.block_by else 'differ'} {name}": one.get(name) == other.get(name)
        for name in config.equal_fields
    }
    joining = []
    for field, bound, apart, joins in config.field_rules:
        name, agree = "|".join(field), agreeing(field, bound, one, other)
        if apart:
            rules[f"--differ {name}{KNOWN}" if bound == "known" else f"--near {name}:{bound}"] = agree
        if joins:
            joining.append(f"--agree {name}")
            rules[joining[-1]] = agree
    apart_by = next((name for name, agree in rules.items() if agree is False and name not in joining), None)
    joined_by = next((name for name in joining if rules[name]), None)
    if apart_by is not None:
        is_near, why = False, Message("{rule} keeps them apart", rule=apart_by)
    elif joined_by is not None:
        is_near, why = True, Message("{rule} joins them", rule=joined_by)
    else:
        is_near, why = _by_fields(names, near, config, [agreeing(*rule[:2], one, other) for rule in config.field_rules])
    return Beside(dict(zip(names, near, strict=True)), rules, is_near, why)


def nearness(a: str, b: str, scheme: _core.Scheme, by: Criterion, config: DedupConfig) -> float | None:
    """Give how near two records are under the scheme of a field; None where one has nothing to compare."""
    if not (scheme.features(a) and scheme.features(b)):
        return None
    if by.max_distance is None:
        return max(scheme.similarity(a, b, config.measure), scheme.similarity(b, a, config.measure))
    one, other = (int.from_bytes(scheme.fingerprint(text) or b"") for text in (a, b))
    return (one ^ other).bit_count()


def _by_fields(
    names: Sequence[str], near: Sequence[float | None], config: DedupConfig, agree: Sequence[bool | None]
) -> tuple[bool, Message]:
    """Whether fields decide that two records are near that no rule joins or keeps apart, and which."""
    first, is_any = near[0], config.combine == "any"
    if first is None and not is_any:
        return False, Message("a record lacks {field}, which finds the pairs", field=names[0])
    far = [
        Message("{field} {value:g} is not near enough: {limit} is asked for", field=name, value=round(value, 4),
                limit=str(by).rpartition("@")[2])
        for name, value, by in zip(names, near, config.criteria, strict=True)
        if value is not None and not _reaches(value, by)
    ]  # fmt: skip
    if is_any and len(far) < sum(value is not None for value in near):
        far = []
    elif is_any and not far:
        far = [Message("a record lacks {field}, which finds the pairs", field=", ".join(names))]
    if far:
        return False, far[0]
    if config.mean_pair is not None:
        weights, least = config.mean_pair
        known = [(value, weight) for value, weight in zip(near, weights, strict=True) if value is not None]
        first = sum(value * weight for value, weight in known) / sum(weight for _, weight in known)
        if first < least - 1e-12:
            return False, Message("the mean of the fields, {value:.4f}, is below {least:g}", value=first, least=least)
    count = agree.count(True)
    if config.sure_pair is not None and count < config.sure_pair[0] and (first or 0.0) < config.sure_pair[1]:
        return False, Message("{count} fields agree, and --sure {sure} asks for more", count=count, sure=config.sure)
    return True, Message("the fields are near, and no rule keeps them apart")


def _reaches(value: float, by: Criterion) -> bool:
    if by.similarity is None:
        return value <= (by.max_distance or 0)
    return by.similarity <= NO_FLOOR or value >= by.similarity - 1e-12
