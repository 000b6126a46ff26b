//! Conditions on a token outside of a dictionary.

use errors::Result;
use owner::Interrupt;

use super::automaton::CharacterAutomaton;
use super::levenshtein::Levenshtein;
use super::like::Like;
use super::{Matcher, Similar};
use crate::pulse::Pulse;
use crate::term::bounded;

/// The bytes that are read in one step of a search.
const STEP_BYTES: usize = 64;

impl Matcher {
    /// Returns true if a token outside of an index matches. Errors: those of the interrupt.
    pub fn accepts(&self, token: &str, interrupt: &Interrupt) -> Result<bool> {
        self.matches(token, &Pulse::new(interrupt))
    }

    /// Returns true if a token matches. Errors: those of the search that it is a part of.
    pub(crate) fn matches(&self, token: &str, pulse: &Pulse) -> Result<bool> {
        pulse.step(1 + self.cost(token) / STEP_BYTES)?;
        Ok(match self {
            Matcher::AnyOf(tokens) => tokens.iter().any(|own| bounded(own) == token),
            Matcher::Prefix(prefix) => token.starts_with(prefix.as_str()),
            Matcher::Range(bounds) => {
                let above = bounds.low.as_ref().is_none_or(|(low, inclusive)| match inclusive {
                    true => token >= low.as_str(),
                    false => token > low.as_str(),
                });
                let below = bounds.high.as_ref().is_none_or(|(high, inclusive)| match inclusive {
                    true => token <= high.as_str(),
                    false => token < high.as_str(),
                });
                above && below
            }
            Matcher::Like(pattern) => {
                let (prefix, like) = Like::new(pattern);
                token.strip_prefix(&prefix).is_some_and(|rest| {
                    like.is_match(&rest.chars().fold(like.start(), |places, next| like.step(&places, next)))
                })
            }
            Matcher::Levenshtein(Similar { target, distance, transpositions, prefix, .. }) => {
                let levenshtein = Levenshtein::new(target, *distance, *transpositions);
                token.strip_prefix(prefix.as_str()).is_some_and(|rest| levenshtein.distance(rest).is_some())
            }
        })
    }

    /// Returns the bytes that a match reads, some of them often.
    fn cost(&self, token: &str) -> usize {
        match self {
            Matcher::AnyOf(tokens) => tokens.len() * 8,
            Matcher::Prefix(_) | Matcher::Range(_) => token.len(),
            Matcher::Like(pattern) => pattern.len() + token.len() * (pattern.len() / 64 + 1),
            Matcher::Levenshtein(similar) => similar.target.len().saturating_mul(token.len()),
        }
    }
}
