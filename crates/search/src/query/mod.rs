//! Queries over the terms of an index.

mod automaton;
mod dictionary;
mod levenshtein;
mod like;
mod matches_token;
mod prepare;
mod terms;

use std::ops::RangeInclusive;
use std::sync::Arc;

use velocypack::Kind;

use crate::hit_set::HitSet;
use crate::path::Path;
use crate::schema::FieldRef;
use crate::term::{Presence, Value};

pub(crate) use prepare::Prepared;

/// The greatest distance of [`Matcher::Levenshtein`] that AQL allows.
pub const DISTANCE_MAX: u8 = 4;

/// A condition on documents.
#[derive(Clone, Debug)]
pub enum Query {
    /// These documents, which are not nested ones.
    Documents(Arc<HitSet>),
    /// The documents with these keys.
    Keys(Vec<String>),
    /// All documents; within [`Query::Nested`] all nested documents of the array.
    All,
    /// No document.
    None,
    /// Documents with this value, which is not a text, at a path.
    Value(Path, Value),
    /// Documents with a value between two others, neither of which is a text.
    ValueRange(Path, Bounds<Value>),
    /// Documents with a token that matches.
    Tokens(FieldRef, Matcher),
    /// Documents with tokens one after another. The field stores positions.
    Phrase(FieldRef, Vec<PhrasePart>),
    /// Documents with n-grams in the order of a text. The field stores positions.
    NgramMatch {
        /// The field.
        field: FieldRef,
        /// The n-grams of the text that is searched for.
        grams: Vec<String>,
        /// The share of the n-grams that the longest common subsequence must have at least.
        threshold: f64,
    },
    /// Documents in which a path is present.
    Exists(Path, Presence),
    /// Documents that match all.
    And(Vec<Query>),
    /// Documents that match at least this many.
    AtLeast(usize, Vec<Query>),
    /// Documents that do not match.
    Not(Box<Query>),
    /// The same documents, with scores multiplied by a factor.
    Boost(Box<Query>, f32),
    /// Documents with this many matching nested documents in the array at a path.
    Nested {
        /// The path of the array.
        path: Path,
        /// The condition on a nested document; the paths in it lead through the array.
        query: Box<Query>,
        /// The numbers of matching nested documents that satisfy the query.
        counts: RangeInclusive<u32>,
    },
}

/// The lower and upper bound of a range. Each is a value and true if the value is within the range.
#[derive(Clone, Debug, PartialEq)]
pub struct Bounds<V> {
    /// The lower bound.
    pub low: Option<(V, bool)>,
    /// The upper bound.
    pub high: Option<(V, bool)>,
}

/// A condition on a token.
#[derive(Clone, Debug)]
pub enum Matcher {
    /// One of these.
    AnyOf(Vec<String>),
    /// It begins with this text.
    Prefix(String),
    /// It lies between two tokens, in the order of bytes.
    Range(Bounds<String>),
    /// It matches a pattern of `LIKE`.
    Like(String),
    /// It is similar to a token.
    Levenshtein(Similar),
}

/// A token and how much another one may differ from it.
#[derive(Clone, Debug)]
pub struct Similar {
    /// The token, without `prefix`.
    pub target: String,
    /// The maximum number of changes; at most [`DISTANCE_MAX`] in AQL.
    pub distance: u8,
    /// Two neighbours that change places are one change.
    pub transpositions: bool,
    /// Maximum number of tokens to consider, the most similar ones first; 0 for all.
    pub max_terms: usize,
    /// The beginning that the tokens must have. Only the rest is compared.
    pub prefix: String,
}

/// A part of a phrase: one position.
#[derive(Clone, Debug)]
pub struct PhrasePart {
    /// The number of arbitrary tokens between the part before and this one. The first part has
    /// none.
    pub skip: i64,
    /// The tokens that may stand there.
    pub matcher: Matcher,
}

impl Query {
    /// Returns the documents that match at least one of several queries.
    pub fn or(queries: Vec<Query>) -> Self {
        Query::AtLeast(1, queries)
    }

    /// Returns the documents that do not match.
    #[expect(clippy::should_implement_trait, reason = "a constructor")]
    pub fn not(query: Query) -> Self {
        Query::Not(Box::new(query))
    }

    /// Returns the documents with this value in a field; a text is a token.
    pub fn equal(field: FieldRef, value: Value) -> Self {
        match value {
            Value::Text(token) => Query::Tokens(field, Matcher::AnyOf(vec![token])),
            value => Query::Value(field.path, value),
        }
    }

    /// Returns the documents with a value in a range.
    ///
    /// A range has values of one type only: that of its bounds. It is empty if they differ.
    pub fn range(field: FieldRef, bounds: Bounds<Value>) -> Self {
        let kind = |bound: &Option<(Value, bool)>| bound.as_ref().map(|(value, _)| value.kind());
        match (kind(&bounds.low), kind(&bounds.high)) {
            (None, None) => Query::None,
            (Some(low), Some(high)) if low != high => Query::None,
            (Some(Kind::String), _) | (_, Some(Kind::String)) => {
                let text = |bound: Option<(Value, bool)>| match bound {
                    Some((Value::Text(text), inclusive)) => Some((text, inclusive)),
                    _ => None,
                };
                let bounds = Bounds { low: text(bounds.low), high: text(bounds.high) };
                Query::Tokens(field, Matcher::Range(bounds))
            }
            _ => Query::ValueRange(field.path, bounds),
        }
    }
}
