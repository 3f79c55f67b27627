"""`Fingerprinter` among scikit-learn's transformers: parameters, clones, pipelines, joblib, its own checks."""

import sys
import warnings
from typing import Any

import joblib
import numpy as np
import pytest
from sklearn.base import clone
from sklearn.model_selection import ParameterGrid
from sklearn.neighbors import NearestNeighbors
from sklearn.pipeline import FeatureUnion, Pipeline, make_pipeline
from sklearn.preprocessing import FunctionTransformer
from sklearn.utils import estimator_checks, get_tags
from sklearn.utils.validation import check_is_fitted

from simsieve import ConfigError, CustomScheme, Fingerprinter, Scheme, fit
from simsieve.results import Fingerprints

TEXTS = ["the quick brown fox jumps", "the quick brown fox jumped", "lorem ipsum dolor sit", "我来到北京清华大学"]
IDF = "chars64:weights=idf"

CHECKS = [
    "check_estimator_cloneable", "check_estimator_tags_renamed", "check_valid_tag_types", "check_estimator_repr",
    "check_mixin_order", "check_no_attributes_set_in_init", "check_parameters_default_constructible",
    "check_get_params_invariance", "check_set_params",
]  # fmt: skip
"""Checks that read no data."""

SKIPPED = {
    "check_do_not_raise_errors_in_init_or_set_params": "a wrong name of a scheme is refused at once, not in fit",
    "check_fit_score_takes_y": "it gives an array of numbers, and texts are taken; a target is tested above",
    "check_estimators_fit_returns_self": "it gives an array of numbers",
    "check_estimators_overwrite_params": "it gives an array of numbers",
    "check_dont_overwrite_parameters": "it gives an array of numbers",
    "check_dict_unchanged": "it gives an array of numbers",
    "check_fit_idempotent": "it gives an array of numbers",
    "check_transformer_general": "it gives an array of numbers",
}
"""Checks that do not apply, and why. All that are not named here give arrays of numbers too."""


def test_parameters_are_what_was_given() -> None:
    """They are the very objects, so that a clone of a clone is made of them."""
    scheme, model = Scheme(IDF), fit(TEXTS, scheme=IDF)
    maker = Fingerprinter(scheme, model, max_features=1000)

    assert maker.get_params() == {"scheme": scheme, "model": model, "max_features": 1000}
    assert maker.get_params(deep=False)["model"] is model
    assert Fingerprinter().get_params() == {"scheme": "chars128", "model": None, "max_features": 4_194_304}


def test_parameters_are_set_and_what_was_fitted_is_forgotten() -> None:
    """A wrong one is refused, and nothing is changed then."""
    maker = Fingerprinter(IDF).fit(TEXTS)

    assert maker.set_params() is maker and maker.model is not None
    assert maker.set_params(max_features=500).model is None
    assert maker.get_params() == {"scheme": IDF, "model": None, "max_features": 500}
    with pytest.raises(ConfigError, match="unknown parameter 'shceme': did you mean 'scheme'"):
        maker.set_params(shceme="chars64")
    with pytest.raises(ConfigError, match="nochars"):
        maker.set_params(scheme="nochars", max_features=7)
    assert maker.get_params()["max_features"] == 500
    made = [clone(maker).set_params(**params).width for params in ParameterGrid({"scheme": ["chars64", "chars256"]})]
    assert made == [64, 256]


@pytest.mark.parametrize("scheme", ["chars128", Scheme("words64"), CustomScheme("mine", features="chars"), IDF])
def test_a_clone_has_the_parameters_and_no_model(scheme: Any) -> None:
    """What was fitted stays behind; fitted anew it makes the same fingerprints."""
    maker = Fingerprinter(scheme).fit(TEXTS)
    made = clone(maker)

    assert made is not maker and str(made.get_params()) == str(maker.get_params())
    assert (made.model is None) == (maker.model is None or scheme is IDF)
    assert list(made.fit_transform(TEXTS)) == list(maker.transform(TEXTS))


def test_fit_transform_is_fit_and_transform() -> None:
    """A target is taken and not used; a stream is read once."""
    wanted = list(Fingerprinter(IDF).fit(TEXTS, [0, 1, 0, 1]).transform(TEXTS))

    assert list(Fingerprinter(IDF).fit_transform(TEXTS, y=[0, 1, 0, 1])) == wanted
    assert list(Fingerprinter(IDF).fit_transform(text for text in TEXTS)) == wanted
    assert list(Fingerprinter().fit_transform(np.array(TEXTS))) == list(Fingerprinter().transform(TEXTS))


