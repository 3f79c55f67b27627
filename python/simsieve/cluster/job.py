"""The order of a job, known here and nowhere else.

    check the columns, count -> rows for their text partitions, by digest; a sample, freeze the search (driver)
      -> rows of one text partition together: copies, fingerprints, keys -> keys of one partition together: pairs
      -> pairs with their texts: near pairs -> rounds, and the walk of the rows they leave open -> decisions on all rows

A record's decision is a function of the texts and of the order of the rows, so partitions, retries and lost executors
change nothing. Between the steps many rows are one value of bytes, see `rows`.
"""

import math
import pickle
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from simsieve import _core
from simsieve.cluster import decide, indexed, outcome, pairs, rounds, steps, verdicts
from simsieve.cluster.engine import Engine, Rows
from simsieve.cluster.rows import OLD, SETTLED, flags, groups, joined, keep_order, longs, partitions_of, texts_of
from simsieve.cluster.settings import COUNT, DECIDE, PAIR, ROUNDS, SPREAD, TEXTS, VERIFY, no_order
from simsieve.cluster.steps import SentRules, SentScheme, SentSearch
from simsieve.config.near_rows import FIT
from simsieve.config.settings import DedupConfig
from simsieve.errors import ConfigError
from simsieve.run.schemes import chosen_schemes, only_criterion
from simsieve.schemes.model import Model

NEAR = "a long, b long, distance long, similarity double, lost_a long, lost_b long, conflict boolean"
_LARGE = "row long, bucket long"
_LABELLED = "position long, old boolean, label string"
_ROWS_A_TASK = 250_000
_BYTES_A_TASK = 96 << 20
_KEY_BYTES = 100
_SENT_BYTES = 64 << 20
_SAMPLED_LOG2 = 20


@dataclass(frozen=True, slots=True)
class Frame:
    """The rows of a job, with columns of fixed names; their count, the bytes of their texts, what orders them, how.

    The last is the type of the ids, as the engine has it.
    """

    engine: Engine
    rows: Rows
    count: int
    bytes: int
    order: str
    keep: tuple[tuple[str, bool], ...]
    ids: Any

    @property
    def has_old(self) -> bool:
        """Whether some rows are old ones."""
        return (OLD, True) in self.keep


def fitted_model(rows: Rows, settings: Mapping[str, Any]) -> Model:
    """Fit a model on the texts of rows in parts, and merge these."""
    found = rows.map(steps.fitted(settings), "model binary").table()
    # The executors of the user's own job made these bytes.
    models = [pickle.loads(model) for model in found["model"].to_pylist()]  # noqa: S301
    if not models:
        raise ConfigError("there is no text to fit a model on")
    merged: Model = models[0].merge(*models[1:])
    return merged


def taken(rows: Rows) -> Any:
    """The packed tables of rows on the driver, in one; None where there is no row."""
    found = joined(rows.table()["value"].to_pylist())
    return found[0] if found else None


@dataclass(frozen=True)
class Found:
    """The packed rows of both steps, by which what was found of the texts is reached."""

    spread: Rows
    rows: Rows
    sent: SentSearch
    partitions: int
    frame: Frame

    def large(self) -> Rows:
        """The rows of large buckets with these; without a bucket those that may be joined by what they carry."""
        return self.rows.of("members", "joined").map(pairs.large(), _LARGE)

    def counts(self) -> dict[str, int]:
        """How many candidate pairs, rows of large buckets and rows that may be joined there are."""
        with self.frame.engine.stage(PAIR):
            found = self.rows.of("pairs", "members", "joined").sums()
        return {kind: rows for kind, rows in found.items() if rows}

    def texts(self, wanted: Rows) -> Rows:
        """The texts of rows, for those that want them."""
        return self.spread.of("texts").union(wanted).by_part(pairs.sought(self.frame.keep), self.partitions)

    def near(self, candidates: Rows | None = None, *, positions: bool = False) -> Rows:
        """The near ones of candidate pairs, by default of those that were found; under a distance all."""
        given = self.rows if candidates is None else candidates
        found = self.texts(given.of("wanted")).union(given.of("pairs"))
        return found.by_part(pairs.verified(self.sent, self.frame.keep, positions=positions), self.partitions, NEAR)

    def pairs(self, *, in_order: bool) -> Rows:
        """The near pairs that were found. Under a distance alone no text is read, unless they must be in keep order."""
        if in_order or self.sent.search().reads_texts or self.sent.rules.of_rows:
            return self.near()
        return self.rows.of("pairs").by_part(pairs.as_found(), self.partitions, NEAR)


