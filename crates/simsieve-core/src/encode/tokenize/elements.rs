//! Elements of a page as tokens.

use super::tokens::Tokens;
use super::word_options::WordOptions;
use crate::encode::unusable_text::UnusableText;
use crate::text::html::{self, Options, each_element};

/// The paths of one page take no more than this in memory. Only paths that repeat long class names come near.
const MOST_PATH_BYTES: usize = 1 << 28;

/// Takes the elements of a page in document order, each known by its tag or path; `scheme` is the scheme's name.
pub(super) fn take(
    tokens: &mut Tokens,
    scheme: &str,
    page: &str,
    options: &Options,
    words: &WordOptions,
    scratch: &mut html::PageScratch,
) -> Result<(), UnusableText> {
    let mut bytes = 0;
    let visited = each_element(page, options, scratch, |path, depth| {
        bytes += path.len();
        if bytes <= MOST_PATH_BYTES && !words.is_stop_word(path) {
            tokens.add(path);
            tokens.depths.push(depth);
        }
        bytes <= MOST_PATH_BYTES
    });
    visited.map_err(|error| UnusableText::new(error.message()))?;
    if bytes > MOST_PATH_BYTES {
        return Err(UnusableText::new(msg!(
            "scheme {scheme:?}: the paths of the page's elements have more than {most_path_bytes} MiB in all; \
             give fewer levels, or no classes",
            most_path_bytes = MOST_PATH_BYTES >> 20
        )));
    }
    Ok(())
}
