//! Patterns on fields with an Analyzer of type `wildcard`.
//!
//! The index has the n-grams of the texts. Those of the pattern find candidates, whose texts are
//! then compared with the pattern.

use std::sync::Arc;

use aql_plan::SearchField;
use aql_value::Value;
use aql_value::pattern::{LikePattern, after_backslash};
use errors::Result;
use search::{FieldRef, Matcher, Presence, Query};
use velocypack::Slice;

use super::super::fields::values_at;
use super::ngrams::tokens;
use super::{Compiler, any_of};

/// The name of the type.
pub(super) const KIND: &str = "wildcard";

/// The character at both ends of a text, from which no pattern can have an n-gram of its own.
const MARKER: char = '\u{FFFD}';

impl Compiler<'_> {
    /// Returns the query of `LIKE(field, pattern)`.
    pub(super) fn wildcard(
        &self,
        field: &SearchField<Value>,
        found: FieldRef,
        pattern: &str,
    ) -> Result<Query> {
        let properties = found.analysis.analyzer.definition().properties()?.into_vec();
        let size = Slice::new(&properties).get("ngramSize").and_then(|size| size.as_i64()).unwrap_or(2);
        let size = usize::try_from(size).unwrap_or(2);
        let analysis = Arc::clone(&found.analysis);
        let like = LikePattern::new(pattern, false, self.interrupt)?;
        self.verifier.verify(&candidates(found, pattern, size), &|document| {
            for value in values_at(document, field).iter().flat_map(texts) {
                let Some(text) = value.as_str() else { continue };
                // Each n-gram begins with a character of an analyzed text.
                let grams = tokens(&analysis, text, self.interrupt)?;
                let starts: String = grams.iter().filter_map(|gram| gram.chars().next()).collect();
                for text in starts.split(MARKER).skip(1) {
                    if like.matches(text, self.interrupt)? {
                        return Ok(true);
                    }
                }
            }
            Ok(false)
        })
    }
}

/// Returns a text, or those of an array.
fn texts(value: &Value) -> Vec<Value> {
    if value.is_array() { value.elements().collect() } else { vec![value.clone()] }
}

/// Returns the documents with the n-grams of the pattern's literal parts.
fn candidates(field: FieldRef, pattern: &str, size: usize) -> Query {
    let mut conditions = Vec::new();
    for run in literals(pattern) {
        // An n-gram that begins where a shorter part begins also begins with that part.
        if run.len() < size {
            let prefix = Matcher::Prefix(run.iter().collect());
            conditions.push(Query::Tokens(field.clone(), prefix));
        }
        for gram in run.windows(size) {
            let gram = Matcher::AnyOf(vec![gram.iter().collect()]);
            conditions.push(Query::Tokens(field.clone(), gram));
        }
    }
    match conditions.is_empty() {
        true => any_of(vec![Query::Exists(field.path, Presence::Analyzer(field.analysis.name.clone()))]),
        false => Query::And(conditions),
    }
}

/// Returns the parts of a pattern between wildcards, with the markers of its ends.
fn literals(pattern: &str) -> Vec<Vec<char>> {
    let mut runs = vec![vec![MARKER]];
    let mut characters = pattern.chars().peekable();
    let push = |runs: &mut Vec<Vec<char>>, character| {
        if let Some(run) = runs.last_mut() {
            run.push(character);
        }
    };
    while let Some(character) = characters.next() {
        match character {
            '%' | '_' => runs.push(Vec::new()),
            '\\' => {
                if let Some(literal) = after_backslash(&mut characters) {
                    push(&mut runs, literal);
                }
            }
            character => push(&mut runs, character),
        }
    }
    push(&mut runs, MARKER);
    // A marker alone is in every text.
    runs.retain(|run| run.iter().any(|character| *character != MARKER));
    runs
}
