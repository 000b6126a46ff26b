//! Interruptible matching of regular expressions in long texts.
//!
//! The `regex` crate takes time linear in the text. But an automaton with too many states for its
//! cache multiplies the time by the size of the expression: seconds for a few megabytes, which
//! nothing can interrupt. This module drives the same lazy automaton byte by byte.

use std::ops::Range;

use errors::Result;
use owner::Interrupt;
use regex_automata::hybrid::LazyStateID;
use regex_automata::hybrid::dfa::{Cache, DFA};
use regex_automata::nfa::thompson;
use regex_automata::util::syntax;
use regex_automata::{Anchored, Input, MatchKind, meta};

/// The length up to which texts are not long, unless the expression is large.
pub(super) const LONG_TEXT_BYTES: usize = 16 << 10;

/// The maximum number of bytes between two checks of the interrupt.
const BYTES_PER_CHECK: usize = 1024;

/// The steps between two checks of the interrupt. Each byte may need a new state, which takes a
/// step for each state of the nondeterministic automaton.
const STEPS_PER_CHECK: usize = 1 << 20;

/// The memory of an automaton's state cache. When it is full, it is cleared.
const STATES_BYTES: usize = 2 << 20;

/// The limit of a match's length times the expression's size up to which its groups are searched.
const GROUP_STEPS_MAX: usize = 8_000_000;

/// An expression prepared for long texts.
#[derive(Debug)]
pub(super) struct LongText {
    forward: DFA,
    backward: DFA,
    groups: meta::Regex,
    /// The number of states of the nondeterministic automaton.
    size: usize,
    bytes_per_check: usize,
}

/// A match with its groups; `None` if finding the groups would take too long.
pub(super) type Found = Option<Vec<Option<Range<usize>>>>;

impl LongText {
    /// Returns a prepared expression, given the same one for finding groups; `None` if its
    /// automaton exceeds `max_bytes`.
    pub(super) fn new(
        pattern: &str,
        case_insensitive: bool,
        max_bytes: usize,
        groups: meta::Regex,
    ) -> Option<Self> {
        let syntax = syntax::Config::new().case_insensitive(case_insensitive);
        let automaton = |is_reverse: bool| {
            let thompson = thompson::Config::new()
                .nfa_size_limit(Some(max_bytes))
                .reverse(is_reverse)
                .which_captures(thompson::WhichCaptures::None);
            let kind = if is_reverse { MatchKind::All } else { MatchKind::LeftmostFirst };
            let dfa = DFA::config()
                .match_kind(kind)
                .cache_capacity(STATES_BYTES)
                .skip_cache_capacity_check(true)
                .unicode_word_boundary(true);
            DFA::builder().syntax(syntax).thompson(thompson).configure(dfa).build(pattern).ok()
        };
        let forward = automaton(false)?;
        let size = forward.get_nfa().states().len();
        let bytes_per_check = (STEPS_PER_CHECK / size.max(1)).clamp(1, BYTES_PER_CHECK);
        Some(Self { forward, backward: automaton(true)?, groups, size, bytes_per_check })
    }

    /// Finds the first match from `start` on.
    ///
    /// `Err(Quit)` means that the automaton cannot decide: the text has a letter beyond ASCII, and
    /// the expression asks for word boundaries.
    pub(super) fn find(&self, text: &str, start: usize, interrupt: &Interrupt) -> Result<Search> {
        self.find_with(&mut self.caches(), text, start, interrupt)
    }

    fn caches(&self) -> Caches {
        Caches { forward: self.forward.create_cache(), backward: self.backward.create_cache() }
    }

    fn find_with(
        &self,
        caches: &mut Caches,
        text: &str,
        start: usize,
        interrupt: &Interrupt,
    ) -> Result<Search> {
        let Some(end) = (match self.scan_forward(&mut caches.forward, text, start, interrupt)? {
            Scan::Quit => return Ok(Search::Quit),
            Scan::End(end) => end,
        }) else {
            return Ok(Search::Nothing);
        };
        Ok(match self.scan_backward(&mut caches.backward, text, start..end, interrupt)? {
            Scan::Quit => Search::Quit,
            Scan::End(begin) => Search::Match(begin.unwrap_or(end)..end),
        })
    }

