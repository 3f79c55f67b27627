"""Edited copies of texts, of known kind and strength: what people, programs and scanners do to a text."""

import re
from array import array
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate
from random import Random

import numpy as np
from numpy.typing import NDArray

from simsieve import _core
from simsieve.config.settings import DedupConfig
from simsieve.differences import PART
from simsieve.evaluate.collection import numbers_of
from simsieve.run.forecast import Warn
from simsieve.run.schemes import fitted_schemes
from simsieve.run.steps import load, open_store, prepare
from simsieve.sinks.checks import Sinks
from simsieve.sources.base import AnySource
from simsieve.types import Progress

STRENGTHS = (0.05, 0.1, 0.2)
"""The shares of a text that are edited."""
LONGEST_RUN = 8
"""Edits are runs of 1 to this many parts."""
_SENTENCE = re.compile(r"[^。！？!?\n]*(?:[。！？!?]+|\n+|(?<=[a-z])\.\s|$)", re.DOTALL)

_HOMOPHONES = (
    "的地得 在再 做作 他她它 那哪 以已 像象 坐座 帐账 即既 须需 带戴 度渡 分份 后候 记计 历厉 练炼 密蜜 "
    "权全 是事 提题 象向 因应 有友 与于 员原 知之 只止 终中 住注 子字 心新 行形 现线 信性 息习 意义 议 "
    "力利 立 法发 方放 工公 功共 进近 经精 景 期其"
)
_LOOKALIKES = (
    "日曰 未末 己已巳 土士 人入八 干千于 大太犬 天夫 未来 侯候 赢羸 戊戌 茶荼 免兔 鸟乌 今令 贝见 午牛 "
    "刀力 白自 目且 木本 右石 田由甲申 0O 1l 5S 8B e c rn nm ij uv hb"
)
_TRADITIONAL = (
    "们們 这這 个個 来來 时時 为為 国國 会會 说說 对對 学學 发發 经經 过過 还還 后後 里裡 进進 种種 现現 "
    "开開 长長 间間 问問 从從 动動 无無 见見 关關 点點 应應 样樣 两兩 业業 实實 体體 电電 机機 当當 气氣 "
    "头頭 书書 车車 东東 话話 语語 门門 马馬 万萬 与與 义義 乐樂 习習 买買 亲親 亿億 仅僅 价價 众眾 优優 "
    "传傳 伤傷 儿兒 党黨 兴興 养養 内內 军軍 农農 决決 况況 冲沖 净淨 则則 创創 别別 办辦 务務 劳勞 势勢 "
    "区區 医醫 华華 协協 单單 卖賣 卫衛 压壓 历歷 县縣 双雙 变變 号號 员員 听聽 启啟 围圍 图圖 园園 圆圓 "
    "场場 块塊 坚堅 报報"
)
_NUMERALS = "0〇 1一 2二 3三 4四 5五 6六 7七 8八 9九"


def _swaps(groups: str) -> dict[str, str]:
    """Each sign of a group becomes the next one of its group."""
    found: dict[str, str] = {}
    for group in groups.split():
        for at, sign in enumerate(group):
            found.setdefault(sign, group[(at + 1) % len(group)])
    return {sign: other for sign, other in found.items() if sign != other}


class Parts:
    """Texts whose parts are put into other texts: words, single Chinese characters, signs and spaces.

    Where the parts of a text end is found once and kept in two bytes each. To cut a text anew for each part took most
    of the time of an edit.
    """

    _MOST = 5000

    def __init__(self, texts: Sequence[str]) -> None:
        self._texts = texts
        self._ends: dict[int, array[int]] = {}

    def run(self, length: int, draw: Random) -> list[str]:
        """Draw a text and a run of its parts; fewer where the text has fewer, and never none."""
        if not self._texts:
            return ["x"] * length
        at = draw.randrange(len(self._texts))
        text, ends = self._texts[at], self._ends.get(at)
        if ends is None:
            found = re.findall(PART, text[: self._MOST])
            ends = self._ends[at] = array("H", accumulate(map(len, found), initial=0))
        start = draw.randrange(max(1, len(ends) - 1 - length))
        end = min(start + length, len(ends) - 1)
        return [text[ends[place] : ends[place + 1]] for place in range(start, end)] or ["x"] * length


def edited(text: str, kind: str, share: float, draw: Random, others: Parts) -> str:
    """Edit about a share of a text."""
    return KINDS[kind](text, share, draw, others)


def edited_words(words: Sequence[str], share: float, longest: int, draw: Random, others: Sequence[str]) -> str:
    """Delete, move, replace and change runs of a share of the words, each run in one of these four ways."""
    parts = list(words)
    moved = []
    for start, length in reversed(_runs(len(parts), share, draw, longest)):
        run, way = parts[start : start + length], draw.randrange(4)
        if way == 0:
            del parts[start : start + length]
        elif way == 1:
            del parts[start : start + length]
            moved.append(run)
        elif way == 2:
            at = draw.randrange(max(1, len(others) - length))
            parts[start : start + length] = others[at : at + length]
        else:
            parts[start : start + length] = [word[::-1] if len(word) > 1 else word * 2 for word in run]
    for run in moved:
        at = draw.randint(0, len(parts))
        parts[at:at] = run
    return "".join(parts)


def _runs(count: int, share: float, draw: Random, longest: int = LONGEST_RUN) -> list[tuple[int, int]]:
    """Runs of parts that do not overlap, from the first on; together about a share of all."""
    left = max(1, round(count * share))
    taken: set[int] = set()
    runs = []
    for _ in range(4 * left):
        if left <= 0 or count == 0:
            break
        length = min(draw.randint(1, longest), left, count)
        start = draw.randrange(count - length + 1)
        if taken.isdisjoint(range(start, start + length)):
            taken.update(range(start, start + length))
            runs.append((start, length))
            left -= length
    return sorted(runs)


