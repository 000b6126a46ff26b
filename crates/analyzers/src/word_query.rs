//! Queries over words: `banana,prefix:app,|pear,-cranberry`.
//!
//! Parts are evaluated from left to right, without precedence. The documents of each part are
//! intersected with those before it (`+`, or nothing), united with them (`|`), or subtracted from
//! them (`-`).

use crate::word::normalized;

/// Maximum number of parts of a query.
pub const PARTS_MAX: usize = 256;

/// The operator that combines a part with those before it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Combination {
    /// Intersection.
    And,
    /// Union.
    Or,
    /// Difference: the documents before, without these.
    Not,
}

/// One word or prefix of words.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Part {
    /// The operator before it.
    pub combination: Combination,
    /// The word in normal form.
    pub word: String,
    /// True if the part matches all words with this prefix.
    pub is_prefix: bool,
}

/// Returns the parts of a query, without those that have no word.
///
/// `None` for a query with too many parts, with an unknown qualifier before a colon, or with an
/// operator that no word follows.
pub fn parse(query: &str) -> Option<Vec<Part>> {
    let mut parts = Vec::new();
    for text in query.split(',') {
        let part = text.trim();
        let (combination, text) = match part.as_bytes().first() {
            Some(b'+') => (Combination::And, part.get(1..)?),
            Some(b'|') => (Combination::Or, part.get(1..)?),
            Some(b'-') => (Combination::Not, part.get(1..)?),
            _ => (Combination::And, part),
        };
        let (is_prefix, word) = match text.split_once(':') {
            Some(("prefix", word)) => (true, word),
            Some(("complete", word)) => (false, word),
            Some(_) => return None,
            None => (false, text),
        };
        let word = normalized(word.trim());
        if word.is_empty() {
            match part.starts_with(['+', '|', '-']) {
                true => return None,
                false => continue,
            }
        }
        if parts.len() >= PARTS_MAX {
            return None;
        }
        parts.push(Part { combination, word, is_prefix });
    }
    Some(parts)
}

/// Returns true if the query finds a document. `has` returns true if the document has words for a
/// part.
pub fn matches(parts: &[Part], has: impl Fn(&Part) -> bool) -> bool {
    let mut parts = parts.iter();
    // The first part is the initial set; if it subtracts, that set is empty.
    let Some(first) = parts.next() else { return false };
    let begin = first.combination != Combination::Not && has(first);
    parts.fold(begin, |found, part| match part.combination {
        Combination::And => found && has(part),
        Combination::Or => found || has(part),
        Combination::Not => found && !has(part),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(query: &str, words: &str) -> bool {
        let parts = parse(query).unwrap();
        matches(&parts, |part| {
            words
                .split(' ')
                .any(|word| if part.is_prefix { word.starts_with(&part.word) } else { word == part.word })
        })
    }

    #[test]
    fn documented_queries_find_what_they_should() {
        for (query, words, expected) in [
            ("banana", "a banana", true),
            ("Banana", "a banana", true),
            ("banana", "bananas", false),
            ("banana,orange", "banana orange", true),
            ("banana,orange", "banana", false),
            ("prefix:head", "a headache", true),
            ("prefix:head,complete:aspirin", "headache aspirin", true),
            ("prefix:head,complete:aspirin", "headache", false),
            ("+this,+text", "this text", true),
            ("banana,|apple", "apple", true),
            ("banana,-apple", "banana apple", false),
            ("banana,-apple", "banana", true),
            ("-apple", "banana", false),
            // From left to right.
            ("a,|b,c", "b c", true),
            ("a,|b,c", "a", false),
            ("", "a", false),
            (" , a , ", "a", true),
        ] {
            assert_eq!(found(query, words), expected, "{query} in {words}");
        }
        assert_eq!(parse("fuzzy:x"), None);
        assert_eq!(parse(&"x,".repeat(PARTS_MAX + 1)), None);
    }
}
