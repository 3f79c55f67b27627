"""Measures how many hits of a leak check are leaks: planted items, and texts that look like leaks and are none.

Items are looked for with `contained` in articles, laws, pages of documentation and texts of an algorithm wiki. Of each
kind some items are planted, in a text that speaks of an exam; a hit is right if its item, or one of the same computed
group, was planted in that text. The kinds are:

- question: exam questions of `qbank`, with 0, 2, 5 and 10 % of their characters edited.
- frame: a short statement behind the instructions of an exam, which other texts have before other statements.
- quotation: a question on an article of a law or a poem, which is in the corpus for itself.
- code: a task on an example of the wiki or of the Python documentation, which is in the corpus for itself.
- formula: a task on an identity that many texts quote.
- numbers: problems that differ in names and numbers only.

Usage: leaks.py [--data FOLDER] [--contained X] [--seed N] [--show N]
"""

import argparse
import random
import re
import sys
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from common import DATA, absent_sets, finish, records, table
from passages import Writer
from simsieve import passages
from simsieve.evaluate.review import drawn, precision_by

SETS = (
    "qbank", "zh_tech_articles", "en_tech_articles", "zh_law", "zh_algorithm_wiki", "html_doc_sites",
    "zh_poems_two_editions",
)  # fmt: skip
EDITS = (0.0, 0.02, 0.05, 0.1)
GOAL_RIGHT, GOAL_FOUND = 0.9, 0.95
SAMPLE, DRAWS = 100, 200
FRAMES = (
    (
        "Read the following statement carefully, then decide which one of the four answers A, B, C and D"
        " completes it best. Mark the letter of your choice on the answer sheet. "
    ),
    (
        "Construct a complete truth table for the following argument. Then, using the truth table, determine"
        " whether the argument is valid or invalid, and give a counterexample if it is invalid. "
    ),
    (
        "Answer the question with a single word or a short phrase, and explain your reasoning step by step"
        " before you give the final answer in the last line. "
    ),
    "阅读下面的材料，根据要求作答。在每小题给出的四个选项中，只有一项是符合题目要求的，请将正确答案的字母填涂在答题卡上。",
    "本题共十二小题，每小题五分，共六十分。下列各句中没有语病、表达得体并且与上下文衔接最恰当的一句是哪一句？请说明理由。",
    "请根据下面的描述编写一个程序，从标准输入读入数据，把结果输出到标准输出。时间限制一秒，内存限制二百五十六兆字节。",
)
IDENTITIES = (
    r"x^3 + y^3 + z^3 - 3xyz = (x + y + z)(x^2 + y^2 + z^2 - xy - yz - zx)",
    r"\tan(A + B) = \frac{\tan A + \tan B}{1 - \tan A \tan B}",
    r"1^2 + 2^2 + 3^2 + \cdots + n^2 = \frac{n(n + 1)(2n + 1)}{6}",
    r"\frac{11 \times 10 \times 9 \times 8 \times 7}{5 \times 4 \times 3 \times 2 \times 1} = 462",
)
PROBLEMS = (
    (
        "{a} drives {m} kilometres to {b} in {k} hours and returns in {n} hours by the same road. By how many"
        " kilometres an hour is the way back slower than the way there?"
    ),
    (
        "A shop in {b} sells {m} boxes of tea a day at {k} coins each. {a} raises the price by {n} coins and"
        " sells a tenth fewer boxes. How many coins does the shop take on that day?"
    ),
    "{a}从{b}出发，每小时走{k}公里，走了{n}小时以后还剩下{m}公里没有走完。请问{a}走完全程一共需要多少小时？",
    "{b}的果园里有{m}棵苹果树，{a}每天给{k}棵树浇水，从第{n}天起每天多浇两棵。请问全部浇完一遍需要多少天？",
)
NAMES = ("Amber", "Boris", "Chiara", "Dmitri", "Elena", "Farid", "Greta", "Hiro", "小明", "阿芳", "老陈", "玉兰")
PLACES = ("Bergen", "Lisbon", "Odessa", "Turku", "Quito", "Hobart", "沙洲", "北塘", "石桥", "云溪")
BEFORE = ("Somebody asked this in the forum yesterday:\n", "昨天考试里有这么一道题，大家看看：\n", "")
BEHIND = ("\nI have no idea how to begin.", "\n答案我选了第二个，不知道对不对。", "")


