//! Reads the words and the values of a text.

use std::collections::HashMap;
use std::sync::LazyLock;

use super::value::{CODES, Conflict, DIGITS, FIRST_LINE, NUMERALS, Value, hash};
use crate::base::hash::xxh3_64;
use crate::text::is_dense;
use crate::text::normalise::marks::{MARK, script};
use crate::text::numbers;

/// Endings of the names of files, whose numbers say nothing about a text.
const ENDINGS: [&str; 12] = [
    ".png", ".jpg", ".jpeg", ".gif", ".svg", ".webp", ".htm", ".html", ".md", ".pdf", ".php", ".js",
];

/// The words of a line exclude one another; `=` joins a plain form and its other writings.
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

/// What is read of a text.
#[derive(Default)]
pub(super) struct Reader {
    tokens: Vec<Token>,
    pub(super) found: Vec<Value>,
}

/// A word or a value of a text.
#[derive(Debug, Clone, Copy)]
enum Token {
    Word(u64),
    /// A number that is no value of the kind.
    Masked,
    Value(u32),
}

impl Reader {
    /// Reads a text; where it `skips`, words that belong to no slot are left out.
    pub(super) fn fill(&mut self, kind: Conflict, text: &str, skips: bool) {
        let (mut at, mut chunk_end, mut address_end, mut read_to) = (0, 0, 0, 0);
        let has_marks = text.contains(MARK);
        loop {
            if skips && at >= read_to && self.is_behind_slot() {
                let Some(next) = next_number(&text[at..]) else { break };
                read_to = at + next + 1;
                at = slot_before(text, at, at + next, has_marks);
            }
            let Some(sign) = text[at..].chars().next() else { break };
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
                // ① and ² are no values. What follows may be composed with what is written of them.
                let marked = text[at + 1..].chars().next();
                let end = at + 1 + marked.map_or(0, |marked| marked.len_utf8() + script(marked).written);
                (end..text.len())
                    .find(|&end| text.is_char_boundary(end))
                    .unwrap_or(text.len())
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

    /// Whether the next words belong to no slot of the values so far.
    fn is_behind_slot(&self) -> bool {
        let last = self.tokens.len().saturating_sub(2);
        !self.tokens[last..].iter().any(|token| matches!(token, Token::Value(_)))
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
                &numbers::shifted(&numbers::plain(without_zeros(part)), zeros),
                DIGITS,
            ));
        }
        Some(end + behind)
    }

    /// The slots of the values, each with the position of its value.
    pub(super) fn slots(&self) -> Vec<(u64, u32)> {
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
        slots
    }
}

/// Where the next number may begin.
fn next_number(text: &str) -> Option<usize> {
    let may_begin = |sign: char| sign.is_ascii_digit() || !sign.is_ascii() && numbers::numerals::is_numeral(sign);
    text.find(may_begin)
}

/// A place not before `from` from which on the words of a number's slot are read as they are from the beginning: between it and the
/// number are two words at least, and no address, mark or word is cut there.
fn slot_before(text: &str, from: usize, number: usize, has_marks: bool) -> usize {
    let before = &text[from..number];
    let mut characters = 0;
    for (at, sign) in before.char_indices().rev() {
        if is_dense(sign as u32) && !has_marks {
            characters += 1;
            if characters > 2 {
                return from + at + sign.len_utf8();
            }
        } else if sign.is_alphanumeric() || sign.is_ascii_graphic() {
            break;
        }
    }
    let (mut end, mut words) = (before.len(), 0);
    while let Some(space) = before[..end].rfind(' ') {
        let piece = &before[space..end];
        words += u32::from(piece.contains(char::is_alphabetic) && !piece.contains(['.', '/', '(', MARK]));
        if words > 1 {
            return from + space;
        }
        end = space;
    }
    from
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

/// A number without a fraction of nothing but zeros: 5.0 g are 5 g.
fn without_zeros(number: &str) -> &str {
    match number.split_once('.') {
        Some((whole, fraction)) if fraction.bytes().all(|digit| digit == b'0') => whole,
        _ => number,
    }
}

/// The bytes of the run of characters at the beginning that an address may have.
fn chunk(text: &str) -> usize {
    let ends = |byte: u8| !byte.is_ascii_graphic() || b"()<>[]{}\"'|,;".contains(&byte);
    text.bytes().position(ends).unwrap_or(text.len()).max(1)
}

/// Whether a chunk is an address, a path or the name of a file.
fn is_address(chunk: &str, is_target: bool) -> bool {
    if !is_target && !chunk.contains(['.', '/']) {
        return false;
    }
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
