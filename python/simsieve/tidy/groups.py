"""The groups of a run, and what a person keeps of each."""

import math
import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from itertools import count
from pathlib import Path
from typing import Any

import numpy as np

from simsieve.display import cut
from simsieve.errors import ConfigError, TooManyPairsError
from simsieve.evaluate.review import shown_values
from simsieve.messages import tr
from simsieve.results import tables
from simsieve.results.arrow import KEPT, grouped, heads
from simsieve.results.dedup import DedupResult
from simsieve.results.near import Texts
from simsieve.review.cards import Cards
from simsieve.run.pipeline import run_dedup, say_nothing
from simsieve.screen import visible
from simsieve.sinks.checks import Sinks
from simsieve.sinks.kept import Kept
from simsieve.tidy.moves import stamp

GROUPS, MEMBERS = 20, 100
"""Groups of a page, and files or records of a group, that are shown at most."""
_PREVIEW = 300
"""Characters of a text that are shown in a group."""
_MOST_LINKS = 200_000
"""Near pairs among which links of groups are looked for."""
_NUMBERS = count(1)


class Groups:
    """The groups of a run, and the kept members of each."""

    def __init__(self, result: DedupResult, place: Path, show: Sequence[str] = ()) -> None:
        self.result = result
        self.number = next(_NUMBERS)
        """Tells the groups of one run from those of another."""
        self._run, self._columns = result.with_sources()
        self.cards = Cards(result, show)
        self._root = place if place.is_dir() else None
        self._texts = Texts(self._run.documents, self._run.schemes[0], len(self._columns), self._run.rows.picture)
        paths = [Path(path) for path, _ in self._run.store.sources]
        # Names of documents begin behind the folder that they have in common.
        self._base = place if [place] == paths else Path(os.path.commonpath([one.parent for one in paths] or [place]))
        self.of = heads(self._columns.decision, self._columns.representative)
        positions = np.flatnonzero(self.of >= 0)
        self._members = grouped(self.of[positions], positions, 2)
        self.heads = sorted(self._members, key=lambda head: -len(self._members[head]))
        self.keep = self._columns.decision == KEPT
        self.none: set[int] = set()
        self._before: dict[int, Any] = {}
        """What was kept of a group before a person chose to keep none of it."""
        self._by_hand: set[int] = set()
        """Groups that a person has changed; a rule for all leaves them as they are."""
        self.notes: list[str] = []
        if self._is_pictures:
            # Of copies of one picture the largest is the original.
            self.apply("longest", "", least=False)

    def members(self, head: int) -> list[int]:
        """Give the positions of a group; an error if there is none of the number."""
        if head not in self._members:
            raise ConfigError("there is no group {number}", number=head)
        return self._members[head]

    def path(self, position: int) -> Path:
        """Give the file of a document of a folder."""
        return self._base / str(self._run.documents.id(position))

    def name(self, position: int) -> str:
        """Give the name of a record, or the path of a file in the folder."""
        if self._root is None:
            # Records without a label are counted as people count.
            is_known = self._run.documents.id(position) is not None
            return self.cards.name(position) if is_known else tr("record {number}", number=position + 1)
        return visible(str(self.path(position).relative_to(self._root)))

    def gone(self) -> list[list[int]]:
        """Give the positions of each group that are not kept."""
        return [[at for at in self._members[head] if not self.keep[at]] for head in self.heads]

    def check(self, position: int, *, keeps: bool) -> int:
        """Keep a member or not, and give its group; its last one stays unless none of the group is to be kept."""
        head = int(self.of[position]) if 0 <= position < len(self.of) else -1
        members = self.members(head)
        if not keeps and head not in self.none and not self.keep[[one for one in members if one != position]].any():
            raise ConfigError("one of a group is kept: check another one first, or choose to keep none of this group")
        if keeps:
            self.none.discard(head)
        self.keep[position] = keeps
        self._by_hand.add(head)
        return head

    def keep_none(self, head: int, *, none: bool) -> None:
        """Keep none of a group, which only a person may choose, or again what was kept before that."""
        members = self.members(head)
        self._by_hand.add(head)
        if none:
            if head not in self.none:
                self._before[head] = self.keep[members]
            self.none.add(head)
            self.keep[members] = False
        elif head in self.none:
            self.none.remove(head)
            self.keep[members] = self._before[head]

    def keep_all(self, head: int) -> None:
        """Keep each member of a group."""
        self.keep[self.members(head)] = True
        self.none.discard(head)
        self._by_hand.add(head)

    def apply(self, rule: str, field: str, *, least: bool) -> str:
        """Keep of each group the best by a rule, and those not near that one; a member without a value is no best."""
        # Groups that were changed by hand stay. What the rule could not see is said.
        values, ordered = self._values(rule, field), list[list[int]]()
        members = lacking = without = 0
        for head in (one for one in self.heads if one not in self._by_hand):
            found = {at: values(at) for at in self._members[head]}
            known = [at for at, value in found.items() if value]
            members += len(found)
            lacking += len(found) - len(known)
            without += not known
            # Of equal ones the first is the best.
            best = (min if least else max)(known or found, key=found.__getitem__)
            ordered.append([best, *(one for one in self._members[head] if one != best)])
        self.keep[self._drop_of(ordered)] = False
        said = [tr(
            "{count:,} of {all:,} records in groups have no value in {field}: those with a value go before them.",
            count=lacking, all=members, field=visible(field),
        )] if lacking else []  # fmt: skip
        if without:
            said.append(tr("In {count:,} groups none has a value: the first one stays there.", count=without))
        if self._by_hand:
            said.append(tr("{count:,} groups that you changed stay as they are.", count=len(self._by_hand)))
        return " ".join(said)

    def _values(self, rule: str, field: str) -> Callable[[int], tuple[Any, ...]]:
        """What a rule orders the members by; nothing for a missing value."""
        if rule == "longest" and not self._is_pictures:
            return lambda at: (len(self._texts.text(at)),)
        if rule == "longest":
            return lambda at: tuple(int(self._pictures[at].get(name) or 0) for name in ("pixels", "bytes"))
        if rule == "newest":
            return lambda at: (stamp(self.path(at)) or (0, 0))[1:]
        if rule == "first":
            return lambda at: (-at,)
        if rule != "field" or not field:
            raise ConfigError("rule {rule} is not known: allowed are longest, newest, first and field", rule=rule)
        read = shown_values(self.result, np.array([at for one in self._members.values() for at in one]), [field])

        def value(at: int) -> tuple[Any, ...]:
            found = read.get(at, {}).get(field)
            try:
                number = float("" if found is None else found)
            except (TypeError, ValueError):
                return (0.0, str(found)) if found is not None and str(found).strip() else ()
            return () if math.isnan(number) else (number, "")

        return value

    @cached_property
    def _pictures(self) -> Mapping[int, Mapping[str, Any]]:
        """Width and height of the pictures, their product, and bytes."""
        positions = np.array([at for one in self._members.values() for at in one])
        return shown_values(self.result, positions, ["width", "height", "pixels", "bytes"])

    @property
    def _is_pictures(self) -> bool:
        return self.result.config.has_pictures

    def _drop_of(self, ordered: Sequence[Sequence[int]]) -> list[int]:
        """Decide in each group again, its first one first: a member near no kept one is kept too."""
        self.keep[[at for members in ordered for at in members]] = True
        if self._is_pictures:
            most, values = self.result.config.max_distance or 0, self._run.documents.values[:, 0]
            return [
                at for best, *others in ordered for at in others if int(values[best] ^ values[at]).bit_count() <= most
            ]
        rows = [{"text": self._texts.text(at), "group": number} for number, one in enumerate(ordered) for at in one]
        positions = [at for members in ordered for at in members]
        config = replace(
            self.result.config, text_field=("text",), id_field="id", each=None, keep=("first",), sample=0, limit=None,
            block_by=("group",), extract="none", encoding="utf-8",
        )  # fmt: skip
        columns = run_dedup(rows, config, warn=say_nothing, tell=say_nothing).with_sources()[1]
        return [at for at, decision in zip(positions, columns.decision.tolist(), strict=True) if decision != KEPT]

    def shown(self, start: int) -> dict[str, Any]:
        """Give what the page shows of some groups, and the number of the run."""
        return {"groups": [self.group(head) for head in self.heads[start : start + GROUPS]], "run": self.number}

    def group(self, head: int) -> dict[str, Any]:
        """Give what the page shows of a group."""
        members = self.members(head)
        first = [head, *(one for one in members if one != head)][:MEMBERS]
        linked = [self.name(one) for one in sorted(self._links.get(head, ()))[:MEMBERS]]
        return {
            "head": head, "size": len(members), "none": head in self.none, "linked": linked,
            "left": len(members) - len(first), "members": [self._member(at, head) for at in first],
        }  # fmt: skip

    def _member(self, at: int, head: int) -> dict[str, Any]:
        picture = (self._texts.pictures(at) or [None])[0]
        text = "" if self._is_pictures else self._texts.text(at)
        why = ["" if at == head else self.cards.plainly(at, head)]
        if self._is_pictures:
            why.append("{width} × {height}".format_map(self._pictures[at]))
        return {
            "position": at, "name": self.name(at), "kept": bool(self.keep[at]), "picture": picture,
            "text": visible(cut(text, _PREVIEW)), "letters": len(text),
            "why": " · ".join(filter(None, why)),
        }  # fmt: skip

    @cached_property
    def _links(self) -> Mapping[int, set[int]]:
        """The groups that have near texts in one another; none, which the page says, where there are too many pairs."""
        found: dict[int, set[int]] = {}
        try:
            pairs = self._run.documents.pairs(_MOST_LINKS, threads=self.result.config.threads)
        except TooManyPairsError:
            self.notes.append(tr("There are too many near pairs to look which groups are linked."))
            return found
        a, b = self.of[pairs[0]], self.of[pairs[1]]
        for one, other in zip(a[a != b].tolist(), b[a != b].tolist(), strict=True):
            found.setdefault(one, set()).add(other)
            found.setdefault(other, set()).add(one)
        return found

    def pair(self, position: int) -> dict[str, Any]:
        """Show a member beside one that is kept of its group; one that is kept beside one that goes, if any does."""
        members = self.members(int(self.of[position]) if 0 <= position < len(self.of) else -1)
        others = [one for one in (int(self.of[position]), *members) if one != position]
        other = next((one for one in others if self.keep[one] != self.keep[position]), others[0])
        a, b = (position, other) if self.keep[position] else (other, position)
        stays = {True: tr("stays: {name}"), False: tr("goes: {name}")}
        names = [stays[bool(self.keep[one])].format(name=self.name(one)) for one in (a, b)]
        shown = self.cards.beside(a, b)
        exact = "" if shown["why"] == tr("exact copy") else shown["why"]
        return shown | {"names": names, "why": self.cards.plainly(b, a), "exact": exact}

    def write(self, sink: Path) -> int:
        """Write the kept records, byte for byte, and give their number."""
        sinks = Sinks(sink)
        kept = Kept.of(self._run.sinks, self._run.rows.given_names, sinks.files, self.result.config)
        kept.open(self._run.store)
        with tables.writing_kept(self._run, self._columns, sinks.files, kept, self.keep) as write:
            write(None)
        return int(self.keep.sum())