@dataclass
class Planting:
    """Items with their kinds and groups, the texts that they are looked for in, and what is planted where."""

    chance: random.Random
    writer: Writer = field(default_factory=lambda: Writer(5))
    items: list[str] = field(default_factory=list)
    kinds: list[str] = field(default_factory=list)
    groups: list[object] = field(default_factory=list)
    texts: list[str] = field(default_factory=list)
    planted: dict[int, set[object]] = field(default_factory=lambda: defaultdict(set))
    leaks: list[int] = field(default_factory=list)

    def add(self, kind: str, items: Sequence[str], leaks: int, groups: Sequence[object] = ()) -> None:
        """Add items of a kind, the first of which are planted in texts."""
        for at, item in enumerate(items):
            number = len(self.items)
            self.items.append(item)
            self.kinds.append(kind)
            self.groups.append(groups[at] if groups and groups[at] else number)
            if at < leaks:
                self.put(number, self.writer.edited(item, EDITS[at % 4] if kind == "question" else 0.0))

    def put(self, number: int, item: str) -> None:
        """Put an item into one of the texts."""
        at = self.chance.randrange(len(self.texts))
        place = self.chance.randrange(len(self.texts[at]))
        told = f"\n{self.chance.choice(BEFORE)}{item}{self.chance.choice(BEHIND)}\n"
        self.texts[at] = self.texts[at][:place] + told + self.texts[at][place:]
        self.planted[at].add(self.groups[number])
        self.leaks.append(number)

    def spread(self, text: str, times: int) -> None:
        """Put a text that is no item into some of the texts."""
        for at in self.chance.sample(range(len(self.texts)), times):
            place = self.chance.randrange(len(self.texts[at]))
            self.texts[at] = f"{self.texts[at][:place]}\n{text}\n{self.texts[at][place:]}"


def statements(texts: Sequence[str], chance: random.Random, least: int, most: int) -> Iterator[str]:
    """Give sentences of texts, each once."""
    pool = {one.strip() for text in texts for one in re.split(r"(?<=[。？！])|(?<=[.?!])\s|\n", text)}
    found = sorted(one for one in pool if least <= len(one) <= most)
    chance.shuffle(found)
    return iter(found)


def made(data: Path, seed: int) -> Planting:
    """Make the items and the texts."""
    read = {name: list(records(data / f"{name}.jsonl.gz")) for name in SETS}
    text = {name: [row["text"] for row in rows] for name, rows in read.items()}
    chance = random.Random(seed)
    work = Planting(chance)
    corpus = ("zh_tech_articles", "en_tech_articles", "zh_law", "zh_algorithm_wiki", "html_doc_sites")
    work.texts = [one for name in corpus for one in text[name]]
    chance.shuffle(work.texts)
    rows = [row for row in read["qbank"] if 40 <= len(row["text"]) <= 1500]
    chance.shuffle(rows)
    groups = [row.get("computed_group") for row in rows[:1500]]
    work.add("question", [row["text"] for row in rows[:1500]], 300, groups)
    short = statements(text["en_tech_articles"], chance, 30, 60), statements(text["zh_tech_articles"], chance, 12, 24)
    for frame in FRAMES:
        own = short[frame[0] > "z"]
        for _ in range(40):
            work.spread(frame + next(own), 1)
        work.add("frame", [frame + next(own) for _ in range(40)], 10)
    laws = statements(text["zh_law"], chance, 80, 200)
    articles = [f"“{next(laws)}”这一规定出自哪部法律？" for _ in range(60)]
    poems = chance.sample(text["zh_poems_two_editions"], 60)
    for poem in poems:
        work.spread(poem, 3)
    work.add("quotation", articles, 15)
    work.add("quotation", [f"{poem}\n这首诗的作者是谁？" for poem in poems], 15)
    blocks = [one for name in ("zh_algorithm_wiki",) for page in text[name] for one in _blocks(page)]
    blocks += [one for row in read["html_doc_sites"] if row["site"] == "python-docs" for one in _prompts(row["text"])]
    chance.shuffle(blocks)
    work.add("code", [f"What does this program print, and why?\n{one}" for one in blocks[:100]], 25)
    for identity in IDENTITIES:
        work.spread(f"It is well known that ${identity}$ holds.", 40)
        asked = ("Prove that", "Use induction or expansion to show", "Explain in one sentence why", "证明恒等式")
        work.add("formula", [f"{one} ${identity}$." for one in asked], 1)
    for problem in PROBLEMS:
        filled = {problem.format(a=chance.choice(NAMES), b=chance.choice(PLACES), m=chance.randrange(100, 900),
                                 k=chance.randrange(2, 30), n=chance.randrange(31, 99)) for _ in range(20)}  # fmt: skip
        work.add("numbers", sorted(filled), 5)
    return work


