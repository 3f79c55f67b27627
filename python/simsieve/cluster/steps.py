"""The work on texts on the executors, and the objects sent there: functions between batches of Arrow.

Each is pure: a task that runs again, or twice at a time, gives the same rows.
"""

import pickle
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache, wraps
from typing import Any, Concatenate, ParamSpec, Self

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from simsieve import _core
from simsieve.cluster.rows import (
    DATE,
    DIGEST,
    EQUAL,
    FACT,
    MARK,
    OLD,
    OLD_ROW,
    WHOLE,
    Keep,
    Packed,
    TextRows,
    batch_of,
    carried,
    flags,
    gathered,
    groups,
    is_old,
    joined,
    longs,
    numbers,
    pack,
    packed_texts,
    places_of,
    settled,
    slices,
    texts_of,
    unpack,
    usable,
    words_array,
    words_of,
)
from simsieve.cluster.verdicts import Verdicts, keys_of, marked
from simsieve.config.settings import DedupConfig
from simsieve.errors import ConfigError
from simsieve.fingerprints import Fingerprints
from simsieve.run.fit import run_fit
from simsieve.schemes.criteria import Nearness
from simsieve.schemes.custom import model_of, restored
from simsieve.schemes.model import Model


@dataclass(frozen=True, slots=True)
class SentScheme:
    """A scheme on its way to an executor."""

    spec: str
    digest: str
    model: Model | None = field(default=None, compare=False)
    version: str = _core.__version__

    @classmethod
    def of(cls, scheme: _core.Scheme) -> Self:
        """Send a scheme."""
        try:
            _core.Scheme(scheme.spec)
        except ConfigError as error:
            raise ConfigError(
                "scheme {spec!r} is not sent to other machines: a job takes built-in schemes ({error})",
                spec=scheme.spec, error=error,
            ) from None  # fmt: skip
        return cls(scheme.spec, scheme.digest, model_of(scheme))

    def scheme(self) -> _core.Scheme:
        """Make the scheme again."""
        if self.version != _core.__version__:
            raise ConfigError(
                "simsieve {version} sent the job, and simsieve {version_2} is on this executor: install one version "
                "on all machines",
                version=self.version, version_2=_core.__version__,
            )  # fmt: skip
        return _scheme(self)


@lru_cache(maxsize=4)
def _scheme(sent: SentScheme) -> _core.Scheme:
    return restored(_core.Scheme(sent.spec), sent.model, sent.spec, sent.digest)


NO_TEXT = "text_not_string"


@dataclass(frozen=True, slots=True)
class SentRules:
    """What keeps near texts apart or joins others, on its way to an executor."""

    same: tuple[str, ...] = ()
    fields: tuple[tuple[tuple[str, ...], str, bool, bool], ...] = ()
    sure: tuple[int, float] | None = None
    span: int | None = None
    date_field: str | None = None
    conflict: tuple[str, ...] = ()
    max_lost: int | None = None
    verdicts: Verdicts = ()
    also: tuple[tuple[SentScheme, Nearness], ...] = ()
    mean: tuple[tuple[float, ...], float] | None = None
    no_text: str = NO_TEXT

    @classmethod
    def of(cls, config: DedupConfig, verdicts: Verdicts, also: Sequence[_core.Scheme] = ()) -> Self:
        """Send the rules of settings, verdicts on rows, and further schemes that must agree."""
        fields = tuple((tuple(names), bound, apart, joins) for names, bound, apart, joins in config.field_rules)
        window = config.window_millis, config.date_field
        schemes = tuple(zip(map(SentScheme.of, also), config.nearness[1:], strict=True))
        mean = None if config.mean_pair is None else (tuple(config.mean_pair[0]), config.mean_pair[1])
        return cls(
            tuple(config.same), fields, config.sure_pair, *window, tuple(config.conflict), config.max_lost, verdicts,
            schemes, mean, "no_text_field" if config.field else NO_TEXT,
        )  # fmt: skip

    @property
    def core(self) -> tuple[list[tuple[list[str], str, bool, bool]], tuple[int, float] | None, int | None]:
        """The rules on what rows carry, as the core takes them."""
        fields = [(list(names), bound, apart, joins) for names, bound, apart, joins in self.fields]
        return fields, self.sure, self.span

    @property
    def of_rows(self) -> bool:
        """Whether rows carry something for rules or verdicts."""
        return bool(self.fields or self.verdicts) or self.span is not None


