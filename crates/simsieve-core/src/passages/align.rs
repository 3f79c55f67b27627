//! Hits of two texts become spans: each is extended on the letters of both, over edits, as far as the texts bear it out.
//!
//! A run of equal letters is followed as it is. Where it ends, alignments within a band are tried: a match gains 2 for a dense character
//! and 1 for any other, and a letter that is changed, missing or added costs 2. One that gains before it has lost too much goes on; else
//! the span ends there. Spans that follow one another closely in both texts are one. A letter is its id.

use std::ops::Range;

use rustc_hash::FxHashMap;

use crate::text::letters::units;

/// What a letter costs that is changed, missing or added.
const EDIT: i32 = 2;
/// What an alignment may lose before it gains again: sixteen letters may be added or missing in a row.
const MOST_LOST: i32 = 16 * EDIT;
/// How far to either side of the diagonal alignments go.
const BAND: usize = (MOST_LOST / EDIT) as usize;
/// What an alignment must gain over edits, so that no accident goes on.
const LEAST_GAIN: i32 = 4;
/// Letters between two spans of one chain at most, in either text.
const GAP: usize = 40;
/// Chains that a span may go on with, the last ones.
const LOOKED_BACK: usize = 8;

/// The ids of a text's letters, however they are stored.
pub(super) trait Ids {
    fn len(&self) -> usize;

    /// The id of the letter at a place below `len`.
    fn id(&self, at: usize) -> u32;
}

impl Ids for [u32] {
    fn len(&self) -> usize {
        <[u32]>::len(self)
    }

    fn id(&self, at: usize) -> u32 {
        self[at]
    }
}

/// A span of letters in both texts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Aligned {
    pub(super) a: Range<usize>,
    pub(super) b: Range<usize>,
    /// Letters of both that are aligned and equal.
    pub(super) matched: usize,
}

impl Aligned {
    /// The share of the longer side that is aligned and equal.
    pub(super) fn score(&self) -> f32 {
        self.matched as f32 / self.a.len().max(self.b.len()) as f32
    }

    /// This span and a later one, with what is between.
    fn joined(&self, later: &Self) -> Self {
        Self {
            a: self.a.start..later.a.end,
            b: self.b.start..later.b.end,
            // What both have counts once.
            matched: (self.matched + later.matched).saturating_sub(
                (self.a.end.saturating_sub(later.a.start)).max(self.b.end.saturating_sub(later.b.start)),
            ),
        }
    }

    /// Its units in the document.
    pub(super) fn units(&self, a: &[u32]) -> u32 {
        a[self.a.clone()].iter().map(|&id| units(id)).sum()
    }

    /// The first part of it that does not overlap itself, where `whole` is the document and `a` begins at a letter of it.
    pub(super) fn apart(self, whole: &[u32], from: usize) -> Self {
        let (x, y) = (self.a.start + from, self.b.start);
        if y + self.b.len() <= x {
            return self;
        }
        let most = x.saturating_sub(y).min(self.a.len());
        let pairs = whole[x..x + most].iter().zip(&whole[y..y + most]);
        Self {
            matched: pairs.filter(|(a, b)| a == b).count(),
            a: self.a.start..self.a.start + most,
            b: y..y + most,
        }
    }

    fn holds(&self, a: &Range<usize>, b: &Range<usize>) -> bool {
        let inside = |outer: &Range<usize>, inner: &Range<usize>| outer.start <= inner.start && inner.end <= outer.end;
        inside(&self.a, a) && inside(&self.b, b)
    }
}

