"""Models and the schemes that use them stay as they are: digests and bits that were once released."""

from simsieve import CustomScheme, Fingerprinter, fit

CORPUS = [
    "村口的老槐树下聚了许多人，大家都在谈论今年的雨水。",
    "今年的雨水比去年的多，村口的老槐树也长高了。",
    "The ferry leaves at seven; the ferry is late, late, late.",
]

PINNED: dict[str, tuple[str, str, str]] = {
    "chars64:weights=idf": ("8e79552dde438bd9ef1e194529999c96", "72eb68b097cbeec32d2dd3194a4e5e87", "f3e30816a307c5d5"),
    "chars64:weights=tf-idf": (
        "8e79552dde438bd9ef1e194529999c96",
        "0b4120233faaf26f5d85ea4ab802c5f2",
        "f3e30816a307c5d5",
    ),
    "words128:n=2,weights=tf-idf": (
        "c2915a39d4eed5540001c10432dc20c6",
        "e40d063f5a1c9eac9463cf37fe2ab115",
        "970f7abf40b5b6c1626c120831d4e3a6",
    ),
    "words128:weights=log-idf": (
        "4a14142c6a5d43d897515d66f2c7445c",
        "a73581115202dceffc6d09fd2b9fc487",
        "1264a8bcaeb165571a55fe52a823ca56",
    ),
    "words64:n=2,weights=idf": (
        "c2915a39d4eed5540001c10432dc20c6",
        "4dec7a3196c03cccbfef7d80d6165f39",
        "626c120831d4e3a6",
    ),
    "esimhash64": ("f6ce6e17490de17f12e9e0c2bd91c381", "7a0e498bc303c8f48e7362d94a6cf7d9", "db77be3d3e85de9b"),
    "esimhash128": (
        "f6ce6e17490de17f12e9e0c2bd91c381",
        "e96b2333a8e0e47ffd105a3637aee6c6",
        "01d7aa494b0727f8db77be3d3e85de9b",
    ),
    "esimhash128:tokens=all,tf=share,cap=p90,place=rank,repeat=first": (
        "198d449696235f40235919ff1763a522",
        "94bb34dc0ee951d5c56163039357b132",
        "91b7bf090b0226f0dbff3c092686ea96",
    ),
}
"""By spec: digest of the model of CORPUS, digest of the scheme with it, fingerprint of the first text."""

REPEATED = {
    "chars64:weights=idf": "4b33629859131987",
    "chars64:weights=log-idf": "5b3362985b110d87",
    "chars64:weights=tf-idf": "5b3362885b110d85",
    "words64:weights=tf-idf": "93568e621e930d79",
}
"""The fingerprint of the last text, whose features stand there more than once."""

OWN: dict[str, tuple[str, str]] = {
    "table": ("2e1a025bf643a509d623e23ecbe22d85", "4447b3b22857d0b4e02777d24242d13d73615e8d"),
    "rows": ("64b5935c4973a25f2308116f4f19fe68", "c6c0ca1f338f12ee"),
    "chars": ("9cdfd48f562c7fc65a52f4a46906c0b6", "560ab68aaf3e30816a307c5d5"),
    "wide": ("20330995cc4bd649a3685907faa4d594", "4707525787c80321f2022c9ba48ec229a1d71272186a24e8e2"),
    "interest": ("3adf7ee562ea0b465ab8bd3e4ec8ace9", "626c120831d4e3a6"),
    "searched": ("a51464167a1172cc064196ac8071d4ee", "32467a52ed33cb56"),
    "fours": ("8c3e7ffc8dfd6cbed3cee6051ba8669a", "1264a8bcaeb165d71255fe52a823cb57"),
}
"""By name: digest of the scheme, fingerprint of the first text."""

PARTS = {
    "table": {"weights": {"雨水": 2.5, "ferry": 0.5}, "other": 1.0, "hash": "sha1", "width": 160},
    "rows": {"normalise": ["nfkc", "lower", "no-digits"], "n": 2, "weights": "log", "hash": "fnv1a", "width": 64},
    "chars": {"features": "chars", "normalise": ["compact"], "sign": ">= 0", "width": 100, "stop": ["a"]},
    "fours": {"unspaced": "fours"},
    "wide": {"hash": "fnv1", "width": 200, "weights": "tf"},
    "interest": {"pattern": "[\u4e00-\u9fa5]", "weights": "tf", "n": 2, "width": 64},
    "searched": {"mode": "search", "hmm": False, "width": 64},
}


def test_models_and_their_schemes_stay() -> None:
    """No count, entropy, weight or bit has moved."""
    for spec, wanted in PINNED.items():
        fitted = Fingerprinter(spec).fit(CORPUS)
        made = fitted.transform(CORPUS)[0]
        assert made is not None
        assert (fit(CORPUS, scheme=spec).digest, fitted.digest, made.hex) == wanted, spec
    for spec, last in REPEATED.items():
        made = Fingerprinter(spec).fit(CORPUS).transform(CORPUS)[2]
        assert made is not None and made.hex == last, spec


def test_own_schemes_stay() -> None:
    """The same parts have the same digest and bits."""
    for name, wanted in OWN.items():
        scheme = CustomScheme(name, **PARTS[name])  # type: ignore[arg-type]
        made = Fingerprinter(scheme).transform(CORPUS)[0]
        assert made is not None
        assert (scheme.digest, made.hex) == wanted, name
