"""Warnings of loaded documents: settings without the effect that was meant, pages, and texts that are near by chance.

Near texts share long runs. Two texts that share windows of six letters and hardly any of twenty-four are near because
there are few different windows.
"""

import re
from collections.abc import Iterator, Sequence

from simsieve import _core
from simsieve.config.kinds import KINDS
from simsieve.config.setting import CLEANED
from simsieve.config.settings import DedupConfig
from simsieve.display import cut
from simsieve.errors import ConfigError
from simsieve.json_values import record_of, value_at
from simsieve.messages import Message, Setting
from simsieve.results.near import Texts
from simsieve.results.summary import small_main_texts
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
    of_kind = KINDS.get(config.kind or "", {})
    for name, count in zip(CLEANED, found, strict=True):
        # The pattern of a kind is nobody's mistake.
        if texts and count == 0 and getattr(config, name) != of_kind.get(name, ""):
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


_WIDEST, _DRAWN = 20, 20
"""Pairs that are looked at: those whose smaller text is largest, and some that are drawn."""
_MOST_FEATURES = 1 << 25
"""Features of both texts of all pairs that are looked at, at most: some seconds."""
_LETTERS, _HAN = (8, 10, 12, 16, 20, 24), (4, 5, 6, 8, 10, 12)
"""Characters of the windows that are tried; the last ones tell chance from a copy."""
_BY_CHANCE, _APART = 0.05, 0.15
"""A pair is near by chance if its similarity by the longest windows is less; windows do that leave it at most this."""


def warn_of_chance(
    documents: _core.Documents,
    schemes: tuple[_core.Scheme, ...],
    columns: _core.Decisions,
    config: DedupConfig,
    warn: Warn,
) -> None:
    """Warn of near duplicates that are near by chance, with the first pair and the windows that would tell it apart."""
    family = schemes[0].spec.partition(":")[0]
    # Windows of characters alone count in units.
    if len(schemes) > 1 or "units" not in options_of(family) or config.effective_similarity is None:
        return
    texts, left = Texts(documents, schemes[0], len(columns)), _MOST_FEATURES
    looked, found = 0, list[tuple[int, int, int, int, int]]()
    for b, a, features in columns.some_near(_WIDEST, _DRAWN, config.seed):
        # A pair that is larger by itself is looked at where it comes first.
        if looked and features > left:
            continue
        left -= features
        one, other = texts.text(a), texts.text(b)
        looked += 1
        if enough := _enough(one, other, config.measure):
            found.append((a, b, len(one), len(other), enough))
    if not found:
        return
    a, b, size_a, size_b, _ = found[0]
    similarity = columns.row(b)["similarity"]
    enough = max(one[-1] for one in found)
    warn(Message(
        "of {looked:,} near duplicates looked at, {count:,} are near by chance, such as {name!r} ({size_b:,} "
        "characters) and {name_2!r} ({size_a:,} characters) at {similarity:.2f}: they share short windows and no "
        "long run; the scheme {family}:n={enough} would tell them apart",
        looked=looked, count=len(found), name=texts.name(b), size_b=size_b, name_2=texts.name(a), size_a=size_a,
        similarity=similarity, family=family, enough=enough,
    ))  # fmt: skip


def _enough(one: str, other: str, measure: str) -> int:
    """The characters of the shortest windows that tell two texts apart, if they are near by chance; else 0."""
    wide = sum(c > "⺀" for c in one[:1000]) > 500
    characters = _HAN if wide else _LETTERS

    def similarity(n: int) -> float:
        return _core.Scheme(f"chars64:n={n}").similarity(one, other, measure)

    if min(len(one), len(other)) < 8 * characters[-1] or similarity(characters[-1]) >= _BY_CHANCE:
        return 0
    return next((n for n in characters if similarity(n) <= _APART), 0)


_FIRST = 20
_FILES = 1000
"""At most this many files of a folder are looked at by their names."""

_LARGEST = 1 << 20

_PAGE = re.compile(r"\ufeff?(?:\s|<\?xml[^>]*>|<!--(?s:.*?)-->)*<(?:!doctype\s+html|html|head|body)\b", re.IGNORECASE)

_PART = re.compile(r"\s*<(?:article|div|h[1-6]|header|main|meta|nav|p|section|table|title|ul)\b[^<>]*>", re.IGNORECASE)
_LEAST_ENDS = 3
"""A text that begins as a part of a page and has this many end tags is one."""


def is_page(text: str) -> bool:
    """Decide whether a text is a page of HTML or a part of one; a text that merely has a tag is none."""
    return bool(_PAGE.match(text)) or (
        bool(_PART.match(text)) and text.rstrip().endswith(">") and text.count("</") >= _LEAST_ENDS
    )


def warn_of_markup(store: _core.Records, schemes: Sequence[_core.Scheme], config: DedupConfig, warn: Warn) -> None:
    """Warn where a quarter of the first texts are pages, and no scheme takes what a page says out of its markup."""
    # Of the files of a folder a single page is told: people put papers of all kinds into one.
    if any(scheme.takes_pages or scheme.given_as for scheme in schemes):
        return
    looked_at = list(_first_are_pages(store, config))
    if 4 * sum(looked_at) < len(looked_at):
        looked_at = [page for page in store.pages(_FILES) if page is not None]
    if pages := sum(looked_at):
        warn(Message(
            "{pages:,} of the first {count:,} texts are pages of HTML, and their markup is compared too; "
            "--extract main compares their main text, --extract text all that a reader sees (in Python "
            'extract="main")',
            pages=pages, count=len(looked_at),
        ))  # fmt: skip


def _first_are_pages(store: _core.Records, config: DedupConfig) -> Iterator[bool]:
    """Whether each of the first texts is a page; a file of a folder is one by its name."""
    head, files = store.first(min(_FIRST, store.new_len)), store.pages(_FIRST)
    yield from (page for page in files if page is not None)
    sizes = head.sizes(range(head.new_len))
    for line in head.objects([place for place, size in enumerate(sizes) if size <= _LARGEST and files[place] is None]):
        record = record_of(line)
        for name in config.text_field:
            value = value_at(record, name)
            if isinstance(value, str) and value:
                yield is_page(value)


def warn_of_small_main(documents: _core.Documents, config: DedupConfig, warn: Warn) -> None:
    """Warn of pages whose main text is so small a part of them that the rule may have missed it."""
    found = small_main_texts(documents, config.threads)
    if found is not None:
        looked, small, position = found
        label = documents.id(position)
        warn(Message(
            "of {looked:,} pages looked at, {small:,} have a main text of less than a tenth of what a reader "
            "sees, such as {more!r}; it may not be what they are about; --extract text compares all that a reader "
            "sees",
            looked=looked, small=small, more=position if label is None else label,
        ))  # fmt: skip
