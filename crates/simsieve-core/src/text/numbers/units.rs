//! Units beside a number, so that 5 km and 5 m are two numbers, and 5 km and 5 公里 one.

use std::collections::HashMap;
use std::sync::LazyLock;

use icu_properties::CodePointMapData;
use icu_properties::props::GeneralCategory;

use crate::text::is_dense;

/// A line for each unit: its power of ten, the name of its base unit, and its spellings.
const UNITS: &str = "
3 m km 公里 千米 kilometre kilometres kilometer kilometers
0 m m 米 公尺 metre metres meter meters
0 dm dm 分米
0 cm cm 厘米 公分
0 mm mm 毫米
0 μm μm um 微米
0 nm nm 纳米 奈米
0 斤 斤
6 g 吨 噸 tonne tonnes
3 g kg 公斤 千克
0 g g 克 gram grams
0 mg mg 毫克
0 μg μg ug 微克
0 lb lb lbs pound pounds 磅
0 l l 升 公升 litre litres liter liters
0 ml ml 毫升
0 m^2 平方米 平米
6 m^2 平方公里 平方千米
4 m^2 ha 公顷 公頃
0 m^3 立方米
0 亩 亩 畝
0 s s sec second seconds 秒 秒钟
0 ms ms 毫秒
0 min min mins minute minutes 分钟 分鐘
0 h h hr hrs hour hours 小时 小時
0 d d day days 天
0 日 日
0 week week weeks 周 週 星期
0 month month months 月 个月 個月
0 year year years 年
0 岁 岁 歲
0 v v 伏
3 v kv 千伏
3 w kw 千瓦
6 w mw 兆瓦
0 w w 瓦
3 wh kwh 千瓦时
0 hz hz 赫兹
3 hz khz
6 hz mhz
9 hz ghz
0 b b 字节
0 kb kb
0 mb mb
0 gb gb
0 tb tb
0 pa pa 帕
3 pa kpa
6 pa mpa
0 n n 牛
0 j j 焦
3 j kj 千焦
0 cal cal 卡
3 cal kcal 千卡 大卡
0 mol mol 摩尔
0 mmol mmol
0 ev ev
3 ev kev
6 ev mev
0 ω ω 欧姆
0 元 元 yuan
0 角 角
0 $ 美元 美金 dollar dollars
0 € 欧元 歐元 euro euros
0 £ 英镑 英鎊
0 日元 日元 日圆 yen
0 港元 港元 港币
0 °c °c 摄氏度 攝氏度
0 °f °f 华氏度 華氏度
0 % % percent ٪
0 ‰ ‰
0 ‱ ‱
0 ° °
0 ′ ′
0 ″ ″ ′′
0 ‴ ‴ ′′′
0 ft ft feet foot
0 inch inch inches
0 yd yd yard yards
0 mi mi mile miles
0 oz oz ounce ounces
0 am am
0 pm pm
0 dpi dpi
0 db db 分贝
0 px px
0 ppm ppm
";

/// Words before which a single numeral from 二 on is a number.
const MEASURES: &str = "个個名次条條项項种種倍人位点點分时時度";

/// The unit of each spelling, with its power of ten.
static BY_SPELLING: LazyLock<HashMap<&str, Unit>> = LazyLock::new(|| {
    let lines = UNITS.lines().filter_map(|line| line.split_once(' '));
    let lines = lines.map(|(zeros, rest)| {
        (
            zeros.parse().expect("a power of ten"),
            rest.split_once(' ').expect("a name"),
        )
    });
    lines
        .flat_map(|(zeros, (name, spellings))| {
            spellings
                .split(' ')
                .map(move |spelling| (spelling, Unit { zeros, name }))
        })
        .collect()
});

/// What a number counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Unit {
    /// The power of ten that it is of the unit of this name.
    pub(super) zeros: usize,
    pub(super) name: &'static str,
}

/// The unit at the beginning of a text, and its bytes.
pub(super) fn unit(text: &str) -> Option<(Unit, usize)> {
    let found = |length: usize| BY_SPELLING.get(&text[..length]).map(|unit| (*unit, length));
    let first = text.chars().next()?;
    let letters = |from: usize| from + text[from..].find(|sign| !is_letter(sign)).unwrap_or(text.len() - from);
    if first == '°' {
        return found(letters('°'.len_utf8())).or_else(|| found('°'.len_utf8()));
    }
    if is_letter(first) {
        let length = letters(0);
        // v1 is no volt.
        return if text[length..].starts_with(|sign: char| sign.is_ascii_digit()) {
            None
        } else {
            found(length)
        };
    }
    let ends = text.char_indices().map(|(at, sign)| at + sign.len_utf8()).take(4);
    ends.collect::<Vec<_>>().into_iter().rev().find_map(found)
}

