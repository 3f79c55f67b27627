//! Schemes on the text of pages: the text of a record is HTML, and features are taken of what a reader sees, or of its
//! main text.

use super::{Reading, Scheme, Scratch, UnusableText};
use crate::base::error::{Error, Result};
use crate::text::html;

/// What is taken of a page.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Extract {
    /// All text that a reader sees.
    Text,
    /// The main text.
    Main,
}

impl Extract {
    const ALL: [Self; 2] = [Self::Text, Self::Main];

    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Text => "text",
            Self::Main => "main",
        }
    }

    /// What [`Scheme::canonical`] says.
    pub(super) fn canonical(self) -> String {
        format!("extract {} of pages, {}\n", self.name(), html::RULES)
    }

    fn run(self, html: &str, room: &mut html::Scratch, out: &mut String) -> Result<(), UnusableText> {
        out.clear();
        let done = match self {
            Self::Text => html::text(html, room, out),
            Self::Main => html::main_text(html, room, out),
        };
        done.map_err(|error| UnusableText::new(error.to_string()))
    }
}

/// A spec without its option `extract`, and what that says.
pub(super) fn without_extract(spec: &str) -> Result<(String, Option<Extract>)> {
    let Some((name, options)) = spec.split_once(':') else {
        return Ok((spec.to_owned(), None));
    };
    let (mut rest, mut found) = (Vec::new(), Vec::new());
    for option in options.split(',') {
        match option.strip_prefix("extract=") {
            Some(value) => found.push(value),
            None => rest.push(option),
        }
    }
    let extract = match found[..] {
        [] => None,
        [name] => named(spec, name)?,
        _ => return Err(Error::Config(format!("scheme {spec:?}: extract is given twice"))),
    };
    if found.is_empty() {
        return Ok((spec.to_owned(), None));
    }
    let colon = if rest.is_empty() { "" } else { ":" };
    Ok((format!("{name}{colon}{}", rest.join(",")), extract))
}

/// What a name stands for; `spec` says of which scheme, for messages.
fn named(spec: &str, name: &str) -> Result<Option<Extract>> {
    let found = Extract::ALL.into_iter().find(|extract| extract.name() == name);
    if found.is_none() && name != "none" {
        return Err(Error::Config(format!(
            "scheme {spec:?}: \"extract={name}\" is not allowed; extract is none, text or main"
        )));
    }
    Ok(found)
}

impl Scheme {
    /// This scheme on what is extracted of pages: `none`, `text` or `main`.
    ///
    /// ```
    /// use simsieve_core::encode::scheme::Scheme;
    /// let scheme = Scheme::parse("chars64").unwrap().with_extract("main").unwrap();
    /// assert_eq!((scheme.spec().as_str(), scheme.extract_name()), ("chars64:extract=main", "main"));
    /// ```
    ///
    /// # Errors
    /// [`Error::Config`] for another name, and for a scheme that takes no text of pages.
    pub fn with_extract(self, name: &str) -> Result<Self> {
        let extract = named(&self.spec(), name)?;
        self.on_pages(extract)
    }

