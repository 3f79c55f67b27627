//! Parts grow around anchors that documents of many groups have.

use std::collections::HashMap;
use std::ops::Range;

use rayon::prelude::*;

use crate::base::context::Context;
use crate::base::error::Result;
use crate::base::hash::mix;
use crate::encode::input::templates::Templates;
use crate::passages::gather::{hash, position};
use crate::passages::options::Options;
use crate::passages::{Held, Records};
use crate::storage::column::Column;
use crate::storage::run_dir::SortedRuns;
use crate::text::letters::Letter;

/// Groups of a crowd whose texts are read.
const SAMPLE: usize = 64;
/// Crowds that are tried at once: what one of them takes, the others of them do not know.
const CROWDS_AT_ONCE: usize = 16;
/// Letters that a part goes on to either side of its anchor.
const MOST_LETTERS: usize = 1 << 15;
/// Letters of a word at most; what goes on longer is written without spaces.
const WORD: usize = 30;

pub(super) struct Search<'a> {
    pub(super) records: Records<'a>,
    pub(super) groups: &'a [u32],
    /// Groups and letters of a template at least.
    pub(super) least: usize,
    pub(super) length: usize,
    /// Letters of an anchor's window.
    pub(super) window: usize,
}

impl Search<'_> {
    fn group(&self, anchor: u128) -> u32 {
        self.groups[position(anchor) as usize]
    }

    /// The crowds, those of most groups first, as [`crowd`] writes them.
    pub(super) fn crowds(&self, anchors: &[u128], options: &Options, ctx: &Context<'_>) -> Result<Column<u128>> {
        let mut crowds = SortedRuns::new(options.place("crowds"), 0);
        let (mut start, mut told, mut seen, pool) = (0, 0, Vec::new(), ctx.pool()?);
        for same in anchors.chunk_by(|one, other| hash(*one) == hash(*other)) {
            if same.len() >= self.least {
                seen.clear();
                seen.extend(same.iter().map(|&anchor| self.group(anchor)));
                seen.sort_unstable();
                seen.dedup();
                crowds.extend((seen.len() >= self.least).then(|| crowd(seen.len(), start, same.len())));
            }
            start += same.len();
            if start - told >= ANCHORS_AT_ONCE {
                told = start;
                ctx.tick("search", start as u64, anchors.len() as u64)?;
                crowds.bound(pool)?;
            }
        }
        crowds.finish_mapped(pool)
    }

    /// The parts that grow around the anchors of crowds.
    pub(super) fn grown(&self, anchors: &[u128], crowds: &[u128], ctx: &Context<'_>) -> Result<Templates> {
        let (mut taken, mut parts, pool) = (Taken::default(), Vec::new(), ctx.pool()?);
        for (at, some) in crowds.chunks(CROWDS_AT_ONCE).enumerate() {
            ctx.tick("verify", (at * CROWDS_AT_ONCE) as u64, crowds.len() as u64)?;
            let done: Vec<Result<Vec<Grown>>> = pool.install(|| {
                let each = some.par_iter();
                each.map_init(Held::default, |held, &one| {
                    self.crowd(&anchors[range(one)], &taken, held)
                })
                .collect()
            });
            for grown in done {
                for one in grown? {
                    if one
                        .opened
                        .iter()
                        .all(|&(document, at)| taken.has(document, &self.window_at(at)))
                    {
                        continue;
                    }
                    for (document, place) in one.places {
                        taken.0.entry(document).or_default().push(place);
                    }
                    parts.push(one.letters);
                }
            }
        }
        ctx.tick("verify", crowds.len() as u64, crowds.len() as u64)?;
        Ok(Templates::of(parts.iter().map(Vec::as_slice)))
    }

    const fn window_at(&self, at: usize) -> Range<usize> {
        at..at + self.window
    }

    /// The parts around an anchor.
    fn crowd(&self, anchors: &[u128], taken: &Taken, held: &mut Held) -> Result<Vec<Grown>> {
        // The first place of each group, in an order that is the same in every crowd.
        let mut firsts: Vec<(u64, u128)> = anchors.iter().map(|&one| (mix(self.group(one).into()), one)).collect();
        firsts.sort_unstable();
        firsts.dedup_by_key(|first| first.0);
        let all = firsts.len();
        firsts.truncate(SAMPLE);
        let need = if all <= SAMPLE {
            self.least
        } else {
            (self.least * SAMPLE).div_ceil(all).max(2)
        };
        let places: Vec<(u32, usize)> = firsts
            .iter()
            .map(|&(_, one)| (position(one), one as u32 as usize))
            .collect();
        let is_open = |&(document, at): &(u32, usize)| !taken.has(document, &self.window_at(at));
        if !places.iter().any(is_open) {
            return Ok(Vec::new());
        }
        let mut members = Vec::with_capacity(places.len());
        for place in places {
            let (document, at) = place;
            let letters = held.letters(&self.records, document)?;
            if letters.len() < at + self.window {
                // The source has changed, which is found after all records are read once more.
                continue;
            }
            let bounds = if is_open(&place) {
                taken.free(document, &self.window_at(at))
            } else {
                0..letters.len()
            };
            let from = at.saturating_sub(MOST_LETTERS);
            let to = (at + self.window + MOST_LETTERS).min(letters.len());
            members.push(Member {
                document,
                at,
                is_open: is_open(&place),
                from,
                bounds: bounds.start.max(from)..bounds.end.min(to),
                letters: letters[from..to].to_vec(),
            });
        }
        let mut found = Vec::new();
        while members.iter().any(|member| member.is_open) {
            found.extend(self.part(&mut members, need));
        }
        Ok(found)
    }

    /// The part of a crowd's open documents that gains most, if any. At least one document is no longer open.
    fn part(&self, members: &mut [Member], need: usize) -> Option<Grown> {
        let Some((mut reach, mut live)) = self.shortest(members, need) else {
            for member in members {
                member.is_open = false;
            }
            return None;
        };
        let (mut best, mut most) = (None, 0);
        loop {
            if let Some(whole) = self.at_words(members, &live, &reach)
                && whole.len() * live.len() >= most
            {
                most = whole.len() * live.len();
                best = Some((whole, live.clone()));
            }
            let after = agreed(members, &live, reach.start..reach.end + 1, reach.end);
            let before = if after.len() == live.len() {
                Vec::new()
            } else {
                agreed(members, &live, reach.start - 1..reach.end, reach.start - 1)
            };
            let goes_on = after.len() >= before.len();
            let kept = if goes_on { after } else { before };
            if kept.len() < need.max(1) {
                break;
            }
            live = kept;
            if goes_on {
                reach.end += 1;
            } else {
                reach.start -= 1;
            }
        }
        let (reach, live) = best.map_or((None, live), |(reach, live)| (Some(reach), live));
        let mut opened = Vec::new();
        for &at in &live {
            if std::mem::take(&mut members[at].is_open) {
                opened.push((members[at].document, members[at].at));
            }
        }
        let reach = reach?;
        let places = live.iter().map(|&at| {
            let member = &members[at];
            (member.document, member.index(reach.start)..member.index(reach.end))
        });
        Some(Grown {
            letters: members[live[0]].run(&reach)?.to_vec(),
            opened,
            places: places.collect(),
        })
    }

    /// Of the shortest parts around an anchor the one that most documents have, an open one among them; and these documents.
    fn shortest(&self, members: &[Member], need: usize) -> Option<(Range<isize>, Vec<usize>)> {
        let mut best: Option<(Range<isize>, Vec<usize>)> = None;
        for before in 0..=(self.length - self.window) as isize {
            let reach = -before..self.length as isize - before;
            let runs = members.iter().enumerate().filter_map(|(at, member)| {
                let ids = member.run(&reach)?.iter().map(Letter::id);
                Some((ids.collect::<Vec<u32>>(), at))
            });
            let mut runs: Vec<(Vec<u32>, usize)> = runs.collect();
            runs.sort_unstable();
            for same in runs.chunk_by(|one, other| one.0 == other.0) {
                let most = best.as_ref().map_or(need.max(1) - 1, |(_, live)| live.len());
                if same.len() > most && same.iter().any(|(_, at)| members[*at].is_free(&reach)) {
                    best = Some((reach.clone(), same.iter().map(|(_, at)| *at).collect()));
                }
            }
        }
        best
    }

    /// What of a part begins and ends where words do, if that is long enough.
    fn at_words(&self, members: &[Member], live: &[usize], reach: &Range<isize>) -> Option<Range<isize>> {
        let inside = |cut: isize| live.iter().any(|&at| members[at].is_inside_word(cut));
        let (mut first, mut last) = (reach.clone().take(WORD), (reach.start..=reach.end).rev().take(WORD));
        let start = first.find(|&cut| !inside(cut)).unwrap_or(reach.start);
        let end = last.find(|&cut| !inside(cut)).unwrap_or(reach.end);
        ((start..end).len() >= self.length).then_some(start..end)
    }
}

