//! Conditions on nested documents.

use std::ops::RangeInclusive;

use aql_plan::{SearchCondition, SearchField, SearchQuantifier};
use aql_value::Value;
use errors::Result;
use search::{Presence, Query};

use super::{Compiler, Scope};

impl Compiler<'_> {
    /// Returns the query of `field[? quantifier FILTER condition]`.
    pub(super) fn nested(
        &self,
        field: &SearchField<Value>,
        quantifier: &SearchQuantifier<Value>,
        condition: &SearchCondition<Value>,
        scope: &Scope,
    ) -> Result<Query> {
        let Some(path) = self.fields.nested(field) else { return Ok(Query::None) };
        let query = self.condition(condition, scope)?;
        let nested = |query, counts| Query::Nested { path: path.clone(), query: Box::new(query), counts };
        // No nested document is a contradiction; the attribute must still be an array of them.
        let in_array =
            |query| Query::And(vec![Query::Exists(path.clone(), Presence::Nested), nested(query, 0..=0)]);
        Ok(match quantifier {
            SearchQuantifier::Any => nested(query, 1..=u32::MAX),
            SearchQuantifier::All => in_array(Query::not(query)),
            SearchQuantifier::None => in_array(query),
            SearchQuantifier::AtLeast(count) => match count_of(count) {
                0 => Query::Exists(path, Presence::Nested),
                count => nested(query, count..=u32::MAX),
            },
            SearchQuantifier::Exactly(counts) => {
                let counts = counts_of(counts);
                match counts.start() {
                    0 => Query::And(vec![
                        Query::Exists(path.clone(), Presence::Nested),
                        nested(query, counts.clone()),
                    ]),
                    _ => nested(query, counts),
                }
            }
        })
    }
}

fn count_of(value: &Value) -> u32 {
    u32::try_from(value.to_i64().max(0)).unwrap_or(u32::MAX)
}

/// Returns the counts of a number, or from the first to the last element of a range.
fn counts_of(value: &Value) -> RangeInclusive<u32> {
    if value.is_array() {
        let (first, last) = (count_of(&value.at(0)), count_of(&value.at(-1)));
        return first.min(last)..=first.max(last);
    }
    let count = count_of(value);
    count..=count
}