/// The spans that hits lead to, by their places in `a`. Hits are pairs of letters, ascending; a hit whose letters differ leads to none.
///
/// Complexity: linear in the aligned length, times the band where there are edits.
pub(super) fn spans(
    a: &[u32],
    b: &(impl Ids + ?Sized),
    hits: impl IntoIterator<Item = (usize, usize)>,
) -> Vec<Aligned> {
    // By their ends in `a`. Hits ascend, so a span goes to the end or near it.
    let mut found: Vec<Aligned> = Vec::new();
    // How far each diagonal was followed, in `a`.
    let mut followed: FxHashMap<usize, usize> = FxHashMap::default();
    let mut hits = hits.into_iter().peekable();
    while let Some((x, y)) = hits.next() {
        let diagonal = x + b.len() - y;
        if followed.get(&diagonal).is_some_and(|&end| x < end) || a[x] != b.id(y) {
            continue;
        }
        let back = equal_back(&a[..x], b, y);
        let ahead = equal(&a[x..], b, y);
        let (run_a, run_b) = (x - back..x + ahead, y - back..y + ahead);
        // The hits of a run follow one another, but for those of other diagonals between them.
        while hits
            .next_if(|&(at, other)| at < run_a.end && at + b.len() - other == diagonal)
            .is_some()
        {}
        let is_last = hits.peek().is_none();
        if !is_last {
            followed.insert(diagonal, run_a.end);
        }
        let ended = found.partition_point(|span| span.a.end < run_a.end);
        if found[ended..].iter().any(|span| span.holds(&run_a, &run_b)) {
            continue;
        }
        // An earlier span is not aligned again.
        let before = found.partition_point(|span| span.a.end <= run_a.start);
        let from = before.checked_sub(1).map_or(0, |last| found[last].a.end);
        let (left, right) = (run_a.start - from, run_b.start);
        let gained = a[run_a.clone()].iter().map(|&id| units(id)).sum();
        let earlier = extend(
            gained,
            left,
            right,
            |i| a[run_a.start - 1 - i],
            |j| b.id(run_b.start - 1 - j),
            |_, _| (),
        );
        let later = extend(
            gained,
            a.len() - run_a.end,
            b.len() - run_b.end,
            |i| a[run_a.end + i],
            |j| b.id(run_b.end + j),
            |i, j| {
                let (x, y) = (run_a.end + i, run_b.end + j);
                // A run that began before the span is not all in it.
                let back = equal_back(&a[..x], b, y);
                if !is_last && x - back >= run_a.start && y - back >= run_b.start {
                    followed.insert(x + b.len() - y, x);
                }
            },
        );
        let span = Aligned {
            a: run_a.start - earlier.a..run_a.end + later.a,
            b: run_b.start - earlier.b..run_b.end + later.b,
            matched: run_a.len() + earlier.matched + later.matched,
        };
        if is_last && found.is_empty() {
            return vec![span];
        }
        let start = found.partition_point(|other| other.a.end < span.a.start);
        let end = found.partition_point(|other| other.a.end <= span.a.end);
        let held = found
            .extract_if(start..end, |other| span.holds(&other.a, &other.b))
            .count();
        found.insert(end - held, span);
    }
    found.sort_by_key(|span| (span.a.start, span.b.start, span.a.end));
    chained(found)
}

/// Joins spans that follow one another closely in both texts, as long as half of the whole is equal.
fn chained(found: Vec<Aligned>) -> Vec<Aligned> {
    let near = |end: usize, start: usize| (end..=end + GAP).contains(&start);
    joined_where(found, |before, span| {
        let whole = before.joined(span);
        near(before.a.end, span.a.start) && near(before.b.end, span.b.start) && whole.score() >= 0.5
    })
}

/// Joins spans, as [`spans`] gives them, on about one diagonal: at most `gap` letters are between them in either text.
pub(super) fn joined(found: Vec<Aligned>, gap: usize) -> Vec<Aligned> {
    let near = |end: usize, start: usize| (end.saturating_sub(BAND)..=end + gap).contains(&start);
    joined_where(found, |before, span| {
        let goes_on = span.b.start >= before.b.start && span.a.end > before.a.end && span.b.end > before.b.end;
        goes_on && near(before.a.end, span.a.start) && near(before.b.end, span.b.start)
    })
}

