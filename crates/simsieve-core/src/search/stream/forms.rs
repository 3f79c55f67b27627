//! Kept rows that are one form, filled in differently: a row is compared with those alone that may agree with it.
//!
//! A form has some slots of numbers ([`crate::text::conflict`]), and its rows have one number in each. Two rows conflict for certain if
//! their numbers conflict in one slot, or, where texts have many numbers, in as many slots as a conflict needs. So only the rows that agree
//! with another one in all slots but fewer than these may be near it. A table has the rows by number.
//!
//! In: rows that passed the sketches beside many others, and the rows that are kept. Out: the rows of a form that may be near a row.

use std::cmp::Reverse;

use rustc_hash::{FxHashMap, FxHashSet};

use crate::base::error::Result;
use crate::base::hash::mix;
use crate::search::documents::SchemeDocuments;
use crate::search::features::Features;
use crate::text::conflict::{Conflict, Values};

/// Rows whose numbers are read before a form is made of them.
const SAMPLED: usize = 256;
/// The numbers that these must have in a slot, at least.
const DISTINCT: usize = 8;
/// Slots of a form beyond those that a conflict needs: rows that agree in one of them by chance seldom agree in all.
const MORE: usize = 2;
/// Rows of a further slot that are walked, at most so many times as many as those of the slots that are needed.
const WALKED: usize = 8;
/// Numbers by which rows are found, in all: 100 MB.
const ENTRIES: usize = 1 << 22;

/// All forms, and the row at hand.
#[derive(Debug)]
pub(super) struct Forms {
    /// Whether numbers keep rows apart.
    used: bool,
    /// Rows of which a form is made, at least.
    least: usize,
    room: usize,
    all: Vec<Form>,
    /// The rows of all forms.
    formed: FxHashSet<u32>,
    own: Option<(u32, Values)>,
    /// No form is sought before this row; and the rows that are left out after the next failure.
    next: u32,
    wait: u32,
}

/// Rows with one number in each of some slots.
#[derive(Debug)]
struct Form {
    slots: Vec<u64>,
    /// The numbers that two rows need for a conflict, at most.
    needed: usize,
    /// Per hash the last of its entries, and how many they are. An entry has a row, and the entry before it.
    last: FxHashMap<u64, (u32, u32)>,
    entries: Vec<(u32, u32)>,
}

impl Forms {
    /// No form yet; a form has `least` rows at least, and what is held of them takes about `most_bytes` at most.
    pub(super) fn new(documents: SchemeDocuments<'_>, least: usize, most_bytes: usize) -> Self {
        // The numbers are those of the text under the first scheme.
        let conflict = &documents.run.collection.relation.bounds.conflict;
        Self {
            used: documents.at == 0 && conflict.contains(&Conflict::Numbers),
            least,
            room: ENTRIES.min(most_bytes / 32),
            all: Vec::new(),
            formed: FxHashSet::default(),
            own: None,
            next: 0,
            wait: 1,
        }
    }

    /// Forgets the row at hand.
    pub(super) fn end_row(&mut self) {
        self.own = None;
    }

    /// Reads the numbers of the row at hand.
    pub(super) fn take(&mut self, row: u32, features: &mut impl Features) -> Result<()> {
        if self.own.as_ref().is_none_or(|(own, _)| *own != row) {
            self.own = Some((
                row,
                Values::read(Conflict::Numbers, &features.held(row)?.text.exact_text()),
            ));
        }
        Ok(())
    }

    /// The form of a row, if its numbers were read and there is room.
    pub(super) fn form_of(&mut self, row: u32) -> Option<usize> {
        let (_, own) = self.own.take_if(|(own, _)| *own == row)?;
        let form = self.all.iter().position(|form| form.fits(&own))?;
        self.insert(form, row, &own).then_some(form)
    }

    /// Whether the row at hand can be asked about a form.
    pub(super) fn fits(&self, form: usize) -> bool {
        self.own.as_ref().is_some_and(|(_, own)| self.all[form].fits(own))
    }

    /// Adds to `near` the rows of a form that may agree with the row at hand, which fits.
    pub(super) fn agreeing(&self, form: usize, near: &mut Vec<u32>) {
        if let Some((_, own)) = &self.own {
            self.all[form].agreeing(own, near);
        }
    }

    /// Makes a form of members that are near the row at hand, where they are many and most of them fit. Of these the ones that may agree
    /// with the row stay in `near`. Returns the form, and the members that are its rows from here on.
    pub(super) fn gather(
        &mut self,
        row: u32,
        near: &mut Vec<u32>,
        features: &mut impl Features,
    ) -> Result<Option<(usize, Vec<u32>)>> {
        if !self.used || near.len() <= self.least || row < self.next {
            return Ok(None);
        }
        let others: Vec<u32> = near.iter().copied().filter(|row| !self.formed.contains(row)).collect();
        if others.len() <= self.least {
            return Ok(None);
        }
        self.take(row, features)?;
        let mut read = |earlier: u32| -> Result<Values> {
            let text = &features.other(earlier)?.text;
            Ok(Values::read(Conflict::Numbers, &text.exact_text()))
        };
        let sample: Result<Vec<Values>> = others.iter().take(SAMPLED).map(|&earlier| read(earlier)).collect();
        let sample = sample?;
        let mut moved = Vec::new();
        let form = self.form_for(&sample);
        for (at, &earlier) in others.iter().enumerate().filter(|_| form.is_some()) {
            let values = match sample.get(at) {
                Some(values) => values,
                None => &read(earlier)?,
            };
            if form.is_some_and(|form| self.insert(form, earlier, values)) {
                moved.push(earlier);
            }
        }
        if 2 * moved.len() > others.len() {
            self.wait = 1;
        } else {
            self.next = row.saturating_add(self.wait);
            self.wait = self.wait.saturating_mul(2);
        }
        let Some(form) = form else { return Ok(None) };
        moved.sort_unstable();
        let mut agreeing = Vec::new();
        self.agreeing(form, &mut agreeing);
        near.retain(|row| moved.binary_search(row).is_err() || agreeing.binary_search(row).is_ok());
        Ok(Some((form, moved)))
    }