@dataclass(frozen=True, slots=True)
class SentSearch:
    """A frozen search on its way to an executor."""

    scheme: SentScheme
    digest: str
    parts: tuple[str, str, bytes, bytes] = field(compare=False)
    rules: SentRules = SentRules()

    @classmethod
    def of(cls, scheme: _core.Scheme, search: _core.FrozenSearch, rules: SentRules) -> Self:
        """Send a search, and the rules on its pairs."""
        import hashlib  # noqa: PLC0415 - on the driver alone

        recipe, state, classes, verdicts = search.parts()
        parts = (recipe, state, classes, verdicts.tobytes())
        digest = hashlib.sha256(repr(parts[:2]).encode() + parts[2] + parts[3]).hexdigest()
        return cls(SentScheme.of(scheme), digest, parts, rules)

    def search(self) -> _core.FrozenSearch:
        """Make the search again."""
        self.scheme.scheme()
        return _search(self)


@lru_cache(maxsize=2)
def _search(sent: SentSearch) -> _core.FrozenSearch:
    recipe, state, classes, verdicts = sent.parts
    also = [(scheme.scheme(), near) for scheme, near in sent.rules.also]
    found = np.frombuffer(verdicts, dtype=np.uint64)
    return _core.FrozenSearch(sent.scheme.scheme(), recipe, state, classes, found, also)


Batches = Iterator[Any]
Step = Callable[[Batches], Batches]
Values = ParamSpec("Values")

TASK_BYTES = 16 << 20
"""Bytes of texts or of keys that one task gathers before it sends them."""
SLICE_ROWS = 1 << 16
"""Rows of a text partition that are one value."""
_SPREAD = np.uint64(0x9E3779B97F4A7C15)


def step(work: Callable[Concatenate[Batches, Values], Batches]) -> Callable[Values, Step]:
    """Make a function of batches and values one of the values, which gives the function of the batches."""

    @wraps(work)
    def given(*values: Values.args, **named: Values.kwargs) -> Step:
        return lambda batches: work(batches, *values, **named)

    return given


@step
def sampled(batches: Batches, log2: int) -> Batches:
    """Give the different texts of a sample of one of `2^log2`."""
    for batch in batches:
        yield pa.record_batch([_sample(batch.column("text"), log2)], ["text"])


def _sample(texts: Any, log2: int) -> Any:
    return texts.filter(pa.array(_core.sampled_texts(texts_of(texts), log2))).unique()


@step
def sampled_keys(batches: Batches, sent: SentSearch, log2: int) -> Batches:
    """Give the keys of a sample of one of `2^log2`."""
    search = sent.search()
    for batch in batches:
        keys = search.sampled_keys(texts_of(batch.column("text")), log2)
        yield pa.record_batch([pa.array([keys.tobytes()], pa.binary())], names=["keys"])


@step
def spread(batches: Batches, sent: SentScheme, rules: SentRules, partitions: int, log2: int | None) -> Batches:
    """Pack the rows for their text partitions; a row `order` has the ends of positions, a row `sample` the sample."""
    scheme = sent.scheme()
    tables, size = list[Any](), 0
    positions, sample = list[Any](), list[Any]()
    for batch in batches:
        positions.append(batch.select([name for name in ("position", OLD) if name in batch.schema.names]))
        if log2 is not None:
            sample.append(_sample(batch.column("text"), log2))
        tables.append(pa.Table.from_batches([_digested(scheme, batch, rules)]))
        size += batch.nbytes
        if size >= TASK_BYTES:
            yield batch_of(packed_texts(tables, partitions))
            tables, size = [], 0
    if tables:
        yield batch_of(packed_texts(tables, partitions))
    if positions:
        ends = [Packed("order", 0, 0, pack(_ends(pa.Table.from_batches(positions))))]
        if sample:
            texts = pa.chunked_array(sample).unique()
            ends.append(Packed("sample", 0, len(texts), pack(pa.table({"text": texts}))))
        yield batch_of(ends)


