//! Conflicts of two similar texts: each has a value that the other has nowhere, and both values stand between the same words.
//!
//! Forms filled in differently are similar and are no copies. A *slot* is the place behind two words or before two words. Han characters
//! and the like are words of their own. Two texts conflict in a slot where each has a value there that the other lacks. They conflict
//! as a whole where such values are at least a [tenth](SHARE) of the distinct values of the text that has fewer.
//!
//! Values are read from the [exact form](crate::text::Compact::exact) of a text:
//!
//! - *Numbers*. Those of addresses, link targets, paths, file names, reference marks, list heads and articles of a law are none. Chinese
//!   numerals count where they are certain to be numbers, and apart from digits: 十五日 in each law does not hide another date of a law.
//!   A number that is written apart in one text and together in the other is one number.
//! - *Codes*: letters and digits in one word, as hd-200x, with hyphens.
//! - *Opposites*: words of which one excludes the others, as fast and slow, 男 and 女, standard and premium.
//!
//! The rule depends on the two exact forms alone, and is symmetric. So exact copies have the same conflicts.

use std::collections::HashMap;
use std::sync::LazyLock;

use crate::base::error::Result;
use crate::base::hash::xxh3_64;
use crate::text::guard::parse_names;
use crate::text::is_dense;
use crate::text::normalise::marks::{MARK, script};
use crate::text::numbers;
use crate::text::pictures;

/// The version of the rules, part of the identity of a run.
const VERSION: u32 = 1;

/// The least share of conflicting values among the distinct ones of the text that has fewer, as its divisor.
const SHARE: usize = 10;

/// Endings of the names of files, whose numbers say nothing about a text.
const ENDINGS: [&str; 12] = [
    ".png", ".jpg", ".jpeg", ".gif", ".svg", ".webp", ".htm", ".html", ".md", ".pdf", ".php", ".js",
];

/// Words of which one excludes the others of its line; a plain form and its other writings are joined by `=`.
const OPPOSITES: &str = "
快 慢
好 差 坏=壞
大 小
多 少
高 低
左 右
男 女
增 减=減
升 降
买=買 卖=賣
赢=贏 输=輸
真 假
冷 热=熱
贵=貴 便宜
上午 下午
am=a.m pm=p.m
fast=quick slow
good bad
left right
high low
male female
increase=increased=increases decrease=decreased=decreases
maximum=max minimum=min
buy sell
cheap expensive
mac=macintosh win=windows linux
standard=std premium professional=pro academic=student upgrade upsell extended deluxe basic enterprise home lite
";

/// A kind of conflict.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Conflict {
    /// Other numbers in one slot.
    Numbers,
    /// Other codes in one slot.
    Codes,
    /// Other words in one slot of which one excludes the other.
    Opposites,
    /// Each text has a run of more than [`RUN`](crate::dedup::verify::losses::RUN) units, and of a tenth of itself, that the other lacks.
    Text,
}

impl Conflict {
    const ALL: [(&'static str, Self); 4] = [
        ("numbers", Self::Numbers),
        ("codes", Self::Codes),
        ("opposites", Self::Opposites),
        ("text", Self::Text),
    ];

    /// Reads names, each once, in a fixed order.
    ///
    /// # Errors
    /// [`Error::Config`] for another name.
    pub fn parse_all(names: &[String]) -> Result<Vec<Self>> {
        parse_names(names, &Self::ALL, |name| {
            msg!("conflict {name:?} is not known: allowed are numbers, codes, opposites and text")
        })
    }

    /// Name and version.
    pub fn canonical(self) -> String {
        format!("{}/{VERSION}", Self::ALL[self as usize].0)
    }
}

/// The values of one kind in a text.
#[derive(Debug, Default)]
struct Values {
    tokens: Vec<Token>,
    found: Vec<Value>,
    /// The hashes of the values by which the other text is asked, ascending.
    known: Vec<u64>,
}

/// A value of a text.
#[derive(Debug)]
struct Value {
    /// As it is written, without commas.
    written: String,
    /// A hash of its plain form.
    plain: u64,
    /// The values of one class are compared: digits, numerals, codes, a line of opposites.
    class: u32,
}

impl Value {
    fn new(written: &str, plain: &str, class: u32) -> Self {
        Self {
            written: written.replace(',', ""),
            plain: hash(plain),
            class,
        }
    }

