//! The hot loops, each in a function of its own, for a tool that counts instructions: `tools/counts.py` runs this under
//! Callgrind. Functions of equal code would be made one; so they have their names in it. The texts are invented and the same on every machine. Prints the bytes that each loop was given.
#![allow(missing_docs)]

use std::hint::black_box;

use simsieve_core::base::hash::mix;
use simsieve_core::base::kernel::Kernel;
use simsieve_core::encode::fingerprint::Sums;
use simsieve_core::encode::paths::{Fates, PathScratch, Paths, Rarity, Rates};
use simsieve_core::encode::scheme::{Scheme, Scratch};
use simsieve_core::encode::sketch::{self, SKETCH_WORDS};
use simsieve_core::encode::tokenize::windows::{Features, Window};
use simsieve_core::hamming::within;
use simsieve_core::text::{Compact, Normaliser};

const DOCUMENTS: u64 = 40;

/// Words of two to ten letters, some of them more often than others, with a capital and a full stop now and then.
fn letters(document: u64) -> String {
    let mut text = String::new();
    for at in 0..400 {
        let rank = mix(document << 20 | at) % 2000;
        let word = rank * (mix(at) % 2000) / 2000;
        let mut letters: String = (0..2 + mix(word) % 9)
            .map(|i| char::from(b'a' + (mix(word << 8 | i) % 26) as u8))
            .collect();
        if rank.is_multiple_of(16) {
            text.push_str("the. ");
            letters[..1].make_ascii_uppercase();
        }
        text += &letters;
        text.push(' ');
    }
    text
}

/// Chinese characters with punctuation of their width, and a few words of letters.
fn characters(document: u64) -> String {
    (0..700)
        .map(|at| match mix(document << 20 | at) % 100 {
            0..5 => '，',
            5..8 => '。',
            8..12 => 'k',
            rank => char::from_u32(0x4E00 + (mix((rank << 8) | (mix(at) % 16)) % 3000) as u32).unwrap_or('一'),
        })
        .collect()
}

#[inline(never)]
fn normalise_letters(normaliser: &Normaliser, texts: &[String], out: &mut Compact) {
    black_box("normalise_letters");
    for text in texts {
        normaliser.run(text, out);
    }
}

#[inline(never)]
fn normalise_characters(normaliser: &Normaliser, texts: &[String], out: &mut Compact) {
    black_box("normalise_characters");
    for text in texts {
        normaliser.run(text, out);
    }
}

#[inline(never)]
fn windows_of_letters(kernel: Kernel, texts: &[Compact], features: &mut Features, marks: &mut Vec<u32>) {
    black_box("windows_of_letters");
    for text in texts {
        features.collect_by(kernel, text, Window::Units(6), false, marks);
    }
}

#[inline(never)]
fn windows_of_characters(kernel: Kernel, texts: &[Compact], features: &mut Features, marks: &mut Vec<u32>) {
    black_box("windows_of_characters");
    for text in texts {
        features.collect_by(kernel, text, Window::Units(6), false, marks);
    }
}

#[inline(never)]
fn counted_windows(kernel: Kernel, texts: &[Compact], features: &mut Features, marks: &mut Vec<u32>) {
    for text in texts {
        features.collect_by(kernel, text, Window::Chars(3), true, marks);
    }
}

#[inline(never)]
fn bits_of_equal_weights(kernel: Kernel, hashes: &[Vec<u64>], sums: &mut Sums) {
    for hashes in hashes {
        sums.once(kernel, hashes, 128);
    }
}

#[inline(never)]
fn bits_of_weights(kernel: Kernel, hashes: &[Vec<u64>], weights: &[u32], sums: &mut Sums) {
    for hashes in hashes {
        sums.weighted(kernel, hashes, &weights[..hashes.len()], 256, 128);
    }
}

#[inline(never)]
fn sketches(kernel: Kernel, hashes: &[Vec<u64>], sums: &mut Sums, out: &mut [u64]) {
    for hashes in hashes {
        sketch::write(kernel, hashes, &[], sums, out);
    }
}

#[inline(never)]
fn words_one_by_one(scheme: &Scheme, texts: &[String], scratch: &mut Scratch) {
    black_box("words_one_by_one");
    for text in texts {
        scheme.extract(text, scratch).expect("texts are never refused");
    }
}

#[inline(never)]
fn words_in_rows(scheme: &Scheme, texts: &[String], scratch: &mut Scratch) {
    black_box("words_in_rows");
    for text in texts {
        scheme.extract(text, scratch).expect("texts are never refused");
    }
}

