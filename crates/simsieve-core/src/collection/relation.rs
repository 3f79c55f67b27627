//! What decides about a pair besides its texts: fields that must be equal, and verdicts of people.
//!
//! Two records may be near only under five conditions. The fields that the user names are equal in both. Their facts fulfil the rules
//! on fields ([`fields`](crate::collection::fields)). The numbers
//! of their texts are equal, or their negations, if the user asks for it. Their dates are in one window of time, if there is one. No
//! verdict calls them different. Two such records are near, whatever their texts say, if a verdict calls them the same or their
//! facts agree under a rule that joins. A bound of the units that a drop loses is part of the relation too. It is tested where
//! texts are compared. The relation is a function of the records alone: thresholds, batches and threads change nothing in it.

use std::cmp::Reverse;
use std::collections::{HashMap, HashSet};

use serde_json::{Value, json};

use crate::base::error::{Error, Result};
use crate::base::hash::xxh3_128;
use crate::collection::dates::{Times, Window};
use crate::collection::fields::{FieldRule, joining};
use crate::collection::names::{Finder, Name};
use crate::storage::column::Column;
use crate::text::conflict::Conflict;
use crate::text::guard::Guard;

/// What a person says of two records.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub enum Verdict {
    /// They are not near.
    Different = 0,
    /// They are near.
    Same = 1,
    /// They are near, and the first precedes the second in the keep order.
    Keep = 2,
}

impl Verdict {
    /// The verdict of a number.
    pub fn of(number: u8) -> Option<Self> {
        [Self::Different, Self::Same, Self::Keep]
            .into_iter()
            .find(|verdict| *verdict as u8 == number)
    }
}

/// A verdict on two records by their names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LabelVerdict {
    /// The name of the first record.
    pub a: Name,
    /// The name of the second.
    pub b: Name,
    /// The verdict on them.
    pub verdict: Verdict,
}

/// A similarity that is no threshold of its own: that of a field of a mean, which may differ altogether.
pub(crate) const NO_FLOOR: f64 = 1e-6;
/// The name of [`Bounds::mean`] in an identity.
pub(crate) const MEAN: &str = "mean";

/// What the texts of two records must fulfil besides nearness. No verdict is bound by it.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Bounds {
    /// Units of the longest run of a dropped text that its representative may lack; no bound where there is none.
    pub max_lost: Option<u32>,
    /// The kinds of conflict that keep two texts apart.
    pub conflict: Vec<Conflict>,
    /// The mean of the similarities under several schemes.
    pub mean: Option<Mean>,
}

/// The least mean of the similarities under all schemes of a run.
#[derive(Debug, Clone, PartialEq)]
pub struct Mean {
    /// The weight of each scheme.
    pub weights: Vec<f64>,
    /// The least mean of a near pair.
    pub least: f64,
}

impl Mean {
    /// The mean of the similarities that are known.
    pub(crate) fn of(&self, each: &[Option<f64>]) -> f64 {
        let known = || self.weights.iter().zip(each).filter_map(|(w, x)| x.map(|x| (w, x)));
        let weight: f64 = known().map(|(weight, _)| weight).sum();
        known().map(|(weight, similarity)| weight * similarity).sum::<f64>() / weight
    }

    /// The mean as a part of an identity.
    fn identity(&self) -> Value {
        json!([self.weights, self.least])
    }

    /// The mean read back of an identity.
    pub(crate) fn of_identity(value: &Value) -> Option<Self> {
        let weights = value.get(0)?.as_array()?.iter().map(Value::as_f64);
        Some(Self {
            weights: weights.collect::<Option<_>>()?,
            least: value.get(1)?.as_f64()?,
        })
    }
}

impl Bounds {
    /// Whether nothing is read in the texts of near pairs.
    pub fn is_none(&self) -> bool {
        self.max_lost.is_none() && self.conflict.is_empty()
    }

