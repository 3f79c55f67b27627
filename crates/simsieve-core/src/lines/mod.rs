//! Lines, sentences or paragraphs that are repeated over a collection, and the collection without them.
//!
//! In: the records of a collection. Out: what is repeated and how often, and the same sources without it, which sinks write as they write
//! any.
//!
//! 1. [`units`]: a text becomes pieces that together are the text.
//! 2. `count`: each piece becomes a hash of its exact form, with its place; sorted runs, in memory or in files, make a group of each hash.
//! 3. [`near`]: units that may be near another one are searched as documents, and count as their representatives.
//! 4. `texts`: of each group that is repeated all but the first are cut out of their records.
//!
//! A hash has 64 bits: among 10^8 different units two have one hash with a chance of 1 in 3,700.

mod count;
pub mod near;
mod options;
#[cfg(test)]
mod tests;
mod texts;
pub mod units;

use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap, HashSet};
use std::io::Write;
use std::path::Path;
use std::sync::Arc;

use crate::base::context::Context;
use crate::base::error::{Error, Result};
use crate::encode::scheme::{Scheme, Scratch};
use crate::source::{Cuts, Failure, Fields, Sources, cut, text_places};
use crate::storage::atomic::AtomicFile;
use crate::storage::column::Column;
use crate::storage::run_dir::SortedRuns;
use count::{Counted, characters_of, hash, place, position};
pub use options::{Choice, Options};
use texts::{Texts, Touched};

/// The units of a collection.
#[derive(Debug)]
pub struct Lines {
    /// Code points of every text.
    pub characters: Vec<u32>,
    /// Records that are no documents, by position.
    pub failures: Vec<(usize, Failure)>,
    occurrences: Column<u128>,
    scopes: Vec<u64>,
    texts: Texts,
    options: Options,
}

/// A collection without what is repeated.
#[derive(Debug)]
pub struct Removed {
    /// Code points that go, of every text.
    pub characters: Vec<u32>,
    /// Different units.
    pub distinct: u64,
    /// Those of them that are repeated.
    pub repeated: u64,
    /// Units that go.
    pub count: u64,
    /// The most frequent of the repeated units, most frequent first.
    pub frequent: Vec<Frequent>,
    /// What goes of each scope, most characters first; one scope where none is named.
    pub scopes: Vec<Scope>,
    /// The places of the units that go.
    gone: Column<u128>,
    whole: Texts,
    left: Texts,
}

/// A repeated unit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Frequent {
    /// How often it occurs.
    pub count: u64,
    /// In how many texts.
    pub documents: u64,
    /// Where it occurs first.
    pub position: usize,
    /// As it is written there.
    pub text: String,
}

/// The texts that a unit may be repeated in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Scope {
    /// The first of them.
    pub position: usize,
    /// How many they are.
    pub documents: u64,
    /// Their code points.
    pub characters: u64,
    /// Code points that go.
    pub removed: u64,
}

impl Lines {
    /// Reads and counts the units of all records.
    ///
    /// Complexity: linear in the texts and n log n in the units; memory of 16 bytes a unit, or of a run directory's bound.
    ///
    /// # Errors
    /// [`Error::Source`] where a source cannot be read or has changed; [`Error::Storage`] where the run directory cannot be written.
    pub fn read(sources: &Arc<Sources>, options: Options, ctx: &Context<'_>) -> Result<Self> {
        let fields = Fields {
            text: vec![options.text_field.clone()],
            id: options.id_field.clone(),
            equal: options.scope.iter().cloned().collect(),
            ..Fields::default()
        };
        let Counted {
            occurrences,
            scopes,
            characters,
            failures,
        } = count::count(sources, &fields, &options, ctx)?;
        let texts = Texts {
            sources: Arc::clone(sources),
            fields,
            unit: options.unit,
        };
        Ok(Self {
            characters,
            failures,
            occurrences,
            scopes,
            texts,
            options,
        })
    }

    /// What was read.
    pub const fn sources(&self) -> &Arc<Sources> {
        &self.texts.sources
    }

    /// How many units are long enough to count.
    pub fn units(&self) -> usize {
        self.occurrences.len()
    }

