//! The values of a scheme that decide the bits, and what they make of a text: weighted features, sums, a fingerprint.

use std::fmt::Write as _;
use std::sync::Arc;

use super::scratch::Scratch;
use super::value::{OptionKind, Value};
use crate::base::error::{Error, Result};
use crate::base::kernel::Kernel;
use crate::encode::hash::{MOST_WORDS, TokenHash};
use crate::encode::input::pattern::Cleaning;
use crate::encode::input::templates::Templates;
use crate::encode::input::{Input, html_elements};
use crate::encode::model::{FeatureRule, Idf};
use crate::encode::sketch::SKETCH_BITS;
use crate::encode::tokenize::Tokenizer;
use crate::encode::tokenize::functions::Functions;
use crate::encode::tokenize::token_list;
use crate::encode::tokenize::tokens::Tokens;
use crate::encode::tokenize::windows::Window;
use crate::encode::tokenize::word_options::WordOptions;
use crate::encode::unusable_text::UnusableText;
use crate::encode::weight::entropy::Hashes;
use crate::encode::weight::{Weighting, Weights, custom, depth, lines, pos};
use crate::text::{Compact, MAX_TEXT_BYTES, NORMALISER, Normaliser, UNICODE_VERSION, html, pictures};

/// The least sum of whole weights that gives a 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Sign(pub(super) i64);

impl Sign {
    fn canonical(self) -> String {
        match self.0 {
            0 => ">= 0".to_owned(),
            least => format!("> {}", least - 1),
        }
    }
}

/// The values of a scheme whose weights have a model `M`, where they need one.
#[derive(Debug, Clone)]
pub(super) struct Pipeline<M> {
    pub(super) input: Input,
    /// What is taken out of texts, after they are extracted.
    pub(super) cleaning: Cleaning,
    pub(super) tokenizer: Tokenizer,
    pub(super) weighting: Weighting<M>,
    /// What the digest says of the weights besides their name; empty or after a space.
    pub(super) described_weights: String,
    pub(super) hash: TokenHash,
    /// The user's function that hashes.
    pub(super) hash_function: Option<Arc<dyn Functions>>,
    pub(super) width: u32,
    pub(super) sign: Sign,
    /// How texts are normalised, by which exact copies are known.
    pub(super) normaliser: Normaliser,
}

impl<M> Pipeline<M> {
    /// 64-bit words of a fingerprint.
    pub(super) const fn words(&self) -> usize {
        self.width.div_ceil(64) as usize
    }

    pub(super) fn weights(&self) -> Weights {
        self.weighting.weights()
    }

    /// Whether models may count the features: those of other programs' schemes have weights of their own.
    pub(super) const fn takes_model(&self) -> bool {
        matches!(
            self.tokenizer,
            Tokenizer::Windows(_) | Tokenizer::Words(..) | Tokenizer::Keywords(..) | Tokenizer::Custom(_)
        ) || matches!(self.weighting, Weighting::Entropy(..))
    }

    /// The features that a model of this scheme counts.
    pub(super) fn counted_features(&self) -> FeatureRule {
        self.tokenizer
            .counted_features(matches!(self.weighting, Weighting::Entropy(..)))
    }

    /// The same with another model.
    pub(super) fn map<N, E>(self, map: impl FnOnce(M) -> Result<N, E>) -> Result<Pipeline<N>, E> {
        Ok(Pipeline {
            input: self.input,
            cleaning: self.cleaning,
            tokenizer: self.tokenizer,
            weighting: self.weighting.map(map)?,
            described_weights: self.described_weights,
            hash: self.hash,
            hash_function: self.hash_function,
            width: self.width,
            sign: self.sign,
            normaliser: self.normaliser,
        })
    }

