//! Regular expressions.
//!
//! Expressions that can be matched in time linear in the text run on the `regex` crate. ArangoDB's
//! ICU also knows look-around, back references, possessive quantifiers and atomic groups. These
//! need backtracking and run on `fancy-regex` with a bound on the text and on the steps of one
//! match. Beyond it, the expression counts as invalid for that text. So no client's pattern can
//! occupy the server.
//!
//! An automaton that checks the interrupt matches long texts (see `long_text`).
//!
//! docs/differences/queries.md lists the differences from ICU.

use std::ops::Range;
use std::sync::{Arc, OnceLock};

use errors::Result;
use owner::Interrupt;

use super::icu_syntax::translate;
use super::long_text::{LONG_TEXT_BYTES, LongText, Search, search_after};

/// The maximum length of an expression in bytes; longer ones count as invalid.
///
/// Parsing an expression of megabytes takes seconds.
const MAX_PATTERN_BYTES: usize = 64 << 10;

/// The maximum size of a compiled expression in bytes; larger ones count as invalid.
const MAX_COMPILED_BYTES: usize = 4 << 20;

/// The length of the longest text that is matched with backtracking, in bytes.
const MAX_BACKTRACKED_TEXT_BYTES: usize = 16 << 10;

/// The maximum number of backtracks in one match. Each may scan the text once.
const MAX_BACKTRACKS: usize = 20_000;

/// A compiled regular expression.
#[derive(Debug, Clone)]
pub struct Regex {
    engine: Engine,
}

#[derive(Debug, Clone)]
enum Engine {
    Linear(Box<Linear>),
    Backtracking(Box<fancy_regex::Regex>),
}

/// An expression that needs no backtracking.
#[derive(Debug, Clone)]
struct Linear {
    regex: ::regex::Regex,
    case_insensitive: bool,
    /// The preparation for long texts, made at its first use; `None` inside if it is impossible.
    long: OnceLock<Option<Arc<LongText>>>,
}

impl Linear {
    /// Returns the matcher for the text if it is a long one.
    fn for_long(&self, text: &str) -> Option<&LongText> {
        if text.len() <= LONG_TEXT_BYTES {
            return None;
        }
        let make =
            || LongText::new(self.regex.as_str(), self.case_insensitive, MAX_COMPILED_BYTES).map(Arc::new);
        self.long.get_or_init(make).as_deref()
    }
}

/// The byte ranges of the whole match (at 0) and its groups; `None` for a group without a match.
pub type Groups = Vec<Option<Range<usize>>>;

/// A match with its groups.
pub type Matched = std::result::Result<Groups, GaveUp>;

/// A failed match: it took too many steps, or the text is too long for backtracking.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct GaveUp;

impl Regex {
    /// Compiles an expression; `None` if it is invalid or too large.
    pub fn new(pattern: &str, case_insensitive: bool) -> Option<Self> {
        if pattern.len() > MAX_PATTERN_BYTES {
            return None;
        }
        let pattern = &*translate(pattern);
        let linear = ::regex::RegexBuilder::new(pattern)
            .case_insensitive(case_insensitive)
            .size_limit(MAX_COMPILED_BYTES)
            .dfa_size_limit(MAX_COMPILED_BYTES)
            .build();
        let engine = match linear {
            Ok(regex) => Engine::Linear(Box::new(Linear { regex, case_insensitive, long: OnceLock::new() })),
            Err(::regex::Error::Syntax(_)) if may_need_backtracking(pattern) => {
                Engine::Backtracking(Box::new(backtracking(pattern, case_insensitive)?))
            }
            Err(_) => return None,
        };
        Some(Self { engine })
    }

    /// Returns true if the expression occurs in the text; `None` if a match takes too many steps.
    ///
    /// Errors: 1500 if the query is ended during this.
    pub fn is_match(&self, text: &str, interrupt: &Interrupt) -> Result<Option<bool>> {
        Ok(match &self.engine {
            Engine::Linear(linear) => Some(match linear.for_long(text) {
                Some(long) => match long.find(text, 0, interrupt)? {
                    Search::Match(_) => true,
                    Search::Nothing => false,
                    Search::Quit => linear.regex.is_match(text),
                },
                None => linear.regex.is_match(text),
            }),
            Engine::Backtracking(_) if text.len() > MAX_BACKTRACKED_TEXT_BYTES => None,
            Engine::Backtracking(regex) => regex.is_match(text).ok(),
        })
    }