    /// Numerals are not known as digits.
    fn known(&self) -> u64 {
        self.plain ^ u64::from(self.class)
    }
}

const DIGITS: u32 = 0;
const NUMERALS: u32 = 1;
const CODES: u32 = 2;
/// Lines of opposites have the classes from here on.
const FIRST_LINE: u32 = 3;

/// A word or a value of a text.
#[derive(Debug, Clone, Copy)]
enum Token {
    Word(u64),
    /// A number that is no value of the kind.
    Masked,
    Value(u32),
}

impl Values {
    /// Reads the values of a kind in a text in its exact form.
    ///
    /// Complexity: linear in the text.
    fn read(kind: Conflict, exact: &str) -> Self {
        let text = exact.split(pictures::OPEN).next().unwrap_or_default();
        let mut read = Self::default();
        read.fill(kind, &numbers::in_ascii(text));
        read.known = distinct(read.found.iter().map(Value::known));
        read
    }

    fn fill(&mut self, kind: Conflict, text: &str) {
        let (mut at, mut chunk_end, mut address_end) = (0, 0, 0);
        while let Some(sign) = text[at..].chars().next() {
            if at >= chunk_end && sign.is_ascii_graphic() {
                chunk_end = at + chunk(&text[at..]);
                let whole = &text[at..chunk_end];
                if is_address(whole, text[..at].ends_with("](")) {
                    address_end = chunk_end;
                } else if kind == Conflict::Codes
                    && let Some(code) = code(whole)
                {
                    self.take(Value::new(code, code, CODES));
                    at += code.len();
                    continue;
                }
            }
            at = if at < address_end {
                address_end
            } else if sign == MARK {
                // ① and ² are no values.
                let marked = text[at + 1..].chars().next();
                at + 1 + marked.map_or(0, |marked| marked.len_utf8() + script(marked).written)
            } else if let Some(end) = self.number(kind, text, at, sign) {
                end
            } else if let Some((word, plain, line)) = opposite(kind, &text[at..]) {
                self.take(Value::new(word, plain, FIRST_LINE + line));
                at + word.len()
            } else if let Some(length) = word(&text[at..], sign) {
                self.tokens.push(Token::Word(hash(&text[at..at + length])));
                at + length
            } else {
                at + sign.len_utf8()
            };
        }
    }

    fn take(&mut self, value: Value) {
        self.tokens.push(Token::Value(self.found.len() as u32));
        self.found.push(value);
    }

    /// Takes the number at a place, and returns its end.
    fn number(&mut self, kind: Conflict, text: &str, at: usize, sign: char) -> Option<usize> {
        let is_digit = sign.is_ascii_digit();
        let (plain, end) = if is_digit {
            (String::new(), at + number(&text[at..]))
        } else {
            numbers::digits::in_numerals_at(text, at, sign)?
        };
        if is_mark(text, at, end) {
            return Some(end);
        }
        if kind != Conflict::Numbers {
            self.tokens.push(Token::Masked);
            return Some(end);
        }
        if !is_digit {
            self.take(Value::new(&text[at..end], &plain, NUMERALS));
            return Some(end);
        }
        let (zeros, behind) = tens(&text[end..]);
        for part in parts(&text[at..end]) {
            self.take(Value::new(
                part,
                &numbers::shifted(&numbers::plain(part), zeros),
                DIGITS,
            ));
        }
        Some(end + behind)
    }

    fn knows(&self, hash: u64) -> bool {
        self.known.binary_search(&hash).is_ok()
    }

    /// Which values of another text this text lacks.
    fn lacking(&self, of: &Self) -> Vec<bool> {
        let joined = distinct(self.found.windows(2).map(together));
        let lacks = |at: usize| {
            let value = &of.found[at];
            let beside = |pair: Option<&[Value]>| pair.is_some_and(|pair| self.knows(together(pair)));
            !self.knows(value.known())
                && joined.binary_search(&hash(&value.written)).is_err()
                && !beside(at.checked_sub(1).and_then(|from| of.found.get(from..=at)))
                && !beside(of.found.get(at..at + 2))
        };
        (0..of.found.len()).map(lacks).collect()
    }

