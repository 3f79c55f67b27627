"""Signs of fonts that have signs of their own in the place of letters, as `w:sym` names them."""

_SYMBOL = (
    " !∀#∃%&∋()∗+,−./0123456789:;<=>?≅ΑΒΧΔΕΦΓΗΙϑΚΛΜΝΟΠΘΡΣΤΥςΩΞΨΖ[∴]⊥_‾αβχδεφγηιϕκλμνοπθρστυϖωξψζ{|}∼",
    "€ϒ′≤⁄∞ƒ♣♦♥♠↔←↑→↓°±″≥×∝∂•÷≠≡≈…⏐⎯↵ℵℑℜ℘⊗⊕∅∩∪⊃⊇⊄⊂⊆∈∉∠∇®©™∏√⋅¬∧∨⇔⇐⇑⇒⇓◊〈®©™∑",
)
_FONTS = {
    "symbol": {
        **{0x20 + at: sign for at, sign in enumerate(_SYMBOL[0])},
        **{0xA0 + at: sign for at, sign in enumerate(_SYMBOL[1])},
    },
    "wingdings": dict(zip(b"lno\x9f\xa7\xa8\xdf\xe0\xfb\xfc\xfd\xfe", "●■□•▪◻←→✗✓☒☑", strict=True)),
    "wingdings 2": dict(zip(b"OPQR\xa3", "✗✓☒☑□", strict=True)),
}
_PRIVATE = 0xF000
"""Such fonts are in the private part of Unicode, from here on."""


def sign_of(font: str, code: str) -> str:
    """Give the sign of a code in hexadecimal digits, as far as the font is known; else the character of the code."""
    number = int(code, 16)
    if number >> 16 or number in range(0xD800, 0xE000):
        raise ValueError(f"a symbol has the code {code}")
    known = _FONTS.get(font.lower(), {})
    return known.get(number - _PRIVATE if number >= _PRIVATE else number, chr(number) if number else "")