    /// The bounds as a part of an identity, by the names that a user knows.
    ///
    /// Conflicts that are not asked for have no part in it, as in identities of before.
    pub(crate) fn identity(&self) -> impl Iterator<Item = (&'static str, Value)> {
        let names = self.conflict.iter().map(|kind| kind.canonical());
        let conflict = (!self.conflict.is_empty()).then(|| ("conflict", names.collect()));
        let mean = self.mean.as_ref().map(|mean| (MEAN, mean.identity()));
        std::iter::once(("max_lost", json!(self.max_lost)))
            .chain(conflict)
            .chain(mean)
    }
}

/// A pair with fewer facts that agree must be more similar.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Sure {
    /// At least this many facts agree,
    pub agree: u32,
    /// or the similarity is at least this.
    pub similarity: f64,
}

/// What the user asks for besides nearness.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Rules {
    /// The fields that must be equal in two records that may be near.
    pub equal: Vec<String>,
    /// The rules on other fields.
    pub fields: Vec<FieldRule>,
    /// The similarity that takes the place of facts.
    pub sure: Option<Sure>,
    /// What must be the same in their texts.
    pub same: Vec<Guard>,
    /// The window of time in which their dates must be.
    pub window: Option<Window>,
    /// What the texts of a pair must fulfil besides.
    pub bounds: Bounds,
    /// Verdicts on labels.
    pub verdicts: Vec<LabelVerdict>,
}

impl Rules {
    /// Whether something is compared in two records besides their texts, and read in them.
    pub(crate) fn group_records(&self) -> bool {
        !self.same.is_empty() || !self.equal.is_empty() || self.names_of_facts().next().is_some()
    }

    /// The fields of all facts, rule after rule.
    pub(crate) fn names_of_facts(&self) -> impl Iterator<Item = &String> {
        self.fields.iter().flat_map(|rule| &rule.names)
    }

    /// A hash of the verdicts, in the order in which they were given. Each is a line of JSON: the number of the verdict, and of both
    /// names the label, the position and the check of the text, or null.
    pub(crate) fn digest_of_verdicts(&self) -> u128 {
        let name = |name: &Name| json!([name.label, name.position, name.text]);
        let line = |of: &LabelVerdict| format!("{}\n", json!([of.verdict as u8, name(&of.a), name(&of.b)]));
        let lines: String = self.verdicts.iter().map(line).collect();
        xxh3_128(lines.as_bytes())
    }
}

/// How the verdicts of a run were used.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct VerdictCounts {
    /// Pairs that a verdict keeps apart.
    pub different: usize,
    /// Pairs that a verdict joins, those with an order left out.
    pub same: usize,
    /// Pairs that a verdict joins, with an order.
    pub keep: usize,
    /// Pairs that a verdict joins and unequal fields keep apart; they are among the above.
    pub overruled: usize,
    /// Verdicts that name a missing record.
    pub unknown: usize,
    /// A label that no record has.
    pub example: Option<String>,
    /// A hash of the verdicts on positions, whatever their order.
    pub digest: u128,
}

/// The positions of new records with the text of a document that an index has dropped, ascending, each with that of its representative,
/// and whether it is a copy; else it is that document again.
pub(crate) type CopiesOfDropped = Vec<(u32, u32, bool)>;

/// The relation of a collection's records, by position.
#[derive(Debug, Default)]
pub struct Relation {
    /// A row for each record: only records of equal first numbers may be near; the others are facts. Empty where nothing is compared.
    pub(crate) groups: Column<u128>,
    /// The rules on the facts.
    pub(crate) fields: Vec<FieldRule>,
    /// The similarity that takes the place of facts.
    pub(crate) sure: Option<Sure>,
    /// The dates, where they must be in a window of time.
    pub(crate) times: Option<Times>,
    /// The verdicts on positions, in the order in which they were given.
    pub(crate) verdicts: Vec<(u32, u32, Verdict)>,
    /// What texts must fulfil besides.
    pub(crate) bounds: Bounds,
    /// Of each position with a verdict the other position and the verdict, by the other position.
    of: HashMap<u32, Vec<(u32, Verdict)>>,
    unknown: usize,
    example: Option<String>,
}

