//! Weights by TF-IDF and by the entropy of a word's neighbours, and places in the hash: E-Simhash.
//!
//! Source: Zhang Hang et al., *Computer Engineering and Applications* 56(11), 2020, 246-251, formulas 3 to 5, 7 to 10 and 16.
//! What it does not tell is an option here.

use super::Scratch;
use super::token_hash::{MOST_WORDS, TokenHash};
use crate::encode::model::Idf;
use crate::encode::tokenize::windows::Features;

/// How E-Simhash weighs and places words.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct EntropyRule {
    /// Whether TF is the count, and not the share of all words.
    counts: bool,
    cap: Cap,
    over: Over,
    place: Place,
    from: u64,
    repeat: Repeat,
}

/// The weight above which a word is too heavy: `W_t`.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Cap {
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
enum Over {
    Ceiling,
    /// The mean of the weights up to the ceiling, or the ceiling where there are none.
    Mean,
    Zero,
}

/// What a place is.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Place {
    /// The number of words before it.
    Word,
    /// The number of distinct words that stand first before it.
    Rank,
    /// The number of characters of the words before it.
    Character,
    /// The number of heavier words, of equals those that stand first before it.
    Weight,
    /// No place.
    None,
}

/// Which place a word has that stands in several.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Repeat {
    First,
    Last,
    /// All of them: its weight counts in each.
    Each,
}

const TF: [(&str, bool); 2] = [("share", false), ("count", true)];
const OVER: [(&str, Over); 3] = [("ceiling", Over::Ceiling), ("mean", Over::Mean), ("zero", Over::Zero)];
const PLACE: [(&str, Place); 5] = [
    ("word", Place::Word),
    ("rank", Place::Rank),
    ("character", Place::Character),
    ("weight", Place::Weight),
    ("none", Place::None),
];
const REPEAT: [(&str, Repeat); 3] = [("first", Repeat::First), ("last", Repeat::Last), ("each", Repeat::Each)];

/// What the options are, for people.
pub(super) const OPTIONS: &str = "tokens=words|all, tf=count|share, cap=90%|none|WEIGHT|P%|pP, over=ceiling|mean|zero, \
     place=character|word|rank|weight|none, from=1|0, repeat=each|first|last, mode=exact|full|search, hmm=on|off, stop=FILE, dict=FILE, pos=n+v, fold=none|t2s|tw2sp, model=FILE";

fn named<T: Copy>(list: &[(&str, T)], name: &str) -> Option<T> {
    list.iter().find(|(known, _)| *known == name).map(|row| row.1)
}

fn name_of<'a, T: Copy + PartialEq>(list: &[(&'a str, T)], value: T) -> &'a str {
    list.iter().find(|row| row.1 == value).map_or("", |row| row.0)
}

impl Cap {
    fn parse(text: &str) -> Option<Self> {
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

    fn name(self) -> String {
        match self {
            Self::None => "none".to_owned(),
            Self::Weight(weight) => weight.to_string(),
            Self::Percent(percent) => format!("{percent}%"),
            Self::Percentile(percentile) => format!("p{percentile}"),
        }
    }

    /// The ceiling for a text's weights, of which there is one.
    fn of(self, weights: &[f64], room: &mut Vec<f64>) -> f64 {
        match self {
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
    pub(super) const USUAL: Self = Self {
        counts: true,
        cap: Cap::Percent(90.0),
        over: Over::Ceiling,
        place: Place::Character,
        from: 1,
        repeat: Repeat::Each,
    };

    /// The weights that own schemes take, which have no places: formula 10, with the share for TF and no ceiling.
    pub(super) const WEIGHTS: Self = Self {
        counts: false,
        cap: Cap::None,
        ..Self::USUAL
    };

    /// Takes an option; `None` where there is no such one, else whether its value is allowed.
    pub(super) fn set(&mut self, key: &str, value: &str) -> Option<bool> {
        fn put<T>(place: &mut T, value: Option<T>) -> bool {
            value.map(|value| *place = value).is_some()
        }
        Some(match key {
            "tf" => put(&mut self.counts, named(&TF, value)),
            "cap" => put(&mut self.cap, Cap::parse(value)),
            "over" => put(&mut self.over, named(&OVER, value)),
            "place" => put(&mut self.place, named(&PLACE, value)),
            "from" => put(&mut self.from, named(&[("0", 0), ("1", 1)], value)),
            "repeat" => put(&mut self.repeat, named(&REPEAT, value)),
            _ => return None,
        })
    }

    /// Every option, or those only that are not usual.
    pub(super) fn options(&self, all: bool) -> Vec<String> {
        let usual = Self::USUAL;
        let mut options = Vec::new();
        let mut tell = |key: &str, value: String, told: bool| {
            if all || told {
                options.push(format!("{key}={value}"));
            }
        };
        tell("tf", name_of(&TF, self.counts).to_owned(), self.counts != usual.counts);
        tell("cap", self.cap.name(), self.cap != usual.cap);
        tell("over", name_of(&OVER, self.over).to_owned(), self.over != usual.over);
        tell(
            "place",
            name_of(&PLACE, self.place).to_owned(),
            self.place != usual.place,
        );
        tell("from", self.from.to_string(), self.from != usual.from);
        tell(
            "repeat",
            name_of(&REPEAT, self.repeat).to_owned(),
            self.repeat != usual.repeat,
        );
        options
    }

    /// Weighs the features in `scratch` and writes the rows of their hashes and weights.
    ///
    /// Complexity: a look-up and a hash a distinct word; a sort of them where places are by weight.
    pub(super) fn apply(&self, idf: &Idf, hash: TokenHash, words: usize, scratch: &mut Scratch) {
        let Scratch {
            tokens,
            known,
            features,
            weights,
            planes,
            entropy: room,
            memo,
            ..
        } = scratch;
        let n = features.len();
        room.clear();
        self.weigh(idf, known.len(), features, room, weights);
        room.places.resize(n, 0);
        room.hashes.resize(n, [0; MOST_WORDS]);
        let (mut first, mut characters) = (0, 0);
        for (at, (token, &known)) in tokens.iter().zip(known.iter()).enumerate() {
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
                room.hashes[first] = memo.hash(hash, token, known);
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

    /// Weighs the features of a text of so many words.
    pub(super) fn weigh(&self, idf: &Idf, words: usize, features: &Features, room: &mut Room, weights: &mut Vec<u32>) {
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
    fn lower(&self, room: &mut Room) {
        if room.exact.is_empty() || self.cap == Cap::None {
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

/// Room for weighing one text after another.
#[derive(Debug, Default, Clone)]
pub(super) struct Room {
    exact: Vec<f64>,
    sorted: Vec<f64>,
    places: Vec<u64>,
    hashes: Vec<[u64; MOST_WORDS]>,
    /// Feature and place of each row of hashes.
    rows: Vec<(u32, u64)>,
    /// Where rows are not features, each by itself.
    pub(super) row_weights: Vec<u32>,
}

impl Room {
    pub(super) fn clear(&mut self) {
        self.exact.clear();
        self.places.clear();
        self.rows.clear();
        self.row_weights.clear();
    }

    /// How many rows of hashes there are; none where they are the features'.
    pub(super) fn rows(&self) -> usize {
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
