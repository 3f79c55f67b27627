"""Pictures for tests: drawn, copied smaller, and broken."""

import struct
import zlib
from pathlib import Path

from PIL import Image, ImageDraw


def drawn(shift: int, mode: str = "RGB") -> Image.Image:
    """Draw a disc and a box on a gradient."""
    picture = Image.linear_gradient("L").resize((320, 240)).convert("RGB")
    pen = ImageDraw.Draw(picture)
    pen.ellipse((40 + shift, 30, 160 + shift, 150), fill="red")
    pen.rectangle((200 - shift, 120, 300 - shift, 220), fill="blue")
    return picture.convert(mode)


def photos(folder: Path) -> Path:
    """Fill a folder: two pictures, a smaller copy of one in a folder below, a broken one, a bomb, and a note."""
    place = folder / "photos"
    (place / "small").mkdir(parents=True)
    drawn(0).save(place / "harbour.png")
    drawn(90).save(place / "market.png")
    drawn(2).resize((160, 120)).save(place / "small" / "harbour.jpg", quality=40)
    (place / "broken.jpg").write_bytes((place / "small" / "harbour.jpg").read_bytes()[:700])
    (place / "bomb.png").write_bytes(bomb(30_000))
    (place / "note.txt").write_text("no picture", encoding="utf-8")
    return place


def bomb(side: int) -> bytes:
    """Make a short file of a picture that would fill the memory."""

    def chunk(kind: bytes, content: bytes) -> bytes:
        return struct.pack(">I", len(content)) + kind + content + struct.pack(">I", zlib.crc32(kind + content))

    header = struct.pack(">IIBBBBB", side, side, 8, 2, 0, 0, 0)
    return (
        b"\x89PNG\r\n\x1a\n"
        + chunk(b"IHDR", header)
        + chunk(b"IDAT", zlib.compress(b"\0" * 1000))
        + chunk(b"IEND", b"")
    )
