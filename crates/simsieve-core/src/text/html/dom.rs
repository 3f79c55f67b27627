//! The structure of a page as weighted features: its elements, and their distance from the root.

use super::parse::parse;
use super::scratch::{Feature, PageScratch};
use super::tree::{DOCUMENT, NONE, NodeKind, Tree};
use crate::base::error::{Error, Result};
use crate::base::hash::{FNV_OFFSET, fnv1_64, fnv1_64_from, word, xxh3_64};

/// The weight of a feature.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Weight {
    /// The sum of decay^depth over all its elements.
    Sum(f64),
    /// decay^depth of its element nearest to the root.
    Nearest(f64),
    /// 1, for any number of elements at any depth.
    Once,
}

/// The hash of a feature's text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Hash {
    /// FNV-1 of 64 bits.
    Fnv1,
    /// XXH3 of 64 bits.
    Xxh3,
}

/// How a page's structure becomes features; [`Options::default`] are those of `dom64`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Options {
    /// The number of tags of a feature, from the element upward, joined by `/`. 1 is the tag alone, 2 has its parent's
    /// before it, and 0 is the whole path from the root.
    pub levels: usize,
    /// Whether a tag includes its class names, as `div.menu.open`, sorted by character.
    pub classes: bool,
    /// The rule for the weight.
    pub weight: Weight,
    /// The hash.
    pub hash: Hash,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            levels: 1,
            classes: false,
            weight: Weight::Sum(DECAY),
            hash: Hash::Fnv1,
        }
    }
}

/// The version of the rules for trees and features: html5ever's, of this release.
pub const RULES: &str = "1, html5ever 0.40, scripts off, at most 512 open";

/// The usual decay.
pub const DECAY: f64 = 0.45;

/// Fraction bits of a decayed weight.
pub const FRACTION_BITS: u32 = 20;