    /// The slots of the values in question, ascending: each with the position of its value.
    fn slots(&self) -> Vec<(u64, u32)> {
        let word = |at: Option<usize>| match at.and_then(|at| self.tokens.get(at)) {
            None => 0,
            Some(Token::Value(_) | Token::Masked) => 1,
            Some(Token::Word(word)) => *word,
        };
        let mut slots = Vec::new();
        for (at, token) in self.tokens.iter().enumerate() {
            if let Token::Value(value) = *token {
                // Digits and numerals share their slots.
                let class = u64::from(self.found[value as usize].class.max(NUMERALS)) << 1;
                let left = [class, word(at.checked_sub(2)), word(at.checked_sub(1))];
                let right = [class | 1, word(Some(at + 1)), word(Some(at + 2))];
                slots.extend([left, right].map(|slot| {
                    let bytes: [[u8; 8]; 3] = slot.map(u64::to_le_bytes);
                    (xxh3_64(bytes.as_flattened()), value)
                }));
            }
        }
        slots.sort_unstable();
        slots
    }

    /// Those of some slots' values that the other text lacks, and that are not in the same slot there.
    fn apart(&self, here: &[(u64, u32)], is_lacked: &[bool], other: &Self, there: &[(u64, u32)]) -> Vec<u32> {
        let plain = distinct(there.iter().map(|slot| other.found[slot.1 as usize].plain));
        let is_apart = |at: u32| is_lacked[at as usize] && plain.binary_search(&self.found[at as usize].plain).is_err();
        here.iter().map(|slot| slot.1).filter(|&at| is_apart(at)).collect()
    }

    /// The distinct values at some positions that are counted.
    fn count(&self, positions: impl Iterator<Item = u32>, is_counted: fn(&Value) -> bool) -> usize {
        let values = positions.map(|at| &self.found[at as usize]);
        distinct(values.filter(|value| is_counted(value)).map(Value::known)).len()
    }

    /// Whether this text and another have enough values that conflict.
    ///
    /// Complexity: n log n for the values of both.
    fn conflicts(&self, other: &Self) -> bool {
        let theirs = self.lacking(other);
        if !theirs.contains(&true) {
            return false;
        }
        let ours = other.lacking(self);
        if !ours.contains(&true) {
            return false;
        }
        let (one, two) = (self.slots(), other.slots());
        let (mut a, mut b, mut from) = (Vec::new(), Vec::new(), 0);
        for here in one.chunk_by(|x, y| x.0 == y.0) {
            from += two[from..].partition_point(|slot| slot.0 < here[0].0);
            let there = &two[from..from + two[from..].partition_point(|slot| slot.0 == here[0].0)];
            let x = self.apart(here, &ours, other, there);
            let y = other.apart(there, &theirs, self, here);
            if !x.is_empty() && !y.is_empty() {
                a.extend(x);
                b.extend(y);
            }
        }
        let is_enough = |is_counted: fn(&Value) -> bool| {
            let all = |of: &Self| of.count(0..of.found.len() as u32, is_counted);
            let least = (self.count(a.iter().copied(), is_counted)).min(other.count(b.iter().copied(), is_counted));
            least > 0 && least * SHARE >= all(self).min(all(other))
        };
        is_enough(|_| true) || is_enough(|value| value.class == DIGITS)
    }
}

/// Whether two texts in their exact forms have a conflict of values of a kind.
pub(crate) fn conflicts(kind: Conflict, a: &str, b: &str) -> bool {
    Values::read(kind, a).conflicts(&Values::read(kind, b))
}

/// Hashes in order, each once.
fn distinct(hashes: impl Iterator<Item = u64>) -> Vec<u64> {
    let mut all: Vec<u64> = hashes.collect();
    all.sort_unstable();
    all.dedup();
    all
}

fn hash(text: &str) -> u64 {
    xxh3_64(text.as_bytes())
}

/// The hash of two adjacent values written together.
fn together(pair: &[Value]) -> u64 {
    hash(&[&*pair[0].written, &*pair[1].written].concat())
}

/// The bytes of the word at the beginning.
fn word(text: &str, sign: char) -> Option<usize> {
    if is_dense(sign as u32) {
        return Some(sign.len_utf8());
    }
    let is_part = |sign: char| {
        sign.is_alphabetic() && !is_dense(sign as u32) || matches!(sign, '\u{300}'..'\u{370}' | '\u{93c}' | '\u{94d}')
    };
    sign.is_alphabetic()
        .then(|| text.find(|sign| !is_part(sign)).unwrap_or(text.len()))
}

/// The opposite at the beginning of a text, its plain form and its line.
fn opposite(kind: Conflict, text: &str) -> Option<(&str, &'static str, u32)> {
    static WORDS: LazyLock<HashMap<&'static str, (&'static str, u32)>> = LazyLock::new(|| {
        let lines = (0..).zip(OPPOSITES.trim().lines());
        let words = lines.flat_map(|(line, words)| words.split(' ').map(move |forms| (line, forms)));
        let forms = words.flat_map(|(line, forms)| {
            let plain = forms.split('=').next().unwrap_or_default();
            forms.split('=').map(move |form| (form, (plain, line)))
        });
        forms.collect()
    });
    if kind != Conflict::Opposites {
        return None;
    }
    let sign = text.chars().next()?;
    let length = word(text, sign)?;
    let two = length
        + text[length..]
            .chars()
            .next()
            .filter(|_| is_dense(sign as u32))
            .map_or(0, char::len_utf8);
    [two, length].into_iter().find_map(|length| {
        let (plain, line) = WORDS.get(&text[..length])?;
        Some((&text[..length], *plain, *line))
    })
}