    /// All that can move a bit, in words; `model` gives the digest of the model in use.
    pub(super) fn canonical(&self, model: impl FnOnce() -> Option<String>) -> String {
        let mut out = String::from("simsieve scheme 1\n");
        match &self.input {
            Input::External(external) => return out + &external.canonical(),
            Input::HtmlText(extract) => out.push_str(&extract.canonical()),
            Input::Text | Input::HtmlElements | Input::Tokens => {}
        }
        out.push_str(&self.cleaning.canonical());
        let (weights, width) = (self.weights(), self.width);
        match &self.tokenizer {
            Tokenizer::Elements(rule) => return rule.canonical(width),
            Tokenizer::Windows(rule) => {
                let fold = rule.fold().map_or_else(String::new, |fold| fold.canonical() + "\n");
                let window = match rule.window() {
                    Window::Units(size) => format!("units {size}"),
                    Window::Chars(size) => format!("characters {size}"),
                };
                let _ = write!(
                    out,
                    "normaliser {NORMALISER}\nunicode {UNICODE_VERSION}\n{fold}punctuation {}\nwindow {window}\nweights {}, {} fraction bits\n",
                    if rule.punctuation() { "keep" } else { "drop" },
                    weights.name(),
                    weights.fraction_bits(),
                );
            }
            tokenizer => {
                let factors = tokenizer
                    .words()
                    .map_or_else(String::new, WordOptions::canonical_factors);
                let _ = writeln!(
                    out,
                    "tokens {}\nweights {}{}{factors}, {} fraction bits",
                    tokenizer.canonical(),
                    weights.name(),
                    self.described_weights,
                    weights.fraction_bits(),
                );
            }
        }
        let (hash, sign) = (self.hash.name(width), self.sign.canonical());
        let _ = writeln!(out, "hash {hash}\nwidth {width}\nsign {sign}");
        if weights.needs_model() {
            let _ = writeln!(out, "model {}", model().as_deref().unwrap_or("none"));
        }
        out
    }

    /// Makes the normalised text of `text` in `scratch`, by which exact copies are known, and nothing else.
    pub(super) fn normalise(&self, text: &str, scratch: &mut Scratch) -> Result<(), UnusableText> {
        self.with_extracted(text, scratch, |text, scratch| self.normalise_extracted(text, scratch))
    }

    fn normalise_extracted(&self, text: &str, scratch: &mut Scratch) -> Result<(), UnusableText> {
        if let Input::External(external) = self.input {
            scratch.given = external.read(text)?;
            self.normaliser
                .run(&external.uniform(&scratch.given), &mut scratch.text);
            return Ok(());
        }
        match self.input {
            Input::Tokens => self.normaliser.run(&token_list::uniform(text)?, &mut scratch.text),
            _ => self.normaliser.run(text, &mut scratch.text),
        }
        if scratch.text.compact().len() > MAX_TEXT_BYTES {
            return Err(UnusableText::too_long());
        }
        Ok(())
    }

    /// Hands `work` the text that features are taken of: extracted, cleaned. The marks of its pictures are behind the exact form alone.
    fn with_extracted(
        &self,
        text: &str,
        scratch: &mut Scratch,
        work: impl FnOnce(&str, &mut Scratch) -> Result<(), UnusableText>,
    ) -> Result<(), UnusableText> {
        let mut taken = std::mem::take(&mut scratch.extracted);
        let mut room = std::mem::take(&mut scratch.cleaned);
        let text = self.cleaning.part.map_or(text, |part| part.of(text));
        let extracted = match self.input {
            Input::HtmlText(extract) => extract.run(text, &mut scratch.page, &mut taken).map(|()| &*taken),
            _ => Ok(text),
        };
        let done = extracted.and_then(|text| {
            let (text, hits) = self.cleaning.run(text, &mut room);
            let (text, pictures) = pictures::take_out(text);
            (scratch.hits, scratch.pictures) = (hits, pictures);
            let rest = self.cleaning.own(&text, &mut scratch.hits, &mut scratch.letters);
            // Exact copies are those of the whole text.
            let whole = rest.is_some().then(|| {
                self.normaliser.run(&text, &mut scratch.text);
                scratch.text.exact().to_vec()
            });
            work(rest.as_deref().unwrap_or(&text), scratch)?;
            if whole.is_some() || !scratch.pictures.is_empty() {
                let exact = whole.unwrap_or_else(|| scratch.text.exact().to_vec());
                scratch.text.take_exact([&exact, scratch.pictures.as_bytes()].concat());
            }
            Ok(())
        });
        (scratch.extracted, scratch.cleaned) = (taken, room);
        done
    }