def _digested(scheme: _core.Scheme, batch: Any, rules: SentRules) -> Any:
    """A batch with the digests of the texts and what rows carry, and the codes of texts that fail and are left out."""
    texts, there = batch.column("text"), batch.schema.names
    is_settled = settled(batch)
    if rules.fields:
        # The fields of a record that has no text can join it.
        texts = pc.if_else(pa.array(is_settled), None, pc.fill_null(texts, ""))
    read = [f"{FACT}_{at}" for at in range(sum(len(names) for names, *_ in rules.fields))]
    names = [name for name in there if name not in (EQUAL, DATE, *read)]
    digests, (group, facts, dates), failures = _core.text_digests(
        scheme, texts_of(texts), texts_of(batch.column(EQUAL)) if EQUAL in there else None, rules.same,
        (rules.core, [texts_of(batch.column(name)) for name in read]),
        None if rules.date_field is None else (rules.date_field, texts_of(batch.column(DATE))),
        [sent.scheme() for sent, _ in rules.also],
    )  # fmt: skip
    codes = np.full(len(batch), None, dtype=object)
    codes[np.asarray(texts.is_null()) & ~is_settled] = rules.no_text
    for at, code, _ in failures:
        codes[at] = code
    rows, mark, whole = (bits.view(np.uint64).reshape(-1, 2).copy() for bits in digests)
    failed = (codes != None) | is_settled  # noqa: E711 - by element
    # Rows without a text are spread over the partitions by their positions.
    rows[failed, 0] = longs(batch.column("position"))[failed].view(np.uint64)
    if rules.verdicts:
        # A row with a verdict is a copy of none.
        judged = np.flatnonzero(np.isin(keys_of(batch), [key for *pair, _ in rules.verdicts for key in pair]))
        rows[judged, 1] ^= keys_of(batch)[judged].view(np.uint64) * _SPREAD
    if failed.any():
        texts = pc.if_else(pa.array(failed), None, texts)
    columns = {name: batch.column(name) for name in names}
    columns |= {"text": texts, "group": pa.array(group.view(np.int64)), "failure": pa.array(codes, pa.string())}
    columns |= {name: pa.array(rows[:, at]) for at, name in enumerate(DIGEST)}
    if rules.of_rows:
        columns |= {name: pa.array(mark[:, at]) for at, name in enumerate(MARK)}
    if rules.of_rows and rules.also:
        columns |= {name: pa.array(whole[:, at]) for at, name in enumerate(WHOLE)}
    if rules.fields:
        columns["facts"] = words_array(facts.view(np.uint64).reshape(len(batch), -1))
    if rules.span is not None:
        columns[DATE] = pa.array(dates)
    return pa.RecordBatch.from_pydict(columns)


def _ends(rows: Any) -> Any:
    """The lowest and the highest position of new and old rows of a task, and whether all of them differ."""
    position = longs(rows["position"])
    old = is_old(rows)
    found = []
    for kind in (False, True):
        some = np.sort(position[old == kind])
        if len(some):
            found.append((kind, some[0], some[-1], bool((some[1:] > some[:-1]).all())))
    return pa.table(dict(zip(("old", "low", "high", "differ"), map(pa.array, zip(*found, strict=True)), strict=True)))


@step
def labelled(batches: Batches, labels: Sequence[str]) -> Batches:
    """Give what the rows with these ids are known by: `position`, `old`, and the id as `label`."""
    for batch in batches:
        ids = batch.column("id")
        if pa.types.is_floating(ids.type):
            ids = pa.array([None if label is None else str(label) for label in ids.to_pylist()], pa.string())
        columns = [batch.column("position"), pa.array(is_old(batch)), ids.cast(pa.string())]
        rows = pa.record_batch(columns, names=["position", OLD, "label"])
        yield rows.filter(pc.is_in(rows.column("label"), pa.array(labels, pa.string())))


@step
def placed(batches: Batches, parts: int) -> Batches:
    """Send what rows are known by to partitions, for `repeated`."""
    for batch in batches:
        keys = keys_of(batch)
        of = (keys.view(np.uint64) * _SPREAD >> np.uint64(32)) % np.uint64(parts)
        yield batch_of([Packed("placed", part, len(at), pack(pa.table({"key": keys[at]}))) for part, at in groups(of)])


@step
def repeated(batches: Batches) -> Batches:
    """Count the rows that repeat what another is known by: rows `repeated`."""
    for values in gathered(batches).values():
        (table,) = joined(values["placed"])
        yield batch_of([Packed("repeated", 0, len(table) - len(table["key"].unique()), b"")])


@step
def encoded(batches: Batches, sent: SentSearch, parts_log2: int, keep: Keep) -> Batches:
    """Encode the rows of text partitions: rows `rows`, and rows `keys` for the partitions of keys."""
    # Where rows carry facts or dates, rows `alike` are for the partitions of rows that may join them by any key.
    for partition, values in gathered(batches).items():
        work = _core.EncodePass(sent.search(), parts_log2)
        rows = TextRows.of(values["texts"], keep)
        made = _encoded(work, rows, partition, columns_of(keep))
        yield from made if not sent.rules.of_rows else _with_alike(made, sent.rules, parts_log2)


def columns_of(keep: Keep) -> list[str]:
    """Give the columns of the keep order besides the position and what rows carry."""
    return [name for name, _ in keep if name not in ("position", OLD)]


def _with_alike(batches: Batches, rules: SentRules, parts_log2: int) -> Batches:
    """Add the rows that are no copies by their texts, and by the facts that join."""
    for batch in batches:
        yield batch
        rows = [row for row in batch.to_pylist() if row["kind"] == "rows"]
        for row in rows:
            yield batch_of(_alike(unpack(row["value"])[0], row["part"], row["number"], rules, parts_log2))


