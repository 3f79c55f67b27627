//! Files whose text a function of Python reads.

use std::path::Path;
use std::sync::Arc;

use pyo3::prelude::*;
use simsieve_core::base::error::{Error, Result};
use simsieve_core::base::message::Message;
use simsieve_core::source::{FAILURE_CODES, Failure, PaperText, Papers, ReadPaper};

use crate::door::Session;

/// The files with these endings, which a function reads: for each text of a file it gives the text, or a code and the reason why there
/// is none, and what the name has behind that of the file.
pub fn papers((suffixes, function): (Vec<String>, Py<PyAny>)) -> Papers {
    Papers {
        suffixes,
        reader: Arc::new(Reader { function }),
    }
}

#[derive(Debug)]
struct Reader {
    function: Py<PyAny>,
}

/// A message of Python, from its JSON; a text that is none is its own message.
fn reason(why: &str) -> Message {
    let read = serde_json::from_str(why).ok();
    read.and_then(|json| Message::from_json(&json))
        .unwrap_or_else(|| Message::text(why))
}

impl ReadPaper for Reader {
    fn read(&self, path: &Path) -> Result<Vec<PaperText>> {
        let given = Python::attach(|py| {
            let given = self.function.call1(py, (path.to_path_buf(),))?;
            given.extract::<Vec<(Option<String>, String, String, String)>>(py)
        });
        let given = given.map_err(|error| {
            let message = error.to_string();
            match Session::current() {
                Some(session) => {
                    session.stop(error);
                    Error::Interrupted
                }
                None => Error::Config(msg!("the function that reads files failed: {message}")),
            }
        })?;
        let one = |(text, code, why, part): (Option<String>, String, String, String)| {
            let known = FAILURE_CODES.iter().find(|(known, _)| *known == code);
            let code = known.map_or("unreadable", |(code, _)| code);
            (text.ok_or_else(|| Failure::new(code, reason(&why))), part)
        };
        Ok(given.into_iter().map(one).collect())
    }
}
