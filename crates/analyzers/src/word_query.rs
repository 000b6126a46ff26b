//! Queries over words: `banana,prefix:app,|pear,-cranberry`.
//!
//! Parts are evaluated from left to right, without precedence. The documents of each part are
//! intersected with those before it (`+`, or nothing), united with them (`|`), or subtracted from
//! them (`-`).

use crate::word::normalized;

/// Maximum number of parts of a query.
pub const PARTS_MAX: usize = 256;

/// The characters by which words are compared, as of ArangoDB. Further ones do not count.
const COMPARED_CHARACTERS: usize = 40;

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
/// Commas and white space separate parts. White space may follow an operator and a qualifier, which
/// is `prefix:` or `complete:`. Anything else before a colon belongs to the word. `None` for a
/// query with too many parts, or with an operator that no word follows.
pub fn parse(query: &str) -> Option<Vec<Part>> {
    let mut parts = Vec::new();
    for text in query.split(',') {
        let mut rest = text.trim_start();
        while !rest.is_empty() {
            let (part, after) = first_part(rest);
            rest = after.trim_start();
            let Some(part) = part else { continue };
            if part.word.is_empty() || parts.len() >= PARTS_MAX {
                return None;
            }
            parts.push(part);
        }
    }
    Some(parts)
}

/// Reads one part, whose word is empty behind an operator alone, and returns the text behind it.
/// `None` for a qualifier alone.
fn first_part(text: &str) -> (Option<Part>, &str) {
    let (operator, text) = match text.as_bytes().first() {
        Some(b'+') => (Some(Combination::And), text.get(1..)),
        Some(b'|') => (Some(Combination::Or), text.get(1..)),
        Some(b'-') => (Some(Combination::Not), text.get(1..)),
        _ => (None, Some(text)),
    };
    let text = text.unwrap_or_default().trim_start();
    let (is_prefix, text) = match text.split_once(':') {
        Some(("prefix", word)) => (true, word.trim_start()),
        Some(("complete", word)) => (false, word.trim_start()),
        _ => (false, text),
    };
    let (word, rest) = text.split_at(text.find(char::is_whitespace).unwrap_or(text.len()));
    let (word, is_cut) = cut(normalized(word));
    if word.is_empty() && operator.is_none() {
        return (None, rest);
    }
    let combination = operator.unwrap_or(Combination::And);
    (Some(Part { combination, word, is_prefix: is_prefix || is_cut }), rest)
}

/// Returns the first characters of a word by which words are compared, and true if the word may
/// have had more.
///
/// An index has longer words. Those that begin alike are one word to a query.
fn cut(mut word: String) -> (String, bool) {
    let Some((end, last)) = word.char_indices().nth(COMPARED_CHARACTERS - 1) else { return (word, false) };
    word.truncate(end + last.len_utf8());
    (word, true)
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
            ("prefix: ", "a", false),
            // White space separates as commas do.
            ("a\tb", "b a", true),
            ("a\tb", "a", false),
            ("a\r\n|c\n -d", "c", true),
            ("a b", "a", false),
            ("+ a,prefix: b", "a bc", true),
        ] {
            assert_eq!(found(query, words), expected, "{query} in {words}");
        }
        // Nothing but the two qualifiers is one.
        assert_eq!(parse("fuzzy:x").unwrap()[0].word, "fuzzy:x");
        assert_eq!((parse("a,+"), parse("- ")), (None, None));
        assert_eq!(parse(&"x,".repeat(PARTS_MAX + 1)), None);
    }

    #[test]
    fn forty_characters_of_a_word_count() {
        let (first, same) = ("ä".repeat(COMPARED_CHARACTERS), "ä".repeat(COMPARED_CHARACTERS - 1));
        let words = format!("{first}xyz");
        assert!(found(&first, &words) && found(&format!("{first}other"), &words) && found(&words, &first));
        assert!(!found(&same, &words) && !found(&format!("{same}x"), &words));
        assert!(found(&format!("prefix:{same}"), &words) && found(&format!("prefix:{first}zzz"), &words));
    }
}
