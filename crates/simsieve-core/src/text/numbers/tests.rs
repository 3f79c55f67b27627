//! What is a number, and what makes it another one.

use proptest::prelude::*;

use super::numbers;
use crate::text::guard::Guard;
use crate::text::normalise::marks::exact;

fn of(text: &str) -> Vec<String> {
    numbers(&exact(text))
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
fn numbers_in_other_notation_are_equal() {
    for equal in [
        &["12", "１２", "١٢", "१२", "𝟏𝟐", "012"][..],
        &["1,000", "1000", "1千", "一千", "壹仟"][..],
        &["-40", "−40", "－40", "负40", "零下40", "minus 40"],
        &["5%", "5 %", "５％", "百分之五", "百分之5", "5 percent"],
        &["1/2", "½", "1⁄2", "二分之一"],
        &["10²", "10^2", "10^{2}"],
        &["x²", "x^2"],
        &["10⁻²", "10^-2"],
        &["1e5", "1E+5", "1e05"],
        &["≥5", ">=5", "≥ 5", "⩾5", "≧5"],
        &["5km", "5 km", "5公里", "5千米", "5000 m", "五千米"],
        &["50㎡", "50m²", "50 m^2", "50平方米"],
        &["3-5", "3–5", "3~5", "3至5", "３－５"],
        &["10²km", "10^{2} 公里"],
        &["5 km/h", "5公里/小时"],
        &["1:2", "1：2", "1∶2"],
        &["2024-01-02", "2024/1/2", "2024年1月2日", "二〇二四年一月二日"],
        &["3.14", "三点一四"],
        &["3个月", "三个月", "3 months"],
        &["2个", "两个", "二个"],
        &["二十三", "廿三", "23", "贰拾叁", "貳拾參"],
        &["$5", "$ 5", "5$", "5 dollars", "5美元", "＄５"],
        &["Ⅱ", "ⅱ"],
        &["0.5 mg", ".5 mg", "00.5 mg", "０.５mg"],
        &["-0.5", "-.5", "−.5"],
        &["$.50", "$0.50"],
        &["1/2", "¹⁄₂", "¹/₂", "\\frac{1}{2}", "\\dfrac {1} {2}"],
        &["1½", "1¹⁄₂"],
        &["10².⁵", "10^2.5", "10^{2.5}"],
        &["5′", "5'", "5’"],
        &["5″", "5\"", "5”", "5''"],
        &["5 ft", "5ft", "5 feet"],
        &["5 in", "5in", "5 in.", "5 inches", "5 in long", "5 in (a pipe)"],
        &["8 am", "8 a.m.", "8AM", "8 a.m"],
        &["上午8点", "早上8点", "上午八点", "凌晨 8点"],
        &["≥5", "\\ge 5", "\\geq5"],
        &["√2", "\\sqrt{2}"],
        &["0.3\u{305}", "0.\\overline{3}"],
    ] {
        let first = of(equal[0]);
        assert!(!first.is_empty(), "{equal:?}");
        for text in equal {
            assert_eq!(of(text), first, "{text} as {}", equal[0]);
        }
    }
}

#[test]
fn other_numbers_are_not_equal() {
    for other in [
        &["-40", "40", "±40"][..],
        &["5%", "5‰", "5‱", "5"],
        &["1e5", "1e-5", "1e6", "15"],
        &["Ⅱ", "Ⅲ", "ii", "2"],
        &["壹佰", "贰佰", "叁佰"],
        &["三分之一", "四分之一", "三分之二"],
        &["$5", "€5", "£5", "¥5", "5"],
        &["≥5", "≤5", ">5", "<5", "≠5", "≈5", "5"],
        &["5km", "5m", "5cm", "5mm", "5kg", "5"],
        &["1/2", "1:2", "1-2", "12", "1.2", "1 2"],
        &["½", "⅓", "¼"],
        &["1½", "11/2", "1/2"],
        &["٣", "٤", "५"],
        &["10²", "102", "10₂", "10³", "10 2"],
        &["2⁵", "25", "2₅"],
        &["①", "1", "②", "⑴", "❶", "❷"],
        &["10①", "101"],
        &["x²", "x³", "y²", "x₂", "x2"],
        &["10⁻²", "10²"],
        &["一百二十三", "一百二十四", "123.0"],
        &["二〇", "二一〇"],
        &["三个", "四个", "两个"],
        &["3×5", "3÷5", "3+5", "3-5"],
        &["3 + 5", "3 - 5", "3 × 5"],
        &["x+5", "x-5", "x×5"],
        &["2+3=5", "2+3≠5"],
        &["5≤x", "5≥x"],
        &["第三条", "第四条"],
        &["5 m²", "5 m³", "5 m", "5 km²", "5 m/s", "5 km/h"],
        &["5℃", "5℉", "5°"],
        &["3天", "3年", "3个月", "3小时"],
        &["5元", "5美元", "5欧元"],
        &["三点一四", "三点一五"],
        &[".5 mg", "5 mg", ".05 mg", "-.5 mg"],
        &["5′", "5″", "5", "5°", "5‴"],
        &["5'", "5\"", "5"],
        &["5 ft", "5 in", "5 m", "5", "5 yd", "5 mi"],
        &["8 am", "8 pm", "8"],
        &["8:30 am", "8:30 p.m."],
        &["上午8点", "下午8点", "8点"],
        &["(5,8]", "[5,8)", "[5,8]", "(5,8)"],
        &["[0, 100)", "[0, 100]", "(0, 100]"],
        &["(−∞,5]", "(−∞,5)"],
        &["[5,+∞)", "(5,+∞)"],
        &["|−5|", "−5", "5"],
        &["0.3\u{305}", "0.3", "0.33"],
        &["0.36\u{305}", "0.3\u{305}6\u{305}", "0.36"],
        &["5∈A", "5∉A", "5"],
        &["A∋5", "A∌5"],
        &["5∣x", "5∤x"],
        &["a≢5", "a≡5", "a≠5"],
        &["5≰x", "5≱x"],
        &["√2", "2", "∛2"],
        &["\\frac{1}{2}", "\\frac{2}{1}", "\\frac{1}{3}", "12"],
        &["1\\frac{1}{2}", "\\frac{11}{2}"],
        &["x\\le 5", "x\\ge 5", "x\\ne 5"],
        &["5\\in A", "5\\notin A"],
        &["10².⁵", "10²", "10².5"],
    ] {
        for (at, one) in other.iter().enumerate() {
            for two in &other[at + 1..] {
                assert_ne!(of(one), of(two), "{one} and {two}");
            }
        }
    }
}

#[test]
fn signs_beside_a_number_that_are_none_of_its_own_stay_apart() {
    for (text, wanted) in [
        ("see file.5, v.5 and p.5; no.5", &["5", "5", "5", "5"][..]),
        (
            "8 in the morning, ranked 5 in 2020, 5 in-house",
            &["8", "5", "2020", "5"],
        ),
        ("he said \"take 5\" and 'go 7' at '9'", &["5", "7", "9"]),
        ("“take 5” and ‘go 7’", &["5", "7"]),
        ("\"5\" and \"7\"; the 1990's; it's 5'", &["5", "7", "1990", "5′"]),
        ("a 5\" pipe, a 3\" pipe, 5' 6\"", &["5″", "3″", "5′", "6″"]),
        ("the points (5,8) and | 5 | and [5]", &["5", "8", "5", "5"]),
        ("下午3个人, 晚上3小时", &["3", "3h"]),
        ("c:\\temp\\5 and 5 pmol", &["5", "5"]),
        ("1️⃣ and 5.", &["1", "5"]),
    ] {
        assert_eq!(of(text), wanted, "{text}");
    }
    for piece in [
        "\\frac{",
        "5'\"",
        "[5,",
        "\\sqrt[{",
        "'5\"5",
        "|-5|",
        "¹⁄",
        ".5.",
        "0.3\u{305}",
    ] {
        let _ = of(&piece.repeat(1 << 14));
    }
}

#[test]
fn what_belongs_to_a_number_stays_with_it() {
    assert_ne!(digest("1/2 and 3/4"), digest("1/4 and 3/2"));
    assert_ne!(digest("-40 and 30"), digest("40 and -30"));
    assert_ne!(digest("x² + y³"), digest("x³ + y²"));
    assert_ne!(digest("$5 or €6"), digest("€5 or $6"));
    assert_ne!(digest("5 km in 6 h"), digest("6 km in 5 h"));
}

#[test]
fn chinese_numerals_count_where_they_are_certain() {
    for (text, wanted) in [
        ("第一百二十三条", "123"),
        ("第3条", "3"),
        ("第三条", "3"),
        ("第十条", "10"),
        ("二〇", "20"),
        ("二十", "20"),
        ("三万五千零二", "35002"),
        ("一百二", "120"),
        ("一万二", "12000"),
        ("一百零二", "102"),
        ("兩億三千萬", "230000000"),
        ("一万亿", "1000000000000"),
        ("一万二千亿", "1200000000000"),
        ("3万元", "30000元"),
        ("1.5亿", "150000000"),
        ("1.23456万", "12345.6"),
        ("0.5千万", "5000000"),
        ("20万", "200000"),
        ("二十万", "200000"),
        ("十年", "10year"),
        ("负三", "-3"),
    ] {
        assert_eq!(of(text), [wanted], "{text}");
    }
}

#[test]
fn other_words_are_no_numbers() {
    for text in [
        "一个",
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
        "一点一点",
        "一次",
    ] {
        assert!(of(text).is_empty(), "{text}: {:?}", of(text));
    }
    let long: String = "九千亿".repeat(1000) + &"九".repeat(1000);
    let _ = of(&long);
}

#[test]
fn hyphens_and_additions_are_no_signs() {
    assert_eq!(of("covid-19, pages 3-5, +5 points, (-7)"), ["19", "3-5", "5", "-7"]);
    assert_eq!(of("it is 18+ and 5 - it"), ["18", "5"]);
    assert_eq!(of("温度-40度"), ["-40"]);
}

fn digest(text: &str) -> u128 {
    Guard::Numbers.digest(&exact(text))
}

#[test]
fn the_digest_is_that_of_the_multiset() {
    assert_eq!(digest("1 and 2"), digest("2 or 1"));
    assert_ne!(digest("1 1 2"), digest("1 2 2"));
    assert_ne!(digest("12"), digest("1 2"));
    assert_eq!(digest("第一百二十三条"), digest("第123条"));
    assert_eq!(digest("nothing"), digest(""));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]
    #[test]
    fn any_text_has_numbers(text in any::<String>(), mixed in "[0-9.,eE+−~^/:≥<=$%‰ '\"|\\[\\]\\\\’inaft{}一二百千万亿分之点第负零两个年月米km²³₂①½Ⅱ٣\u{301}\u{1}-]{0,30}") {
        let _ = of(&text);
        let found = of(&mixed);
        let _ = numbers(&mixed);
        // White space beside others changes nothing.
        prop_assert_eq!(of(&format!("  {mixed}\n")), found);
    }

    #[test]
    fn a_number_is_known_by_its_value_whatever_the_digits(value in 0..10_000_000_u32, zero in prop_oneof![Just('٠'), Just('०'), Just('０'), Just('๐')]) {
        let plain = value.to_string();
        let foreign: String = plain.bytes().map(|byte| char::from_u32(zero as u32 + u32::from(byte - b'0')).unwrap()).collect();
        prop_assert_eq!(of(&foreign), [plain]);
    }
}
