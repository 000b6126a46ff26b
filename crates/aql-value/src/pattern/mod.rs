//! LIKE patterns and regular expressions, compiled once and kept for the query.
//!
//! Regular expressions run on the `regex` crate, whose time is linear in the text, so that no pattern a client sends
//! can occupy the server. ArangoDB's ICU expressions differ in what they accept beyond that: look-around, back
//! references, possessive and atomic groups and `\Q..\E` are not available here and count as invalid (warning 1543,
//! null). `$` matches at the very end only, not before a final line break.

mod like;

pub use like::LikePattern;
pub use regex::Regex;

use std::collections::HashMap;
use std::sync::Arc;

/// Most patterns a query keeps compiled. A query whose patterns come from data starts over at this number.
const MAX_CACHED_PATTERNS: usize = 128;

/// Most bytes that one compiled regular expression may take; larger ones count as invalid.
const MAX_REGEX_BYTES: usize = 4 << 20;

/// Compiles a regular expression; `None` if it is invalid or too large.
pub fn compile_regex(pattern: &str, case_insensitive: bool) -> Option<Regex> {
    regex::RegexBuilder::new(pattern)
        .case_insensitive(case_insensitive)
        .size_limit(MAX_REGEX_BYTES)
        .dfa_size_limit(MAX_REGEX_BYTES)
        .build()
        .ok()
}

/// Patterns that a query compiled while it ran.
#[derive(Debug, Default)]
pub struct PatternCache {
    regexes: [HashMap<Box<str>, Option<Arc<Regex>>>; 2],
    likes: [HashMap<Box<str>, Arc<LikePattern>>; 2],
}

impl PatternCache {
    /// The compiled regular expression; `None` if it is invalid.
    pub fn regex(&mut self, pattern: &str, case_insensitive: bool) -> Option<Arc<Regex>> {
        let [sensitive, insensitive] = &mut self.regexes;
        let cache = if case_insensitive { insensitive } else { sensitive };
        cached(cache, pattern, || compile_regex(pattern, case_insensitive).map(Arc::new))
    }

    /// The compiled LIKE pattern.
    pub fn like(&mut self, pattern: &str, case_insensitive: bool) -> Arc<LikePattern> {
        let [sensitive, insensitive] = &mut self.likes;
        let cache = if case_insensitive { insensitive } else { sensitive };
        cached(cache, pattern, || Arc::new(LikePattern::new(pattern, case_insensitive)))
    }
}

/// The cache's entry for `pattern`, compiled if it was missing.
fn cached<T: Clone>(cache: &mut HashMap<Box<str>, T>, pattern: &str, compile: impl FnOnce() -> T) -> T {
    if let Some(found) = cache.get(pattern) {
        return found.clone();
    }
    if cache.len() >= MAX_CACHED_PATTERNS {
        cache.clear();
    }
    let compiled = compile();
    cache.insert(pattern.into(), compiled.clone());
    compiled
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn caches_by_pattern_and_case() {
        let mut cache = PatternCache::default();
        let first = cache.regex("a+", false).unwrap();
        assert!(Arc::ptr_eq(&first, &cache.regex("a+", false).unwrap()));
        assert!(!first.is_match("A"));
        assert!(cache.regex("a+", true).unwrap().is_match("A"));
        assert!(cache.like("a%", true).matches("ABC") && !cache.like("a%", false).matches("ABC"));
    }

    #[test]
    fn invalid_and_oversized_expressions_are_refused() {
        let mut cache = PatternCache::default();
        assert!(cache.regex("(", false).is_none());
        assert!(cache.regex("(?<=a)b", false).is_none());
        assert!(cache.regex("((a{1000}){1000}){1000}", false).is_none());
    }

    #[test]
    fn stays_bounded() {
        let mut cache = PatternCache::default();
        for n in 0..10 * MAX_CACHED_PATTERNS {
            cache.like(&n.to_string(), false);
        }
        assert!(cache.likes[0].len() <= MAX_CACHED_PATTERNS);
    }
}