    /// Returns all matches from left to right; see [`search_after`].
    pub(super) fn matches<'a>(&'a self, text: &'a str, interrupt: &'a Interrupt) -> Matches<'a> {
        let caches = self.caches();
        Matches { long: self, caches, text, interrupt, start: 0, has_ended: false }
    }

    /// Returns the groups of a match.
    pub(super) fn groups(&self, text: &str, found: &Range<usize>) -> Found {
        if self.groups.captures_len() == 1 {
            return Some(vec![Some(found.clone())]);
        }
        if found.len().saturating_mul(self.size) > GROUP_STEPS_MAX {
            return None;
        }
        let mut captures = self.groups.create_captures();
        self.groups.captures(Input::new(text).span(found.clone()).anchored(Anchored::Yes), &mut captures);
        let group = |group: Option<regex_automata::Span>| group.map(|span| span.range());
        Some(captures.iter().map(group).collect())
    }

    /// Returns the end of the first match.
    fn scan_forward(
        &self,
        cache: &mut Cache,
        text: &str,
        start: usize,
        interrupt: &Interrupt,
    ) -> Result<Scan> {
        let input = Input::new(text).range(start..);
        let Ok(state) = self.forward.start_state_forward(cache, &input) else { return Ok(Scan::Quit) };
        let every = self.bytes_per_check;
        let mut run = Run { dfa: &self.forward, cache, state, last: None, interrupt, every };
        for (offset, byte) in text.as_bytes().get(start..).unwrap_or_default().iter().enumerate() {
            // A match is known one byte after its end.
            match run.step(offset, *byte, start + offset)? {
                Step::On => {}
                Step::Dead => return Ok(Scan::End(run.last)),
                Step::Quit => return Ok(Scan::Quit),
            }
        }
        Ok(run.finish(text.len()))
    }

    /// Returns the beginning of the match that ends at the end of the range.
    fn scan_backward(
        &self,
        cache: &mut Cache,
        text: &str,
        range: Range<usize>,
        interrupt: &Interrupt,
    ) -> Result<Scan> {
        let input = Input::new(text).range(range.clone()).anchored(Anchored::Yes);
        let Ok(state) = self.backward.start_state_reverse(cache, &input) else { return Ok(Scan::Quit) };
        let every = self.bytes_per_check;
        let mut run = Run { dfa: &self.backward, cache, state, last: None, interrupt, every };
        let bytes = text.as_bytes().get(range.clone()).unwrap_or_default();
        for (offset, byte) in bytes.iter().enumerate().rev() {
            match run.step(offset, *byte, range.start + offset + 1)? {
                Step::On => {}
                Step::Dead => return Ok(Scan::End(run.last)),
                Step::Quit => return Ok(Scan::Quit),
            }
        }
        let before = range.start.checked_sub(1).and_then(|before| text.as_bytes().get(before));
        match before {
            Some(byte) => match run.step(0, *byte, range.start)? {
                Step::Quit => Ok(Scan::Quit),
                Step::On | Step::Dead => Ok(Scan::End(run.last)),
            },
            None => Ok(run.finish(range.start)),
        }
    }
}

/// The caches of the states that the automata have made so far.
#[derive(Debug)]
struct Caches {
    forward: Cache,
    backward: Cache,
}

/// An iterator over matches, see [`LongText::matches`].
pub(super) struct Matches<'a> {
    long: &'a LongText,
    /// The state caches, kept from match to match: making them anew takes longer than most matches.
    caches: Caches,
    text: &'a str,
    interrupt: &'a Interrupt,
    start: usize,
    has_ended: bool,
}

impl Matches<'_> {
    fn advance(&mut self) -> Result<Option<Found>> {
        if self.start > self.text.len() {
            return Ok(None);
        }
        let found = match self.long.find_with(&mut self.caches, self.text, self.start, self.interrupt)? {
            Search::Match(found) => found,
            Search::Nothing => return Ok(None),
            Search::Quit => match self.long.groups.find(Input::new(self.text).range(self.start..)) {
                Some(found) => found.range(),
                None => return Ok(None),
            },
        };
        self.start = search_after(self.text, &found);
        Ok(Some(self.long.groups(self.text, &found)))
    }
}

impl Iterator for Matches<'_> {
    type Item = Result<Found>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.has_ended {
            return None;
        }
        let found = self.advance().transpose();
        self.has_ended = !matches!(found, Some(Ok(Some(_))));
        found
    }
}

/// The result of a search.
pub(super) enum Search {
    Nothing,
    Match(Range<usize>),
    Quit,
}

enum Scan {
    /// The end of the match, if there is one.
    End(Option<usize>),
    Quit,
}

