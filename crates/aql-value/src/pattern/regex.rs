//! Regular expressions.
//!
//! What can be matched in time linear in the text is: by the `regex` crate. Expressions with look-around, back
//! references, possessive quantifiers or atomic groups, which ArangoDB's ICU knows as well, need backtracking; they run
//! on `fancy-regex` with a bound on the text and on the steps of one match, beyond which the expression counts as
//! invalid for that text. So no pattern a client sends can occupy the server.
//!
//! What remains different from ICU is said in docs/differences.md.

use super::icu_syntax::translate;
use std::ops::Range;

/// Most bytes that one compiled expression may take; larger ones count as invalid.
const MAX_COMPILED_BYTES: usize = 4 << 20;

/// Longest text that is matched with backtracking.
const MAX_BACKTRACKED_TEXT_BYTES: usize = 16 << 10;

/// Most steps back in one match. Each may scan the text once.
const MAX_BACKTRACKS: usize = 20_000;

/// A compiled regular expression.
#[derive(Debug, Clone)]
pub struct Regex {
    engine: Engine,
}

#[derive(Debug, Clone)]
enum Engine {
    Linear(::regex::Regex),
    Backtracking(Box<fancy_regex::Regex>),
}

/// The bytes that the whole expression (at 0) and its groups matched; `None` for a group that took no part.
pub type Groups = Vec<Option<Range<usize>>>;

/// A match took too many steps, or the text is too long for backtracking.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct GaveUp;

impl Regex {
    /// Compiles an expression; `None` if it is invalid or too large.
    pub fn new(pattern: &str, case_insensitive: bool) -> Option<Self> {
        let pattern = &*translate(pattern);
        let linear = ::regex::RegexBuilder::new(pattern)
            .case_insensitive(case_insensitive)
            .size_limit(MAX_COMPILED_BYTES)
            .dfa_size_limit(MAX_COMPILED_BYTES)
            .build();
        let engine = match linear {
            Ok(regex) => Engine::Linear(regex),
            Err(::regex::Error::Syntax(_)) if may_need_backtracking(pattern) => {
                Engine::Backtracking(Box::new(backtracking(pattern, case_insensitive)?))
            }
            Err(_) => return None,
        };
        Some(Self { engine })
    }

    /// Whether the expression occurs in the text; `None` if that takes too many steps to say.
    pub fn is_match(&self, text: &str) -> Option<bool> {
        match &self.engine {
            Engine::Linear(regex) => Some(regex.is_match(text)),
            Engine::Backtracking(_) if text.len() > MAX_BACKTRACKED_TEXT_BYTES => None,
            Engine::Backtracking(regex) => regex.is_match(text).ok(),
        }
    }

    /// All matches from left to right. Ends after giving up.
    pub fn matches<'a>(&'a self, text: &'a str) -> Box<dyn Iterator<Item = Result<Groups, GaveUp>> + 'a> {
        match &self.engine {
            Engine::Linear(regex) => {
                Box::new(regex.captures_iter(text).map(|captures| {
                    Ok(captures.iter().map(|group| group.map(|group| group.range())).collect())
                }))
            }
            Engine::Backtracking(_) if text.len() > MAX_BACKTRACKED_TEXT_BYTES => {
                Box::new(std::iter::once(Err(GaveUp)))
            }
            Engine::Backtracking(regex) => {
                let mut has_ended = false;
                let matches = regex.captures_iter(text).map(|captures| match captures {
                    Ok(captures) => {
                        Ok(captures.iter().map(|group| group.map(|group| group.range())).collect())
                    }
                    Err(_) => Err(GaveUp),
                });
                Box::new(matches.take_while(move |found| !std::mem::replace(&mut has_ended, found.is_err())))
            }
        }
    }

    /// How many groups there are, the whole expression included.
    pub fn group_count(&self) -> usize {
        match &self.engine {
            Engine::Linear(regex) => regex.captures_len(),
            Engine::Backtracking(regex) => regex.captures_len(),
        }
    }

