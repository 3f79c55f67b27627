"""The text of mails (`.eml`, RFC 5322) and mailboxes (`.mbox`, RFC 4155): bodies, and marks of attachments."""

import hashlib
import mailbox
from collections.abc import Iterator
from email import message_from_bytes, policy
from email.message import EmailMessage
from typing import Any

from simsieve import _core
from simsieve.errors import TextError
from simsieve.messages import Message
from simsieve.stores.papers.text import Text

_WIDER = {"gb2312": "gb18030", "gbk": "gb18030", "ks_c_5601-1987": "cp949", "us-ascii": "utf-8"}
"""Encodings that mails name, and what they are in."""
_BAD_MAIL = (ValueError, LookupError, TypeError, AttributeError, RecursionError)
"""What the library raises for mails that are none."""


def read(path: str, most_bytes: int) -> str:
    """Give the text of a mail in a file."""
    with open(path, "rb") as file:
        return _text(file.read(), most_bytes)


def read_box(path: str, most_bytes: int) -> Iterator[str | TextError]:
    """Give the texts of the mails in a file, or why one has none."""
    with open(path, "rb") as file:
        begins = file.read(5)
    if begins.strip() and begins != b"From ":
        raise _damaged("mbox", "its first line does not begin with 'From '")
    box = mailbox.mbox(path, create=False)
    try:
        for key in box.iterkeys():
            try:
                yield _text(box.get_bytes(key), most_bytes)
            except TextError as error:
                yield error
    finally:
        box.close()


def _damaged(kind: str, error: object) -> TextError:
    why = Message("is no whole {kind} file ({error}); fetch or save it again", kind=kind, error=error)
    return TextError(why, code="unreadable")


def _text(whole: bytes, most_bytes: int) -> str:
    text = Text(most_bytes)
    try:
        mail = message_from_bytes(whole, _class=EmailMessage, policy=policy.default)
        parts: list[Any] = list(mail.walk())
        # A mail that is forwarded whole is shown too.
        inside = [part.get_payload(0) for part in parts if part.get_content_type() == "message/rfc822"]
        mails: list[Any] = [mail, *inside]
        bodies = [body for body in (one.get_body(("plain", "html")) for one in mails) if body is not None]
        for body in bodies if mail.keys() else ():
            text.add(f"{_decoded(body).strip()}\n")
        has_text = bool(str(text))
        for part in parts:
            is_shown = part.is_multipart() or any(part is body for body in bodies)
            if not is_shown and (part.get_content_maintype() != "text" or part.is_attachment()):
                text.picture(hashlib.sha256(part.get_payload(decode=True) or b"").hexdigest())
    except TextError:
        raise
    except _BAD_MAIL as error:
        raise _damaged("mail", repr(error)) from error
    if not has_text:
        raise TextError("is a mail without a text; take it away, or give what is attached", code="not_text")
    return str(text)


def _decoded(body: Any) -> str:
    content, charset = body.get_payload(decode=True), body.get_content_charset()
    if not isinstance(content, bytes):
        raise TypeError(body.get_content_type())
    if body.get_content_subtype() == "html":
        return _core.page_text(content, charset)
    try:
        return content.decode(_WIDER.get(charset or "us-ascii", charset or "utf-8"), "replace").replace("\r\n", "\n")
    except LookupError:
        return content.decode("utf-8", "replace").replace("\r\n", "\n")