#[inline(never)]
fn distances(kernel: Kernel, rows: &[u64], out: &mut Vec<u32>) {
    for own in &rows.as_chunks::<2>().0[..64] {
        within(kernel, own, rows, 10, out);
    }
}

#[inline(never)]
fn sketch_distances(kernel: Kernel, sketches: &[u64], out: &mut Vec<u32>) {
    for own in sketches.chunks(SKETCH_WORDS).take(64) {
        within(kernel, own, sketches, 180, out);
    }
}

#[inline(never)]
fn search_keys(kernel: Kernel, paths: &Paths, hashes: &[Vec<u64>], scratch: &mut PathScratch, out: &mut Vec<u64>) {
    for hashes in hashes {
        out.clear();
        paths.keys(kernel, hashes, &[], scratch, out);
    }
}

fn main() {
    let kernel = Kernel::active();
    let tell = |name: &str, bytes: usize| println!("{name}\t{bytes}");
    let english: Vec<String> = (0..DOCUMENTS).map(letters).collect();
    let chinese: Vec<String> = (0..DOCUMENTS).map(characters).collect();
    let size = |texts: &[String]| texts.iter().map(String::len).sum::<usize>();
    let normaliser = Normaliser::with_kernel(false, kernel);
    let forms = |texts: &[String]| -> Vec<Compact> {
        let form = |text: &String| {
            let mut out = Compact::default();
            normaliser.run(text, &mut out);
            out
        };
        texts.iter().map(form).collect()
    };
    let (compact_english, compact_chinese) = (forms(&english), forms(&chinese));
    let (mut out, mut features, mut marks) = (Compact::default(), Features::default(), Vec::new());
    let hashes: Vec<Vec<u64>> = compact_english
        .iter()
        .map(|text| {
            features.collect_by(kernel, text, Window::Units(6), false, &mut marks);
            features.hashes().to_vec()
        })
        .collect();
    let in_hashes: usize = hashes.iter().map(|hashes| hashes.len() * 8).sum();
    let (mut sums, mut sketch) = (Sums::default(), [0; SKETCH_WORDS]);
    let paths = Paths {
        rates: Rates {
            first: 6,
            further: 2.4,
            even: 0,
        },
        rarity: Rarity::count(&hashes.iter().map(Vec::as_slice), in_hashes / 8).expect("memory for counts"),
        fates: Fates::default(),
        mean_keys: 0.0,
    };
    let weights: Vec<u32> = (0..100_000).map(|i| 256 + 100 * (mix(i) % 4 / 3) as u32).collect();
    let rows: Vec<u64> = (0..4000).map(mix).collect();
    let sketches_there: Vec<u64> = (0..8 * 2000).map(mix).collect();
    let mut found = Vec::new();

    normalise_letters(&normaliser, &english, &mut out);
    tell("normalise_letters", size(&english));
    normalise_characters(&normaliser, &chinese, &mut out);
    tell("normalise_characters", size(&chinese));
    windows_of_letters(kernel, &compact_english, &mut features, &mut marks);
    tell("windows_of_letters", size(&english));
    windows_of_characters(kernel, &compact_chinese, &mut features, &mut marks);
    tell("windows_of_characters", size(&chinese));
    counted_windows(kernel, &compact_english, &mut features, &mut marks);
    tell("counted_windows", size(&english));
    bits_of_equal_weights(kernel, &hashes, &mut sums);
    tell("bits_of_equal_weights", in_hashes);
    bits_of_weights(kernel, &hashes, &weights, &mut sums);
    tell("bits_of_weights", in_hashes);
    sketches(kernel, &hashes, &mut sums, &mut sketch);
    tell("sketches", in_hashes);
    distances(kernel, &rows, &mut found);
    tell("distances", 64 * rows.len() * 8);
    sketch_distances(kernel, &sketches_there, &mut found);
    tell("sketch_distances", 64 * sketches_there.len() * 8);
    let mut keys = Vec::new();
    search_keys(kernel, &paths, &hashes, &mut PathScratch::default(), &mut keys);
    tell("search_keys", in_hashes);
    let mut scratch = Scratch::default();
    words_one_by_one(&Scheme::parse("words64").expect("a scheme"), &english, &mut scratch);
    tell("words_one_by_one", size(&english));
    words_in_rows(&Scheme::parse("words64:n=3").expect("a scheme"), &english, &mut scratch);
    tell("words_in_rows", size(&english));
    black_box((&out, &features, &sums, &sketch, &found, &keys));
}
