//! Regular expressions.
//!
//! Expressions that can be matched in time linear in the text run on `regex-automata`. ArangoDB's
//! ICU also knows look-around, back references, possessive quantifiers and atomic groups. These
//! need [backtracking](super::backtracking) with a bound on the steps of one match. Beyond it, the
//! expression counts as invalid for that text. So no client's pattern can occupy the server.
//!
//! An automaton that checks the interrupt matches long texts, and texts that may take long because
//! the expression is large (see `long_text`).
//!
//! docs/differences/queries.md lists the differences from ICU.

use std::ops::Range;
use std::sync::{Arc, OnceLock};

use errors::Result;
use owner::Interrupt;
use regex_automata::util::primitives::PatternID;
use regex_automata::util::syntax;
use regex_automata::{Input, meta};

use super::backtracking::{Backtracking, Outcome};
use super::icu_syntax::translate;
use super::long_text::{LONG_TEXT_BYTES, LongText, Search, search_after};

/// The maximum length of an expression in bytes; longer ones count as invalid.
///
/// Compiling one of 64 KiB can take a third of a second, which nothing interrupts.
const MAX_PATTERN_BYTES: usize = 32 << 10;

/// The maximum size of an expression's automaton in bytes; larger ones count as invalid.
const MAX_COMPILED_BYTES: usize = 4 << 20;

/// The least size in bytes of a state of an automaton.
const STATE_BYTES: usize = 32;

/// The maximum memory in bytes for the places of all groups in all states during a match. An
/// expression that may need more counts as invalid.
const MAX_SLOT_BYTES: usize = 16 << 20;

/// The maximum number of steps of a match that nothing interrupts: bytes of the text times states.
const UNCHECKED_STEPS: usize = 4 << 20;

/// A compiled regular expression.
#[derive(Debug, Clone)]
pub struct Regex {
    engine: Engine,
}

#[derive(Debug, Clone)]
enum Engine {
    Linear(Box<Linear>),
    Backtracking(Box<Backtracking>),
}

/// An expression that needs no backtracking.
#[derive(Debug, Clone)]
struct Linear {
    regex: meta::Regex,
    /// The expression in Rust's syntax.
    pattern: Box<str>,
    case_insensitive: bool,
    /// An estimate of the number of states, rather too high.
    states: usize,
    /// The preparation for long texts, made at its first use; `None` inside if it is impossible.
    long: OnceLock<Option<Arc<LongText>>>,
}

impl Linear {
    /// Compiles an expression; `None` if it is too large. Errors: it has no valid syntax.
    fn new(pattern: &str, case_insensitive: bool) -> std::result::Result<Option<Self>, ()> {
        let syntax = syntax::Config::new().case_insensitive(case_insensitive);
        let config = meta::Config::new()
            .nfa_size_limit(Some(MAX_COMPILED_BYTES))
            .hybrid_cache_capacity(MAX_COMPILED_BYTES);
        let regex = match meta::Regex::builder().syntax(syntax).configure(config).build(pattern) {
            Ok(regex) => regex,
            Err(error) if error.syntax_error().is_some() => return Err(()),
            Err(_) => return Ok(None),
        };
        let states = regex.memory_usage() / STATE_BYTES + pattern.len();
        let slot_bytes = states.saturating_mul(regex.captures_len()).saturating_mul(2 * size_of::<usize>());
        let has_groups = regex.captures_len() > 1;
        if has_groups && slot_bytes > MAX_SLOT_BYTES {
            return Ok(None);
        }
        let pattern = pattern.into();
        Ok(Some(Linear { regex, pattern, case_insensitive, states, long: OnceLock::new() }))
    }

    /// Returns the matcher for the text if a match in it may take long.
    fn for_long(&self, text: &str) -> Option<&LongText> {
        if text.len() <= LONG_TEXT_BYTES && text.len().saturating_mul(self.states) <= UNCHECKED_STEPS {
            return None;
        }
        let make = || {
            let groups = self.regex.clone();
            LongText::new(&self.pattern, self.case_insensitive, MAX_COMPILED_BYTES, groups).map(Arc::new)
        };
        self.long.get_or_init(make).as_deref()
    }