/// The code at the beginning of a chunk: a word of letters and digits.
fn code(chunk: &str) -> Option<&str> {
    let is_part = |sign: char| sign.is_ascii_alphanumeric() || sign == '-';
    let code = &chunk[..chunk.find(|sign| !is_part(sign)).unwrap_or(chunk.len())];
    let code = code.trim_end_matches('-');
    let has = |is: fn(&u8) -> bool| code.as_bytes().iter().any(is);
    (code.len() > 3 && has(u8::is_ascii_alphabetic) && has(u8::is_ascii_digit)).then_some(code)
}

/// The bytes of the number at the beginning, with all its parts.
fn number(text: &str) -> usize {
    let mut end = numbers::digits(text);
    let is_digit = |next: char| next.is_ascii_digit();
    while let Some(rest) = text[end..].strip_prefix('.').filter(|rest| rest.starts_with(is_digit)) {
        end += 1 + rest.bytes().take_while(u8::is_ascii_digit).count();
    }
    end
}

/// The zeros of the units of ten behind a number, as in 3万 and 3 万, and their bytes. 千 of a kilometre is none.
fn tens(text: &str) -> (usize, usize) {
    let rest = text.strip_prefix(' ').unwrap_or(text);
    let (bytes, zeros) = numbers::units_behind(rest);
    let is_prefix = rest[..bytes].ends_with('千')
        && rest[bytes..].starts_with(['米', '克', '瓦', '卡', '帕', '焦', '伏', '赫', '安']);
    if bytes == 0 || is_prefix {
        (0, 0)
    } else {
        (zeros, text.len() - rest.len() + bytes)
    }
}

/// A value of three parts and more, as 7.5.4, is one value a part.
fn parts(number: &str) -> impl Iterator<Item = &str> {
    let is_chain = number.split('.').nth(2).is_some();
    number.split(move |sign| is_chain && sign == '.')
}

/// The bytes of the run of characters at the beginning that an address may have.
fn chunk(text: &str) -> usize {
    let ends = |byte: u8| !byte.is_ascii_graphic() || b"()<>[]{}\"'|,;".contains(&byte);
    text.bytes().position(ends).unwrap_or(text.len()).max(1)
}

/// Whether a chunk is an address, a path or the name of a file.
fn is_address(chunk: &str, is_target: bool) -> bool {
    let name = chunk.trim_end_matches(['.', ':', '!', '?']);
    let slashes = || chunk.bytes().filter(|&byte| byte == b'/').count();
    chunk.len() > 3
        && (is_target
            || chunk.contains("://")
            || chunk.starts_with("www.")
            || ENDINGS.iter().any(|ending| name.ends_with(ending))
            || slashes() >= 2 && chunk.bytes().any(|byte| byte.is_ascii_alphabetic()))
}

