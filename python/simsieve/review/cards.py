"""The near duplicates as a page shows them: names, texts with marks, fields, and the reason of each drop."""

import re
import threading
import unicodedata
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from simsieve import _core
from simsieve.comparison.records import nearness
from simsieve.config.pair_rows import id_text
from simsieve.differences import clipped, shortened
from simsieve.display import cut
from simsieve.errors import ConfigError
from simsieve.evaluate.review import shown_values
from simsieve.messages import tr
from simsieve.report.page import within
from simsieve.results.dedup import DedupResult
from simsieve.results.near import Texts
from simsieve.screen import CONTROLS, visible
from simsieve.screen import visible as escaped
from simsieve.sources.fields import agreeing, check_known, first_fields

MOST_CHARACTERS = 8_000
"""Characters of a text that are shown, a tenth of them before the first difference."""
_FOLDED = 240
"""Equal parts that are longer are folded, but for their ends."""
_END = 60
_NUMBER = r"[\d²³¹⁰⁴-⁹₀-₉①-⑳Ⅰ-ⅿ½⅓¼¾]+(?:[.,:/][\d]+)*(?:\s?[%‰％])?|[零〇一二两三四五六七八九十百千万亿]{2,}"
_SIGNS = f"[{CONTROLS}\u200b\u2060\ufeff]+"
"""Invisible characters, and those that turn the direction of text: their code points are shown."""
_MOST_SIGNS = 4

Span = tuple[str, str]
"""A run of characters and the names of its marks: `differs`, `lost`, `number`, `negation`, `folded`, `sign`."""
_Mark = tuple[int, int, str]


def side_by_side(a: str, b: str, lost: str) -> tuple[list[Span], list[Span]]:
    """Cut two texts into runs; `lost` is what the first does not have of the second, as the core gives it."""
    parts = clipped(a, b, MOST_CHARACTERS)
    return _side([(equal, one) for equal, one, _ in parts], ""), _side(
        [(equal, other) for equal, _, other in parts], lost
    )


def plain(text: str) -> Iterator[Span]:
    """Give a text as runs without marks."""
    return _with_signs([(text, "")] if text else [])


def guards_that_differ(a: str, b: str) -> list[tuple[str, list[str], list[str]]]:
    """Give what numbers or negations one text has and the other has not, as `--same` counts them."""
    found = []
    for guard in ("numbers", "negation"):
        one, other = (Counter(_core.guarded(guard, text)) for text in (a, b))
        if one != other:
            found.append((guard, list((one - other).elements()), list((other - one).elements())))
    return found


def _side(parts: Iterable[tuple[bool, str]], lost: str) -> list[Span]:
    text, marks, differs = "", list[_Mark](), bytearray()
    for equal, part in parts:
        start, text = len(text), text + part
        differs += bytes([not equal]) * len(part)
        if not equal and part:
            marks.append((start, len(text), "differs"))
        elif len(part) > _FOLDED:
            marks.append((start + _END, len(text) - _END, "folded"))
    lost_place = _place_of(lost, text, differs)
    marks += ((*found.span(), "number") for found in re.finditer(_NUMBER, text))
    marks += _negations(text)
    marks += [(*lost_place, "lost")] if lost_place else []
    return list(_with_signs(_runs(text, marks)))


def _negations(text: str) -> Iterator[_Mark]:
    """The words that negate something, wherever they are."""
    words = set(_core.guarded("negation", text))
    for word in words:
        pattern = rf"\b{re.escape(word)}\b" if word.isascii() else re.escape(word)
        yield from ((*found.span(), "negation") for found in re.finditer(pattern, text, re.IGNORECASE))


def _place_of(run: str, text: str, differs: bytearray) -> tuple[int, int] | None:
    """Where a run without spaces and signs is in a text, in what differs if it is there; None where it is cut."""
    wanted = "".join(map(_folded, run))
    plain = [(at, folded) for at, sign in enumerate(text) if (folded := _folded(sign))]
    places = [at for at, folded in plain for _ in folded]
    joined = "".join(folded for _, folded in plain)
    found, start = None, joined.find(wanted) if wanted else -1
    while start >= 0:
        place = places[start], places[start + len(wanted) - 1] + 1
        if 1 in differs[place[0] : place[1]]:
            return place
        found, start = found or place, joined.find(wanted, start + 1)
    return found


