"""Texts of many scripts, made of words and sentence patterns written for the project: subjects, copies with edits.

A text is on one subject: its sentences are patterns, shared by all subjects of a script as grammar is, filled with the
subject's own words. A copy is a text in which a share of the words is replaced, left out or doubled with another.
"""

import random
import unicodedata
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

from simsieve import _core

SENTENCES = 14
SHARES = (0.05, 0.1, 0.2)
"""Of the words of a copy, those that are edited."""
IN_FOURS = "words128:unspaced=fours"
"""The words for scripts without spaces."""

Features = frozenset[Any]
Form = Literal["NFKC", "NFKD"]


@dataclass(frozen=True)
class Script:
    """Words and patterns of one script. A pattern's numbers stand for words of the subject, `v` for a verb of all."""

    joiner: str
    patterns: tuple[str, ...]
    verbs: tuple[str, ...]
    subjects: tuple[str, ...]

    def words(self, subject: int) -> list[str]:
        """The words of a subject."""
        return self.subjects[subject].split()


SCRIPTS = {
    "Japanese": Script(
        "",
        ("{0}は{1}の{2}を{v}。", "{0}と{1}が{2}で{v}から、{3}も{v2}。", "昔の{0}では{1}に{2}が{v}という。",
         "{0}を{v}人は、{1}の前に{2}を{v2}。", "なぜ{0}が{1}より{2}に近いのか。", "{0}なら{1}へ{v2}。"),
        ("集める", "見つける", "運ぶ", "忘れる", "待っている", "直した", "選んだ", "並べる"),
        ("漁師 港 網 潮 灯台 カニ 船着き場 夜明け 魚市場 ロープ",
         "窯 粘土 釉薬 茶碗 ろくろ 陶芸家 炎 棚 ひび割れ 模様",
         "列車 駅長 切符 線路 トンネル 時刻表 踏切 ベンチ 乗り換え 改札",
         "庭師 苔 松 剪定ばさみ 池 石灯籠 落ち葉 飛び石 つつじ 竹垣",
         "サーバー 設定ファイル ログ ポート プロセス バックアップ ディスク 管理者 更新 パスワード",
         "合唱団 楽譜 指揮者 ピアノ 拍手 練習室 ソプラノ 休憩 舞台 録音"),
    ),
    "Korean": Script(
        " ",
        ("{0}에서 {1}와 {2}를 {v}.", "{0}는 {1}의 {2}를 {v} 전에 {3}도 {v2}.",
         "오래된 {0}에는 {1}가 {2}보다 많이 {v}.",
         "{0}를 {v} 사람은 {1}로 {2}를 {v2}.", "왜 {0}가 {1}에 {2}처럼 있는지 {v}.", "{0}라면 {1}까지 {v2}."),
        ("모았다", "찾았다", "옮긴다", "잊는다", "기다렸다", "고쳤다", "골랐다", "늘어놓는다"),
        ("어부 항구 그물 밀물 등대 오징어 나루터 새벽 어시장 밧줄",
         "가마 점토 유약 찻잔 물레 도예가 불꽃 선반 무늬 항아리",
         "열차 역장 승차권 철로 터널 시간표 건널목 의자 환승 개찰구",
         "정원사 이끼 소나무 가위 연못 석등 낙엽 징검돌 철쭉 대나무",
         "서버 설정파일 기록 포트 프로세스 백업 디스크 관리자 갱신 암호",
         "합창단 악보 지휘자 피아노 박수 연습실 소프라노 휴식 무대 녹음"),
    ),
    "Thai": Script(
        "",
        ("{0}อยู่ใกล้{1}และ{v}{2}", "คนที่{v}{0}มักจะ{v2}{1}ก่อน{2}", "ในสมัยก่อน{0}กับ{1}ไม่เคย{v}{2}",
         "เพราะ{0}ของ{1}จึงต้อง{v}{2}แล้ว{v2}{3}", "ทำไม{0}ถึงมี{1}มากกว่า{2}", "ถ้ามี{0}ก็{v2}{1}ได้"),
        ("เก็บ", "ค้นหา", "ขนส่ง", "ลืม", "รอ", "ซ่อม", "เลือก", "จัดเรียง"),
        ("ชาวประมง ท่าเรือ อวน น้ำขึ้น ประภาคาร ปลาหมึก คลื่น รุ่งเช้า ตลาดปลา เชือก",
         "เตาเผา ดินเหนียว น้ำเคลือบ ถ้วยชา แป้นหมุน ช่างปั้น เปลวไฟ ชั้นวาง ลวดลาย โอ่ง",
         "รถไฟ นายสถานี ตั๋ว รางเหล็ก อุโมงค์ ตารางเวลา ทางข้าม ม้านั่ง ชานชาลา ขบวน",
         "คนสวน ตะไคร่ ต้นสน กรรไกร สระบัว โคมหิน ใบไม้ร่วง ทางเดิน กล้วยไม้ รั้วไผ่",
         "เครื่องแม่ข่าย แฟ้มตั้งค่า บันทึก พอร์ต กระบวนการ สำรองข้อมูล ดิสก์ ผู้ดูแล ปรับปรุง รหัสผ่าน",
         "คณะประสานเสียง โน้ตเพลง วาทยกร เปียโน เสียงปรบมือ ห้องซ้อม โซปราโน พัก เวที บันทึกเสียง"),
    ),
    "Arabic": Script(
        " ",
        ("كان {0} قرب {1} حين {v} {2}.", "من {v} {0} فقد {v2} {1} قبل {2}.",
         "في الماضي لم يكن {0} مع {1} بل {v} {2}.",
         "بسبب {0} و{1} {v} الناس {2} ثم {v2} {3}.", "لماذا {0} أكثر من {1} عند {2}؟",
         "إذا {v2} {0} فهناك {1}."),
        ("جمع", "وجد", "حمل", "نسي", "انتظر", "أصلح", "اختار", "رتّب"),
        ("الصياد الميناء الشبكة المدّ المنارة السمك الموج الفجر السوق الحبل",
         "الفرن الطين الطلاء الفنجان الدولاب الخزّاف اللهب الرفّ الزخرفة الجرّة",
         "القطار المحطة التذكرة السكّة النفق الجدول المعبر المقعد الرصيف العربة",
         "البستاني الطحلب الصنوبر المقصّ البركة الفانوس الأوراق الحجر الياسمين السياج",
         "الخادم الإعدادات السجلّ المنفذ العملية النسخة القرص المشرف التحديث الكلمة",
         "الجوقة النوتة القائد البيانو التصفيق القاعة المغنّية الاستراحة المسرح التسجيل"),
    ),
    "Devanagari": Script(
        " ",
        ("{0} के पास {1} ने {2} को {v}।", "जो {0} को {v} वह {1} से पहले {2} को {v2}।",
         "पुराने समय में {0} और {1} के बिना {2} नहीं {v}।",
         "{0} की वजह से {1} में {2} को {v} और {3} को {v2}।", "{0} को {1} से अधिक {2} क्यों चाहिए?",
         "यदि {0} हो तो {1} को {v2}।"),
        ("जुटाया", "खोजा", "ढोया", "भुलाया", "रोका", "सुधारा", "चुना", "सजाया"),
        ("मछुआरा बंदरगाह जाल ज्वार प्रकाशस्तंभ केकड़ा लहर भोर बाज़ार रस्सी",
         "भट्ठी मिट्टी चमक प्याला चाक कुम्हार लौ ताक नक्काशी घड़ा",
         "रेलगाड़ी स्टेशन टिकट पटरी सुरंग समयसारणी फाटक बेंच डिब्बा यात्री",
         "माली काई देवदार कैंची तालाब दीपस्तंभ पत्तियाँ पगडंडी चमेली बाड़",
         "सर्वर विन्यास अभिलेख द्वार प्रक्रिया प्रतिलिपि डिस्क प्रबंधक अद्यतन कूटशब्द",
         "गायकदल स्वरलिपि संचालक पियानो तालियाँ कक्ष गायिका विश्राम मंच ध्वन्यंकन"),
    ),
    "mixed": Script(
        " ",
        ("{0}の{1}を{v} with {2}。", "在{0}里{v} {1} 和 {2}，再{v2} {3}。", "The {0} {v} {1}，因为{2}。",
         "{0}は{1} より {2} を {v2}。",
         "Why {0} 比{1}更像{2}？", "若有{0}，就 {v2} {1}。"),
        ("deploy", "検索する", "重启", "restore", "確認する", "导出", "compare", "合并"),
        ("サーバー config 日志 port プロセス 备份 disk 管理者 update 密码",
         "窯 clay 釉料 cup ろくろ 陶工 flame 棚 pattern 花瓶",
         "列車 ticket 隧道 timetable 駅長 站台 bench 踏切 junction 车厢",
         "庭師 moss 松树 shears 池 石灯 leaves つつじ path 竹篱",
         "漁師 harbour 渔网 tide 灯台 螃蟹 rope 夜明け market 码头",
         "合唱団 score 指挥 piano 拍手 排练室 soprano 休憩 stage 录音"),
    ),
}  # fmt: skip


