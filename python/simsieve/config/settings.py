"""Every setting of a run, in one table: name, default, unit, what is allowed, help and an example.

The fields of `DedupConfig` are that table. `SETTINGS` reads it; the command line's options and the reference page are
made from `SETTINGS`, so a setting is described only here. A config is checked when it is made and never changes.
"""

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
from typing import Any, cast

from simsieve.checks import check_integer, check_key, check_real, check_similarity
from simsieve.checks import shown as _shown
from simsieve.config import checks
from simsieve.config.collection import check_collection
from simsieve.config.formats import check_format
from simsieve.config.setting import INPUT, NEAR, OUTPUT, STAYS, Setting
from simsieve.errors import ConfigError
from simsieve.schemes.criteria import Criterion, criteria_of, criterion_of, given_forms
from simsieve.schemes.model import DEFAULT_MAX_FEATURES, MOST_FEATURES, Model
from simsieve.schemes.scheme import AnyScheme
from simsieve.schemes.validate import EXTRACTS

DEFAULT_SIMILARITY = 0.65
"""The similarity at which two documents are near when no threshold is given; chosen by measurement."""

DEFAULTS = {"cosine": DEFAULT_SIMILARITY, "jaccard": 0.48}
"""The measures of similarity, each with its default threshold: two sets of one size with a cosine of 0.65 have a
Jaccard similarity of 0.65 / 1.35, which is 0.48."""

COMBINE = ("all", "any")
NONE, FIT = "none", "fit"
"""Words that `idf` takes instead of a model."""


def _setting(default: Any, kind: type, *texts: str, unit: str = "", **shown: Any) -> Any:
    row = dict(zip(("allowed", "help", "example"), texts, strict=True), kind=kind, unit=unit, **shown)
    return field(default=default, metadata=row)


