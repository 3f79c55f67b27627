"""The text of an RTF file, read by striprtf."""

from simsieve.errors import TextError
from simsieve.messages import Message
from simsieve.optional import striprtf
from simsieve.stores.papers.text import Text

_MOST_TIMES = 64
"""How many times as large as its text a file may be, as far as it is no picture."""
_BAD_FILE = (ValueError, LookupError, TypeError, OverflowError, AttributeError)


def read(path: str, most_bytes: int) -> str:
    """Give the text of a file."""
    # Outside of what is caught below: a missing package is no fault of the file.
    to_text = striprtf().rtf_to_text
    with open(path, "rb") as file:
        content = file.read(_MOST_TIMES * most_bytes + 1)
    text = Text(most_bytes)
    try:
        if not content.startswith(b"{\\rtf"):
            raise ValueError("it does not begin with {\\rtf")
        text.check(len(content) // _MOST_TIMES)
        found = to_text(content.decode("latin-1"), errors="replace")
        # It writes each half of a character beyond 16 bits for itself.
        text.add(found.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace"))
    except TextError:
        raise
    except _BAD_FILE as error:
        why = Message("is no whole {kind} file ({error}); fetch or save it again", kind="RTF", error=error)
        raise TextError(why, code="unreadable") from error
    return str(text)