def _alike(rows: Any, partition: int, start: int, rules: SentRules, parts_log2: int) -> list[Packed]:
    own = longs(rows["first"]) == np.arange(start, start + len(rows))
    known = np.flatnonzero(own & usable(rows))
    there = [known[flags(rows["valid"])[known]]]
    marks = [np.stack([rows[name].to_numpy() for name in MARK], axis=1)[there[0]]]
    facts = words_of(rows["facts"]).reshape(len(rows), -1, 2) if rules.fields else np.zeros((0, 0, 2), dtype=np.uint64)
    for at, (*_, joins) in enumerate(rules.fields):
        if joins:
            there.append(known[facts[known, at].any(axis=1)])
            # Marks of several kinds that are equal by chance compare some rows more.
            marks.append(facts[there[-1], at] + np.uint64(at + 1))
    if rules.verdicts:
        place, number = marked(keys_of(rows)[known], rules.verdicts)
        there.append(known[place])
        marks.append(np.stack([number, np.full(len(number), _SPREAD)], axis=1))
    mark = np.concatenate(marks)
    columns = {name: mark[:, at] for at, name in enumerate(MARK)}
    table = pa.table({**columns, "row": numbers(partition, np.concatenate(there) + start)})
    parts = (mark[:, 0] & np.uint64((1 << parts_log2) - 1)).astype(np.int64)
    return [Packed("alike", part, len(at), pack(table.take(pa.array(at)))) for part, at in groups(parts)]


def _encoded(work: _core.EncodePass, texts: TextRows, partition: int, keep: list[str]) -> Batches:
    rows, sizes = texts.rows, texts.bytes()
    count = len(rows)
    old = is_old(rows)
    number = numbers(partition, np.arange(count)) | old * OLD_ROW
    digests = np.stack([rows[name].to_numpy() for name in DIGEST], axis=1)
    group = longs(rows["group"]).view(np.uint64)
    failure = rows["failure"].combine_chunks()
    found, failures = list[dict[str, NDArray[Any]]](), list[tuple[int, str]]()
    for part in slices(sizes, 10_000, TASK_BYTES):
        got, failed = work.push(
            digests[part].view(np.uint8).ravel(), group[part], number[part], texts_of(texts.text(part))
        )
        found.append(got)
        failures += [(part.start + at, code) for at, code, _ in failed]
        if work.gathered_bytes() >= TASK_BYTES:
            yield batch_of(_keys(work))
    if failures:
        codes = failure.to_pylist()
        for at, code in failures:
            codes[at] = code
        failure = pa.array(codes, pa.string())
    column = {name: np.concatenate([got[name] for got in found]) for name in ("valid", "size", "first")}
    first, valid = places_of(column["first"]), column["valid"]
    is_copy = first != np.arange(count)
    copied = np.zeros(count, dtype=bool)
    copied[first[is_copy]] = True
    words = np.concatenate([np.concatenate([got["sketch"], got["fingerprint"]], axis=1)[got["valid"]] for got in found])
    made = pa.table({
        **{name: rows[name] for name in ("position", "id", *carried(rows), *keep)},
        "failure": failure, "first": first, "first_position": longs(rows["position"])[first],
        "first_id": rows["id"].take(pa.array(first, mask=~is_copy)), "first_old": old[first],
        "valid": valid, "copied": copied, "size": column["size"].astype(np.int64), "bytes": sizes,
    })  # fmt: skip
    for start in range(0, count, SLICE_ROWS):
        before, now = (int(np.count_nonzero(valid[:end])) for end in (start, start + SLICE_ROWS))
        value = pack(made.slice(start, SLICE_ROWS), pa.table({"words": words_array(words[before:now])}))
        yield batch_of([Packed("rows", partition, start, value)])
    yield batch_of(_keys(work))


def _keys(work: _core.EncodePass) -> list[Packed]:
    return [Packed("keys", part, 0, piece) for part, piece in work.take_pieces()]


@step
def fingerprinted(batches: Batches, sent: SentScheme) -> Batches:
    """Replace each text by its fingerprint as hex digits."""
    scheme = sent.scheme()
    for batch in batches:
        texts = ["" if text is None else text for text in batch.column("text").to_pylist()]
        values, valid = scheme.transform(texts, 1)
        made = Fingerprints(values, valid, scheme.width, scheme.spec, scheme.digest).to_arrow()["fingerprint"]
        columns = [batch.column("position"), batch.column("id"), made.combine_chunks().cast(pa.string())]
        yield pa.record_batch(columns, names=["position", "id", "fingerprint"])


@step
def fitted(batches: Batches, settings: Mapping[str, Any]) -> Batches:
    """Fit a model on the texts of a task, and give it as bytes."""
    texts: list[str] = []
    for batch in batches:
        texts += [text for text in batch.column("text").to_pylist() if text is not None]
    if texts:
        config = DedupConfig.from_settings({**settings, "threads": 1})
        yield pa.record_batch([pa.array([pickle.dumps(run_fit(texts, config).model)], pa.binary())], names=["model"])