impl Hash {
    /// Every hash with its name.
    pub const ALL: [(&'static str, Self); 2] = [("fnv1", Self::Fnv1), ("xxh3", Self::Xxh3)];
}

impl Weight {
    /// The names of the rules.
    pub const NAMES: [&'static str; 3] = ["sum", "nearest", "once"];

    /// A rule by its name; `once` ignores `decay`.
    ///
    /// # Errors
    /// [`Error::Config`] for another name.
    pub fn parse(name: &str, decay: f64) -> Result<Self> {
        match name {
            "sum" => Ok(Self::Sum(decay)),
            "nearest" => Ok(Self::Nearest(decay)),
            "once" => Ok(Self::Once),
            _ => Err(Error::Config(msg!(
                "weight {name:?} is not known; there are {value}",
                value = Self::NAMES.join(", ")
            ))),
        }
    }
}

impl Options {
    /// The canonical text of all that can change a bit of a fingerprint of `width` bits, for the scheme's digest. It
    /// includes the version of the tree's rules.
    ///
    /// ```
    /// use simsieve_core::text::html::Options;
    /// assert!(Options::default().canonical(64).contains("weight sum of 0.45^depth, 20 fraction bits"));
    /// ```
    pub fn canonical(&self, width: u32) -> String {
        let levels = match self.levels {
            0 => "all".to_owned(),
            levels => levels.to_string(),
        };
        let weight = match self.weight {
            Weight::Sum(decay) => format!("sum of {decay}^depth, {FRACTION_BITS} fraction bits"),
            Weight::Nearest(decay) => format!("nearest {decay}^depth, {FRACTION_BITS} fraction bits"),
            Weight::Once => "once".to_owned(),
        };
        let hash = match self.hash {
            Hash::Fnv1 => "fnv-1-64",
            Hash::Xxh3 => "xxh3-64",
        };
        format!(
            "simsieve scheme 1\ndom {RULES}\nlevels {levels}\nclasses {}\nweight {weight}\nhash {hash}, words mixed by splitmix64\n\
             width {width}\nsign > 0\n",
            if self.classes { "with" } else { "without" },
        )
    }

    fn check(&self) -> Result<()> {
        match self.weight {
            Weight::Sum(decay) | Weight::Nearest(decay) if !(decay > 0.0 && decay <= 1.0) => Err(Error::Config(msg!(
                "decay {decay} is not allowed; allowed: above 0, at most 1, such as {decay_2}",
                decay_2 = DECAY
            ))),
            _ => Ok(()),
        }
    }
}

/// Visits the own elements of a page in document order: (the feature's text, its hash, the element's depth). The
/// document has depth 0. Elements that the parser invents are no features, but they count for the depth and are in
/// paths. So a page that omits optional tags differs from one that has them in these tags alone. The visit ends if
/// `see` returns `false`.
fn visit(tree: &Tree, options: &Options, mut see: impl FnMut(&str, u64, u32) -> bool) {
    let mut path = String::new();
    // For each open element: its start and end in the path, and the hash of the path down to it.
    let mut open: Vec<(usize, usize, u64)> = vec![(0, 0, FNV_OFFSET)];
    let mut node = tree.first_child(DOCUMENT);
    while node != NONE {
        let depth = open.len();
        if let NodeKind::Element {
            name, own, attributes, ..
        } = &tree.nodes[node as usize].kind
        {
            let (_, above, state) = open[depth - 1];
            path.truncate(above);
            if above > 0 {
                path.push('/');
            }
            let start = path.len();
            path.push_str(name);
            if options.classes {
                push_classes(tree, *attributes, &mut path);
            }
            let from = match options.levels {
                0 | 1 => start,
                levels => open
                    .get((depth + 1).saturating_sub(levels).max(1))
                    .map_or(start, |level| level.0),
            };
            let whole = options.levels == 0;
            let text = &path[if whole { 0 } else { from }..];
            let hash = match options.hash {
                // FNV continues from the parent's path, which keeps deep pages linear.
                Hash::Fnv1 if whole => fnv1_64_from(state, &path.as_bytes()[above..]),
                Hash::Fnv1 => fnv1_64(text.as_bytes()),
                Hash::Xxh3 => xxh3_64(text.as_bytes()),
            };
            if *own && !see(text, hash, depth as u32) {
                return;
            }
            let child = tree.first_child(node);
            if child != NONE {
                open.push((start, path.len(), hash));
                node = child;
                continue;
            }
        }
        let (next, up) = tree.skip(node, DOCUMENT);
        open.truncate(depth.saturating_sub(up as usize));
        node = next;
    }
}

/// Adds the class names, each once and in order, as `.name`.
fn push_classes(tree: &Tree, attributes: (u32, u32), text: &mut String) {
    let class = tree.attributes_at(attributes).find(|(name, _)| *name == b"class");
    if let Some((_, value)) = class {
        let value = String::from_utf8_lossy(value);
        let mut names: Vec<&str> = value.split_ascii_whitespace().collect();
        names.sort_unstable();
        names.dedup();
        for name in names {
            text.push('.');
            text.push_str(name);
        }
    }
}

/// The integer weight of a feature whose elements have these depths, in ascending order.
///
/// The order of the sum is fixed. For each depth from the root down, the number of elements times the power is added. A
/// power is the preceding one times the decay. Every step is one rounding of IEEE 754, the same on every machine.
pub(crate) fn weigh(weight: Weight, depths: impl Iterator<Item = u32>) -> i64 {
    let (decay, first_only) = match weight {
        Weight::Once => return 1,
        Weight::Sum(decay) => (decay, false),
        Weight::Nearest(decay) => (decay, true),
    };
    let (mut power, mut reached) = (1.0, 0);
    let (mut sum, mut count) = (0.0, 0_u32);
    for depth in depths.take(if first_only { 1 } else { usize::MAX }) {
        if depth > reached {
            sum += f64::from(count) * power;
            count = 0;
            while reached < depth {
                power *= decay;
                reached += 1;
            }
        }
        count += 1;
    }
    sum += f64::from(count) * power;
    (sum * f64::from(1_u32 << FRACTION_BITS)).round_ties_even() as i64
}

/// The features of a page's structure, sorted by hash; features whose weight rounds to 0 are omitted. A page without
/// elements of its own has none.
///
/// `scratch` keeps the features until the next call.
///
/// Source: the weights by depth follow a published recipe for pages (decay 0.45); the features' sums and the sign are
/// Charikar's, STOC 2002, section 3.
///
/// ```
/// use simsieve_core::text::html::{Options, PageScratch, dom_features};
/// let mut scratch = PageScratch::default();
/// let features = dom_features("<html><body><p>a<p>b", &Options::default(), &mut scratch).unwrap();
/// let mut weights: Vec<i64> = features.iter().map(|feature| feature.weight).collect();
/// weights.sort();
/// // p: 2 x 0.45^3, body: 0.45^2, html: 0.45, in steps of 2^-20.
/// assert_eq!(weights, [191_103, 212_337, 471_859]);
/// ```
///
/// # Errors [`Error::Config`] for a decay outside (0, 1], and for pages that cannot be parsed within bounds. Such a
/// page has over 1 GiB, or too many misnested elements: the parser would generate more than [`super`] allows.
pub fn dom_features<'a>(page: &str, options: &Options, scratch: &'a mut PageScratch) -> Result<&'a [Feature]> {
    options.check()?;
    parse(page, &mut scratch.tree)?;
    let seen = &mut scratch.seen;
    seen.clear();
    visit(&scratch.tree, options, |_, hash, depth| {
        seen.push((hash, depth));
        true
    });
    seen.sort_unstable();
    scratch.features.clear();
    for same in seen.chunk_by(|a, b| a.0 == b.0) {
        let weight = weigh(options.weight, same.iter().map(|&(_, depth)| depth));
        if weight > 0 {
            scratch.features.push(Feature {
                hash: same[0].0,
                weight,
            });
        }
    }
    Ok(&scratch.features)
}

/// Visits the own elements of a page in document order: (the feature's text, the element's depth), until `see` returns
/// `false`. For schemes with other weights and hashes than [`dom_features`].
///
/// # Errors
/// As [`dom_features`].
pub(crate) fn each_element(
    page: &str,
    options: &Options,
    scratch: &mut PageScratch,
    mut see: impl FnMut(&str, u32) -> bool,
) -> Result<()> {
    options.check()?;
    parse(page, &mut scratch.tree)?;
    visit(&scratch.tree, options, |text, _, depth| see(text, depth));
    Ok(())
}

/// As [`dom_features`], with the text of each feature, sorted by text: for people.
///
/// # Errors
/// As there.
pub fn dom_named(page: &str, options: &Options, scratch: &mut PageScratch) -> Result<Vec<(String, Feature)>> {
    options.check()?;
    parse(page, &mut scratch.tree)?;
    let mut seen = Vec::new();
    visit(&scratch.tree, options, |text, hash, depth| {
        seen.push((text.to_owned(), depth, hash));
        true
    });
    seen.sort_unstable();
    let features = seen.chunk_by(|a, b| a.0 == b.0).map(|same| {
        let weight = weigh(options.weight, same.iter().map(|&(_, depth, _)| depth));
        (
            same[0].0.clone(),
            Feature {
                hash: same[0].2,
                weight,
            },
        )
    });
    Ok(features.filter(|(_, feature)| feature.weight > 0).collect())
}

/// Every element of a parsed page in document order: its depth (the document has 0), its tag, and whether a start tag
/// of the page made it. It shows the origin of the features.
///
/// ```
/// use simsieve_core::text::html::{PageScratch, outline};
/// let elements = outline("<p>a", &mut PageScratch::default()).unwrap();
/// assert_eq!(elements.last(), Some(&(3, "p".to_owned(), true)));
/// assert_eq!(elements[0], (1, "html".to_owned(), false));
/// ```
///
/// # Errors
/// As [`dom_features`].
pub fn outline(page: &str, scratch: &mut PageScratch) -> Result<Vec<(u32, String, bool)>> {
    let tree = &mut scratch.tree;
    parse(page, tree)?;
    let mut elements = Vec::new();
    let (mut node, mut depth) = (DOCUMENT, 0_u32);
    while node != NONE {
        if let NodeKind::Element { name, own, .. } = &tree.nodes[node as usize].kind {
            elements.push((depth, name.to_string(), *own));
        }
        let child = tree.first_child(node);
        if child != NONE {
            (node, depth) = (child, depth + 1);
            continue;
        }
        let (next, up) = tree.skip(node, DOCUMENT);
        depth = depth.saturating_sub(up);
        node = next;
    }
    Ok(elements)
}

/// The exact sums of `width` bits, lowest first; bits beyond 64 come from [`word`].
pub fn dom_sums(features: &[Feature], width: u32) -> Vec<i64> {
    let mut all = Vec::with_capacity(width as usize);
    for k in 0..width.div_ceil(64) as usize {
        let mut sums = [0_i64; 64];
        for feature in features {
            let hash = word(feature.hash, k);
            for (bit, sum) in sums.iter_mut().enumerate() {
                // 1 gives the weight, 0 its negative, without a branch.
                let zero = (hash >> bit & 1) as i64 - 1;
                *sum += (feature.weight ^ zero) - zero;
            }
        }
        all.extend_from_slice(&sums[..(width as usize - 64 * k).min(64)]);
    }
    all
}

/// The fingerprint of features, as little-endian words; `None` without features. A sum above zero gives 1, and sums are
/// exact.
///
/// # Errors
/// [`Error::Config`] for a width outside 1 to 256.
pub fn dom_fold(features: &[Feature], width: u32) -> Result<Option<Vec<u64>>> {
    if !(1..=256).contains(&width) {
        return Err(Error::Config(msg!("width {width} is not allowed; allowed: 1 to 256")));
    }
    if features.is_empty() {
        return Ok(None);
    }
    let mut words = vec![0; width.div_ceil(64) as usize];
    for (bit, sum) in dom_sums(features, width).into_iter().enumerate() {
        words[bit / 64] |= u64::from(sum > 0) << (bit % 64);
    }
    Ok(Some(words))
}
