//! Conflicts of two similar texts: each has a value that the other has nowhere, and both values stand between the same words.
//!
//! Forms filled in differently are similar and are no copies. A *slot* is the place behind two words or before two words. Han characters
//! and the like are words of their own. Two texts conflict in a slot where each has a value there that the other lacks. They conflict
//! as a whole where such values are at least a [tenth](SHARE) of the distinct values of the text that has fewer.
//!
//! Values are read from the [exact form](crate::text::Compact::exact) of a text:
//!
//! - *Numbers*. Those of addresses, link targets, paths, file names, reference marks, list heads and articles of a law are none. Chinese
//!   numerals count where they are certain to be numbers, and apart from digits: 十五日 in each law does not hide another date of a law.
//!   A number that is written apart in one text and together in the other is one number.
//! - *Codes*: letters and digits in one word, as hd-200x, with hyphens.
//! - *Opposites*: words that exclude one another, as fast and slow, 男 and 女, standard and premium.
//!
//! The rule depends on the two exact forms alone, and is symmetric. So exact copies have the same conflicts.

mod reader;
mod signature;
mod value;

use self::reader::Reader;
pub(crate) use self::signature::Signature;
pub use self::value::Conflict;
use self::value::{Value, hash};
use crate::text::numbers;
use crate::text::pictures;

/// The least share of conflicting values among the distinct ones of the text that has fewer, as its divisor.
const SHARE: usize = 10;

/// The values of one kind in a text, with what is asked of them.
#[derive(Debug, Default)]
pub(crate) struct Values {
    found: Vec<Value>,
    /// The hash of each value as it is written, and of each but the last written together with the next one.
    written: Vec<u64>,
    together: Vec<u64>,
    /// The hashes of the values by which the other text is asked, ascending.
    known: Vec<u64>,
    /// The hashes of adjacent values written together, ascending.
    joined: Vec<u64>,
    slots: Vec<Filled>,
    /// The distinct values, and those of them that are digits.
    counts: [usize; 2],
}

/// A slot of a value, ascending by slot and plain form.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Filled {
    slot: u64,
    /// As in [`Value`].
    plain: u64,
    /// The position of the value.
    at: u32,
}

impl Values {
    /// Reads the values of a kind in a text in its exact form.
    ///
    /// Complexity: linear in the text.
    pub(crate) fn read(kind: Conflict, exact: &str) -> Self {
        // The numbers of texts are few, as a rule, and opposites and codes are words.
        Self::read_as(kind, exact, kind == Conflict::Numbers)
    }

    fn read_as(kind: Conflict, exact: &str, skips: bool) -> Self {
        let text = exact.split(pictures::OPEN).next().unwrap_or_default();
        let mut read = Reader::default();
        read.fill(kind, &numbers::in_ascii(text), skips);
        let filled = |(slot, at): (u64, u32)| Filled {
            slot,
            plain: read.found[at as usize].plain,
            at,
        };
        let mut slots: Vec<Filled> = read.slots().into_iter().map(filled).collect();
        slots.sort_unstable();
        let together: Vec<u64> = read.found.windows(2).map(together).collect();
        let mut values = Self {
            written: read.found.iter().map(|value| hash(&value.written)).collect(),
            known: distinct(read.found.iter().map(Value::known)),
            joined: distinct(together.iter().copied()),
            together,
            slots,
            found: read.found,
            counts: [0; 2],
        };
        let count = |is_counted| values.count(0..values.found.len() as u32, is_counted);
        values.counts = [count(|_| true), count(Value::is_digits)];
        values
    }

    /// The values of the text.
    pub(crate) fn len(&self) -> usize {
        self.found.len()
    }

    /// The numbers of another text that conflict with this one for certain, whichever slots they are in.
    pub(crate) fn needed(&self) -> usize {
        self.counts[0].div_ceil(SHARE).max(1)
    }

