"""Schemes, and what they need, that are not as they should be: cases of the table of bad input."""

import math
from collections.abc import Callable
from typing import Any

from tests.integration.bad_files import GOOD, write_files

from simsieve import CustomScheme, fit

RECORDS = {"in.jsonl": GOOD + b'{"id": 2, "text": "bad"}\n'}
PRINTS = b'{"text": "00ff"}\n'


def split(text: str) -> list[str]:
    """A segmenter that fails on one text."""
    if text == "bad":
        raise ValueError("no words in it")
    return text.split()


def weighing(weight: float) -> Callable[[str, int], float]:
    """Weights that are right but for those of one word."""
    return lambda feature, _: weight if feature == "bad" else 1.0


def own(**parts: Any) -> dict[str, Any]:
    """The setting of a scheme with functions."""
    return {"scheme": CustomScheme("mine", version="1", **parts)}


def other_model() -> None:
    """A model of windows of three characters."""
    write_files(RECORDS)
    fit(["one text", "another text"], scheme="chars128:n=3").save("n3.model")


def no_neighbours() -> None:
    """A model that counts words and not their neighbours."""
    write_files(RECORDS)
    fit(["one text", "another text"], scheme="words128").save("words.model")


def toml(content: str) -> dict[str, bytes]:
    """The records, and a scheme in a file."""
    return {**RECORDS, "mine.toml": content.encode()}


MINE = {"scheme": "mine.toml"}

ROWS: list[tuple[str, Any, str, dict[str, Any]]] = [
    ("a user dictionary with a bad line", {**RECORDS, "words.txt": "云计算 5\n云计算 five n\n".encode()}, "SourceError",
     {"scheme": "words64:dict=words.txt"}),
    ("a user dictionary that is no UTF-8", {**RECORDS, "words.txt": "云计算 5\n".encode("gbk")}, "SourceError",
     {"scheme": "words64:dict=words.txt"}),
    ("a user dictionary that is missing", RECORDS, "SourceError", {"scheme": "words64:dict=words.txt"}),
    ("stop words that are missing", RECORDS, "SourceError", {"scheme": "words64:stop=stop.txt"}),
    ("a model that is missing", RECORDS, "SourceError", {"scheme": "chars128:weights=idf,model=no.model"}),
    ("a file that is no model", {**RECORDS, "no.model": GOOD * 9}, "SourceError", {"idf": "no.model"}),
    ("weights that need a model, and none is given", RECORDS, "ConfigError", {"scheme": "esimhash128"}),
    ("a model of another scheme", other_model, "ConfigError", {"idf": "n3.model"}),
    ("a model without neighbours", no_neighbours, "ConfigError", {"scheme": "esimhash128:model=words.model"}),
    ("a TOML file that is missing", RECORDS, "SourceError", MINE),
    ("a TOML file that is none", toml("features = words\n"), "SourceError", MINE),
    ("a TOML file with an unknown key", toml('feature = "words"\n'), "ConfigError", MINE),
    ("a TOML file with several unknown keys", toml('wieghts = "tf"\ncolour = "red"\n'), "ConfigError", MINE),
    ("a TOML file with a value that is not allowed", toml('features = "word"\n'), "ConfigError", MINE),
    ("width 300", toml("width = 300\n"), "ConfigError", MINE),
    ("more bits than the hash has", toml('hash = "md5"\nwidth = 160\n'), "ConfigError", MINE),
    ("the hash of Python", toml('hash = "hash"\n'), "ConfigError", MINE),
    ("a weight below zero in a TOML file", toml("[weights]\nferry = -1.0\n"), "ConfigError", MINE),
    ("a function of features that raises", RECORDS, "unusable_text; 1 of 2", own(features=split)),
    ("a function of features that gives numbers", RECORDS, "unusable_text; 2 of 2",
     own(features=lambda text: map(len, text.split()))),
    ("a function of weights that gives NaN", RECORDS, "unusable_text; 1 of 2", own(weights=weighing(math.nan))),
    ("a function of weights that gives a negative one", RECORDS, "unusable_text; 1 of 2", own(weights=weighing(-1.0))),
    ("a function of weights that gives infinity", RECORDS, "unusable_text; 1 of 2", own(weights=weighing(math.inf))),
    ("a function of weights that gives too great a one", RECORDS, "unusable_text; 1 of 2", own(weights=weighing(5e3))),
    ("weights that are all zero: no fingerprint", RECORDS, "kept 2 of 2", own(weights=lambda _feature, _count: 0.0)),
    ("a table of weights that has no word of the texts: no fingerprint", toml("[weights]\nferry = 2.0\n"),
     "kept 2 of 2", MINE),
    ("a fingerprint wider than declared", {"in.jsonl": PRINTS + b'{"text": "123456789abcdef01"}\n'},
     "unusable_text; 1 of 2", {"scheme": "external64", "max_distance": 3}),
    ("a number wider than declared", {"in.jsonl": b'{"text": 1}\n{"text": 18446744073709551616}\n'},
     "unusable_text; 1 of 2", {"scheme": "external64:format=int", "max_distance": 3}),
    ("a text that is no fingerprint", {"in.jsonl": PRINTS + b'{"text": "a text"}\n'}, "unusable_text; 1 of 2",
     {"scheme": "external64", "max_distance": 3}),
    ("fingerprints, and a similarity is asked", {"in.jsonl": PRINTS}, "ConfigError",
     {"scheme": "external64", "similarity": 0.8}),
]  # fmt: skip
"""What is wrong, the files or what makes them, the outcome, and the settings."""
