//! The tags that tests make pages of.

/// Their names.
pub fn tags() -> Vec<&'static str> {
    "a b i em font nobr code p div span h1 h2 ul li dl dt dd table caption colgroup col tbody thead tr td th form input \
     button select option optgroup textarea title script style xmp iframe noscript template svg math mi foreignObject \
     desc annotation-xml html head body frameset frame br img image hr pre object ruby rp rt plaintext x-own"
        .split(' ')
        .collect()
}