/// Joins each span to the last one before it that it may follow.
fn joined_where(found: Vec<Aligned>, follows: impl Fn(&Aligned, &Aligned) -> bool) -> Vec<Aligned> {
    let mut chains: Vec<Aligned> = Vec::new();
    for span in found {
        let last = chains.iter_mut().rev().take(LOOKED_BACK);
        match last.into_iter().find(|before| follows(before, &span)) {
            Some(before) => *before = before.joined(&span),
            None => chains.push(span),
        }
    }
    chains
}

/// The letters from `y` on that equal those of `a`.
fn equal(a: &[u32], b: &(impl Ids + ?Sized), y: usize) -> usize {
    a.iter().zip(y..b.len()).take_while(|&(&id, at)| id == b.id(at)).count()
}

/// The letters before `y` that equal the last ones of `a`.
fn equal_back(a: &[u32], b: &(impl Ids + ?Sized), y: usize) -> usize {
    a.iter()
        .rev()
        .zip((0..y).rev())
        .take_while(|&(&id, at)| id == b.id(at))
        .count()
}

/// How far an alignment goes on in each text, and its matches.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
struct Extent {
    a: usize,
    b: usize,
    matched: usize,
}

/// Extends an alignment that has gained `gained` units, over at most `left` and `right` letters. `a` and `b` give a letter by its distance
/// from the start. The extension loses at most what the alignment has gained. `run` gets the ends of runs.
fn extend(
    mut gained: u32,
    left: usize,
    right: usize,
    a: impl Fn(usize) -> u32,
    b: impl Fn(usize) -> u32,
    mut run: impl FnMut(usize, usize),
) -> Extent {
    let mut extent = Extent::default();
    loop {
        let before = extent.a;
        while extent.a < left && extent.b < right && a(extent.a) == b(extent.b) {
            gained += units(a(extent.a));
            extent.a += 1;
            extent.b += 1;
            extent.matched += 1;
        }
        if extent.a > before {
            run(extent.a, extent.b);
        }
        let (left, right) = (left - extent.a, right - extent.b);
        let (a, b) = (|i| a(extent.a + i), |j| b(extent.b + j));
        let lost = MOST_LOST.min(gained as i32);
        if !may_gain(lost, left, right, &a, &b) {
            return extent;
        }
        let gain = |i, j| if a(i) == b(j) { units(a(i)) } else { 0 };
        let bridged = bridge(lost, left, right, gain);
        if bridged.matched == 0 {
            return extent;
        }
        extent.a += bridged.a;
        extent.b += bridged.b;
        extent.matched += bridged.matched;
        gained += LEAST_GAIN as u32;
    }
}

/// Cells of an antidiagonal within the band.
const CELLS: usize = BAND + 1;
/// Letters of each text that [`may_gain`] looks at.
const SEEN: usize = 64;
/// Pairs of antidiagonals for which letters are taken at a time.
const STEPS: usize = 8;

/// A letter in half the bits: equal for equal ones, with its units in the top bit.
const fn short(id: u32) -> u16 {
    (id & 0x7FFF | id >> 31 << 15) as u16
}

