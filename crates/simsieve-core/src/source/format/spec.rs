//! A source as the user names it.

use std::borrow::Cow;
use std::collections::HashSet;
use std::fmt;
use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::sync::Arc;

use regex::Regex;

use super::Format;
use super::encoding::EncodingChoice;
use crate::base::error::{Error, Result};
use crate::source::failure::Failure;
use crate::source::identity::Inode;

/// Whether the quotes of tables are around fields.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Quoting {
    /// By what fails, or is swallowed, under each reading.
    #[default]
    Auto,
    /// They are, where a field begins with one.
    Minimal,
    /// They are data.
    None,
}

impl FromStr for Quoting {
    type Err = Error;

    fn from_str(name: &str) -> Result<Self> {
        match name {
            "auto" => Ok(Self::Auto),
            "minimal" => Ok(Self::Minimal),
            "none" => Ok(Self::None),
            _ => Err(Error::Config(msg!(
                "quoting {name:?} is not known; allowed are auto, minimal and none"
            ))),
        }
    }
}

/// What reads the text of files that the core cannot read, such as those of Word.
pub trait ReadPaper: fmt::Debug + Send + Sync {
    /// Gives the texts of a file that has one of the endings, or why they fail. Each has what its name has behind that of the file;
    /// a file with one text has nothing there.
    ///
    /// # Errors
    /// What ends the run.
    fn read(&self, path: &Path) -> Result<Vec<PaperText>>;
}

/// One text of a file, or why it fails, and what its name has behind that of the file.
pub type PaperText = (std::result::Result<String, Failure>, String);

/// Files whose text is read by other means.
#[derive(Debug, Clone)]
pub struct Papers {
    /// The endings of their names, in lower case.
    pub suffixes: Vec<String>,
    /// What reads them.
    pub reader: Arc<dyn ReadPaper>,
}

/// One source as the user names it.
#[derive(Debug, Clone)]
pub struct SourceSpec {
    /// The file, or `-` for standard input.
    pub path: PathBuf,
    /// The format where the user gave one; otherwise the name decides, and standard input is JSON lines.
    pub format: Option<Format>,
    /// The encoding of its bytes.
    pub encoding: EncodingChoice,
    /// Of a folder, the encodings of files by patterns of their names; the first that matches counts before `encoding`.
    pub encodings: Vec<(Pattern, EncodingChoice)>,
    /// The sign between the fields of a table; where none is given, that of `.csv` is found.
    pub delimiter: Option<u8>,
    /// Whether the quotes of a table are around fields.
    pub quoting: Quoting,
    /// Reading may stop when this many records are found; others may follow, whole or in part. A folder is read whole.
    pub most_records: usize,
    /// Where its bytes are, if not in `path`: the copy of an object of a store. The name gives format and compression.
    pub copy: Option<PathBuf>,
    /// The folder of the temporary file that it is copied to where it cannot be read in place; that of the system where there is none.
    pub spool_in: Option<PathBuf>,
    /// The file was made of records in memory: messages name the record by its index, and not the file.
    pub of_memory: bool,
    /// The endings of the files of a folder that are documents, in lower case; those of texts and pages where there are none.
    pub suffixes: Vec<String>,
    /// Files that a folder leaves out, because other sources of the run have them.
    pub taken: Arc<HashSet<Inode>>,
    /// The file is one document, named from this folder on.
    pub below: Option<PathBuf>,
    /// Files of a folder whose text is read by other means.
    pub papers: Option<Papers>,
}

impl SourceSpec {
    /// A source whose name gives its format.
    pub fn new(path: impl Into<PathBuf>) -> Self {
        Self {
            path: path.into(),
            format: None,
            encoding: EncodingChoice::Utf8,
            encodings: Vec::new(),
            delimiter: None,
            quoting: Quoting::Auto,
            most_records: usize::MAX,
            copy: None,
            spool_in: None,
            of_memory: false,
            suffixes: Vec::new(),
            taken: Arc::default(),
            below: None,
            papers: None,
        }
    }

    /// The encoding of a file with this name.
    pub fn encoding_of(&self, path: &Path) -> EncodingChoice {
        let found = self.encodings.iter().find(|(pattern, _)| pattern.matches(path));
        found.map_or(self.encoding, |(_, encoding)| *encoding)
    }

    /// The file that is read.
    pub fn place(&self) -> &Path {
        self.copy.as_deref().unwrap_or(&self.path)
    }
}

/// A pattern of file names, with `*`, `?` and `[...]`: of a path, or of its last part where the pattern has no slash.
#[derive(Debug, Clone)]
pub struct Pattern {
    /// `None` of a set that is none, such as `[z-a]`: it matches nothing.
    regex: Option<Regex>,
    has_slash: bool,
}

impl Pattern {
    /// The pattern.
    pub fn new(pattern: &str) -> Self {
        let mut regex = String::from("(?s)^");
        let mut rest = pattern.chars();
        while let Some(sign) = rest.next() {
            match sign {
                '*' => regex.push_str(".*"),
                '?' => regex.push('.'),
                '[' if rest.clone().skip(1).any(|sign| sign == ']') => {
                    let set: String = rest.by_ref().take_while(|&sign| sign != ']').collect();
                    let (not, set) = set.strip_prefix('!').map_or(("", &*set), |set| ("^", set));
                    regex.extend(["[", not]);
                    for sign in set.chars() {
                        if r"\[^&~".contains(sign) {
                            regex.push('\\');
                        }
                        regex.push(sign);
                    }
                    regex.push(']');
                }
                sign => regex.push_str(&regex::escape(&sign.to_string())),
            }
        }
        Self {
            regex: Regex::new(&(regex + "$")).ok(),
            has_slash: pattern.contains('/'),
        }
    }

    /// Whether it matches a path.
    pub fn matches(&self, path: &Path) -> bool {
        let is_like = |name: Cow<'_, str>| self.regex.as_ref().is_some_and(|regex| regex.is_match(&name));
        is_like(path.to_string_lossy())
            || !self.has_slash && is_like(path.file_name().unwrap_or_default().to_string_lossy())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pattern_matches_a_path_or_its_last_part() {
        for (pattern, path, wanted) in [
            ("*.csv", "in/a.csv", true),
            ("*.csv", "in/a.csv.gz", false),
            ("in/*", "in/b/a.csv", true),
            ("?.csv", "in/ab.csv", false),
            ("[!b-d].txt", "a.txt", true),
            ("[!b-d].txt", "c.txt", false),
            ("a[1].txt", "a1.txt", true),
            ("a[.txt", "a[.txt", true),
            ("a.c", "abc", false),
            ("旧*", "in/旧文.txt", true),
            ("[旧新]*.txt", "in/旧文.txt", true),
            ("[^a].txt", "^.txt", true),
            ("[^a].txt", "b.txt", false),
            ("[a&&b].txt", "a.txt", true),
            ("[z-a].txt", "z.txt", false),
        ] {
            assert_eq!(
                Pattern::new(pattern).matches(Path::new(path)),
                wanted,
                "{pattern} {path}"
            );
        }
    }
}