impl Relation {
    /// The relation of records with these groups under some verdicts, whose records the finder finds.
    pub(crate) fn new(
        groups: Column<u128>,
        fields: &[FieldRule],
        given: &[LabelVerdict],
        finder: &Finder<'_>,
    ) -> Result<Self> {
        let mut relation = Self::of_groups(groups);
        if !relation.groups.is_empty() {
            relation.fields = fields.to_vec();
        }
        if given.is_empty() {
            return Ok(relation);
        }
        let positions = finder.find(given.iter().flat_map(|verdict| [&verdict.a, &verdict.b]))?;
        let is_old = |position: u32| position as usize >= finder.new;
        let mut verdicts = Vec::with_capacity(given.len());
        for LabelVerdict { a, b, verdict } in given {
            let [first, second] = [a, b].map(|name| positions[name]);
            match (first, second) {
                (Some(first), Some(second)) if *verdict == Verdict::Keep && is_old(first.max(second)) => {
                    if !is_old(first) {
                        return Err(Error::Config(msg!(
                            "a verdict keeps the record {value:?} before {value_2:?}, which is an old one, and \
                             old ones are never dropped; say same or different of them",
                            value = a.to_string(),
                            value_2 = b.to_string()
                        )));
                    }
                    // Old ones precede as it is.
                    verdicts.push((first, second, Verdict::Same));
                }
                (Some(first), Some(second)) => verdicts.push((first, second, *verdict)),
                _ => {
                    relation.unknown += 1;
                    let missing = if first.is_none() { a } else { b };
                    relation.example.get_or_insert_with(|| missing.to_string());
                }
            }
        }
        relation.take(verdicts)?;
        Ok(relation)
    }

    /// The relation of records with these groups, without verdicts.
    pub(crate) fn of_groups(groups: Column<u128>) -> Self {
        Self {
            groups,
            ..Self::default()
        }
    }

    /// Takes verdicts on positions.
    pub(crate) fn take(&mut self, verdicts: Vec<(u32, u32, Verdict)>) -> Result<()> {
        for (a, b, verdict) in verdicts {
            let known = self.verdict(a, b);
            if a == b || known.is_some_and(|known| (known == Verdict::Different) != (verdict == Verdict::Different)) {
                return Err(Error::Config(msg!(
                    "two verdicts on one pair contradict one another, or a record has a verdict on itself; fix the verdicts"
                )));
            }
            self.verdicts.push((a, b, verdict));
            for (one, other) in [(a, b), (b, a)] {
                let others = self.of.entry(one).or_default();
                match others.binary_search_by_key(&other, |(position, _)| *position) {
                    Ok(at) if verdict == Verdict::Keep => others[at].1 = verdict,
                    Ok(_) => {}
                    Err(at) => others.insert(at, (other, verdict)),
                }
            }
        }
        Ok(())
    }

    /// Whether every pair is left to the texts.
    pub fn is_trivial(&self) -> bool {
        self.groups.is_empty() && self.times.is_none() && self.of.is_empty()
    }

    /// Whether fingerprints alone say which pairs within a distance are near.
    pub(crate) fn is_of_fingerprints(&self) -> bool {
        self.is_trivial() && self.bounds.is_none()
    }

    /// Whether two records may be near but for verdicts: the fields that must be equal are, and their dates are in one window.
    #[inline]
    fn may_be_near(&self, a: u32, b: u32) -> bool {
        self.group(a) == self.group(b)
            && self.times.as_ref().is_none_or(|times| times.are_near(a, b))
            && self
                .compared(a, b)
                .all(|(rule, agree)| !rule.apart || agree != Some(false))
    }

