//! Chinese numerals: their values, and where they are certain to be numbers.

use std::cmp::Ordering;

/// What a Chinese numeral is: a digit, or a power of ten.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Numeral {
    Digit(u64),
    Unit(u64),
}

/// What a character is as a numeral; `None` of any other.
pub(super) fn numeral(sign: char) -> Option<Numeral> {
    Some(match sign {
        '零' | '〇' => Numeral::Digit(0),
        '一' | '壹' | '壱' => Numeral::Digit(1),
        '二' | '贰' | '貳' | '弐' | '两' | '兩' => Numeral::Digit(2),
        '三' | '叁' | '參' | '叄' | '参' => Numeral::Digit(3),
        '四' | '肆' => Numeral::Digit(4),
        '五' | '伍' => Numeral::Digit(5),
        '六' | '陆' | '陸' => Numeral::Digit(6),
        '七' | '柒' => Numeral::Digit(7),
        '八' | '捌' => Numeral::Digit(8),
        '九' | '玖' => Numeral::Digit(9),
        '十' | '拾' => Numeral::Unit(10),
        '百' | '佰' => Numeral::Unit(100),
        '千' | '仟' => Numeral::Unit(1000),
        '万' | '萬' => Numeral::Unit(10_000),
        '亿' | '億' => Numeral::Unit(100_000_000),
        _ => return None,
    })
}

/// The bytes of the run of numerals at the beginning of a text.
pub(super) fn run(text: &str) -> usize {
    text.find(|sign| !is_numeral(sign)).unwrap_or(text.len())
}

/// Whether a number in numerals may begin with the character.
pub(crate) fn is_numeral(sign: char) -> bool {
    numeral(sign).is_some() || tens(sign).is_some()
}

/// 廿 and 卅 as the numerals that they are short for.
fn tens(sign: char) -> Option<u64> {
    match sign {
        '廿' => Some(2),
        '卅' => Some(3),
        _ => None,
    }
}

/// The number of a run of numerals; `None` where it can be another word and is not known as a number by what is beside it, or
/// is no number.
pub(super) fn value(run: &str, is_known: bool) -> Option<String> {
    let mut numerals = Vec::new();
    for sign in run.chars() {
        match tens(sign) {
            Some(digit) => numerals.extend([Numeral::Digit(digit), Numeral::Unit(10)]),
            None => numerals.extend(numeral(sign)),
        }
    }
    let digit = |numeral: &Numeral| match numeral {
        Numeral::Digit(digit) => Some(*digit),
        Numeral::Unit(_) => None,
    };
    if let Some(digits) = numerals.iter().map(digit).collect::<Option<Vec<u64>>>() {
        let is_certain = is_known || digits.len() >= 3 || digits.len() == 2 && digits.contains(&0);
        let text: String = digits.iter().map(u64::to_string).collect();
        return (is_certain && !text.is_empty()).then_some(text);
    }
    if numerals.len() == 1 && !is_known {
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