/// Words behind `in` with which it is a unit.
const OF_LENGTH: &[&str] = &["by", "x", "long", "wide", "high", "tall", "deep", "thick", "diameter"];
/// Characters before a mark of quotation that are looked at.
const LOOKED_BACK: usize = 80;

/// A unit behind a number, a space between them or none, and its end.
pub(super) fn unit_behind(text: &str, end: usize) -> Option<(Unit, usize)> {
    let rest = &text[end..];
    let plain = |name| Unit { zeros: 0, name };
    if let Some((name, length)) = prime(text, end) {
        return Some((plain(name), end + length));
    }
    let spaces = rest.len() - rest.strip_prefix(' ').unwrap_or(rest).len();
    let inner = &rest[spaces..];
    let half_day = [("a.m", "am"), ("p.m", "pm")];
    if let Some((spelled, name)) = half_day.into_iter().find(|(spelled, _)| inner.starts_with(spelled)) {
        let behind = &inner[spelled.len()..];
        let stop = usize::from(behind.starts_with('.'));
        return (!behind.starts_with(is_letter)).then_some((plain(name), end + spaces + spelled.len() + stop));
    }
    if let Some(behind) = inner.strip_prefix("in")
        && is_inch(behind, spaces == 0)
    {
        return Some((plain("inch"), end + spaces + 2));
    }
    let (unit, length) = unit(inner)?;
    Some((unit, end + spaces + length))
}

/// Whether `in` before a text is the unit: 5 in and 5 in long are, 8 in the morning and 5 in 2020 are not.
fn is_inch(behind: &str, is_beside: bool) -> bool {
    if behind.starts_with(|sign: char| is_letter(sign) || sign.is_numeric() || sign == '-') {
        return false;
    }
    let Some(next) = behind.strip_prefix(' ').filter(|_| !is_beside) else {
        return true;
    };
    let word = &next[..next.find(|sign| !is_letter(sign)).unwrap_or(next.len())];
    OF_LENGTH.contains(&word) || word.is_empty() && !next.starts_with(char::is_numeric)
}

/// A prime that is written as a mark of quotation right behind a number, and its bytes; not one that ends a quotation.
fn prime(text: &str, end: usize) -> Option<(&'static str, usize)> {
    let rest = &text[end..];
    let sign = rest.chars().next()?;
    let (name, family) = match sign {
        '\'' if rest.starts_with("''") => ("″", ['\'', '‘', '’']),
        '\'' | '’' => ("′", ['\'', '‘', '’']),
        '"' | '”' => ("″", ['"', '“', '”']),
        _ => return None,
    };
    let length = if rest.starts_with("''") { 2 } else { sign.len_utf8() };
    let is_word = name == "′" && rest[length..].starts_with(is_letter);
    (!is_word && !is_quoted(&text[..end], family)).then_some((name, length))
}

/// Whether a quotation is open at the end of a text.
fn is_quoted(before: &str, [straight, opening, closing]: [char; 3]) -> bool {
    let from = before
        .char_indices()
        .rev()
        .take(LOOKED_BACK)
        .last()
        .map_or(0, |(at, _)| at);
    let (mut is_open, mut previous) = (false, None);
    let mut signs = before[from..].chars().peekable();
    while let Some(sign) = signs.next() {
        let is_apostrophe = || previous.is_some_and(is_letter) && signs.clone().next().is_some_and(is_letter);
        if sign == opening {
            is_open = true;
        } else if sign == closing || sign == straight && is_open {
            // An apostrophe ends nothing.
            is_open &= straight == '\'' && is_apostrophe();
        } else if sign == straight {
            let ends = previous.is_some_and(|sign| is_letter(sign) || sign.is_numeric() || ".,!?)]".contains(sign));
            is_open = !ends && signs.peek().is_none_or(|next| *next != ' ');
        }
        previous = Some(sign);
    }
    is_open
}

/// Whether a single numeral before this text is a number: a unit follows, or after a digit of two and more a measure.
pub(super) fn is_measured(numeral: &str, text: &str) -> bool {
    let first = text.chars().next();
    let is_measure = first.is_some_and(|sign| MEASURES.contains(sign));
    unit(text).is_some()
        || is_measure
            && !matches!(
                numeral,
                "一" | "十" | "百" | "千" | "万" | "萬" | "亿" | "億" | "零" | "〇"
            )
}

/// A letter of a script that writes words of several letters.
pub(super) fn is_letter(sign: char) -> bool {
    sign.is_alphabetic() && !is_dense(sign as u32)
}

/// Whether the character is a sign of money.
pub(super) fn is_money(sign: char) -> bool {
    CodePointMapData::<GeneralCategory>::new().get(sign) == GeneralCategory::CurrencySymbol
}