    /// The rules on fields, each with whether the facts of two records agree.
    pub(crate) fn compared(&self, a: u32, b: u32) -> impl Iterator<Item = (&FieldRule, Option<bool>)> {
        let facts = self.facts(a).iter().zip(self.facts(b));
        let rules = self.fields.iter().zip(facts);
        rules.map(|(rule, (&x, &y))| (rule, rule.compares(x, y)))
    }

    /// Whether enough facts of two records agree, or their similarity is at least that of [`Sure`].
    pub(crate) fn is_sure(&self, a: u32, b: u32, similarity: Option<f64>) -> bool {
        let is_similar = |sure: &Sure| similarity.is_none_or(|similarity| similarity >= sure.similarity);
        let agree = || self.compared(a, b).filter(|(_, agree)| *agree == Some(true)).count();
        self.sure
            .as_ref()
            .is_none_or(|sure| is_similar(sure) || agree() >= sure.agree as usize)
    }

    /// Whether there are rules on fields.
    pub(crate) fn has_fields(&self) -> bool {
        !self.fields.is_empty()
    }

    /// What is known of a record by a rule that joins: two of one number may be near whatever their texts say.
    pub(crate) fn joining(&self, position: u32) -> impl Iterator<Item = u128> {
        joining(&self.fields, self.facts(position))
    }

    /// Whether two records may be near, and no verdict keeps them apart.
    #[inline]
    pub fn allows(&self, a: u32, b: u32) -> bool {
        self.may_be_near(a, b) && (self.of.is_empty() || self.verdict(a, b) != Some(Verdict::Different))
    }

    /// Whether a verdict or a rule on fields makes two records near.
    pub fn joins(&self, a: u32, b: u32) -> bool {
        self.verdict_joins(a, b)
            || self
                .compared(a, b)
                .any(|(rule, agree)| rule.joins && agree == Some(true))
                && self.allows(a, b)
    }

    /// Whether a verdict makes two records near.
    pub(crate) fn verdict_joins(&self, a: u32, b: u32) -> bool {
        self.may_be_near(a, b) && matches!(self.verdict(a, b), Some(Verdict::Same | Verdict::Keep))
    }

    /// Whether a record has a verdict: then it is compared by itself, also where its text is equal to another's.
    pub(crate) fn is_judged(&self, position: u32) -> bool {
        !self.of.is_empty() && self.of.contains_key(&position)
    }

    /// Whether there are verdicts on records of the collection.
    pub(crate) fn has_verdicts(&self) -> bool {
        !self.of.is_empty()
    }

    /// The records with a verdict.
    pub(crate) fn judged(&self) -> impl Iterator<Item = u32> {
        self.of.keys().copied()
    }

    /// The records that a verdict joins with this one.
    pub(crate) fn joined_with(&self, position: u32) -> impl Iterator<Item = u32> {
        let others = self.of.get(&position).map_or(&[][..], Vec::as_slice);
        let others = others.iter().map(|(other, _)| *other);
        others.filter(move |&other| self.verdict_joins(position, other))
    }

    /// What must be equal in two records that may be near; 0 where nothing must be.
    #[inline]
    pub(crate) fn group(&self, position: u32) -> u128 {
        self.row(position).first().copied().unwrap_or(0)
    }

    /// All that is compared of a record besides its text; nothing where nothing is.
    #[inline]
    pub(crate) fn row(&self, position: u32) -> &[u128] {
        let words = 1 + self.fields.len();
        self.groups
            .get(position as usize * words..)
            .map_or(&[], |rows| &rows[..words.min(rows.len())])
    }

    #[inline]
    fn facts(&self, position: u32) -> &[u128] {
        self.row(position).get(1..).unwrap_or_default()
    }

    /// The group as a part of a search key, so that records of different groups share no bucket.
    #[inline]
    pub(crate) fn key(&self, position: u32) -> u32 {
        self.group(position) as u32
    }

