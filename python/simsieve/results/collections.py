"""What a run writes to MongoDB, all of it or nothing: a target, decisions and marks, and a document that names them."""

import hashlib
import json
import logging
from collections.abc import Mapping, Sequence
from typing import Any, cast

import numpy as np

from simsieve import _core
from simsieve.config.settings import SETTINGS, DedupConfig
from simsieve.errors import ConfigError
from simsieve.mongo import address_of, is_mongo
from simsieve.report.table import with_rate
from simsieve.sinks.base import Rows, SinkPath
from simsieve.sinks.checks import Sinks
from simsieve.sinks.mongo import Collected, CollectionDocuments, DecisionsSink, How, MarkSink, RunOutcome, TargetSink
from simsieve.sinks.mongo_runs import COMPLETE, FAILED, RunDocuments
from simsieve.types import Progress

_log = logging.getLogger(__name__)
_BATCH_ROWS = 1 << 13
_NOT_OF_A_RUN = ("threads", "batch", "max_failed", "allow_empty", "sample", "apply", "max_pairs")
"""Settings that change neither decisions nor what is written of them."""


def check_collections(sinks: Sinks, config: DedupConfig, *, from_collection: bool) -> None:
    """Check settings and sinks that are for MongoDB, by their names alone.

    Args:
        sinks: Where results go.
        config: The settings.
        from_collection: Whether the source is a collection.

    Raises:
        ConfigError: One is of no use, or not possible.

    Example:
        >>> check_collections(Sinks("kept.jsonl"), DedupConfig(), from_collection=False)
    """
    to_target = sinks.kept is not None and is_mongo(sinks.kept)
    for name in ("fields", "append", "replace"):
        if getattr(config, name) and not to_target:
            raise ConfigError(f"the setting `{name}` is for kept documents in MongoDB: give a URI as their sink")
    if config.mark is not None and not from_collection:
        raise ConfigError("the setting `mark` is for documents of MongoDB: give the URI of a collection as source")
    if to_target and not from_collection:
        raise ConfigError("only documents of a collection are kept in MongoDB: give a file for the kept records")
    if to_target and sinks.annotate:
        raise ConfigError("annotated records go to a file: give one, or write decisions to MongoDB, or marks")
    for sink in (sinks.kept, sinks.decisions):
        if sink is not None and is_mongo(sink):
            address_of(sink)


class CollectionRun:
    """What one run writes to MongoDB.

    Args:
        store: The sources.
        documents: The documents.
        columns: What was decided.
        config: The settings.
        schemes: The schemes in force.
        source: The collection that was read; None where the source is another.
        sinks: Where results go.
    """

    def __init__(
        self,
        store: _core.Store,
        documents: _core.Documents,
        columns: _core.Decisions,
        config: DedupConfig,
        schemes: Sequence[_core.Scheme],
        source: CollectionDocuments | None,
        sinks: Sinks,
    ) -> None:
        named = {
            "kept": _shown(sinks.kept), "decisions": _shown(sinks.decisions), "mark": config.mark
        }  # fmt: skip
        settings = _settings(config)
        self._about: dict[str, Any] = {
            "source": None if source is None else source.address.shown,
            "source_digest": store.digest,
            "schemes": [
                {"scheme": scheme.spec, "digest": scheme.digest, "recipe": recipe["digest"]}
                for scheme, recipe in zip(schemes, documents.recipes, strict=True)
            ],
            "settings": settings,
        }
        identity = json.dumps([self._about, named], sort_keys=True, default=str)
        self.run = hashlib.blake2b(identity.encode(), digest_size=8).hexdigest()
        """The run's id: the same documents, settings and sinks have the same."""
        self._about["counts"] = dict(columns.counts)
        self._columns = columns
        main = config.extract == "main"

        def text_of(position: int) -> str:
            text = documents.text(position)
            return text if config.extract == "none" else _core.page_text(text, None, main)

        outcome = RunOutcome(self.run, columns, documents, schemes[0].digest, schemes[0].width, source, text_of)
        self._sinks: list[Collected] = []
        if sinks.decisions is not None and is_mongo(sinks.decisions):
            self._sinks.append(DecisionsSink(address_of(sinks.decisions), outcome))
        if sinks.kept is not None and is_mongo(sinks.kept):
            how: How = "append" if config.append else "replace" if config.replace else "new"
            self._sinks.append(TargetSink(address_of(sinks.kept), how, config.fields, outcome))
        if config.mark is not None:
            # The last one: it changes documents where they are.
            self._sinks.append(MarkSink(config.mark, outcome, apply=config.apply))

    def check(self) -> None:
        """Check that all of it may be written.

        Raises:
            ConfigError: It may not.
            SinkError: A server does not answer, or refuses.
        """
        for sink in self._sinks:
            sink.check()

    def write(self, progress: Progress | None = None) -> dict[str, Any]:
        """Write all of it, or nothing: after an error, Ctrl-C too, what was written is taken back.

        Args:
            progress: Called now and then with (stage, done, total).

        Returns:
            The run's id and what was written, for the summary; empty where nothing goes to MongoDB.

        Raises:
            SinkError: A server does not answer, or refuses.
        """
        if not self._sinks:
            return {}
        written = [sink for sink in self._sinks if not isinstance(sink, MarkSink) or sink.apply]
        documents = RunDocuments(self.run, self._about, written)
        was_complete = documents.begin()
        try:
            for sink in self._sinks:
                sink.begin()
                self._put(sink, progress)
            for sink in self._sinks:
                sink.commit()
        except BaseException as error:
            # Of a run that was complete before, all that can be there is what it had written.
            if not was_complete:
                for sink in self._sinks:
                    sink.abort()
            documents.finish(COMPLETE if was_complete else FAILED, error)
            raise
        documents.finish(COMPLETE)
        counts = {name: count for sink in self._sinks for name, count in sink.counts.items() if name != "changed"}
        changed = max((sink.counts.get("changed", 0) for sink in self._sinks), default=0)
        _log.info("run %s wrote to MongoDB: %s", self.run, counts)
        applied = {} if self._mark is None else {"mark": self._mark.field, "applied": self._mark.apply}
        return {"run": self.run, **counts, "changed": changed, **applied}

    @property
    def _mark(self) -> MarkSink | None:
        return next((sink for sink in self._sinks if isinstance(sink, MarkSink)), None)

    def _put(self, sink: Collected, progress: Progress | None) -> None:
        total = len(self._columns)
        stage = "mark" if isinstance(sink, MarkSink) else "write"
        for first in range(0, total, _BATCH_ROWS):
            if progress is not None:
                progress(stage, first, total)
            sink.write(Rows(first, np.ones(min(_BATCH_ROWS, total - first), dtype=bool)))
        if progress is not None:
            progress(stage, total, total)


