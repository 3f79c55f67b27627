//! What keys find, and what the filters behind let pass.

use std::time::Instant;

use simsieve_core::base::hash::word;

use crate::corpus::Corpus;
use crate::paths::Keys;

const WORDS: usize = 8;

/// The SimHash of a text, of 512 bits.
fn simhash(features: &[u64]) -> [u64; WORDS] {
    let mut out = [0; WORDS];
    for (k, out) in out.iter_mut().enumerate() {
        let mut sums = [0_i32; 64];
        for &hash in features {
            let word = word(hash, k);
            for (bit, sum) in sums.iter_mut().enumerate() {
                *sum += (2 * ((word >> bit) & 1) as i32) - 1;
            }
        }
        for (bit, sum) in sums.into_iter().enumerate() {
            *out |= u64::from(sum > 0) << bit;
        }
    }
    out
}

/// How many standard deviations the filter leaves: 3.1 for one near pair in a thousand.
fn miss() -> f64 {
    std::env::var("MISS").map_or(3.1, |text| text.parse().expect("a number"))
}

/// Bits out of `width` that a pair at this cosine exceeds with a small chance, by the normal law.
fn most_bits(width: f64, similarity: f64) -> u32 {
    let share = similarity.acos() / std::f64::consts::PI;
    (width * share + miss() * (width * share * (1.0 - share)).sqrt()).ceil() as u32
}

/// The columns of the row that each variant prints.
pub const HEADER: &str = "| variant | keys made / shared a text | pairs tested | verified | recall, all | recall, within .05 above |";

/// The SimHashes of all texts.
pub fn simhashes(corpus: &Corpus) -> Vec<[u64; WORDS]> {
    (0..corpus.len()).map(|row| simhash(corpus.of(row))).collect()
}

/// The interval of Wilson at 95 % for a share.
fn wilson(found: usize, of: usize) -> (f64, f64) {
    let (n, z2) = (of.max(1) as f64, 1.96_f64.powi(2));
    let share = found as f64 / n;
    let middle = (share + z2 / (2.0 * n)) / (1.0 + z2 / n);
    let half = (z2 * (share * (1.0 - share) / n + z2 / (4.0 * n * n))).sqrt() / (1.0 + z2 / n);
    (middle - half, (middle + half).min(1.0))
}

/// A share with its interval, as cells of tables have it.
fn cell((found, of): (usize, usize)) -> String {
    let (from, to) = wilson(found, of);
    format!("{:.4} ({from:.4} to {to:.4}) of {of}", found as f64 / of.max(1) as f64)
}

pub fn report(name: &str, corpus: &Corpus, hashes: &[[u64; WORDS]], mut found: Keys, similarity: f64) {
    let start = Instant::now();
    let n = corpus.len() as f64;
    let made = found.keys.len();
    found.keys.sort_unstable();
    let sorted = start.elapsed().as_secs_f64();
    let bits = [128.0, 256.0, 512.0].map(|width| most_bits(width, similarity));
    let (mut kept, mut largest, mut family_rows, mut met) = (0_u64, 0, 0_u64, 0_u64);
    let mut passed = [0_u64; 3];
    let mut edges = Vec::new();
    let start = Instant::now();
    for bucket in found.keys.chunk_by(|a, b| a.0 == b.0).filter(|bucket| bucket.len() > 1) {
        kept += bucket.len() as u64;
        if found.families.contains(&bucket[0].0) {
            family_rows += bucket.len() as u64;
            continue;
        }
        largest = largest.max(bucket.len());
        if bucket.len() > 5000 {
            met += (bucket.len() * (bucket.len() - 1) / 2) as u64;
            continue;
        }
        for (at, &(_, b)) in bucket.iter().enumerate() {
            for &(_, a) in &bucket[..at] {
                met += 1;
                let (x, y) = (&hashes[a as usize], &hashes[b as usize]);
                let mut distance = 0;
                for (at, width) in [0..2, 2..4, 4..8].into_iter().enumerate() {
                    distance += width.map(|k| (x[k] ^ y[k]).count_ones()).sum::<u32>();
                    if distance > bits[at] {
                        break;
                    }
                    passed[at] += 1;
                    if at == 2 {
                        edges.push((a, b));
                    }
                }
            }
        }
    }
    let walked = start.elapsed().as_secs_f64();
    let edges_met = edges.len();
    edges.sort_unstable();
    edges.dedup();
    let near = edges
        .iter()
        .filter(|(a, b)| corpus.cosine(*a, *b) >= similarity)
        .count();
    println!(
        "  keys {:.1} made {:.1} shared a text; pairs {:.1} a text, largest {largest}, family rows {family_rows}; pass {:.3} {:.4} {:.4} a text, \
         {:.4} distinct, {:.4} near; sorted {:.2} us, walked {:.2} us a text",
        made as f64 / n,
        kept as f64 / n,
        met as f64 / n,
        passed[0] as f64 / n,
        passed[1] as f64 / n,
        edges_met as f64 / n,
        edges.len() as f64 / n,
        near as f64 / n,
        1e6 * sorted / n,
        1e6 * walked / n
    );
    decide(corpus, &found, &edges, hashes, bits[2], similarity);
    // Recall of the planted pairs.
    let mut by_row: Vec<(u32, u64)> = found.keys.iter().map(|&(key, row)| (row, key)).collect();
    by_row.sort_unstable();
    let keys_of = |row: u32| {
        let start = by_row.partition_point(|&(other, _)| other < row);
        let end = by_row.partition_point(|&(other, _)| other <= row);
        by_row[start..end].iter().map(|&(_, key)| key)
    };
    let bins = [(0.0, 0.05), (0.05, 0.15), (0.15, 1.0)];
    let mut counts = [(0, 0); 3];
    for &(a, b) in &corpus.pairs {
        let cosine = corpus.cosine(a, b);
        if let Some(bin) = bins
            .iter()
            .position(|(from, to)| cosine >= similarity + from && cosine < similarity + to)
        {
            let own: std::collections::HashSet<u64> = keys_of(a).collect();
            counts[bin].0 += usize::from(keys_of(b).any(|key| own.contains(&key)));
            counts[bin].1 += 1;
        }
    }
    let all = counts.iter().fold((0, 0), |sum, bin| (sum.0 + bin.0, sum.1 + bin.1));
    println!(
        "  recall {}; within .05 above {}, .15 {}, beyond {}",
        cell(all),
        cell(counts[0]),
        cell(counts[1]),
        cell(counts[2])
    );
    println!(
        "| {name} | {:.1} / {:.1} | {:.1} | {:.2} | {} | {} |",
        made as f64 / n,
        kept as f64 / n,
        met as f64 / n,
        edges.len() as f64 / n,
        cell(all),
        cell(counts[0])
    );
}

