//! The laws of `tests/hostile_bytes`, driven by libFuzzer: it measures what code an input reaches and goes on from those that
//! reach more. `SIMSIEVE_LAW` names the law; without it their names are listed, and with `SIMSIEVE_SEEDS` the seeds go to that folder.
#![no_main]

#[path = "../../tests/hostile_bytes/mod.rs"]
mod laws;

use std::path::Path;
use std::sync::OnceLock;
use std::{env, fs, process};

use laws::{LAWS, Law};
use libfuzzer_sys::fuzz_target;

static LAW: OnceLock<&Law> = OnceLock::new();

/// Finds the law that is asked for; with no such law, or where only seeds are wanted, the program ends here.
fn prepare() {
    static ALL: [Law; LAWS.len()] = LAWS;
    let name = env::var("SIMSIEVE_LAW").unwrap_or_default();
    let Some(law) = ALL.iter().find(|law| law.name == name) else {
        ALL.iter().for_each(|law| println!("{}", law.name));
        process::exit(0);
    };
    if let Some(folder) = env::var_os("SIMSIEVE_SEEDS") {
        for (number, seed) in (law.seeds)().iter().enumerate() {
            fs::write(Path::new(&folder).join(format!("seed-{number}")), seed).expect("the folder takes files");
        }
        let quoted = |word: &&str| {
            format!(
                "\"{}\"\n",
                word.bytes().map(|byte| format!("\\x{byte:02x}")).collect::<String>()
            )
        };
        let words: String = law.words.iter().map(quoted).collect();
        fs::write(Path::new(&folder).with_extension("words"), words).expect("the folder above takes files");
        process::exit(0);
    }
    LAW.set(law).ok();
}

fuzz_target!(
    init: prepare(),
    |bytes: &[u8]| if let Some(law) = LAW.get() {
        (law.holds)(bytes);
    }
);
