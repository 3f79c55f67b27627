"""Models and the schemes that use them stay as they are: digests and bits that were once released."""

from simsieve import CustomScheme, Fingerprinter, fit

CORPUS = [
    "村口的老槐树下聚了许多人，大家都在谈论今年的雨水。",
    "今年的雨水比去年的多，村口的老槐树也长高了。",
    "The ferry leaves at seven; the ferry is late, late, late.",
]

PINNED: dict[str, tuple[str, str, str]] = {
    "chars64:weights=idf": (
        "63d88a11f59c2ac2bd69d7bb58c82369",
        "3a6226cd7c865cebf40446918a169886",
        "f3e30816a307c5d5",
    ),
    "chars64:weights=tf-idf": (
        "63d88a11f59c2ac2bd69d7bb58c82369",
        "0fa10df5f9095710800677096aa125ac",
        "f3e30816a307c5d5",
    ),
    "words128:n=2,weights=tf-idf": (
        "9c80c3ade1b3fe0c24a98fb3310d15d2",
        "5a8d5d5f13e5de3b8c127ae511a58f3c",
        "970f7abf40b5b6c1626c120831d4e3a6",
    ),
    "words128:weights=log-idf": (
        "2138971cd1739b62b69ac6c1ee381dd2",
        "837aa7546fda9f595bff9132367b8d14",
        "1264a8bcaeb165571a55fe52a823ca56",
    ),
    "words64:n=2,weights=idf": (
        "9c80c3ade1b3fe0c24a98fb3310d15d2",
        "6dd699871c6593c948d4d804000b89df",
        "626c120831d4e3a6",
    ),
    "esimhash64": (
        "0f1993b9a12c407061e4855b901a2ef2",
        "bff4fe9264227965e559db7df75e507f",
        "db77be3d3e85de9b",
    ),
    "esimhash128": (
        "0f1993b9a12c407061e4855b901a2ef2",
        "ece0422c9f3b947ec124071bf3098209",
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
    "table": (
        "a2eae3245dc8f7845eeb1a451a7e0f4f",
        "4447b3b22857d0b4e02777d24242d13d73615e8d",
    ),
    "rows": (
        "729eecc6beedcf01657f486571f19990",
        "c6c0ca1f338f12ee",
    ),
    "chars": (
        "f1a592f5cb44ef12506826aa5da9d669",
        "560ab68aaf3e30816a307c5d5",
    ),
    "wide": (
        "08dbe4d38ff9ffea05f817239d0e91ae",
        "4707525787c80321f2022c9ba48ec229a1d71272186a24e8e2",
    ),
    "interest": (
        "da0033526929c0c12406c41f575f963b",
        "626c120831d4e3a6",
    ),
    "searched": (
        "f89ef8efd97df5333d47256fa15b395d",
        "32467a52ed33cb56",
    ),
    "fours": (
        "4b54d24664669175443d43aa5ab90e71",
        "1264a8bcaeb165d71255fe52a823cb57",
    ),
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
