"""What a page shows of near duplicates: names, texts with marks, fields, and why each was dropped."""

import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from simsieve import _core
from simsieve.comparison.records import nearness
from simsieve.config.pair_rows import id_text
from simsieve.differences import shortened
from simsieve.display import cut
from simsieve.errors import ConfigError
from simsieve.evaluate.review import shown_values
from simsieve.messages import tr
from simsieve.report.page import within
from simsieve.results.dedup import DedupResult
from simsieve.results.texts import Texts
from simsieve.review.spans import guards_that_differ, side_by_side
from simsieve.screen import visible
from simsieve.sources.fields import agreeing, check_known, first_fields

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
    # What is not all is not 100 %.
    share = similarity if similarity >= 1 else min(similarity, 0.99)
    return tr("The two texts share about {share:.0%} of their wording.", share=share)


def _guard_text(guard: str, a: str, b: str) -> str:
    if guard == "numbers":
        return tr("numbers differ: {a} | {b}", a=visible(a), b=visible(b))
    return tr("negations differ: {a} | {b}", a=visible(a), b=visible(b))


def _written(values: Mapping[str, Any]) -> dict[str, str]:
    return {visible(name): visible(id_text(value)) for name, value in values.items()}
