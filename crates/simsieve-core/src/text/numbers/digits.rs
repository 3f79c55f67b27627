//! Numbers in Chinese numerals written in digits, so that 第一百二十三条 has the features of 第123条.

use super::numerals;
use super::{digits, in_numerals, plain, shifted, units_behind};

/// The text with its numbers in digits: those in numerals that cannot be other words, and 3万; `None` where nothing changes.
pub(crate) fn in_digits(text: &str) -> Option<String> {
    let (mut out, mut at, mut from) = (String::new(), 0, 0);
    while let Some(sign) = text[at..].chars().next() {
        let written = if sign.is_ascii_digit() {
            let length = digits(&text[at..]);
            let (bytes, zeros) = units_behind(&text[at + length..]);
            let end = at + length + bytes;
            if zeros == 0 {
                at = end;
                continue;
            }
            Some((shifted(&plain(&text[at..at + length]), zeros), end))
        } else if numerals::is_numeral(sign) {
            in_numerals(text, at, text[..at].ends_with('第')).map(|(number, end, _)| (number, end))
        } else {
            at += sign.len_utf8();
            continue;
        };
        if let Some((number, end)) = written {
            out.push_str(&text[from..at]);
            out.push_str(&number);
            (at, from) = (end, end);
        } else {
            at += numerals::run(&text[at..]).max(sign.len_utf8());
        }
    }
    (from > 0).then(|| out + &text[from..])
}

/// The number in numerals that begins with the character at a place, and its end.
pub(crate) fn in_numerals_at(text: &str, at: usize, sign: char) -> Option<(String, usize)> {
    let is_numeral = !sign.is_ascii() && numerals::is_numeral(sign) && !text[..at].ends_with(numerals::is_numeral);
    let found = is_numeral.then(|| in_numerals(text, at, text[..at].ends_with('第')))?;
    found.map(|(number, end, _)| (number, end))
}

#[cfg(test)]
mod tests {
    use super::in_digits;

    #[test]
    fn numbers_are_written_in_digits_and_other_words_stay() {
        for (text, written) in [
            ("第一百二十三条", "第123条"),
            ("二〇二六年三月", "2026年3月"),
            ("三万元、3万元、3.5亿元", "30000元、30000元、350000000元"),
            ("一百二十，一百零二", "120，102"),
            ("百分之五，三分之一，三点一四", "5%，1/3，3.14"),
            ("壹佰萬圓", "1000000圓"),
            ("两个人", "2个人"),
            ("廿四节", "24节"),
            ("a三千米b", "a3000米b"),
        ] {
            assert_eq!(in_digits(text).as_deref(), Some(written), "{text}");
        }
        for text in ["", "一起", "万一", "千万别", "老百姓", "统一", "3.5", "1,200", "plain"] {
            assert_eq!(in_digits(text), None, "{text}");
        }
    }
}
