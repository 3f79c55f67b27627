"""The text of an RTF file, read by striprtf, as a reader sees it.

striprtf takes every character of the body, and no note. So the file is written anew before: without hidden, struck and
deleted text, with raised and lowered digits as characters of their own, and with the notes behind the text.
"""

import re
from dataclasses import dataclass, replace

from simsieve.errors import TextError
from simsieve.messages import Message
from simsieve.optional import striprtf
from simsieve.stores.papers.text import Text, raised

_MOST_TIMES = 64
"""How many times as large as its text a file may be, as far as it is no picture."""
_BAD_FILE = (ValueError, LookupError, TypeError, OverflowError, AttributeError)

_TOKEN = re.compile(
    r"\\(?P<word>[a-zA-Z]+)(?P<number>-?[0-9]{1,10})? ?|\\'..|\\.|(?P<brace>[{}])|(?P<run>[^\\{}]+)", re.DOTALL
)
_TAGS = {"super": "sup", "up": "sup", "sub": "sub", "dn": "sub"}
_GONE = {"v", "webhidden", "strike", "striked", "deleted"}
_KEPT = "footnote"
_DRAWN = {"pict", "moMath"}
"""Groups without text: two files that differ in one are no exact copies."""
_INSIDE = "inside"
"""A group in one that is drawn, which is noted as a whole."""
_SIGNS = {"u", "tab", "line", "emdash", "endash", "bullet", "lquote", "rquote", "ldblquote", "rdblquote", "cell"}


@dataclass(frozen=True, slots=True)
class _State:
    """How the text of a group is shown, what the group is, and where it begins in the output and in the file."""

    tag: str = ""
    gone: frozenset[str] = frozenset()
    skipped: int = 1
    group: str = ""
    written: int = 0
    begin: int = 0


def _as_shown(content: str, text: Text) -> str:
    """Write a file so that its characters are those that a reader sees, and note its pictures."""
    pieces: list[str] = []
    notes: list[str] = []
    above: list[_State] = []
    state, at, skipped = _State(), 0, 0
    while found := _TOKEN.match(content, at):
        at, piece = found.end(), found[0]
        word, number = found["word"], found["number"]
        if found["brace"] == "{":
            above.append(state)
            inside = _INSIDE if state.group in (*_DRAWN, _INSIDE) else ""
            state = replace(state, group=inside, written=len(pieces), begin=at)
        elif found["brace"] and above:
            if state.group in _DRAWN:
                text.picture(content[state.begin : at])
            elif state.group == _KEPT:
                notes.append("\\par " + "".join(pieces[state.written + 1 :]).replace("\\footnote", "", 1))
                del pieces[state.written :]
                piece = ""
            state = above.pop()
        elif word == "bin":
            at += max(int(number or 0), 0)
            piece = content[found.start() : at]
        elif word:
            state = _said(state, word, number)
            piece = "" if state.gone and word in _SIGNS else piece
        elif found["run"] is not None:
            piece = "" if state.gone else piece[:skipped] + _raised(piece[skipped:], state.tag)
        elif state.gone and piece != "\\*":
            piece = ""
        skipped = state.skipped if word == "u" else 0
        pieces.append(piece)
    end = content[at:] if not above else ""
    whole = "".join(pieces)
    last = whole.rfind("}") if notes else -1
    return whole[:last] + "".join(f"{{{note}}}" for note in notes) + whole[last:] + end if notes else whole + end


def _said(state: _State, word: str, number: str | None) -> _State:
    """The state behind a control word."""
    if word in _TAGS:
        return replace(state, tag="" if number == "0" else _TAGS[word])
    if word == "nosupersub":
        return replace(state, tag="")
    if word in _GONE:
        return replace(state, gone=state.gone - {word} if number == "0" else state.gone | {word})
    if word == "plain":
        return replace(state, tag="", gone=frozenset())
    if word == "uc":
        return replace(state, skipped=int(number or 1))
    is_group = not state.group and (word == _KEPT or word in _DRAWN)
    return replace(state, group=word) if is_group else state


def _raised(piece: str, tag: str) -> str:
    """Write a run above or below the line."""
    if not tag or not piece.isascii():
        return piece
    shown = raised(re.sub(r"[\r\n]", "", piece), tag)
    return "".join(one if one.isascii() else f"{{\\uc0\\u{ord(one)} }}" for one in shown)


def read(path: str, most_bytes: int) -> str:
    """Give the text of a file."""
    # Outside of the `try` below: a missing package is no fault of the file.
    to_text = striprtf().rtf_to_text
    with open(path, "rb") as file:
        content = file.read(_MOST_TIMES * most_bytes + 1)
    text = Text(most_bytes)
    try:
        if not content.startswith(b"{\\rtf"):
            raise ValueError("it does not begin with {\\rtf")
        text.check(len(content) // _MOST_TIMES)
        found = to_text(_as_shown(content.decode("latin-1"), text), errors="replace")
        # It writes each half of a character beyond 16 bits for itself.
        text.add(found.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace"))
    except TextError:
        raise
    except _BAD_FILE as error:
        why = Message("is no whole {kind} file ({error}); fetch or save it again", kind="RTF", error=error)
        raise TextError(why, code="unreadable") from error
    return str(text)
