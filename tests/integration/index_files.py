"""The files of an index, forged with right checksums by the form that docs/explanation/runs.md tells."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import xxhash

PIECE = 64 << 10


def segments(folder: Path) -> list[Path]:
    """The segments of an index."""
    return sorted(folder.glob("segment-*"))


def newest(folder: Path) -> Path:
    """The newest manifest of an index."""
    return max(folder.glob("manifest-*"))


def sealed(line: dict[str, Any]) -> str:
    """A line of JSON with its checksum behind it."""
    text = json.dumps(line, separators=(",", ":"))
    return f"{text}\n{xxhash.xxh3_128_hexdigest(text.encode())}\n"


def forge_manifest(folder: Path, **values: Any) -> None:
    """Put other values into the newest manifest, and its checksum into the note."""
    path = newest(folder)
    path.write_text(sealed(json.loads(path.read_text().splitlines()[0]) | values))
    note = json.loads((folder / "newest").read_text().splitlines()[0])
    (folder / "newest").write_text(sealed(note | {"manifest": path.read_text().splitlines()[1]}))


def parts_of(raw: bytes) -> tuple[dict[str, Any], dict[str, bytearray]]:
    """The directory of an artifact, and the bytes of its sections."""
    directory = json.loads(raw[int.from_bytes(raw[-40:-32], "little") : -40])
    of = {one["name"]: bytearray(raw[one["offset"] : one["offset"] + one["bytes"]]) for one in directory["sections"]}
    return directory, of


def forge(path: Path, change: Callable[[dict[str, bytearray], dict[str, Any]], None]) -> None:
    """Change sections and directory of a file of an index; every checksum is made anew, that in the manifest too."""
    raw = path.read_bytes()
    directory, sections = parts_of(raw)
    change(sections, directory)
    out = bytearray(raw[:64])
    for one in directory["sections"]:
        out += bytes(-len(out) % 64)
        if one["name"] == "pieces":
            pieces = (bytes(out[at : at + PIECE]) for at in range(0, len(out), PIECE))
            sections["pieces"] = bytearray(b"".join(xxhash.xxh3_64_intdigest(p).to_bytes(8, "little") for p in pieces))
            one["length"] = len(sections["pieces"]) // 8
        data = bytes(sections[one["name"]])
        one |= {"offset": len(out), "bytes": len(data), "xxh3_128": xxhash.xxh3_128_hexdigest(data)}
        out += data
    out += bytes(-len(out) % 64)
    at, text = len(out), json.dumps(directory, separators=(",", ":")).encode()
    checksum = xxhash.xxh3_128_intdigest(bytes(out[:64]) + text)
    path.write_bytes(out + text + at.to_bytes(8, "little") + checksum.to_bytes(16, "little") + raw[-16:])
    manifest = json.loads(newest(path.parent).read_text().splitlines()[0])
    for file in [*manifest["segments"], manifest["frozen"]]:
        if file["name"] == path.name:
            file["xxh3_128"] = f"{checksum:032x}"
    forge_manifest(path.parent, **manifest)
