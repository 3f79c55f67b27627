"""What a service does with what it should never be sent: limits hold, others are served, and nothing is a fault."""

import json
import socket
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest
from tests.serve.conftest import HOST, Answer, Service, answered

import simsieve

CHECK = "/v1/indexes/seen/check"
RIGHT = {"documents": [{"text": "a text"}]}


def request(port: int, *headers: str, path: str = CHECK, body: bytes = b"", kind: str = "application/json") -> bytes:
    """A request in bytes with these headers."""
    head = [f"POST {path} HTTP/1.1", f"Host: {HOST}:{port}", f"Content-Type: {kind}", *headers]
    return "\r\n".join(head).encode() + b"\r\n\r\n" + body


@pytest.mark.parametrize(
    ("body", "status", "code"),
    [
        (b"", 400, "bad_request"),
        (b"[" * 90_000, 400, "bad_request"),
        (b'{"documents": [{"text": "a", "x": ' + b'{"a":' * 9_000, 400, "bad_request"),
        (b'{"documents": [{"text": "\\ud800"}]}', 400, "bad_request"),
        (b'{"documents": [{"text": "\xff"}]}', 400, "bad_request"),
        (b'{"documents": [{"text": "a", "id": 1e999}]}', 400, "bad_request"),
        (b'{"documents": [{"text": "a", "id": {"a": 1}}]}', 400, "bad_request"),
        (b'{"documents": [], "documnets": []}', 400, "bad_request"),
        (json.dumps({"documents": [{"text": "a"}] * 51}).encode(), 413, "too_large"),
        (json.dumps({"documents": [{"text": "语" * 7_000}]}).encode(), 413, "too_large"),
        (b" " * 100_001, 413, "too_large"),
        (b'{"documents": [{"text": "\\u0000"}, {"text": ""}]}', 200, ""),
        (b'{"documents": []}', 200, ""),
        (b'{"documents": [{"text": "a", "id": 123456789012345678901234567890}]}', 200, ""),
    ],
)
def test_a_body_that_is_wrong_is_named(shared: Service, body: bytes, status: int, code: str) -> None:
    """Bombs, halves, wrong types and sizes have their codes, and the service goes on."""
    answer = shared.ask(CHECK, body)

    assert answer.status == status, answer.body
    assert code in ("", answer.json.get("error", {}).get("code"))


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({"Content_Type": "text/plain"}, 415),
        ({"Content_Type": "application/x-www-form-urlencoded"}, 415),
        ({"Content_Encoding": "gzip"}, 415),
        ({"Host": "evil.example"}, 403),
        ({"Host": "evil.example:80"}, 403),
        ({"Host": "localhost.evil.example"}, 403),
        ({"Origin": "http://evil.example"}, 403),
        ({"Origin": "null"}, 403),
        ({"Host": "localhost", "Origin": "ftp://localhost"}, 403),
        ({"Host": "localhost", "Origin": "https://localhost"}, 403),
        ({"Host": "localhost", "Origin": "localhost"}, 403),
        ({"Sec_Fetch_Site": "cross-site"}, 403),
        ({"Host": "LOCALHOST:1", "Origin": "http://LOCALHOST:1", "Sec_Fetch_Site": "same-origin"}, 200),
        ({"X_Request_Id": "abc-1"}, 200),
        ({"Accept_Language": "zh" * 3_000}, 200),
    ],
)
def test_what_a_page_of_another_site_can_send_is_refused(shared: Service, headers: dict[str, str], status: int) -> None:
    """Forms, other names and other origins do not come in; a request id of the caller comes back."""
    answer = shared.ask(CHECK, RIGHT, **headers)

    assert answer.status == status and "access-control-allow-origin" not in answer.headers
    assert answer.headers["x-request-id"] == headers.get("X_Request_Id", answer.headers["x-request-id"])


@pytest.mark.parametrize(
    ("path", "status"),
    [
        ("/v1/indexes/../../etc/passwd", 404), ("/v1/indexes/%2e%2e/stats", 404), ("/v1/indexes/seen%2f/stats", 404),
        ("/v1/indexes/SEEN/stats", 404), ("/v1/indexes//stats", 404), ("/%00", 404), ("//", 404), ("/metrics/", 404),
        ("/v1/indexes/%E4%B8%AD/stats", 404), ("/v1/indexes/seen/check", 405), ("/" + "x" * 60_000, 404),
    ],
)  # fmt: skip
def test_a_name_is_no_path(shared: Service, path: str, status: int) -> None:
    """Tricks with addresses find nothing."""
    answer = shared.ask(path)
    assert answer.status == status and b"/tmp" not in answer.body


def test_a_method_that_is_wrong_is_told_the_right_ones(shared: Service) -> None:
    """A 405 names the methods of the address."""
    for path, methods in (("stats", "GET, HEAD"), ("check", "POST"), ("documents/7", "DELETE, GET, HEAD")):
        answer = shared.ask(f"/v1/indexes/seen/{path}", b"", "PUT")
        assert (answer.status, answer.headers["allow"]) == (405, methods)