/// Whether [`bridge`] may find a cell: no if every alignment loses too much within some letters. It is many times as fast, for it goes
/// by antidiagonals, whose cells do not depend on one another, on letters in half their bits.
fn may_gain(lost: i32, left: usize, right: usize, a: &impl Fn(usize) -> u32, b: &impl Fn(usize) -> u32) -> bool {
    const FAR: i16 = -1000;
    const LOSS: i16 = EDIT as i16;
    // The letters of `a` backwards and those of `b`; what is outside of a text equals nothing, or a letter that is rare.
    let (mut back, mut ahead) = ([u16::MAX; SEEN + 2 * CELLS], [u16::MAX - 1; SEEN + 2 * CELLS]);
    // Cells of the even antidiagonals, and of the odd ones between two that are far.
    let (mut even, mut odd) = ([FAR; CELLS], [FAR; CELLS + 1]);
    even[BAND / 2] = 0;
    let cell = |before: i16, beside: i16, one: u16, other: u16| {
        let gain = if one == other { 1 + (one >> 15) as i16 } else { -LOSS };
        before.wrapping_add(gain).max(beside.wrapping_sub(LOSS))
    };
    let mut taken = 0;
    for half in 0..SEEN - BAND / 2 {
        if half % STEPS == 0 {
            // Most alignments end within the first letters, so no more of them are taken.
            let needed = half + STEPS + BAND / 2;
            for i in taken..left.min(needed) {
                back[SEEN + CELLS - 1 - i] = short(a(i));
            }
            for j in taken..right.min(needed) {
                ahead[CELLS + j] = short(b(j));
            }
            taken = needed;
        }
        let mut most = FAR;
        let (from, to) = (SEEN + CELLS - BAND / 2 - half, CELLS + half - BAND / 2);
        let (Some(one), Some(other)) = (back[from..].first_chunk::<BAND>(), ahead[to..].first_chunk::<BAND>()) else {
            return true;
        };
        for at in 0..BAND {
            odd[at + 1] = cell(odd[at + 1], even[at].max(even[at + 1]), one[at], other[at]);
            most = most.max(odd[at + 1]);
        }
        let (Some(one), Some(other)) = (
            back[from - 1..].first_chunk::<CELLS>(),
            ahead[to..].first_chunk::<CELLS>(),
        ) else {
            return true;
        };
        for at in 0..CELLS {
            even[at] = cell(even[at], odd[at].max(odd[at + 1]), one[at], other[at]);
            most = most.max(even[at]);
        }
        if most >= LEAST_GAIN as i16 {
            return true;
        }
        if most < -lost as i16 {
            return false;
        }
    }
    true
}