def bits(prints: Fingerprints) -> Any:
    """A column a bit, as other steps read them."""
    return np.unpackbits(np.asarray(prints).view(np.uint8), axis=1)


def test_it_is_a_step_of_a_pipeline() -> None:
    """Fitted and used with the steps after it; its parameters are reached by name."""
    pipeline = make_pipeline(Fingerprinter("chars64"), FunctionTransformer(bits), NearestNeighbors(metric="hamming"))
    pipeline.set_params(fingerprinter__scheme=IDF).fit(TEXTS, [0, 1, 0, 1])
    prints = pipeline[0].transform(TEXTS)
    found = pipeline[-1].kneighbors(pipeline[:-1].transform(TEXTS[:1]), 2)

    assert prints.scheme.startswith("chars64:weights=idf,model=")
    assert found[1].tolist() == [[0, 1]]
    assert found[0][0, 1] * 64 == prints[0].distance(prints[1])
    assert clone(pipeline)[0].model is None
    union = FeatureUnion([("one", Fingerprinter("chars64")), ("other", Fingerprinter("chars128"))])
    assert Pipeline([("both", union)]).fit_transform(TEXTS).shape == (4, 3)


def test_it_goes_through_joblib(tmp_path: Any) -> None:
    """Dumped and loaded it is the same, fitted or not, and so in other processes."""
    maker = Fingerprinter(IDF).fit(TEXTS)
    joblib.dump(maker, tmp_path / "maker")
    made = joblib.load(tmp_path / "maker")

    assert list(made.transform(TEXTS)) == list(maker.transform(TEXTS))
    assert made.get_params() == maker.get_params()
    assert joblib.hash(maker) == joblib.hash(made)


@pytest.mark.slow
def test_processes_of_joblib() -> None:
    """Batches go to other processes."""
    maker = Fingerprinter(IDF).fit(TEXTS)
    parts = joblib.Parallel(2)(joblib.delayed(maker.transform)(TEXTS[at : at + 2]) for at in (0, 2))

    assert [one for part in parts for one in part] == list(maker.transform(TEXTS))


def test_tags_say_that_it_takes_texts() -> None:
    """Only a scheme that waits for a model has to be fitted."""
    for maker in (Fingerprinter(), Fingerprinter(IDF)):
        tags = get_tags(maker)
        assert (tags.estimator_type, tags.input_tags.string, tags.input_tags.two_d_array) == (
            "transformer",
            True,
            False,
        )
        assert tags.requires_fit == (maker.get_params()["scheme"] == IDF)
    check_is_fitted(Fingerprinter())
    check_is_fitted(Fingerprinter(IDF).fit(TEXTS))
    with pytest.raises(ValueError, match="not fitted"):
        check_is_fitted(Fingerprinter(IDF))


@pytest.mark.parametrize("name", CHECKS)
@pytest.mark.parametrize("scheme", ["chars128", IDF])
def test_the_checks_of_scikit_learn(name: str, scheme: str) -> None:
    """Those that need no array of numbers."""
    check = getattr(estimator_checks, name)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        check("Fingerprinter", Fingerprinter(scheme))


@pytest.mark.parametrize("name", SKIPPED)
def test_a_skipped_check_still_fails(name: str) -> None:
    """A check that passes belongs to the list of those that are run."""
    check = getattr(estimator_checks, name)
    with pytest.raises((TypeError, ValueError, AssertionError, IndexError)):
        check("Fingerprinter", Fingerprinter(IDF))


def test_all_other_checks_give_arrays_of_numbers() -> None:
    """Its own runner takes none of them for a transformer that takes texts alone."""
    with pytest.warns(estimator_checks.SkipTestWarning, match="Can't test estimator Fingerprinter"):
        assert list(estimator_checks._yield_all_checks(Fingerprinter(), legacy=True)) == []


def test_scikit_learn_is_not_needed() -> None:
    """Nothing of it is loaded by simsieve."""
    import subprocess

    code = (
        "import sys, simsieve; simsieve.Fingerprinter().set_params(scheme='chars64').fit_transform(['a text'], None);"
        "assert 'sklearn' not in sys.modules and 'joblib' not in sys.modules"
    )
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False).stderr == ""