def _folded(sign: str) -> str:
    return "".join(one for one in unicodedata.normalize("NFKC", sign).casefold() if one.isalnum())


def _runs(text: str, marks: list[_Mark]) -> Iterator[Span]:
    """Cut a text where a mark begins or ends."""
    ends = sorted({0, len(text), *(end for mark in marks for end in mark[:2])})
    begins: dict[int, list[_Mark]] = {}
    for mark in marks:
        begins.setdefault(mark[0], []).append(mark)
    live: list[_Mark] = []
    for start, end in pairwise(ends):
        live = [mark for mark in (*live, *begins.get(start, ())) if mark[1] > start]
        yield text[start:end], " ".join(sorted({name for _, _, name in live}))


def _with_signs(runs: Iterable[Span]) -> Iterator[Span]:
    """Write signs that cannot be seen by their code points."""
    signs = re.compile(_SIGNS)
    for text, names in runs:
        at = 0
        for found in signs.finditer(text):
            if found.start() > at:
                yield text[at : found.start()], names
            yield _named(found[0]), f"{names} sign".strip()
            at = found.end()
        if at < len(text):
            yield text[at:], names


def _named(signs: str) -> str:
    shown = re.sub("[\u200b\u2060\ufeff]", lambda sign: f"\\u{ord(sign[0]):04x}", escaped(signs[:_MOST_SIGNS]))
    return shown if len(signs) <= _MOST_SIGNS else f"{shown}…×{len(signs)}"


_LOST = 400
"""Characters of a lost run that are shown by itself."""