/// Anchors between two reports of progress.
const ANCHORS_AT_ONCE: usize = 1 << 16;

/// A crowd as one number, the less the more groups it has: then the place of its anchors among all, and how many these are.
fn crowd(groups: usize, start: usize, anchors: usize) -> u128 {
    u128::from(u32::MAX - groups as u32) << 96 | (start as u128) << 48 | anchors as u128
}

/// Where the anchors of a crowd are.
const fn range(crowd: u128) -> Range<usize> {
    let start = (crowd >> 48) as usize & ((1 << 48) - 1);
    start..start + (crowd as usize & ((1 << 48) - 1))
}

/// The letters of documents that are in a part already, by position.
#[derive(Default)]
struct Taken(HashMap<u32, Vec<Range<usize>>>);

impl Taken {
    fn of(&self, document: u32) -> impl Iterator<Item = &Range<usize>> {
        self.0.get(&document).into_iter().flatten()
    }

    /// Whether a letter of a window is in a part.
    fn has(&self, document: u32, window: &Range<usize>) -> bool {
        self.of(document)
            .any(|part| part.start < window.end && window.start < part.end)
    }

    /// The letters around a free window that are in no part.
    fn free(&self, document: u32, window: &Range<usize>) -> Range<usize> {
        let ends = self
            .of(document)
            .map(|part| part.end)
            .filter(|&end| end <= window.start);
        let starts = self
            .of(document)
            .map(|part| part.start)
            .filter(|&start| start >= window.end);
        ends.max().unwrap_or(0)..starts.min().unwrap_or(usize::MAX)
    }
}

