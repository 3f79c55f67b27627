//! Whether texts of equal digests are equal: they are read again in the order of their sources, many at a time.

use std::ops::Range;

use rayon::ThreadPool;
use rayon::prelude::*;

use crate::base::error::Result;
use crate::collection::Collection;
use crate::encode::scheme::{Scheme, Scratch};

/// Bytes of records that one read takes.
const READ_BYTES: u64 = 256 << 10;
/// Texts that a task reads, one task after another.
const TASK_TEXTS: usize = 1 << 12;
/// Groups that a task confirms.
const TASK_GROUPS: usize = 1 << 8;
/// What a text takes besides its bytes: its place among the others, twice, and its length.
const TEXT_BYTES: usize = 24;

/// A place in the keep order, behind the least place with its digest.
pub(super) type Member = (u32, u32);
/// A place in the keep order, and the place of the first text that it copies.
pub(super) type Copied = (u32, u32);

/// Finds the copies among members, group by group, with texts of a bounded number of bytes in memory.
pub(super) struct Confirmation<'a> {
    pub(super) collection: &'a Collection,
    pub(super) scheme: &'a Scheme,
    pub(super) max_bytes: usize,
}

impl Confirmation<'_> {
    /// The copies among members, as (place, place of its first). Members of one digest are adjacent and ascend. `tick` is told of
    /// the members that are done.
    pub(super) fn copies(
        &self,
        members: &[Member],
        pool: &ThreadPool,
        mut tick: impl FnMut(usize) -> Result<()>,
    ) -> Result<Vec<Copied>> {
        let (mut copies, mut scratch) = (Vec::new(), Scratch::default());
        // The distinct texts of the last group, which may go on in the next batch.
        let (mut group, mut firsts) = (None, Vec::new());
        let mut done = 0;
        while done < members.len() {
            tick(done)?;
            let batch = &members[done..][..self.batch(&members[done..])?];
            done += batch.len();
            let texts = pool.install(|| self.read(batch))?;
            let groups = groups(batch);
            let (last, whole) = groups.split_last().expect("a batch has a member");
            if let Some((first, whole)) = whole.split_first() {
                if group != Some(batch[0].0) {
                    firsts.clear();
                }
                self.confirm(batch, first.clone(), &texts, &mut firsts, &mut scratch, &mut copies)?;
                let found = pool.install(|| self.confirm_all(batch, whole, &texts))?;
                copies.extend(found.into_iter().flatten());
            }
            if group != Some(batch[last.start].0) {
                firsts.clear();
            }
            self.confirm(batch, last.clone(), &texts, &mut firsts, &mut scratch, &mut copies)?;
            group = Some(batch[last.start].0);
        }
        Ok(copies)
    }

    /// Confirms groups that are whole, by several threads.
    fn confirm_all(&self, members: &[Member], groups: &[Range<usize>], texts: &Texts) -> Result<Vec<Vec<Copied>>> {
        let tasks = groups
            .par_chunks(TASK_GROUPS)
            .map_init(Scratch::default, |scratch, groups| {
                let (mut copies, mut firsts) = (Vec::new(), Vec::new());
                for group in groups {
                    firsts.clear();
                    self.confirm(members, group.clone(), texts, &mut firsts, scratch, &mut copies)?;
                }
                Ok(copies)
            });
        tasks.collect()
    }

    /// How many of the next members are read at once: one at least.
    fn batch(&self, members: &[Member]) -> Result<usize> {
        let mut bytes = 0;
        for (at, &(_, place)) in members.iter().enumerate() {
            let span = (self.collection.sources).whole_span(self.collection.order[place as usize] as usize)?;
            bytes += (span.end - span.start) as usize + TEXT_BYTES;
            if bytes > self.max_bytes && at > 0 {
                return Ok(at);
            }
        }
        Ok(members.len())
    }

    /// Reads the texts of members in the order of their positions.
    fn read(&self, members: &[Member]) -> Result<Texts> {
        let position = |at: usize| self.collection.order[members[at].1 as usize];
        let mut order: Vec<u32> = (0..members.len() as u32).collect();
        order.par_sort_unstable_by_key(|&at| position(at as usize));
        let read = order.par_chunks(TASK_TEXTS).map_init(Vec::new, |buffer, task| {
            let positions: Vec<usize> = task.iter().map(|&at| position(at as usize) as usize).collect();
            let (mut bytes, mut ends) = (String::new(), Vec::with_capacity(task.len()));
            self.collection.fetch_texts(&positions, READ_BYTES, buffer, |text| {
                bytes.push_str(text);
                ends.push(bytes.len());
            })?;
            bytes.shrink_to_fit();
            Ok((bytes, ends))
        });
        let tasks = read.collect::<Result<Vec<_>>>()?;
        let mut place_of = vec![0; members.len()];
        for (place, &at) in order.iter().enumerate() {
            place_of[at as usize] = place as u32;
        }
        Ok(Texts { tasks, place_of })
    }

    /// Compares the members of a group, or of a part of it, with the distinct texts before them, and adds their own.
    fn confirm(
        &self,
        members: &[Member],
        group: Range<usize>,
        texts: &Texts,
        firsts: &mut Vec<First>,
        scratch: &mut Scratch,
        copies: &mut Vec<Copied>,
    ) -> Result<()> {
        for at in group {
            let (place, raw) = (members[at].1, texts.of(at));
            // Most copies are copies to the byte: no need to normalise them.
            if let Some(first) = firsts.iter().find(|first| first.raw == raw) {
                copies.push((place, first.place));
                continue;
            }
            // Texts that differ under one digest are all but impossible.
            let exact = if firsts.is_empty() {
                None
            } else {
                Some(self.exact(place, raw, scratch)?)
            };
            let mut equal = None;
            for first in firsts.iter_mut() {
                if first.exact.is_none() {
                    first.exact = Some(self.exact(first.place, &first.raw, scratch)?);
                }
                if first.exact == exact {
                    equal = Some(first.place);
                    break;
                }
            }
            match equal {
                Some(first) => copies.push((place, first)),
                None => firsts.push(First {
                    place,
                    raw: raw.to_owned(),
                    exact,
                }),
            }
        }
        Ok(())
    }

    fn exact(&self, place: u32, raw: &str, scratch: &mut Scratch) -> Result<Vec<u8>> {
        let usable = self.scheme.normalise(raw, scratch);
        usable.map_err(|refusal| {
            self.collection
                .changed(self.collection.order[place as usize], refusal.message())
        })?;
        Ok(scratch.text.exact().to_vec())
    }
}

/// A text that is no copy of another one before it in its group.
struct First {
    place: u32,
    raw: String,
    /// Made when another text has to be compared with it.
    exact: Option<Vec<u8>>,
}

/// Texts that were read by several tasks, each with its bytes and where each text ends there.
struct Texts {
    tasks: Vec<(String, Vec<usize>)>,
    /// Of each member, its place in the order of reading.
    place_of: Vec<u32>,
}

impl Texts {
    fn of(&self, member: usize) -> &str {
        let place = self.place_of[member] as usize;
        let (bytes, ends) = &self.tasks[place / TASK_TEXTS];
        let at = place % TASK_TEXTS;
        let start = if at == 0 { 0 } else { ends[at - 1] };
        &bytes[start..ends[at]]
    }
}

/// Where each group of one digest is among members.
fn groups(members: &[Member]) -> Vec<Range<usize>> {
    let mut start = 0;
    let groups = members.chunk_by(|a, b| a.0 == b.0);
    groups
        .map(|group| {
            let range = start..start + group.len();
            start = range.end;
            range
        })
        .collect()
}
