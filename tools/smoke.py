"""Uses an installed simsieve as its first user would; knows nothing of the sources. Run by tools/test_wheel.sh."""

import importlib.metadata
import importlib.util
import json
import subprocess
import sys
import tempfile
from pathlib import Path

import simsieve

TEXTS = [
    ("a", "图书馆周一闭馆，周二至周日上午九点开门，晚上八点关门，节假日另行通知，请读者留意门口的告示牌。"),
    ("b", "图书馆周一闭馆，周二至周日上午九点开门，晚上九点关门，节假日另行通知，请读者留意门口的告示牌。"),
    ("c", "The night train to the coast leaves from platform four at ten, and carries no bicycles."),
    ("d", "THE NIGHT TRAIN TO THE COAST LEAVES FROM PLATFORM FOUR AT TEN,  AND CARRIES NO BICYCLES."),
]


def main() -> None:
    """Import, fingerprint, and dedup through the command line; every step checked."""
    installed = Path(simsieve.__file__).resolve()
    assert installed.is_relative_to(Path(sys.prefix).resolve()), f"imported from {installed}, not from the wheel"
    assert importlib.util.find_spec("pytest") is None, "the environment has the developer's tools"

    fingerprint = simsieve.fingerprint(TEXTS[0][1])
    assert fingerprint is not None
    assert int(fingerprint) > 0
    assert simsieve.fingerprint("……") is None

    # The data of the dictionary and of Traditional Chinese are compiled in.
    assert simsieve.Segmenter().cut("我来到北京清华大学") == ["我", "来到", "北京", "清华大学"]
    folded = [simsieve.fingerprint(text, scheme="chars128:fold=t2s") for text in ("圖書館週一閉館", "图书馆周一闭馆")]
    assert folded[0] == folded[1]

    distribution = importlib.metadata.distribution("simsieve")
    licences = distribution.metadata.get_all("License-File", [])
    assert {"LICENSE", "licenses/crates.txt", "licenses/jieba.txt", "licenses/opencc.txt"} <= set(licences), licences
    assert all(distribution.read_text(f"licenses/{name}") for name in licences), "a licence has no text"

    with tempfile.TemporaryDirectory() as folder:
        source, sink = Path(folder, "texts.jsonl"), Path(folder, "kept.jsonl")
        lines = [json.dumps({"id": name, "text": text}, ensure_ascii=False) for name, text in TEXTS]
        source.write_text("\n".join(lines) + "\n", encoding="utf-8")
        command = Path(sys.prefix, "bin", "simsieve")
        subprocess.run([command, "dedup", source, "-o", sink], check=True)
        kept = sink.read_text(encoding="utf-8").splitlines()

    assert kept == [lines[0], lines[2]], kept
    print(f"simsieve {simsieve.__version__} works from its wheel: {len(TEXTS)} read, {len(kept)} kept")


if __name__ == "__main__":
    main()
