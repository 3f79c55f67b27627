"""Figures for Prometheus, and the log."""

import collections
import sys
import time
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from typing import Any

import msgspec
from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, ProcessCollector
from prometheus_client.core import GaugeMetricFamily, Metric
from prometheus_client.exposition import CONTENT_TYPE_LATEST, generate_latest
from prometheus_client.registry import Collector

TYPE = CONTENT_TYPE_LATEST
_SECONDS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30)
_STATS = {
    "kept": "Documents that are kept.", "dropped": "Documents that were dropped for them.", "segments": "Segments.",
    "bytes": "Bytes of the files.", "changes": "Changes since the index was made.",
    "refreeze_due": "1 where the index has outgrown its search keys.", "waiting": "Changes that wait for the writer.",
}  # fmt: skip


class _Indexes(Collector):
    """The counts of each index, read when they are asked for."""

    def __init__(self, stats: Callable[[], Mapping[str, Mapping[str, Any]]]) -> None:
        self._stats = stats

    def describe(self) -> Iterable[Metric]:
        """Name nothing: the counts are read when they are asked for."""
        return ()

    def collect(self) -> Iterable[Metric]:
        """Give the present counts."""
        stats = self._stats()
        for key, text in _STATS.items():
            gauge = GaugeMetricFamily(f"simsieve_index_{key}", text, labels=["index"])
            for name, values in stats.items():
                gauge.add_metric([name], values[key])
            yield gauge


class Metrics:
    """The figures of one service."""

    def __init__(self, stats: Callable[[], Mapping[str, Mapping[str, Any]]]) -> None:
        self.registry = CollectorRegistry()
        given: dict[str, Any] = {"registry": self.registry}
        self._requests = Counter(
            "simsieve_requests", "Requests by endpoint and status.", ["endpoint", "status"], **given
        )
        self._seconds = Histogram(
            "simsieve_request_seconds", "Seconds until the answer was sent.", ["endpoint"], buckets=_SECONDS, **given
        )
        self._decisions = Counter("simsieve_decisions", "Decisions by reason.", ["index", "reason"], **given)
        self._commits = Histogram(
            "simsieve_commit_seconds", "Seconds of a durable change.", ["index"], buckets=_SECONDS, **given
        )
        self._joined = Counter(
            "simsieve_commit_requests", "Requests that durable changes were for.", ["index"], **given
        )
        self.under_way = Gauge("simsieve_requests_under_way", "Requests that are worked on or wait.", **given)
        ProcessCollector(registry=self.registry)
        self.registry.register(_Indexes(stats))

    def request(self, endpoint: str, status: int, seconds: float) -> None:
        """Count a request."""
        self._requests.labels(endpoint, str(status)).inc()
        self._seconds.labels(endpoint).observe(seconds)

    def decisions(self, index: str, reasons: Iterable[str]) -> None:
        """Count decisions."""
        for reason, count in collections.Counter(reasons).items():
            self._decisions.labels(index, reason).inc(count)

    def commit(self, index: str, seconds: float, requests: int) -> None:
        """Count a durable change, and its requests."""
        self._commits.labels(index).observe(seconds)
        self._joined.labels(index).inc(requests)

    def page(self) -> bytes:
        """All figures as text."""
        return generate_latest(self.registry)


_encode = msgspec.json.Encoder().encode


class _Told:
    """What goes to the log."""

    quiet = False


def be_quiet(*, quiet: bool) -> None:
    """Log errors only, or everything."""
    _Told.quiet = quiet


def log(event: str, *, level: str = "info", **values: object) -> None:
    """Write one line; a log that takes nothing stops nobody."""
    if _Told.quiet and level == "info":
        return
    line = _encode({"time": round(time.time(), 3), "level": level, "event": event, **values})
    with suppress(OSError, ValueError):
        sys.stderr.buffer.write(line + b"\n")
        sys.stderr.buffer.flush()