    /// The slots that have one value, each with its position.
    pub(crate) fn singles(&self) -> impl Iterator<Item = (u64, usize)> {
        let slots = self.slots.chunk_by(|x, y| x.slot == y.slot);
        slots
            .filter(|values| values.len() == 1)
            .map(|values| (values[0].slot, values[0].at as usize))
    }

    /// The position of the only value of a slot.
    pub(crate) fn single(&self, slot: u64) -> Option<usize> {
        let values = &self.slots[self.slots.partition_point(|filled| filled.slot < slot)..];
        let is_single = values.get(1).is_none_or(|next| next.slot != slot);
        let first = values.first().filter(|first| first.slot == slot && is_single)?;
        Some(first.at as usize)
    }

    /// The hash of a value in its plain form, and the one by which distinct values are counted.
    pub(crate) fn plain(&self, at: usize) -> u64 {
        self.found[at].plain
    }

    pub(crate) fn known(&self, at: usize) -> u64 {
        self.found[at].known()
    }

    /// The hashes of a value, of which a text that does not lack it has one among its [answers](Values::answers).
    pub(crate) fn asked(&self, at: usize) -> [u64; 4] {
        let known = self.known(at);
        let beside = |at: Option<usize>| at.and_then(|at| self.together.get(at)).copied().unwrap_or(known);
        [known, self.written[at], beside(at.checked_sub(1)), beside(Some(at))]
    }

    /// The hashes of the values of this text, alone and written together.
    pub(crate) fn answers(&self) -> impl Iterator<Item = u64> {
        self.known.iter().chain(&self.joined).copied()
    }

    fn knows(&self, hash: u64) -> bool {
        self.known.binary_search(&hash).is_ok()
    }

    /// Whether this text lacks a value of another one.
    fn lacks(&self, of: &Self, at: u32) -> bool {
        let at = at as usize;
        let beside = |first: Option<usize>| {
            first
                .and_then(|first| of.together.get(first))
                .is_some_and(|&hash| self.knows(hash))
        };
        !self.knows(of.found[at].known())
            && self.joined.binary_search(&of.written[at]).is_err()
            && !beside(at.checked_sub(1))
            && !beside(Some(at))
    }

    /// Those of a slot's values that the other text lacks, and that are not in the same slot there.
    fn apart(&self, here: &[Filled], other: &Self, there: &[Filled]) -> impl Iterator<Item = u32> {
        let is_there = |plain: u64| there.binary_search_by_key(&plain, |filled| filled.plain).is_ok();
        let apart = here.iter().filter(move |filled| !is_there(filled.plain));
        apart.map(|filled| filled.at).filter(|&at| other.lacks(self, at))
    }

    /// The distinct values at some positions that are counted.
    fn count(&self, positions: impl Iterator<Item = u32>, is_counted: fn(&Value) -> bool) -> usize {
        let values = positions.map(|at| &self.found[at as usize]);
        distinct(values.filter(|value| is_counted(value)).map(Value::known)).len()
    }

    /// Whether this text and another have enough values that conflict. Where one of them has few values a single slot suffices.
    ///
    /// Complexity: n log n for the values of both.
    pub(crate) fn conflicts(&self, other: &Self) -> bool {
        let is_one_enough = self.counts[0].min(other.counts[0]) <= SHARE;
        let (mut a, mut b, mut from) = (Vec::new(), Vec::new(), 0);
        for here in self.slots.chunk_by(|x, y| x.slot == y.slot) {
            let rest = &other.slots[from..];
            let start = rest.partition_point(|filled| filled.slot < here[0].slot);
            let same = rest[start..].partition_point(|filled| filled.slot == here[0].slot);
            let there = &rest[start..start + same];
            from += start;
            if self.apart(here, other, there).next().is_some() && other.apart(there, self, here).next().is_some() {
                if is_one_enough {
                    return true;
                }
                a.extend(self.apart(here, other, there));
                b.extend(other.apart(there, self, here));
            }
        }
        [(0, (|_| true) as fn(&Value) -> bool), (1, Value::is_digits)]
            .into_iter()
            .any(|(which, is_counted)| {
                let ours = self.count(a.iter().copied(), is_counted);
                let least = ours.min(other.count(b.iter().copied(), is_counted));
                least > 0 && least * SHARE >= self.counts[which].min(other.counts[which])
            })
    }
}

