//! Weights by TF-IDF and by the entropy of a word's neighbours, and places in the hash: E-Simhash.
//!
//! Source: Zhang Hang et al., *Computer Engineering and Applications* 56(11), 2020, 246-251, formulas 3 to 5, 7 to 10 and 16.
//! What it leaves open is an option here.

use crate::encode::hash::{HashCache, MOST_WORDS, TokenHash};
use crate::encode::model::Idf;
use crate::encode::tokenize::tokens::Tokens;
use crate::encode::tokenize::windows::Features;

/// How E-Simhash weighs and places words.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct EntropyRule {
    /// Whether TF is the count, and not the share of all words.
    pub counts: bool,
    /// The weight above which a word is too heavy.
    pub cap: Cap,
    /// What such a word weighs.
    pub over: Over,
    /// What a place is.
    pub place: Place,
    /// The first place.
    pub from: u64,
    /// Which place a word has that occurs several times.
    pub repeat: Repeat,
}

/// The weight above which a word is too heavy: `W_t`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Cap {
    /// There is none.
    None,
    /// A weight.
    Weight(f64),
    /// This share, in percent, of the text's greatest weight.
    Percent(f64),
    /// The percentile of the weights of the text's distinct words, by nearest rank.
    Percentile(f64),
}

/// What a word has whose weight is above the ceiling: `W'_t`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Over {
    /// The ceiling.
    Ceiling,
    /// The mean of the weights up to the ceiling, or the ceiling where there are none.
    Mean,
    /// Nothing.
    Zero,
}

/// What a place is.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Place {
    /// The number of words before it.
    Word,
    /// The number of distinct words whose first place is before it.
    Rank,
    /// The number of characters of the words before it.
    Character,
    /// The number of heavier words, of equals those whose first place is before it.
    Weight,
    /// No place.
    None,
}

/// Which place a word has that occurs in several.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Repeat {
    /// The first.
    First,
    /// The last.
    Last,
    /// All of them: its weight counts in each.
    Each,
}

/// Each by its name.
pub const TF: [(&str, bool); 2] = [("count", true), ("share", false)];
/// Each by its name.
pub const OVER: [(&str, Over); 3] = [("ceiling", Over::Ceiling), ("mean", Over::Mean), ("zero", Over::Zero)];
/// Each by its name.
pub const PLACE: [(&str, Place); 5] = [
    ("character", Place::Character),
    ("word", Place::Word),
    ("rank", Place::Rank),
    ("weight", Place::Weight),
    ("none", Place::None),
];
/// Each by its name.
pub const REPEAT: [(&str, Repeat); 3] = [("each", Repeat::Each), ("first", Repeat::First), ("last", Repeat::Last)];

fn name_of<'a, T: Copy + PartialEq>(list: &[(&'a str, T)], value: T) -> &'a str {
    list.iter().find(|row| row.1 == value).map_or("", |row| row.0)
}

impl Cap {
    /// Reads `none`, a weight, `P%` or `pP`.
    pub fn parse(text: &str) -> Option<Self> {
        let number = |text: &str, most: f64| text.parse().ok().filter(|n: &f64| *n > 0.0 && *n <= most);
        if text == "none" {
            Some(Self::None)
        } else if let Some(percent) = text.strip_suffix('%') {
            number(percent, 100.0).map(Self::Percent)
        } else if let Some(percentile) = text.strip_prefix('p') {
            number(percentile, 100.0).map(Self::Percentile)
        } else {
            number(text, 4095.0).map(Self::Weight)
        }
    }

    /// As it is read.
    pub fn name(self) -> String {
        match self {
            Self::None => "none".to_owned(),
            Self::Weight(weight) => weight.to_string(),
            Self::Percent(percent) => format!("{percent}%"),
            Self::Percentile(percentile) => format!("p{percentile}"),
        }
    }