def text(script: Script, subject: int, seed: int) -> list[str]:
    """A text as its pieces: words and what stands between them, so that copies can be edited word by word."""
    chance = random.Random(f"{subject} {seed}")
    words, pieces = script.words(subject), []
    for _ in range(SENTENCES):
        chosen = chance.sample(words, 4)
        verbs = chance.sample(script.verbs, 2)
        filled = chance.choice(script.patterns)
        for mark, word in [
            *((f"{{{k}}}", word) for k, word in enumerate(chosen)),
            ("{v}", verbs[0]),
            ("{v2}", verbs[1]),
        ]:
            filled = filled.replace(mark, f"\0{word}\0")
        pieces += [*filled.split("\0"), script.joiner]
    return [piece for piece in pieces if piece]


def edited(script: Script, pieces: list[str], subject: int, share: float, seed: int) -> str:
    """A copy in which `share` of the subject's words and verbs are replaced, left out, or followed by another."""
    chance = random.Random(f"{share} {seed}")
    known = {*script.words(subject), *script.verbs}
    places = [at for at, piece in enumerate(pieces) if piece in known]
    others = [word for k in range(len(script.subjects)) for word in script.words(k)]
    out = list(pieces)
    for at in chance.sample(places, max(1, round(share * len(places)))):
        other = chance.choice(others)
        out[at] = chance.choice([other, "", out[at] + script.joiner + other])
    return "".join(out)


