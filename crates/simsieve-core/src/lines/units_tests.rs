//! The tests of `units.rs`.

use super::*;

fn bodies(text: &str, unit: Unit) -> Vec<&str> {
    let mut spans = Vec::new();
    take_spans(text, unit, &mut spans);
    let mut end = 0;
    for span in &spans {
        assert_eq!(span.start, end, "{text:?}");
        assert!(span.body <= span.end);
        end = span.end;
    }
    assert_eq!(end, text.len());
    spans
        .iter()
        .map(|span| &text[span.body()])
        .filter(|body| !body.is_empty())
        .collect()
}

/// Lines end at line breaks, paragraphs at empty lines, sentences at their marks; together they are the text.
#[test]
fn units_of_texts() {
    let text = "一。二！？”三\r\n\r\n  \nIt is 3.5 m. Yes! \"No.\" e.g\nfour";
    assert_eq!(
        bodies(text, Unit::Line),
        ["一。二！？”三", "  ", "It is 3.5 m. Yes! \"No.\" e.g", "four"]
    );
    let sentences = [
        "一。",
        "二！？”",
        "三",
        "It is 3.5 m.",
        "Yes!",
        "\"No.\"",
        "e.g",
        "four",
    ];
    assert_eq!(bodies(text, Unit::Sentence), sentences);
    let paragraphs = ["一。二！？”三", "It is 3.5 m. Yes! \"No.\" e.g\nfour"];
    assert_eq!(bodies(text, Unit::Paragraph), paragraphs);
    assert_eq!(bodies("\n\na\n\n", Unit::Paragraph), ["a"]);
    for unit in [Unit::Line, Unit::Sentence, Unit::Paragraph] {
        assert!(bodies("", unit).is_empty() && bodies("\n", unit).is_empty());
    }
}

/// Sentences of every script end at its marks, and lines at every break.
#[test]
fn units_of_scripts() {
    let of = |sentences: &[&str]| {
        assert_eq!(
            bodies(&sentences.concat(), Unit::Sentence),
            sentences.iter().map(|s| s.trim_end()).collect::<Vec<_>>()
        );
    };
    of(&["बंदरगाह बंद रहेगा। ", "कल खुलेगा॥ ", "ठीक?"]);
    of(&["بندرگاہ بند رہے گی۔ ", "کیا یہ ٹھیک ہے؟ ", "ایم۔اے۔ ", "جی"]);
    of(&["កំពង់ផែបិទ។", "បើកវិញ៕ ", "ល្អ"]);
    of(&["བོད་ཡིག། ", "ཡག་པོ།། ", "ལེགས"]);
    of(&["ወደቡ ተዘግቷል። ", "ነገ ይከፈታል፧", "አዎ"]);
    of(&["Նավահանգիստը փակ է։ ", "ժամը 10։30 է։ ", "այո"]);
    of(&["ဆိပ်ကမ်းပိတ်သည်။", "ဟုတ်။ ", "Да!» ", "۳.۵ «ok» ‼", "１．５ 米。", "x"]);
    assert_eq!(
        bodies(
            "a\rb\r\nc\u{b}d\u{c}e\u{85}f\u{2028}g\u{2029}h\u{1f}i…\u{c2a0}",
            Unit::Line
        )
        .len(),
        8
    );
    assert_eq!(bodies("a\u{c}\r\rb\u{2029}c", Unit::Paragraph), ["a", "b\u{2029}c"]);
}

/// What goes is whole units with their breaks; the last one takes the break before it.
#[test]
fn parts_of_texts() {
    let left = |text: &str, unit, units: &[usize]| {
        let mut spans = Vec::new();
        take_spans(text, unit, &mut spans);
        let mut left = text.to_owned();
        parts(&spans, unit, units.iter().copied())
            .iter()
            .rev()
            .for_each(|part| left.replace_range(part.clone(), ""));
        left
    };
    assert_eq!(left("a\nb\nc", Unit::Line, &[1]), "a\nc");
    assert_eq!(left("a\nb\nc", Unit::Line, &[1, 2]), "a");
    assert_eq!(left("a\nb\nc\n", Unit::Line, &[2]), "a\nb\n");
    assert_eq!(left("a\n\nb", Unit::Line, &[2]), "a\n");
    assert_eq!(left("a", Unit::Line, &[0]), "");
    assert_eq!(left("一。二。三。四。", Unit::ThreeSentences, &[1]), "一。");
    assert_eq!(left("A b. C d. E f.", Unit::Sentence, &[2]), "A b. C d.");
}
