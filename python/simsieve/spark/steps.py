"""The work on the executors: functions from Arrow batches to Arrow batches, for `mapInArrow`.

Each is pure: a task that runs again, or twice at a time, gives the same rows.
"""

import pickle
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from simsieve import _core
from simsieve.config.settings import DedupConfig
from simsieve.fingerprints import Fingerprints
from simsieve.run.fit import run_fit
from simsieve.spark.arrays import longs, texts_of, words_array
from simsieve.spark.sent import SentScheme, SentSearch

Batches = Iterator[Any]
Step = Callable[[Batches], Batches]

PIECE_BYTES = 32 << 20
"""Keys that one task gathers before it sends them."""
NO_TEXT = "text_not_string"
"""The code of a record without a text."""


def sampled(log2: int) -> Step:
    """Leave the texts of a sample of one of `2^log2`."""

    def step(batches: Batches) -> Batches:
        for batch in batches:
            yield batch.filter(pa.array(_core.sampled_texts(texts_of(batch.column("text")), log2)))

    return step


def digested(sent: SentScheme) -> Step:
    """Add the digest of each normalised text, and the code of a text that fails."""

    def step(batches: Batches) -> Batches:
        scheme = sent.scheme()
        for batch in batches:
            texts = batch.column("text")
            digests, failures = _core.text_digests(scheme, texts_of(texts))
            codes = np.full(len(batch), None, dtype=object)
            codes[np.asarray(texts.is_null())] = NO_TEXT
            for at, code, _ in failures:
                codes[at] = code
            rows = digests.view(np.uint64).reshape(-1, 2)
            failed = codes != None  # noqa: E711 - by element
            # Records that fail are spread over the partitions by their positions.
            rows[failed, 0] = longs(batch.column("position"))[failed].view(np.uint64)
            names = [*batch.schema.names, "digest", "failure"]
            yield pa.record_batch(
                [*batch.columns, words_array(rows), pa.array(codes.tolist(), pa.string())], names=names
            )

    return step


def encoded(sent: SentSearch, parts_log2: int, keep: list[str]) -> Step:
    """Encode rows in order of their digests: a row for each, and rows of pieces of keys among them."""

    def step(batches: Batches) -> Batches:
        encoder = _Encoding(_core.EncodePass(sent.search(), parts_log2), keep)
        for batch in batches:
            if len(batch):
                yield from encoder.push(batch)
                if encoder.work.gathered_bytes() >= PIECE_BYTES:
                    yield encoder.pieces()
        yield from encoder.finish()

    return step


class _Encoding:
    """Encodes the batches of one task. The first rows of the last digest wait: copies of them may follow."""

    def __init__(self, work: _core.EncodePass, keep: list[str]) -> None:
        self.work = work
        self.keep = keep
        self.waiting: Any = None
        self.schema: Any = None

    def push(self, batch: Any) -> Batches:
        positions = longs(batch.column("position"))
        failure = batch.column("failure")
        texts = pc.if_else(failure.is_null(), batch.column("text"), None)
        digests = np.frombuffer(b"".join(batch.column("digest").to_pylist()), dtype=np.uint8)
        rows, failures = self.work.push(digests, positions, texts_of(texts))
        if failures:
            codes = failure.to_pylist()
            for at, code, _ in failures:
                codes[at] = code
            failure = pa.array(codes, pa.string())
        words = np.concatenate([rows["sketch"], rows["fingerprint"]], axis=1)
        columns = {
            "position": batch.column("position"), "id": batch.column("id"), "failure": failure,
            "first": pa.array(rows["first"]), "valid": pa.array(rows["valid"]),
            "size": pa.array(rows["size"].view(np.int32)),
            "words": words_array(words), "digest": batch.column("digest"),
            **{name: batch.column(name) for name in self.keep},
        }  # fmt: skip
        table = pa.table(columns)
        if self.waiting is not None:
            table = pa.concat_tables([self.waiting, table], promote_options="default")
        self.schema = table.schema
        yield from self._rows(table)

    def _rows(self, table: Any, *, last: bool = False) -> Batches:
        first, position = longs(table["first"]), longs(table["position"])
        is_first = first == position
        copied = np.isin(position, first[~is_first])
        if "copied" in table.schema.names:
            copied |= np.asarray(pc.fill_null(table["copied"], fill_value=False))
            table = table.drop_columns(["copied"])
        first_ids = table["id"].take(pc.index_in(table["first"], value_set=table["position"]))
        table = table.append_column("copied", pa.array(copied)).append_column("first_id", first_ids)
        digest = table["digest"]
        waits = np.zeros(len(table), dtype=bool)
        if not last and len(table):
            waits = is_first & np.asarray(table["valid"]) & np.asarray(pc.equal(digest, digest[-1]))
        self.waiting = table.filter(pa.array(waits)).drop_columns(["first_id"])
        if not len(self.waiting):
            self.waiting = None
        table = table.filter(pa.array(~waits)).drop_columns(["digest"])
        for name, kind in (("part", pa.int32()), ("piece", pa.binary())):
            table = table.append_column(name, pa.nulls(len(table), kind))
        yield from table.combine_chunks().to_batches()

    def pieces(self) -> Any:
        """The keys that were gathered, as rows that have nothing else."""
        parts = self.work.take_pieces()
        names = [*(name for name in self.schema.names if name not in ("digest", "copied")), "copied", "first_id"]
        kinds = {**{field.name: field.type for field in self.schema}, "copied": pa.bool_()}
        kinds["first_id"] = kinds["id"]
        columns = [pa.nulls(len(parts), kinds[name]) for name in names]
        columns.append(pa.array([part for part, _ in parts], pa.int32()))
        columns.append(pa.array([piece for _, piece in parts], pa.binary()))
        return pa.record_batch(columns, names=[*names, "part", "piece"])

    def finish(self) -> Batches:
        if self.schema is None:
            return
        if self.waiting is not None:
            yield from self._rows(self.waiting, last=True)
        yield self.pieces()