    /// The number of the group with this name.
    pub fn group_named(&self, name: &str) -> Option<usize> {
        match &self.engine {
            Engine::Linear(regex) => regex.capture_names().position(|group| group == Some(name)),
            Engine::Backtracking(regex) => regex.capture_names().position(|group| group == Some(name)),
        }
    }
}

/// Whether the expression has something that only the engine with backtracking knows. That engine is not asked about
/// others, since it takes some expressions that are invalid for ICU.
fn may_need_backtracking(pattern: &str) -> bool {
    const CONSTRUCTS: [&str; 10] = ["(?=", "(?!", "(?<=", "(?<!", "(?>", "\\k<", "++", "*+", "?+", "}+"];
    let has_reference = || {
        let mut pairs = pattern.bytes().zip(pattern.bytes().skip(1));
        pairs.any(|(first, second)| first == b'\\' && (b'1'..=b'9').contains(&second))
    };
    CONSTRUCTS.iter().any(|construct| pattern.contains(construct)) || has_reference()
}

fn backtracking(pattern: &str, case_insensitive: bool) -> Option<fancy_regex::Regex> {
    fancy_regex::RegexBuilder::new(pattern)
        .case_insensitive(case_insensitive)
        .backtrack_limit(MAX_BACKTRACKS)
        .delegate_size_limit(MAX_COMPILED_BYTES)
        .delegate_dfa_size_limit(MAX_COMPILED_BYTES)
        .build()
        .ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn is_match(pattern: &str, text: &str) -> Option<bool> {
        Regex::new(pattern, false).unwrap().is_match(text)
    }

    fn first_match(pattern: &str, text: &str) -> Option<Result<Groups, GaveUp>> {
        Regex::new(pattern, false).unwrap().matches(text).next()
    }

    #[test]
    fn expressions_that_need_backtracking() {
        for (pattern, matching, other) in [
            ("^(?!foo).*bar", "xbar", "foobar"),
            ("(?<=a)b", "ab", "cb"),
            ("(?<!a)b", "cb", "ab"),
            (r"^(\w+) \1$", "so so", "so on"),
            ("^(?>a+)b", "aab", "aac"),
            ("^a++b", "aab", "b"),
            ("foo(?=bar)", "foobar", "foobaz"),
        ] {
            assert_eq!(is_match(pattern, matching), Some(true), "{pattern}");
            assert_eq!(is_match(pattern, other), Some(false), "{pattern}");
        }
        assert_eq!(first_match(r"(?=(b+))\w", "abb"), Some(Ok(vec![Some(1..2), Some(1..3)])));
        let named = Regex::new(r"(?<twice>a)\k<twice>", true).unwrap();
        assert_eq!((named.group_named("twice"), named.group_count()), (Some(1), 2));
        assert_eq!(named.is_match("xAa"), Some(true));
    }

    #[test]
    fn gives_up_instead_of_running_for_ever() {
        let endless = format!("{}cd", "ab".repeat(40));
        assert_eq!(is_match("^(a|b|ab)*(?=c)d", &endless), None);
        assert_eq!(first_match("^(a|b|ab)*(?=c)d", &endless), Some(Err(GaveUp)));
        let long = "a".repeat(MAX_BACKTRACKED_TEXT_BYTES + 1);
        assert_eq!(is_match("(?=b)b", &long), None);
        assert_eq!(Regex::new("(?=b)b", false).unwrap().matches(&long).count(), 1);
        assert_eq!(is_match("b", &long), Some(false));
    }

    #[test]
    fn invalid_and_oversized_expressions_are_refused() {
        for pattern in [
            "(",
            "[",
            "a{2",
            "*",
            r"\",
            "(?<a>x)(?<a>y)",
            "((a{1000}){1000}){1000}",
            "(?=((a{1000}){1000}){1000})",
        ] {
            assert!(Regex::new(pattern, false).is_none(), "{pattern}");
        }
        assert!(Regex::new(&"(".repeat(100_000), false).is_none());
        assert!(Regex::new(&format!("{}{}", "(?=".repeat(10_000), ")".repeat(10_000)), false).is_none());
    }
}
