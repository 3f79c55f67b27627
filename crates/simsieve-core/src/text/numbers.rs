//! The numbers of a text, for a guard: texts with other numbers are no copies, however similar they are.
//!
//! A number is a run of digits, with a fraction and with commas between thousands: `1,200.5` and `1200.5` are one
//! number. Leading zeros do not count. Units after it do: 3万 is 30000.
//!
//! Chinese numerals count where they cannot be other words. They have a coefficient before each unit (一百二十三), or are three digits
//! and more, or two with a zero (二〇), or follow 第. So 三个 and 一起 have no number, and 第一百二十三条 has that of 第123条.

use std::cmp::Ordering;

use crate::base::hash::xxh3_128;

/// A hash of the numbers of a normalised text, whatever their order; each counts as often as it occurs.
///
/// Complexity: n log n for n numbers, and linear in the text.
pub fn digest(normalised: &str) -> u128 {
    let mut all = numbers(normalised);
    all.sort_unstable();
    xxh3_128(all.join("\n").as_bytes())
}

/// The numbers of a normalised text in their order, each in its plain form.
fn numbers(normalised: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut rest = normalised;
    let mut is_ordinal = false;
    while let Some(sign) = rest.chars().next() {
        let length = if sign.is_ascii_digit() {
            let length = digits(rest);
            let (units, zeros) = units_behind(&rest[length..]);
            found.push(shifted(&plain(&rest[..length]), zeros));
            length + units
        } else if numeral(sign).is_some() {
            let length = rest.find(|sign| numeral(sign).is_none()).unwrap_or(rest.len());
            found.extend(value(&rest[..length], is_ordinal));
            length
        } else {
            sign.len_utf8()
        };
        is_ordinal = sign == '第';
        rest = &rest[length..];
    }
    found
}

/// The bytes of the number at the beginning of a text that begins with a digit.
fn digits(text: &str) -> usize {
    let bytes = text.as_bytes();
    let run = |from: usize| bytes[from..].iter().take_while(|byte| byte.is_ascii_digit()).count();
    let mut end = run(0);
    if end <= 3 {
        while bytes.get(end) == Some(&b',') && run(end + 1) == 3 {
            end += 4;
        }
    }
    if bytes.get(end) == Some(&b'.') {
        let fraction = run(end + 1);
        end += if fraction > 0 { 1 + fraction } else { 0 };
    }
    end
}

/// The bytes of the units that follow a number in digits, as in 3万 or 1.5千万, and the zeros that they mean.
fn units_behind(text: &str) -> (usize, usize) {
    let (mut bytes, mut zeros) = (0, 0);
    for sign in text.chars() {
        let Some(Numeral::Unit(unit)) = numeral(sign) else {
            break;
        };
        bytes += sign.len_utf8();
        zeros += unit.ilog10() as usize;
    }
    (bytes, zeros)
}

/// A number in its plain form, times a power of ten.
fn shifted(number: &str, zeros: usize) -> String {
    if zeros == 0 {
        return number.to_owned();
    }
    let (whole, fraction) = number.split_once('.').unwrap_or((number, ""));
    let moved = fraction.len().min(zeros);
    let whole = format!("{whole}{}{}", &fraction[..moved], "0".repeat(zeros - moved));
    match &fraction[moved..] {
        "" => plain(&whole),
        rest => plain(&format!("{whole}.{rest}")),
    }
}

/// A number without commas and leading zeros.
fn plain(number: &str) -> String {
    let digits = number.replace(',', "");
    let whole = digits.find('.').unwrap_or(digits.len());
    let zeros = digits[..whole.saturating_sub(1)]
        .bytes()
        .take_while(|&byte| byte == b'0');
    let zeros = zeros.count();
    digits[zeros..].to_owned()
}

/// What a Chinese numeral is: a digit, or a power of ten.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Numeral {
    Digit(u64),
    Unit(u64),
}

fn numeral(sign: char) -> Option<Numeral> {
    Some(match sign {
        '零' | '〇' => Numeral::Digit(0),
        '一' => Numeral::Digit(1),
        '二' | '两' | '兩' => Numeral::Digit(2),
        '三' => Numeral::Digit(3),
        '四' => Numeral::Digit(4),
        '五' => Numeral::Digit(5),
        '六' => Numeral::Digit(6),
        '七' => Numeral::Digit(7),
        '八' => Numeral::Digit(8),
        '九' => Numeral::Digit(9),
        '十' => Numeral::Unit(10),
        '百' => Numeral::Unit(100),
        '千' => Numeral::Unit(1000),
        '万' | '萬' => Numeral::Unit(10_000),
        '亿' | '億' => Numeral::Unit(100_000_000),
        _ => return None,
    })
}