/// Walks the rows: kept members of families and edges are candidates. Then holds a sample of the kept rows against all kept ones.
fn decide(corpus: &Corpus, found: &Keys, edges: &[(u32, u32)], hashes: &[[u64; WORDS]], most: u32, similarity: f64) {
    let n = corpus.len();
    let mut by_later = edges.to_vec();
    by_later.sort_unstable_by_key(|&(a, b)| (b, a));
    let mut families: Vec<(u32, u64)> = found
        .keys
        .iter()
        .filter(|(key, _)| found.families.contains(key))
        .map(|&(key, row)| (row, key))
        .collect();
    families.sort_unstable();
    let mut members: std::collections::HashMap<u64, Vec<u32>> = Default::default();
    let (mut edge, mut family) = (0, 0);
    let mut kept = vec![false; n];
    let (mut verified, mut tested, mut widest) = (0_u64, 0_u64, 0);
    let start = Instant::now();
    for row in 0..n as u32 {
        let mut candidates = Vec::new();
        while edge < by_later.len() && by_later[edge].1 == row {
            if kept[by_later[edge].0 as usize] {
                candidates.push(by_later[edge].0);
            }
            edge += 1;
        }
        let first = family;
        while family < families.len() && families[family].0 == row {
            for &other in members.get(&families[family].1).into_iter().flatten() {
                tested += 1;
                if distance(&hashes[other as usize], &hashes[row as usize]) <= most {
                    candidates.push(other);
                }
            }
            family += 1;
        }
        candidates.sort_unstable();
        candidates.dedup();
        candidates.sort_by_key(|&other| distance(&hashes[other as usize], &hashes[row as usize]));
        let near = candidates.iter().any(|&other| {
            verified += 1;
            corpus.cosine(other, row) >= similarity
        });
        kept[row as usize] = !near;
        if !near {
            for &(_, key) in &families[first..family] {
                let list = members.entry(key).or_default();
                list.push(row);
                widest = widest.max(list.len());
            }
        }
    }
    let seconds = start.elapsed().as_secs_f64();
    let rows: Vec<u32> = (0..n as u32).filter(|&row| kept[row as usize]).collect();
    let mut chance = crate::corpus::Chance::new(11);
    let samples = 200.min(rows.len());
    let mut missed = 0;
    for _ in 0..samples {
        let at = chance.below(rows.len());
        missed += usize::from(rows[..at].iter().any(|&other| {
            distance(&hashes[other as usize], &hashes[rows[at] as usize]) <= most
                && corpus.cosine(other, rows[at]) >= similarity
        }));
    }
    let dropped = n - rows.len();
    let recall = |share: f64| dropped as f64 / (dropped as f64 + rows.len() as f64 * share);
    let (least, most_missed) = wilson(missed, samples);
    println!(
        "  kept {} of {n}, {missed} of {samples} kept are near an earlier one: recall {:.4} ({:.4} to {:.4}); {:.3} verified, {:.2} family members tested a text, \
         most kept in a family {widest}; decided in {:.2} us",
        rows.len(),
        recall(missed as f64 / samples as f64),
        recall(most_missed),
        recall(least),
        verified as f64 / n as f64,
        tested as f64 / n as f64,
        1e6 * seconds / n as f64
    );
}

fn distance(x: &[u64; WORDS], y: &[u64; WORDS]) -> u32 {
    x.iter().zip(y).map(|(x, y)| (x ^ y).count_ones()).sum()
}
