"""The rows of the settings table that say what a text is and what is near; see `simsieve.config.rows`."""

import os
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from simsieve.config import checks
from simsieve.config.kinds import KINDS
from simsieve.config.setting import (
    APART,
    COMMAS,
    ENCODES,
    EVERY,
    ID,
    IN_FILE,
    INPUT,
    NEAR,
    OF_RECORDS,
    REPEATED,
    SEARCHES,
    TEXT,
    TEXTS,
    row_of,
)
from simsieve.config.verdicts import check_verdicts
from simsieve.schemes.criteria import Criterion
from simsieve.schemes.model import DEFAULT_MAX_FEATURES, MOST_FEATURES, Model
from simsieve.schemes.scheme import EXTRACTS, FOLDS, AnyScheme

DEFAULT_SIMILARITY = 0.6
"""The similarity at which two documents are near when no threshold is given; chosen by measurement."""

CONTAINMENT = "containment"
DEFAULTS = {"cosine": DEFAULT_SIMILARITY, "jaccard": 0.43, CONTAINMENT: 0.8}
"""The measures of similarity, each with its default threshold: two sets of one size with a cosine of 0.6 have a
Jaccard similarity of 0.6 / 1.4, which is 0.43. A part that was copied has all its features in the whole."""

DEFAULT_MAX_RATIO = 4.0
MOST_RATIO = 100

THRESHOLDS = ("similarity", "max_distance")
"""The two thresholds; a run has one of them."""
COMBINE = ("all", "any")
NONE, FIT = "none", "fit"
"""Words that `idf` takes instead of a model."""