    /// Takes more out of texts: adds the pattern of `cut_at` or `strip`, or the templates of a file, and returns what a spec has of it.
    ///
    /// # Errors
    /// [`Error::Config`] with what is wrong, or why the scheme takes none; [`Error::Source`] where the file cannot be read.
    pub(super) fn clean(&mut self, key: &str, text: &str) -> Result<Value> {
        if key != "ignore" {
            return self
                .cleaning()?
                .add(key, text)
                .map(Value::Pattern)
                .map_err(Error::Config);
        }
        let name = OptionKind::File.read(key, text).map_err(Error::Config)?;
        self.ignore(Templates::load(text)?)?;
        Ok(name)
    }

    /// Takes templates out of texts.
    ///
    /// # Errors
    /// [`Error::Config`] where it takes some out already, or why the scheme takes none.
    pub(super) fn ignore(&mut self, templates: Templates) -> Result<()> {
        self.cleaning()?.add_templates(templates).map_err(Error::Config)
    }

    /// What is taken out of texts, to be changed.
    ///
    /// # Errors
    /// [`Error::Config`] with the reason why the scheme takes no texts.
    pub(super) fn cleaning(&mut self) -> Result<&mut Cleaning> {
        match self.input {
            Input::Text | Input::HtmlText(_) => Ok(&mut self.cleaning),
            input => {
                let why_no_text = input.why_no_text();
                Err(Error::Config(msg!("{why_no_text}; leave it out")))
            }
        }
    }

    /// The text that features are taken of, before it is normalised, and the marks of its pictures.
    pub(super) fn used_text(&self, text: &str) -> Result<(String, String), UnusableText> {
        let (mut used, mut scratch) = (String::new(), Scratch::default());
        self.with_extracted(text, &mut scratch, |text, _| {
            used.push_str(text);
            Ok(())
        })?;
        Ok((used, scratch.pictures))
    }

    /// Normalises `text` and takes its tokens into `scratch` by `take`, which gets the text as it is and normalised; `work`
    /// follows.
    fn with_tokens(
        &self,
        text: &str,
        scratch: &mut Scratch,
        take: impl FnOnce(&mut Tokens, (&str, &Compact), &mut html::PageScratch) -> Result<(), UnusableText>,
        work: impl FnOnce(&mut Scratch) -> Result<(), UnusableText>,
    ) -> Result<(), UnusableText> {
        self.with_extracted(text, scratch, |text, scratch| {
            self.normalise_extracted(text, scratch)?;
            take(&mut scratch.tokens, (text, &scratch.text), &mut scratch.page)?;
            work(scratch)
        })
    }

    /// Normalises `text` and takes the features that a model counts into `scratch`; no weights.
    pub(super) fn take_features(&self, text: &str, scratch: &mut Scratch) -> Result<(), UnusableText> {
        match &self.tokenizer {
            Tokenizer::Windows(rule) => {
                self.normalise(text, scratch)?;
                self.take_windows(rule, scratch);
                Ok(())
            }
            Tokenizer::Elements(_) | Tokenizer::Nothing => {
                self.normalise(text, scratch)?;
                scratch.features.collect_hashes(&[], false);
                scratch.weights.clear();
                Ok(())
            }
            tokenizer => {
                let take =
                    |tokens: &mut _, texts: (&str, &_), page: &mut _| tokenizer.take_counted(tokens, texts, page);
                self.with_tokens(text, scratch, take, |scratch| {
                    collect(scratch, false);
                    Ok(())
                })
            }
        }
    }

    /// Takes windows of the normalised text as features.
    #[inline]
    fn take_windows(&self, rule: &FeatureRule, scratch: &mut Scratch) {
        let counted = self.weights().counted();
        scratch
            .features
            .collect(&scratch.text, rule.window(), counted, &mut scratch.marks);
        scratch.weights.clear();
    }

    /// The distinct tokens of the text in `scratch` with the low 64 bits of their hash, in the order of the features.
    pub(super) fn distinct_tokens(&self, scratch: &Scratch) -> Vec<(String, u64)> {
        let brought = &scratch.hashes.brought;
        let hash = |at: usize, token: &str| brought.get(at).map_or_else(|| self.hash.of(token)[0], |bits| bits[0]);
        let distinct = scratch.features.firsts(scratch.tokens.known_tokens()).enumerate();
        distinct
            .map(|(at, token)| (token.to_owned(), hash(at, token)))
            .collect()
    }