def _shown(sink: SinkPath | None) -> str | None:
    return address_of(sink).shown if sink is not None and is_mongo(sink) else None


def _settings(config: DedupConfig) -> dict[str, Any]:
    """The settings of a run that are not the usual ones, as JSON has them."""
    changed = {}
    for name, setting in SETTINGS.items():
        value = getattr(config, name)
        if name not in _NOT_OF_A_RUN and value != setting.default:
            changed[name] = json.loads(json.dumps(value, default=str))
    return changed


def collection_numbers(result: Mapping[str, Any], total: int) -> dict[str, Any]:
    """Give the report of a collection: how many documents there are, were processed, repeated and kept, and the rates.

    Args:
        result: The summary of the run.
        total: Documents of the collection.

    Example:
        >>> collection_numbers({"read": 4, "dropped": 1, "kept": 3}, 8)["repeated_rate"]
        0.25
    """
    read, repeated, kept = result["read"], result["dropped"], result["kept"]
    return {
        "total": total,
        "processed": read,
        "repeated": repeated,
        "kept": kept,
        "valid_rate": kept / read if read else None,
        "repeated_rate": repeated / read if read else None,
    }


def shown_run(run: Mapping[str, Any]) -> list[tuple[str, str]]:
    """Put the document of a run into rows for people.

    Example:
        >>> shown_run({"_id": "1f", "state": "complete", "counts": {"read": 2, "kept": 1}})[:2]
        [('run', '1f'), ('state', 'complete')]
    """
    counts = cast(Mapping[str, int], run.get("counts", {}))
    rows = [("run", str(run["_id"])), ("state", str(run["state"]))]
    if run.get("error"):
        rows.append(("error", str(run["error"])))
    rows.append(("source", str(run.get("source") or "no collection")))
    rows += [(name, f"{run[name]:%Y-%m-%d %H:%M:%S}") for name in ("started", "finished") if name in run]
    rows.append(("read", f"{counts.get('read', 0):,}"))
    for name in ("kept", "dropped", "failed"):
        rows.append((name, with_rate(counts.get(name, 0), counts.get("read", 0))))
    for one in run.get("writes", ()):
        told = {"mark": f"field {one.get('field')}", "target": one.get("how"), "decisions": ""}[one["kind"]]
        done = ", ".join(f"{count:,} {name}" for name, count in one["counts"].items() if count)
        rows.append((one["kind"], " ".join(filter(None, (one["collection"], told, f"({done or 'nothing'})"))).strip()))
    return rows
