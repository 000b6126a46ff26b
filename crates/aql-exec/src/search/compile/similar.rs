//! `LEVENSHTEIN_MATCH()`.

use aql_plan::SearchField;
use aql_value::Value;
use errors::Result;
use search::{DISTANCE_MAX, Matcher, Query, Similar};

use super::super::value::Arguments;
use super::{Compiler, Scope};

/// Terms that are considered unless the call says otherwise.
const DEFAULT_MAX_TERMS: usize = 64;

impl Compiler<'_> {
    /// Returns the query of `LEVENSHTEIN_MATCH(field, target, distance, transpositions, maxTerms,
    /// prefix)`.
    pub(super) fn levenshtein_match(
        &self,
        field: &SearchField<Value>,
        arguments: &Arguments<'_>,
        scope: &Scope,
    ) -> Result<Query> {
        let similar = similar(arguments)?;
        Ok(self.on_field(field, scope, |field| Query::Tokens(field, Matcher::Levenshtein(similar.clone()))))
    }
}

/// Reads the arguments after the field, which are the same in a phrase.
///
/// Errors: 10, also for a distance that is too great.
pub(super) fn similar(arguments: &Arguments<'_>) -> Result<Similar> {
    let target = arguments.text(0)?.to_owned();
    let distance = arguments.number(1)?;
    let transpositions = arguments.flag(2, true)?;
    let most = if transpositions { DISTANCE_MAX - 1 } else { DISTANCE_MAX };
    if !(0.0..=f64::from(most)).contains(&distance) {
        return Err(arguments.invalid(1, &format!("from 0 to {most}")));
    }
    let max_terms = match arguments.given(3) {
        Some(_) => arguments.number(3)?.max(0.0) as usize,
        None => DEFAULT_MAX_TERMS,
    };
    let prefix = match arguments.given(4) {
        Some(_) => arguments.text(4)?.to_owned(),
        None => String::new(),
    };
    Ok(Similar { target, distance: distance as u8, transpositions, max_terms, prefix })
}