    /// What is extracted of pages: `none`, `text` or `main`.
    pub fn extract_name(&self) -> &'static str {
        match self.reading {
            Reading::Extracted(extract) => extract.name(),
            _ => "none",
        }
    }

    /// Whether a record's text is taken for a page of HTML.
    pub fn takes_pages(&self) -> bool {
        matches!(self.reading, Reading::Extracted(_)) || self.has_elements()
    }

    /// This scheme on what is extracted of pages.
    pub(super) fn on_pages(self, extract: Option<Extract>) -> Result<Self> {
        match (extract, self.reading) {
            (None, _) => Ok(self),
            (Some(extract), Reading::Text) if !self.has_elements() => Ok(Self {
                reading: Reading::Extracted(extract),
                ..self
            }),
            (Some(extract), _) => Err(Error::Config(format!(
                "scheme {:?} is not used with extract={}: {}; leave it out, or take a scheme on texts such as chars128",
                self.spec(),
                extract.name(),
                if self.takes_pages() {
                    "its features are the page's elements"
                } else {
                    "its texts are fingerprints"
                }
            ))),
        }
    }

    /// Hands `work` the text that features are taken of: what is extracted of a page, or the text as it is.
    pub(super) fn with_extracted(
        &self,
        text: &str,
        scratch: &mut Scratch,
        work: impl FnOnce(&str, &mut Scratch) -> Result<(), UnusableText>,
    ) -> Result<(), UnusableText> {
        let Reading::Extracted(extract) = self.reading else {
            return work(text, scratch);
        };
        let mut taken = std::mem::take(&mut scratch.extracted);
        let done = extract.run(text, &mut scratch.page, &mut taken);
        let done = done.and_then(|()| work(&taken, scratch));
        scratch.extracted = taken;
        done
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::context::Context;
    use crate::base::kernel::Kernel;
    use crate::encode::encoder::{features_of, transform};

    const PAGE: &str = "<title>t</title><nav><a href=/>All about the harbour</a></nav><div><h1>The ferry</h1><p>It leaves at \
                        seven, and whoever is late must walk around the bay.</div><footer>2020</footer>";

    #[test]
    fn features_are_those_of_the_extracted_text() {
        let mut room = html::Scratch::default();
        for spec in [
            "chars128",
            "chars64:n=3,weights=log",
            "words128",
            "keywords64",
            "simhash64",
        ] {
            for extract in [Extract::Text, Extract::Main] {
                let mut text = String::new();
                extract.run(PAGE, &mut room, &mut text).unwrap();
                let colon = if spec.contains(':') { "," } else { ":" };
                let scheme = Scheme::parse(&format!("{spec}{colon}extract={}", extract.name())).unwrap();
                let plain = Scheme::parse(spec).unwrap();
                assert_eq!(features_of(&scheme, PAGE).unwrap(), features_of(&plain, &text).unwrap());
                let of = |scheme: &Scheme, text: &str| transform(scheme, &[text], 0, &Context::silent(1)).unwrap();
                assert_eq!(of(&scheme, PAGE), of(&plain, &text), "{spec}");
                assert_ne!(of(&scheme, PAGE), of(&plain, PAGE));
                let (mut a, mut b) = (Scratch::default(), Scratch::default());
                scheme.normalise(PAGE, &mut a).unwrap();
                plain.normalise(&text, &mut b).unwrap();
                assert_eq!(a.text.normalised(), b.text.normalised());
                scheme.extract(PAGE, &mut a).unwrap();
                assert!(!scheme.sums(Kernel::active(), &mut a).is_empty());
            }
        }
    }

    #[test]
    fn the_digest_covers_what_is_extracted() {
        let digest = |spec| Scheme::parse(spec).unwrap().digest();
        let digests = [
            "chars64",
            "chars64:extract=text",
            "chars64:extract=main",
            "words64",
            "words64:extract=main",
        ];
        let mut found = digests.map(digest).to_vec();
        found.sort();
        found.dedup();
        assert_eq!(found.len(), digests.len());
        assert_eq!(digest("chars64:extract=none"), digest("chars64"));
    }

    #[test]
    fn specs_are_told_and_wrong_ones_refused() {
        for spec in [
            "chars64:extract=main",
            "chars128:n=3,weights=log,extract=text",
            "words64:n=2,extract=main",
        ] {
            assert_eq!(Scheme::parse(spec).unwrap().spec(), spec);
        }
        assert_eq!(
            Scheme::parse("words64:extract=main,n=2").unwrap().spec(),
            "words64:n=2,extract=main"
        );
        for (spec, part) in [
            (
                "chars64:extract=body",
                "\"extract=body\" is not allowed; extract is none, text or main",
            ),
            ("chars64:extract=main,extract=text", "extract is given twice"),
            ("dom64:extract=main", "its features are the page's elements"),
            ("external64:extract=text", "its texts are fingerprints"),
        ] {
            let message = Scheme::parse(spec).unwrap_err().to_string();
            assert!(message.contains(part), "{message}");
        }
    }

    #[test]
    fn a_page_beyond_bounds_is_refused() {
        let fonts: Vec<String> = (0..200).map(|size| format!("<font size={size}>")).collect();
        let page = format!("<p>{}{}", fonts.concat(), "<p>x".repeat(1000));
        for spec in ["chars64:extract=main", "words64:extract=text"] {
            let scheme = Scheme::parse(spec).unwrap();
            let refusal = scheme.extract(&page, &mut Scratch::default()).unwrap_err();
            assert!(refusal.message().contains("misnested"), "{refusal:?}");
        }
    }
}
