//! Conditions on a token outside of a dictionary.

use super::automaton::CharacterAutomaton;
use super::levenshtein::Levenshtein;
use super::like::Like;
use super::{Matcher, Similar};
use crate::term::bounded;

impl Matcher {
    /// Returns true if a token matches.
    pub fn matches(&self, token: &str) -> bool {
        match self {
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
        }
    }
}