/// A document of a crowd.
struct Member {
    document: u32,
    /// The letter at which its anchor begins.
    at: usize,
    /// Whether the anchor is in no part yet.
    is_open: bool,
    /// Letters around the anchor, the first of these, and those of them that a part may have.
    letters: Vec<Letter>,
    from: usize,
    bounds: Range<usize>,
}

impl Member {
    const fn index(&self, reach: isize) -> usize {
        self.at.wrapping_add_signed(reach)
    }

    /// Whether two letters of an alphabet are on both sides of a cut, and nothing between them.
    fn is_inside_word(&self, cut: isize) -> bool {
        let at = self.index(cut);
        let before = at.checked_sub(self.from + 1).and_then(|at| self.letters.get(at));
        let after = at.checked_sub(self.from).and_then(|at| self.letters.get(at));
        before
            .zip(after)
            .is_some_and(|(one, other)| one.end == other.start && !one.is_dense() && !other.is_dense())
    }

    /// Whether a part may have these letters of it: it is open, and they are in no other part.
    fn is_free(&self, reach: &Range<isize>) -> bool {
        let (start, end) = (self.index(reach.start), self.index(reach.end));
        self.is_open && self.bounds.start <= start && end <= self.bounds.end
    }

    /// Letters by their distance from the anchor's first.
    fn run(&self, reach: &Range<isize>) -> Option<&[Letter]> {
        let place = |reach: isize| (self.at - self.from).checked_add_signed(reach);
        self.letters.get(place(reach.start)?..place(reach.end)?)
    }

    fn letter(&self, reach: isize) -> Option<u32> {
        self.run(&(reach..reach + 1)).map(|run| run[0].id())
    }
}

/// Those documents that have the letter there that most of the open ones have, which are free to have all of `reach`.
fn agreed(members: &[Member], live: &[usize], reach: Range<isize>, there: isize) -> Vec<usize> {
    let free = live.iter().filter(|&&at| members[at].is_free(&reach));
    let mut letters: Vec<u32> = free.filter_map(|&at| members[at].letter(there)).collect();
    letters.sort_unstable();
    let most = letters
        .chunk_by(|one, other| one == other)
        .max_by_key(|same| same.len());
    let Some(letter) = most.map(|same| same[0]) else {
        return Vec::new();
    };
    let has = |&at: &usize| members[at].letter(there) == Some(letter);
    live.iter().copied().filter(has).collect()
}

/// A part around an anchor.
struct Grown {
    letters: Vec<Letter>,
    /// The documents that were open for it, each with its anchor.
    opened: Vec<(u32, usize)>,
    /// The documents of the sample that have it, and which letters it is there.
    places: Vec<(u32, Range<usize>)>,
}
