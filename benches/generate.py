"""Generates a collection of documents with known near-duplicates, of any size.

A document is a line of JSON: id, text, lang and truth (`original`, the id of the document it was copied from or its
own, and `kind`: original, exact or edited). 70 % are originals, 10 % exact copies (some with other white space), 20 %
edited copies: 1 to 5 % of their words replaced, inserted or deleted in runs of 1 to 8. Four of five are English, one
Chinese. One original in ten belongs to a template: a family of 20 to 50 that share 30 to 50 % of their text and are all
different documents. Words are invented and drawn by Zipf's law; function words are real and half of the text, so
unrelated texts share them as real ones do; documents of one topic share their rarer words.

With `--short` the documents are questions of 15 to 110 characters instead: a beginning and an ending that thousands
share, some words of a topic between them, all Chinese; copies have one or two words changed.

Usage: generate.py FILE [--documents N] [--seed S] [--short]
"""

import argparse
import json
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

Ids = NDArray[np.int64]

ORIGINALS, EXACT = 0.7, 0.1
ENGLISH = 0.8
IN_TEMPLATES = 0.1
TOPICS = 200
TOPIC_WORDS = 400
BATCH = 4_000
DRAWS = 1 << 18

FUNCTION_EN = (
    "the of and to a in is that for it as was with be by on not he his but at are this have from or had an they which "
    "one you were all her she there would their we him been has when who will no more if out so up said what its about "
    "than into them can only other time new some could these two may first then do any like my now over such our man "
    "me even most made after also well"
).split()
PHRASES_EN = (
    "of the|in the|to the|on the|and the|for the|at the|from the|with a|as well as|one of the|in order to|there is a|"
    "it is not|because of the|at the end of|a number of|the rest of the|according to|part of the|as a result of"
).split("|")
FUNCTION_ZH = list("的了在是和有不这也就都而对与为以中上下之被把从到将其等但还又或并及")
PHRASES_ZH = (
    "我们 他们 一个 没有 可以 因为 所以 如果 但是 已经 进行 通过 这个 自己 什么 同时 以及 其中 目前 一些 由于 对于 需要"
).split()


@dataclass(frozen=True)
class Language:
    """A vocabulary and the tables that turn token numbers into text.

    A token is a word's number, plus `words` times its dress: 0 plain, 1 with a comma behind it, 2 closing a sentence,
    3 opening one. `common` and `rare` are tables to draw from: each word stands in them as often as Zipf's law has it.
    """

    name: str
    words: int
    strings: list[str]
    common: Ids
    rare: Ids
    topics: Ids
    between: str
    mean_tokens: float
    sentence: float

    def text(self, tokens: Ids) -> str:
        """The tokens' text."""
        strings = self.strings
        return self.between.join([strings[token] for token in tokens.tolist()]).strip()


def zipf_table(n: int, exponent: float, shift: float) -> Ids:
    """DRAWS numbers below n; drawing evenly from them draws by Zipf and Mandelbrot's law."""
    weights = 1.0 / (np.arange(n) + shift) ** exponent
    edges = np.cumsum(weights / weights.sum())
    numbers: Ids = np.searchsorted(edges, (np.arange(DRAWS) + 0.5) / DRAWS).astype(np.int64)
    return np.minimum(numbers, n - 1)