/// The first cell in which an alignment over edits has gained enough; no extent where none does before it loses too much.
fn bridge(lost: i32, left: usize, right: usize, gain: impl Fn(usize, usize) -> u32) -> Extent {
    const WIDTH: usize = 2 * BAND + 1;
    const DEAD: i32 = i32::MIN / 2;
    // Of the row before, by the distance from the diagonal: score and matches. Row 0 has what is missing in `a`.
    let mut row = [(DEAD, 0_usize); WIDTH];
    for (at, cell) in row[BAND..]
        .iter_mut()
        .enumerate()
        .take(right.min((lost / EDIT) as usize) + 1)
    {
        cell.0 = -(at as i32) * EDIT;
    }
    for i in 1..=left {
        let mut next = [(DEAD, 0_usize); WIDTH];
        let mut alive = false;
        for at in 0..WIDTH {
            let Some(j) = (i + at).checked_sub(BAND).filter(|&j| j <= right) else {
                continue;
            };
            let mut best = (DEAD, 0);
            if j > 0 {
                let (score, matched) = row[at];
                best = match gain(i - 1, j - 1) {
                    0 => (score - EDIT, matched),
                    units => (score + units as i32, matched + 1),
                };
            }
            if at + 1 < WIDTH && row[at + 1].0 - EDIT > best.0 {
                best = (row[at + 1].0 - EDIT, row[at + 1].1);
            }
            if at > 0 && next[at - 1].0 - EDIT > best.0 {
                best = (next[at - 1].0 - EDIT, next[at - 1].1);
            }
            if best.0 < -lost {
                continue;
            }
            if best.0 >= LEAST_GAIN {
                return Extent {
                    a: i,
                    b: j,
                    matched: best.1,
                };
            }
            alive = true;
            next[at] = best;
        }
        if !alive {
            break;
        }
        row = next;
    }
    Extent::default()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(2000))]
        /// Where the fast look says no, the alignment that goes cell by cell finds none either.
        #[test]
        fn what_may_not_gain_is_not_bridged(a in letters(), b in letters(), shared in 0..40_usize, at in 0..20_usize, lost in 0..=MOST_LOST) {
            let mut b = b;
            let at = at.min(b.len());
            b.splice(at..at, a.iter().skip(3).take(shared).copied());
            let gain = |i: usize, j: usize| if a[i] == b[j] { units(a[i]) } else { 0 };
            let bridged = bridge(lost, a.len(), b.len(), gain);
            if !may_gain(lost, a.len(), b.len(), &|i| a[i], &|j| b[j]) {
                prop_assert_eq!(bridged, Extent::default());
            }
        }
    }

    /// What [`spans`] does, hit by hit: every earlier span and run is looked at.
    fn plain_spans(a: &[u32], b: &[u32], hits: &[(usize, usize)]) -> Vec<Aligned> {
        let (mut found, mut followed) = (Vec::<Aligned>::new(), Vec::<(usize, usize)>::new());
        for &(x, y) in hits {
            let on = |x: usize, y: usize| x + b.len() - y;
            let last = followed.iter().rev().find(|run| run.0 == on(x, y));
            if last.is_some_and(|run| x < run.1) || a[x] != b[y] {
                continue;
            }
            let (back, ahead) = (equal_back(&a[..x], b, y), equal(&a[x..], b, y));
            let (run_a, run_b) = (x - back..x + ahead, y - back..y + ahead);
            followed.push((on(x, y), run_a.end));
            if found.iter().any(|span| span.holds(&run_a, &run_b)) {
                continue;
            }
            let before = found.iter().map(|span| span.a.end).filter(|&end| end <= run_a.start);
            let left = run_a.start - before.max().unwrap_or(0);
            let gained = a[run_a.clone()].iter().map(|&id| units(id)).sum();
            let back = (|i| a[run_a.start - 1 - i], |j| b[run_b.start - 1 - j]);
            let earlier = extend(gained, left, run_b.start, back.0, back.1, |_, _| ());
            let ahead = (|i| a[run_a.end + i], |j| b[run_b.end + j]);
            let later = extend(
                gained,
                a.len() - run_a.end,
                b.len() - run_b.end,
                ahead.0,
                ahead.1,
                |i, j| {
                    let (x, y) = (run_a.end + i, run_b.end + j);
                    let back = equal_back(&a[..x], b, y);
                    if x - back >= run_a.start && y - back >= run_b.start {
                        followed.push((on(x, y), x));
                    }
                },
            );
            let span = Aligned {
                a: run_a.start - earlier.a..run_a.end + later.a,
                b: run_b.start - earlier.b..run_b.end + later.b,
                matched: run_a.len() + earlier.matched + later.matched,
            };
            found.retain(|other| !span.holds(&other.a, &other.b));
            found.push(span);
        }
        found.sort_by_key(|span| (span.a.start, span.b.start, span.a.end));
        chained(found)
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(500))]
        /// Spans are those of the plain way, whatever hits there are.
        #[test]
        fn spans_are_those_of_every_hit_by_itself(
            pieces in proptest::collection::vec(proptest::collection::vec(0..12_u32, 1..30), 1..5), order in proptest::collection::vec(0..5_usize, 2..12), least in 1..8_usize
        ) {
            let text = |order: &[usize]| -> Vec<u32> { order.iter().flat_map(|at| pieces[at % pieces.len()].clone()).collect() };
            let (a, b) = (text(&order[..order.len() / 2]), text(&order[order.len() / 2..]));
            let pairs = (0..a.len()).flat_map(|x| (0..b.len()).map(move |y| (x, y)));
            let hits: Vec<(usize, usize)> = pairs.filter(|&(x, y)| equal(&a[x..], &b[..], y) >= least).collect();
            prop_assert_eq!(spans(&a, &b[..], hits.iter().copied()), plain_spans(&a, &b, &hits));
        }
    }

    /// Letters of two kinds, some of them dense.
    fn letters() -> impl Strategy<Value = Vec<u32>> {
        let letter = prop_oneof![0..40_u32, (0..9_u32).prop_map(|id| id | 1 << 31)];
        proptest::collection::vec(letter, 0..90)
    }
}