    /// Returns all matches from left to right. Ends after giving up.
    ///
    /// Errors: 1500 if the query is ended during this.
    pub fn matches<'a>(
        &'a self,
        text: &'a str,
        interrupt: &'a Interrupt,
    ) -> Box<dyn Iterator<Item = Result<Matched>> + 'a> {
        match &self.engine {
            Engine::Linear(linear) => match linear.for_long(text) {
                Some(long) => Box::new(long.matches(text, interrupt).map(|found| Ok(found?.ok_or(GaveUp)))),
                None => in_turn(text, |start| {
                    let captures = linear.regex.captures_at(text, start)?;
                    Some(Ok(captures.iter().map(|group| group.map(|group| group.range())).collect()))
                }),
            },
            Engine::Backtracking(_) if text.len() > MAX_BACKTRACKED_TEXT_BYTES => {
                Box::new(std::iter::once(Ok(Err(GaveUp))))
            }
            Engine::Backtracking(regex) => {
                in_turn(text, |start| {
                    let captures = regex.captures_from_pos(text, start).map_err(|_| GaveUp).transpose()?;
                    Some(captures.map(|captures| {
                        captures.iter().map(|group| group.map(|group| group.range())).collect()
                    }))
                })
            }
        }
    }

    /// Returns the number of groups, the whole expression included.
    pub fn group_count(&self) -> usize {
        match &self.engine {
            Engine::Linear(linear) => linear.regex.captures_len(),
            Engine::Backtracking(regex) => regex.captures_len(),
        }
    }

    /// Returns the number of the group with this name.
    pub fn group_named(&self, name: &str) -> Option<usize> {
        match &self.engine {
            Engine::Linear(linear) => linear.regex.capture_names().position(|group| group == Some(name)),
            Engine::Backtracking(regex) => regex.capture_names().position(|group| group == Some(name)),
        }
    }
}

/// Returns all matches from left to right, each found from a position on. Ends after giving up.
fn in_turn<'a>(
    text: &'a str,
    find_from: impl Fn(usize) -> Option<Matched> + 'a,
) -> Box<dyn Iterator<Item = Result<Matched>> + 'a> {
    let mut start = Some(0);
    Box::new(std::iter::from_fn(move || {
        let found = find_from(start.take().filter(|start| *start <= text.len())?)?;
        let whole = found.as_ref().ok().and_then(|groups| groups.first()?.as_ref());
        start = whole.map(|whole| search_after(text, whole));
        Some(Ok(found))
    }))
}

/// Returns true if the expression has a feature that only the engine with backtracking knows.
///
/// That engine does not see other expressions, since it accepts some that are invalid for ICU.
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
        Regex::new(pattern, false).unwrap().is_match(text, &Interrupt::new()).unwrap()
    }

    fn first_match(pattern: &str, text: &str) -> Option<Matched> {
        Regex::new(pattern, false).unwrap().matches(text, &Interrupt::new()).next().map(Result::unwrap)
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
        assert_eq!(named.is_match("xAa", &Interrupt::new()), Ok(Some(true)));
    }

    #[test]
    fn gives_up_instead_of_running_forever() {
        let endless = format!("{}cd", "ab".repeat(40));
        assert_eq!(is_match("^(a|b|ab)*(?=c)d", &endless), None);
        assert_eq!(first_match("^(a|b|ab)*(?=c)d", &endless), Some(Err(GaveUp)));
        let long = "a".repeat(MAX_BACKTRACKED_TEXT_BYTES + 1);
        assert_eq!(is_match("(?=b)b", &long), None);
        assert_eq!(Regex::new("(?=b)b", false).unwrap().matches(&long, &Interrupt::new()).count(), 1);
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
