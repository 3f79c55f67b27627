//! Documents with known copies. A document is the function of the seed and its number.
//!
//! Of 100 documents 70 are originals, 10 are exact copies and 20 are edited copies of a random earlier original. Ten originals of
//! 100 are members of a family: they share a template with its other members, and are no copies.

use crate::chance::{Chance, Zipf};
use crate::words::{Language, Words};

/// What a document is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    /// It was not copied.
    Original,
    /// A copy with the same words; one of four has other white space.
    Exact,
    /// A copy with words replaced, inserted, deleted or exchanged.
    Edited,
}

/// Which documents are made.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Form {
    /// Exam questions of about 60 characters: a beginning, words of a topic, an ending or four options.
    Questions,
    /// Web pages of about 2 kB, with the frame of their site.
    Pages,
}

/// A part of a text.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Part {
    Word(u64),
    Function(u64),
    Number(u64),
    Fixed(&'static str),
    Beginning(u64),
    Ending(u64),
}

const TOPICS: u32 = 8_192;
const TOPIC_WORDS: u64 = 400;
const PARTS_OF_COPIES: u64 = 0x1001;

const BEGINNINGS_ZH: [&str; 16] = [
    "关于",
    "下列有关",
    "阅读材料，说出",
    "某班同学研究",
    "按照图中给出的",
    "实验小组要测量",
    "已知某个含有",
    "小华在公园里观察",
    "假设要说明",
    "为了证实",
    "试比较",
    "请分析",
    "如图所示，设",
    "若数列满足",
    "甲、乙两位同学讨论",
    "在一次测验中，",
];
const ENDINGS_ZH: [&str; 10] = [
    "，下面哪一种说法正确？",
    "，其中说错的是哪一项？",
    "，请说明理由。",
    "，求出它的值。",
    "，结果是多少？",
    "，这表示什么？",
    "，请补全句子。",
    "，由此能得到什么结论？",
    "，空格里依次填什么？",
    "，最好的答案是哪一个？",
];
const BEGINNINGS_EN: [&str; 8] = [
    "Which of these describes",
    "Read the passage about",
    "A student measures",
    "Suppose that",
    "Compare",
    "The diagram shows",
    "Explain why",
    "In an experiment",
];
const ENDINGS_EN: [&str; 6] = [
    ". Which answer is right?",
    ". Give a reason.",
    ". Find the value.",
    ". What follows from this?",
    ". Fill in the blank.",
    ". Which statement is wrong?",
];

/// What makes the documents of a collection.
pub struct Documents {
    words: Words,
    topics: Zipf,
    seed: u64,
    form: Form,
}

impl Documents {
    /// The documents of a seed.
    pub fn new(form: Form, seed: u64) -> Self {
        Self {
            words: Words::new(seed),
            topics: Zipf::new(TOPICS, 20.0),
            seed,
            form,
        }
    }

    /// What document `number` is, and the number of its original: its own, where it is one.
    pub fn truth(&self, number: u64) -> (Kind, u64) {
        let mut chance = Chance::of(&[self.seed, number]);
        let kind = if number == 0 {
            Kind::Original
        } else {
            Self::kind(&mut chance)
        };
        if kind == Kind::Original {
            return (kind, number);
        }
        loop {
            let earlier = chance.below(number);
            if earlier == 0 || Self::kind(&mut Chance::of(&[self.seed, earlier])) == Kind::Original {
                return (kind, earlier);
            }
        }
    }

    fn kind(chance: &mut Chance) -> Kind {
        match chance.below(10) {
            0..7 => Kind::Original,
            7 => Kind::Exact,
            _ => Kind::Edited,
        }
    }

    /// Write the text of document `number`, which needs no escapes in JSON.
    pub fn write(&self, number: u64, text: &mut String) {
        let (kind, original) = self.truth(number);
        let (language, mut parts) = self.original(original);
        let mut chance = Chance::of(&[self.seed, number, PARTS_OF_COPIES]);
        if kind == Kind::Edited {
            self.edit(&mut parts, &mut chance);
        }
        let wide = kind == Kind::Exact && chance.happens(250);
        if wide {
            text.push('\u{3000}');
        }
        for (at, part) in parts.iter().enumerate() {
            if at > 0 && language == Language::English && !matches!(part, Part::Ending(_) | Part::Fixed(_)) {
                text.push_str(if wide && at % 5 == 0 { "  " } else { " " });
            }
            self.write_part(language, *part, text);
        }
    }

    fn write_part(&self, language: Language, part: Part, text: &mut String) {
        let pick = |number: u64, chinese: &'static [&str], english: &'static [&str]| {
            let all = if language == Language::Chinese {
                chinese
            } else {
                english
            };
            all[number as usize % all.len()]
        };
        match part {
            Part::Word(rank) => self.words.write(language, rank, text),
            Part::Function(number) => text.push_str(self.words.function(language, number)),
            Part::Number(number) => text.push_str(&number.to_string()),
            Part::Fixed(fixed) => text.push_str(fixed),
            Part::Beginning(number) => text.push_str(pick(number, &BEGINNINGS_ZH, &BEGINNINGS_EN)),
            Part::Ending(number) => text.push_str(pick(number, &ENDINGS_ZH, &ENDINGS_EN)),
        }
    }

