"""`simsieve mcp`, asked by a client of the SDK over standard input and output, as an assistant asks."""

import json
import os
import re
import subprocess
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import anyio
import pytest
from mcp import Client, StdioServerParameters, stdio_client
from mcp.types import TextContent

import simsieve
from simsieve.mcp.tools import MOST_GROUPS, MOST_MEMBERS, TOOLS

SEVEN = "The ferry leaves the harbour at seven in the morning."
EIGHT = "The ferry leaves the harbour at eight in the morning."
BAKER = "The baker counts the loaves, and then he counts them again."
Call = Callable[..., Awaitable[tuple[bool, Any]]]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with texts, an index, a finished run and its decisions, and a secret that is not allowed."""
    monkeypatch.chdir(tmp_path)
    for name in ("texts", "secret"):
        Path(name).mkdir()
    rows = [{"id": f"t{at}", "text": text} for at, text in enumerate([SEVEN, EIGHT, BAKER, SEVEN])]
    Path("texts/a.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    Path("secret/key.txt").write_text("do not read this", encoding="utf-8")
    simsieve.Index.create("seen", rows[:3]).close()
    simsieve.dedup("texts/a.jsonl", run_dir="run").write("kept.jsonl", decisions="decisions.jsonl")
    return tmp_path


def asked(folder: Path, words: list[str], work: Callable[[Client, Call], Awaitable[None]]) -> None:
    """Start the server as an assistant does, and do some work with it."""
    server = StdioServerParameters(command=sys.executable, args=["-m", "simsieve", "mcp", *words], cwd=folder)

    async def main() -> None:
        async with Client(stdio_client(server)) as client:

            async def call(name: str, **arguments: Any) -> tuple[bool, Any]:
                found = await client.call_tool(name, arguments)
                (part,) = found.content
                assert isinstance(part, TextContent)
                if found.is_error:
                    return False, part.text
                assert found.structured_content == json.loads(part.text)
                return True, found.structured_content

            await work(client, call)

    anyio.run(main)


def test_every_tool_answers(folder: Path) -> None:
    """Check, query, compare, explain and find_duplicates answer, and each tool tells that it only reads."""

    async def work(client: Client, call: Call) -> None:
        tools = (await client.list_tools()).tools
        assert [tool.name for tool in tools] == [name for name in TOOLS if name != "add"]
        assert all(tool.annotations and tool.annotations.read_only_hint and tool.description for tool in tools)

        _, found = await call("check", texts=[SEVEN + "!", "something new altogether"])
        assert [(one["known"], one.get("representative")) for one in found["texts"]] == [(True, "t0"), (False, None)]

        _, found = await call("query", text=SEVEN, n=1)
        assert [(one["id"], one["text"]) for one in found["documents"]] == [("t0", SEVEN)]

        _, found = await call("compare", a=SEVEN, b=EIGHT)
        assert found["similarity"] == simsieve.similarity(SEVEN, EIGHT)
        assert [(part["a"], part["b"]) for part in found["differences"]] == [("seven", "eight")]

        _, found = await call("find_duplicates", path="texts")
        (group,) = found["groups"]
        assert (found["read"], found["kept"], group["kept"]["id"]) == (4, 2, "t0")
        told = [(one["id"], one["reason"], one["lost"], one["conflict"]) for one in group["dropped"]]
        assert told == [("t1", "near", 5, False), ("t3", "exact", 0, False)]

    asked(folder, ["seen", "texts"], work)


def test_a_drop_is_explained_by_what_there_is(folder: Path) -> None:
    """A run directory, a file of decisions and an index say for whom a record was dropped; the run has both texts."""

    async def work(_client: Client, call: Call) -> None:
        decided = []
        for of in ("run", "decisions.jsonl", "seen"):
            _, found = await call("explain", of=of, id="t1")
            decided.append((found["decision"]["decision"], found["decision"]["representative"]))
            if of == "run":
                assert (found["text"], found["representative_text"]) == (EIGHT, SEVEN)
                assert found["decision"]["reason"] == "near"
        assert decided == [("dropped", "t0")] * 3
        _, found = await call("explain", of="run", position=2)
        assert found["decision"]["reason"] == "unique"

    asked(folder, ["seen", "run", "decisions.jsonl", "texts"], work)


WRONG: list[tuple[str, dict[str, Any], str]] = [
    ("nothing", {}, "tool 'nothing': known are check, query"),
    ("check", {}, "texts: Field required; its arguments are texts, index"),
    ("check", {"texts": []}, "texts: List should have at least 1 item"),
    ("check", {"texts": [7]}, "texts.0: Input should be a valid string, and 7 is given"),
    ("check", {"texts": ["a"], "index": "other"}, "index 'other' is not allowed: allowed are seen"),
    ("query", {"text": "a", "n": 0}, "n: Input should be greater than or equal to 1, and 0 is given"),
    ("query", {"text": "a", "similarity": 0.5}, "similarity: Extra inputs are not permitted, and 0.5 is given"),
    ("compare", {"a": "a", "b": "b" * 100_001}, "b: String should have at most 100000 characters"),
    ("compare", {"a": "a", "b": "b", "scheme": "../texts/own.toml"}, "scheme '../texts/own.toml': known are chars64"),
    ("find_duplicates", {"path": "texts", "similarity": 80}, "similarity: Input should be less than or equal to 1"),
    ("find_duplicates", {"path": "texts/a.jsonl", "text_field": "stem"}, "stem"),
    ("find_duplicates", {"path": "texts/b.jsonl"}, "path 'texts/b.jsonl' does not exist"),
    ("explain", {"of": "seen", "id": "t9"}, "'seen' has no record 't9': check the id"),
    ("explain", {"of": "seen"}, "give one of id and position"),
    ("explain", {"of": "run", "position": 99}, "'run' has no record 99: check the id, or the position"),
    ("explain", {"of": "run", "id": "t1", "position": 1}, "give one of id and position"),
    ("explain", {"of": "texts/a.jsonl", "id": "t1"}, "column 'decision'"),
    ("add", {"texts": ["a"]}, "add is not allowed: start the server with --allow-add"),
]
"""Bad input, and what the answer says."""


def test_bad_input_is_told(folder: Path) -> None:
    """Each wrong call is an error of the tool with the value and what is allowed, and the server goes on."""

    async def work(_client: Client, call: Call) -> None:
        for name, arguments, part in WRONG:
            good, text = await call(name, **arguments)
            assert (good, part in str(text)) == (False, True), (name, arguments, text)
        assert (await call("check", texts=[SEVEN]))[0]

    asked(folder, ["seen", "run", "texts"], work)


def test_no_path_leads_out(folder: Path) -> None:
    """Paths above, absolute ones, links, patterns, addresses and NUL are refused, and none says what is there."""
    (folder / "texts/out.jsonl").symlink_to("../secret/key.txt")
    (folder / "linked").mkdir()
    (folder / "linked/deep").symlink_to("../secret", target_is_directory=True)
    (folder / "texts-other").mkdir()
    ways = [
        "secret", "texts/../secret/key.txt", str(folder / "secret/key.txt"), "/etc/passwd", "texts/out.jsonl", "~",
        "linked/deep/key.txt", "texts-other", "sec*", "-", "mongodb://localhost/a.b", "s3://bucket/a.jsonl", "texts\0",
        "/nothing/there", "", "..",
    ]  # fmt: skip

    async def work(_client: Client, call: Call) -> None:
        for name, argument in (("find_duplicates", "path"), ("explain", "of")):
            for way in ways:
                good, text = await call(name, **{argument: way}, **({} if name != "explain" else {"id": 1}))
                assert not good
                assert re.search("is outside what is allowed: allowed are texts, linked", text), (way, text)
        for path in ("texts", "linked"):
            good, text = await call("find_duplicates", path=path)
            assert (good, "a link that leads outside" in str(text)) == (False, True)

    asked(folder, ["texts", "linked"], work)


def test_what_is_not_read_is_told(folder: Path) -> None:
    """A run on a pattern is explained, and files of a folder that are not read are named in the answer."""
    (folder / "texts/b.bin").write_bytes(b"\0")
    (folder / "texts/c.txt").write_text(BAKER, encoding="utf-8")
    simsieve.dedup("texts/*.jsonl", run_dir="pattern")

    async def work(_client: Client, call: Call) -> None:
        _, found = await call("explain", of="pattern", id="t1")
        assert found["decision"]["representative"] == "t0"
        _, found = await call("find_duplicates", path="texts")
        (warning,) = found["warnings"]
        assert "2 files are not read: 1 .bin, 1 .jsonl" in warning

    asked(folder, ["texts", "pattern"], work)


def test_a_run_on_other_files_is_not_read(folder: Path) -> None:
    """A run directory that is allowed opens no sources that are not."""

    async def work(_client: Client, call: Call) -> None:
        assert await call("explain", of="run", id="t1") == (
            False, "path 'texts/a.jsonl' is outside what is allowed: allowed are run, and what is in them"
        )  # fmt: skip

    asked(folder, ["run"], work)


def test_texts_are_added_where_that_is_allowed(folder: Path) -> None:
    """With --allow-add a batch is on the disk when the answer comes, and without it the tool is not even listed."""

    async def work(client: Client, call: Call) -> None:
        assert [tool.name for tool in (await client.list_tools()).tools] == list(TOOLS)
        good, found = await call("add", texts=["something new altogether", SEVEN], ids=["n", "s"], batch="monday")
        assert (good, found["batch"], found["kept"], found["dropped"]) == (True, "monday", 1, 1)
        assert (await call("add", texts=["a text"], batch="monday"))[0] is False
        assert (await call("check", texts=["something new altogether"]))[1]["texts"][0]["known"]

    asked(folder, ["seen", "--allow-add"], work)
    with simsieve.Index.open(folder / "seen") as index:
        assert (index.get("n"), len(index)) == ("something new altogether", 3)


def test_what_another_process_adds_is_seen(folder: Path) -> None:
    """A server that reads does not hold up a writer, and knows what was added since it was started."""

    async def work(_client: Client, call: Call) -> None:
        assert not (await call("check", texts=["something new altogether"]))[1]["texts"][0]["known"]
        with simsieve.Index.open(folder / "seen", write=True) as index:
            index.add_texts(["something new altogether"])
        assert (await call("check", texts=["something new altogether"]))[1]["texts"][0]["known"]

    asked(folder, ["seen"], work)


def test_an_answer_is_bounded_and_counts_what_it_leaves_out(tmp_path: Path) -> None:
    """Of many and large groups the answer has some, with the counts of all; the next ones are had by `first`."""
    texts = [f"{at} ".join(f"{letter}{at}{letter}" for letter in "abcdefghijkl") for at in range(1000, 1080)]
    rows = [{"id": f"{at}-{copy}", "text": text} for at, text in enumerate(texts) for copy in range(2 if at else 70)]
    (tmp_path / "many.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")

    async def work(_client: Client, call: Call) -> None:
        _, found = await call("find_duplicates", path="many.jsonl", similarity=0.9, n=MOST_GROUPS)
        _, rest = await call("find_duplicates", path="many.jsonl", similarity=0.9, n=MOST_GROUPS, first=MOST_GROUPS)
        largest = found["groups"][0]
        assert (largest["size"], len(largest["dropped"]), largest["left_out"]) == (70, MOST_MEMBERS, 69 - MOST_MEMBERS)
        assert found["groups_in_all"] == len(texts)
        named = [group["kept"]["id"] for answer in (found, rest) for group in answer["groups"]]
        assert len(named) == len(set(named)) == len(texts)
        assert len(json.dumps(found)) < 200_000

    asked(tmp_path, ["many.jsonl"], work)


@pytest.mark.parametrize(
    ("words", "part"),
    [
        (["nothing"], "nothing does not exist; check the name"),
        (["texts", "--allow-add"], "--allow-add is given and no index: name an index"),
    ],
)
def test_a_wrong_start_is_told(folder: Path, words: list[str], part: str) -> None:
    """What cannot be allowed ends the command with a line."""
    command = [sys.executable, "-m", "simsieve", "mcp", *words]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False, stdin=subprocess.DEVNULL)

    assert (done.returncode, done.stdout) == (2, "")
    assert part in done.stderr


def test_what_is_no_request_is_passed_over(folder: Path) -> None:
    """Lines that are no JSON, no request, or have half a character do not end the server; the end of its input does."""
    begin = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "a", "version": "1"}}
    lines = [
        json.dumps({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": begin}),
        json.dumps({"jsonrpc": "2.0", "method": "notifications/initialized"}),
        "no JSON {", "[]", "{}", "\0", "",
        json.dumps(_asked(2, "half \ud83d")), json.dumps(_asked(3, [7])), json.dumps(_asked(4, [SEVEN])),
    ]  # fmt: skip
    with subprocess.Popen(
        [sys.executable, "-m", "simsieve", "mcp", "seen"], cwd=folder, text=True,
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
    ) as server:  # fmt: skip
        assert server.stdin is not None and server.stdout is not None
        server.stdin.write("".join(f"{line}\n" for line in lines))
        server.stdin.flush()
        answers = {}
        while 4 not in answers:
            answer = json.loads(server.stdout.readline())
            answers[answer.get("id")] = answer.get("result")
        server.stdin.close()
        assert server.wait() == 0
    assert json.loads(answers[4]["content"][0]["text"])["texts"][0]["known"]


def _asked(number: int, texts: object) -> dict[str, Any]:
    """A call of `check` as the protocol has it."""
    call = {"name": "check", "arguments": {"texts": texts}}
    return {"jsonrpc": "2.0", "id": number, "method": "tools/call", "params": call}


def resident() -> int:
    """The kilobytes of memory of the server, which is the child of this process that answers."""
    children = Path(f"/proc/self/task/{os.getpid()}/children").read_text(encoding="utf-8").split()
    (found,) = [child for child in children if b"\0mcp\0" in Path(f"/proc/{child}/cmdline").read_bytes()]
    status = Path(f"/proc/{found}/status").read_text(encoding="utf-8")
    return int(re.findall(r"VmRSS:\s+(\d+) kB", status)[0])


@pytest.mark.parametrize("calls", [300, pytest.param(10_000, marks=[pytest.mark.slow, pytest.mark.timeout(600)])])
@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="memory is read from /proc")
def test_memory_is_flat(folder: Path, calls: int) -> None:
    """Many calls, good and bad, take no more memory than few."""

    async def work(_client: Client, call: Call) -> None:
        async def some(count: int) -> None:
            for at in range(count):
                good = await call(*TURNS[at % len(TURNS)][:1], **TURNS[at % len(TURNS)][1])
                assert good[0] == TURNS[at % len(TURNS)][2]

        await some(100)
        before = resident()
        await some(calls)
        assert resident() - before < 8 << 10

    asked(folder, ["seen", "texts", "run"], work)


TURNS: list[tuple[str, dict[str, Any], bool]] = [
    ("check", {"texts": [SEVEN, "something new"]}, True),
    ("query", {"text": SEVEN}, True),
    ("compare", {"a": SEVEN, "b": BAKER}, True),
    ("check", {"texts": [7]}, False),
    ("find_duplicates", {"path": "texts/a.jsonl"}, True),
    ("explain", {"of": "run", "id": "t1"}, True),
    ("find_duplicates", {"path": "secret"}, False),
]
"""Calls, and whether each is a good one."""