    fn verdict(&self, a: u32, b: u32) -> Option<Verdict> {
        let others = self.of.get(&a)?;
        let at = others.binary_search_by_key(&b, |(position, _)| *position).ok()?;
        Some(others[at].1)
    }

    /// Changes the keep order so that the first record of each ordered pair precedes the second. Records that must
    /// precede a record are put before it, in their order, unless they precede it already. So what a verdict keeps
    /// takes the place of the other.
    pub(crate) fn put_in_order(&self, order: &mut Vec<u32>) -> Result<()> {
        let mut ahead: HashMap<u32, Vec<u32>> = HashMap::new();
        for &(first, second, _) in self.verdicts.iter().filter(|(.., verdict)| *verdict == Verdict::Keep) {
            ahead.entry(second).or_default().push(first);
        }
        if ahead.is_empty() {
            return Ok(());
        }
        let firsts: HashSet<u32> = ahead.values().flatten().copied().collect();
        let place_of: HashMap<u32, usize> = (order.iter().enumerate())
            .filter(|(_, position)| firsts.contains(position))
            .map(|(place, &position)| (position, place))
            .collect();
        for firsts in ahead.values_mut() {
            // The last one is taken first.
            firsts.sort_unstable_by_key(|first| Reverse(place_of.get(first)));
        }
        let mut placed = Vec::with_capacity(order.len());
        let (mut done, mut open) = (HashSet::new(), HashSet::new());
        for &position in order.iter() {
            let mut stack = vec![position];
            while let Some(&top) = stack.last() {
                let next = ahead.get_mut(&top).and_then(Vec::pop);
                if let Some(next) = next.filter(|next| !done.contains(next)) {
                    open.insert(top);
                    if open.contains(&next) {
                        return Err(Error::Config(msg!(
                            "verdicts on an order contradict one another in a cycle; fix the verdicts"
                        )));
                    }
                    stack.push(next);
                } else if next.is_none() {
                    stack.pop();
                    if !firsts.contains(&top) || done.insert(top) {
                        placed.push(top);
                    }
                }
            }
        }
        *order = placed;
        Ok(())
    }

    /// The date of a record, where there is a window of time.
    #[inline]
    pub(crate) fn date(&self, position: u32) -> Option<i64> {
        Some(self.times.as_ref()?.dates[position as usize])
    }

    /// What must be equal in two exact copies that are one: a record with a verdict is a copy of none, and copies have one date and the
    /// same facts, where there are any.
    pub(crate) fn copy_key(&self, position: u32) -> (&[u128], Option<i64>, Option<u32>) {
        let judged = self.is_judged(position).then_some(position);
        (self.row(position), self.date(position), judged)
    }

    fn digest(&self) -> u128 {
        let ordered = |&(a, b, verdict): &(u32, u32, Verdict)| match verdict {
            Verdict::Keep => [a, b, verdict as u32],
            Verdict::Same | Verdict::Different => [a.min(b), a.max(b), verdict as u32],
        };
        let mut rows: Vec<[u32; 3]> = self.verdicts.iter().map(ordered).collect();
        rows.sort_unstable();
        rows.dedup();
        let bytes: Vec<u8> = rows.iter().flatten().flat_map(|number| number.to_le_bytes()).collect();
        xxh3_128(&bytes)
    }

    /// How the verdicts are used.
    pub fn counts(&self) -> VerdictCounts {
        let mut counts = VerdictCounts {
            unknown: self.unknown,
            example: self.example.clone(),
            digest: self.digest(),
            ..VerdictCounts::default()
        };
        for (&a, others) in &self.of {
            for &(b, verdict) in others.iter().filter(|(b, _)| a < *b) {
                match verdict {
                    Verdict::Different => counts.different += 1,
                    Verdict::Same => counts.same += 1,
                    Verdict::Keep => counts.keep += 1,
                }
                counts.overruled += usize::from(verdict != Verdict::Different && !self.may_be_near(a, b));
            }
        }
        counts
    }
}
