"""The server: sockets, time limits of connections, and an orderly end."""

import asyncio
import gc
import signal
import socket
import ssl
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from types import FrameType
from typing import Any, cast

import httptools
import uvicorn
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from simsieve.errors import ConfigError, ServiceError
from simsieve.files import regular
from simsieve.machine import bracketed
from simsieve.messages import Message
from simsieve.serve.app import Door, Mounted
from simsieve.serve.describe import own_routes
from simsieve.serve.endpoints import routes
from simsieve.serve.failures import answer_of
from simsieve.serve.metrics import be_quiet, log
from simsieve.serve.options import Options
from simsieve.serve.served import Indexes
from simsieve.serve.wire import JSON, encode

_LONGEST_HEAD = 1 << 16
_IDLE = 75
"""Seconds that a connection without a request stays open."""


class Connection(HttpToolsProtocol):
    """A connection whose requests begin within a time, and whose heads are of bounded length."""

    def connection_made(self, transport: Any) -> None:
        """Wait for the first request no longer than for the next one."""
        super().connection_made(transport)
        self._head = self._parsed = 0
        self._begins = self.loop.call_later(self.config.timeout_keep_alive, self.timeout_keep_alive_handler)

    def connection_lost(self, exc: Exception | None) -> None:
        """Forget the limit."""
        self._begins.cancel()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """Count the bytes of a head."""
        self._head += len(data)
        super().data_received(data)
        if self._head > _LONGEST_HEAD and not self.transport.is_closing():
            self.send_400_response("")

    def send_400_response(self, msg: str) -> None:
        """Answer bytes that are no request in the shape of every error."""
        is_long = max(self._head, self._parsed) > _LONGEST_HEAD
        why = Message("the head of the request has more than {most:,} bytes: name a long id in a body",
                      most=_LONGEST_HEAD) if is_long else Message("the request is no HTTP")  # fmt: skip
        body = encode(answer_of(ServiceError(why, code="bad_request"), "", {}))
        head = f"HTTP/1.1 400 Bad Request\r\ncontent-type: {JSON}\r\ncontent-length: {len(body)}\r\n"
        self.transport.write(f"{head}connection: close\r\n\r\n".encode() + body)
        self.transport.close()

    def on_url(self, url: bytes) -> None:
        """Count the address, which may come with the whole head at once."""
        self._count(url)
        super().on_url(url)

    def on_header(self, name: bytes, value: bytes) -> None:
        """Count a header."""
        self._count(name, value)
        super().on_header(name, value)

    def _count(self, *parts: bytes) -> None:
        self._parsed += sum(map(len, parts))
        if self._parsed > _LONGEST_HEAD:
            raise httptools.HttpParserError

    def on_message_begin(self) -> None:
        """Begin a head, which has to end within the time too."""
        self._head = self._parsed = 0
        self._begins.cancel()
        self._begins = self.loop.call_later(self.config.timeout_keep_alive, self.timeout_keep_alive_handler)
        super().on_message_begin()

    def on_headers_complete(self) -> None:
        """End a head: the limits of the request count from here on."""
        self._begins.cancel()
        super().on_headers_complete()

    def on_body(self, body: bytes) -> None:
        """Count nothing of a body."""
        self._head = 0
        super().on_body(body)


class Server(uvicorn.Server):
    """A server that a signal ends in order, with exit code 0; `begun` is called when signals are handled."""

    def __init__(self, config: uvicorn.Config, begun: Callable[[], None]) -> None:
        super().__init__(config)
        self._begun = begun

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        """Take no new work from here on."""
        cast(Door, self.config.app).is_stopping = True
        super().handle_exit(sig, frame)

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Have the loop handle signals; uvicorn would raise them again at the end."""
        loop = asyncio.get_running_loop()
        for number in (signal.SIGTERM, signal.SIGINT):
            try:
                loop.add_signal_handler(number, self.handle_exit, number, None)
            except NotImplementedError:
                # Windows: a handler of the process.
                signal.signal(number, self.handle_exit)
        self._begun()
        yield


def run(
    options: Options, indexes: Indexes, mounted: Sequence[Mounted] = (), tell: Callable[[str], None] | None = None,
    bound: socket.socket | None = None,
) -> None:  # fmt: skip
    """Serve until a signal ends it; `tell` gets the address of the service when it listens."""
    be_quiet(quiet=options.quiet)
    door = Door(options, indexes, [] if options.has_doors else [*routes(), *own_routes(options)], mounted)
    config = uvicorn.Config(
        door, host=options.host, port=options.port, http=Connection, ws="none", lifespan="on", access_log=False,
        log_config=None, log_level="critical", server_header=False, timeout_keep_alive=_IDLE, backlog=4096,
        proxy_headers=options.proxy is not None, forwarded_allow_ips=options.proxy or "",
        timeout_graceful_shutdown=round(options.timeout) + 1,
    )  # fmt: skip
    with suppress(ImportError, ValueError, OSError):
        import resource  # noqa: PLC0415 - Windows has no such module

        # A connection is an open file; the usual limit is 1,024.
        resource.setrlimit(resource.RLIMIT_NOFILE, (resource.getrlimit(resource.RLIMIT_NOFILE)[1],) * 2)
    config.load()
    config.ssl = None if options.certificate is None else _tls(options.certificate, options.certificate_key)
    bound = bound or listening(options)
    gc.freeze()
    url = f"{'http' if config.ssl is None else 'https'}://{bracketed(options.host)}:{bound.getsockname()[1]}"

    def begun() -> None:
        if not options.has_doors:
            log("listening", level="notice", url=url, indexes=[*indexes.opened], read_only=indexes.read_only)
        if tell is not None:
            tell(url)

    Server(config, begun).run(sockets=[bound])
    log("ended")


def _tls(certificate: str, key: str | None) -> ssl.SSLContext:
    """What connections are encrypted by."""
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    try:
        for path in {certificate, key or certificate}:
            with regular(path):
                pass
        # A key with a password would be asked for on the terminal.
        context.load_cert_chain(certificate, key, password=bytes)
    except OSError as error:
        raise ConfigError(
            "{path}: is no certificate with its key ({why}): give both in PEM files, and the key without a password",
            path=certificate, why=error.strerror or str(error),
        ) from error  # fmt: skip
    return context


def listening(options: Options) -> socket.socket:
    """Listen on the address; an error if it is none of this machine, or is taken."""
    try:
        family, kind, protocol, _, address = socket.getaddrinfo(options.host, options.port, type=socket.SOCK_STREAM)[0]
        made = socket.socket(family, kind, protocol)
        try:
            made.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            made.bind(address)
            made.listen(4096)
        except OSError:
            made.close()
            raise
    except OSError as error:
        raise ConfigError(
            "{host}:{port} cannot be listened on: {why}; take another port, or end what listens there",
            host=options.host, port=options.port, why=error.strerror or str(error),
        ) from error  # fmt: skip
    return made
