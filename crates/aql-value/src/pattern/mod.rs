//! LIKE patterns and regular expressions, compiled once and cached for the query.
//!
//! See [`regex`] for the dialect of regular expressions.

mod backtracking;
mod icu_syntax;
mod like_search;
mod like;
mod long_text;
pub mod regex;

use std::collections::HashMap;
use std::sync::Arc;

use errors::Result;
use owner::Interrupt;

pub use like::{LikePattern, after_backslash};
pub use regex::Regex;

/// The maximum number of patterns that a query caches. The cache is cleared at this number.
const MAX_CACHED_PATTERNS: usize = 128;

/// The length above which patterns are not cached, so that the cache stays small.
const MAX_CACHED_PATTERN_BYTES: usize = 64 << 10;

/// The patterns that a query compiled while it ran.
#[derive(Debug, Default)]
pub struct PatternCache {
    regexes: [HashMap<Box<str>, Option<Arc<Regex>>>; 2],
    likes: [HashMap<Box<str>, Arc<LikePattern>>; 2],
}

impl PatternCache {
    /// Returns the compiled regular expression; `None` if it is invalid.
    pub fn regex(&mut self, pattern: &str, case_insensitive: bool) -> Option<Arc<Regex>> {
        let [sensitive, insensitive] = &mut self.regexes;
        let cache = if case_insensitive { insensitive } else { sensitive };
        let compile = || Ok(Regex::new(pattern, case_insensitive).map(Arc::new));
        // Nothing interrupts the compilation: expressions of more than 32 KiB are invalid.
        cached(cache, pattern, compile).unwrap_or_default()
    }

    /// Returns the compiled LIKE pattern. Errors: 1500 if the query is ended during this.
    pub fn like(
        &mut self,
        pattern: &str,
        case_insensitive: bool,
        interrupt: &Interrupt,
    ) -> Result<Arc<LikePattern>> {
        let [sensitive, insensitive] = &mut self.likes;
        let cache = if case_insensitive { insensitive } else { sensitive };
        cached(cache, pattern, || LikePattern::new(pattern, case_insensitive, interrupt).map(Arc::new))
    }
}

/// Returns the cache's entry for `pattern`, compiled if it was missing.
fn cached<T: Clone>(
    cache: &mut HashMap<Box<str>, T>,
    pattern: &str,
    compile: impl FnOnce() -> Result<T>,
) -> Result<T> {
    if pattern.len() > MAX_CACHED_PATTERN_BYTES {
        return compile();
    }
    if let Some(found) = cache.get(pattern) {
        return Ok(found.clone());
    }
    if cache.len() >= MAX_CACHED_PATTERNS {
        cache.clear();
    }
    let compiled = compile()?;
    cache.insert(pattern.into(), compiled.clone());
    Ok(compiled)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn caches_by_pattern_and_case() {
        let mut cache = PatternCache::default();
        let first = cache.regex("a+", false).unwrap();
        assert!(Arc::ptr_eq(&first, &cache.regex("a+", false).unwrap()));
        assert_eq!(first.is_match("A", &Interrupt::new()), Ok(Some(false)));
        assert_eq!(cache.regex("a+", true).unwrap().is_match("A", &Interrupt::new()), Ok(Some(true)));
        let like = cache.like("a%", true, &Interrupt::new()).unwrap();
        assert!(like.matches("ABC", &Interrupt::new()).unwrap());
    }

    #[test]
    fn stays_bounded() {
        let mut cache = PatternCache::default();
        for n in 0..10 * MAX_CACHED_PATTERNS {
            cache.like(&n.to_string(), false, &Interrupt::new()).unwrap();
        }
        assert!(cache.likes[0].len() <= MAX_CACHED_PATTERNS);
        let long = "a".repeat(MAX_CACHED_PATTERN_BYTES + 1);
        let like = cache.like(&long, true, &Interrupt::new()).unwrap();
        assert!(like.matches(&long, &Interrupt::new()).unwrap());
        assert!(cache.likes[1].is_empty());
        assert!(cache.regex(&long, false).is_none(), "too long to be read");
    }
}
