//! Bytes that nobody meant, to everything that reads what others wrote: the seeds of each law, and what a seeded
//! generator makes of them. `make fuzz` sends more, follows what the code does with them, and refuses an input that takes
//! 20 seconds.
#![allow(missing_docs)]

#[path = "hostile_bytes/mod.rs"]
mod laws;

use laws::{LAWS, Law};

/// How many changed inputs each law is given, and how long they may be.
const INPUTS: usize = 4000;
const MOST_BYTES: usize = 8192;
/// The law of dictionaries is given fewer in its quick form: each input takes a copy of the built-in dictionary, 16 MB.
const DICTIONARIES: usize = 400;

/// The finaliser of splitmix64 over a counter: enough to choose by, and the same everywhere.
struct Chooser(u64);

impl Chooser {
    fn below(&mut self, end: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut word = self.0;
        word = (word ^ (word >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        word = (word ^ (word >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        ((word ^ (word >> 31)) % end.max(1) as u64) as usize
    }

    /// Changes some bytes, in one way: flips, cuts, repeats, puts words in, joins with another seed.
    fn change(&mut self, bytes: &mut Vec<u8>, law: &Law, seeds: &[Vec<u8>]) {
        let (at, end) = (self.below(bytes.len() + 1), self.below(bytes.len() + 1));
        let (from, to) = (at.min(end), at.max(end));
        match self.below(9) {
            0 | 1 if at < bytes.len() => bytes[at] ^= 1 << self.below(8),
            2 if at < bytes.len() => bytes[at] = [0, 0xFF, 0x7F, 0x80, b'"'][self.below(5)],
            3 => bytes.truncate(at),
            4 => drop(bytes.drain(from..to.min(from + 16))),
            5 => {
                let piece = bytes[from..to].repeat(1 + self.below(6));
                bytes.splice(at..at, piece);
            }
            6 => {
                let other = &seeds[self.below(seeds.len())];
                bytes.truncate(at);
                bytes.extend(&other[self.below(other.len() + 1)..]);
            }
            _ => {
                let word = law.words[self.below(law.words.len())];
                let over = self.below(2) * word.len();
                bytes.splice(at..(at + over).min(bytes.len()), word.bytes());
            }
        }
        bytes.truncate(MOST_BYTES);
    }
}

fn send(law: &Law, bytes: &[u8]) {
    let held = std::panic::catch_unwind(|| (law.holds)(bytes));
    assert!(
        held.is_ok(),
        "the law {} does not hold for {:?}",
        law.name,
        bytes.escape_ascii().to_string()
    );
}

fn law(name: &str, inputs: usize) {
    let law = LAWS.iter().find(|law| law.name == name).unwrap();
    let seeds = (law.seeds)();
    for seed in &seeds {
        send(law, seed);
    }
    send(law, b"");
    let mut chooser = Chooser(7);
    for _ in 0..inputs {
        let mut bytes = seeds[chooser.below(seeds.len())].clone();
        for _ in 0..=chooser.below(4) {
            chooser.change(&mut bytes, law, &seeds);
        }
        send(law, &bytes);
    }
}

macro_rules! tests {
    ($($name:ident)*) => {
        $(#[test]
        fn $name() {
            let name = stringify!($name);
            law(name, if name == "dictionaries" { DICTIONARIES } else { INPUTS });
        })*

        #[test]
        fn every_law_has_its_test() {
            assert_eq!(LAWS.map(|law| law.name), [$(stringify!($name)),*]);
        }
    };
}

#[test]
#[ignore = "slow"]
fn dictionaries_in_full() {
    law("dictionaries", INPUTS);
}

tests! { jsonl lists tables encodings normaliser pages words stop_words own_stop_words dictionaries schemes artifacts models }