def _blocks(page: str) -> Iterator[str]:
    """The blocks of code of a page of Markdown."""
    for one in re.findall(r"```[a-z+]*\n(.*?)```", page, re.DOTALL):
        if 150 <= len(one) <= 900:
            yield one


def _prompts(page: str) -> Iterator[str]:
    """The examples of a page of the Python documentation."""
    for one in re.findall(r"(?:>>>\n?.*\n(?:(?!>>>).*\n){0,3}){3,}", page):
        if 150 <= len(one) <= 900:
            yield one


def main() -> int:
    """Plant, look, and print how many hits are right."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", maxsplit=1)[0])
    parser.add_argument("--data", type=Path, default=DATA, help="the folder of the development data")
    parser.add_argument("--contained", type=float, default=0.8, help="the least share of an item")
    parser.add_argument("--seed", type=int, default=11, help="what the items are drawn by")
    parser.add_argument("--show", type=int, default=0, help="wrong hits of each kind to print")
    given = parser.parse_args()
    if absent_sets("leaks", given.data, SETS):
        return 0
    work = made(given.data, given.seed)
    result = passages(work.texts, against=work.items, contained=given.contained)
    hits, right, found = Counter[str](), Counter[str](), set[tuple[int, object]]()
    shown = Counter[str]()
    truth = dict[int, bool]()
    for at, row in enumerate(result):
        item, kind = row.source_position, work.kinds[row.source_position]
        is_right = work.groups[item] in work.planted[row.document_position]
        hits[kind] += 1
        truth[at] = is_right
        right[kind] += is_right
        if is_right:
            found.add((row.document_position, work.groups[item]))
        elif shown[kind] < given.show:
            shown[kind] += 1
            span = row.spans[0]
            print(
                kind,
                round(row.source_share, 3),
                repr(work.items[item][:200]),
                "|",
                repr(work.texts[row.document_position][span.start : row.spans[-1].end][:200]),
            )
    leaks = Counter(work.kinds[item] for item in work.leaks)
    known = {(at, group) for at, groups in work.planted.items() for group in groups}
    kind_of = {work.groups[item]: work.kinds[item] for item in work.leaks}
    by_kind = Counter(kind_of[group] for _, group in known & found)
    asked = Counter(kind_of[group] for _, group in known)
    rows = [
        [kind, leaks[kind], hits[kind], right[kind], right[kind] / max(1, hits[kind]), by_kind[kind] / asked[kind]]
        for kind in dict.fromkeys(work.kinds)
    ]
    share, all_found = sum(right.values()) / max(1, sum(hits.values())), len(known & found) / len(known)
    rows.append(["all", len(work.leaks), sum(hits.values()), sum(right.values()), share, all_found])
    wrong = [f"{share:.3f} of the hits are right, less than {GOAL_RIGHT}"] if share < GOAL_RIGHT else []
    wrong += [f"{all_found:.3f} of the leaks are found, less than {GOAL_FOUND}"] if all_found < GOAL_FOUND else []
    seen = [drawn(result.bands, seed)[:SAMPLE].tolist() for seed in range(DRAWS)]
    told = [precision_by(result.bands, {at: truth[at] for at in some}) for some in seen]
    held = sum(one.low <= share <= one.high for one in told)
    print(f"of {DRAWS} samples of {SAMPLE} the intervals hold the share in {held}; the first: {told[0].text}")
    header = ("kind", "planted", "hits", "right", "share right", "found")
    return finish("leaks", {"rows": rows}, table(header, rows), wrong)


if __name__ == "__main__":
    sys.exit(main())