def core(spec: str) -> Callable[[str], Features]:
    """The features of a scheme, by their hashes."""
    scheme = _core.Scheme(spec)
    return lambda given: frozenset(row[1] for row in scheme.features(given))


def windows(units: Callable[[str], int], drop: Callable[[str], bool], form: Form = "NFKC") -> Callable[[str], Features]:
    """Windows of six units of the letters, marks, digits and symbols, where `units` says how many a character has."""

    def cut(given: str) -> Features:
        plain = unicodedata.normalize(form, unicodedata.normalize("NFKC", given).casefold())
        kept = [c for c in plain if unicodedata.category(c)[0] not in "PZC" and not drop(c)]
        found, end, filled = [], 0, 0
        for first, c in enumerate(kept):
            while filled < 6 and end < len(kept):
                filled += units(kept[end])
                end += 1
            if filled < 6:
                break
            found.append("".join(kept[first:end]))
            filled -= units(c)
        return frozenset(found or ["".join(kept)])

    return cut


def dense(c: str) -> int:
    """The units of `chars`: two of Han, kana and Hangul."""
    return 2 if "\u1100" <= c <= "\u11ff" or "\u3005" <= c <= "\u9fff" or "\uac00" <= c <= "\ud7ff" else 1


def is_kana(c: str) -> bool:
    """Hiragana and katakana."""
    return "\u3040" <= c <= "\u30ff"


def is_mark(c: str) -> bool:
    """Vowel signs, accents, points."""
    return unicodedata.category(c)[0] == "M"


def never(_: str) -> bool:
    """Nothing is left out."""
    return False


TRIALS: dict[str, Callable[[str], Features]] = {
    "chars128": core("chars128"),
    "words128": core("words128"),
    IN_FOURS: core(IN_FOURS),
    "chars128:units=5": core("chars128:units=5"),
    "chars128:units=8": core("chars128:units=8"),
    "kana 1 unit": windows(lambda c: 1 if is_kana(c) else dense(c), never),
    "Hangul as jamo": windows(lambda _: 1, never, "NFKD"),
    "Thai, Arabic, Devanagari letters 2": windows(lambda c: 2 if unicodedata.category(c) == "Lo" else dense(c), never),
    "marks 0 units": windows(lambda c: 0 if is_mark(c) else dense(c), never),
    "marks left out": windows(dense, is_mark),
    "tatweel and harakat left out": windows(dense, lambda c: c == "\u0640" or "\u064b" <= c <= "\u0652"),
}
