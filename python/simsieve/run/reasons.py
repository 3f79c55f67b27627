"""The reasons of a recipe in the user's language: sentences of the core with their numbers."""

import re

from simsieve.messages import tr

REASONS = (
    "every pair",
    "{first} chosen paths a text",
    "{count} tables of agreeing bits",
    "Every pair is tested: below 8,192 documents keys would cost more than they save.",
    "Every pair is tested: at {bits} of {width} bits no choice of agreeing blocks costs less for this many documents.",
    (
        "Two fingerprints within {bits} bits agree in one of {count} choices of blocks: no pair within the distance is"
        " missed."
    ),
    (
        "Each text selects {first} of its features, rare ones most often, and {further} more in the mean for each path"
        " that over {bucket} texts have."
    ),
    (
        "A pair at {threshold} meets in a path of two features with the probability {equals}, and where one text is a"
        " part of the other {parts}."
    ),
    (
        "A pair at {threshold} meets in a path of two features with the probability {equals}, and where the kept text"
        " has {ratio} times as many features {parts}."
    ),
    "Pairs whose sketches differ in more than {bits} of {width} bits are not verified.",
    "The threshold is so low that sketches rule nothing out: each pair that meets is verified.",
)
"""What the core says of a recipe, with a name for each number."""

_PATTERNS = [(text, re.compile(re.sub(r"\\\{(\w+)\\\}", r"(?P<\1>[\\w. -]+?)", re.escape(text)))) for text in REASONS]


def reason(sentence: str) -> str:
    """Give a sentence of the core on a recipe in the user's language."""
    for text, pattern in _PATTERNS:
        if found := pattern.fullmatch(sentence):
            values = found.groupdict()
            return tr(text, **values) if values else tr(text)
    return sentence