    /// The features of a page as [`Pipeline::extract`] takes them, each with its text, in the order of the texts; `None` where
    /// the scheme takes no elements as the page is parsed.
    pub(super) fn named_structure(&self, page: &str) -> Option<Result<Vec<(String, u64, u32)>>> {
        match &self.tokenizer {
            Tokenizer::Elements(rule) => Some(html_elements::named(page, rule)),
            _ => None,
        }
    }
}

impl Pipeline<Arc<Idf>> {
    /// Normalises `text` and takes its features and weights into `scratch`.
    pub(super) fn extract(&self, text: &str, scratch: &mut Scratch) -> Result<(), UnusableText> {
        match &self.tokenizer {
            Tokenizer::Windows(rule) => {
                self.normalise(text, scratch)?;
                self.take_windows(rule, scratch);
                if let Weighting::Rule(rule) = &self.weighting {
                    rule.weigh(&scratch.features, &mut scratch.weights);
                }
                Ok(())
            }
            Tokenizer::Elements(rule) => {
                self.normalise(text, scratch)?;
                let Scratch {
                    page,
                    tokens,
                    features,
                    weights,
                    ..
                } = scratch;
                let counted = self.weights().counted();
                scratch.shift = html_elements::take(text, rule, counted, page, tokens, features, weights)?;
                Ok(())
            }
            Tokenizer::Nothing => {
                scratch.features.collect_hashes(&[], false);
                scratch.weights.clear();
                self.normalise(text, scratch)
            }
            tokenizer => {
                let idf = match &self.weighting {
                    Weighting::Keywords(_, idf) => idf.as_deref(),
                    _ => None,
                };
                let take = |tokens: &mut _, texts: (&str, &_), page: &mut _| tokenizer.take(tokens, texts, idf, page);
                self.with_tokens(text, scratch, take, |scratch| {
                    collect(scratch, self.weights().counted());
                    self.weigh(scratch)?;
                    self.write_planes(scratch)
                })
            }
        }
    }

    /// Weighs the tokens in `scratch`.
    fn weigh(&self, scratch: &mut Scratch) -> Result<(), UnusableText> {
        let Scratch {
            tokens,
            features,
            weights: out,
            hashes,
            ..
        } = scratch;
        match &self.weighting {
            Weighting::Rule(rule) => rule.weigh(features, out),
            Weighting::Pos(rule) => {
                let idf = rule.model().map(|idf| &**idf);
                pos::weigh(rule.weights(), idf, tokens, features, out)?;
            }
            Weighting::Entropy(rule, idf) if rule.has_rows() => {
                let hashes = Hashes {
                    hash: self.hash,
                    words: self.words(),
                    cache: &mut hashes.cache,
                    planes: &mut hashes.planes,
                    rows: &mut hashes.rows,
                };
                rule.apply(idf, tokens, features, hashes, out);
            }
            Weighting::Entropy(rule, idf) => {
                rule.weigh(idf, tokens.known.len(), features, &mut hashes.rows, out);
            }
            Weighting::Lines => {
                let by_factors = self.tokenizer.words().is_some_and(|words| words.tags().weigh());
                lines::weigh(tokens, features, by_factors, out);
            }
            Weighting::Keywords(cap, _) => {
                let most = cap.of(&tokens.weights, &mut Vec::new());
                out.extend(tokens.weights.iter().map(|weight| lines::tf_idf(weight.min(most))));
            }
            Weighting::Depth(rule) => scratch.shift = depth::weigh(*rule, tokens, features, out),
            Weighting::Custom(rule) => custom::weigh(rule, tokens, features, out)?,
            Weighting::Nothing => {}
        }
        Ok(())
    }