/// Whether a number is a reference mark, the head of a list item, or that of an article of a law.
fn is_mark(text: &str, at: usize, end: usize) -> bool {
    let (before, after) = (&text[..at], &text[end..]);
    if before.ends_with('第') && after.starts_with(['条', '條', '章', '节', '節', '款', '项', '項', '编', '編'])
    {
        return true;
    }
    if end - at > 3 || !text[at..end].bytes().all(|byte| byte.is_ascii_digit()) {
        return false;
    }
    if before.ends_with('[') && after.starts_with(']') {
        return true;
    }
    let Some(rest) = after.trim_start_matches(' ').strip_prefix(['.', '、', ')', ']', ':']) else {
        return false;
    };
    if rest.starts_with(|next: char| next.is_ascii_digit()) {
        return false;
    }
    let before = before.strip_suffix(['(', '[']).unwrap_or(before);
    let behind = before.trim_end_matches(['*', '#', '>', '|', '-', ' ']);
    let ends = ['.', '!', '?', '。', ';', '…', '"', '”', ')', ':', '、'];
    behind.is_empty() || behind.ends_with(ends) || behind.len() < before.len() && !after.starts_with(':')
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::Conflict;
    use crate::text::normalise::marks::exact;

    fn conflicts(kind: Conflict, a: &str, b: &str) -> bool {
        let [a, b] = [a, b].map(exact);
        let found = super::conflicts(kind, &a, &b);
        assert_eq!(found, super::conflicts(kind, &b, &a), "{a} {b}");
        found
    }

    #[test]
    fn values_in_one_slot_conflict_and_others_do_not() {
        for (kind, a, b) in [
            (
                Conflict::Numbers,
                "report of 3 May for the market",
                "report of 4 May for the market",
            ),
            (Conflict::Numbers, "价格为120元每吨", "价格为135元每吨"),
            (Conflict::Numbers, "第三十四次会议纪要", "第三十五次会议纪要"),
            (
                Conflict::Numbers,
                "on 12/05/2021 the market",
                "on 13/05/2021 the market",
            ),
            (Conflict::Numbers, "version 7.5.4 of it", "version 8.4.0 of it"),
            (Conflict::Numbers, "售价3万元整", "售价4 万元整"),
            (Conflict::Codes, "the pump HD-200X is here", "the pump HD-210B is here"),
            (Conflict::Opposites, "好吃,送餐慢", "好吃,送餐快!"),
            (
                Conflict::Opposites,
                "the suite for Mac upgrade",
                "the suite for Mac academic",
            ),
            (Conflict::Opposites, "上午开会", "下午开会"),
        ] {
            assert!(conflicts(kind, a, b), "{a} {b}");
        }
        for (kind, a, b) in [
            (Conflict::Numbers, "report of 3 May", "report of 3 May, with 5 pages"),
            (Conflict::Numbers, "call 285-295 now", "call 285295 now"),
            (Conflict::Numbers, "4 000 men came", "4000 men came"),
            (Conflict::Numbers, "1,200 men", "1200 men"),
            (Conflict::Numbers, "1. apples are red", "2. apples are red"),
            (Conflict::Numbers, "① apples are red", "② apples are red"),
            (Conflict::Numbers, "first. 1、苹果", "first. 2、苹果"),
            (Conflict::Numbers, "see [4] for more", "see [5] for more"),
            (
                Conflict::Numbers,
                "at https://a.org/2020/1 it is",
                "at https://a.org/2021/2 it is",
            ),
            (
                Conflict::Numbers,
                "as ![a](x1/album/201.png) shows",
                "as ![a](x2/album/202.png) shows",
            ),
            (Conflict::Numbers, "小于100千米的陆港", "小于 100 千米的陆港"),
            (Conflict::Numbers, "3万元的价格", "30000元的价格"),
            (Conflict::Numbers, "第三条 本法", "第四条 本法"),
            (Conflict::Numbers, "第三十四次会议", "第34次会议"),
            (Conflict::Numbers, "pump HD here", "pump HE here"),
            (Conflict::Codes, "the pump HD-200X is here", "the pump hd-200x is here"),
            (Conflict::Opposites, "slow and fast", "fast and slow"),
            (Conflict::Opposites, "slow and good", "slow and nice"),
        ] {
            assert!(!conflicts(kind, a, b), "{a} {b}");
        }
    }

    #[test]
    fn long_lists_of_numbers_take_no_square_of_them() {
        let list = |from: u32| {
            (from..from + 60_000)
                .map(|number| number.to_string())
                .collect::<Vec<_>>()
                .join(" ")
        };
        assert!(conflicts(Conflict::Numbers, &list(100_000), &list(400_000)));
    }

    #[test]
    fn few_values_of_many_do_not_conflict() {
        let text =
            |last: &str| (100..130).fold(String::new(), |text, number| text + &format!("line {number} of it, ")) + last;
        assert!(!conflicts(
            Conflict::Numbers,
            &text("the sum is 7 in all"),
            &text("the sum is 8 in all")
        ));
    }

    proptest! {
        /// No text conflicts with itself, and none whatever its bytes makes the reader fail.
        #[test]
        fn any_two_texts_are_read(a in "[0-9a-c一二十万第条.,、()\\[\\] /:-]{0,60}", b in any::<String>()) {
            for kind in [Conflict::Numbers, Conflict::Codes, Conflict::Opposites] {
                prop_assert!(!conflicts(kind, &a, &a));
                prop_assert!(!conflicts(kind, &b, &b));
                conflicts(kind, &a, &b);
            }
        }
    }
}
