"""A folder of some sixty files of many kinds, with copies and near copies among them."""

import os
from pathlib import Path

from tests.integration.paper_files import pdf, word
from tests.integration.pictures import drawn

TOPICS = ("harbour", "orchard", "station", "library", "glacier", "theatre", "bakery", "museum")
WORDS = "amber brook cedar delta ember field grove haven inlet jetty knoll ledge marsh north ocean plain quarry".split()


def story(topic: str, turn: int = 0) -> str:
    """A text of some sentences on a topic; `turn` adds a sentence."""
    start = TOPICS.index(topic) * 5
    lines = [
        f"The {topic} near {WORDS[(start + at * 3) % 17]} has a {WORDS[(start + at * 7 + 1) % 17]} {topic}{at} path."
        for at in range(12)
    ]
    return "\n".join([*lines, *["It was written again later."] * turn])


def mixed(folder: Path) -> Path:
    """Fill a folder, and give it."""
    (folder / "old" / "deep").mkdir(parents=True)
    for at, topic in enumerate(TOPICS):
        text = story(topic)
        files = {
            f"{topic}.txt": text.encode(),
            f"old/{topic} copy.txt": text.encode(),
            f"old/{topic}.md": f"# {topic}\n\n{story(topic, 1)}\n".encode(),
            f"{topic}.html": f"<html><body><p>{text}</p><p>More of it.</p></body></html>".encode(),
            f"old/deep/{topic}.docx": word(story(topic, 2).split("\n")),
            f"{topic}.pdf": pdf([text.split("\n")]),
        }
        for number, (name, content) in enumerate(files.items()):
            (folder / name).write_bytes(content)
            # Of one group the last file is the newest.
            os.utime(folder / name, (1_700_000_000 + at * 100 + number,) * 2)
    for at in range(3):
        drawn(at * 40).save(folder / f"picture{at}.png")
        drawn(at * 40 + 1).resize((160, 120)).save(folder / "old" / f"small{at}.jpg", quality=60)
    (folder / "alone.txt").write_text(
        "Nothing else here is like this line on its own, whatever one does.", encoding="utf-8"
    )
    (folder / "rows.jsonl").write_text('{"text": "a"}\n', encoding="utf-8")
    (folder / "data.bin").write_bytes(bytes(9))
    (folder / ".hidden.txt").write_text(story("harbour"), encoding="utf-8")
    return folder
