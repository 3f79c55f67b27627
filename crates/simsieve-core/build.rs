//! Finds the data of Chinese segmentation and of Traditional Chinese and gives the compiler their paths.
//!
//! The dictionary, the document frequencies and the tables of the two hidden Markov models are those of jieba (MIT).
//! They are no part of this project. They are text files in the sources of the crates `jieba-rs` and `jieba-macros`
//! (MIT). Both are build dependencies, so cargo has fetched and checked them before this script runs.
//! `src/segment/data.rs` includes them from there. `src/text/traditional/data.rs` does the same with the tables of
//! `OpenCC` (Apache-2.0), which are unchanged in the source of the crate `zhhz` (Apache-2.0).
//!
//! The document frequencies name nearly every word of the dictionary once more, each with a number of twelve digits.
//! They are compiled in without these words: 5 MB less in the module, and 1.7 MB less in a wheel.
//!
//! Three places are searched, in this order. First the folders that the environment names `SIMSIEVE_JIEBA` and
//! `SIMSIEVE_OPENCC` give, for builds without cargo. Then what `cargo metadata` lists without the network, which
//! includes vendored sources. Then cargo's own cache.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs};

/// A crate that has data.
struct Holder {
    name: &'static str,
    version: &'static str,
    /// The environment name of a folder that holds its source.
    folder: &'static str,
    /// Its files: the name of the variable for `include_str!`, and the place.
    files: &'static [(&'static str, &'static str)],
}

const HOLDERS: [Holder; 3] = [
    Holder {
        name: "jieba-rs",
        version: "0.11.0",
        folder: "SIMSIEVE_JIEBA",
        files: &[
            ("SIMSIEVE_JIEBA_WORDS", "src/data/dict.txt"),
            // Of the tests alone: see `write_frequencies`.
            ("SIMSIEVE_JIEBA_IDF", "src/data/idf.txt"),
            ("SIMSIEVE_JIEBA_TAGS", "src/data/posseg.txt"),
        ],
    },
    Holder {
        name: "jieba-macros",
        version: "0.11.0",
        folder: "SIMSIEVE_JIEBA",
        files: &[("SIMSIEVE_JIEBA_STATES", "src/hmm.model")],
    },
    Holder {
        name: "zhhz",
        version: "0.8.2",
        folder: "SIMSIEVE_OPENCC",
        files: &[
            ("SIMSIEVE_OPENCC_CHARACTERS", "data/dictionary/TSCharacters.txt"),
            ("SIMSIEVE_OPENCC_VARIANTS", "data/dictionary/TWVariants.txt"),
            ("SIMSIEVE_OPENCC_WORDS", "data/dictionary/TWPhrasesRev.txt"),
        ],
    },
];

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    let metadata = metadata();
    for holder in HOLDERS {
        let Holder {
            name,
            version,
            folder: named,
            files,
        } = holder;
        println!("cargo:rerun-if-env-changed={named}");
        let folder = named_folder(named, name, version)
            .or_else(|| folder_in(metadata.as_ref()?, name, version))
            .or_else(|| cached_folder(name, version))
            .filter(|folder| files.iter().all(|(_, file)| folder.join(file).is_file()));
        let Some(folder) = folder else {
            panic!(
                "the source of the crate {name} {version}, which holds data that are compiled in, is not found, neither by \
                 `cargo metadata --offline` nor below CARGO_HOME; set {named} to a folder that holds {name}-{version}"
            );
        };
        for (variable, file) in files {
            let path = folder.join(file);
            println!("cargo:rustc-env={variable}={}", path.display());
            println!("cargo:rerun-if-changed={}", path.display());
        }
        if name == "jieba-rs" {
            write_frequencies(&folder);
        }
    }
}

/// Writes the document frequencies of jieba in the order of the dictionary's words: `idf.values` has the different
/// values, a line each; `idf.places` has for each word the number of its value's line, from 1 and 0 for none, in two
/// bytes; `idf.others` has lines `word idf` of the words that the dictionary lacks.
fn write_frequencies(jieba: &Path) {
    let read = |file| fs::read_to_string(jieba.join(file)).expect("a file of the crate");
    let (words, frequencies) = (read("src/data/dict.txt"), read("src/data/idf.txt"));
    let mut left: HashMap<&str, &str> = frequencies.lines().filter_map(|line| line.split_once(' ')).collect();
    let mut values: Vec<&str> = left.values().copied().collect();
    values.sort_unstable();
    values.dedup();
    let place = |value| values.binary_search(&value).expect("a value of the list") + 1;
    let places = words.lines().map(|line| {
        line.split(' ')
            .next()
            .and_then(|word| left.remove(word))
            .map_or(0, place)
    });
    let places: Vec<u8> = places
        .flat_map(|at| u16::try_from(at).expect("few values").to_le_bytes())
        .collect();
    let mut others: Vec<String> = left.iter().map(|(word, value)| format!("{word} {value}\n")).collect();
    others.sort_unstable();
    let made = PathBuf::from(env::var_os("OUT_DIR").expect("cargo gives a folder"));
    let write = |name, bytes: &[u8]| fs::write(made.join(name), bytes).expect("cargo's folder takes files");
    write("idf.values", values.join("\n").as_bytes());
    write("idf.places", &places);
    write("idf.others", others.concat().as_bytes());
}

/// The folder that the user names.
fn named_folder(variable: &str, name: &str, version: &str) -> Option<PathBuf> {
    Some(Path::new(&env::var_os(variable)?).join(format!("{name}-{version}")))
}

/// What cargo knows of all packages of this build; none where it would need the network for that.
fn metadata() -> Option<serde_json::Value> {
    let manifest = Path::new(&env::var_os("CARGO_MANIFEST_DIR")?).join("Cargo.toml");
    let answer = Command::new(env::var_os("CARGO")?)
        .args(["metadata", "--format-version=1", "--offline", "--filter-platform"])
        .arg(env::var_os("TARGET")?)
        .arg("--manifest-path")
        .arg(manifest)
        .output()
        .ok()?;
    serde_json::from_slice(&answer.stdout).ok()
}

fn folder_in(metadata: &serde_json::Value, name: &str, version: &str) -> Option<PathBuf> {
    let packages = metadata["packages"].as_array()?;
    let package = packages
        .iter()
        .find(|package| package["name"] == name && package["version"] == version)?;
    Some(Path::new(package["manifest_path"].as_str()?).parent()?.to_owned())
}

/// The place where cargo unpacks what it fetches from a registry.
fn cached_folder(name: &str, version: &str) -> Option<PathBuf> {
    let home = env::var_os("CARGO_HOME").map(PathBuf::from);
    let home = home.or_else(|| Some(env::home_dir()?.join(".cargo")))?;
    fs::read_dir(home.join("registry").join("src"))
        .ok()?
        .filter_map(|registry| Some(registry.ok()?.path().join(format!("{name}-{version}"))))
        .find(|folder| folder.is_dir())
}