    /// Returns the first match from `start` on, with its groups.
    fn groups_from(&self, text: &str, start: usize) -> Option<Groups> {
        let mut captures = self.regex.create_captures();
        self.regex.search_captures(&Input::new(text).range(start..), &mut captures);
        captures.is_match().then(|| captures.iter().map(|group| group.map(|span| span.range())).collect())
    }
}

/// The byte ranges of the whole match (at 0) and its groups; `None` for a group without a match.
pub type Groups = Vec<Option<Range<usize>>>;

/// A match with its groups.
pub type Matched = std::result::Result<Groups, GaveUp>;

/// A failed match: it took too many steps.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct GaveUp;

impl Regex {
    /// Compiles an expression; `None` if it is invalid or too large.
    pub fn new(pattern: &str, case_insensitive: bool) -> Option<Self> {
        if pattern.len() > MAX_PATTERN_BYTES {
            return None;
        }
        let pattern = &*translate(pattern);
        if Backtracking::is_possessive(pattern) {
            let regex = Backtracking::new(pattern, case_insensitive)?;
            return Some(Self { engine: Engine::Backtracking(Box::new(regex)) });
        }
        let engine = match Linear::new(pattern, case_insensitive) {
            Ok(linear) => Engine::Linear(Box::new(linear?)),
            Err(()) if may_need_backtracking(pattern) => {
                Engine::Backtracking(Box::new(Backtracking::new(pattern, case_insensitive)?))
            }
            Err(()) => return None,
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
            Engine::Backtracking(regex) => match regex.find(text, 0, interrupt)? {
                Outcome::Match(_) => Some(true),
                Outcome::Nothing => Some(false),
                Outcome::GaveUp => None,
            },
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
                None => in_turn(text, |start| Ok(linear.groups_from(text, start).map(Ok))),
            },
            Engine::Backtracking(regex) => in_turn(text, |start| {
                Ok(match regex.find(text, start, interrupt)? {
                    Outcome::Match(groups) => Some(Ok(groups)),
                    Outcome::Nothing => None,
                    Outcome::GaveUp => Some(Err(GaveUp)),
                })
            }),
        }
    }

    /// Returns the number of groups, the whole expression included.
    pub fn group_count(&self) -> usize {
        match &self.engine {
            Engine::Linear(linear) => linear.regex.captures_len(),
            Engine::Backtracking(regex) => regex.group_count(),
        }
    }

    /// Returns the number of the group with this name.
    pub fn group_named(&self, name: &str) -> Option<usize> {
        match &self.engine {
            Engine::Linear(linear) => linear.regex.group_info().to_index(PatternID::ZERO, name),
            Engine::Backtracking(regex) => regex.group_named(name),
        }
    }
}

/// Returns all matches from left to right, each found from a position on. Ends after giving up.
/// Errors: those of a search, which end it.
fn in_turn<'a>(
    text: &'a str,
    find_from: impl Fn(usize) -> Result<Option<Matched>> + 'a,
) -> Box<dyn Iterator<Item = Result<Matched>> + 'a> {
    let mut start = Some(0);
    Box::new(std::iter::from_fn(move || {
        let found = match find_from(start.take().filter(|start| *start <= text.len())?) {
            Ok(found) => found?,
            Err(error) => return Some(Err(error)),
        };
        let whole = found.as_ref().ok().and_then(|groups| groups.first()?.as_ref());
        start = whole.map(|whole| search_after(text, whole));
        Some(Ok(found))
    }))
}