class Cards:
    """The near duplicates of a run as they are shown, each beside its representative."""

    def __init__(self, result: DedupResult, show: Sequence[str], most: int | None = None) -> None:
        self._result = result
        self._run, self._columns = result.with_sources()
        check_known("show", show, self._run.store, self._run.rows)
        rules = self._run.config.rule_fields
        known = (self._run.rows.columns or first_fields(self._run.store, inner=True)) if rules else ()
        self.show = tuple(dict.fromkeys((*show, *(name for name in rules if name in known))))
        self._new = len(self._columns)
        self.near = result.decisions.near
        picture = self._run.rows.picture if most is None else within(self._run.rows.picture, most)
        self._texts = Texts(self._run.documents, self._run.schemes[0], self._new, picture)
        self._values: dict[str, tuple[list[str], NDArray[np.float64]]] = {}
        self._lock = threading.Lock()

    @property
    def sources(self) -> list[str]:
        """The names of the sources."""
        return [path for path, _ in self._run.store.sources]

    def cards(self, members: Sequence[int]) -> list[dict[str, Any]]:
        """Show near duplicates."""
        if not members:
            return []
        positions = np.array([position for at in members for position in self.positions(at)])
        values = shown_values(self._result, positions, self.show)
        return [self._card(at, values) for at in members]

    def columns(self) -> dict[str, Callable[[], NDArray[np.float64]]]:
        """Give what makes the columns that near duplicates are filtered by."""
        near = self.near

        def sources() -> NDArray[np.float64]:
            ends = np.cumsum([count for _, count in self._run.store.sources])
            return np.searchsorted(ends, near.position, side="right").astype(np.float64)

        def lengths() -> NDArray[np.float64]:
            return self._run.store.sizes(near.position.tolist()).astype(np.float64)

        def of_field(field: str) -> Callable[[], NDArray[np.float64]]:
            return lambda: self.of_field(field)[1]

        fields = {f"field {field}": of_field(field) for field in self.show}
        return {
            "similarity": lambda: near.similarity, "distance": lambda: near.distance.astype(np.float64),
            "lost": lambda: near.lost.astype(np.float64), "length": lengths, "source": sources, **fields,
        }  # fmt: skip

    def of_field(self, field: str) -> tuple[list[str], NDArray[np.float64]]:
        """Give the values of a field among the near duplicates, and the number of each one's value."""
        if field not in self.show:
            raise ConfigError(
                "{field} is not shown: allowed are the fields that are shown: {names}",
                field=field, names=", ".join(self.show) or "none",
            )  # fmt: skip
        with self._lock:
            if field not in self._values:
                read = shown_values(self._result, self.near.position, [field])
                texts = [_written(read.get(position, {})) for position in self.near.position.tolist()]
                names: dict[str, int] = {}
                codes = [names.setdefault(next(iter(one.values()), ""), len(names)) for one in texts]
                self._values[field] = list(names), np.array(codes, dtype=np.float64)
            return self._values[field]

    def naming(self, at: int) -> dict[str, Any]:
        """Give what names the two records of a near duplicate in a table of verdicts."""
        named: dict[str, Any] = {}
        for side, position in zip("ab", self.positions(at), strict=True):
            named[side] = id_text(self._texts.label(position)).strip() or str(self._texts.place(position))
            named |= self._texts.naming(position, side)
        return named

    def positions(self, at: int) -> tuple[int, int]:
        """Give the positions of the representative and of the near duplicate."""
        return int(self.near.representative[at]), int(self.near.position[at])

    def is_old(self, at: int) -> bool:
        """Whether the representative is an old document, which is never dropped."""
        return int(self.near.representative[at]) >= self._new

    def name(self, position: int) -> str:
        """Give the name of a document for people."""
        return visible(self._texts.name(position))

    def _card(self, at: int, values: Mapping[int, Mapping[str, Any]]) -> dict[str, Any]:
        a, b = self.positions(at)
        run = self._texts.lost(a, b) if int(self.near.lost[at]) > 0 else ""
        why = (*self._why(at), *self._texts_near(a, b), *self._agreeing(*(values.get(each, {}) for each in (a, b))))
        return self._beside(a, b, run, values) | {"is_old": self.is_old(at), "why": " · ".join(why)}

    def _beside(self, a: int, b: int, run: str, values: Mapping[int, Mapping[str, Any]]) -> dict[str, Any]:
        texts = self._texts.text(a), self._texts.text(b)
        sides = [_written(values.get(position, {})) for position in (a, b)]
        fields = [[name, *(side.get(name, "") for side in sides)] for name in sides[0] | sides[1]]
        card = card_of(texts, (self.name(a), self.name(b)), run, self._texts.pictures(a, b))
        return card | {"position": b, "fields": fields}

    def beside(self, a: int, b: int) -> dict[str, Any]:
        """Show any two documents beside one another."""
        run = "" if self._result.config.has_pictures else self._texts.lost(a, b)
        values = shown_values(self._result, np.array([a, b]), self.show)
        return self._beside(a, b, run, values) | {"why": self.why(b, a)}

    def why(self, position: int, beside: int) -> str:
        """Say how near a document is to another one, its representative or not."""
        at = int(np.searchsorted(self.near.position, position))
        if at < len(self.near) and self.positions(at) == (beside, position):
            return " · ".join(self._why(at))
        if self._result.config.has_pictures:
            return tr("{count} bits apart", count=self._apart(position, beside))
        value = self._similarity(position, beside)
        return tr("exact copy") if value is None else tr("similarity {value:.4f}", value=value)

    def plainly(self, position: int, beside: int) -> str:
        """Say how near a document is to another one, to people who know no measure."""
        if self._result.config.has_pictures:
            share = 1 - self._apart(position, beside) / self._run.schemes[0].width
            alike = tr("The pictures look about {share:.0%} alike.", share=share)
            return alike if share < 1 else tr("It looks the same.")
        value = self._similarity(position, beside)
        return tr("It has the same text.") if value is None else shared_wording(value)

    def _apart(self, position: int, beside: int) -> int:
        one, other = self._run.documents.values[[beside, position], 0].tolist()
        return int(one ^ other).bit_count()

    def _similarity(self, position: int, beside: int) -> float | None:
        """How similar two texts are; None for exact copies."""
        at = int(np.searchsorted(self.near.position, position))
        if at < len(self.near) and self.positions(at) == (beside, position) and not np.isnan(self.near.similarity[at]):
            return float(self.near.similarity[at])
        # A copy of a near duplicate has the same representative, and is near it and no more.
        if _core.normalise(self._texts.text(beside)) == _core.normalise(self._texts.text(position)):
            return None
        return self._texts.similarity(beside, position, self._result.config.measure)[0]

    def _texts_near(self, a: int, b: int) -> Iterator[str]:
        """Say how near each field is that is compared by itself, where there are several."""
        fields = self._run.config.field_texts
        if len(fields) < 2:
            return
        one, other = (self._run.documents.text(position) for position in (a, b))
        said = []
        for field, scheme in zip(fields, self._run.schemes, strict=True):
            name, value = visible(field.names[0]), nearness(one, other, scheme, field.criterion, self._run.config)
            lacks = tr("{field} not known", field=name)
            said.append(lacks if value is None else tr("{field} {value:g}", field=name, value=round(value, 4)))
        yield tr("fields: {fields}", fields=", ".join(said))

    def _agreeing(self, one: Mapping[str, Any], other: Mapping[str, Any]) -> Iterator[str]:
        """Say of the rules on fields which ones found equal values, and which ones knew too little."""
        said: dict[bool | None, list[str]] = {}
        for names, bound, *_ in self._run.config.field_rules:
            said.setdefault(agreeing(names, bound, one, other), []).append(visible(names[0]))
        if True in said:
            yield tr("agree: {fields}", fields=", ".join(said[True]))
        if None in said:
            yield tr("not known: {fields}", fields=", ".join(said[None]))

    def _why(self, at: int) -> list[str]:
        """Why the run dropped it: what was measured, and the threshold."""
        near, config = self.near, self._result.config
        parts = []
        if not np.isnan(near.similarity[at]):
            parts.append(tr("similarity {value:.4f}", value=float(near.similarity[at])))
        if near.distance[at] >= 0:
            parts.append(tr("{count} bits apart", count=int(near.distance[at])))
        if near.lost[at] >= 0:
            parts.append(tr("loses {count} units", count=int(near.lost[at])))
        if len(config.criteria) == 1 and config.max_distance is not None:
            parts.append(tr("near up to {count} bits", count=config.max_distance))
        elif len(config.criteria) == 1:
            parts.append(tr("near from {limit:g} on", limit=config.threshold))
        return parts