def paired(sent: SentSearch) -> Step:
    """Give the candidate pairs of pieces in order of their partitions, and the rows of large buckets."""

    def found(search: _core.FrozenSearch, part: int, pieces: list[bytes]) -> Any:
        got = search.pairs(pieces)
        pairs, members = len(got["a"]), len(got["member"])
        a_bucket = (np.int64(part) << 32) | got["bucket"]
        columns = [
            _then_nulls(got["a"], members), _then_nulls(got["b"], members), _then_nulls(got["distance"], members),
            _after_nulls(got["member"], pairs), _after_nulls(a_bucket, pairs),
        ]  # fmt: skip
        return pa.record_batch(columns, names=["a", "b", "distance", "member", "bucket"])

    def step(batches: Batches) -> Batches:
        search = sent.search()
        part, pieces = -1, list[bytes]()
        for batch in batches:
            for next_part, piece in zip(
                batch.column("part").to_pylist(), batch.column("piece").to_pylist(), strict=True
            ):
                if next_part != part and pieces:
                    yield found(search, part, pieces)
                    pieces = []
                part = next_part
                pieces.append(piece)
        if pieces:
            yield found(search, part, pieces)

    return step


def _then_nulls(values: Any, nulls: int) -> Any:
    return pa.concat_arrays([pa.array(values, pa.int64()), pa.nulls(nulls, pa.int64())])


def _after_nulls(values: Any, nulls: int) -> Any:
    return pa.concat_arrays([pa.nulls(nulls, pa.int64()), pa.array(values, pa.int64())])


def verified(sent: SentSearch) -> Step:
    """Add the similarity of pairs with their texts, and leave those that are near."""

    def step(batches: Batches) -> Batches:
        search = sent.search()
        for batch in batches:
            a, b = longs(batch.column("a")), longs(batch.column("b"))
            texts = texts_of(batch.column("text_a")), texts_of(batch.column("text_b"))
            similarity = search.verify(a, b, *texts)
            columns = [pa.array(a), pa.array(b), batch.column("distance"), pa.array(similarity)]
            table = pa.record_batch(columns, names=["a", "b", "distance", "similarity"])
            yield table.filter(pa.array(~np.isnan(similarity)))

    return step


def fingerprinted(sent: SentScheme) -> Step:
    """Replace each text by its fingerprint as hex digits."""

    def step(batches: Batches) -> Batches:
        scheme = sent.scheme()
        for batch in batches:
            texts = ["" if text is None else text for text in batch.column("text").to_pylist()]
            values, valid = scheme.transform(texts, 1)
            made = Fingerprints(values, valid, scheme.width, scheme.spec, scheme.digest).to_arrow()["fingerprint"]
            columns = [batch.column("position"), batch.column("id"), made.combine_chunks().cast(pa.string())]
            yield pa.record_batch(columns, names=["position", "id", "fingerprint"])

    return step


def fitted(settings: Mapping[str, Any]) -> Step:
    """Fit a model on the texts of a task, and give it as bytes."""

    def step(batches: Batches) -> Batches:
        texts: list[str] = []
        for batch in batches:
            texts += [text for text in batch.column("text").to_pylist() if text is not None]
        if texts:
            config = DedupConfig.from_settings({**settings, "threads": 1})
            yield pa.record_batch(
                [pa.array([pickle.dumps(run_fit(texts, config).model)], pa.binary())], names=["model"]
            )

    return step