def _at_runs(*, removes: bool, puts: bool) -> Callable[..., str]:
    """An edit that removes runs of words, or puts runs of other texts there, or both."""

    def edit(text: str, share: float, draw: Random, others: Parts) -> str:
        parts = re.findall(PART, text)
        for start, length in reversed(_runs(len(parts), share, draw)):
            parts[start : start + length * removes] = others.run(length, draw) if puts else []
        return "".join(parts)

    return edit


def _scatter(text: str, share: float, draw: Random, others: Parts) -> str:
    parts = re.findall(PART, text)
    for at in draw.sample(range(len(parts)), min(len(parts), max(1, round(len(parts) * share)))):
        parts[at] = others.run(1, draw)[0]
    return "".join(parts)


def _move(text: str, share: float, draw: Random, others: Parts) -> str:
    del others
    parts = re.findall(PART, text)
    taken = []
    for start, length in reversed(_runs(len(parts), share, draw)):
        taken.append(parts[start : start + length])
        del parts[start : start + length]
    for run in taken:
        at = draw.randint(0, len(parts))
        parts[at:at] = run
    return "".join(parts)


def _truncate(text: str, share: float, draw: Random, others: Parts) -> str:
    del draw, others
    parts = re.findall(PART, text)
    return "".join(parts[: max(1, round(len(parts) * (1 - share)))])


def _merge(text: str, share: float, draw: Random, others: Parts) -> str:
    parts = re.findall(PART, text)
    added = others.run(max(1, round(len(parts) * share)), draw)
    return text + "\n" + "".join(added)


def _reorder(text: str, share: float, draw: Random, others: Parts) -> str:
    del others
    sentences = [one for one in _SENTENCE.findall(text) if one]
    if len(sentences) < 2:
        return text
    for _ in range(max(1, round(len(sentences) * share))):
        sentence = sentences.pop(draw.randrange(len(sentences)))
        sentences.insert(draw.randint(0, len(sentences)), sentence)
    return "".join(sentences)


def _swapped(table: Mapping[str, str], *, all_of_share: bool = False) -> Callable[..., str]:
    """An edit that puts other signs for signs; with `all_of_share` the share is of these signs, not of the text."""

    def swap(text: str, share: float, draw: Random, others: Parts) -> str:
        del others
        places = [at for at, sign in enumerate(text) if sign in table]
        whole = len(places) if all_of_share else len(text)
        chosen = draw.sample(places, min(len(places), max(1, round(whole * share))))
        signs = list(text)
        for at in chosen:
            signs[at] = table[signs[at]]
        return "".join(signs)

    return swap


KINDS: dict[str, Callable[[str, float, Random, Parts], str]] = {
    "delete": _at_runs(removes=True, puts=False),
    "insert": _at_runs(removes=False, puts=True),
    "replace": _at_runs(removes=True, puts=True),
    "scatter": _scatter,
    "move": _move,
    "truncate": _truncate,
    "merge": _merge,
    "reorder": _reorder,
    "ocr": _swapped(_swaps(_LOOKALIKES)),
    "homophones": _swapped(_swaps(_HOMOPHONES)),
    "traditional": _swapped(_swaps(_TRADITIONAL)),
    "numerals": _swapped(_swaps(_NUMERALS), all_of_share=True),
}
"""The kinds of edits: runs of words deleted, inserted, replaced and moved; single words replaced; the end cut off; a
part of another text added; sentences in another order; signs that look or sound alike; characters of the other form of
Chinese; digits written as Chinese numerals, and these as digits."""


_COPY = 0.8
"""Two documents at least this similar are taken for copies of one another: the later is left out."""
_UNIQUE = _core.REASONS.index("unique")


@dataclass(frozen=True, slots=True, eq=False)
class Originals:
    """Texts that are no copies of one another."""

    texts: list[str]
    read: int
    left_out: int
    short: int
    fields: list[NDArray[np.int64]]


def originals_of(
    source: AnySource,
    config: DedupConfig,
    wanted: int,
    draw: Random,
    progress: Progress | None,
    warn: Warn,
    least_characters: int = 0,
    alone: float | None = None,
) -> Originals:
    """Draw documents that are no copies of one another; with `alone` those that no document is as similar to."""
    opened, schemes = prepare(source, None, config, Sinks())
    store, config = open_store(opened, config, progress, warn)
    schemes = fitted_schemes(schemes, store, config, progress)
    whole = load(store, schemes, replace(config, similarity=alone or _COPY), progress)
    columns = whole.dedup(config.threads, progress)
    fit = (columns.decision == 0) & whole.valid[: len(columns)]
    kept = np.flatnonzero(fit if alone is None else fit & (columns.reason == _UNIQUE)).tolist()
    found: list[tuple[int, str]] = []
    short = 0
    for position in draw.sample(kept, len(kept)):
        if len(found) == wanted:
            break
        text = schemes[0].used_text(whole.text(position))[0]
        if len(text) < least_characters:
            short += 1
        else:
            found.append((position, text))
    found.sort()
    positions = [position for position, _ in found]
    # A missing value equals another missing one.
    fields = [np.maximum(numbers_of(store, schemes, config, name)[0], -1)[positions] for name in config.equal_fields]
    return Originals([text for _, text in found], len(store), len(store) - len(kept), short, fields)
