"""The door of the service: who may come in, how much, and how every request ends."""

import asyncio
import itertools
import secrets
import time
from base64 import b64decode
from collections.abc import Callable, Sequence
from typing import NamedTuple

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import RedirectResponse
from starlette.routing import BaseRoute, Match, Mount, Route, Router
from starlette.types import ASGIApp, Receive, Scope, Send
from starlette.types import Message as Event

from simsieve.errors import ServiceError
from simsieve.messages import Message
from simsieve.serve.failures import answer_of, error_of, status_of
from simsieve.serve.metrics import log
from simsieve.serve.options import ROLES, Keys, Options
from simsieve.serve.served import Indexes
from simsieve.serve.wire import JSON, Call, encode, sent

_RETRY = "1"
"""Seconds after which a caller comes again where the service is busy."""
_SINGLE = (b"host", b"origin", b"authorization", b"content-type", b"content-encoding")
"""Headers that decide; sent twice, they are ambiguous."""


class Mounted(NamedTuple):
    """An application under an address of the service, which lets people in by itself.

    Where there are keys, it finds in the scope as `guest` the name and the place of the role of who asks, or None.
    """

    path: str
    app: ASGIApp


class Door:
    """The application: checks each request, hands it on, and answers what fails in one shape."""

    def __init__(
        self, options: Options, indexes: Indexes, routes: Sequence[BaseRoute], mounted: Sequence[Mounted] = ()
    ) -> None:
        self.options, self.indexes = options, indexes
        self.keys = None if options.key_file is None else Keys(options.key_file)
        self.is_stopping = False
        self._hosts = options.hosts
        self._known_hosts: set[bytes] = set()
        self._bytes = self._working = 0
        self._ids = (f"{number:x}" for number in itertools.count(secrets.randbits(48)))
        mounts = [Mount(one.path, app=self._guarded(one)) for one in mounted]
        slashes = [Route(one.path, _with_slash(one.path)) for one in mounted if one.path]
        self._router = Router([*routes, *slashes, *mounts], redirect_slashes=False, default=_nowhere)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request, or the begin and end of the service."""
        if scope["type"] == "lifespan":
            await self._lives(receive, send)
            return
        if scope["type"] != "http":
            await send({"type": "websocket.close"})
            return
        start = time.perf_counter()
        headers = dict(scope["headers"])
        call = Call(self, _request_id(headers) or next(self._ids), headers)
        # The routers of starlette raise where a method is wrong only if they know of an application.
        scope["app"], scope["call"] = self, call
        try:
            self._check_origin(call, scope)
            await self._router(scope, receive, send)
        except Exception as error:  # noqa: BLE001 - every error has an answer
            await self._fail(call, error, scope, send)
        finally:
            self._bytes -= call.body_bytes
            self._working -= call.work
            if call.work:
                self.indexes.metrics.under_way.set(self._working)
            self._note(call, scope, time.perf_counter() - start)

    def _check_origin(self, call: Call, scope: Scope) -> None:
        """Refuse pages of other sites, and names that are not this service's: a browser may be sent here by anyone."""
        sent_names = [name for name, _ in scope["headers"]]
        if twice := [one.decode().title() for one in _SINGLE if sent_names.count(one) > 1]:
            raise ServiceError(
                Message("the header {name} is sent more than once: send one", name=twice[0]),
                code="bad_request", field=twice[0],
            )  # fmt: skip
        host = call.headers.get(b"host", b"")
        if self._hosts is not None and host not in self._known_hosts:
            name = host.decode("latin-1")
            if _without_port(name) not in self._hosts:
                raise ServiceError(
                    Message("host {host} is no name of this service: ask by its address, or start it with --allow-host",
                         host=name), code="forbidden", field="Host",
                )  # fmt: skip
            # Few names, each with few ports; the set does not grow by what strangers send.
            if len(self._known_hosts) < 100:
                self._known_hosts.add(host)
        origin = call.headers.get(b"origin")
        is_other = origin is not None and origin != scope["scheme"].encode() + b"://" + host
        site = call.headers.get(b"sec-fetch-site", b"none")
        is_link = scope["method"] == "GET" and call.headers.get(b"sec-fetch-mode") == b"navigate"
        if is_other or (site not in {b"none", b"same-origin"} and not is_link):
            raise ServiceError(
                Message("a page of another site asks: only pages of this service may"), code="forbidden", field="Origin"
            )

    def allow(self, call: Call, role: str, *, is_page: bool) -> None:
        """Refuse a caller whose key does not allow what a role does."""
        if self.keys is None:
            return
        _, found = known(call, self.keys)
        if found is None:
            wanted = 'Basic realm="simsieve", charset="UTF-8"' if is_page else "Bearer"
            call.extra.append(("www-authenticate", wanted))
            is_sent = b"authorization" in call.headers
            raise ServiceError(
                Message("the key that was sent is none of this service") if is_sent
                else Message("a key is needed, and none was sent"), code="unauthorized",
            )  # fmt: skip
        if found < ROLES.index(role):
            raise ServiceError(
                Message("the key is of role {role}, and this takes {wanted}", role=ROLES[found], wanted=role),
                code="forbidden",
            )

    def take_bytes(self, count: int) -> None:
        """Hold more bytes of the bodies of all requests."""
        self._bytes += count
        if self._bytes > 4 * self.options.max_body:
            raise ServiceError(Message("the bodies of other requests take all the room"), code="busy")

    def begin_work(self, call: Call) -> None:
        """Take a place among the requests that are worked on."""
        if self._working >= self.options.max_requests or self.is_stopping:
            raise ServiceError(Message("{count:,} requests are under way", count=self._working), code="busy")
        call.work = 1
        self._working += 1
        self.indexes.metrics.under_way.set(self._working)

    def _methods(self, scope: Scope) -> list[str]:
        """The methods that the address of a request takes."""
        found = [route for route in self._router.routes if isinstance(route, Route)]
        return sorted({one for route in found if route.matches(scope)[0] is not Match.NONE
                       for one in route.methods or ()})  # fmt: skip

    async def _fail(self, call: Call, error: Exception, scope: Scope, send: Send) -> None:
        """Answer what has failed."""
        if isinstance(error, HTTPException):
            is_method = error.status_code == 405
            if is_method:
                call.extra.append(("allow", ", ".join(self._methods(scope))))
            error = ServiceError(
                Message("the method is not for this address")
                if is_method
                else Message("there is nothing at this address"),
                code="method" if is_method else "not_found",
            )
        elif isinstance(error, TimeoutError):
            seconds = self.options.timeout
            error = (
                ServiceError(Message("no answer within {seconds:g} seconds", seconds=seconds), code="timeout")
                if call.is_read
                else ServiceError(Message("the body did not come within {seconds:g} seconds", seconds=seconds),
                                  code="body_timeout")
            )  # fmt: skip
        told = error_of(error, call.id)
        call.status = status_of(told)
        if call.status == 500:
            log("fault", level="error", request=call.id, kind=type(error).__name__, at=_place(error))
        if call.started:
            # Half an answer is out: the connection ends, so that nobody takes it for a whole one.
            raise error
        if call.status == 503:
            call.extra.append(("retry-after", _RETRY))
        if not call.is_read:
            # The rest of the body is not read.
            call.extra.append(("connection", "close"))
        body = answer_of(told, call.header(b"accept-language"), self.indexes.folders)
        await sent(send, call, call.status, encode(body), JSON)

    def _note(self, call: Call, scope: Scope, seconds: float) -> None:
        self.indexes.metrics.request(call.endpoint, call.status, seconds)
        client = scope.get("client")
        log(
            "request", id=call.id, endpoint=call.endpoint, index=call.index, status=call.status,
            documents=call.documents, ms=round(seconds * 1e3, 3), client=client[0] if client else "",
        )  # fmt: skip

    async def _lives(self, receive: Receive, send: Send) -> None:
        """Start the threads of the indexes, and end them when the service ends."""
        await receive()
        self.indexes.start()
        await send({"type": "lifespan.startup.complete"})
        await receive()
        await asyncio.get_running_loop().run_in_executor(None, self.indexes.stop)
        await send({"type": "lifespan.shutdown.complete"})

    def _guarded(self, mounted: Mounted) -> ASGIApp:
        """An application that is told who asks."""

        async def app(scope: Scope, receive: Receive, send: Send) -> None:
            call: Call = scope["call"]
            call.endpoint, call.is_read = mounted.path, True
            if self.keys is not None:
                name, role = known(call, self.keys)
                scope["guest"] = None if role is None else (name, role)

            async def passed(message: Event) -> None:
                if message["type"] == "http.response.start":
                    call.status, call.started = message["status"], True
                await send(message)

            await mounted.app(scope, receive, passed)

        return app


