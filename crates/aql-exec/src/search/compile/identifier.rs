//! Conditions on `_id`.
//!
//! An index has keys and no identifiers, which change with the name of a collection. The keys in a
//! condition find candidates, and the identifiers of their documents are then compared.

use aql_plan::{SearchField, SearchStep};
use aql_value::{Interrupt, Value};
use errors::Result;
use search::{FieldRef, Matcher, PhrasePart, Presence, Query};

use super::ngrams::tokens;
use super::{Compiler, IDENTITY};

impl Compiler<'_> {
    /// Returns the query of a condition on a field from the query that its terms would have. The
    /// two differ for `_id` alone.
    pub(super) fn on_identifier(&self, field: &SearchField<Value>, query: Query) -> Result<Query> {
        if !is_identifier(field) || !self.fields.has(field) {
            return Ok(query);
        }
        let candidates = candidates(&query).map_or(Query::All, Query::Keys);
        self.verifier.verify(&candidates, &|document| {
            let id = document.get("_id");
            let collection = id.as_str().and_then(|id| id.split_once('/')).map_or("", |(name, _)| name);
            let identifier = Identifier {
                id: id.as_str().filter(|_| self.fields.has_in(collection, field)),
                knows_presence: self.fields.knows_presence_in(collection, field),
                interrupt: self.interrupt,
            };
            identifier.has(&query)
        })
    }
}

fn is_identifier(field: &SearchField<Value>) -> bool {
    match field.steps.as_slice() {
        [SearchStep::Attribute(name)] => **name == *"_id",
        [SearchStep::Computed(name)] => name.as_str() == Some("_id"),
        _ => false,
    }
}

/// Returns the keys that documents must have to match; `None` if others may match, too.
fn candidates(query: &Query) -> Option<Vec<String>> {
    match query {
        Query::None => Some(Vec::new()),
        Query::Tokens(field, Matcher::AnyOf(ids)) if field.analysis.name == IDENTITY => {
            let keys = ids.iter().filter_map(|id| id.split_once('/'));
            Some(keys.map(|(_, key)| key.to_owned()).collect())
        }
        Query::And(queries) => queries.iter().find_map(candidates),
        Query::AtLeast(count, queries) if *count > 0 => {
            let keys = queries.iter().map(candidates).collect::<Option<Vec<_>>>()?;
            Some(keys.concat())
        }
        Query::Boost(query, _) => candidates(query),
        _ => None,
    }
}

/// The identifier of a document, as the index of its collection would have it.
struct Identifier<'a> {
    /// `None` if the index does not have it.
    id: Option<&'a str>,
    /// True if the index can tell that it is there.
    knows_presence: bool,
    interrupt: &'a Interrupt,
}

impl Identifier<'_> {
    /// Returns true if a query on `_id` holds. Errors: those of the interrupt.
    fn has(&self, query: &Query) -> Result<bool> {
        Ok(match query {
            Query::All => true,
            Query::Tokens(field, matcher) => {
                any(&self.tokens(field)?, |token| matcher.accepts(token, self.interrupt))?
            }
            Query::Phrase(field, parts) => has_phrase(&self.tokens(field)?, parts, self.interrupt)?,
            Query::NgramMatch { field, grams, threshold } => {
                let common = longest_common(&self.tokens(field)?, grams);
                common > 0 && common as f64 >= (grams.len() as f64 * threshold).max(1.0) - 1e-9
            }
            Query::Exists(_, Presence::Any | Presence::String | Presence::Analyzer(_)) => {
                self.id.is_some() && self.knows_presence
            }
            Query::And(queries) => !any(queries, |query| Ok(!self.has(query)?))?,
            Query::AtLeast(count, queries) => {
                let mut holding = 0;
                for query in queries {
                    holding += usize::from(self.has(query)?);
                }
                holding >= *count
            }
            Query::Not(query) => !self.has(query)?,
            Query::Boost(query, _) => self.has(query)?,
            // Documents were found by other fields; the rest is no text.
            Query::Documents(_)
            | Query::Keys(_)
            | Query::None
            | Query::Value(..)
            | Query::ValueRange(..)
            | Query::Exists(..)
            | Query::Nested { .. } => false,
        })
    }

    fn tokens(&self, field: &FieldRef) -> Result<Vec<String>> {
        self.id.map_or(Ok(Vec::new()), |id| tokens(&field.analysis, id, self.interrupt))
    }
}

/// Returns true if a test that may fail holds for one of the items.
fn any<T>(items: &[T], mut test: impl FnMut(&T) -> Result<bool>) -> Result<bool> {
    for item in items {
        if test(item)? {
            return Ok(true);
        }
    }
    Ok(false)
}

fn has_phrase(tokens: &[String], parts: &[PhrasePart], interrupt: &Interrupt) -> Result<bool> {
    for start in 0..tokens.len() {
        let mut at = i64::try_from(start).unwrap_or(i64::MAX);
        let mut is_here = true;
        for (number, part) in parts.iter().enumerate() {
            at = if number == 0 { at } else { at.saturating_add(part.skip).saturating_add(1) };
            let token = usize::try_from(at).ok().and_then(|at| tokens.get(at));
            is_here = match token {
                Some(token) => part.matcher.accepts(token, interrupt)?,
                None => false,
            };
            if !is_here {
                break;
            }
        }
        if is_here {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Returns the length of the longest common subsequence.
fn longest_common(left: &[String], right: &[String]) -> usize {
    let mut row = vec![0; right.len()];
    for one in left {
        let (mut diagonal, mut before) = (0, 0);
        for (best, other) in row.iter_mut().zip(right) {
            let above = *best;
            *best = if one == other { diagonal + 1 } else { above.max(before) };
            (diagonal, before) = (above, *best);
        }
    }
    row.last().copied().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn common_subsequences() {
        let texts = |text: &str| text.chars().map(String::from).collect::<Vec<_>>();
        assert_eq!(longest_common(&texts("abcde"), &texts("xbxd")), 2);
        assert_eq!(longest_common(&texts("aaa"), &texts("aa")), 2);
        assert_eq!(longest_common(&[], &texts("a")), 0);
    }
}
