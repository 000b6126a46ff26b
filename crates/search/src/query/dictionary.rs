//! Terms of a dictionary that match.

use std::borrow::Cow;

use errors::Result;
use tantivy::postings::TermInfo;
use tantivy::termdict::TermDictionary;
use velocypack::order::type_upper_bound;

use super::automaton::{AfterPrefix, CharacterAutomaton};
use super::levenshtein::Levenshtein;
use super::like::Like;
use super::{Bounds, Matcher};
use crate::pulse::Pulse;
use crate::segment::read_error;
use crate::term::{self, TOKEN_BYTES_MAX, Value};

/// The steps that a lookup of one term costs: it reads some nodes of the dictionary.
const STEPS_PER_LOOKUP: usize = 8;

/// A set of terms of one dictionary.
#[derive(Clone, Debug)]
pub(crate) enum TermSource<'q> {
    /// These terms.
    Exactly(Vec<Vec<u8>>),
    /// The terms from one, or after it, up to another, or before it.
    Range(Vec<u8>, bool, Vec<u8>, bool),
    /// The tokens after the prefix that match.
    Matching(Cow<'q, str>, &'q Matcher),
}

/// Takes a term and its place in the segment.
pub(crate) type VisitTerm<'v> = &'v mut dyn FnMut(&[u8], &TermInfo) -> Result<()>;

impl<'q> TermSource<'q> {
    /// Returns the tokens of a field that match.
    pub(crate) fn tokens(prefix: &str, matcher: &'q Matcher) -> Self {
        let with = |token: &str| [prefix.as_bytes(), token.as_bytes()].concat();
        match matcher {
            Matcher::AnyOf(tokens) => {
                let mut terms: Vec<_> = tokens.iter().map(|token| with(&term::bounded(token))).collect();
                terms.sort_unstable();
                terms.dedup();
                TermSource::Exactly(terms)
            }
            Matcher::Prefix(beginning) => TermSource::beginning_with(with(beginning)),
            Matcher::Range(Bounds { low, high }) => {
                let low = low.as_ref().map(|(low, inclusive)| (with(low), *inclusive));
                let high = high.as_ref().map(|(high, inclusive)| (with(high), *inclusive));
                let (low, low_inclusive) = low.unwrap_or((with(""), true));
                let (high, high_inclusive) = high.unwrap_or_else(|| (successor(with("")), false));
                TermSource::Range(low, low_inclusive, high, high_inclusive)
            }
            Matcher::Like(_) | Matcher::Levenshtein(_) => {
                TermSource::Matching(Cow::Owned(prefix.to_owned()), matcher)
            }
        }
    }

    /// Returns the term of a value that is not a text.
    pub(crate) fn value(path: &str, value: &Value) -> Self {
        let mut term = Vec::new();
        term::push_value_prefix(path, &mut term);
        term::push_sort_key(value, &mut term);
        TermSource::Exactly(vec![term])
    }

    /// Returns the terms of values in a range, of the type of its bounds.
    pub(crate) fn value_range(path: &str, bounds: &Bounds<Value>) -> Self {
        let with = |key: &[u8]| {
            let mut term = Vec::new();
            term::push_value_prefix(path, &mut term);
            term.extend_from_slice(key);
            term
        };
        let of = |(value, inclusive): &(Value, bool)| {
            let mut key = Vec::new();
            term::push_sort_key(value, &mut key);
            (with(&key), *inclusive)
        };
        let kind = bounds.low.as_ref().or(bounds.high.as_ref()).map(|(value, _)| value.kind());
        let Some(kind) = kind else { return TermSource::Exactly(Vec::new()) };
        let least = || (with(velocypack::order::type_lower_bound(kind)), true);
        let (low, low_inclusive) = bounds.low.as_ref().map_or_else(least, of);
        let greatest = || (with(type_upper_bound(kind)), false);
        let (high, high_inclusive) = bounds.high.as_ref().map_or_else(greatest, of);
        TermSource::Range(low, low_inclusive, high, high_inclusive)
    }

    fn beginning_with(term: Vec<u8>) -> Self {
        let end = successor(term.clone());
        TermSource::Range(term, true, end, false)
    }

    /// Passes the terms that a dictionary has to `visit`. Each is a step of the search.
    pub(crate) fn for_each(
        &self,
        dictionary: &TermDictionary,
        pulse: &Pulse,
        visit: VisitTerm<'_>,
    ) -> Result<()> {
        match self {
            TermSource::Exactly(terms) => {
                for term in terms {
                    pulse.step(STEPS_PER_LOOKUP)?;
                    if let Some(info) = dictionary.get(term).map_err(read_error)? {
                        visit(term, &info)?;
                    }
                }
                Ok(())
            }
            TermSource::Range(low, low_inclusive, high, high_inclusive) => {
                // The dictionary does not stop at a lower bound above the upper one.
                if low > high {
                    return Ok(());
                }
                let range = dictionary.range();
                let range = if *low_inclusive { range.ge(low) } else { range.gt(low) };
                let range = if *high_inclusive { range.le(high) } else { range.lt(high) };
                let mut stream = range.into_stream().map_err(read_error)?;
                while stream.advance() {
                    pulse.step(1)?;
                    visit(stream.key(), stream.value())?;
                }
                Ok(())
            }
            TermSource::Matching(prefix, Matcher::Like(pattern)) => {
                let (beginning, rest) = Like::new(pattern);
                if rest.least_characters() > TOKEN_BYTES_MAX {
                    return Ok(());
                }
                run(dictionary, &format!("{prefix}{beginning}"), rest, pulse, visit)
            }
            TermSource::Matching(prefix, Matcher::Levenshtein(similar)) => {
                let rest = Levenshtein::new(&similar.target, similar.distance, similar.transpositions);
                if rest.least_characters() > TOKEN_BYTES_MAX {
                    return Ok(());
                }
                run(dictionary, &format!("{prefix}{}", similar.prefix), rest, pulse, visit)
            }
            TermSource::Matching(..) => Ok(()),
        }
    }
}

fn run<A: CharacterAutomaton>(
    dictionary: &TermDictionary,
    prefix: &str,
    rest: A,
    pulse: &Pulse,
    visit: VisitTerm<'_>,
) -> Result<()> {
    let automaton = AfterPrefix { prefix: prefix.as_bytes(), rest, pulse: pulse.clone() };
    let mut stream = dictionary.search(automaton).into_stream().map_err(read_error)?;
    while stream.advance() {
        pulse.step(1)?;
        visit(stream.key(), stream.value())?;
    }
    // The automaton may have stopped the stream.
    pulse.check()
}

/// Returns the least bytes above all that begin with these, which are UTF-8 and not empty.
fn successor(mut bytes: Vec<u8>) -> Vec<u8> {
    if let Some(last) = bytes.last_mut() {
        *last = last.saturating_add(1);
    }
    bytes
}