@dataclass(frozen=True)
class Changed:
    """The rows that are dropped or represent others: a value for each text partition."""

    rows: Rows
    is_small: bool


@dataclass(frozen=True)
class Job:
    """A checked frame and the settings of a job."""

    frame: Frame
    config: DedupConfig
    schemes: Sequence[_core.Scheme]
    sent: SentScheme
    rules: SentRules
    index: Path | None = None

    @classmethod
    def of(cls, frame: Frame, config: DedupConfig, index: Path | None = None) -> "Job":
        """Prepare the work on a frame."""
        found: verdicts.Verdicts = ()
        if labels := verdicts.named(config.verdicts):
            with frame.engine.stage(COUNT):
                named = frame.rows.map(steps.labelled(labels), _LABELLED).table()
            found = verdicts.found(named, config.verdicts)
        schemes = chosen_schemes(config)
        if config.idf == FIT and frame.count:
            settings = [{"scheme": scheme.spec, "max_features": config.max_features} for scheme in schemes]
            models = [fitted_model(frame.rows, each) for each in settings]
            schemes = [scheme.with_model(model.core, own=True) for scheme, model in zip(schemes, models, strict=True)]
        rules = SentRules.of(config, found, schemes[1:])
        return cls(frame, config, schemes, SentScheme.of(schemes[0]), rules, index)

    @property
    def scheme(self) -> _core.Scheme:
        """The scheme whose search finds the pairs."""
        return self.schemes[0]

    @property
    def has_old(self) -> bool:
        """Whether decisions name old rows or documents."""
        return self.frame.has_old or self.index is not None

    @property
    def engine(self) -> Engine:
        """What runs the job."""
        return self.frame.engine

    @property
    def partitions(self) -> int:
        """How many text partitions there are."""
        frame = self.frame
        small = min(self.engine.tasks - 1, frame.count // 1000)
        return 1 + max(frame.count // _ROWS_A_TASK, frame.bytes // _BYTES_A_TASK, small)

    def unfrozen(self) -> list[_core.UnfrozenSearch]:
        """Give the search under each scheme before it is frozen; the first finds the pairs."""
        count, recall, seed = self.frame.count, self.config.recall, self.config.seed
        each = zip(self.schemes, self.config.nearness, strict=True)
        return [_core.UnfrozenSearch(scheme, count, nearness, recall, seed) for scheme, nearness in each]

    def rows(self) -> Rows:
        """The rows of the frame, with what an index has settled."""
        if self.index is None:
            return self.frame.rows
        step = indexed.looked_up(str(self.index), self.config, self.sent)
        return self.frame.rows.map(step, f"*, {SETTLED} {indexed.KIND}", self.frame.ids)

    def frozen(self) -> tuple[Rows, _core.FrozenSearch]:
        """Spread the rows over the text partitions, and freeze the search by a sample of the texts."""
        count, unfrozen = self.frame.count, self.unfrozen()[0]
        least = unfrozen.sample_log2
        log2 = None if least is None else max(least, count.bit_length() - _SAMPLED_LOG2)
        with self.engine.stage(SPREAD):
            spread = self.rows().map(steps.spread(self.sent, self.rules, self.partitions, log2)).keep()
            ends = spread.of("order", "sample").table()
        values: dict[str, list[bytes]] = {"order": [], "sample": []}
        for kind, value in zip(ends["kind"].to_pylist(), ends["value"].to_pylist(), strict=True):
            values[kind].append(value)
        self._check_order(joined(values["order"])[0])
        found = joined(values["sample"])
        texts = found[0]["text"] if found else pa.array([], pa.large_string())
        search = unfrozen.freeze(texts_of(texts), count, log2 or 0)
        while search is None:
            log2 = (log2 or 0) - 1
            texts = self.frame.rows.map(steps.sampled(log2), "text string").table()["text"]
            search = unfrozen.freeze(texts_of(pc.unique(texts)), count, log2)
        while (log2 := search.crowd_log2) is not None:
            search = self.split(search, log2)
        return spread, search

    def split(self, search: _core.FrozenSearch, log2: int) -> _core.FrozenSearch:
        """Split the crowded paths that the keys of one text of `2^log2` show."""
        step = steps.sampled_keys(SentSearch.of(self.scheme, search, self.rules), log2)
        keys = self.frame.rows.map(step, "keys binary").table()["keys"].to_pylist()
        return search.split([np.frombuffer(some, dtype=np.uint64) for some in keys], log2)

    def _check_order(self, ends: Any) -> None:
        """Check that all positions differ; by themselves only where the tasks do not have one range of them each."""
        ends = ends.sort_by([("old", "ascending"), ("low", "ascending")])
        low, high, old = longs(ends["low"]), longs(ends["high"]), flags(ends["old"])
        if not (flags(ends["differ"]).all() and ((low[1:] > high[:-1]) | (old[1:] != old[:-1])).all()):
            self.check_order()

    def check_order(self) -> None:
        """Check that all positions differ, by all of them."""
        count = self.partitions
        more = self.frame.rows.map(steps.placed(count)).by_part(steps.repeated(), count).sums().get("repeated", 0)
        if more:
            raise no_order(self.frame.order, f"{more} rows repeat one")

    def encoded(self, spread: Rows, sent: SentSearch, parts_log2: int) -> Rows:
        """Encode the rows; their keys are for `2^parts_log2` partitions."""
        return spread.of("texts").by_part(steps.encoded(sent, parts_log2, self.frame.keep), self.partitions)

    def parts_log2(self, search: _core.FrozenSearch) -> int:
        """Give how many partitions of keys there are."""
        keys = (search.mean_keys or 0.0) * self.frame.count * _KEY_BYTES
        return (max(self.partitions, math.ceil(keys / _BYTES_A_TASK)) - 1).bit_length()

    def found(self, spread: Rows, search: _core.FrozenSearch) -> Found:
        """Encode the rows and find their candidates."""
        sent, log2 = SentSearch.of(self.scheme, search, self.rules), self.parts_log2(search)
        rows = self.encoded(spread, sent, log2)
        if not search.is_brute:
            rows = rows.by_part(pairs.paired(sent), max(self.partitions, 1 << log2))
        return Found(spread, rows.keep(), sent, self.partitions, self.frame)

    def decide(self, found: Found) -> Changed | None:
        """Decide on the rows that have candidates: a value of changed rows for each text partition that has some."""
        if found.sent.search().is_brute:
            return self._on_driver(found, None)
        counts = found.counts()
        if not counts:
            return None
        large = found.large() if counts.keys() - {"pairs"} else None
        # A verdict may change the keep order, which rounds take as it is.
        is_small = sum(counts.values()) <= rounds.MOST_WALKED
        if is_small and (decided := self._on_driver(found, large)) is not None:
            return decided
        with self.engine.stage(VERIFY):
            near = found.pairs(in_order=True).keep(now=True)
        held, bins = [near], 1
        if not (is_small or self.rules.verdicts):
            bins = max(2, self.partitions)
            near = self._in_rounds(near, large, bins, held)
        with self.engine.stage(DECIDE):
            changed = self._walked(found, near, large, bins)
            size = changed.sums().get("merged", 0)
        for rows in held:
            rows.drop()
        return Changed(changed, size <= _SENT_BYTES)

    def _on_driver(self, found: Found, large: Rows | None) -> Changed | None:
        """Decide on few rows on the driver, which takes less time there; None where their texts are many."""
        with self.engine.stage(DECIDE):
            near, of_large, rows = decide.NO_PAIRS, decide.NO_ROWS, found.rows.of("rows")
            is_brute = found.sent.search().is_brute
            if not is_brute:
                near, of_large = found.pairs(in_order=False).table(), of_large if large is None else large.table()
            a, b, row = longs(near["a"]), longs(near["b"]), longs(of_large["row"])
            if not is_brute:
                wanted = np.unique(np.concatenate([a, b, row]))
                asked = self.sent_to_rows(pa.table({"row": wanted, "at": np.zeros_like(wanted)}), "row")
                rows = rows.with_other(asked, self.partitions, every=False, is_small=True)
            rows = taken(rows.map(outcome.asked(steps.columns_of(self.frame.keep))))
            if rows is None:
                return None
            if is_brute:
                row = longs(rows["row"])
                of_large = pa.table({"row": row, "bucket": np.zeros_like(row)})
            read = np.unique(np.concatenate([row, a[np.isin(b, row)], b[np.isin(a, row)]]))
            if not is_brute and longs(rows["bytes"])[np.isin(longs(rows["row"]), read)].sum() > _SENT_BYTES:
                return None
            texts = self.texts_of(found, read) if len(read) else None
            rows = rows.take(pa.array(keep_order(rows, self.frame.keep)))
            changed = decide.decided(found.sent.search(), rows, near, of_large, texts, self.rules)
            return Changed(self.sent_to_rows(changed, "of"), is_small=True)

    def sent_to_rows(self, table: Any, by: str) -> Rows:
        """A table of the driver as values for the text partitions of the numbers in a column, for all executors."""
        parts = groups(partitions_of(longs(table[by])))
        return self.engine.made([outcome.merged_of(part, table.take(pa.array(at)), by) for part, at in parts])

    def _in_rounds(self, near: Rows, large: Rows | None, bins: int, held: list[Rows]) -> Rows:
        """Decide the certain rows in rounds; give the pairs that are left, with their tasks in a column `bin`."""
        state = near.map(rounds.begun(self.config.max_lost))
        if large is not None:
            state = state.union(large.map(pairs.for_rows("stays")))
        with self.engine.stage(ROUNDS):
            for _ in range(rounds.ROUNDS):
                state = state.by_part(rounds.decided(), self.partitions).keep()
                held.append(state)
                if not state.of("told").sums().get("told"):
                    break
            left = state.by_part(rounds.in_bins(bins), self.partitions, f"{NEAR}, bin int").keep()
        held.append(left)
        return left

    def _walked(self, found: Found, near: Rows, large: Rows | None, bins: int) -> Rows:
        asked, sent = near.map(pairs.ends("ask")), near.map(pairs.for_bins("near"))
        if large is not None:
            stays = large.map(pairs.for_rows("stays"))
            asked = asked.union(stays)
            wanted = stays.union(near.map(pairs.ends("beside"))).by_part(pairs.read_by_walk(), self.partitions)
            sent = sent.union(large.map(pairs.for_bins("large")), found.texts(wanted))
        asked = asked.by_part(outcome.merged("row"), self.partitions)
        rows = found.rows.of("rows").with_other(asked, self.partitions, every=False)
        sent = sent.union(rows.map(outcome.asked(steps.columns_of(self.frame.keep))))
        changed = sent.by_part(decide.walked(found.sent, self.frame.keep), bins)
        return changed.by_part(outcome.merged("of"), self.partitions).keep()

    def with_changed(self, rows: Rows, changed: Changed | None) -> Rows:
        """Packed rows with what `decide` has given."""
        if changed is None:
            return rows
        return rows.with_other(changed.rows, self.partitions, every=True, is_small=changed.is_small)

    def texts_of(self, found: Found, wanted: NDArray[np.int64]) -> Any:
        """Take the texts of rows, by their numbers, to the driver: a table of `row` and `text`."""
        with self.engine.stage(TEXTS):
            return taken(found.texts(self.engine.made(pairs.asking("wanted", wanted, np.zeros_like(wanted)))))

    def decided(self, rows: Rows) -> Rows:
        """The decisions on rows with what `decide` has given."""
        similarity = self.config.criteria[0].similarity
        measure = self.config.measure_of(similarity)
        step = outcome.decided(measure, measured=similarity is not None, old=self.has_old)
        return rows.map(step, outcome.schema(old=self.has_old), self.frame.ids)

    def near_pairs(self) -> Rows:
        """The near pairs of different texts by their positions; of large groups they would be too many."""
        engine = f"simsieve.{self.engine.name.lower()}"
        self.config.check_undirected(f"find_pairs of {engine}")
        if not self.frame.count:
            return self.engine.made([]).map(pairs.as_found(), NEAR)
        if self.rules.verdicts:
            raise ConfigError(
                "{@verdicts} are for {engine}.dedup, and not for find_pairs there: leave them out", engine=engine
            )
        found = self.found(*self.frozen())
        counts = found.counts()
        large = self.frame.count if found.sent.search().is_brute else sum(counts.values()) - counts.get("pairs", 0)
        if large:
            raise ConfigError(
                "{large} rows are in large groups of similar texts, or there are fewer than 8,192 rows, and all their "
                "pairs would be tested on one machine: decide with {engine}.dedup, or find pairs with "
                "simsieve.find_pairs",
                large=large, engine=engine,
            )  # fmt: skip
        return found.near(positions=True)

    def fingerprints(self) -> Rows:
        """The rows with the fingerprints of their texts."""
        only_criterion(self.config, f"fingerprint of simsieve.{self.engine.name.lower()}")
        self.check_order()
        columns = "position long, id {id}, fingerprint string"
        return self.frame.rows.map(steps.fingerprinted(self.sent), columns, self.frame.ids)
