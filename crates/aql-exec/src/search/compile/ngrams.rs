//! `NGRAM_MATCH()` and `MINHASH_MATCH()`.

use aql_plan::SearchField;
use aql_value::{Interrupt, Value};
use errors::Result;
use search::{Analysis, Matcher, Query};

use super::super::value::Arguments;
use super::{Compiler, Scope, at_least};

/// The share of n-grams that must be found unless the call says otherwise.
const DEFAULT_THRESHOLD: f64 = 0.7;

impl Compiler<'_> {
    /// Returns the query of `NGRAM_MATCH(field, target, threshold, analyzer)`, where each of the
    /// last two may be missing.
    pub(super) fn ngram_match(
        &self,
        field: &SearchField<Value>,
        arguments: &Arguments<'_>,
        scope: &Scope,
    ) -> Result<Query> {
        let (target, threshold, scope) = self.similarity(arguments, scope)?;
        self.try_on_field(field, &scope, |field| {
            let grams = tokens(&field.analysis, target, self.interrupt)?;
            Ok(Query::NgramMatch { field, grams, threshold })
        })
    }

    /// Returns the query of `MINHASH_MATCH(field, target, threshold, analyzer)`: this many of the
    /// hashes are the same.
    pub(super) fn minhash_match(
        &self,
        field: &SearchField<Value>,
        arguments: &Arguments<'_>,
        scope: &Scope,
    ) -> Result<Query> {
        let (target, threshold, scope) = self.similarity(arguments, scope)?;
        self.try_on_field(field, &scope, |field| {
            let mut hashes = tokens(&field.analysis, target, self.interrupt)?;
            hashes.sort_unstable();
            hashes.dedup();
            // A product such as 3 · 0.1 · 10 must not need one more.
            let needed = (hashes.len() as f64 * threshold - 1e-9).ceil().max(1.0) as usize;
            let equal = |hash| Query::Tokens(field.clone(), Matcher::AnyOf(vec![hash]));
            Ok(at_least(needed, hashes.into_iter().map(equal).collect()))
        })
    }

    /// Reads target, threshold and Analyzer.
    fn similarity<'v>(&self, arguments: &Arguments<'v>, scope: &Scope) -> Result<(&'v str, f64, Scope)> {
        let target = arguments.text(0)?;
        let (threshold, name) = match arguments.given(1) {
            Some(name) if name.is_string() => (DEFAULT_THRESHOLD, Some(name)),
            Some(_) => (arguments.number(1)?, arguments.given(2)),
            None => (DEFAULT_THRESHOLD, arguments.given(2)),
        };
        if !(0.0..=1.0).contains(&threshold) {
            return Err(arguments.invalid(1, "from 0 to 1"));
        }
        Ok((target, threshold, self.scope_of(name, arguments, scope)?))
    }
}

/// Returns the tokens of a text, in order. Errors: those of the interrupt.
pub(super) fn tokens(analysis: &Analysis, text: &str, interrupt: &Interrupt) -> Result<Vec<String>> {
    let mut tokens = Vec::new();
    analysis.tokens(text, interrupt, &mut |token, _| tokens.push(token.to_owned()))?;
    Ok(tokens)
}
