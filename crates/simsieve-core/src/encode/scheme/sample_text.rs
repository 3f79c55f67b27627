//! Sample texts of the kind that a scheme takes: what a forecast times its steps on.

use crate::encode::input::Input;

/// Words of an element of a sample page.
const WORDS_AN_ELEMENT: usize = 8;

/// A text made of sample words that a scheme of this input can use, of about this length. It is the words as they are,
/// a page of them, or a fingerprint, whose length is fixed.
pub(super) fn text_of(input: Input, words: String) -> String {
    match input {
        Input::External(external) => external.sample(),
        Input::Text => words,
        Input::Tokens => serde_json::json!(words.split_ascii_whitespace().collect::<Vec<_>>()).to_string(),
        Input::HtmlText(_) | Input::HtmlElements => page_of(&words),
    }
}

fn page_of(words: &str) -> String {
    let mut page = String::from("<html><head><title>t</title></head><body>");
    let all: Vec<&str> = words.split_ascii_whitespace().collect();
    for (number, some) in all.chunks(WORDS_AN_ELEMENT).enumerate() {
        if page.len() >= words.len() {
            break;
        }
        // Elements of several kinds, nested and in sequence, as pages have them.
        page += [
            "<p>",
            "<div class=box><p>",
            "</div><h2 class=head>",
            "<ul><li>",
            "<li><a href=/>",
        ][number % 5];
        page += &some.join(" ");
    }
    page
}

#[cfg(test)]
mod tests {
    use crate::base::kernel::Kernel;
    use crate::encode::scheme::{Scheme, Scratch};

    #[test]
    fn every_scheme_can_use_its_own() {
        let words = "some invented words of no sense ".repeat(30);
        for spec in [
            "chars128",
            "words64",
            "chars64:extract=main",
            "dom64",
            "dom128:levels=2,classes=keep,weight=nearest",
            "external64",
            "external100:format=int",
            "external7:format=bits",
            "external12:format=base64",
            "external12:format=bytes",
        ] {
            let scheme = Scheme::parse(spec).unwrap();
            let text = scheme.text_of(words.clone());
            let mut scratch = Scratch::default();
            scheme.extract(&text, &mut scratch).unwrap();
            let mut print = vec![0; scheme.words()];
            assert!(
                scheme.fingerprint(Kernel::active(), &mut scratch, &mut print),
                "{spec}: {text}"
            );
            if scheme.has_features() {
                assert!((900..1100).contains(&text.len()), "{spec}: {}", text.len());
            }
        }
    }
}