/// Returns true if the expression has a feature that only the engine with backtracking knows.
///
/// That engine does not see other expressions, since it accepts some that are invalid for ICU.
fn may_need_backtracking(pattern: &str) -> bool {
    const CONSTRUCTS: [&str; 6] = ["(?=", "(?!", "(?<=", "(?<!", "(?>", "\\k<"];
    let has_reference = || {
        let mut pairs = pattern.bytes().zip(pattern.bytes().skip(1));
        pairs.any(|(first, second)| first == b'\\' && (b'1'..=b'9').contains(&second))
    };
    CONSTRUCTS.iter().any(|construct| pattern.contains(construct)) || has_reference()
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
            ("^a*+(?:ab|b)$", "aab", "aaba"),
            ("^[+*]+$", "+*+", "a"),
            (r"^\++$", "++", "a"),
            ("foo(?=bar)", "foobar", "foobaz"),
        ] {
            assert_eq!(is_match(pattern, matching), Some(true), "{pattern}");
            assert_eq!(is_match(pattern, other), Some(false), "{pattern}");
        }
        assert_eq!(first_match(r"(?=(b+))\w", "abb"), Some(Ok(vec![Some(1..2), Some(1..3)])));
        // A possessive quantifier keeps all that it takes.
        assert_eq!(is_match("a++a", "aaa"), Some(false));
        assert_eq!(is_match("(?:ab){1,2}+a", "ababa"), Some(true));
        let named = Regex::new(r"(?<twice>a)\k<twice>", true).unwrap();
        assert_eq!((named.group_named("twice"), named.group_count()), (Some(1), 2));
        assert_eq!(named.is_match("xAa", &Interrupt::new()), Ok(Some(true)));
    }

    #[test]
    fn gives_up_instead_of_running_forever() {
        let endless = format!("{}cd", "ab".repeat(40));
        assert_eq!(is_match("^(a|b|ab)*(?=c)d", &endless), None);
        assert_eq!(first_match("^(a|b|ab)*(?=c)d", &endless), Some(Err(GaveUp)));
        let deep = "a".repeat(3_000_000);
        assert_eq!(is_match("(?=a)a*b", &deep), None);
        assert_eq!(Regex::new("(?=b)b", false).unwrap().matches(&deep, &Interrupt::new()).count(), 0);
        assert_eq!(is_match("(?=b)b", &deep), Some(false));
    }

    #[test]
    fn ends_with_the_query_whatever_the_expression_is() {
        let runtime = std::time::Duration::from_millis(30);
        let texts = ["ab".repeat(8 << 10), "a".repeat(16 << 10), "a".repeat(4 << 10), "ab".repeat(1 << 20)];
        for pattern in [
            "((a{10}){10}){100}",
            "(a|b)*a(a|b){5000}c",
            "(?:a|b)*a(?:a|b){9000}c",
            "(?=(a*)*c)(a|aa)+d",
            "(?:(?=.*.*.*x)a|b)*d",
            "(?:(?=[ab]*a[ab]{200}c)[ab])*d",
            "(?=(?:a|b)*a(?:a|b){5000}c)x",
            "(?:(?=(?:a|b)*a(?:a|b){5000}c)[ab])*d",
            "(?:(?=(?:(?=[ab]*x?)[ab])*)[ab])*d",
            "(?<=(?:a|b){0,3000})c",
            "^(a*)*(a*)*(a*)*\\1b$",
            "(?>(?:a|b)*)(?=(?:a|b)*+c)",
            r"\w{60}x",
        ] {
            let Some(regex) = Regex::new(pattern, false) else { continue };
            for text in &texts {
                let interrupt = Interrupt::with_max_runtime(runtime);
                let start = std::time::Instant::now();
                let _ = regex.is_match(text, &interrupt);
                let interrupt = Interrupt::with_max_runtime(runtime);
                let _ = regex.matches(text, &interrupt).next();
                // Much longer than on an idle machine, much shorter than without a check.
                assert!(start.elapsed().as_millis() < 1_500, "{pattern}: {:?}", start.elapsed());
            }
        }
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
            // As ICU says, a look-behind has a longest match.
            "(?<=a*)b",
            r"(?=a)\2(a)",
            "(?=a)+*b",
            "(?=a",
            // Its groups in its states would take gigabytes.
            &"(a?)".repeat(9_000),
        ] {
            assert!(Regex::new(pattern, false).is_none(), "{pattern}");
        }
        assert!(Regex::new(&"(".repeat(100_000), false).is_none());
        assert!(Regex::new(&format!("{}{}", "(?=".repeat(10_000), ")".repeat(10_000)), false).is_none());
    }
}