    /// A form, old or new, that the row at hand fits and most of some others.
    fn form_for(&mut self, others: &[Values]) -> Option<usize> {
        let (_, own) = self.own.as_ref()?;
        let is_for =
            |form: &Form| form.fits(own) && 2 * others.iter().filter(|it| form.fits(it)).count() > others.len();
        if let Some(form) = self.all.iter().position(is_for) {
            return Some(form);
        }
        let form = Form::of(own, others).filter(is_for)?;
        self.all.push(form);
        Some(self.all.len() - 1)
    }

    /// Inserts a row; `false` where it does not fit, or has no room.
    fn insert(&mut self, form: usize, row: u32, values: &Values) -> bool {
        let form = &mut self.all[form];
        let added = if form.fits(values) {
            form.insert(row, values, self.room)
        } else {
            0
        };
        self.room -= added;
        added > 0 && self.formed.insert(row)
    }
}

impl Form {
    /// The form of a text with slots in which others have the most numbers; `None` if they have few.
    fn of(own: &Values, others: &[Values]) -> Option<Self> {
        let distinct = |slot: u64| {
            let numbers = others
                .iter()
                .filter_map(|values| Some(values.plain(values.single(slot)?)));
            numbers.collect::<FxHashSet<u64>>().len()
        };
        let singles = own.singles().take(SAMPLED);
        let slots = singles.map(|(slot, at)| (Reverse(distinct(slot)), own.known(at), slot));
        let mut slots: Vec<_> = slots.filter(|&(Reverse(distinct), ..)| distinct >= DISTINCT).collect();
        slots.sort_unstable();
        // One slot of each number.
        let mut numbers = FxHashSet::default();
        slots.retain(|&(_, number, _)| numbers.insert(number));
        let needed = own.needed();
        slots.truncate(needed + MORE);
        (slots.len() >= needed).then(|| Self {
            slots: slots.into_iter().map(|(.., slot)| slot).collect(),
            needed,
            last: FxHashMap::default(),
            entries: Vec::new(),
        })
    }

    /// Whether a text has one number in each slot, and distinct ones where a conflict needs several.
    fn fits(&self, values: &Values) -> bool {
        let numbers = self.slots.iter().map(|&slot| Some(values.known(values.single(slot)?)));
        let numbers: Option<Vec<u64>> = numbers.collect();
        values.needed() <= self.needed
            && numbers.is_some_and(|mut numbers| {
                numbers.sort_unstable();
                self.needed == 1 || numbers.windows(2).all(|two| two[0] != two[1])
            })
    }

    /// Inserts a row that fits, by at most `room` entries; returns how many there are of it.
    fn insert(&mut self, row: u32, values: &Values, room: usize) -> usize {
        let mut hashes: Vec<u64> = values.answers().collect();
        for &slot in &self.slots {
            if let Some(at) = values.single(slot) {
                hashes.push(values.plain(at));
                hashes.extend(values.asked(at).map(|hash| asked_in(slot, hash)));
            }
        }
        hashes.sort_unstable();
        hashes.dedup();
        if hashes.len() > room {
            return 0;
        }
        for &hash in &hashes {
            let (last, count) = self.last.entry(hash).or_insert((u32::MAX, 0));
            self.entries.push((row, *last));
            (*last, *count) = (self.entries.len() as u32 - 1, *count + 1);
        }
        hashes.len()
    }

    /// Adds the rows that agree with a text that fits in all slots but fewer than a conflict needs; each once, ascending.
    fn agreeing(&self, values: &Values, near: &mut Vec<u32>) {
        let hashes = |slot: u64| {
            let asked = values.single(slot).into_iter();
            let asked = asked.flat_map(|at| values.asked(at).into_iter().chain([values.plain(at)]));
            asked.chain(values.answers().map(move |hash| asked_in(slot, hash)))
        };
        let count = |slot| {
            hashes(slot)
                .filter_map(|hash| self.last.get(&hash))
                .map(|(_, count)| *count as usize)
                .sum::<usize>()
        };
        let mut slots: Vec<(usize, u64)> = self.slots.iter().map(|&slot| (count(slot), slot)).collect();
        slots.sort_unstable();
        let few = slots[..self.needed].iter().map(|(count, _)| count).sum::<usize>();
        slots.truncate(
            slots
                .partition_point(|(count, _)| *count <= (few + 1) * WALKED)
                .max(self.needed),
        );
        let mut found: Vec<(u32, u64)> = Vec::new();
        for &(_, slot) in &slots {
            for &(mut at, _) in hashes(slot).filter_map(|hash| self.last.get(&hash)) {
                while let Some(&(row, before)) = self.entries.get(at as usize) {
                    found.push((row, slot));
                    at = before;
                }
            }
        }
        found.sort_unstable();
        found.dedup();
        let agrees = |slots_of: &&[(u32, u64)]| slots_of.len() > slots.len() - self.needed;
        let rows = found.chunk_by(|one, next| one.0 == next.0).filter(agrees);
        near.extend(rows.map(|slots_of| slots_of[0].0));
    }
}

/// Where a number of a slot is sought by what another text has anywhere.
fn asked_in(slot: u64, hash: u64) -> u64 {
    mix(slot ^ hash)
}