    /// The parts of an original.
    fn original(&self, number: u64) -> (Language, Vec<Part>) {
        let mut chance = Chance::of(&[self.seed, number, 1]);
        match self.form {
            Form::Questions => self.question(number, &mut chance),
            Form::Pages => self.page(&mut chance),
        }
    }

    /// A word of a text: a function word, a number, a word of the topic or any word.
    fn word(&self, topic: u64, chance: &mut Chance) -> Part {
        match chance.below(100) {
            0..30 => Part::Function(chance.bits()),
            30..34 => {
                let below = [10, 100, 1000][chance.below(3) as usize];
                Part::Number(chance.below(below))
            }
            34..67 => {
                let skewed = chance.below(TOPIC_WORDS) * chance.below(TOPIC_WORDS) / TOPIC_WORDS;
                Part::Word(self.words.rank(Chance::of(&[self.seed, topic, skewed]).bits()))
            }
            _ => Part::Word(self.words.rank(chance.bits())),
        }
    }

    fn question(&self, number: u64, chance: &mut Chance) -> (Language, Vec<Part>) {
        let language = if chance.happens(150) {
            Language::English
        } else {
            Language::Chinese
        };
        let topic = u64::from(self.topics.rank(chance.bits()));
        let mut parts = vec![Part::Beginning(chance.bits())];
        let length = 6 + (0..3).map(|_| chance.below(13)).sum::<u64>();
        if chance.happens(100) {
            // Forty originals in a row of numbers share the stem of their family: 30 to 55 % of the text.
            let mut family = Chance::of(&[self.seed, number / 400, 2]);
            let stem = length * family.between(30, 55) / 100;
            parts.extend((0..stem).map(|_| self.word(topic_of(&mut family), &mut family)));
        }
        while (parts.len() as u64) < length {
            parts.push(self.word(topic, chance));
        }
        if chance.happens(300) {
            for option in ["。A．", "；B．", "；C．", "；D．"] {
                parts.push(Part::Fixed(option));
                parts.extend((0..chance.between(1, 2)).map(|_| self.word(topic, chance)));
            }
        } else {
            parts.push(Part::Ending(chance.bits()));
        }
        (language, parts)
    }

    fn page(&self, chance: &mut Chance) -> (Language, Vec<Part>) {
        let language = if chance.happens(200) {
            Language::Chinese
        } else {
            Language::English
        };
        let topic = u64::from(self.topics.rank(chance.bits()));
        let site = chance.below(20_000);
        let frame = |part: u64, parts: &mut Vec<Part>| {
            let mut of_site = Chance::of(&[self.seed, site, 3 + part]);
            let length = of_site.between(5, 40);
            parts.extend((0..length).map(|_| self.word(site, &mut of_site)));
        };
        let mut parts = Vec::new();
        frame(0, &mut parts);
        let length = 80 + (0..4).map(|_| chance.below(100)).sum::<u64>();
        let (comma, stop) = if language == Language::Chinese {
            ("，", "。")
        } else {
            (",", ".")
        };
        for _ in 0..length {
            parts.push(self.word(topic, chance));
            match chance.below(100) {
                0..6 => parts.push(Part::Fixed(comma)),
                6..13 => parts.push(Part::Fixed(stop)),
                _ => {}
            }
        }
        parts.push(Part::Fixed(stop));
        frame(1, &mut parts);
        (language, parts)
    }

    /// Edit 1 to 20 % of the parts of a question, 1 to 8 % of those of a page, in runs of 1 to 4.
    fn edit(&self, parts: &mut Vec<Part>, chance: &mut Chance) {
        let most = if self.form == Form::Questions { 200 } else { 80 };
        let mut left = (parts.len() as u64 * chance.between(10, most) / 1000).max(1);
        let before = parts.clone();
        while left > 0 || *parts == before {
            let run = (chance.between(1, 4)).min(left.max(1)) as usize;
            let at = chance.below(parts.len() as u64) as usize;
            let end = (at + run).min(parts.len());
            let fresh: Vec<Part> = (at..end).map(|_| Part::Word(self.words.rank(chance.bits()))).collect();
            match chance.below(10) {
                0..5 => drop(parts.splice(at..end, fresh)),
                5..7 => drop(parts.splice(at..at, fresh)),
                7..9 if parts.len() > run + 4 => drop(parts.drain(at..end)),
                _ => {
                    let other = chance.below(parts.len() as u64) as usize;
                    parts.swap(at, other);
                }
            }
            left = left.saturating_sub(run as u64);
        }
    }
}

fn topic_of(family: &mut Chance) -> u64 {
    family.below(u64::from(TOPICS))
}
