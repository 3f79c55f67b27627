//! Texts that a scheme cannot use, as failures of their records.

use crate::encode::scheme::UnusableText;
use crate::source::{Failure, Location};

/// The failure of the record at `place`, whose text it was.
pub(crate) fn failure_of(unusable: &UnusableText, place: &Location<'_>) -> Failure {
    Failure::new(
        unusable.code(),
        msg!("{place}: {message}", message = unusable.message()),
    )
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;

    #[test]
    fn a_record_fails_with_its_place() {
        let place = Location {
            path: Path::new("in.jsonl").into(),
            line: 7,
            unit: "line",
        };
        let failure = failure_of(&UnusableText::new(msg!("it is blue; give red")), &place);
        assert_eq!(
            (failure.code, failure.to_string().as_str()),
            ("unusable_text", "in.jsonl line 7: it is blue; give red")
        );
        assert_eq!(failure_of(&UnusableText::too_long(), &place).code, "too_long");
    }
}