def english_words(rng: np.random.Generator, n: int) -> list[str]:
    """Invented words of one to four syllables, all different; the commoner ones are shorter."""
    onsets = "b c d f g h k l m n p r s t v w br cl cr dr fl gr pl pr sh st th tr".split()
    vowels, codas = "a e i o u ai ea oo".split(), ["", "", "n", "r", "s", "l", "t", "nd", "st", "ck"]
    words: dict[str, None] = {}
    while len(words) < n:
        syllables = min(1 + len(words) * 3 // n + int(rng.integers(2)), 4)
        parts = [onsets[rng.integers(len(onsets))] + vowels[rng.integers(len(vowels))] for _ in range(syllables)]
        words.setdefault("".join(parts) + codas[rng.integers(len(codas))])
    return list(words)


def chinese_words(rng: np.random.Generator, n: int) -> list[str]:
    """Invented words of one to three characters out of 3,000, all different."""
    characters = [chr(code) for code in rng.permutation(np.arange(0x4E00, 0x8E00))[:3000].tolist()]
    commonness = zipf_table(len(characters), 0.9, 20.0)
    words: dict[str, None] = {}
    while len(words) < n:
        length = int(rng.choice([1, 2, 2, 2, 2, 3]))
        words.setdefault("".join(characters[k] for k in commonness[rng.integers(DRAWS, size=length)].tolist()))
    return list(words)


def language(name: str, rng: np.random.Generator) -> Language:
    """The vocabulary of a language: function words and phrases first, then invented words."""
    english = name == "en"
    function = [*FUNCTION_EN, *PHRASES_EN] if english else [*FUNCTION_ZH, *PHRASES_ZH]
    content = english_words(rng, 30_000) if english else chinese_words(rng, 20_000)
    words = [*function, *content]
    comma, stop = (",", ".") if english else ("，", "。")
    opening = [word[0].upper() + word[1:] for word in words] if english else words
    strings = [*words, *[word + comma for word in words], *[word + stop for word in words], *opening]
    rare = len(function) + zipf_table(len(content), 1.0, 8.0)
    return Language(
        name=name,
        words=len(words),
        strings=strings,
        common=zipf_table(len(function), 0.8, 2.0),
        rare=rare,
        topics=len(function) + rng.integers(len(content), size=(TOPICS, TOPIC_WORDS)),
        between=" " if english else "",
        mean_tokens=268.0 if english else 315.0,
        sentence=14.0 if english else 16.0,
    )


def draw(lang: Language, lengths: Ids, topics: Ids, rng: np.random.Generator) -> Ids:
    """The tokens of many documents, one behind the other: nearly half function words, a quarter their topic's."""
    total = int(lengths.sum())
    dice = rng.random(total, dtype=np.float32)
    topic = np.repeat(topics, lengths)
    tokens = np.where(
        dice < 0.45, lang.common[rng.integers(DRAWS, size=total)], lang.rare[rng.integers(DRAWS, size=total)]
    )
    of_topic = dice > 0.75
    skewed = (rng.random(int(of_topic.sum())) ** 2 * TOPIC_WORDS).astype(np.int64)
    tokens[of_topic] = lang.topics[topic[of_topic], skewed]
    dress = np.where(rng.random(total, dtype=np.float32) < 0.06, 1, 0)
    stops = rng.random(total, dtype=np.float32) < 1.0 / lang.sentence
    stops[np.cumsum(lengths) - 1] = True
    dress[stops] = 2
    opens = np.empty(total, dtype=bool)
    opens[0], opens[1:] = True, stops[:-1]
    dress[opens & ~stops] = 3
    dressed: Ids = tokens + dress * lang.words
    return dressed


def share_templates(documents: list[Ids], rng: np.random.Generator) -> None:
    """Give one document in ten a family's text in 30 to 50 % of its places: some at the beginning, some at the end."""
    left, at = int(len(documents) * IN_TEMPLATES), 0
    while left - at >= 20:
        size = min(int(rng.integers(20, 51)), left - at)
        template, part = documents[at], rng.uniform(0.3, 0.5)
        head = rng.uniform(0.2, 0.8)
        for member in range(at + 1, at + size):
            n = min(len(documents[member]), len(template))
            first = int(n * part * head)
            last = int(n * part) - first
            text = documents[member][:n].copy()
            text[:first] = template[:first]
            text[n - last :] = template[len(template) - last :]
            documents[member] = text
        at += size


def edited(lang: Language, tokens: Ids, rng: np.random.Generator) -> Ids:
    """A copy with 1 to 5 % of its words replaced, inserted or deleted in runs of 1 to 8; never an equal one."""
    text = tokens.tolist()
    budget = max(1, round(len(text) * rng.uniform(0.01, 0.05)))
    while budget > 0:
        run = min(int(rng.integers(1, 9)), budget)
        at = int(rng.integers(max(1, len(text) - run)))
        kind = int(rng.integers(3))
        fresh = lang.rare[rng.integers(DRAWS, size=run)].tolist() if kind < 2 else []
        text[at : at + (0 if kind == 1 else run)] = fresh
        budget -= run
    copy = np.array(text, dtype=np.int64)
    return edited(lang, tokens, rng) if np.array_equal(copy, tokens) else copy


def respaced(lang: Language, text: str) -> str:
    """The text with other white space, which no normaliser keeps."""
    return text.replace(". ", ".\n").replace(", ", ",  ") if lang.name == "en" else text.replace("。", "。\n")


def batch(
    lang: Language, originals: int, exact: int, copies: int, rng: np.random.Generator
) -> Iterator[tuple[str, int, str]]:
    """The documents of one batch: (text, number of its original, kind); originals come first, in their order."""
    lengths = np.clip(rng.lognormal(np.log(lang.mean_tokens) - 0.08, 0.4, originals), 60, 1500).astype(np.int64)
    tokens = draw(lang, lengths, rng.integers(TOPICS, size=originals), rng)
    documents = np.split(tokens, np.cumsum(lengths)[:-1])
    share_templates(documents, rng)
    for number, document in enumerate(documents):
        yield lang.text(document), number, "original"
    for number in rng.integers(originals, size=exact).tolist():
        text = lang.text(documents[number])
        yield (respaced(lang, text) if rng.random() < 0.25 else text), number, "exact"
    for number in rng.integers(originals, size=copies).tolist():
        yield lang.text(edited(lang, documents[number], rng)), number, "edited"


def make_corpus(path: Path, n: int = 200_000, seed: int = 1) -> int:
    """Write a collection; the same arguments give the same bytes.

    Args:
        path: The file to write, JSON lines.
        n: How many documents.
        seed: What all chance comes from.

    Returns:
        The size of the file in bytes.
    """
    rng = np.random.default_rng(seed)
    places = rng.permutation(n).tolist()
    lines = [b""] * n
    done = 0
    for lang, share in ((language("en", rng), ENGLISH), (language("zh", rng), 1.0)):
        end = round(n * share)
        while done < end:
            size = min(BATCH, end - done)
            originals = max(1, round(size * ORIGINALS))
            exact = min(round(size * EXACT), size - originals)
            ids = [f"d{place:08}" for place in places[done : done + size]]
            for k, (text, original, kind) in enumerate(batch(lang, originals, exact, size - originals - exact, rng)):
                truth = {"original": ids[original], "kind": kind}
                row = {"id": ids[k], "text": text, "lang": lang.name, "truth": truth}
                lines[places[done + k]] = json.dumps(row, ensure_ascii=False).encode()
            done += size
    with path.open("wb") as file:
        return file.write(b"\n".join(lines) + b"\n")


BEGINNINGS = (
    "关于 下列有关 阅读材料，指出 某校同学研究 根据图中所示的 实验室要测定 已知一个含有 小明在家中观察 "
    "假如要证明 为了说明 请比较 试分析 如图，设 若函数满足 甲乙两人讨论 在一次调查中，"
).split()
ENDINGS = (
    "，下面哪一项说得对？ ，其中不正确的一项是哪个？ ，请写出理由。 ，求它的值。 ，结果应当是多少？ "
    "，这说明了什么？ ，请补充完整。 ，由此可以推出什么结论？ ，从左到右依次应填哪几个词？ ，最合适的答案在哪里？"
).split()


def questions(lang: Language, originals: int, rng: np.random.Generator) -> list[Ids]:
    """The middle parts of questions: 5 to 40 words, half of them of one topic."""
    lengths = np.clip(rng.lognormal(np.log(14), 0.5, originals), 5, 40).astype(np.int64)
    tokens = draw(lang, lengths, rng.integers(TOPICS, size=originals), rng) % lang.words
    return np.split(tokens, np.cumsum(lengths)[:-1])


def make_shorts(path: Path, n: int, seed: int = 1) -> int:
    """Write short questions, a batch at a time and never all in memory; otherwise as `make_corpus`.

    Copies stand in the batch of their originals, behind them.
    """
    rng = np.random.default_rng(seed)
    lang = language("zh", rng)
    with path.open("wb") as file:
        for start in range(0, n, 10 * BATCH):
            size = min(10 * BATCH, n - start)
            originals = max(1, round(size * ORIGINALS))
            exact = min(round(size * EXACT), size - originals)
            middles = questions(lang, originals, rng)
            frames = rng.integers([[len(BEGINNINGS)], [len(ENDINGS)]], size=(2, originals)).T.tolist()
            copied = rng.integers(originals, size=size - originals).tolist()
            lines = []
            for k, original in enumerate([*range(originals), *copied]):
                kind = "original" if k < originals else "exact" if k < originals + exact else "edited"
                tokens = middles[original]
                if kind == "edited":
                    tokens = tokens.copy()
                    tokens[rng.integers(len(tokens), size=1 + (len(tokens) >= 20))] = rng.integers(lang.words)
                text = BEGINNINGS[frames[original][0]] + lang.text(tokens) + ENDINGS[frames[original][1]]
                truth = {"original": f"q{start + original:09}", "kind": kind}
                row = {"id": f"q{start + k:09}", "text": text, "lang": "zh", "truth": truth}
                lines.append(json.dumps(row, ensure_ascii=False))
            file.write(("\n".join(lines) + "\n").encode())
        return file.tell()


def main() -> None:
    """Write the collection that the command line asks for."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", maxsplit=1)[0])
    parser.add_argument("path", type=Path)
    parser.add_argument("--documents", type=int, default=200_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--short", action="store_true")
    options = parser.parse_args()
    start = time.perf_counter()
    make = make_shorts if options.short else make_corpus
    size = make(options.path, options.documents, options.seed)
    print(f"{options.documents:,} documents, {size / 1e6:,.1f} MB, {time.perf_counter() - start:.1f} s: {options.path}")


if __name__ == "__main__":
    main()
