"""The checked settings of a run, and the table of all settings.

The fields of `DedupConfig` are the rows of `simsieve.config.rows`. `SETTINGS` reads them; the command line's options
and the reference page are made from `SETTINGS`. A config is checked when it is made and never changes.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any, cast

from simsieve.checks import check_key, nearest
from simsieve.checks import shown as _shown
from simsieve.config import checks
from simsieve.config.checks import TIMES, failed_limit, keep_fields
from simsieve.config.kinds import KINDS, KNOWN
from simsieve.config.near_rows import CONTAINMENT, DEFAULT_MAX_RATIO, DEFAULTS
from simsieve.config.rows import Rows
from simsieve.config.setting import APART, NEAR, TEXT, Setting
from simsieve.errors import ConfigError
from simsieve.messages import Message
from simsieve.messages import Setting as Named
from simsieve.schemes.criteria import (
    Criterion,
    FieldText,
    Nearness,
    check_one,
    criteria_of,
    criterion_of,
    field_of,
    fields_of,
    given_forms,
)
from simsieve.schemes.scheme import picture_hash

SETTINGS: dict[str, Setting] = {row.name: Setting(row.name, row.default, **row.metadata) for row in fields(Rows)}
"""The settings table, by name, in the order of the rows."""
FIXED = frozenset(
    name for name, row in SETTINGS.items() if row.group in (TEXT, NEAR, APART) or name in ("recall", "seed")
)
FIXED -= {"verdicts"}
"""The settings that an index has for good: what decides whether two texts are near."""


@dataclass(frozen=True, kw_only=True)
class DedupConfig(Rows):
    """Hold the settings of a run, checked when made and frozen.

    Args:
        **settings: The rows of `SETTINGS`, each with its default, unit, allowed values and help.

    Raises:
        ConfigError: A value is not allowed, both thresholds are given, or the scheme is not known. The text has the
            value, the allowed ones and the next step.

    Example:
        >>> config = DedupConfig(scheme="chars128", max_distance=3)
        >>> config.max_distance, config.effective_similarity
        (3, None)
        >>> DedupConfig().effective_similarity
        0.6
    """

    def __post_init__(self) -> None:
        """Check every value and bring it to its plain type."""
        for name, row in SETTINGS.items():
            value = getattr(self, name)
            if row.check is not None and not (value is None and row.default is None):
                self._set(name, row.check(name, value))
        check_one(self.similarity, self.max_distance)
        self._set_field()
        self._check_mongo()
        self._set_criteria()
        if self.measure != CONTAINMENT and self.max_ratio != DEFAULT_MAX_RATIO:
            raise ConfigError(
                "{@max_ratio} {max_ratio:g} is of measure containment, and the measure is {measure}: give measure "
                "containment, or leave {@max_ratio} out",
                max_ratio=self.max_ratio, measure=self.measure,
            )  # fmt: skip
        self._check_of_texts()
        self._check_sure()
        if (self.window is None) != (self.date_field is None):
            raise ConfigError("{@window} and {@date_field} belong together: give both, or leave both out")

    def _check_sure(self) -> None:
        if self.sure is None:
            return
        if not self.field_rules:
            raise ConfigError(
                "sure {sure} counts fields that agree, and no rule has one: give {@near}, {@agree} or {@differ}"
                " FIELD:known", sure=self.sure,
            )  # fmt: skip
        if self.max_distance is not None:
            raise ConfigError(
                "sure {sure} has a similarity, and {@max_distance} {max_distance} is given: leave one of them out",
                sure=self.sure, max_distance=self.max_distance,
            )  # fmt: skip

    def _check_mongo(self) -> None:
        if self.append and self.replace:
            raise ConfigError("append and replace are both given: give one of them")
        read = (*self.text_field, self.id_field, *self.value_fields, *self.equal_fields, *self.rule_fields, "_id")
        if self.mark in {field.partition(".")[0] for field in read}:
            raise ConfigError(
                "mark {mark!r} is a field that the run reads: name a field that the documents do not have",
                mark=self.mark,
            )
        if self.apply and self.mark is None:
            raise ConfigError("{@`apply`} writes marks, and no field for them is given: give {@`mark`}")
        if self.since_field is not None and self.limit is not None:
            raise ConfigError(
                "{@since_field} {since_field} and limit {limit} are both given: documents beyond the limit would "
                "never count as new ones; leave one of them out",
                since_field=_shown(self.since_field), limit=self.limit,
            )  # fmt: skip

    def _set_field(self) -> None:
        """Take the fields that are compared by themselves as the text."""
        if not self.field:
            return
        if isinstance(self.scheme, (list, tuple)) and len(self.scheme) == 1:
            self._set("scheme", self.scheme[0])
        names = tuple(name for field in self.field_texts for name in field.names)
        if tuple(self.text_field) not in (SETTINGS["text_field"].default, names):
            raise ConfigError(
                "{@text_field} {text} and {@`field`} are both given: name the text as one of the fields, such as "
                "{name}:0.8",
                text=", ".join(self.text_field), name=self.text_field[0],
            )  # fmt: skip
        if self.given_forms or any(str(one.scheme).startswith("dom") for one in self.criteria):
            raise ConfigError(
                "{@`field`} {fields} is of texts, and the scheme takes none: give one on texts, such as chars128",
                fields=", ".join(self.field),
            )
        self._set("text_field", names)
        if len(self.field) > 1:
            return
        # One field is stored by its name, and its scheme and threshold in their rows, as one scheme is.
        (one,), least = self.field_texts, self.threshold
        similarity = one.criterion.similarity if one.weight is None else max(one.criterion.similarity or 0, least)
        self._set("field", ("|".join(one.names),))
        self._set("scheme", one.criterion.scheme)
        self._set("max_distance", one.criterion.max_distance)
        if similarity != DEFAULTS[self.measure]:
            self._set("similarity", similarity)

    def _set_criteria(self) -> None:
        default = DEFAULTS[self.measure]
        criteria = self.criteria
        if self.measure != "cosine" and all(criterion.similarity is None for criterion in criteria):
            raise ConfigError(
                "measure {measure} is of a similarity, and {@max_distance} {max_distance} is given: leave one of them "
                "out",
                measure=self.measure, max_distance=criteria[0].max_distance,
            )  # fmt: skip
        if len(criteria) > 1:
            picture = next((each for each in criteria if picture_hash(each.scheme)), None)
            if picture is not None:
                raise ConfigError(
                    "scheme {scheme} is of pictures, and a run has one fingerprint of each: give it alone",
                    scheme=picture.scheme,
                )
            if self.field:
                return
            # As given: the run's threshold is not a scheme's own.
            self._set("scheme", tuple(criterion_of(each) for each in cast("Sequence[Any]", self.scheme)))
            return
        # One scheme is stored by its name, and its threshold in its own row, for every form of input.
        only = criteria[0]
        self._set("scheme", only.scheme)
        self._set("max_distance", only.max_distance)
        if only.similarity != default:
            self._set("similarity", only.similarity)

    def check_undirected(self, what: str) -> None:
        """Check, for a command, that near pairs have no order, as they have under containment."""
        if self.measure == CONTAINMENT:
            raise ConfigError(
                "measure containment is not for {what}, because its pairs have an order: give cosine or jaccard",
                what=what,
            )

    def _check_of_texts(self) -> None:
        for name, taken in (("same", ()), ("conflict", ("tokens",)), ("max_lost", ("tokens",))):
            value, forms = getattr(self, name), sorted(self.given_forms.difference(taken))
            if forms and value is not None and value != ():
                raise ConfigError(
                    "{setting} {value} is of texts, and a scheme takes {forms}: leave one of them out",
                    setting=Named(f"@{name}"), forms=", ".join(forms),
                    value=",".join(value) if isinstance(value, tuple) else value,
                )  # fmt: skip

    def _set(self, name: str, value: Any) -> None:
        object.__setattr__(self, name, value)

    @classmethod
    def from_settings(cls, settings: Mapping[str, Any], *, drops: bool = False) -> "DedupConfig":
        """Make a config from names and values, refusing names that are not in the table.

        Args:
            settings: Values by setting name; a name left out takes the value of the kind, or its default.
            drops: Near records are dropped: without a kind or `conflict`, texts whose numbers conflict stay apart.

        Raises:
            ConfigError: As for the class, or a name is not known; the nearest known name is suggested.

        Example:
            >>> DedupConfig.from_settings({"seed": 7}).seed
            7
        """
        for name in settings:
            check_known(name)
        kind = settings.get("kind")
        of_kind = dict(KINDS.get(str(kind), {}))
        if given := checks.names("field", settings.get("field") or ()):
            read = [field_of(one, "chars128") for one in given]
            has_thresholds = all(one.criterion.has_threshold and one.weight is None for one in read)
            for name in ("text_field", *(("similarity",) if has_thresholds else ())):
                of_kind.pop(name, None)
        if "@" in str(settings.get("scheme")) or any(
            settings.get(name) is not None for name in ("max_distance", "measure")
        ):
            for name in ("similarity", "sure"):
                of_kind.pop(name, None)
        config = cls(**{**of_kind, **settings})
        if drops and not {"kind", "conflict"} & settings.keys() and config._compares_texts:
            config._set("conflict", ("numbers",))
        return config

    @property
    def _compares_texts(self) -> bool:
        """Whether similarities of texts as they run decide: no bits, no pictures, no markup."""
        schemes = [str(each.scheme) for each in self.criteria if each.similarity is not None]
        is_text = not self.given_forms and self.picture_hash is None
        return is_text and len(schemes) == len(self.criteria) and not any(one.startswith("dom") for one in schemes)

    @property
    def criteria(self) -> tuple[Criterion, ...]:
        """The scheme, or each of several, with its threshold."""
        if self.field:
            return tuple(field.criterion for field in self.field_texts)
        return tuple(criteria_of(self.scheme, self.similarity, self.max_distance, DEFAULTS[self.measure]))

    @property
    def field_texts(self) -> list[FieldText]:
        """The fields that are compared by themselves."""
        if not self.field:
            return []
        return fields_of(self.field, self.scheme, self.similarity, self.max_distance, DEFAULTS[self.measure])

    @property
    def parts(self) -> list[tuple[int, int] | None]:
        """Of each criterion the first of the text fields that are its text, and how many stand for one another."""
        counts = [len(field.names) for field in self.field_texts]
        firsts = (sum(counts[:at]) for at in range(len(counts)))
        return list(zip(firsts, counts, strict=True)) or [None] * len(self.criteria)

    @property
    def mean_pair(self) -> tuple[list[float], float] | None:
        """The weights of the fields, and the least mean of their similarities; None without weights."""
        weights = [field.weight for field in self.field_texts if field.weight is not None]
        return (weights, self.threshold) if weights else None

    @property
    def nearness(self) -> tuple[Nearness, ...]:
        """The threshold of each scheme, as the core takes it."""
        return tuple(
            Nearness(each.similarity, each.max_distance, self.measure, self.max_ratio) for each in self.criteria
        )

    def held(self, occasion: str) -> dict[str, Any]:
        """Give the settings that must have the value of an earlier run on an occasion, such as `setting.RESUMED`."""
        return {name: getattr(self, name) for name, row in SETTINGS.items() if occasion in row.held}

    @property
    def equal_fields(self) -> tuple[str, ...]:
        """The fields that must be equal in two near records, each once."""
        differ = (name for name in self.differ if not name.endswith(KNOWN))
        return tuple(dict.fromkeys((*self.block_by, *differ)))

    @property
    def field_rules(self) -> list[tuple[list[str], str, bool, bool]]:
        """The rules on other fields: names, bound, whether another value keeps apart, whether an equal one joins."""
        known = dict.fromkeys(name.removesuffix(KNOWN) for name in self.differ if name.endswith(KNOWN))
        rules = [(field, "known", True, field in self.agree) for field in known]
        rules += [(field, bound, True, False) for field, _, bound in (one.rpartition(":") for one in self.near)]
        rules += [(field, "known", False, True) for field in dict.fromkeys(self.agree) if field not in known]
        return [(field.split("|"), bound, apart, joins) for field, bound, apart, joins in rules]

    @property
    def rule_fields(self) -> tuple[str, ...]:
        """The fields of these rules, each once."""
        return tuple(dict.fromkeys(name for names, *_ in self.field_rules for name in names))

    @property
    def sure_pair(self) -> tuple[int, float] | None:
        """How many fields must agree, and the similarity that takes their place."""
        if self.sure is None:
            return None
        fields, _, similarity = self.sure.partition(":")
        return int(fields), float(similarity)

    @property
    def value_fields(self) -> tuple[str, ...]:
        """The fields whose values are compared, each once: those of the keep order, and the date."""
        dates = () if self.date_field is None else (self.date_field,)
        return tuple(dict.fromkeys((*keep_fields(self.keep), *dates)))

    @property
    def window_millis(self) -> int | None:
        """The window of time in milliseconds."""
        if self.window is None:
            return None
        text = str(self.window)
        unit = text.lstrip("0123456789")
        return int(text.removesuffix(unit)) * TIMES[unit]

    @property
    def picture_hash(self) -> tuple[str, int] | None:
        """The hash that the scheme makes of pictures, see `schemes.pictures`; None of other schemes."""
        return None if isinstance(self.scheme, tuple) else picture_hash(self.scheme)

    @property
    def has_pictures(self) -> bool:
        """Whether files that are pictures by their endings are read as pictures."""
        return self.picture_hash is not None and self.each is None and self.input_format is None

    @property
    def given_forms(self) -> frozenset[str]:
        """The forms in which the schemes take given fingerprints; empty if all take texts."""
        return given_forms(self.criteria)

    @property
    def threshold(self) -> float:
        """The threshold in force: bits under `max_distance`, and otherwise a similarity."""
        if self.max_distance is not None:
            return self.max_distance
        return DEFAULTS[self.measure] if self.similarity is None else self.similarity

    @property
    def effective_similarity(self) -> float | None:
        """The similarity threshold in force; None under `max_distance`."""
        return self.threshold if self.max_distance is None else None

    def measure_of(self, similarity: float | None) -> str:
        """Return the measure of a threshold: that of the run, or `hamming` where there is none and bits decide."""
        return "hamming" if similarity is None else self.measure

    def allows_failed(self, failed: int, read: int) -> bool:
        """Return whether this many failed records, of those read, are within `max_failed`, bound included."""
        number, percent = failed_limit(self.max_failed)
        return failed * 100 <= number * read if percent else failed <= number


ALIASES = {alias: row.option.lstrip("-") for row in SETTINGS.values() for alias in row.aliases}
"""Other names of options, without dashes, each with the name that the help has."""


_MEANT = {
    "jaccard": "measure", "cosine": "measure", "hamming": "max_distance", "simhash": "max_distance",
    "label_field": "labels",
}  # fmt: skip
"""Names of settings that people know from other programs."""
GONE = {
    "since_run": Message(
        "Make an index of the earlier run, `simsieve index create INDEX --run-dir RUN`, or of a collection by its URI "
        "with {@since_field}; then `simsieve index add INDEX SOURCE` decides on what is new."
    ),
    "since_field": Message(
        "An index remembers the last value: `simsieve index create INDEX 'URI?since_field=FIELD'`, then `simsieve "
        "index add INDEX 'URI?since_field=FIELD'` reads what came in since."
    ),
    "from_run": Message("Name the directory of a finished run by {@run_dir} RUN, without SOURCE."),
    "save_config": Message("`--print-config > FILE` writes the settings in force."),
    "index": Message("Give the index as the old documents: {@against} INDEX."),
}
_KEPT = Message(
    "Keep the run by {@run_dir} RUN, and decide again: `simsieve dedup --run-dir RUN --similarity 0.8 -o FILE`."
)
GONE |= {"save_run": _KEPT, "save_all_pairs": _KEPT}
"""Names of settings and options that are gone, each with what does it now."""
_BANDS = Message(
    "The search has no permutations and no bands, and every drop is checked on the texts: give {@measure} jaccard "
    "and {@similarity} 0.8, and {@recall} for the share that is to be found. MinHash signatures: `simsieve "
    "fingerprint SOURCE --minhash 128`."
)
_NGRAM = Message(
    "The scheme says what a feature is: {@scheme} words64:n=5 for five words, {@scheme} chars128:n=5 for five "
    "characters."
)
_HASH = Message("The scheme fixes its hash; `simsieve schemes` shows it. A scheme of your own has another.")
OTHERS = (
    dict.fromkeys(("bands", "num_bands", "num_perm", "num_perms", "permutations", "rows_per_band"), _BANDS)
    | dict.fromkeys(("n_gram", "n_grams", "ngram", "ngram_size", "ngrams", "shingle_size"), _NGRAM)
    | dict.fromkeys(("hash_func", "hash_function", "hashfunc"), _HASH)
)
"""Names of settings and options of other programs, each with what does it here."""


def check_known(name: object) -> None:
    """Check that a setting is one of the table."""
    if name in SETTINGS:
        return
    if name in GONE:
        raise ConfigError("there is no setting {name!r} any more. {advice}", name=name, advice=GONE[str(name)])
    if name in OTHERS:
        raise ConfigError("there is no setting {name!r}. {advice}", name=name, advice=OTHERS[str(name)])
    others = {alias.replace("-", "_"): row.name for row in SETTINGS.values() for alias in row.aliases} | _MEANT
    meant = others.get(nearest(name, [*SETTINGS, *others]) or "")
    if meant is not None:
        raise ConfigError("unknown setting {name!r}: did you mean {meant!r}?", name=name, meant=meant)
    check_key("unknown setting", name, SETTINGS)


def check_taken(function: str, given: Iterable[str], taken: Sequence[str]) -> None:
    """Check that a function takes the settings that it is given."""
    for name in given:
        if name not in taken:
            raise ConfigError(
                "setting {name!r} is of no use to {function}: it takes {read_settings}",
                name=name, function=function, read_settings=", ".join(taken),
            )  # fmt: skip
