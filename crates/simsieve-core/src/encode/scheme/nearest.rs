//! The known name that is nearest to one that is not known.

/// The name of `known` that is the fewest edits from this one. It is at most half as many edits away as the longer name
/// has characters.
pub(super) fn nearest(name: &str, known: impl Iterator<Item = String>) -> Option<String> {
    let asked = name.to_ascii_lowercase();
    let (edits, near) = known
        .map(|known| (edits(&asked, &known), known))
        .min_by_key(|(edits, _)| *edits)?;
    (2 * edits <= near.len().max(asked.len())).then_some(near)
}

/// How many characters must be inserted, deleted or changed to make one of the other (Levenshtein 1966).
fn edits(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.chars().collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (at, one) in a.chars().enumerate() {
        let mut corner = row[0];
        row[0] = at + 1;
        for (k, other) in b.iter().enumerate() {
            let change = corner + usize::from(one != *other);
            corner = row[k + 1];
            row[k + 1] = change.min(row[k] + 1).min(corner + 1);
        }
    }
    row[b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn edits_are_counted() {
        for (a, b, expected) in [
            ("", "", 0),
            ("", "abc", 3),
            ("kitten", "sitting", 3),
            ("chars", "char", 1),
        ] {
            assert_eq!((edits(a, b), edits(b, a)), (expected, expected));
        }
    }
}