def known(call: Call, keys: Keys) -> tuple[str, int | None]:
    """The name that a caller gives, if any, and the place of the role of its key; None where that is not known."""
    kind, _, given = call.header(b"authorization").partition(" ")
    name = ""
    if kind.lower() == "basic":
        # A browser asks its user for a name and a password, which is the key.
        try:
            name, _, given = b64decode(given, validate=True).decode().partition(":")
        except ValueError:
            given = ""
    return name, keys.role(given) if given and kind.lower() in {"bearer", "basic"} else None


def _with_slash(path: str) -> Callable[[Request], RedirectResponse]:
    """What leads from the address of an application to the one below which all of it is."""
    return lambda request: RedirectResponse(f"{path}/?{request.url.query}".rstrip("?"))


async def _nowhere(*_: object) -> None:
    raise HTTPException(404)


def _without_port(host: str) -> str:
    name, colon, port = host.rpartition(":")
    return name.lower() if colon and port.isdigit() and not name.endswith(":") else host.lower()


def _request_id(headers: dict[bytes, bytes]) -> str:
    """The id that a caller or a proxy has given the request, where it can stand in a log."""
    given = headers.get(b"x-request-id")
    if given is None or len(given) > 64 or not given.replace(b"-", b"").isalnum():
        return ""
    return given.decode("ascii")


def _place(error: BaseException) -> str:
    """The innermost place in this package where an error came up, by module and line."""
    place, trace = "", error.__traceback__
    while trace is not None:
        module = str(trace.tb_frame.f_globals.get("__name__", ""))
        if module.startswith("simsieve"):
            place = f"{module}:{trace.tb_lineno}"
        trace = trace.tb_next
    return place