def test_the_first_address_shows_what_this_is(shared: Service) -> None:
    """A browser gets a page with links, a program the addresses."""
    first = shared.ask("/")
    page = shared.ask("/", Accept="text/html,*/*").body.decode()

    assert (first.status, "/docs" in first.json["addresses"]) == (200, True)
    assert 'href="docs"' in page and f"simsieve {simsieve.__version__}" in page and "<script" not in page


def test_a_number_with_a_sign_is_no_batch(shared: Service) -> None:
    """A batch is named as it is written: `+1` and `01` are other names than 1."""
    for name in ("+1", "01", "1.0", "1%0A"):
        assert shared.ask(f"/v1/indexes/seen/undo/{name}", b"").status == 404


def test_a_head_is_bounded_and_clear(shared: Service) -> None:
    """A head that is too long at once, headers that decide and come twice: 400 in the shape of every error."""
    host = f"Host: {HOST}:{shared.port}\r\n"
    for head in (
        f"{host}X: {'y' * 100_000}\r\n", host + f"X: {'y' * 1000}\r\n" * 70, f"{host}Host: localhost\r\n",
        f"{host}Origin: http://a\r\nOrigin: http://b\r\n", f"{host}Authorization: a\r\nAuthorization: b\r\n",
    ):  # fmt: skip
        answer = shared.raw(f"GET /v1/indexes HTTP/1.1\r\n{head}\r\n".encode())
        assert (answer.status, answer.code) == (400, "bad_request"), head[:60]
    long = shared.ask("/v1/indexes/seen/documents/" + "x" * 70_000)
    assert (long.status, "65,536 bytes" in long.json["error"]["message"]) == (400, True)


def broken(port: int) -> Iterator[bytes]:
    """Requests that are no HTTP, or lie about themselves."""
    body = json.dumps(RIGHT).encode()
    yield b"\x00" * 100
    yield b"GET / HTTP/9.9\r\n\r\n"
    yield b"GET /\xff\xfe HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"
    yield request(port, "Content-Length: -1", body=body)
    yield request(port, "Content-Length: 5", "Content-Length: 6", body=body)
    yield request(port, f"Content-Length: {len(body)}", "Transfer-Encoding: chunked", body=body)
    yield request(port, "Transfer-Encoding: chunked", body=b"zz\r\n")
    yield request(port, "X: " + "y" * 200_000)
    yield request(port, "Content-Length: 99999999999999999999")


def test_what_is_no_http_ends_the_connection(shared: Service) -> None:
    """Broken requests get a 4xx or nothing; a length that is too short leaves a broken next request."""
    for raw in broken(shared.port):
        try:
            status = shared.raw(raw).status
        except ConnectionError:
            status = 0
        assert status == 0 or 400 <= status < 500, raw[:80]
    assert shared.ask("/healthz").status == 200


def test_slow_and_cut_callers_hold_up_nobody(shared: Service) -> None:
    """A body that does not come has a 408; one that is cut, or an answer that nobody reads, leaves the rest served."""
    slow, cut = shared.connect(), shared.connect()
    slow.sendall(request(shared.port, "Content-Length: 50") + b"{")
    cut.sendall(request(shared.port, "Content-Length: 50") + b"{")
    cut.close()
    begun = time.monotonic()
    for _ in range(20):
        gone = shared.connect()
        gone.sendall(request(shared.port, "Content-Length: 34") + json.dumps(RIGHT).encode())
        gone.close()
    assert shared.ask(CHECK, RIGHT).status == 200
    assert time.monotonic() - begun < 4

    answer = answered(slow)
    slow.close()
    assert (answer.status, answer.code, answer.headers["connection"]) == (408, "body_timeout", "close")


def test_a_thousand_connections_are_served(shared: Service) -> None:
    """A thousand callers at once are answered, or told when to come again."""
    open_ones: list[socket.socket] = []
    try:
        open_ones += (socket.create_connection((HOST, shared.port), timeout=60) for _ in range(1000))
        body = json.dumps(RIGHT).encode()
        for one in open_ones:
            one.sendall(request(shared.port, f"Content-Length: {len(body)}", body=body))
        with ThreadPoolExecutor(8) as readers:
            answers: list[Answer] = list(readers.map(answered, open_ones))
    finally:
        for one in open_ones:
            one.close()

    assert {answer.status for answer in answers} <= {200, 503}
    assert sum(answer.status == 200 for answer in answers) >= 512
    assert all("retry-after" in answer.headers for answer in answers if answer.status == 503)


def test_a_comparison_of_long_texts_lets_others_through(shared: Service) -> None:
    """While two texts are aligned for seconds, checks are answered at once."""
    body = {"a": "".join(chr(0x4E00 + at * 7919 % 9000) for at in range(7_000)),
            "b": "".join(chr(0x4E00 + at * 6101 % 9000) for at in range(7_000))}  # fmt: skip
    with ThreadPoolExecutor(1) as other:
        asked = other.submit(shared.ask, "/v1/compare", body)
        times = []
        while not asked.done():
            begun = time.monotonic()
            assert shared.ask(CHECK, RIGHT).status == 200
            times.append(time.monotonic() - begun)

    assert asked.result().status in {200, 504}
    assert max(times) < 2
