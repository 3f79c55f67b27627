"""What the golden files are made of: texts, schemes, and one source with every kind of record. All own writing."""

SCHEMES = (
    "chars64",
    "chars128",
    "chars256",
    "chars64:n=3",
    "chars64:units=1",
    "chars128:weights=tf",
    "chars128:weights=log",
    "chars128:punctuation=keep",
    "chars256:n=4,weights=log,punctuation=keep",
    "chars64:units=64",
    "simhash64",
    "gemantic64",
    "gemantic200",
    "mfonda64",
    "mfonda64:words=nfkc",
    "esimhash_baseline64",
    "esimhash_baseline128",
    "angelo32",
    "keywords64",
    "lines_tfidf64",
    "words64",
    "words128:n=2,weights=tf",
    "words256:weights=log",
    "words128:unspaced=fours",
    "words64:pos=n+v",
    "words128:pos=m+n*:2+v:0.5,weights=log",
    "words64:mode=search,hmm=off",
    "esimhash_baseline64:mode=full",
    "angelo32:pos=n*+v",
    "keywords64:top=10,pos=n:2+ns:3+v",
    "keywords64:cap=p50",
    "esimhash_baseline200",
    "chars64:above=2",
    "words64:weights=tf,above=-1.5",
)

TEXTS = {
    "simplified Chinese": "昨天下午，村口的老槐树下聚了许多人，大家都在谈论今年的雨水和收成。",
    "simplified Chinese, one word changed": "昨天上午，村口的老槐树下聚了许多人，大家都在谈论今年的雨水和收成。",
    "traditional Chinese": "昨天下午，村口的老槐樹下聚了許多人，大家都在談論今年的雨水和收成。",
    "short Chinese": "好",
    "Chinese exam question": "1．下列各句中，没有语病的一项是（　　）Ａ．他　Ｂ．她　Ｃ．它",
    "rare Han": "𠀀𠀁𪚥㐀龘靐齉",
    "English": "The ferry leaves the harbour at seven, and whoever is late must walk around the bay.",
    "English, capitals and spaces": (
        "  THE FERRY leaves the harbour\tat seven, and whoever is late must walk around the bay. "
    ),
    "long English": "Every morning the baker counts the loaves, and every evening he counts them again. " * 12,
    "Japanese": "川べりの小さな喫茶店で、彼女はいつもコーヒーを二杯注文した。",
    "Japanese, half width": "ｶﾌｪでｺｰﾋｰを飲む。ﾊﾟﾝも食べる。",
    "Korean": "우리 마을에는 오래된 우물이 하나 있는데, 겨울에도 얼지 않는다.",
    "Korean, conjoining": "\u1112\u1161\u11ab\u1100\u1173\u11af 한글",
    "Thai": "แม่น้ำสายนี้ไหลผ่านหมู่บ้านของเราทุกวัน",
    "Arabic": "كان الصياد ينتظر القمر كل ليلة قرب الشاطئ ﷺ ﻻ",
    "Hebrew": "הספרן הזקן סגר את הדלת בשקט.",
    "Hindi": "नदी के किनारे एक पुराना पुल है, जिस पर बच्चे खेलते हैं।",
    "Tamil": "மழை பெய்யும் போது கொக்குகள் பறக்கின்றன.",
    "Russian": "Старый мельник ещё помнил, как замёрз пруд и съехались все ёлочные торговцы.",
    "Greek": "Ο ΨΑΡΑΣ ΓΥΡΙΣΕ ΑΡΓΑ· ο ψαράς γύρισε αργά.",
    "German": "Die Straße führt über den großen Fluß; STRASSE und Straße sind eins.",
    "Turkish": "İSTANBUL'da ışık, Iğdır'da yağmur",
    "Vietnamese": "Đường về làng tối nay không trăng; tiếng Việt có dấu.",
    "Vietnamese, decomposed": (
        "Đươ\u0300ng về la\u0300ng tô\u0301i nay kho\u0302ng trăng; tiê\u0301ng Viê\u0323t co\u0301 dâ\u0301u."
    ),
    "emoji": "🚀 start 👩\u200d🚀 ❤\ufe0f 🇩🇪 👍🏽 done",
    "mathematics": "𝐄 = 𝑚𝑐² and ∑ᵢ xᵢ ≤ ½, so ∫ f ≠ ∞",
    "mixed": "用 Python3.11 写的テスト test №１２ — ещё раз! ＡＢＣ ①②③ ﬁne",
    "digits": "2024-05-01 13:45:00 +86 138 0000 0000",
    "repetitive": "哈" * 300 + "ha" * 200,
    "zero width": "in\u200bvis\u00adib\ufeffle \u2060marks",
    "controls": "line one\r\nline two\u2028line\x0bthree\x00end",
    "one letter": "a",
    "one mark": "\u0301",
    "late letters": "\U00010d50\U00010d51\ua7dc\U00016ea0\U0001df95",
    "empty": "",
    "spaces only": " \t\u3000\n",
    "punctuation only": "……！？。，（）-- `^~",
}

