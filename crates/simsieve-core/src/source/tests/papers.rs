//! Files of folders whose text is read by other means.

use std::fs;
use std::path::Path;
use std::sync::Arc;

use tempfile::TempDir;

use super::{Parsed, parsed};
use crate::base::context::Context;
use crate::base::error::Result;
use crate::source::{Failure, Fields, PaperText, Papers, ReadPaper, SourceSpec, Sources};

/// Reads lines that begin with `!` as texts that fail.
#[derive(Debug)]
struct Upper;

impl ReadPaper for Upper {
    fn read(&self, path: &Path) -> Result<Vec<PaperText>> {
        let content = fs::read_to_string(path).unwrap();
        let one = |(at, line): (usize, &str)| {
            let failed = line
                .starts_with('!')
                .then(|| Failure::new("not_text", msg!("it is loud")));
            let part = if at == 0 { String::new() } else { format!("#{at}") };
            (failed.map_or_else(|| Ok(line.to_uppercase()), Err), part)
        };
        Ok(content.lines().enumerate().map(one).collect())
    }
}

/// Texts that other means read stand among those of the folder in its order, each with its name; what fails fails alone.
#[test]
fn papers_of_a_folder() {
    let folder = TempDir::new().unwrap();
    for (name, content) in [
        ("a.txt", "a"),
        ("b.odd", "one\ntwo"),
        ("c.ODD", "!c"),
        ("d.md", "d"),
        ("e.odd", ""),
        ("f.odd", "f"),
        ("~$f.odd", "owner"),
    ] {
        fs::write(folder.path().join(name), content).unwrap();
    }
    let spec = |most_records| SourceSpec {
        most_records,
        papers: Some(Papers {
            suffixes: vec![".odd".to_owned()],
            reader: Arc::new(Upper),
        }),
        ..SourceSpec::new(folder.path())
    };
    let open = |most_records| Sources::open(&[spec(most_records)], 1 << 20, &Context::silent(1)).unwrap();
    let store = open(usize::MAX);
    let all = |store: &Sources| -> Vec<Parsed> {
        (0..store.len())
            .map(|position| parsed(store, position, &Fields::default()))
            .collect()
    };
    let text = |text: &str, id: &str| Ok((text.to_owned(), Some(format!("\"{id}\""))));
    let path = folder.path().join("c.ODD");
    assert_eq!(
        all(&store),
        [
            text("a", "a.txt"),
            text("ONE", "b.odd"),
            text("TWO", "b.odd#1"),
            Err(("not_text", format!("{}: it is loud", path.display()))),
            text("d", "d.md"),
            text("F", "f.odd"),
        ]
    );
    assert_eq!(store.left_out().others.get("."), Some(&1));
    let mut read = Vec::new();
    store
        .fetch(&[0, 2, 5], 1 << 20, &mut Vec::new(), |at, bytes| {
            read.push((at, bytes.to_vec()));
            Ok(())
        })
        .unwrap();
    assert_eq!(read, [(0, b"a".to_vec()), (2, b"TWO".to_vec()), (5, b"F".to_vec())]);
    assert_eq!(all(&open(2).first(2)), [text("a", "a.txt"), text("ONE", "b.odd")]);
    fs::write(folder.path().join("f.odd"), "other").unwrap();
    assert!(store.check_unchanged().is_err());
}
