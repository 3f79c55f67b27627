"""Under a Chinese language no message is half English: four English words in a row are in quotes or names alone."""

import os
import re
import subprocess
from pathlib import Path

import pytest
from tests.integration.conftest import Program
from tools.catalogue import catalogue

from simsieve.cli.evaluate import score_rows
from simsieve.evaluate.metrics import PairScore
from simsieve.messages import tr

QUOTED = re.compile(r"'[^']*'|\"[^\"]*\"|`[^`]*`|“[^”]*”|\{\w+\}")
ENGLISH = re.compile(r"(?<![\w./$=-])[A-Za-z][a-z'-]+(?: [A-Za-z][a-z'-]*(?![\w./=])){3}")
CYCLE = "a,b,verdict\nx,y,keep a\ny,z,keep a\nz,x,keep a\n"
LONG = "a" * 300 + ".jsonl"
RECORDS = '{"id": "1", "text": "a text of its own"}\n{"id": "2", "text": "quite another matter"}\n'


def english(text: str) -> list[str]:
    """The runs of four English words outside quotes and values."""
    return ENGLISH.findall(QUOTED.sub("''", text))


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("写不了: cannot be written to; 请换", ["cannot be written to"]),
        ("没有 'a field of this name'；请看 simsieve dedup --help", []),
        ("例如 jq -c . in.jsonl | simsieve dedup -", []),
    ],
)
def test_half_english_is_found(text: str, found: list[str]) -> None:
    """Words of a sentence are found; quotes, options and names are not."""
    assert english(text) == found


def test_no_translation_has_english_sentences() -> None:
    """No translation of the catalogue."""
    shown = [str(message.string) for message in catalogue() if message.id]

    assert len(shown) > 1400
    assert [text for text in shown if english(text)] == []


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (["dedup", "s.jsonl", "--verdicts", "c.csv"], "c.csv 第 3 行，'y' 与 'z'；c.csv 第 4 行，'z' 与 'x'"),
        (["dedup", "s.jsonl", "--config", "s.jsonl"], "设置要写成 similarity = 0.8 或 keep"),
        (["dedup", "s.jsonl", "-o", LONG], "写不了：文件名太长（系统错误 36）；没有留下任何文件"),
        (["dedup", "s.jsonl", "-o", "loop"], "loop：写不了：符号链接太多层或成了环（系统错误 40）；没有留下任何文件"),
        (["dedup", "-"], "临时文件夹 /nosuch 写不了：没有这个文件或文件夹（系统错误 2）；请腾出空间"),
        (["dedup", "s.jsonl", "--strip", "(?=a)"], "不能用环视"),
        (["dedup", "mongodb://127.0.0.1:1/db.c?serverSelectionTimeoutMS=50"],
         "没有服务器应答（127.0.0.1:1: 拒绝连接（系统错误 111））；请检查主机和端口"),
    ],
)  # fmt: skip
def test_messages_of_runs_are_chinese(words: list[str], expected: str, simsieve: Program) -> None:
    """Places, lists and words of the system too."""
    simsieve.file("s.jsonl", RECORDS)
    simsieve.file("c.csv", CYCLE)
    Path(simsieve.folder / "loop").symlink_to("loop")
    env = {"SIMSIEVE_LANG": "zh", **({"TMPDIR": "/nosuch"} if words[-1] == "-" else {})}
    sink = ["-o", "k.jsonl"] if words[0] == "dedup" and "-o" not in words else []
    told = simsieve(*words, *sink, given=RECORDS.encode(), env=env).refused()
    assert expected in told
    assert english(told) == []


def test_a_full_device_is_told_in_chinese(simsieve: Program) -> None:
    """Standard output that takes no more has no folder to name."""
    simsieve.file("s.jsonl", RECORDS)
    with open("/dev/full", "wb") as full:
        done = subprocess.run(
            simsieve.command("dedup", "s.jsonl", "-o", "-", "--quiet"),
            stdout=full,
            stderr=subprocess.PIPE,
            cwd=simsieve.folder,
            env={**os.environ, "SIMSIEVE_LANG": "zh"},
            check=False,
        )
    assert done.stderr.decode() == "simsieve: 输出写不了：-：标准输出没有空间了；请腾出空间，或写到别处\n"


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (["schemes", "chars128"], ["规范化文本", "每个不同的特征为 1", "写在名字里"]),
        (["features", "a text"], ["权重", "次数", "哈希", "特征"]),
    ],
)
def test_tables_are_chinese(words: list[str], expected: list[str], simsieve: Program) -> None:
    """Descriptions of schemes, and heads of columns."""
    outcome = simsieve(*words, env={"SIMSIEVE_LANG": "zh"}).ok()
    assert [part for part in expected if part not in outcome.out.decode()] == []
    assert english(outcome.out.decode()) == []


def test_a_chinese_bracket_has_no_blank_before_it(monkeypatch: pytest.MonkeyPatch) -> None:
    """In the figures of an evaluation."""
    monkeypatch.setenv("SIMSIEVE_LANG", "zh")
    titles = [title for title, _ in score_rows(PairScore(0.65, 0, 0, 4), tr("at {threshold:g}", threshold=0.65))]

    assert titles == ["精确率（阈值 0.65）", "召回率（阈值 0.65）", "F1（阈值 0.65）"]
