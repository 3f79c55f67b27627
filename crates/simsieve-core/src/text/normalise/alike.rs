//! Characters that look alike and are typed for one another, beyond what NFKC knows: part of [`super::plain::fold`].

use icu_properties::props::{CanonicalCombiningClass, GeneralCategory};
use icu_properties::{CodePointMapData, CodePointSetData, props::DefaultIgnorableCodePoint};

/// Radicals and strokes, each before its ideograph: Unicode's `Equivalent_Unified_Ideograph` of the characters that NFKC leaves.
const RADICALS: &str = "⺁厂⺂乛⺃乚⺄乙⺅亻⺆冂⺇𠘨⺈刀⺉刂⺊卜⺋㔾⺌小⺍小⺎兀⺏尣⺐尢⺑𡯂⺒巳⺓幺⺔彑⺕𫜹⺖忄⺗心⺘扌⺙攵\
⺛旡⺜日⺝月⺞歺⺠民⺡氵⺢氺⺣灬⺤爫⺥爫⺦丬⺧牛⺨犭⺩王⺪𤴔⺫目⺬示⺭礻⺮𥫗⺯糹⺰纟⺱罓⺲罒⺳㓁⺴冗⺵𦉫⺶羊⺷𦍌⺸𦍋⺹耂⺺肀⺻聿⺼肉⺽𦥑⺾艹⺿艹\
⻀艹⻁虎⻂衤⻃覀⻄西⻅见⻆角⻇𧢲⻈讠⻉贝⻊𧾷⻋车⻌辶⻍辶⻎辶⻏邑⻐钅⻑長⻒镸⻓长⻔门⻕𨸏⻖阝⻗雨⻘青⻙韦⻚页⻛风⻜飞⻝食⻞𩙿⻟飠⻠饣⻡𩠐⻢马\
⻣骨⻤鬼⻥鱼⻦鸟⻧卤⻨麦⻩黄⻪黾⻫斉⻬齐⻭歯⻮齿⻯竜⻰龙⻱龜⻲亀⻳龟\
㇆𠃌㇏乀㇐一㇑丨㇒丿㇓丿㇔丶㇕𠃍㇖乛㇗𠃊㇘𠃎㇙𠄌㇚亅㇛𡿨㇜𠃋㇝乀㇞𠃑㇟乚㇠乙㇡𠄎";

/// Letters of scripts, by how they were written before Unicode had them: consonant, virama and a zero-width joiner.
const JOINED: [(&str, &str); 8] = [
    ("ണ്", "ൺ"),
    ("ന്", "ൻ"),
    ("ര്", "ർ"),
    ("ല്", "ൽ"),
    ("ള്", "ൾ"),
    ("ക്", "ൿ"),
    ("ত্", "ৎ"),
    ("र्", "ऱ्"),
];

/// Whether the fold drops the character: what is invisible (Unicode's `Default_Ignorable_Code_Point`) and format characters.
pub fn is_dropped(c: char) -> bool {
    CodePointSetData::new::<DefaultIgnorableCodePoint>().contains(c)
        || CodePointMapData::<GeneralCategory>::new().get(c) == GeneralCategory::Format
}

/// Whether [`unify`] may join the character with the one before it.
pub(super) fn looks_back(c: char) -> bool {
    matches!(c, 'เ' | 'ເ' | '○' | '◯')
}

/// Nikhahit: a tone mark behind it goes before it, and so meets marks there.
pub(super) fn is_nikhahit(c: char) -> bool {
    matches!(c, '\u{E4D}' | '\u{ECD}')
}

/// The text without dropped characters; letters that a joiner made are those of today, and a tone mark stands before an am.
pub(super) fn kept(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        if is_dropped(c) {
            if let Some((from, letter)) = JOINED.iter().find(|(from, _)| c == '\u{200D}' && out.ends_with(from)) {
                out.truncate(out.len() - from.len());
                out.push_str(letter);
            }
        } else if is_tone(c) && out.ends_with(['ำ', 'ຳ']) {
            swap_in(&mut out, c);
        } else {
            out.push(c);
        }
    }
    out
}

/// A case-folded text with one character for those that look alike; a decimal digit is that of ASCII.
///
/// Of Arabic script only letters are one that differ in their code alone where they are typed: ye, kaf, heh and teh marbuta of Arabic,
/// Persian, Urdu and Kurdish. ھ is another letter in Urdu, ڪ in Sindhi, and ة has dots that ه has not: they stay.
pub(super) fn unify(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            'ى' | 'ی' => out.push('ي'),
            'ک' => out.push('ك'),
            'ہ' | 'ە' => out.push('ه'),
            'ۀ' | 'ۂ' => out.push_str("ه\u{654}"),
            'ۃ' => out.push('ة'),
            // Romanian with a comma below, once typed with a cedilla.
            'ș' => out.push('ş'),
            'ț' => out.push('ţ'),
            // Thai and Lao: two of the left vowel, and nikhahit below a tone mark.
            'เ' if out.ends_with('เ') => replace_last(&mut out, 'แ'),
            'ເ' if out.ends_with('ເ') => replace_last(&mut out, 'ແ'),
            _ if is_tone(c) && out.ends_with(['\u{E4D}', '\u{ECD}']) => swap_in(&mut out, c),
            // 二○二六 is 二〇二六.
            '○' | '◯' if out.ends_with(|before| "〇零一二三四五六七八九".contains(before)) => {
                out.push('〇');
            }
            '\u{2E80}'..='\u{2EF3}' | '\u{31C0}'..='\u{31E3}' => {
                let ideograph = RADICALS.chars().skip_while(|radical| *radical != c).nth(1);
                out.push(ideograph.unwrap_or(c));
            }
            _ => out.push(digit(c).unwrap_or(c)),
        }
    }
    out
}

