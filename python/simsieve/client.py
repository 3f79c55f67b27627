"""A client of a service on an index: asks over HTTP what `Index` is asked in a process."""

import datetime as dt
import http.client
import json
import random
import time
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import fields
from typing import Any, Self
from urllib.parse import quote, urlsplit

from simsieve.errors import ConfigError, ServiceError
from simsieve.index.answers import BatchCounts, IndexBatch, IndexDocument, IndexMatch
from simsieve.messages import Message
from simsieve.types import Decision

_FIRST_PAUSE, _LONGEST_PAUSE = 0.1, 5.0
"""Seconds before a request is sent again; the pause doubles each time."""
_DECISION = {row.name for row in fields(Decision)}


class Client:
    """An index of a service, which `simsieve serve` runs; answers are those of `Index`.

    A request that the service is too busy for is sent again after a while. So is one that got no answer, where that
    changes nothing: a question, and an addition whose documents all have ids, or whose batch has a name. One client
    serves several threads.

    Args:
        url: The address of the service, such as `http://127.0.0.1:8080`.
        key: A key, where the service has keys.
        index: The name of the index; where the service has one index only, it is that one.
        timeout: Seconds to wait for an answer.
        retries: How often a request is sent again.

    Raises:
        ServiceError: The service refuses a request, or cannot be reached; its `code` says why.

    Example:
        >>> client = Client("http://127.0.0.1:9/", index="seen", retries=0)
        >>> try:
        ...     client.check_texts(["a text"])
        ... except ServiceError as error:
        ...     print(error.code)
        unreachable
    """

    def __init__(
        self, url: str, key: str | None = None, *, index: str | None = None, timeout: float = 60.0, retries: int = 6
    ) -> None:
        parts = urlsplit(url)
        if parts.scheme not in {"http", "https"} or not parts.hostname:
            raise ConfigError("url {url!r} is no address of a service: give one such as http://127.0.0.1:8080", url=url)
        self._url, self._host, self._port = f"{parts.scheme}://{parts.netloc}", parts.hostname, parts.port
        self._kind = http.client.HTTPSConnection if parts.scheme == "https" else http.client.HTTPConnection
        self._prefix, self._timeout, self._retries = parts.path.rstrip("/"), timeout, retries
        self._headers = {"Content-Type": "application/json"} | (
            {} if key is None else {"Authorization": f"Bearer {key}"}
        )
        # Lists are safe to share among threads; a connection is in it while nobody uses it.
        self._resting: list[http.client.HTTPConnection] = []
        self._index = index

    @property
    def index(self) -> str:
        """The name of the index."""
        if self._index is None:
            names = [one["name"] for one in self._ask("GET", "/v1/indexes")["indexes"]]
            if len(names) != 1:
                raise ConfigError("the service has the indexes {names}: name one by index=", names=", ".join(names))
            self._index = names[0]
        return self._index

    def check_texts(self, texts: Sequence[str], ids: Sequence[Any] = ()) -> list[Decision]:
        """Decide on texts as `add_texts` would at this moment; see `Index.check_texts`."""
        answer = self._of_index("POST", "/check", {"documents": _documents(texts, ids)})
        return [_decision(one) for one in answer["decisions"]]

    def add_texts(
        self,
        texts: Sequence[str],
        ids: Sequence[Any] | None = None,
        *,
        name: str | None = None,
        on_known_id: str = "replace",
    ) -> IndexBatch:
        """Add texts, and return when they are on the disk of the service; see `Index.add_texts`."""
        body: dict[str, Any] = {"documents": _documents(texts, ids or ()), "on_known_id": on_known_id}
        if name is not None:
            body["batch"] = name
        has_ids = bool(ids) and all(one is not None for one in ids or ())
        answer = self._of_index("POST", "/add", body, is_repeatable=has_ids or name is not None)
        decisions = [_decision(one) for one in answer.pop("decisions")]
        del answer["repeated"]
        return IndexBatch(**answer, decisions=decisions)

    def query(self, text: str, n: int = 10, *, date: str | dt.date | None = None) -> list[IndexMatch]:
        """Find the kept documents that are near a text; see `Index.query`."""
        body = {"text": text, "n": n} | ({} if date is None else {"date": str(date)})
        return [IndexMatch(**one) for one in self._of_index("POST", "/query", body)["matches"]]

    def remove(self, ids: Iterable[Any]) -> IndexBatch:
        """Remove the documents with these ids; see `Index.remove`."""
        return IndexBatch("", **self._of_index("POST", "/remove", {"ids": list(ids)}, is_repeatable=False))

    def undo(self, batch: str) -> IndexBatch:
        """Take a batch back; see `Index.undo`."""
        return IndexBatch(batch, **self._of_index("POST", f"/undo/{quote(batch, safe='')}", is_repeatable=False))

    def get(self, id: Any) -> str | None:
        """Give the text of the kept document with an id; None where there is none."""
        text: str | None = (self._document(id) or {}).get("text")
        return text

    def find(self, id: Any) -> IndexDocument | None:
        """Give what the index knows of an id; see `Index.find`."""
        answer = self._document(id)
        return None if answer is None else IndexDocument(**answer)

    def batches(self) -> list[BatchCounts]:
        """Give the newest 1,000 batches and what the index has of each; see `Index.batches`."""
        return [BatchCounts(**one) for one in self._of_index("GET", "/batches")["batches"]]

    def __contains__(self, id: object) -> bool:
        """Whether a document with this id is in the index, kept or dropped."""
        return self._document(id) is not None

    def __len__(self) -> int:
        """Count the kept documents."""
        return int(self.stats()["kept"])

    def stats(self) -> dict[str, Any]:
        """The counts and sizes of the index."""
        return self._of_index("GET", "/stats")

    def compare(self, a: str, b: str, scheme: str = "chars128") -> dict[str, Any]:
        """Compare two texts by every measure; see `explain`."""
        return self._ask("POST", "/v1/compare", {"a": a, "b": b, "scheme": scheme})

    def fingerprints(self, texts: Sequence[str], scheme: str = "chars128") -> list[str | None]:
        """The fingerprints of texts in hex; None where a text has no features."""
        found: list[str | None] = self._ask("POST", "/v1/fingerprint", {"texts": list(texts), "scheme": scheme})[
            "fingerprints"
        ]
        return found

    def passages(self, text: str, source: str | None = None, *, min_length: int = 60, n: int = 10) -> dict[str, Any]:
        """Find the passages that a text shares with another, or with the kept documents of the index.

        Args:
            text: The text.
            source: The other text; by default it is held against the index.
            min_length: The least length of a passage in units: one of Chinese, Japanese, Korean has 2, others 1.
            n: Sources at most.

        Returns:
            `share`, `own_share`, `common_share`, `found` and `sources`; see docs/reference/api.md.
        """
        against = {"index": self.index} if source is None else {"source": source}
        return self._ask("POST", "/v1/passages", {"text": text, **against, "min_length": min_length, "n": n})

    def close(self) -> None:
        """Close the connections that are at rest."""
        while self._resting:
            self._resting.pop().close()

    def __enter__(self) -> Self:
        """Give the client, whose connections are closed at the end of the block."""
        return self

    def __exit__(self, *_: object) -> None:
        """Close the connections."""
        self.close()

    def __repr__(self) -> str:
        """Show the address."""
        return f"<Client of {self._url}>"

    def _document(self, id: object) -> dict[str, Any] | None:
        # As JSON, an id that is a number is another one than the text of its digits.
        name = json.dumps(id, ensure_ascii=False)
        try:
            return self._of_index("GET", f"/documents/{quote(name, safe='')}?json=1")
        except ServiceError as error:
            if error.id != "index.no_such_document":
                raise
            return None

    def _of_index(self, method: str, path: str, body: Any = None, *, is_repeatable: bool = True) -> dict[str, Any]:
        return self._ask(method, f"/v1/indexes/{quote(self.index, safe='')}{path}", body, is_repeatable=is_repeatable)

    def _ask(self, method: str, path: str, body: Any = None, *, is_repeatable: bool = True) -> dict[str, Any]:
        """Send a request, again where that helps, and give the answer."""
        raw = None if body is None else json.dumps(body, ensure_ascii=False).encode()
        pause = _FIRST_PAUSE
        for left in range(self._retries, -1, -1):
            try:
                status, wait, answer = self._sent(method, path, raw)
            except (OSError, http.client.HTTPException) as error:
                # What was refused at the door was not begun.
                if left and (is_repeatable or isinstance(error, ConnectionRefusedError)):
                    pause = _slept(pause, None)
                    continue
                raise ServiceError(
                    Message("{url} does not answer: {why}", url=self._url, why=str(error) or type(error).__name__),
                    code="unreachable",
                ) from error
            if status == 503 and left:
                pause = _slept(pause, wait)
                continue
            if status == 200:
                return answer
            told = answer.get("error", {})
            text, hint = str(told.get("message", status)), str(told.get("hint", ""))
            text, values = f"{text}. {hint}" if hint else text, dict(told.get("values", {}))
            raise ServiceError(
                Message.of(text, "{message}", values, str(told.get("id", ""))),
                code=str(told.get("code", "service")), field=str(told.get("field", "")),
            )  # fmt: skip
        raise AssertionError  # The last turn ends by an answer or an error.

    def _sent(self, method: str, path: str, raw: bytes | None) -> tuple[int, str | None, dict[str, Any]]:
        connection = self._resting.pop() if self._resting else self._kind(self._host, self._port, timeout=self._timeout)
        try:
            connection.request(method, self._prefix + path, raw, self._headers)
            response = connection.getresponse()
            content = response.read()
        except BaseException:
            connection.close()
            raise
        self._resting.append(connection)
        read: Mapping[str, Any] = {}
        with suppress(ValueError):
            read = json.loads(content)
        return response.status, response.getheader("Retry-After"), dict(read)


def _slept(pause: float, wait: str | None) -> float:
    """Sleep as long as the service says, or about the pause; give the next pause."""
    asked = float(wait) if wait and wait.isdigit() else 0.0
    time.sleep(min(max(pause, asked), _LONGEST_PAUSE) * random.uniform(0.5, 1.0))  # noqa: S311 - no secret
    return pause * 2


def _documents(texts: Sequence[str], ids: Sequence[Any]) -> list[dict[str, Any]]:
    if isinstance(texts, str):
        raise TypeError("texts is one text: give a list of texts")
    if ids and len(ids) != len(texts):
        raise ConfigError("{ids} ids are given for {texts} texts: give one for each", ids=len(ids), texts=len(texts))
    if not ids:
        return [{"text": text} for text in texts]
    return [{"id": label, "text": text} for label, text in zip(ids, texts, strict=True)]


def _decision(values: Mapping[str, Any]) -> Decision:
    """A decision; what a later service says more is left out."""
    return Decision(**{name: value for name, value in values.items() if name in _DECISION})
