"""Two records by their fields and rules: how near each field is, what the rules say, and what decides."""

import operator
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from simsieve import _core
from simsieve.config.kinds import KNOWN
from simsieve.config.settings import DedupConfig
from simsieve.messages import Message
from simsieve.schemes.criteria import NO_FLOOR, Criterion
from simsieve.sources.fields import agreeing


class Beside(NamedTuple):
    """How near each field of two records is, and whether each rule agrees, None where not known; and what decides."""

    fields: Mapping[str, float | None]
    rules: Mapping[str, bool | None]
    is_near: bool
    why: Message


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
    fields = dict(zip(names, near, strict=True))
    if parts := [name for name, agree in rules.items() if agree is False and name not in joining]:
        return Beside(fields, rules, is_near=False, why=Message("{rule} keeps them apart", rule=parts[0]))
    if joined := [name for name in joining if rules[name]]:
        return Beside(fields, rules, is_near=True, why=Message("{rule} joins them", rule=joined[0]))
    count = [agreeing(*rule[:2], one, other) for rule in config.field_rules].count(True)
    lack = _lack(names, near, config, count)
    return Beside(fields, rules, lack is None, lack or Message("the fields are near, and no rule keeps them apart"))


def nearness(a: str, b: str, scheme: _core.Scheme, by: Criterion, config: DedupConfig) -> float | None:
    """Give how near two records are under the scheme of a field; None where one has nothing to compare."""
    if not (scheme.features(a) and scheme.features(b)):
        return None
    if by.max_distance is None:
        return max(scheme.similarity(a, b, config.measure), scheme.similarity(b, a, config.measure))
    one, other = (int.from_bytes(scheme.fingerprint(text) or b"") for text in (a, b))
    return (one ^ other).bit_count()


def _lack(names: Sequence[str], near: Sequence[float | None], config: DedupConfig, count: int) -> Message | None:
    """Say why fields are not near enough, where no rule joins two records or keeps them apart; None where they are."""
    first, is_any = near[0], config.combine == "any"
    known = [value for value in near if value is not None]
    if first is None and (not is_any or not known):
        return Message("a record lacks {field}, which finds the pairs", field=", ".join(names if is_any else names[:1]))
    far = [
        Message("{field} {value:g} is not near enough: {limit} is asked for", field=name, value=round(value, 4),
                limit=str(by).rpartition("@")[2])
        for name, value, by in zip(names, near, config.criteria, strict=True)
        if value is not None and not _reaches(value, by)
    ]  # fmt: skip
    if far and (not is_any or len(far) == len(known)):
        return far[0]
    if config.mean_pair is not None:
        weights = [weight for weight, value in zip(config.mean_pair[0], near, strict=True) if value is not None]
        first = sum(map(operator.mul, known, weights)) / sum(weights)
        if first < config.mean_pair[1] - 1e-12:
            return Message(
                "the mean of the fields, {value:.4f}, is below {least:g}", value=first, least=config.threshold
            )
    if config.sure_pair is not None and count < config.sure_pair[0] and (first or 0.0) < config.sure_pair[1]:
        return Message("{count} fields agree, and --sure {sure} asks for more", count=count, sure=config.sure)
    return None


def _reaches(value: float, by: Criterion) -> bool:
    if by.similarity is None:
        return value <= (by.max_distance or 0)
    return by.similarity <= NO_FLOOR or value >= by.similarity - 1e-12