/// The ASCII digit of a decimal digit of another script. Unicode has them in tens, from 0 on; some tens stand side by side.
fn digit(c: char) -> Option<char> {
    let is_digit = |code: u32| {
        let c = char::from_u32(code);
        c.is_some_and(|c| CodePointMapData::<GeneralCategory>::new().get(c) == GeneralCategory::DecimalNumber)
    };
    if c.is_ascii() || !is_digit(c as u32) {
        return None;
    }
    let first = (0..c as u32).rev().take_while(|&code| is_digit(code)).last();
    char::from_digit((c as u32 - first.unwrap_or(c as u32)) % 10, 10)
}

/// A tone mark of Thai or Lao.
fn is_tone(c: char) -> bool {
    const TONES: [CanonicalCombiningClass; 2] = [CanonicalCombiningClass::CCC107, CanonicalCombiningClass::CCC122];
    !c.is_ascii() && TONES.contains(&CodePointMapData::<CanonicalCombiningClass>::new().get(c))
}

fn replace_last(out: &mut String, c: char) {
    out.pop();
    out.push(c);
}

/// Puts a character before the last one.
fn swap_in(out: &mut String, c: char) {
    let last = out.pop();
    out.push(c);
    out.extend(last);
}

#[cfg(test)]
mod tests {
    use super::super::plain::{compact, normalise};

    /// Each row is one text, however it is typed.
    #[test]
    fn texts_that_are_typed_otherwise_are_one() {
        for row in [
            &["کتاب‌های قدیمی", "كتاب‌هاي قديمى", "ﮐﺘﺎب‌ﻫﺎی قديمی"][..],
            &["یہ بندرگاہ", "يه بندرگاه", "ىە بندرگاه"],
            &["خانۀ ما", "خانهٔ ما", "خانۂ ما", "خانە\u{654} ما"],
            &["رئيس", "رىٔيس", "ری\u{654}يس"],
            &["۱۲۳ ١٢٣ १२३ ๑๒๓ 𝟏𝟐𝟑 𞥑𞥒𞥓 𖭑𖭒𖭓", "123 123 123 123 123 123 123"],
            &["น้ำ", "นํ้า", "น้ํา", "นำ้"],
            &["ນ້ຳ", "ນໍ້າ", "ນ້ໍາ", "ນຳ້"],
            &["แม่แก่", "เเม่เเก่", "เ\u{200b}เม่แก่"],
            &["ແມ່", "ເເມ່"],
            &["അവൻ അവർ", "അവന്\u{200d} അവര്\u{200d}"],
            &["সৎ", "সত্\u{200d}"],
            &["ș ț Ș", "ş ţ Ş"],
            &["长车风门页见麦", "⻓⻋⻛⻔⻚⻅⻨"],
            &["一二𠃌", "⼀⼆㇆"],
            &["二〇〇六", "二○○六", "⼆◯○六", "㊁￮○六"],
            &[
                "ab",
                "a\u{34f}\u{115f}\u{1160}b\u{3164}",
                "a\u{17b4}\u{ffa0}\u{2065}\u{e0fff}b",
            ],
            &["a b", "a\u{2800}b", "a\u{fffc}\u{fffc}b"],
        ] {
            for text in row {
                assert_eq!(normalise(text), normalise(row[0]), "{text:?}");
                assert_eq!(normalise(&normalise(text)), normalise(text), "{text:?}");
            }
        }
    }

    /// Each row has texts that stay apart.
    #[test]
    fn other_letters_stay() {
        for [one, other] in [
            ["کہا", "کھا"],
            ["مكتبة", "مكتبه"],
            ["ڪ", "ک"],
            ["अ", "आ"],
            ["അവൻ", "അവന്"],
            ["一○", "一"],
            ["²", "٣"],
        ] {
            assert_ne!(normalise(one), normalise(other), "{one} {other}");
        }
        assert_eq!(normalise("○ 一 a○"), "○ 一 a○");
    }

    /// Signs do not count beside letters; where a text has nothing else, they do.
    #[test]
    fn signs_count_alone() {
        for (text, counted) in [
            ("限时🔥特价🎉。", "限时特价"),
            ("★ ■ ✔ one ▷ 1️⃣ © ▣", "one1"),
            ("🔥 🎉!", "🔥🎉"),
            ("25°C ㏑ ⠓⠑ ䷀ ⿰氵每 ꒐", "25°cln⠓⠑䷀⿰氵每꒐"),
            ("a + b = $5 ♯", "a+b=$5♯"),
            ("… !", ""),
        ] {
            assert_eq!(compact(&normalise(text)), counted, "{text}");
        }
    }
}