_PAGES = {
    "article": (
        "<!DOCTYPE html><html lang=en><head><title>t</title><link rel=a></head><body class='home wide'><nav><ul><li>"
        "<a href=/>Home</a><li><a href=/b>Bay</a></ul></nav><div id=m class=main><h1>The ferry</h1><p>It leaves at"
        " seven, and whoever is late must walk around the bay.<p>There is <b>one <i>boat</b> a day</i>.</div><footer>"
        "<p>2020</footer></body></html>"
    ),
    "table without its body": "<html><body><table class='t b t'><tr><td>渡船<td>七点</table>",
    "soup": "</p><b>one<p>two</b>three<li>four",
    "words alone": "no element at all",
    "empty": "",
}

OTHERS = {
    "dom64": _PAGES,
    "dom128:levels=2,classes=keep,weight=nearest,decay=0.8,hash=xxh3": _PAGES,
    "dom256:levels=0,weight=once": _PAGES,
    "chars128:extract=text": _PAGES,
    "chars64:n=3,weights=log,extract=main": _PAGES,
    "words64:extract=main": _PAGES,
    "chars128:cut_at=【解析】,strip=（[0-9]{1%2C2}分）": {
        "question": "1. 若 a<b 且 c>d，求值（3分）【解析】略（1分）",
        "nothing to take out": "若 a<b 且 c>d，求值",
        "nothing left": "【解析】略",
    },
    "words64:extract=text,strip=[0-9]+": {"page": "<p>若 a<b 且 c>d，求 12</p>"},
    "external64": {"hex": "00ff00ff12345678", "short": "7"},
    "external100": {"hex": "0x123456789abcdef0123456789"},
    "external64:format=int": {"digits": "18446744073709551615"},
    "external12:format=bits": {"digits": "100000000001"},
    "external32:format=base64": {"packed": "3q2-7w"},
}
"""Schemes that take no running text, with texts that they take."""

FERRY = TEXTS["English"]
BAKER = "Every morning the baker counts the loaves, and every evening he counts them again, for bread is dear."
VILLAGE = TEXTS["simplified Chinese"]


def _lines() -> list[bytes]:
    """The records of the source with their line ends."""
    return [
        b'\xef\xbb\xbf{"id": "ferry", "text": "' + FERRY.encode() + b'", "score": 1}\n',
        b'{"id": 2, "text": "' + FERRY.replace("seven", "eight").encode() + b'", "score": 5}\r\n',
        b'{"id": -3.50e0, "text": "' + FERRY.upper().encode() + b'"}\n',
        b"\n",
        b'{ "text" : "' + BAKER.encode() + b'" , "id" : true }\n',
        b'{"id": null, "text": "' + BAKER.replace("loaves", "rolls").encode() + b'", "score": "high"}\n',
        b'{"id": "\\u6751", "text": "' + VILLAGE.encode() + b'"}\n',
        b'{"id": "ferry", "text": "' + VILLAGE.replace("下午", "上午").encode() + b'", "score": 1e1}\n',
        b'{"id": ["list"], "text": "' + VILLAGE.encode() + b'  "}\n',
        b'{"id": {"o": 1}, "text": "?! ..."}\n',
        b'{"id": 12345678901234567890123, "text": "", "meta": {"deep": [1, {"x": null}]}}\n',
        b'{"id": "alone", "text": "Nothing here is like any other record, and so it stays alone.", "score": null}\n',
        b"this is no JSON\n",
        b'["no", "object"]\n',
        b'{"id": "t", "body": "no text"}\n',
        b'{"id": "n", "text": 12}\n',
        b'{"id": "s", "text": "half \\ud83d of it"}\n',
        b'{"id": "u", "text": "caf\xe9"}\n',
        b'{"id": "long", "text": "' + b"word " * 150 + b'"}\n',
        b"   \t \n",
        b'{"id": "tab\\tand \\"quote\\"", "text": "' + "Старый мельник ещё помнил, как замёрз пруд.".encode() + b'"}',
    ]


SOURCE = b"".join(_lines())
"""A source with every kind of record: a byte order mark, CRLF, blank lines and no last line end."""