/// Whether two texts in their exact forms have a conflict of values of a kind.
#[cfg(test)]
pub(crate) fn conflicts(kind: Conflict, a: &str, b: &str) -> bool {
    Values::read(kind, a).conflicts(&Values::read(kind, b))
}

/// Hashes in order, each once.
fn distinct(hashes: impl Iterator<Item = u64>) -> Vec<u64> {
    let mut all: Vec<u64> = hashes.collect();
    all.sort_unstable();
    all.dedup();
    all
}

/// The hash of two adjacent values written together.
fn together(pair: &[Value]) -> u64 {
    hash(&[&*pair[0].written, &*pair[1].written].concat())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::{Conflict, Signature, Values};
    use crate::text::normalise::marks::exact;

    fn conflicts(kind: Conflict, a: &str, b: &str) -> bool {
        let [a, b] = [a, b].map(exact);
        let found = super::conflicts(kind, &a, &b);
        assert_eq!(found, super::conflicts(kind, &b, &a), "{a} {b}");
        found
    }

    #[test]
    fn values_in_one_slot_conflict_and_others_do_not() {
        for (kind, a, b) in [
            (
                Conflict::Numbers,
                "report of 3 May for the market",
                "report of 4 May for the market",
            ),
            (Conflict::Numbers, "价格为120元每吨", "价格为135元每吨"),
            (Conflict::Numbers, "第三十四次会议纪要", "第三十五次会议纪要"),
            (
                Conflict::Numbers,
                "on 12/05/2021 the market",
                "on 13/05/2021 the market",
            ),
            (Conflict::Numbers, "version 7.5.4 of it", "version 8.4.0 of it"),
            (Conflict::Numbers, "售价3万元整", "售价4 万元整"),
            (Conflict::Codes, "the pump HD-200X is here", "the pump HD-210B is here"),
            (Conflict::Opposites, "好吃,送餐慢", "好吃,送餐快!"),
            (
                Conflict::Opposites,
                "the suite for Mac upgrade",
                "the suite for Mac academic",
            ),
            (Conflict::Opposites, "上午开会", "下午开会"),
        ] {
            assert!(conflicts(kind, a, b), "{a} {b}");
        }
        for (kind, a, b) in [
            (Conflict::Numbers, "report of 3 May", "report of 3 May, with 5 pages"),
            (Conflict::Numbers, "call 285-295 now", "call 285295 now"),
            (Conflict::Numbers, "4 000 men came", "4000 men came"),
            (Conflict::Numbers, "1,200 men", "1200 men"),
            (Conflict::Numbers, "weigh 5.0 g of salt", "weigh 5 g of salt"),
            (Conflict::Numbers, "1. apples are red", "2. apples are red"),
            (Conflict::Numbers, "① apples are red", "② apples are red"),
            (Conflict::Numbers, "first. 1、苹果", "first. 2、苹果"),
            (Conflict::Numbers, "see [4] for more", "see [5] for more"),
            (
                Conflict::Numbers,
                "at https://a.org/2020/1 it is",
                "at https://a.org/2021/2 it is",
            ),
            (
                Conflict::Numbers,
                "as ![a](x1/album/201.png) shows",
                "as ![a](x2/album/202.png) shows",
            ),
            (Conflict::Numbers, "小于100千米的陆港", "小于 100 千米的陆港"),
            (Conflict::Numbers, "3万元的价格", "30000元的价格"),
            (Conflict::Numbers, "第三条 本法", "第四条 本法"),
            (Conflict::Numbers, "第三十四次会议", "第34次会议"),
            (Conflict::Numbers, "pump HD here", "pump HE here"),
            (Conflict::Codes, "the pump HD-200X is here", "the pump hd-200x is here"),
            (Conflict::Opposites, "slow and fast", "fast and slow"),
            (Conflict::Opposites, "slow and good", "slow and nice"),
        ] {
            assert!(!conflicts(kind, a, b), "{a} {b}");
        }
    }

    #[test]
    fn long_lists_of_numbers_take_no_square_of_them() {
        let list = |from: u32| {
            (from..from + 60_000)
                .map(|number| number.to_string())
                .collect::<Vec<_>>()
                .join(" ")
        };
        assert!(conflicts(Conflict::Numbers, &list(100_000), &list(400_000)));
    }

    #[test]
    fn most_forms_that_conflict_have_signatures_that_tell_it() {
        let form = |day: u32| {
            exact(&format!(
                "Report of {day} May: wheat at {} a ton, barley at {}.",
                3 * day + 100,
                5 * day
            ))
        };
        let values = |day| Values::read(Conflict::Numbers, &form(day));
        let signatures: Vec<Signature> = (1..30).map(|day| Signature::of(&values(day)).unwrap()).collect();
        let pairs = signatures
            .iter()
            .flat_map(|a| signatures.iter().map(move |b| a.conflicts(b)));
        assert!(pairs.filter(|&it| it).count() > 29 * 28 * 9 / 10);
        assert!(signatures.iter().all(|one| !one.conflicts(one)));
        assert!(Signature::of(&Values::read(Conflict::Numbers, "no value")).is_none());
    }

    #[test]
    fn few_values_of_many_do_not_conflict() {
        let text =
            |last: &str| (100..130).fold(String::new(), |text, number| text + &format!("line {number} of it, ")) + last;
        assert!(!conflicts(
            Conflict::Numbers,
            &text("the sum is 7 in all"),
            &text("the sum is 8 in all")
        ));
    }

    proptest! {
        /// No text conflicts with itself, and none whatever its bytes makes the reader fail.
        #[test]
        fn any_two_texts_are_read(a in "[0-9a-c一二十万第条.,、()\\[\\] /:-]{0,60}", b in any::<String>()) {
            for kind in [Conflict::Numbers, Conflict::Codes, Conflict::Opposites] {
                prop_assert!(!conflicts(kind, &a, &a));
                prop_assert!(!conflicts(kind, &b, &b));
                conflicts(kind, &a, &b);
            }
        }

        /// What signatures call a conflict is one.
        #[test]
        fn signatures_tell_conflicts_alone(
            [a, b] in prop::array::uniform2("(红|蓝|黑)[0-9]{1,2}[a-c ]{0,2}(价|at )[0-9]{1,3}( 4 000|, 12)?(元| a ton)?"),
        ) {
            let [a, b] = [a, b].map(|text| Values::read(Conflict::Numbers, &exact(&text)));
            if let Some((one, other)) = Signature::of(&a).zip(Signature::of(&b)) {
                prop_assert_eq!(one.conflicts(&other), other.conflicts(&one));
                prop_assert!(!one.conflicts(&other) || a.conflicts(&b));
            }
        }

        /// What is left out of a text changes no value and no slot.
        #[test]
        fn words_beyond_the_slots_change_nothing(parts in prop::collection::vec(
            prop::sample::select(vec![
                " ", " ", "5", "12.5", "ab", "word ", "see http://a.b/c/7 ", "(x.png)", "[a](b", "[3]", "第一条", "三十四", "好的价格", "一起",
                ", ", "。", "1. ", "² ", "①", "Ⅷ", "Ⅰ\u{301}", "é", "x-9", "3万", "\n- ",
            ]), 0..24,
        )) {
            let text = exact(&parts.concat());
            let [some, all] = [true, false].map(|skips| Values::read_as(Conflict::Numbers, &text, skips));
            prop_assert_eq!(format!("{some:?}"), format!("{all:?}"), "{}", text);
        }
    }
}
