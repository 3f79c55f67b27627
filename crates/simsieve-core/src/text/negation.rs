//! The words of negation of a text, for a guard: 正确 and 不正确 are similar, and are no copies.
//!
//! In Chinese a character of negation counts unless it is part of a word that negates nothing (不但, 非常, 是否), or asks (是不是). In
//! English the words of a short list count, and each that ends in n't. Prefixes (unequal, 不锈钢) are no words of their own: 不
//! counts in 不锈钢, and un- never does.

use std::collections::HashMap;
use std::sync::LazyLock;

/// The version of the rules for words of negation, part of the identity of a run.
pub const VERSION: u32 = 1;

/// Characters of negation, each with its plain form.
const CHARACTERS: &[(char, &str)] = &[
    ('不', "不"),
    ('没', "没"),
    ('沒', "没"),
    ('无', "无"),
    ('無', "无"),
    ('非', "非"),
    ('未', "未"),
    ('否', "否"),
    ('别', "别"),
    ('別', "别"),
    ('莫', "莫"),
    ('勿', "勿"),
    ('毋', "勿"),
];

/// Words with such a character that negate nothing. The longest counts first.
const HARMLESS: &str = "
不但 不仅 不僅 不过 不過 不论 不論 不管 不断 不斷 不同 不久 不少 不妨 不禁 不由 不愧 不料 不得不 不可不 不光 不单 不單 不只 不如 不错 不錯 不好意思
差不多 对不起 對不起 了不起 要不 要不是 要不然 无论 無論 无比 無比 无数 無數 无非 無非 无疑 無疑 非常 非洲 除非 是非 莫非 未来 未來 未必不 未尝不 无不 無不
没准 沒準 否则 否則 是否 能否 可否 与否 與否 会否 會否 别人 別人 别的 別的 别墅 別墅 别处 別處 特别 特別 区别 區別 分别 分別 类别 類別 性别 性別 级别 級別 个别 個別
各别 各別 告别 告別 离别 離別 鉴别 鑑別 辨别 辨別 判别 判別 识别 識別 派别 派別 国别 國別 差别 差別 莫名 莫过于 莫過於 莫斯科 约莫 約莫
";

/// English words of negation, each with its plain form.
const WORDS: &[(&str, &str)] = &[
    ("not", "not"),
    ("cannot", "not"),
    ("no", "no"),
    ("never", "never"),
    ("none", "none"),
    ("nothing", "nothing"),
    ("nobody", "nobody"),
    ("nowhere", "nowhere"),
    ("neither", "neither"),
    ("nor", "nor"),
    ("without", "without"),
];

/// The words of negation of a text in its exact form, in their order, each in its plain form.
///
/// Complexity: linear in the text.
pub fn negations(exact: &str) -> Vec<&'static str> {
    let (mut found, mut at) = (Vec::new(), 0);
    while let Some(sign) = exact[at..].chars().next() {
        if sign.is_ascii_alphabetic() {
            let length = exact[at..]
                .find(|sign: char| !is_in_word(sign))
                .unwrap_or(exact.len() - at);
            let (word, rest) = exact[at..].split_at(length);
            found.extend(negation(word.trim_end_matches(['\'', '’']), rest));
            at += length;
            continue;
        }
        // Every harmless word has a negation, and begins at most two characters before it.
        let harmless = (!sign.is_ascii()).then(|| harmless(&exact[at..])).flatten();
        if let Some(length) = harmless {
            at += length;
            continue;
        }
        if let Some(row) = CHARACTERS.iter().find(|row| row.0 == sign)
            && !asks(exact, at, sign)
        {
            found.push(row.1);
        }
        at += sign.len_utf8();
    }
    found
}

fn is_in_word(sign: char) -> bool {
    sign.is_ascii_alphanumeric() || matches!(sign, '\'' | '’' | '_')
}

/// The plain form of an English word of negation; `No. 5` and `not only` negate nothing.
fn negation(word: &str, rest: &str) -> Option<&'static str> {
    if word.ends_with("n't") || word.ends_with("n’t") {
        return Some("not");
    }
    let plain = WORDS.iter().find(|row| row.0 == word)?.1;
    let next = rest.trim_start_matches(['.', ' ']);
    let is_number = word == "no" && next.starts_with(|sign: char| sign.is_ascii_digit());
    let is_harmless =
        is_number || word == "not" && rest.starts_with(" only ") || word == "no" && rest.starts_with(" doubt");
    (!is_harmless).then_some(plain)
}

/// The bytes of the longest harmless word at the beginning of a text.
fn harmless(text: &str) -> Option<usize> {
    static BY_FIRST: LazyLock<HashMap<char, Vec<&str>>> = LazyLock::new(|| {
        let mut words: HashMap<char, Vec<&str>> = HashMap::new();
        for word in HARMLESS.split_whitespace() {
            words
                .entry(word.chars().next().expect("no word is empty"))
                .or_default()
                .push(word);
        }
        words
    });
    let words = BY_FIRST.get(&text.chars().next()?)?.iter();
    words
        .filter(|word| text.starts_with(**word))
        .map(|word| word.len())
        .max()
}

/// Whether a negation is that of a question, as in 是不是, 有没有 and 能不能.
fn asks(text: &str, at: usize, sign: char) -> bool {
    let before = text[..at].chars().next_back();
    let behind = text[at + sign.len_utf8()..].chars().next();
    matches!(sign, '不' | '没' | '沒') && before.is_some_and(char::is_alphabetic) && before == behind
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_that_negate_are_read() {
        for (text, wanted) in [
            ("不正确的是", &["不"][..]),
            ("正确的是", &[]),
            ("他沒有來, 她没有来", &["没", "没"]),
            ("这不但非常特别, 而且无论如何差不多", &[]),
            ("是不是, 有没有, 能不能, 是否", &[]),
            ("不是不好", &["不", "不"]),
            ("它isn't here, it cannot be", &["not", "not"]),
            ("it’s not only that; no. 5, no 7 and no doubt", &[]),
            ("there is no cat and notes know nothing", &["no", "nothing"]),
            ("不得不走, 未必, 未来", &["未"]),
        ] {
            assert_eq!(negations(text), wanted, "{text}");
        }
    }

    #[test]
    fn every_harmless_word_has_a_negation() {
        for word in HARMLESS.split_whitespace() {
            assert!(
                word.chars().any(|sign| CHARACTERS.iter().any(|row| row.0 == sign)),
                "{word}"
            );
            assert_eq!(negations(word), [""; 0], "{word}");
        }
    }
}