    /// Writes different units that may be near another one as lines of JSON, each with its text and its scope, in the order of the texts.
    /// Gives the number of each among all different units, and how many these are. At most [`near::MISSED`] of the pairs of at least
    /// this similarity, a cosine under `chars128`, are not among them.
    ///
    /// # Errors
    /// As [`Lines::read`]; [`Error::Sink`] where the file cannot be written.
    pub fn write_distinct(&self, sink: &Path, similarity: f64, ctx: &Context<'_>) -> Result<(Vec<u32>, usize)> {
        let firsts = self.firsts(ctx)?;
        let numbers = self.may_be_near(&firsts, similarity, ctx)?;
        let places: Vec<u128> = numbers.iter().map(|&number| firsts[number as usize]).collect();
        let mut file = AtomicFile::create(sink)?;
        let lines = |touched: &Touched<'_>, (): &mut ()| {
            let (mut lines, scope) = (Vec::new(), self.scope(touched.position));
            for unit in touched.units() {
                let text = serde_json::Value::from(unit);
                writeln!(lines, "{{\"text\":{text},\"scope\":\"{scope:016x}\"}}").expect("memory takes every line");
            }
            Ok(lines)
        };
        self.texts
            .each_touched(&places, "near", ctx, lines, |lines| file.append(&lines))?;
        file.commit()?;
        Ok((numbers, firsts.len()))
    }

    /// The numbers of the units that have a key in common with another one; of few units all.
    fn may_be_near(&self, firsts: &[u128], similarity: f64, ctx: &Context<'_>) -> Result<Vec<u32>> {
        if firsts.len() < near::FEW {
            return Ok((0..firsts.len() as u32).collect());
        }
        let (scheme, keys_of, pool) = (Scheme::parse("chars128")?, near::Keys::of(similarity), ctx.pool()?);
        let mut keys = self.runs("least");
        let work = |touched: &Touched<'_>, scratch: &mut Scratch| {
            let mut each = Vec::new();
            for unit in touched.units() {
                let mut least = Vec::new();
                // A unit that is too long for a scheme is near nothing.
                if scheme.take_features(unit, scratch).is_ok() {
                    keys_of.extend(scratch.features.hashes(), self.scope(touched.position), &mut least);
                }
                each.push(least);
            }
            Ok(each)
        };
        let mut number = 0_u32;
        self.texts
            .each_touched(firsts, "near", ctx, work, |units: Vec<Vec<u64>>| {
                for least in units {
                    keys.extend(least.iter().map(|&key| u128::from(key) << 64 | u128::from(number)));
                    number += 1;
                }
                keys.bound(pool)
            })?;
        let keys = keys.finish_mapped(pool)?;
        let mut may = vec![false; firsts.len()];
        for group in groups(&keys).filter(|group| group.len() > 1) {
            for &key in group {
                may[key as u64 as usize] = true;
            }
        }
        Ok((0..firsts.len() as u32)
            .filter(|&number| may[number as usize])
            .collect())
    }

    /// Removes what is repeated. Units that are near one another count as the one whose number `representatives` has for each
    /// different unit; without these each counts as itself.
    ///
    /// Complexity: n log n in the units that go, and linear in the texts that have one.
    ///
    /// # Errors
    /// As [`Lines::read`]; [`Error::Config`] where a text is not in one place of its record.
    pub fn remove(&self, choice: Choice, representatives: Option<&[u32]>, ctx: &Context<'_>) -> Result<Removed> {
        let merged = representatives.map(|all| self.merged(all, ctx)).transpose()?;
        let occurrences = merged.as_ref().unwrap_or(&self.occurrences);
        let (pool, texts) = (ctx.pool()?, self.texts_by_scope());
        let mut gone = self.runs("gone");
        let mut frequent = BinaryHeap::new();
        let (mut distinct, mut repeated, mut count) = (0, 0, 0);
        for group in groups(occurrences) {
            distinct += 1;
            if group.len() < 2 {
                continue;
            }
            let first = place(group[0]);
            let same = |one: &u128, other: &u128| position(place(*one)) == position(place(*other));
            let documents = group.chunk_by(same).count();
            let of = texts[&self.scope(position(first))];
            if (documents as f64) < choice.min_share * f64::from(of) {
                continue;
            }
            repeated += 1;
            let rest = &group[choice.keep.min(group.len())..];
            count += rest.len() as u64;
            gone.extend(rest.iter().map(|&one| u128::from(place(one)) << 64));
            gone.bound(pool)?;
            frequent.push((Reverse(group.len()), first, documents));
            if frequent.len() > choice.shown {
                frequent.pop();
            }
        }
        let frequent = self.frequent(frequent.into_vec(), ctx)?;
        let gone = gone.finish_mapped(pool)?;
        let (characters, left) = self.cut(&gone, ctx)?;
        Ok(Removed {
            scopes: self.scopes(&characters),
            characters,
            distinct,
            repeated,
            count,
            frequent,
            gone,
            whole: self.texts.clone(),
            left,
        })
    }

    fn runs(&self, name: &'static str) -> SortedRuns<'_, u128> {
        SortedRuns::new(self.options.run_dir.as_deref().map(|dir| (dir, name)), 0)
    }

    fn scope(&self, position: usize) -> u64 {
        self.scopes.get(position).copied().unwrap_or(0)
    }

    /// The first occurrence of each different unit, in the order of the texts, with the number of its group.
    fn firsts(&self, ctx: &Context<'_>) -> Result<Column<u128>> {
        let pool = ctx.pool()?;
        let mut firsts = self.runs("firsts");
        for (at, group) in groups(&self.occurrences).enumerate() {
            firsts.extend([u128::from(place(group[0])) << 64 | at as u128]);
            firsts.bound(pool)?;
        }
        firsts.finish_mapped(pool)
    }

    /// The occurrences under the number of the unit that each unit counts as.
    fn merged(&self, representatives: &[u32], ctx: &Context<'_>) -> Result<Column<u128>> {
        let (pool, firsts) = (ctx.pool()?, self.firsts(ctx)?);
        if firsts.len() != representatives.len() {
            return Err(Error::Config(msg!(
                "there are {count} different units and {given} representatives",
                count = firsts.len(),
                given = representatives.len()
            )));
        }
        let mut counted_as = vec![0; firsts.len()];
        for (&first, &representative) in firsts.iter().zip(representatives) {
            counted_as[first as u64 as usize] = representative;
        }
        let mut merged = self.runs("merged");
        for (group, number) in groups(&self.occurrences).zip(counted_as) {
            merged.extend(
                group
                    .iter()
                    .map(|&one| u128::from(number) << 64 | u128::from(place(one))),
            );
            merged.bound(pool)?;
        }
        merged.finish_mapped(pool)
    }

    /// How many texts each scope has, without failed records.
    fn texts_by_scope(&self) -> HashMap<u64, u32> {
        let mut texts = HashMap::new();
        for position in 0..self.characters.len() {
            *texts.entry(self.scope(position)).or_insert(0) += 1;
        }
        for (position, _) in &self.failures {
            texts.entry(self.scope(*position)).and_modify(|count| *count -= 1);
        }
        texts
    }

    /// The texts of units, each given as count, first place and number of texts; the most frequent first.
    fn frequent(&self, mut units: Vec<(Reverse<usize>, u64, usize)>, ctx: &Context<'_>) -> Result<Vec<Frequent>> {
        units.sort_unstable_by_key(|unit| unit.1);
        let places: Vec<u128> = units.iter().map(|unit| u128::from(unit.1) << 64).collect();
        let texts = |touched: &Touched<'_>, (): &mut ()| Ok(touched.units().map(str::to_owned).collect::<Vec<_>>());
        let mut found = Vec::with_capacity(units.len());
        self.texts.each_touched(&places, "tell", ctx, texts, |texts| {
            for text in texts {
                let (Reverse(count), first, documents) = units[found.len()];
                found.push(Frequent {
                    count: count as u64,
                    documents: documents as u64,
                    position: position(first),
                    text,
                });
            }
            Ok(())
        })?;
        found.sort_by_key(|unit| Reverse(unit.count));
        Ok(found)
    }

    /// Cuts the units at some places out of their records: the code points that go of each text, and the texts that are left.
    fn cut(&self, gone: &[u128], ctx: &Context<'_>) -> Result<(Vec<u32>, Texts)> {
        let sources = &self.texts.sources;
        let mut cuts = Cuts::new(self.options.run_dir.as_deref())?;
        let mut characters = vec![0; sources.len()];
        let work = |touched: &Touched<'_>, (): &mut ()| {
            let parts = touched.parts();
            let sizes = parts
                .iter()
                .map(|part| characters_of(touched.text[part.clone()].as_bytes()));
            let size: u32 = sizes.sum();
            let mut places: Vec<usize> = parts.iter().flat_map(|part| [part.start, part.end]).collect();
            text_places(
                sources,
                touched.position,
                touched.record,
                &self.texts.fields,
                &mut places,
            )?;
            Ok((touched.position, size, places))
        };
        self.texts
            .each_touched(gone, "remove", ctx, work, |(position, size, places)| {
                characters[position] = size;
                places
                    .chunks(2)
                    .try_for_each(|ends| cuts.add(sources, position, &(ends[0]..ends[1])))
            })?;
        let left = Texts {
            sources: Arc::new(cut(sources, cuts)?),
            ..self.texts.clone()
        };
        Ok((characters, left))
    }

    /// What goes of each scope.
    fn scopes(&self, removed: &[u32]) -> Vec<Scope> {
        let failed: HashSet<usize> = self.failures.iter().map(|(position, _)| *position).collect();
        let mut scopes = HashMap::new();
        for position in (0..removed.len()).filter(|position| !failed.contains(position)) {
            let scope = scopes.entry(self.scope(position)).or_insert(Scope {
                position,
                documents: 0,
                characters: 0,
                removed: 0,
            });
            scope.documents += 1;
            scope.characters += u64::from(self.characters[position]);
            scope.removed += u64::from(removed[position]);
        }
        let mut scopes: Vec<Scope> = scopes.into_values().collect();
        scopes.sort_by_key(|scope| (Reverse(scope.removed), scope.position));
        scopes
    }
}

impl Removed {
    /// The records, at their positions, without what goes.
    pub const fn sources(&self) -> &Arc<Sources> {
        &self.left.sources
    }

    /// The text of a record without what goes.
    ///
    /// # Errors
    /// [`Error::Source`] where it cannot be read again, or has changed.
    pub fn text(&self, position: usize) -> Result<String> {
        self.left.text(position)
    }

    /// What goes of a text, in code points of the whole one.
    ///
    /// # Errors
    /// As [`Removed::text`].
    pub fn spans(&self, position: usize) -> Result<Vec<(u32, u32)>> {
        self.whole.parts(&self.gone, position)
    }
}

/// The occurrences of each unit.
fn groups(occurrences: &[u128]) -> impl Iterator<Item = &[u128]> {
    occurrences.chunk_by(|one, other| hash(*one) == hash(*other))
}