    /// The one ceiling for a text's weights.
    pub(crate) fn of(self, weights: &[f64], room: &mut Vec<f64>) -> f64 {
        match self {
            _ if weights.is_empty() => f64::INFINITY,
            Self::None => f64::INFINITY,
            Self::Weight(weight) => weight,
            Self::Percent(percent) => weights.iter().copied().fold(0.0, f64::max) * percent / 100.0,
            Self::Percentile(percentile) => {
                room.clear();
                room.extend_from_slice(weights);
                let rank = (percentile / 100.0 * weights.len() as f64).ceil() as usize;
                let at = rank.clamp(1, weights.len()) - 1;
                *room.select_nth_unstable_by(at, f64::total_cmp).1
            }
        }
    }
}

impl EntropyRule {
    /// The reading nearest to the paper's figures: `docs/explanation/esimhash.md`.
    pub(crate) const USUAL: Self = Self {
        counts: true,
        cap: Cap::Percent(90.0),
        over: Over::Ceiling,
        place: Place::Character,
        from: 1,
        repeat: Repeat::Each,
    };

    /// The weights that custom schemes take: formula 10, with the share for TF, no ceiling and no places.
    pub(crate) const WEIGHTS: Self = Self {
        counts: false,
        cap: Cap::None,
        place: Place::None,
        repeat: Repeat::First,
        ..Self::USUAL
    };

    /// Whether a word has rows of its own, and not the one of its feature.
    pub(crate) fn has_rows(&self) -> bool {
        self.place != Place::None || self.repeat == Repeat::Each
    }

    /// Every option with its value, in words.
    pub(crate) fn canonical(&self) -> String {
        format!(
            "tf={}, cap={}, over={}, place={}, from={}, repeat={}",
            name_of(&TF, self.counts),
            self.cap.name(),
            name_of(&OVER, self.over),
            name_of(&PLACE, self.place),
            self.from,
            name_of(&REPEAT, self.repeat)
        )
    }

    /// Weighs the features and writes the rows of their hashes and weights.
    ///
    /// Complexity: a look-up and a hash a distinct word; a sort of them where places are by weight.
    pub(crate) fn apply(
        &self,
        idf: &Idf,
        tokens: &Tokens,
        features: &Features,
        hashes: Hashes<'_>,
        weights: &mut Vec<u32>,
    ) {
        let Hashes {
            hash,
            words,
            cache,
            planes,
            rows: room,
        } = hashes;
        let n = features.len();
        room.clear();
        self.weigh(idf, tokens.known.len(), features, room, weights);
        room.places.resize(n, 0);
        room.hashes.resize(n, [0; MOST_WORDS]);
        let (mut first, mut characters) = (0, 0);
        for (at, (token, known)) in tokens.known_tokens().enumerate() {
            let is_first = features.hashes().get(first) == Some(&known);
            let feature = if is_first {
                first
            } else {
                features.place(known).unwrap_or(0)
            };
            let place = match self.place {
                Place::Word => at as u64,
                Place::Character => characters,
                _ => feature as u64,
            };
            if self.place == Place::Character {
                characters += token.chars().count() as u64;
            }
            if is_first {
                room.hashes[first] = cache.hash(hash, token, known);
                first += 1;
            }
            if is_first || self.repeat == Repeat::Last {
                room.places[feature] = place;
            }
            if self.repeat == Repeat::Each {
                room.rows.push((feature as u32, place));
                room.row_weights.push(weights[feature]);
            }
        }
        if self.repeat != Repeat::Each {
            room.rows
                .extend(room.places.iter().enumerate().map(|(at, &place)| (at as u32, place)));
        }
        if self.place == Place::Weight {
            room.rank_by_weight(weights);
        }
        let rows = room.rows.len();
        planes.clear();
        planes.resize(words * rows, 0);
        for (at, &(feature, place)) in room.rows.iter().enumerate() {
            let mut bits = room.hashes[feature as usize];
            if self.place != Place::None {
                bits[0] ^= place + self.from;
            }
            for (k, word) in bits[..words].iter().enumerate() {
                planes[k * rows + at] = *word;
            }
        }
    }

