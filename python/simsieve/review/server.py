"""Serves the review page by itself, on one address of this machine."""

import asyncio
import socket
from collections.abc import Callable
from contextlib import suppress

import uvicorn

from simsieve.errors import ConfigError
from simsieve.hosts import bracketed
from simsieve.review.app import review_app
from simsieve.review.doors import APPLIES, Doors
from simsieve.review.reviewing import Reviewing


def serve_review(reviewing: Reviewing, bound: socket.socket, host: str, tell: Callable[[str], None]) -> None:
    """Serve until the program is stopped; `tell` gets the address that lets the first browser in."""
    doors = Doors((host,))
    # Every address of the machine is none that a browser can open.
    name = socket.gethostname() if host in ("0.0.0.0", "::") else host  # noqa: S104 - it is compared
    config = uvicorn.Config(
        review_app(reviewing, doors), log_level="warning", access_log=False, lifespan="off", ws="none",
        server_header=False, timeout_graceful_shutdown=5,
    )  # fmt: skip

    async def served() -> None:
        # Who sees the address may stop the program at once, and from here on that is an orderly end.
        tell(f"http://{bracketed(name)}:{bound.getsockname()[1]}/?token={doors.invite('', APPLIES)}")
        await uvicorn.Server(config).serve(sockets=[bound])

    # Ctrl-C is how a page ends; uvicorn passes it on when it has closed its connections.
    with suppress(KeyboardInterrupt):
        asyncio.run(served())


def listening(host: str, port: int) -> socket.socket:
    """Listen on an address, before any other work.

    Raises:
        ConfigError: It is not that of this machine, or is taken.
    """
    try:
        family, kind, protocol, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
        bound = socket.socket(family, kind, protocol)
        bound.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            bound.bind(address)
            bound.listen(128)
        except OSError:
            bound.close()
            raise
    except OSError as error:
        raise ConfigError(
            "{host}, port {port}: cannot be listened on ({error}); give another port or host",
            host=host, port=port, error=error.strerror or str(error),
        ) from error  # fmt: skip
    return bound