@dataclass(frozen=True, kw_only=True)
class DedupConfig:
    """Hold the settings of a run, checked when made and frozen.

    Args:
        **settings: The rows of `SETTINGS`, each with its default, unit, allowed values and help.

    Raises:
        ConfigError: A value is not allowed, both thresholds are given, or the scheme is not known. The text has the
            value, what is allowed and what to do.

    Example:
        >>> config = DedupConfig(scheme="chars128", max_distance=3)
        >>> config.max_distance, config.effective_similarity
        (3, None)
        >>> DedupConfig().effective_similarity
        0.65
    """

    text_field: Sequence[str] = _setting(
        ("text",), str, "a field name, or several; dots reach into objects",
        "The field or column that holds the text. The texts of several fields are joined in order; a record may lack"
        " some.",
        "--text-field title --text-field body.plain", group=INPUT, common=True, aliases=("column", "field"),
    )  # fmt: skip
    id_field: str = _setting(
        "id", str, "a field name; dots reach into objects", "The field that holds a record's label.", "--id-field url",
        group=INPUT, common=True,
    )  # fmt: skip
    scheme: AnyScheme | Criterion | Sequence[AnyScheme | Criterion] = _setting(  # noqa: RUF009 - a word, see below
        "chars128", str,
        "a name that `simsieve schemes` lists, name:option=value,..., or a file NAME.toml; optionally @0.8 or @3bits",
        "How a text becomes a fingerprint. A scheme has normaliser, features, weights, hash and width. Append @0.8 or"
        " @3bits for a threshold of its own.",
        "--scheme chars64", group=NEAR, common=True,
    )  # fmt: skip
    combine: str = _setting(
        "all", str, "all or any",
        "For several --scheme: documents are near if they are near under all of them, or under any. Under all, the"
        " first scheme finds the candidates.",
        "--combine any --scheme chars128 --scheme words64@0.5", group=NEAR,
    )  # fmt: skip
    extract: str = _setting(
        NONE, str, "none, text or main",
        "The part of HTML texts that is used: the visible text, or the main text. Part of the scheme.",
        "--extract main", group=NEAR,
    )  # fmt: skip
    cut_at: str | None = _setting(
        None, str, "a regular expression of Rust's regex crate",
        "End a text where the first match begins; a text without one stays whole. Part of the scheme.",
        "--cut-at Solution:", group=NEAR,
    )  # fmt: skip
    strip: str | None = _setting(
        None, str, "a regular expression of Rust's regex crate",
        "Take all matches out of a text, after cut_at. Part of the scheme.", r"--strip '\(\d+ points?\)'", group=NEAR,
    )  # fmt: skip
    idf: str | os.PathLike[str] | Model = _setting(  # noqa: RUF009 - a word, which the linter cannot see
        NONE, str, "none, fit, or a file that `simsieve fit` wrote",
        "Weigh rare features more: `fit` counts features in a first pass over the sources, a file has such counts. "
        "weights=once of the scheme becomes idf, tf becomes tf-idf, log becomes log-idf.",
        "--idf fit", group=NEAR,
    )  # fmt: skip
    max_features: int = _setting(
        DEFAULT_MAX_FEATURES, int, f"1 to {MOST_FEATURES}",
        "Features that a fitted model distinguishes; above this some count together.", "--max-features 10000000",
        unit="features",
    )  # fmt: skip
    similarity: float | None = _setting(
        None, float, "(0, 1]",
        "Documents at least this similar are near. Without a threshold it is"
        f" {DEFAULT_SIMILARITY}, or {DEFAULTS['jaccard']} under measure jaccard. Not together with max_distance.",
        "--similarity 0.8", group=NEAR, common=True, aliases=("threshold", "sim"),
    )  # fmt: skip
    max_distance: int | None = _setting(
        None, int, "0 to the scheme's width less 1",
        "Fingerprints that differ in at most this many bits are near. Not together with similarity.",
        "--max-distance 3", unit="bits", group=NEAR, common=True, aliases=("distance",),
    )  # fmt: skip
    measure: str = _setting(
        "cosine", str, "cosine or jaccard",
        "The measure of similarity. cosine is that of the weighted features, jaccard that of the sets of features, for"
        " schemes whose features count once.", "--measure jaccard --similarity 0.5",
        group=NEAR, common=True,
    )  # fmt: skip
    recall: float = _setting(
        0.98, float, "[0.5, 1)", "The share of the near pairs that the search is built to find, under similarity.",
        "--recall 0.99",
    )  # fmt: skip
    block_by: Sequence[str] = _setting(
        (), str, "a field name, or several; dots reach into objects",
        "Compare only records whose value of this field is equal. A missing value equals another missing one.",
        "--block-by subject --block-by grade", group=NEAR,
    )  # fmt: skip
    differ: Sequence[str] = _setting(
        (), str, "a field name, or several; dots reach into objects",
        "Never drop a record for one whose value of this field differs, such as the answer to a question.",
        "--differ answer", group=NEAR,
    )  # fmt: skip
    verdicts: Any = _setting(  # noqa: RUF009 - no call makes the default
        None, str, "a table of a, b and verdict: .csv, .tsv or .jsonl; in Python also rows of (a, b, verdict)",
        "Verdicts of people on pairs of ids: same, different, keep a or keep b. They override the texts.",
        "--verdicts verdicts.csv", group=NEAR,
    )  # fmt: skip
    keep: tuple[str, ...] = _setting(
        ("first",), str, "first, last, longest, shortest, max:FIELD, min:FIELD, or a list of them",
        "Which document of a cluster is kept. Later entries of a list break ties; the position breaks the last ones.",
        "--keep max:date,longest", group=STAYS, common=True,
    )  # fmt: skip
    seed: int = _setting(
        0, int, "0 to 2^64 - 1", "Seeds the search and the recall sample; the same seed gives the same result.",
        "--seed 7",
    )  # fmt: skip
    threads: int = _setting(
        0, int, "0 to 1024", "Number of threads; 0 uses all cores. Never changes a result.", "--threads 4",
        unit="threads", aliases=("jobs", "workers"),
    )  # fmt: skip
    batch: int = _setting(
        0, int, "0 to 2^63 - 1", "Documents processed at a time; 0 lets simsieve choose. Never changes a result.",
        "--batch 10000", unit="documents",
    )  # fmt: skip
    max_record_bytes: int = _setting(
        268_435_456, int, "1 to 2^63 - 1", "A longer record counts as failed.", "--max-record-bytes 1000000",
        unit="bytes",
    )  # fmt: skip
    max_failed: str = _setting(
        "0", str, "a number of records, or a percentage such as 1%",
        "With more failed records than this the exit code is 1; the results are written anyway.",
        "--max-failed 1%", group=INPUT,
    )  # fmt: skip
    max_pairs: int = _setting(
        100_000_000, int, "1 to 2^63 - 1",
        "Refuse an answer of more pairs than this. The message has their least number.",
        "--max-pairs 1000000", unit="pairs",
    )  # fmt: skip
    sample: int = _setting(
        1000, int, "0 to 2^63 - 1",
        "Kept documents that are compared with every earlier kept one to measure the recall; 0 measures nothing.",
        "--sample 5000", unit="documents",
    )  # fmt: skip
    input_format: str | None = _setting(
        None, str, "jsonl, json, txt, csv, tsv or parquet",
        "The form of the sources; by default the extension decides.", "--input-format jsonl", group=INPUT,
    )  # fmt: skip
    output_format: str | None = _setting(
        None, str, "that of the sources, jsonl or json",
        "The form of the kept records; by default the sink's extension decides. JSON lines and lists take records of"
        " all text forms.",
        "--output-format jsonl", group=OUTPUT,
    )  # fmt: skip
    limit: int | None = _setting(
        None, int, "1 to 2^63 - 1", "Read only the first records of the sources; old documents are all read.",
        "--limit 1000", unit="records", group=INPUT,
    )  # fmt: skip
    allow_empty: bool = _setting(
        False, bool, "true or false",  # noqa: FBT003 - a default like the others
        "Let a folder without texts count as no records, and let an output without records replace one that has some.",
        "--allow-empty -o kept.jsonl", group=OUTPUT,
    )  # fmt: skip
    encoding: str = _setting(
        "utf-8", str, "auto, or a name such as gb18030, big5, shift_jis, utf-16 or latin1",
        "The encoding of the sources, and so of the kept records. auto detects it for each file.", "--encoding auto",
        group=INPUT, common=True,
    )  # fmt: skip
    delimiter: str | None = _setting(
        None, str, "an ASCII sign that is no letter, digit, quote or line break; tab for a tab",
        "The sign between the fields of CSV and TSV. By default that of CSV is found: comma, semicolon, tab or |.",
        "--delimiter ';'", group=INPUT,
    )  # fmt: skip
    query: str | None = _setting(
        None, str, "an object of extended JSON",
        "Read only those documents of a collection of MongoDB that a query finds.",
        """--query '{"year": {"$gte": 2020}}'""", group=INPUT,
    )  # fmt: skip
    fields: tuple[str, ...] | None = _setting(
        None, str, "FIELD or FIELD:NAME, or a list of them; @text is the text as read, @fingerprint its fingerprint",
        "Write only these fields of the kept documents to MongoDB, under new names where they are given; _id is always"
        " written.",
        "--fields @text:content,_id:old_id,@fingerprint:simhash", group=OUTPUT,
    )  # fmt: skip
    append: bool = _setting(
        False, bool, "true or false",  # noqa: FBT003 - a default like the others
        "Add the kept documents to a collection of MongoDB that is there; those whose _id it has stay as they are.",
        "--append -o mongodb://localhost/exams.kept", group=OUTPUT,
    )  # fmt: skip
    replace: bool = _setting(
        False, bool, "true or false",  # noqa: FBT003 - a default like the others
        "Replace a collection of MongoDB that is there by the kept documents, once all are written.",
        "--replace -o mongodb://localhost/exams.kept", group=OUTPUT,
    )  # fmt: skip
    mark: str | None = _setting(
        None, str, "a field name without dots",
        "Write what was decided about each document of a collection of MongoDB into this field of the document; only"
        " with the setting apply.",
        "--mark simsieve --apply", group=OUTPUT,
    )  # fmt: skip
    apply: bool = _setting(
        False, bool, "true or false",  # noqa: FBT003 - a default like the others
        "Write the marks; without it the run says what it would write.", "--apply --mark simsieve", group=OUTPUT,
    )  # fmt: skip

    memory: str | None = _setting(
        None, str, "a size such as 8GiB, 512MiB or 2GB", "The memory that a run may hold; by default half of what is"
        " free. A run that needs more has its columns as files. Never changes a result.", "--memory 4GiB",
    )  # fmt: skip
    run_dir: str | None = _setting(
        None, str, "a folder that is new or empty, or holds a run", "Keep the columns of the run in this folder, and"
        " leave it there. By default a hidden folder beside the output is used where it is needed, and removed.",
        "--run-dir corpus.rundir",
    )  # fmt: skip
    resume: bool = _setting(
        False, bool, "true or false",  # noqa: FBT003 - a default like the others
        "Go on with a run that was cut off, from the run directory.", "--resume -o kept.jsonl",
    )  # fmt: skip

    def __post_init__(self) -> None:
        """Check every value and bring it to its plain type."""
        self._set("text_field", checks.field_names("text_field", self.text_field))
        for name in ("id_field", "encoding", "cut_at", "strip"):
            checks.check_text(name, getattr(self, name), optional=name in ("cut_at", "strip"))
        if self.similarity is not None and self.max_distance is not None:
            raise ConfigError(
                f"similarity {_shown(self.similarity)} and max_distance {_shown(self.max_distance)} are both given:"
                " give one of them, or neither for the default"
            )
        if self.similarity is not None:
            self._set("similarity", check_similarity(self.similarity))
        self._set("recall", check_real("recall", self.recall, "[0.5, 1)", lambda x: 0.5 <= x < 1))
        for name, low, high in checks.INTEGERS:
            if name != "limit" or self.limit is not None:
                self._set(name, check_integer(name, getattr(self, name), low, high))
        checks.check_flag("allow_empty", self.allow_empty)
        checks.check_flag("resume", self.resume)
        for name, checked in checks.CHECKED.items():
            self._set(name, checked(getattr(self, name)))
        read = (*self.text_field, self.id_field, *checks.keep_fields(self.keep), *self.equal_fields)
        flags = {name: getattr(self, name) for name in ("append", "replace", "apply")}
        self._set("fields", check_collection(self.query, self.fields, self.mark, read=read, **flags))
        for name in ("input_format", "output_format"):
            check_format(name, getattr(self, name))
        if not isinstance(self.idf, Model):
            if not isinstance(self.idf, os.PathLike):
                checks.check_text("idf", self.idf)
            self._set("idf", os.fsdecode(self.idf))
        for name, words in (("extract", EXTRACTS), ("combine", COMBINE), ("measure", DEFAULTS)):
            if getattr(self, name) not in words:
                raise ConfigError(f"{name} {_shown(getattr(self, name))} is not known: allowed are {', '.join(words)}")
        self._set_criteria()

    def _set_criteria(self) -> None:
        default = DEFAULTS[self.measure]
        criteria = criteria_of(self.scheme, self.similarity, self.max_distance, default)
        if self.measure != "cosine" and all(criterion.similarity is None for criterion in criteria):
            raise ConfigError(
                f"measure {self.measure} is of a similarity, and max_distance {criteria[0].max_distance} is"
                " given: leave one of them out"
            )
        if len(criteria) > 1:
            # As given: the run's threshold is not a scheme's own.
            self._set("scheme", tuple(criterion_of(each) for each in cast("Sequence[Any]", self.scheme)))
            return
        # One scheme is stored by its name, and its threshold in its own row, for every form of input.
        only = criteria[0]
        self._set("scheme", only.scheme)
        self._set("max_distance", only.max_distance)
        if only.similarity != default:
            self._set("similarity", only.similarity)

    def _set(self, name: str, value: Any) -> None:
        object.__setattr__(self, name, value)

    @classmethod
    def from_settings(cls, settings: Mapping[str, Any]) -> "DedupConfig":
        """Make a config from names and values, refusing names that are not in the table.

        Args:
            settings: Values by setting name; a name left out takes its default.

        Raises:
            ConfigError: As for the class, or a name is not known; the nearest known name is suggested.

        Example:
            >>> DedupConfig.from_settings({"seed": 7}).seed
            7
        """
        for name in settings:
            check_known(name)
        return cls(**settings)

    @property
    def criteria(self) -> tuple[Criterion, ...]:
        """The scheme, or each of several, with its threshold."""
        return tuple(criteria_of(self.scheme, self.similarity, self.max_distance, DEFAULTS[self.measure]))

    @property
    def equal_fields(self) -> tuple[str, ...]:
        """The fields that must be equal in two near records, each once."""
        return tuple(dict.fromkeys((*self.block_by, *self.differ)))

    @property
    def given_forms(self) -> frozenset[str]:
        """The forms in which the schemes take given fingerprints; empty if all take texts."""
        return given_forms(self.criteria)

    @property
    def effective_similarity(self) -> float | None:
        """The similarity threshold in force; None under `max_distance`."""
        if self.max_distance is not None:
            return None
        return DEFAULTS[self.measure] if self.similarity is None else self.similarity

    def measure_of(self, similarity: float | None) -> str:
        """Return the measure of a threshold: the run's measure of similarity, or `hamming` if bits decide.

        Args:
            similarity: The threshold, or None under `max_distance`.

        Example:
            >>> DedupConfig().measure_of(0.65), DedupConfig().measure_of(None)
            ('cosine', 'hamming')
        """
        return "hamming" if similarity is None else self.measure

    def allows_failed(self, failed: int, read: int) -> bool:
        """Return whether this many failed records are within `max_failed`, bound included.

        Args:
            failed: Records that failed.
            read: Records read, the base of a percentage.

        Example:
            >>> DedupConfig(max_failed="10%").allows_failed(1, 10)
            True
        """
        number, percent = checks.failed_limit(self.max_failed)
        return failed * 100 <= number * read if percent else failed <= number


SETTINGS: dict[str, Setting] = {f.name: Setting(f.name, f.default, **f.metadata) for f in fields(DedupConfig)}
"""The settings table, by name, in the order of the fields."""

ALIASES = {alias: row.option.lstrip("-") for row in SETTINGS.values() for alias in row.aliases}
"""Other names of options, without dashes, each with the name that the help has."""


def check_known(name: object) -> None:
    """Check that a setting is one of the table.

    Args:
        name: Its name in Python.

    Raises:
        ConfigError: It is not; the nearest known name is suggested.

    Example:
        >>> check_known("sede")
        Traceback (most recent call last):
        ...
        simsieve.errors.ConfigError: unknown setting 'sede': did you mean 'seed'?
    """
    check_key("unknown setting", name, SETTINGS)
