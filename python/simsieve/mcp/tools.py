"""Tools, a class each: fields are arguments, the docstring is for the assistant; and the paths that tools may reach."""

import os
from collections.abc import Iterable, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field

from simsieve.checks import check_key, shown
from simsieve.comparison.explain import explain
from simsieve.config.pair_rows import cell_text, id_text, table_rows
from simsieve.config.settings import SETTINGS, DedupConfig
from simsieve.config.words import in_words
from simsieve.differences import differences
from simsieve.display import cut
from simsieve.errors import ConfigError, SourceError
from simsieve.index import Index
from simsieve.index.answers import id_named
from simsieve.index.index import read_fields
from simsieve.registry import on_disk
from simsieve.results.dedup import DedupResult
from simsieve.run.against import index_named
from simsieve.run.directory import config_again, is_run, made_run
from simsieve.run.pipeline import run_dedup
from simsieve.schemes.scheme import DEFAULT_SCHEME, schemes
from simsieve.sources.files import expand
from simsieve.sources.folders import files_below
from simsieve.types import Decision

ADD = "--allow-add"


class Doors:
    """The paths that are allowed, links seen through, and the open indexes among them, by their names as given."""

    def __init__(self, given: Sequence[str], *, allow_add: bool) -> None:
        self.allow_add = allow_add
        self.roots: dict[str, str] = {}
        self.indexes: dict[str, Index] = {}
        for name in given:
            if not os.path.exists(name):
                raise SourceError("{path} does not exist; check the name", path=name)
            self.roots[name] = os.path.realpath(name)
            if index_named(name) is not None:
                self.indexes[name] = Index.open(name, write=allow_add)
        if allow_add and not self.indexes:
            raise ConfigError("{option} is given and no index: name an index", option=ADD)

    def _named(self, names: Iterable[str]) -> str:
        return ", ".join(names) or "nothing"

    def index(self, name: str | None) -> Index:
        """Give an index as it is now on the disk; the only one needs no name."""
        if name is None and len(self.indexes) == 1:
            (name,) = self.indexes
        if name not in self.indexes:
            raise ConfigError(
                "index {name} is not allowed: allowed are {names}; an index is named when the server is started",
                name="none" if name is None else shown(name), names=self._named(self.indexes),
            )  # fmt: skip
        index = self.indexes[name]
        if not self.allow_add:
            index.refresh()
        if read_fields(index.config) is None:
            raise ConfigError(
                "index {name} compares other fields than a text: use `simsieve index check` with whole records",
                name=name,
            )
        return index

    def path(self, name: str) -> str:
        """Give the real path of something that is allowed; of others it is not told whether they exist."""
        try:
            real = os.path.realpath(name)
        except ValueError:
            # A NUL.
            real = ""
        if not any(_is_inside(real, root) for root in self.roots.values()):
            raise ConfigError(
                "path {name} is outside what is allowed: allowed are {names}, and what is in them",
                name=shown(name), names=self._named(self.roots),
            )  # fmt: skip
        if not os.path.exists(real):
            raise ConfigError("path {name} does not exist: check the name", name=shown(name))
        for file in files_below(real) if os.path.isdir(real) else ():
            if not any(_is_inside(os.path.realpath(file), root) for root in self.roots.values()):
                raise ConfigError(
                    "path {name} has a link that leads outside what is allowed, {file}: remove it, or name files",
                    name=shown(name), file=shown(os.path.relpath(file, real)),
                )  # fmt: skip
        return real

    def close(self) -> None:
        """Close the indexes."""
        for index in self.indexes.values():
            index.close()


def _is_inside(real: str, root: str) -> bool:
    return bool(real) and (real == root or real.startswith(root.rstrip("/") + "/"))


MOST_TEXTS, MOST_LETTERS, MOST_COMPARED, MOST_SHOWN = 100, 1 << 20, 100_000, 600
MOST_GROUPS, MOST_MEMBERS, MOST_DIFFERENCES = 50, 20, 50

Text = Annotated[str, Field(max_length=MOST_LETTERS)]
Texts = Annotated[list[Text], Field(min_length=1, max_length=MOST_TEXTS)]
Named = Annotated[str | None, Field(description="The index, as named at the start; null means the only one.")]
Id = str | int | float


class Tool(BaseModel):
    """What the tools have in common."""

    model_config = ConfigDict(extra="forbid", strict=True)

    def answer(self, doors: Doors) -> dict[str, Any]:
        """Do the work, and return JSON."""
        raise NotImplementedError


def _told(decision: Decision) -> dict[str, Any]:
    """A decision without what it does not have."""
    return {name: value for name, value in asdict(decision).items() if value is not None}


