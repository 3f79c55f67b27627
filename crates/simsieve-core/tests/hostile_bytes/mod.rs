//! What must hold whatever bytes come: a law for everything that reads what others wrote. A law is given any bytes and
//! panics where it does not hold; each has a few seeds to begin with.
//!
//! Two programs send bytes: the test `hostile_bytes`, with a fixed seed, and libFuzzer (`make fuzz`), which follows what the code does.

mod files;
mod lists;
mod sealed;
mod sources;
mod texts;

use std::fs;
use std::path::{Path, PathBuf};

use simsieve_core::base::error::Error;
use tempfile::TempDir;

/// A law, by its name.
pub struct Law {
    /// Its name.
    pub name: &'static str,
    /// What must not panic.
    pub holds: fn(&[u8]),
    /// Bytes to begin with.
    pub seeds: fn() -> Vec<Vec<u8>>,
    /// Pieces that are put into other bytes.
    pub words: &'static [&'static str],
}

/// All of them.
pub const LAWS: [Law; 13] = [
    Law {
        name: "jsonl",
        holds: sources::jsonl,
        seeds: sources::jsonl_seeds,
        words: sources::JSON_WORDS,
    },
    Law {
        name: "lists",
        holds: sources::lists,
        seeds: sources::list_seeds,
        words: sources::JSON_WORDS,
    },
    Law {
        name: "tables",
        holds: sources::tables,
        seeds: sources::table_seeds,
        words: sources::TABLE_WORDS,
    },
    Law {
        name: "encodings",
        holds: sources::encodings,
        seeds: sources::encoding_seeds,
        words: sources::TABLE_WORDS,
    },
    Law {
        name: "normaliser",
        holds: texts::normaliser,
        seeds: texts::normaliser_seeds,
        words: texts::CHARACTERS,
    },
    Law {
        name: "pages",
        holds: texts::pages,
        seeds: texts::page_seeds,
        words: texts::PAGE_WORDS,
    },
    Law {
        name: "words",
        holds: texts::words,
        seeds: texts::word_seeds,
        words: texts::CHARACTERS,
    },
    Law {
        name: "stop_words",
        holds: lists::stop_words,
        seeds: lists::stop_seeds,
        words: lists::WORDS,
    },
    Law {
        name: "own_stop_words",
        holds: lists::own_stop_words,
        seeds: lists::own_stop_seeds,
        words: lists::WORDS,
    },
    Law {
        name: "dictionaries",
        holds: lists::dictionaries,
        seeds: lists::dictionary_seeds,
        words: lists::WORDS,
    },
    Law {
        name: "schemes",
        holds: texts::schemes,
        seeds: texts::scheme_seeds,
        words: texts::SCHEME_WORDS,
    },
    Law {
        name: "artifacts",
        holds: files::artifacts,
        seeds: files::artifact_seeds,
        words: files::NUMBERS,
    },
    Law {
        name: "models",
        holds: files::models,
        seeds: files::model_seeds,
        words: files::NUMBERS,
    },
];

/// A folder for a law's files; each thread has one.
struct Room(TempDir);

impl Room {
    fn new() -> Self {
        // Where there is one, a folder in memory: a file that is written is synced.
        let memory = Path::new("/dev/shm");
        Self(
            if memory.is_dir() {
                TempDir::new_in(memory)
            } else {
                TempDir::new()
            }
            .unwrap(),
        )
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn write(&self, name: &str, bytes: &[u8]) -> PathBuf {
        fs::write(self.path(name), bytes).unwrap();
        self.path(name)
    }
}

thread_local! {
    static ROOM: Room = Room::new();
}

/// Bytes that others wrote may be refused, and the message then says something; they may do nothing else.
fn refused(error: &Error) {
    let told = error.to_string();
    let kinds = matches!(
        error,
        Error::Source { .. } | Error::Config(_) | Error::Digest { .. } | Error::Resume(_)
    );
    assert!(kinds, "{error:?}");
    assert!(told.len() > 10 && told.len() < 4096, "{told:?}");
}

/// The first byte chooses, the rest is what it is chosen for.
fn choose<'a, T: Copy>(bytes: &'a [u8], of: &[T]) -> (T, &'a [u8]) {
    match bytes.split_first() {
        Some((first, rest)) => (of[usize::from(*first) % of.len()], rest),
        None => (of[0], bytes),
    }
}
