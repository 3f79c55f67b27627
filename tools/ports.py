"""Ports of this machine that servers of tests listen on."""

import socket
from contextlib import ExitStack

HOST = "127.0.0.1"


def free_ports(count: int) -> list[int]:
    """Give ports that nobody listens on, all different."""
    with ExitStack() as held:
        sockets = [held.enter_context(socket.socket()) for _ in range(count)]
        for free in sockets:
            free.bind((HOST, 0))
        return [int(free.getsockname()[1]) for free in sockets]


def free_port() -> int:
    """Give a port that nobody listens on."""
    return free_ports(1)[0]
