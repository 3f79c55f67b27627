"""Models and the schemes that use them stay as they are: digests and bits that were once released."""

from simsieve import CustomScheme, Fingerprinter, fit

CORPUS = [
    "村口的老槐树下聚了许多人，大家都在谈论今年的雨水。",
    "今年的雨水比去年的多，村口的老槐树也长高了。",
    "The ferry leaves at seven; the ferry is late, late, late.",
]

PINNED: dict[str, tuple[str, str, str]] = {
    "chars64:weights=idf": ("cb1f9601ee3d155f2923f90280cc7435", "02d1f368cf7d1741d4882a23708fed86", "f3e30816a307c5d5"),
    "chars64:weights=tf-idf": (
        "cb1f9601ee3d155f2923f90280cc7435",
        "a7aaa6b6ca852711448d495ae47ecc07",
        "f3e30816a307c5d5",
    ),
    "words128:n=2,weights=tf-idf": (
        "b36d6d3e0cb235dc4365816a7c2ee4ac",
        "2b8b3cb7a8dd6021ff426b20463441b7",
        "970f7abf40b5b6c1626c120831d4e3a6",
    ),
    "words128:weights=log-idf": (
        "0356863442ce776c77d9be92ffaba5c6",
        "c5c2b276731f5c19766984c1a07aa18e",
        "1264a8bcaeb165571a55fe52a823ca56",
    ),
    "words64:n=2,weights=idf": (
        "b36d6d3e0cb235dc4365816a7c2ee4ac",
        "b2c30181df62ccae89613fc6383d99b5",
        "626c120831d4e3a6",
    ),
    "esimhash64": ("4d68ce091abee0238e59d95c9551fc5d", "c9f91943d28f3182496fdb13b44ab80b", "db77be3d3e85de9b"),
    "esimhash128": (
        "4d68ce091abee0238e59d95c9551fc5d",
        "9782ebbc5c47da3c888f58f49e2f026c",
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
    "table": ("122c12de8928eeb34b025eb84ae95fff", "4447b3b22857d0b4e02777d24242d13d73615e8d"),
    "rows": ("30020b67e0ea65833f4eff675adf8625", "c6c0ca1f338f12ee"),
    "chars": ("abe56801c22b1fc7addb012c28697774", "560ab68aaf3e30816a307c5d5"),
    "wide": ("6589ea9afcf14f7b93bd7ee7b55132ab", "4707525787c80321f2022c9ba48ec229a1d71272186a24e8e2"),
    "interest": ("d5bcf707a8b0728bd866051a86d39fdf", "626c120831d4e3a6"),
    "searched": ("d4b1e58362ad62cc575c309cb149b826", "32467a52ed33cb56"),
    "fours": ("74650abdfcd406d0d1731ff3dc979fb7", "1264a8bcaeb165d71255fe52a823cb57"),
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
    assert fit(CORPUS).features_digest == "6d43dcf390b8ec7f33f7375ecf7821c2"
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