enum Step {
    On,
    Dead,
    Quit,
}

/// An automaton on its way through a text.
struct Run<'a> {
    dfa: &'a DFA,
    cache: &'a mut Cache,
    state: LazyStateID,
    last: Option<usize>,
    interrupt: &'a Interrupt,
    /// The bytes between two checks.
    every: usize,
}

impl Run<'_> {
    /// Consumes a byte; a match that it completes has its end (or beginning) at `edge`.
    fn step(&mut self, count: usize, byte: u8, edge: usize) -> Result<Step> {
        if count.is_multiple_of(self.every) {
            self.interrupt.check()?;
        }
        let Ok(state) = self.dfa.next_state(self.cache, self.state, byte) else { return Ok(Step::Quit) };
        self.state = state;
        if state.is_tagged() {
            if state.is_match() {
                self.last = Some(edge);
            } else if state.is_dead() {
                return Ok(Step::Dead);
            } else if state.is_quit() {
                return Ok(Step::Quit);
            }
        }
        Ok(Step::On)
    }

    /// Ends the run at the end (or beginning) of the text.
    fn finish(self, edge: usize) -> Scan {
        match self.dfa.next_eoi_state(self.cache, self.state) {
            Ok(state) if state.is_match() => Scan::End(Some(edge)),
            Ok(state) if state.is_quit() => Scan::Quit,
            Ok(_) => Scan::End(self.last),
            Err(_) => Scan::Quit,
        }
    }
}

/// Returns the position at which the search for the next match begins.
///
/// As in ICU (and unlike in the `regex` crate) an empty match may touch the match before it, unless
/// that is empty too: `a*` has two matches in `aa`.
pub(super) fn search_after(text: &str, found: &Range<usize>) -> usize {
    if !found.is_empty() {
        return found.end;
    }
    let next = text.get(found.end..).and_then(|rest| rest.chars().next());
    found.end + next.map_or(1, char::len_utf8)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::pattern::Regex;
    use crate::pattern::regex::Matched;

    fn long(pattern: &str, case_insensitive: bool) -> LongText {
        let syntax = syntax::Config::new().case_insensitive(case_insensitive);
        let groups = meta::Regex::builder().syntax(syntax).build(pattern).unwrap();
        LongText::new(pattern, case_insensitive, 4 << 20, groups).unwrap()
    }

    fn all(pattern: &str, text: &str) -> Vec<Range<usize>> {
        let long = long(pattern, false);
        let interrupt = Interrupt::new();
        long.matches(text, &interrupt).map(|found| found.unwrap().unwrap()[0].clone().unwrap()).collect()
    }

    proptest! {
        #[test]
        fn finds_what_short_texts_are_searched_for(
            pattern in prop::sample::select(vec!["a", "ab|a", "a|ab", "(a|b)*c", "a+?b", "^a|b$", "\\ba", "(?i)B+", "[^a]b", "é.", "a{2,3}c?", "(b|a)(a|b)\\b", "", "b*", "\\b", "a|", "$"]),
            text in "[abcé \n]{0,30}",
        ) {
            let regex = Regex::new(pattern, false).unwrap();
            let whole = |groups: Matched| groups.unwrap()[0].clone().unwrap();
            let expected: Vec<_> = regex.matches(&text, &Interrupt::new()).map(|found| whole(found.unwrap())).collect();
            prop_assert_eq!(all(pattern, &text), expected);
        }
    }

    #[test]
    fn ends_when_the_query_does() {
        let long = long("(a|b)*a(a|b){900}c", false);
        // Letters without a period need a new state each, so that the whole text takes seconds.
        let mut bits = 1_u64;
        let mut letter = || {
            bits = bits.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            if bits >> 63 == 0 { 'a' } else { 'b' }
        };
        let text: String = (0..8 << 20).map(|_| letter()).collect();
        let interrupt = Interrupt::with_max_runtime(std::time::Duration::from_millis(20));
        let start = std::time::Instant::now();
        assert_eq!(long.find(&text, 0, &interrupt).err().map(|error| error.number()), Some(1500));
        assert!(start.elapsed().as_millis() < 1000, "{:?}", start.elapsed());
    }

    #[test]
    fn groups_of_a_match() {
        let long = long("(a)|(b+)", true);
        assert_eq!(long.groups("xBBa", &(1..3)), Some(vec![Some(1..3), None, Some(1..3)]));
    }
}