    /// Weighs the features of a text of this many words.
    pub(crate) fn weigh(
        &self,
        idf: &Idf,
        words: usize,
        features: &Features,
        room: &mut PlacedWords,
        weights: &mut Vec<u32>,
    ) {
        let (documents, total) = (idf.model().documents() as f64, words as f64);
        let exact = &mut room.exact;
        exact.clear();
        idf.each_frequency(features.hashes(), |frequency| {
            exact.push(libm::log(documents / (frequency as f64 + 1.0)));
        });
        for (weight, &count) in exact.iter_mut().zip(features.counts()) {
            let tf = if self.counts {
                f64::from(count)
            } else {
                f64::from(count) / total
            };
            *weight *= tf;
        }
        let mut weights_left = exact.iter_mut();
        idf.each_entropy(features.hashes(), |entropy| {
            let weight = weights_left.next().expect("a weight for each feature");
            *weight = f64::midpoint(*weight * *weight, entropy * entropy).sqrt();
        });
        self.lower(room);
        // A weight below 4,096 fits; more is possible with counts and without a ceiling alone.
        weights.extend(room.exact.iter().map(|weight| (UNIT * weight).round_ties_even() as u32));
    }

    /// Gives what is above the ceiling another weight.
    fn lower(&self, room: &mut PlacedWords) {
        if self.cap == Cap::None {
            return;
        }
        let ceiling = self.cap.of(&room.exact, &mut room.sorted);
        let instead = match self.over {
            Over::Ceiling => ceiling,
            Over::Zero => 0.0,
            Over::Mean => {
                let under = room.exact.iter().filter(|&&weight| weight <= ceiling);
                let (sum, n) = under.fold((0.0, 0_u32), |(sum, n), weight| (sum + weight, n + 1));
                if n > 0 { sum / f64::from(n) } else { ceiling }
            }
        };
        for weight in &mut room.exact {
            if *weight > ceiling {
                *weight = instead;
            }
        }
    }
}

const UNIT: f64 = 1_048_576.0;

/// Where the hashes of a text's words are made and written.
pub(crate) struct Hashes<'a> {
    pub(crate) hash: TokenHash,
    /// 64-bit words of a fingerprint.
    pub(crate) words: usize,
    pub(crate) cache: &'a mut HashCache,
    pub(crate) planes: &'a mut Vec<u64>,
    pub(crate) rows: &'a mut PlacedWords,
}

/// Weights and places of the words of one text, and memory for the next.
#[derive(Debug, Default, Clone)]
pub(crate) struct PlacedWords {
    exact: Vec<f64>,
    sorted: Vec<f64>,
    places: Vec<u64>,
    hashes: Vec<[u64; MOST_WORDS]>,
    /// Feature and place of each row of hashes.
    rows: Vec<(u32, u64)>,
    /// Where rows are not features, each by itself.
    pub(crate) row_weights: Vec<u32>,
}

impl PlacedWords {
    pub(crate) fn clear(&mut self) {
        self.exact.clear();
        self.places.clear();
        self.rows.clear();
        self.row_weights.clear();
    }

    /// How many rows of hashes there are; none where they are the features'.
    pub(crate) fn rows(&self) -> usize {
        self.row_weights.len()
    }

    fn rank_by_weight(&mut self, weights: &[u32]) {
        let mut order: Vec<u32> = (0..weights.len() as u32).collect();
        order.sort_by_key(|&at| std::cmp::Reverse(weights[at as usize]));
        for (rank, &at) in order.iter().enumerate() {
            self.places[at as usize] = rank as u64;
        }
        for (feature, place) in &mut self.rows {
            *place = self.places[*feature as usize];
        }
    }
}