    /// Writes the hashes of the features, word after word, where they are not mixed from what features are known by.
    fn write_planes(&self, scratch: &mut Scratch) -> Result<(), UnusableText> {
        let (n, words) = (scratch.features.len(), self.words());
        let Scratch {
            tokens,
            features,
            hashes,
            ..
        } = scratch;
        let (function, given) = (self.hash_function.as_deref(), self.hash == TokenHash::Given);
        custom::hashes(function, given, tokens, features, &mut hashes.brought)?;
        // Words in several places have rows of their own, which are written already.
        let has_rows = matches!(&self.weighting, Weighting::Entropy(rule, _) if rule.has_rows());
        if self.hash == TokenHash::Xxh3 || has_rows {
            return Ok(());
        }
        hashes.planes.clear();
        hashes.planes.resize(words * n, 0);
        let mut put = |place: usize, bits: [u64; MOST_WORDS]| {
            for (k, word) in bits[..words].iter().enumerate() {
                hashes.planes[k * n + place] = *word;
            }
        };
        if matches!(self.hash, TokenHash::Called | TokenHash::Given) {
            for (place, bits) in hashes.brought.iter().enumerate() {
                put(place, *bits);
            }
        } else {
            let tokens = tokens.known_tokens().map(|(token, known)| ((token, known), known));
            for (place, (token, known)) in features.firsts(tokens).enumerate() {
                put(place, hashes.cache.hash(self.hash, token, known));
            }
        }
        Ok(())
    }

    /// The fingerprint of the features that [`Pipeline::extract`] left in `scratch`, as little-endian words; `false` if the text
    /// has no features.
    ///
    /// # Panics
    /// Where `words` is not [`Pipeline::words`] long.
    pub(super) fn fingerprint(&self, kernel: Kernel, scratch: &mut Scratch, words: &mut [u64]) -> bool {
        match self.tokenizer {
            Tokenizer::Nothing => {
                words.copy_from_slice(&scratch.given[..self.words()]);
                true
            }
            Tokenizer::Elements(_) => {
                // The whole weights, which may be beyond 32 bits, and not those that similarity is computed of.
                words.fill(0);
                for (bit, sum) in self.sums(kernel, scratch).into_iter().enumerate() {
                    words[bit / 64] |= u64::from(sum > 0) << (bit % 64);
                }
                !scratch.page.features().is_empty()
            }
            _ => {
                self.sum(kernel, scratch);
                scratch.sums.write(self.width, self.sign.0, words)
            }
        }
    }

    /// See [`SchemeOf::is_part_of_sketch`](super::SchemeOf::is_part_of_sketch).
    pub(super) fn is_part_of_sketch(&self) -> bool {
        let has_sums = !matches!(self.tokenizer, Tokenizer::Nothing | Tokenizer::Elements(_));
        let is_plain = self.hash == TokenHash::Xxh3 && !self.weights().counted();
        has_sums && is_plain && self.sign == Sign(1) && self.width <= SKETCH_BITS
    }

    /// The exact sums, lowest bit first, of the features that [`Pipeline::extract`] left in `scratch`: their sizes are the margins.
    pub(super) fn sums(&self, kernel: Kernel, scratch: &mut Scratch) -> Vec<i64> {
        if let Tokenizer::Elements(_) = self.tokenizer {
            return html::dom_sums(scratch.page.features(), self.width);
        }
        self.sum(kernel, scratch);
        (0..self.width as usize).map(|bit| scratch.sums.sum(bit)).collect()
    }

    fn sum(&self, kernel: Kernel, scratch: &mut Scratch) {
        let features = scratch.features.hashes();
        if self.hash != TokenHash::Xxh3 {
            let hashes = &scratch.hashes;
            let rows = hashes.rows.rows();
            let (rows, weights) = if rows > 0 {
                (rows, &hashes.rows.row_weights)
            } else {
                (features.len(), &scratch.weights)
            };
            scratch.sums.planes(kernel, &hashes.planes, rows, weights, self.width);
            return;
        }
        let weights = self.weights();
        if weights.counted() {
            scratch
                .sums
                .weighted(kernel, features, &scratch.weights, weights.of(1), self.width);
        } else {
            scratch.sums.once(kernel, features, self.width);
        }
    }
}

/// Takes the tokens in `scratch` as features: known by the XXH3-64 of their UTF-8, whatever hash their bits are of.
fn collect(scratch: &mut Scratch, counted: bool) {
    scratch.weights.clear();
    scratch.shift = 0;
    scratch.hashes.rows.clear();
    scratch.features.collect_hashes(&scratch.tokens.known, counted);
}