@dataclass(frozen=True, kw_only=True, init=False, repr=False, eq=False)
class NearRows:
    """Hold the values of these settings, unchecked."""

    text_field: Sequence[str] = row_of(
        ("text",), str, "a field name, or several; dots reach into objects, .* into lists",
        "The field or column that holds the text. The texts of several fields, or of a list, are joined in order; a"
        " record may lack some fields.",
        "--text-field title --text-field 'messages.*.content'", group=INPUT, common=True, aliases=("column",),
        check=checks.some_names, several=REPEATED, of=EVERY | {"compare", "fit", "plan"},
    )  # fmt: skip
    field: Sequence[str] = row_of(
        (), str, "NAME, NAME:THRESHOLD or NAME:THRESHOLD:WEIGHT, or several; the threshold may follow a scheme and @",
        "Compare a field by itself, in place of the text. Near records are near in each of several fields; one that a"
        " record lacks is no difference, but the first, which finds the pairs. With weights the mean over the fields"
        " must reach the similarity. A list counts as a set.",
        "--field title:0.8 --field authors:words64@0.5", group=NEAR,
        check=checks.names, several=REPEATED, metavar="NAME[:THRESHOLD[:WEIGHT]]", of=OF_RECORDS | {"spark"},
    )  # fmt: skip
    id_field: str = row_of(
        "id", str, "a field name; dots reach into objects", "The field that holds a record's label.", "--id-field url",
        group=INPUT, common=True, check=checks.text, of=EVERY | {"plan"},
    )  # fmt: skip
    scheme: AnyScheme | Criterion | Sequence[AnyScheme | Criterion] = row_of(  # noqa: RUF009 - a word, see below
        "chars128", str,
        "a name that `simsieve schemes` lists, name:option=value,..., or a file NAME.toml; optionally @0.8 or @3bits",
        "How a text becomes a fingerprint. A scheme has normaliser, features, weights, hash and width. Append @0.8 or"
        " @3bits for a threshold of its own.",
        "--scheme chars64", group=NEAR, common=True,
        several=REPEATED, metavar="NAME[@NEAR]", files=True,
        of=ENCODES | {"compare", "features", "fit", "plan", "spark"},
    )  # fmt: skip
    combine: str = row_of(
        "all", str, "all or any",
        "For several --scheme: documents are near if they are near under all of them, or under any. Under all, the"
        " first scheme finds the candidates.",
        "--combine any --scheme chars128 --scheme words64@0.5", group=NEAR,
        check=checks.one_of(COMBINE), words=COMBINE, metavar="all|any", of=OF_RECORDS | {"fingerprint", "spark"},
    )  # fmt: skip
    extract: str = row_of(
        NONE, str, "none, text or main",
        "The part of HTML texts that is used: the visible text, or the main text. Part of the scheme.",
        "--extract main", group=TEXT, check=checks.one_of(EXTRACTS), words=EXTRACTS, metavar="none|text|main",
        of=TEXTS | {"passages", "templates"},
    )  # fmt: skip
    fold: str = row_of(
        NONE, str, "none, t2s, tw2sp, numerals, marks, or several as in t2s+numerals+marks",
        "Compare Traditional Chinese as Simplified (t2s, tw2sp), numerals as digits, letters without accents. Part of"
        " the scheme.",
        "--fold t2s", group=TEXT, check=checks.one_of(FOLDS), words=FOLDS, metavar="FOLD", of=TEXTS,
    )  # fmt: skip
    cut_at: str | None = row_of(
        None, str, "a regular expression of Rust's regex crate",
        "End a text where the first match begins; a text without one stays whole. Part of the scheme.",
        "--cut-at Solution:", group=TEXT, check=checks.text, metavar="REGEX", of=TEXTS,
    )  # fmt: skip
    strip: str | None = row_of(
        None, str, "a regular expression of Rust's regex crate",
        "Take all matches out of a text, after cut_at. Part of the scheme.", r"--strip '\(\d+ points?\)'", group=TEXT,
        check=checks.text, metavar="REGEX", of=TEXTS,
    )  # fmt: skip
    ignore: str | os.PathLike[str] | None = row_of(  # noqa: RUF009 - no call makes the default
        None, str, "a file that `simsieve templates` wrote",
        "Templates that weigh nothing: a text is compared without them, and exact copies are still copies of the whole."
        " Part of the scheme.", "--ignore templates.jsonl", group=TEXT, check=checks.path, metavar="FILE", files=True,
        of=TEXTS,
    )  # fmt: skip
    idf: str | os.PathLike[str] | Model = row_of(  # noqa: RUF009 - a word, which the linter cannot see
        NONE, str, "none, fit, or a file that `simsieve fit` wrote",
        "Weigh rare features more: `fit` counts features in a first pass over the sources, a file has such counts. "
        "weights=once of the scheme becomes idf, tf becomes tf-idf, log becomes log-idf.",
        "--idf fit", group=NEAR, check=checks.model, words=(NONE, FIT), metavar="none|fit|MODEL", files=True,
        of=SEARCHES | {"calibrate", "fingerprint", "spark"},
    )  # fmt: skip
    max_features: int = row_of(
        DEFAULT_MAX_FEATURES, int, f"1 to {MOST_FEATURES}",
        "Features that a fitted model distinguishes; above this some count together.", "max_features = 10000000",
        unit="features", rare=IN_FILE, check=checks.whole(1, MOST_FEATURES),
        of=SEARCHES | {"calibrate", "fingerprint", "fit", "spark"},
    )  # fmt: skip
    similarity: float | None = row_of(
        None, float, "(0, 1]",
        f"Documents at least this similar are near; by default {DEFAULT_SIMILARITY}, under measure jaccard"
        f" {DEFAULTS['jaccard']}, under containment {DEFAULTS[CONTAINMENT]}. Not together with `max_distance`.",
        "--similarity 0.8", group=NEAR, common=True, aliases=("threshold", "sim"),
        check=checks.similarity, held={ID}, of=SEARCHES | {"compare", "plan", "spark"},
    )  # fmt: skip
    max_distance: int | None = row_of(
        None, int, "0 to the scheme's width less 1",
        "Fingerprints that differ in at most this many bits are near. Not together with `similarity`.",
        "--max-distance 3", unit="bits", group=NEAR, common=True, aliases=("distance",),
        held={ID}, of=SEARCHES | {"plan", "spark"},
    )  # fmt: skip
    measure: str = row_of(
        "cosine", str, "cosine, jaccard or containment",
        "The measure of similarity. cosine is that of the weighted features, jaccard that of the sets of features, for"
        " schemes whose features count once. Under containment a document is dropped if an earlier kept one has this"
        " share of its features; keep the longest first.", "--measure containment --keep longest",
        group=NEAR, common=True, check=checks.one_of(DEFAULTS), words=tuple(DEFAULTS), metavar="NAME",
        of=SEARCHES | {"calibrate", "edits", "plan", "spark"},
    )  # fmt: skip
    max_ratio: float = row_of(
        DEFAULT_MAX_RATIO, float, f"[1, {MOST_RATIO}]",
        "Under measure containment: a document is only compared with kept ones of at most this many times its features."
        " The search costs more for a larger ratio.", "max_ratio = 8", unit="times", rare=IN_FILE, group=NEAR,
        check=checks.real(f"[1, {MOST_RATIO}]", lambda x: 1 <= x <= MOST_RATIO), of=SEARCHES | {"plan", "spark"},
    )  # fmt: skip
    recall: float = row_of(
        0.98, float, "[0.5, 1)", "The share of the near pairs that the search is built to find, under similarity.",
        "--recall 0.99",
        check=checks.real("[0.5, 1)", lambda x: 0.5 <= x < 1), of=SEARCHES | {"plan", "spark"},
    )  # fmt: skip
    block_by: Sequence[str] = row_of(
        (), str, "a field name, or several; dots reach into objects",
        "Compare only records whose value of this field is equal. A missing value equals another missing one.",
        "--block-by subject --block-by grade", group=APART, common=True,
        check=checks.names, several=REPEATED, metavar="FIELD", of=OF_RECORDS | {"spark"},
    )  # fmt: skip
    differ: Sequence[str] = row_of(
        (), str, "a field name, or several; dots reach into objects",
        "Never drop a record for one whose value of this field differs, such as the answer to a question. After"
        " FIELD:known a missing value is no difference, nor are case, spaces and an address before a DOI.",
        "--differ answer --differ doi:known", group=APART, common=True,
        check=checks.names, several=REPEATED, metavar="FIELD[:known]", of=OF_RECORDS | {"spark"},
    )  # fmt: skip
    near: Sequence[str] = row_of(
        (), str, "FIELD:BOUND, or several; BOUND is a number, a percentage, a time such as 3d, range or names",
        "Never drop a record for one whose value of this field is further away. Ranges, such as pages, must overlap;"
        " lists of names must have half of the words of the shorter one in common. A missing value is no difference.",
        "--near year:1 --near pages:range --near author:names", group=APART,
        check=checks.near, several=REPEATED, metavar="FIELD:BOUND", of=OF_RECORDS | {"spark"},
    )  # fmt: skip
    agree: Sequence[str] = row_of(
        (), str, "a field name, or several; dots reach into objects",
        "Records with one known value of this field are near whatever their texts say, such as a DOI, unless another"
        " setting keeps them apart.", "--agree doi", group=NEAR,
        check=checks.names, several=REPEATED, metavar="FIELD", of=OF_RECORDS | {"spark"},
    )  # fmt: skip
    sure: str | None = row_of(
        None, str, "FIELDS:SIMILARITY, such as 4:0.95",
        "Records of which fewer fields of near, agree and differ FIELD:known agree are near only from this similarity"
        " on.", "--sure 4:0.95 --near year:1 --near pages:range", group=APART, check=checks.sure,
        metavar="FIELDS:SIMILARITY", of=OF_RECORDS | {"spark"},
    )  # fmt: skip
    same: Sequence[str] = row_of(
        (), str, "numbers, negation",
        "Never drop a record for one whose text has other numbers, or other words of negation. Numbers have their signs"
        " and units. Clean the texts first if they have numbers of questions or pages.",
        "--same numbers --same negation", group=APART, common=True,
        check=checks.same, several=REPEATED, metavar="numbers|negation", of=SEARCHES | {"calibrate", "spark"},
    )  # fmt: skip
    window: str | timedelta | None = row_of(  # noqa: RUF009 - no call makes the default
        None, str, "a time such as 7d, 36h, 90min or 30s; in Python also a timedelta",
        "Never drop a record for one whose date is further away, before or after. The dates are in date_field, and the"
        " clock plays no role.", "--window 7d --date-field published", group=APART, check=checks.window, metavar="TIME",
        of={"index", "spark"},
    )  # fmt: skip
    date_field: str | None = row_of(
        None, str, "a field name; dots reach into objects",
        "The field with the date of a record, for window: in ISO 8601, in UTC where it names no zone, or seconds or"
        " milliseconds since 1970. A record without a date fails.", "--date-field published --window 7d", group=INPUT,
        check=checks.text, metavar="FIELD", of={"index", "spark"},
    )  # fmt: skip
    max_lost: int | None = row_of(
        None, int, "0 to 2^31 - 1",
        "Never drop a record that loses more: the longest run of its text that the kept one does not have, in units. A"
        " Han, kana or Hangul character has 2 units, any other 1. With keep longest more records are dropped.",
        "--max-lost 10 --keep longest", unit="units", group=APART, common=True,
        check=checks.whole(0, 2**31 - 1), of=SEARCHES | {"spark"},
    )  # fmt: skip
    conflict: Sequence[str] = row_of(
        (), str, "none, numbers, codes, opposites, text; several with commas between them",
        "Keep texts apart that conflict. Each has a value that the other lacks, and the two"
        " values stand between the same words: numbers, codes such as HD-200X, or opposites such as slow and fast. For"
        " text, each has a long run of its own. Without it and without a kind, commands that drop take numbers;"
        " pairs takes none.",
        "--conflict numbers,opposites", group=APART, common=True,
        check=checks.conflict, several=COMMAS, metavar="KIND,...", of=SEARCHES | {"spark"},
    )  # fmt: skip
    kind: str | None = row_of(
        None, str, ", ".join(KINDS),
        "Take the settings of a kind of texts. An option given beside it, such as similarity, wins.",
        "--for laws", group=NEAR, common=True,
        check=checks.one_of(KINDS), of=OF_RECORDS | {"spark"}, metavar="KIND", flag="--for",
    )  # fmt: skip
    verdicts: Any = row_of(  # noqa: RUF009 - no call makes the default
        None, str, "a table of a, b and verdict: .csv, .tsv, .jsonl, .json or .parquet; in Python also a data frame, or"
        " rows of (a, b, verdict)",
        "Verdicts of people on pairs of ids: same, different, keep a or keep b. They override the texts; 1 and 0 are"
        " same and different.",
        "--verdicts verdicts.csv", group=APART, common=True,
        check=lambda _, value: check_verdicts(value), metavar="FILE", files=True, of={"pairs", "spark", "thresholds"},
    )  # fmt: skip
