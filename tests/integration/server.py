"""Runs the command line in forks of one process that has imported it: a run then costs no start of Python.

Usage: server.py DESCRIPTOR [tables]. The descriptor is that of a Unix socket; `tables` imports what reads and writes
Parquet too, which makes each fork and its end slower. Each message is a JSON list of the folder and the words,
with the descriptors of stdin, stdout and stderr. The answer is the exit code, negative for a signal. A fork ends as any
Python program does: the interpreter flushes its buffers, and a failure then changes the exit code.
"""

import gc
import json
import os
import socket
import sys
from importlib import import_module

from simsieve.cli import cli, main

LONGEST = 1 << 20
LOADED = ("simsieve.report.html", "simsieve.run.pipeline")
"""The commands import these where they need them. Here they are imported once for all forks."""
TABLES = ("pandas", "pyarrow.compute", "pyarrow.parquet")


def serve(asked: socket.socket) -> int | None:
    """Fork for each message until there are no more; in a fork, give what the command returns."""
    while True:
        message, descriptors, _, _ = socket.recv_fds(asked, LONGEST, 3)
        if not message:
            return None
        child = os.fork()
        if not child:
            asked.close()
            for number, descriptor in enumerate(descriptors):
                os.dup2(descriptor, number)
                os.close(descriptor)
            folder, words = json.loads(message)
            os.chdir(folder)
            sys.argv[1:] = words
            return main()
        for descriptor in descriptors:
            os.close(descriptor)
        _, status = os.waitpid(child, 0)
        asked.send(str(os.waitstatus_to_exitcode(status)).encode())


if __name__ == "__main__":
    list(cli.commands.values())
    for module in LOADED + TABLES if sys.argv[2:] else LOADED:
        import_module(module)
    # A fork does not look for circles among the objects that it shares with this process, which would copy them.
    gc.freeze()
    sys.exit(serve(socket.socket(fileno=int(sys.argv[1]))))