def card_of(
    texts: tuple[str, str], names: tuple[str, str], run: str = "", pictures: Sequence[str | None] = (), why: str = ""
) -> dict[str, Any]:
    """Show two texts, or two pictures; `run` is what the first does not have of the second."""
    return {
        "names": names, "texts": side_by_side(*texts, run), "pictures": pictures, "lost": visible(cut(run, _LOST)),
        "why": why, "is_old": False, "fields": [], "verdict": "",
        # The digits of a hash are no numbers of a text.
        "guards": [] if pictures else [
            _guard_text(name, shortened(", ".join(a_has)) or "-", shortened(", ".join(b_has)) or "-")
            for name, a_has, b_has in guards_that_differ(*texts)
        ],
    }  # fmt: skip


def shared_wording(similarity: float) -> str:
    """Say in words what a similarity of texts is."""
    # A part is never shown as 100 %.
    share = similarity if similarity >= 1 else min(similarity, 0.99)
    return tr("The two texts share about {share:.0%} of their wording.", share=share)


def _guard_text(guard: str, a: str, b: str) -> str:
    if guard == "numbers":
        return tr("numbers differ: {a} | {b}", a=visible(a), b=visible(b))
    return tr("negations differ: {a} | {b}", a=visible(a), b=visible(b))


def _written(values: Mapping[str, Any]) -> dict[str, str]:
    return {visible(name): visible(id_text(value)) for name, value in values.items()}