/// The number of a run of numerals; `None` where it can be another word, or is no number.
fn value(run: &str, is_ordinal: bool) -> Option<String> {
    let numerals: Vec<Numeral> = run.chars().filter_map(numeral).collect();
    let digit = |numeral: &Numeral| match numeral {
        Numeral::Digit(digit) => Some(*digit),
        Numeral::Unit(_) => None,
    };
    if let Some(digits) = numerals.iter().map(digit).collect::<Option<Vec<u64>>>() {
        let is_certain = is_ordinal || digits.len() >= 3 || digits.len() == 2 && digits.contains(&0);
        let text: String = digits.iter().map(u64::to_string).collect();
        return is_certain.then(|| plain(&text));
    }
    if numerals.len() == 1 && !is_ordinal {
        return None;
    }
    with_units(&numerals).map(|value| value.to_string())
}

/// The value of numerals with units, as 三万五千零二: each unit has a coefficient, except 十 at the beginning of four places.
fn with_units(numerals: &[Numeral]) -> Option<u64> {
    let (mut total, mut section, mut digit) = (0_u64, 0_u64, None);
    let (mut last, mut last_large) = (u64::MAX, u64::MAX);
    let mut after_unit = false;
    for (at, numeral) in numerals.iter().enumerate() {
        match *numeral {
            Numeral::Digit(0) if digit.is_none() && at > 0 => after_unit = false,
            Numeral::Digit(_) if digit.is_some() => return None,
            Numeral::Digit(value) => digit = Some(value),
            Numeral::Unit(unit) if unit < 10_000 => {
                let coefficient = match digit.take() {
                    Some(value) if value > 0 => value,
                    None if unit == 10 && section == 0 => 1,
                    _ => return None,
                };
                if unit >= last {
                    return None;
                }
                section += coefficient * unit;
                (last, after_unit) = (unit, true);
            }
            Numeral::Unit(unit) => {
                let whole = section + digit.take().unwrap_or(0);
                total = match unit.cmp(&last_large) {
                    Ordering::Less if whole > 0 => total.checked_add(whole.checked_mul(unit)?)?,
                    // 一万亿 is ten thousand times 亿.
                    Ordering::Greater => total.checked_add(whole)?.checked_mul(unit)?,
                    _ => return None,
                };
                (section, last_large, last, after_unit) = (0, unit, u64::MAX, true);
            }
        }
    }
    // 一百二 is 120, and 一百零二 is 102.
    let unit = if last == u64::MAX { last_large } else { last };
    let place = if after_unit && unit > 10 { unit / 10 } else { 1 };
    total.checked_add(section)?.checked_add(digit.unwrap_or(0) * place)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(text: &str) -> Vec<String> {
        numbers(text)
    }

    #[test]
    fn digits_are_read_in_their_plain_form() {
        assert_eq!(of("in 2024, 1,200.5 of 007 and 3.10"), ["2024", "1200.5", "7", "3.10"]);
        assert_eq!(
            of("1,23 1,2345 12,345,678 0 00 0.50"),
            ["1", "23", "1", "2345", "12345678", "0", "0", "0.50"]
        );
        assert_eq!(of("gpt4 v1.2.3 5."), ["4", "1.2", "3", "5"]);
        assert!(of("no number, . ,").is_empty());
    }

    #[test]
    fn chinese_numerals_count_where_they_are_certain() {
        for (text, wanted) in [
            ("第一百二十三条", "123"),
            ("第3条", "3"),
            ("第三条", "3"),
            ("第十条", "10"),
            ("二〇二四年", "2024"),
            ("二〇", "20"),
            ("十二个月", "12"),
            ("二十", "20"),
            ("三万五千零二元", "35002"),
            ("一百二", "120"),
            ("一万二", "12000"),
            ("一百零二", "102"),
            ("兩億三千萬", "230000000"),
            ("一万亿", "1000000000000"),
            ("一万二千亿", "1200000000000"),
            ("3万元", "30000"),
            ("1.5亿", "150000000"),
            ("1.23456万", "12345.6"),
            ("0.5千万", "5000000"),
            ("20万", "200000"),
            ("二十万", "200000"),
        ] {
            assert_eq!(of(text), [wanted], "{text}");
        }
    }

    #[test]
    fn other_words_are_no_numbers() {
        for text in [
            "三个",
            "一起",
            "十分",
            "万一",
            "千万",
            "五六十",
            "一一",
            "百万",
            "二百三百",
            "万万",
            "一十百",
        ] {
            assert!(of(text).is_empty(), "{text}: {:?}", of(text));
        }
        let long: String = "九千亿".repeat(1000) + &"九".repeat(1000);
        let _ = of(&long);
    }

    #[test]
    fn the_digest_is_that_of_the_multiset() {
        assert_eq!(digest("1 and 2"), digest("2 or 1"));
        assert_ne!(digest("1 1 2"), digest("1 2 2"));
        assert_ne!(digest("12"), digest("1 2"));
        assert_eq!(digest("第一百二十三条"), digest("第123条"));
        assert_eq!(digest("nothing"), digest(""));
    }
}
