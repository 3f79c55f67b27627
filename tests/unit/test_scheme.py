"""`Scheme` parses a spec, `CustomScheme` builds one from parts, and every function takes both."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import simsieve
from simsieve import ConfigError, Criterion, CustomScheme, Scheme, _core
from simsieve.config.settings import DedupConfig
from simsieve.config.toml import settings_toml
from simsieve.run.directory import config_again

TEXTS = ["one two three four", "one two three four", "five six seven eight"]

SPECS = ["chars128", "chars64:n=3", "words64", "chars64:extract=main"]

USES: dict[str, Callable[[Any], Any]] = {
    "fingerprint": lambda scheme: simsieve.fingerprint(TEXTS[0], scheme),
    "Fingerprinter": lambda scheme: simsieve.Fingerprinter(scheme).transform(TEXTS).values.tolist(),
    "similarity": lambda scheme: simsieve.similarity(TEXTS[0], TEXTS[2], scheme),
    "explain": lambda scheme: simsieve.explain(TEXTS[0], TEXTS[2], scheme).a,
    "fit": lambda scheme: simsieve.fit(TEXTS, scheme=scheme).digest,
    "dedup": lambda scheme: list(simsieve.dedup(TEXTS, scheme=scheme).decisions),
    "dedup of several": lambda scheme: list(simsieve.dedup(TEXTS, scheme=[scheme, "words64"]).decisions),
    "find_pairs": lambda scheme: list(simsieve.find_pairs(TEXTS, scheme=scheme)),
    "plan": lambda scheme: simsieve.plan(TEXTS, scheme=scheme).digest,
    "Criterion": lambda scheme: list(simsieve.dedup(TEXTS, scheme=Criterion(scheme, 0.5)).decisions),
}


@pytest.mark.parametrize("spec", SPECS)
def test_a_scheme_is_parsed_from_its_spec(spec: str) -> None:
    """`Scheme` of a spec is that scheme, by digest and width, and not a custom scheme of that name."""
    scheme, maker = Scheme(spec), simsieve.Fingerprinter(spec)

    assert (scheme.spec, scheme.digest, scheme.width) == (maker.scheme, maker.digest, maker.width)
    assert (str(scheme), repr(scheme)) == (spec, f"Scheme({spec!r})")


@pytest.mark.parametrize("use", USES)
def test_every_function_takes_every_form_of_a_scheme(use: str, tmp_path: Path) -> None:
    """A spec and its `Scheme` give one result, and so do a custom scheme and its TOML file, as text or as `Scheme`."""
    assert USES[use](Scheme("chars64:n=3")) == USES[use]("chars64:n=3")
    file = tmp_path / "mine.toml"
    file.write_text('features = "chars"\nwidth = 64\n')
    scheme = CustomScheme("mine", features="chars", width=64)
    assert USES[use](scheme) == USES[use](str(file)) == USES[use](Scheme(str(file)))


def test_schemes_are_equal_by_their_digests() -> None:
    """A default that is written out changes nothing."""
    assert Scheme("chars128") == Scheme("chars128:weights=once") != Scheme("chars64")
    assert len({Scheme("chars128"), Scheme("chars128:weights=once"), Scheme("chars64")}) == 2


def test_extract_is_added_to_a_scheme_object() -> None:
    """The setting `extract` works on a `Scheme` as on its spec, and is refused where the spec has it."""
    pages = [f"<nav>{word}</nav><p>It leaves the harbour at seven, and whoever is late must walk." for word in "ab"]

    assert simsieve.dedup(pages, scheme=Scheme("chars64"), extract="main").counts.exact == 1
    with pytest.raises(ConfigError, match="says already what is extracted: leave out extract 'main'"):
        simsieve.dedup(pages, scheme=Scheme("chars64:extract=text"), extract="main")


def test_a_parsed_scheme_is_written_as_its_spec() -> None:
    """A file of settings holds the spec, and a finished run is decided again with the object or the text."""
    config = DedupConfig(scheme=Scheme("chars64:n=3"))

    assert 'scheme = "chars64:n=3"' in settings_toml(config)
    for again in ("chars64:n=3", Scheme("chars64:n=3")):
        assert str(config_again("a.rundir", config, {"scheme": again}).scheme) == "chars64:n=3"
    with pytest.raises(ConfigError, match=r"scheme is chars64:n=3 in the run in a\.rundir, and chars64 is given"):
        config_again("a.rundir", config, {"scheme": Scheme("chars64")})


def test_options_are_listed_as_the_schemes_have_them() -> None:
    """The rows of the options, in order, are the options of each scheme; a choice begins with its default."""
    rows = _core.scheme_options()
    for info in simsieve.schemes():
        family = info.name.rstrip("0123456789")
        assert info.options == ", ".join(row["sample"] for row in rows if family in row["families"])
    for row in rows:
        assert row["help"], row
        assert row["kind"] != "choice" or row["choices"][0] == row["default"], row
