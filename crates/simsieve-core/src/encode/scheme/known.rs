//! The table of schemes, for people.

/// A row of the table of schemes, for people.
#[derive(Debug, Clone, Copy)]
pub struct Described {
    /// What the user writes.
    pub name: &'static str,
    /// Where it comes from.
    pub source: &'static str,
    /// What its features are.
    pub features: &'static str,
    /// How features are weighted.
    pub weights: &'static str,
    /// The hash of a feature.
    pub hash: &'static str,
    /// When a bit is 1.
    pub sign: &'static str,
    /// The options with their defaults.
    pub options: &'static str,
}

impl Described {
    /// Which widths its names have.
    pub fn widths(&self) -> String {
        super::names::widths_told(self.name)
    }
}

/// The scheme used where none is named.
pub const DEFAULT: &str = "chars128";

const FEATURES: &str = "windows of 6 units over letters, digits and symbols of the normalised text (a Han, kana or Hangul character is 2 units, any other 1)";
pub(super) const OPTIONS: &str = "units=6 | n=characters, weights=once|tf|log|idf|log-idf|tf-idf, model=FILE, punctuation=drop|keep, fold=none|t2s|tw2sp";
/// What `fold` may be.
pub(super) const FOLDS: &str = "there are none, t2s (Traditional Chinese characters become Simplified) and tw2sp (and words of Taiwan those of the mainland)";
const ONCE: &str = "once: 1 a distinct feature";
const COUNT: &str = "tf: 1 an occurrence";
const TF_IDF: &str = "TF-IDF, in steps of 2^-24";
const XXH3: &str = "XXH3-64, further words mixed from it";
const MD5: &str = "the low bits of MD5, read big-endian";
const NONE: &str = "none";
const ABOVE: &str = "> 0";
const NOT_BELOW: &str = ">= 0";

const fn chars(name: &'static str) -> Described {
    Described {
        name,
        source: "simsieve; Charikar 2002",
        features: FEATURES,
        weights: ONCE,
        hash: XXH3,
        sign: ABOVE,
        options: OPTIONS,
    }
}

const fn words(name: &'static str) -> Described {
    Described {
        name,
        source: "simsieve; Charikar 2002",
        features: "words of the normalised text: runs of letters, digits and symbols, Han among them cut by the segmenter",
        weights: ONCE,
        hash: XXH3,
        sign: ABOVE,
        options: "n=1 (words a feature, joined by a space), weights=once|tf|log|idf|log-idf|tf-idf, model=FILE, mode=exact|full|search, hmm=on|off, stop=FILE, dict=FILE, pos=n+v, fold=none|t2s|tw2sp, unspaced=runs|fours",
    }
}

const fn baseline(name: &'static str) -> Described {
    Described {
        name,
        source: "the plain SimHash of Zhang Hang et al., Computer Engineering and Applications 56(11), 2020, 246-251",
        features: "all that the segmenter cuts the text into",
        weights: COUNT,
        hash: MD5,
        sign: ABOVE,
        options: "weights=tf|once, mode=exact|full|search, hmm=on|off, stop=FILE, dict=FILE, pos=n+v",
    }
}

const fn esimhash(name: &'static str) -> Described {
    Described {
        name,
        source: "E-Simhash of Zhang Hang et al., Computer Engineering and Applications 56(11), 2020, 246-251",
        features: "words, as words64 has them",
        weights: "root mean square of TF-IDF and of the mean entropy of left and right neighbours, up to a ceiling, in steps of 2^-20",
        hash: "the low bits of MD5, read big-endian, xor the word's place",
        sign: ABOVE,
        options: super::entropy::OPTIONS,
    }
}

const fn structure(name: &'static str) -> Described {
    Described {
        name,
        source: "simsieve; weights by depth after a published recipe for pages",
        features: "elements of the page that the text field holds, known by their tags",
        weights: "the sum of 0.45^depth over all elements of a tag, in steps of 2^-20",
        hash: "FNV-1, further words mixed from it",
        sign: ABOVE,
        options: "levels=1 (tags of a path; 0 the whole), classes=drop|keep, weight=sum|nearest|once, decay=0.45, hash=fnv1|xxh3",
    }
}

/// Every scheme there is.
pub const TABLE: [Described; 20] = [
    chars("chars64"),
    chars("chars128"),
    chars("chars256"),
    words("words64"),
    words("words128"),
    words("words256"),
    Described {
        name: "simhash64",
        source: "1e0ng/simhash 2.1.2 (Python), its default features",
        features: "4 characters of the lower-cased letters, digits and underscores, all else left out",
        weights: COUNT,
        hash: MD5,
        sign: ABOVE,
        options: NONE,
    },
    Described {
        name: "gemantic64",
        source: "gemantic, com.gemantic.nlp.commons.simhash.SimHash (Java), 2012",
        features: "what stands between ASCII white space",
        weights: COUNT,
        hash: "multiplied by 1000003 and xored, a UTF-16 unit at a time",
        sign: NOT_BELOW,
        options: NONE,
    },
    Described {
        name: "mfonda64",
        source: "mfonda/simhash (Go), word features and Unicode word features",
        features: "lower-cased words of ASCII letters, digits, _ and ', with a web address as one word; or of letters, -, _ and '",
        weights: COUNT,
        hash: "FNV-1",
        sign: NOT_BELOW,
        options: "words=ascii|nfc|nfd|nfkc|nfkd (ASCII, or Unicode words of that normal form)",
    },
    baseline("esimhash_baseline64"),
    baseline("esimhash_baseline128"),
    esimhash("esimhash64"),
    esimhash("esimhash128"),
    Described {
        name: "angelo32",
        source: "angelo_tools (Python)",
        features: "words by the segmenter that begin with a character of U+4E00 to U+9FA5",
        weights: COUNT,
        hash: "MD5's 32 hex digits, 8 and more as 1; the first digit is the highest bit",
        sign: ABOVE,
        options: "mode=exact|full|search, hmm=on|off, stop=FILE, dict=FILE, pos=n+v",
    },
    Described {
        name: "keywords64",
        source: "30 keywords as jieba.analyse.extract_tags finds them",
        features: "the heaviest keywords of the text, of equals the first",
        weights: TF_IDF,
        hash: XXH3,
        sign: ABOVE,
        options: "top=30 (1 to 1000), model=FILE, stop=FILE, dict=FILE, pos=n+v, fold=none|t2s|tw2sp",
    },
    Described {
        name: "lines_tfidf64",
        source: "TF-IDF whose documents are the text's lines; scikit-learn's smoothed idf",
        features: "words, as words64 has them",
        weights: "share of all words x (ln((n + 1) / (df + 1)) + 1) over n lines that have words, in steps of 2^-24",
        hash: "FNV-1, further words mixed from it",
        sign: ABOVE,
        options: "mode=exact|full|search, hmm=on|off, stop=FILE, dict=FILE, pos=n+v, fold=none|t2s|tw2sp",
    },
    structure("dom64"),
    structure("dom128"),
    structure("dom256"),
    Described {
        name: "external64",
        source: "the user's own, such as hashes of images",
        features: "none: the text field holds the fingerprint, so there are distances and no similarity",
        weights: NONE,
        hash: NONE,
        sign: "as given",
        options: super::given::OPTIONS,
    },
];
