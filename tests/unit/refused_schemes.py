"""What the library refuses of schemes: names, parts, files and models; see `refused.py`."""

# mypy: disable-error-code="arg-type"

import pickle
from functools import partial
from typing import Any

from tests.unit.refused import TEXTS, each, file, of

import simsieve
from simsieve import ConfigError, CustomScheme, Fingerprinter, Scheme, SourceError, TextError, dedup, fingerprint
from simsieve.config.settings import DedupConfig
from simsieve.config.toml import settings_toml

LISTS = CustomScheme("lists", features="tokens")


def scheme_file(content: str) -> object:
    """A fingerprint under a scheme of a file."""
    return fingerprint("a", file("bad.toml", content))


def odd(**parts: Any) -> object:
    """A fingerprint under a scheme whose function gives what it may not."""
    return fingerprint("a b", CustomScheme("odd", version="1", **parts))


SCHEMES = [
    *each(partial(dedup, TEXTS), ConfigError,
          *(({"measure": measure, "scheme": spec, **given}, part) for measure, spec, given, part in (
              ("jaccard", "chars128", {"similarity": 0}, "similarity 0 is outside (0, 1]"),
              ("jaccard", "chars128", {"similarity": 1.5}, "similarity 1.5 is outside (0, 1]"),
              ("jaccard", "chars128:weights=tf", {}, "weighs them (tf)"),
              ("jaccard", "dom64", {}, "scheme dom64 weighs them (decay)"),
              ("jaccard", "external64", {}, "has fingerprints and no features"),
              ("containment", "chars128", {"max_ratio": 0.9}, "max_ratio 0.9 is outside [1, 100]"),
              ("containment", "chars128", {"max_ratio": 101}, "max_ratio 101"),
              ("containment", "chars128", {"max_ratio": float("nan")}, "max_ratio nan"),
              ("containment", "chars128:weights=tf", {}, "measure containment is for features that count once"),
              ("containment", "chars128", {"max_distance": 3}, "of a similarity, and max_distance 3 is given"),
              ("cosine", "chars128", {"max_ratio": 8}, "max_ratio 8 is of measure containment, and the measure is cos"),
              ("jaccard", "chars128", {"idf": "fit"}, "weighs them (idf)"),
              ("jaccard", "chars128", {"max_distance": 3}, "of a similarity, and max_distance 3 is given"),
              ("jaccard", ["chars64@3bits", "words64@2bits"], {}, "of a similarity, and max_distance 3"),
              ("overlap", "chars128", {}, "measure 'overlap' is not known: allowed are cosine, jaccard, cont")))),
    *each(partial(dedup, TEXTS), ConfigError,
          ({"scheme": []}, "scheme names 0 schemes: allowed are 1 to 16"),
          ({"scheme": ["chars64"] * 17}, "scheme names 17 schemes"),
          ({"scheme": "chars64@2"}, "similarity 2.0 is outside (0, 1]"),
          ({"scheme": "chars64@64bits"}, "chars64 has 64 bits, allowed are the whole numbers 0..63"),
          ({"scheme": "chars64@near"}, "has 'near' after @: give a similarity such as @0.8, or bits such as @3bits"),
          ({"scheme": "chars64@0.5", "similarity": 0.6}, "similarity 0.6 and the threshold of scheme ", "both given"),
          ({"scheme": ["chars64", 3]}, "scheme 3 is not a name"),
          ({"scheme": ["chars64", "word64"]}, "words64"),
          ({"scheme": ["chars64", "external64"]}, "has fingerprints and no features, so there is no similarity"),
          ({"combine": "both"}, "combine 'both' is not known: allowed are all, any")),
    *each(partial(dedup, [{"title": "one", "note": "two"}]), ConfigError,
          ({"field": "title:2x"}, "'title:2x' is not allowed: give NAME"),
          ({"field": ":0.8"}, "is not allowed: give NAME"),
          ({"field": "title:0.8:0"}, "is not allowed: give NAME"),
          ({"field": "title:1.8"}, "1.8"),
          ({"field": "title:0.8", "text_field": "body"}, "name the text as one of the fields, such as body:0.8"),
          ({"field": "title", "scheme": ["chars128", "words64"]}, "name the scheme of a field in it"),
          ({"field": "title", "scheme": "chars128@0.7"}, "name the scheme of a field in it"),
          ({"field": "title:3bits:2"}, "bits have no mean"),
          ({"field": ["title::1", "note::9"], "similarity": 0.8}, "give it a threshold, such as title:0.5:1"),
          ({"field": "title", "scheme": "external64", "max_distance": 3}, "is of texts, and the scheme takes none"),
          ({"field": "tilte:0.8"}, "no field 'tilte': did you mean 'title'?")),
    *each(Scheme, SourceError,
          *(({"spec": f"words64:{key}=no/such.txt"}, "no/such.txt: does not exist; check the name")
            for key in ("stop", "dict"))),
    *each(Scheme, ConfigError,
          ({"spec": "char128"}, 'unknown scheme "char128": did you mean "chars128"'),
          ({"spec": 128}, "spec 128 is not a text: give a name such as 'chars128'")),
    *of(SourceError, (lambda: Scheme("missing.toml"), "missing.toml")),
    *of(ConfigError,
        (lambda: fingerprint("text", 3), "scheme 3 is not a name: ", " a simsieve.Scheme or a simsieve.CustomScheme"),
        (lambda: Scheme("external64").features("00"), "has no features to show"),
        (lambda: Scheme("words64:weights=idf").features("a text"), "model"),
        (lambda: Scheme("words64").features("a \ud800"), "lone surrogate at character 2"),
        (lambda: simsieve.fit(["a text"], scheme="angelo32"), "its weights are its own"),
        (lambda: dedup(TEXTS, scheme="angelo32", idf="fit", max_distance=3), "is not used with a model"),
        (lambda: settings_toml(DedupConfig(scheme=CustomScheme("mine"))), "describe the scheme in a TOML file"),
        (lambda: LISTS.cleaned(strip="a"), "its documents are lists of tokens")),
    *of(TypeError, (lambda: Scheme("words64").features(5), "text is of type int: give str")),
    *of(TextError,
        (lambda: odd(features=lambda _: [str(int("no number"))]), "text 0: ", "no number"),
        *((lambda items=items: odd(features=lambda _: items), "")
          for items in ([1], [("a", 1.0, 2)], [("a", 1.0)], ["a", None], 7, [b"a"], ["\ud800"])),
        *((lambda value=value: odd(hash=lambda _: value), "is no hash: give a whole number from 0 to")
          for value in (-1, 2**256, 1.5, "a", None))),
    *each(scheme_file, ConfigError,
          ({"content": 'featurs = "words"'}, "bad.toml", "unknown key 'featurs'", "did you mean 'features'?"),
          ({"content": 'features = "dom"\nclasses = "keep"'}, "classes 'keep' is not allowed", "give True or False"),
          ({"content": 'features = "dom"\nlevels = true'}, "levels True is not allowed", "from 0 to 1000"),
          ({"content": "colour = 1"}, "unknown key 'colour'", "known are name, extract"),
          ({"content": "version = 1"}, "unknown key 'version'", "known are name, extract"),
          ({"content": 'pattern = "(a"'}, 'the pattern "(a" is wrong at character 0', "unclosed group"),
          ({"content": 'width = "64"'}, "width '64' is not allowed", "from 1 to 256"),
          ({"content": "n = true"}, "n True is not allowed", "from 1 to 64"),
          ({"content": 'weights = "called"'}, "weights 'called' is not allowed")),
    *each(scheme_file, SourceError,
          ({"content": 'stop = "none.txt"'}, "none.txt", "does not exist"),
          ({"content": "width = "}, "bad.toml", "is no TOML")),
    *each(Fingerprinter, ConfigError, *(({"scheme": spec}, spec, part) for spec, part in (
          ("shingles", "there are chars64, chars128, chars256, words64"),
          ("chars64:n=0", "n is a whole number from 1 to 64"),
          ("chars64:n", "options are key=value, here n=NUMBER"),
          ("chars64:n=3,units=4", "its other form"),
          ("chars64:punctuation=maybe", "drop or keep"),
          ("chars64:weihgts=tf", 'did you mean "weights"?'),
          ("chars64:model=x", "weights=once take no model"),
          ("dom065", "unknown scheme"),
          ("dom64:levels=-1", "levels is a whole number from 0"),
          ("dom64:classes=yes", "classes are drop or keep"),
          ("dom64:weight=tf", "weight is sum, nearest or once"),
          ("dom64:decay=0", "decay is a number above 0 and at most 1"),
          ("dom64:decay=NaN", "decay is a number above 0 and at most 1"),
          ("dom64:weight=once,decay=0.45", "weight=once has no decay"),
          ("dom64:hash=md5", "hash is fnv1 or xxh3"),
          ("dom64:extract=main", "its features are the page's elements"),
          ("external257", "unknown scheme"),
          ("external64:format=octal", "format is hex, int, base64, bits or bytes"),
          ("external64:weights=tf", "its option is format=hex|int|base64|bits|bytes"),
          ("external64:extract=text", "its texts are fingerprints"),
          ("chars64:extract=body", '"extract=body" is not allowed; extract is none, text or main'),
          ("words64:stop=", "stop is the name of a file"),
          ("esimhash64:cap=0", "cap is none, a weight above 0"),
          ("gemantic0", "unknown scheme"),
          ("words64:pos=N", '"N" is no part of speech'),
          ("words64:pos=n++v", '"" is no part of speech'),
          ("words64:pos=*", '"*" is no part of speech'),
          ("words64:pos=zz", 'no word has the tag "zz"; there are a, ad, '),
          ("esimhash64:pos=n+zz", 'no word has the tag "zz"'),
          ("words64:mode=fast", "mode is exact, full or search"),
          ("words64:hmm=no", "hmm is on or off"),
          ("words64:mode=full,pos=n", "mode=full and pos=n do not go together"),
          ("words64:mode=full,hmm=off", "hmm=off says nothing in mode=full"),
          ("keywords64:mode=full", 'did you mean "model"?'),
          ("gemantic64:mode=full", "its options are extract=none|text|main, cut_at=REGEX, strip=REGEX"),
          ("angelo32:n=2", "its options are stop=FILE|zh, dict=FILE, mode=exact|full|search"),
          ("gemantic", "unknown scheme"),
          ("words257", "words takes any width from 1 to 256"),
          ("simhash32", "simhash takes the width 64 alone"),
          ("word64", 'did you mean "words64"?'),
          ("words64:n=0", "from 1 to 8"),
          ("words64:weights=bm25", "weights are once, tf, log, idf, log-idf or tf-idf"),
          ("words64:n=1,n=2", "n is given twice"),
          ("words64:units=6", "its options are n=1, weights=once|tf|log|idf|log-idf|tf-idf, stop=FILE|zh"),
          ("keywords64:top=1001", "from 1 to 1000"),
          ("keywords64:weights=tf", "its options are top=30, cap=none|WEIGHT|P%|pP, stop=FILE|zh, "),
          ("mfonda64:words=nfx", "ascii, nfc, nfd, nfkc or nfkd"),
          ("esimhash_baseline64:weights=log", "weights are tf or once"),
          ("simhash64:n=4", "its options are extract=none|text|main, cut_at=REGEX, strip=REGEX"),
          ("lines_tfidf64:x=", "its options are stop=FILE|zh, dict=FILE, mode=exact|full|search, ")))),
    *each(partial(CustomScheme, "mine", features="tokens"), ConfigError,
          *(({part: value}, "scheme 'mine'")
            for part, value in (("extract", "text"), ("normalise", ["usual"]), ("cut_at", "a"), ("strip", "a"),
                                ("hash", "given"), ("n", 2)))),
    *each(lambda document: Fingerprinter(LISTS).transform([document]), TextError,
          ({"document": [1]}, "1 is no token"),
          ({"document": {"a": "b"}}, '"b" is no weight'),
          ({"document": "a text"}, "a text is no JSON"),
          ({"document": [["a", -1]]}, "a feature has weight -1")),
    *each(lambda document: Fingerprinter(LISTS).transform([document]), TypeError,
          ({"document": {1: 2}}, "text 0: the token 1 is of type int: give str"),
          ({"document": [["a", float("nan")]]}, "text 0: a list of tokens cannot be written as JSON"),
          ({"document": 7}, "text 0 is of type int: give str, or a list of texts, a list of pairs (text, weight)")),
    *of(TextError,
        (lambda: Fingerprinter(CustomScheme("counted", features="tokens", weights="tf", n=2)).transform([{"a": 2}]),
         "a list's items are texts; for pairs give weights=\"given\"")),
    *of((AttributeError, pickle.PicklingError),
        (lambda: pickle.dumps(CustomScheme("mine", features=lambda text: text.split(), version="1")), "lambda")),
]  # fmt: skip
