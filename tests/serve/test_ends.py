"""Services that are killed, ended and doubled: what was acknowledged is there."""

import signal
import threading
import time
from pathlib import Path

import pytest
from tests.serve.conftest import Service

from simsieve import Index, ServiceError, SimsieveError


class Sender(threading.Thread):
    """A caller that adds documents, single ones or batches, and notes what was acknowledged."""

    def __init__(self, service: Service, name: str, size: int) -> None:
        super().__init__()
        self.client, self.given, self.size = service.client(retries=0), name, size
        self.acknowledged: list[str] = []
        self.count = 0

    def run(self) -> None:
        """Add until the service is gone."""
        while True:
            ids = [f"{self.given}-{self.count + at}" for at in range(self.size)]
            self.count += self.size
            batch = None if self.size == 1 else f"{self.given}-{self.count}"
            try:
                self.client.add_texts([f"{one} is a text of {one} for {one * 2}" for one in ids], ids, name=batch)
            except SimsieveError:
                return
            self.acknowledged += ids


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM])
def test_what_was_acknowledged_survives(folder: Path, number: int) -> None:
    """After a kill under load, and after an orderly end, every acknowledged document is there, and no half batch is."""
    service = Service(folder, "--quiet")
    senders = [Sender(service, f"s{at}", 1 if at < 6 else 20) for at in range(8)]
    for sender in senders:
        sender.start()
    while sum(len(sender.acknowledged) for sender in senders) < 100 or not all(one.acknowledged for one in senders):
        time.sleep(0.01)
    code = service.stop(number)
    for sender in senders:
        sender.join(30)

    assert code == (0 if number == signal.SIGTERM else -signal.SIGKILL)
    with Index.open(folder / "seen", write=True) as index:
        index.verify()
        lost = [one for sender in senders for one in sender.acknowledged if one not in index]
        halves = [
            sender.given
            for sender in senders
            for first in range(0, sender.count, sender.size)
            if len({f"{sender.given}-{first + at}" in index for at in range(sender.size)}) > 1
        ]
    assert (lost, halves) == ([], [])


def test_a_retry_after_a_kill_adds_nothing_twice(folder: Path) -> None:
    """A batch that was added and is sent again to the next service is answered as repeated."""
    first = Service(folder)
    first.client().add_texts(["one new text for the batch of this test"], ["a"], name="b")
    first.stop(signal.SIGKILL)
    second = Service(folder)
    again = second.client().add_texts(["one new text for the batch of this test"], ["a"], name="b")

    assert (again.known, again.decisions[0].decision) == (1, "kept")
    assert second.stop() == 0


def test_no_process_outlives_the_service(service: Service) -> None:
    """After kill -9 the process that compares texts ends too."""
    assert service.ask("/v1/compare", {"a": "one text", "b": "another text"}).status == 200
    others = (
        Path(f"/proc/{service.process.pid}/task/{service.process.pid}/children").read_text(encoding="ascii").split()
    )
    service.stop(signal.SIGKILL)
    end = time.monotonic() + 20
    while (left := [number for number in others if Path("/proc", number).exists()]) and time.monotonic() < end:
        time.sleep(0.05)
    assert others and not left


def test_a_second_service_is_refused(service: Service) -> None:
    """Two services on one index: the second does not start, and the first goes on."""
    with pytest.raises(AssertionError, match="is written by process"):
        Service(service.folder)
    assert service.client().check_texts(["a text"])[0].decision == "kept"


def test_a_client_comes_again(folder: Path) -> None:
    """A client waits for a service that is away, and gives up with a code."""
    service = Service(folder)
    port, client = service.port, service.client(retries=8, index="seen")
    assert client.check_texts(["a text"])[0].decision == "kept"
    service.stop(signal.SIGKILL)
    with pytest.raises(ServiceError) as caught:
        service.client(retries=1, index="seen").stats()
    assert caught.value.code == "unreachable"
    other = Service(folder, "--port", str(port))

    assert client.check_texts(["a text"])[0].decision == "kept"
    assert other.stop() == 0
    client.close()


@pytest.mark.slow
def test_memory_is_flat(folder: Path) -> None:
    """After 50,000 requests the memory of the service does not grow with further ones."""
    service = Service(folder, "--quiet")
    clients = [service.client() for _ in range(4)]

    def ask(number: int) -> None:
        for at in range(number):
            clients[at % 4].check_texts([f"text number {at} of many others {at * 31}"])

    sizes = []
    for _ in range(3):
        threads = [threading.Thread(target=ask, args=(6_000,)) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        sizes.append(service.resident())
    assert service.stop() == 0
    assert sizes[2] - sizes[1] < 5_000_000
