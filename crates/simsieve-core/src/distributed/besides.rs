//! What is compared of rows besides their texts. Rows carry it as numbers, so that a pair is tested where its rows meet.

use std::iter;

use crate::base::error::{Error, Result};
use crate::base::hash::xxh3_128;
use crate::collection::dates::{Times, date_of_record};
use crate::collection::fields::FieldRule;
use crate::collection::relation::{Relation, Sure, Verdict};
use crate::distributed::texts::TextColumn;
use crate::source::Value;
use crate::text::guard::Guard;

/// The rules on what rows carry.
#[derive(Debug, Default, Clone)]
pub struct RowRules {
    /// The rules on facts.
    pub fields: Vec<FieldRule>,
    /// The similarity that takes the place of facts.
    pub sure: Option<Sure>,
    /// The window of time in milliseconds.
    pub span: Option<u64>,
}

/// What rows carry.
#[derive(Debug, Default, Clone)]
pub struct RowValues {
    /// Only rows of one group may be near; none where nothing must be equal.
    pub groups: Vec<u64>,
    /// The facts of each row, one for each rule.
    pub facts: Vec<u128>,
    /// Milliseconds since 1970; none without a window of time.
    pub dates: Vec<i64>,
}

/// What is read of records besides their texts.
#[derive(Debug, Default)]
pub struct RecordValues<'a> {
    /// The fields that must be equal, in one value.
    pub equal: Option<TextColumn<'a>>,
    /// What must be the same in two texts.
    pub same: Vec<Guard>,
    /// The rules on facts, and the values of their fields, rule after rule.
    pub rules: Vec<FieldRule>,
    /// As above.
    pub facts: Vec<TextColumn<'a>>,
    /// The field of the date and its values, where there is a window of time.
    pub dates: Option<(String, TextColumn<'a>)>,
}

impl RecordValues<'_> {
    /// The facts of a record, and its date; a date that cannot be read is what it fails for.
    pub(super) fn read(
        &self,
        at: usize,
        values: &mut RowValues,
    ) -> Result<std::result::Result<(), crate::base::message::Message>> {
        let mut read = Vec::with_capacity(self.facts.len());
        for column in &self.facts {
            read.push(column.get(at)?);
        }
        let mut read = read.into_iter();
        for rule in &self.rules {
            values
                .facts
                .push(rule.fact(read.by_ref().take(rule.names.len()).collect::<Vec<_>>()));
        }
        let Some((field, dates)) = &self.dates else {
            return Ok(Ok(()));
        };
        let value = dates.get(at)?.map_or(Value::Missing, Value::of_text);
        let date = date_of_record(field, &value);
        values.dates.push(*date.as_ref().unwrap_or(&0));
        Ok(date.map(|_| ()))
    }

    /// A hash of the facts and the date of the last row, by which copies that differ in them are apart; 0 where there are none.
    pub(super) fn digest(&self, values: &RowValues) -> u128 {
        let facts = &values.facts[values.facts.len() - self.rules.len()..];
        let date = self.dates.as_ref().and(values.dates.last());
        if facts.is_empty() && date.is_none() {
            return 0;
        }
        let date = date.map_or([0; 16], |date| i128::from(*date).to_le_bytes());
        let bytes: Vec<[u8; 16]> = facts.iter().map(|fact| fact.to_le_bytes()).chain([date]).collect();
        xxh3_128(bytes.as_flattened())
    }
}

impl RowValues {
    /// Whether there is a value of each kind for this many rows.
    pub(super) fn fit(&self, rows: usize, rules: &RowRules) -> bool {
        let facts = rules.fields.len() * rows;
        let groups = self.groups.len() == rows || self.groups.is_empty() && facts == 0;
        groups && self.facts.len() == facts && self.dates.len() == rules.span.map_or(0, |_| rows)
    }

    /// These rows and others behind them.
    pub(super) fn followed_by(mut self, other: Self) -> Self {
        self.groups.extend(other.groups);
        self.facts.extend(other.facts);
        self.dates.extend(other.dates);
        self
    }

    /// The relation of the rows under some rules.
    pub(super) fn relation(self, rules: &RowRules) -> Relation {
        let groups: Vec<u128> = if rules.fields.is_empty() {
            self.groups.into_iter().map(u128::from).collect()
        } else {
            let rows = self.groups.iter().zip(self.facts.chunks(rules.fields.len()));
            rows.flat_map(|(&group, facts)| iter::once(u128::from(group)).chain(facts.iter().copied()))
                .collect()
        };
        let mut relation = Relation::of_groups(groups.into());
        relation.fields.clone_from(&rules.fields);
        relation.sure = rules.sure;
        relation.times = rules.span.map(|span| Times {
            dates: self.dates.into(),
            span,
        });
        relation
    }
}

/// Which pairs of near texts the rules allow: of the first rows of both sides, of the second ones, and so on. A similarity that is no
/// number was not measured.
///
/// # Errors
/// [`Error::Config`] where the columns do not fit together.
pub fn allowed(sides: [RowValues; 2], similarities: &[f64], rules: &RowRules) -> Result<Vec<bool>> {
    let count = similarities.len();
    if !sides.iter().all(|side| side.fit(count, rules)) {
        return Err(Error::Config(msg!(
            "the columns of the rows to compare do not fit together"
        )));
    }
    let [a, b] = sides;
    let relation = a.followed_by(b).relation(rules);
    let count = count as u32;
    let pairs = (0..count).zip(similarities);
    Ok(pairs
        .map(|(at, similarity)| {
            let similarity = Some(*similarity).filter(|similarity| !similarity.is_nan());
            relation.allows(at, count + at) && relation.is_sure(at, count + at, similarity)
        })
        .collect())
}

/// The order of rows in which the first row of each verdict that keeps one precedes the second; rows are numbered in keep order.
///
/// # Errors
/// [`Error::Config`] where verdicts contradict one another.
pub fn order_of_verdicts(rows: u32, verdicts: Vec<(u32, u32, Verdict)>) -> Result<Vec<u32>> {
    let (mut relation, mut order) = (Relation::default(), (0..rows).collect());
    relation.take(verdicts)?;
    relation.put_in_order(&mut order)?;
    Ok(order)
}