class Check(Tool):
    """Is a text known? Hold texts against an index, which stays as it is.

    Each answer says whether the index has the text or one near it, with the id of that document (`representative`), the
    similarity, `lost` (the longest run of the text that the document lacks) and `conflict` (numbers that contradict).
    """

    texts: Texts
    index: Named = None

    def answer(self, doors: Doors) -> dict[str, Any]:
        """Decide on each text."""
        decided = doors.index(self.index).check_texts(self.texts)
        return {"texts": [{"known": one.representative_collection == "old", **_told(one)} for one in decided]}


class Query(Tool):
    """Find the documents of an index that are near a text, the nearest first. Long texts are cut in the answer."""

    text: Text
    n: Annotated[int, Field(ge=1, le=50, description="Documents at most.")] = 5
    index: Named = None

    def answer(self, doors: Doors) -> dict[str, Any]:
        """Find the nearest documents."""
        found = [asdict(one) for one in doors.index(self.index).query(self.text, self.n)]
        return {"documents": [one | {"text": cut(one["text"], MOST_SHOWN)} for one in found]}


class Compare(Tool):
    """Compare two texts: similarity in [0, 1] (near from 0.6 by default), containment both ways, differences."""

    a: Annotated[str, Field(max_length=MOST_COMPARED)]
    b: Annotated[str, Field(max_length=MOST_COMPARED)]
    scheme: Annotated[str, Field(description=SETTINGS["scheme"].help)] = DEFAULT_SCHEME

    def answer(self, doors: Doors) -> dict[str, Any]:
        """Compare by all measures."""
        # A scheme may be the name of a file, and files are not allowed here.
        check_key("scheme", self.scheme, [row.name for row in schemes()])
        found = explain(self.a, self.b, self.scheme).as_json()
        parts = found["differences"]
        return found | {"differences": parts[:MOST_DIFFERENCES], "differences_in_all": len(parts)}


class Explain(Tool):
    """Say why a record was kept or dropped: by a run directory, a file of decisions, or an index.

    Reasons: `unique` and `representative` are kept; `no_features` is kept, because nothing can be compared; `exact` is
    an equal text; `near` is a similar text; `verdict` is what people said; any other is why the record failed. A run
    directory also gives both texts and their differences.
    """

    of: Annotated[str, Field(description="A run directory or a file of decisions that is allowed, or an index.")]
    id: Annotated[Id | None, Field(description="The id of the record; null where a position is given.")] = None
    position: Annotated[int | None, Field(ge=0, description="The place of the record in the sources, from 0.")] = None

    def answer(self, doors: Doors) -> dict[str, Any]:
        """Find the record and its decision."""
        if (self.id is None) == (self.position is None):
            raise ConfigError("give one of id and position")
        if self.of in doors.indexes:
            return _of_index(doors, self.of, self.id)
        path = doors.path(self.of)
        if is_run(path):
            return self._of_run(doors, path)
        for _, row in table_rows(path):
            check_key("column", "decision", row)
            at, label = (cell_text(row.get(name)) for name in ("position", "id"))
            if at == str(self.position) or (self.id is not None and label == id_text(self.id)):
                return {"decision": row}
        raise _no_record(self.of, self.id if self.position is None else self.position)

    def _of_run(self, doors: Doors, path: str) -> dict[str, Any]:
        made, new, old = made_run(path)
        for name in (*_names(new), *_names(old)):
            if not on_disk(name):
                raise ConfigError(
                    "the run reads {name}, and files alone are allowed: name its decisions", name=shown(str(name))
                )
            for path_of in expand(os.fspath(name)):
                doors.path(path_of)
        told: list[str] = []
        result = run_dedup(new, config_again(path, made, {}), against=old, warn=told.append, tell=told.append)
        documents = result.with_sources()[0].documents
        wanted = None if self.id is None else id_text(self.id)
        place = self.position
        if wanted is not None:
            labels = ((at, documents.id(at)) for at in range(result.counts.read))
            place = next((at for at, one in labels if one is not None and id_text(one) == wanted), None)
        if place is None or place >= result.counts.read:
            raise _no_record(self.of, self.id if self.position is None else self.position)
        one = result.decisions[place]
        answer: dict[str, Any] = {"decision": _told(one)}
        if one.decision == "dropped":
            kept = one.representative_position
            assert kept is not None
            if one.representative_collection == "old":
                kept += result.counts.read
            texts = documents.text(place), documents.text(kept)
            answer |= {"text": cut(texts[0], MOST_SHOWN), "representative_text": cut(texts[1], MOST_SHOWN)}
            if max(map(len, texts)) <= MOST_COMPARED:
                answer["differences"] = [asdict(part) for part in differences(*texts)[:MOST_DIFFERENCES]]
        return answer


def _names(source: Any) -> Sequence[Any]:
    """The names of the sources of a run."""
    return source if isinstance(source, list) else [] if source is None else [source]


def _no_record(of: str, wanted: object) -> ConfigError:
    return ConfigError("{of} has no record {wanted}: check the id, or the position", of=shown(of), wanted=shown(wanted))


def _of_index(doors: Doors, name: str, id: Id | None) -> dict[str, Any]:
    if id is None:
        raise ConfigError("an index has no positions: give id")
    index = doors.index(name)
    found = index.find(id_named(index, id) if isinstance(id, str) else id)
    if found is None:
        raise _no_record(name, id)
    kept = found.text if found.decision == "kept" else index.get(found.representative)
    side = "text" if found.decision == "kept" else "representative_text"
    told = {key: value for key, value in asdict(found).items() if key != "text"}
    return {"decision": told, side: None if kept is None else cut(kept, MOST_SHOWN)}


class FindDuplicates(Tool):
    """Find the groups of near-duplicates in a file or folder that is allowed; nothing is written.

    Each group has the document that is kept, and those that are like it with their similarity, `lost` (the longest run
    of the text that the kept one lacks; removing the text loses it) and `conflict` (numbers that contradict: probably
    another document). The largest groups come first. `groups` and `left_out` count all; `first` goes on.
    """

    path: Annotated[str, Field(description="A file or folder that was allowed at the start, or one in such a folder.")]
    similarity: Annotated[float, Field(gt=0, le=1, description=SETTINGS["similarity"].help)] = 0.6
    text_field: Annotated[str, Field(description=SETTINGS["text_field"].help)] = "text"
    id_field: Annotated[str, Field(description=SETTINGS["id_field"].help)] = "id"
    n: Annotated[int, Field(ge=1, le=MOST_GROUPS, description="Groups at most.")] = 10
    first: Annotated[int, Field(ge=0, description="Groups to pass over.")] = 0

    def answer(self, doors: Doors) -> dict[str, Any]:
        """Carry out a run, and tell its groups."""
        config = DedupConfig.from_settings(self.model_dump(include={"similarity", "text_field", "id_field"}))
        told: list[str] = []
        source = [Path(doors.path(self.path))]
        result = run_dedup(source, config, warn=told.append, tell=lambda _: None)
        groups = sorted(result.clusters().values(), key=lambda group: (-len(group), group[0]))
        given = groups[self.first : self.first + self.n]
        counts = asdict(result.counts)
        return {
            **{name: counts[name] for name in ("read", "kept", "exact", "near", "failed")},
            "groups_in_all": len(groups),
            "groups": [_group(result, group) for group in given],
            "recall": None if result.recall is None else result.recall.value,
            "warnings": [in_words(text) for text in told],
        }


def _group(result: DedupResult, places: Sequence[int]) -> dict[str, Any]:
    """A group with its kept document; the members left out are counted."""
    documents, decisions = result.with_sources()[0].documents, result.decisions
    names = ("id", "position", "source", "line", "reason", "similarity", "lost", "conflict")

    def member(at: int) -> dict[str, Any]:
        told = _told(decisions[at])
        return {name: told[name] for name in names if name in told} | {"text": cut(documents.text(at), MOST_SHOWN)}

    kept = next(at for at in places if decisions[at].decision == "kept")
    others = [at for at in places if at != kept]
    shown_ones = [member(at) for at in others[:MOST_MEMBERS]]
    return {"size": len(places), "kept": member(kept), "dropped": shown_ones, "left_out": len(others) - len(shown_ones)}


class Add(Tool):
    """Add texts to an index as one batch; those that are near a document of it are dropped.

    When the answer comes, the batch is on the disk. `simsieve index undo INDEX BATCH` takes it back.
    """

    texts: Texts
    ids: Annotated[list[Id] | None, Field(description="An id a text.")] = None
    batch: Annotated[str | None, Field(description="A name for the batch.")] = None
    index: Named = None

    def answer(self, doors: Doors) -> dict[str, Any]:
        """Add a batch."""
        if not doors.allow_add:
            raise ConfigError("add is not allowed: start the server with {option}", option=ADD)
        added = doors.index(self.index).add_texts(self.texts, self.ids, name=self.batch)
        return {
            "batch": added.batch, "kept": added.kept, "dropped": added.dropped, "known": added.known,
            "replaced": added.replaced, "texts": [_told(one) for one in added.decisions],
        }  # fmt: skip


TOOLS: dict[str, type[Tool]] = {
    "check": Check, "query": Query, "compare": Compare, "explain": Explain, "find_duplicates": FindDuplicates,
    "add": Add,
}  # fmt: skip
"""The tools by their names."""
