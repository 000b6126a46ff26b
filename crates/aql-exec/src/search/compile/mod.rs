//! From a condition with values to a query.

mod compare;
mod elements;
mod exists;
mod geo;
mod nested;
mod ngrams;
mod identifier;
mod phrase;
mod prefix;
mod similar;
#[cfg(test)]
mod tests;
mod wildcard;

use std::sync::Arc;

use aql_plan::{SearchCondition, SearchField, SearchFunction};
use aql_value::{Environment, Interrupt, Value};
use errors::{Error, Result};
use search::{Analysis, FieldRef, Query};

use super::fields::SearchFields;
use super::value::{Arguments, invalid_argument};
use super::verify::Verifier;

/// The name of the Analyzer of a condition without `ANALYZER()`.
const IDENTITY: &str = "identity";

/// The compiler of the conditions of one search.
pub(crate) struct Compiler<'a> {
    pub(crate) fields: &'a SearchFields,
    pub(crate) environment: &'a dyn Environment,
    /// The interrupt of the query, which analysis of texts checks.
    pub(crate) interrupt: &'a Interrupt,
    pub(crate) verifier: &'a dyn Verifier,
    /// A missing attribute equals null, as in FILTER.
    pub(crate) missing_is_null: bool,
}

/// The surroundings of a condition.
#[derive(Clone)]
struct Scope {
    /// The Analyzer of texts.
    analysis: Arc<Analysis>,
}

impl Compiler<'_> {
    /// Returns the query of a condition.
    ///
    /// Errors: 10 for wrong arguments of functions and unknown Analyzers.
    pub(crate) fn query(&self, condition: &SearchCondition<Value>) -> Result<Query> {
        let scope = Scope { analysis: self.analysis(IDENTITY)? };
        self.condition(condition, &scope)
    }

    fn condition(&self, condition: &SearchCondition<Value>, scope: &Scope) -> Result<Query> {
        match condition {
            SearchCondition::Value(value) => Ok(constant(value.to_bool())),
            SearchCondition::And(conditions) => Ok(Query::And(self.conditions(conditions, scope)?)),
            SearchCondition::Or(conditions) => Ok(Query::or(self.conditions(conditions, scope)?)),
            SearchCondition::Not(condition) => Ok(Query::not(self.condition(condition, scope)?)),
            SearchCondition::Compare { field, operator, value } => {
                self.on_identifier(field, self.compare(field, *operator, value, scope))
            }
            SearchCondition::In { field, list } => {
                self.on_identifier(field, self.membership(field, list, scope))
            }
            SearchCondition::Within { field, first, last } => Ok(self.within(field, first, last, scope)),
            SearchCondition::Elements { quantifier, list, operator, field } => {
                self.on_identifier(field, self.elements(quantifier, list, *operator, field, scope))
            }
            SearchCondition::Call { function, field, arguments } => {
                self.on_identifier(field, self.call(*function, field, arguments, scope)?)
            }
            SearchCondition::Geo(test) => self.geo(test, scope),
            SearchCondition::MinMatch { conditions, count } => {
                let count = count_of(count, "MIN_MATCH", conditions.len() + 1)?;
                Ok(at_least(count, self.conditions(conditions, scope)?))
            }
            SearchCondition::Analyzer { condition, name } => {
                let name = name.as_str().ok_or_else(|| invalid_argument("ANALYZER", 2, "a string"))?;
                self.condition(condition, &Scope { analysis: self.analysis(name)? })
            }
            SearchCondition::Boost { condition, factor } => {
                let factor = Some(factor).filter(|factor| factor.is_number()).map(Value::to_f64);
                let factor = factor.ok_or_else(|| invalid_argument("BOOST", 2, "a number"))?;
                Ok(Query::Boost(Box::new(self.condition(condition, scope)?), factor as f32))
            }
            SearchCondition::Nested { field, quantifier, condition } => {
                self.nested(field, quantifier, condition, scope)
            }
        }
    }

    fn conditions(&self, conditions: &[SearchCondition<Value>], scope: &Scope) -> Result<Vec<Query>> {
        conditions.iter().map(|condition| self.condition(condition, scope)).collect()
    }

    fn call(
        &self,
        function: SearchFunction,
        field: &SearchField<Value>,
        values: &[Value],
        scope: &Scope,
    ) -> Result<Query> {
        let arguments = Arguments { function: function.name(), values };
        match function {
            SearchFunction::Exists => self.exists(field, &arguments, scope),
            SearchFunction::InRange => self.in_range(field, &arguments, scope),
            SearchFunction::LevenshteinMatch => self.levenshtein_match(field, &arguments, scope),
            SearchFunction::Like => self.like(field, &arguments, scope),
            SearchFunction::MinhashMatch => self.minhash_match(field, &arguments, scope),
            SearchFunction::NgramMatch => self.ngram_match(field, &arguments, scope),
            SearchFunction::Phrase => self.phrase(field, &arguments, scope),
            SearchFunction::StartsWith => self.starts_with(field, &arguments, scope),
        }
    }

    /// Returns the scope with the Analyzer that an argument names, or the same without it.
    fn scope_of(&self, name: Option<&Value>, arguments: &Arguments<'_>, scope: &Scope) -> Result<Scope> {
        match name {
            None => Ok(scope.clone()),
            Some(name) => {
                let position = arguments.len().saturating_sub(1);
                let name =
                    name.as_str().ok_or_else(|| arguments.invalid(position, "the name of an Analyzer"));
                Ok(Scope { analysis: self.analysis(name?)? })
            }
        }
    }

    /// Returns the analysis by an Analyzer with its own features.
    ///
    /// Errors: 10 if there is no Analyzer of that name.
    fn analysis(&self, name: &str) -> Result<Arc<Analysis>> {
        let found = self.environment.analyzer(name)?;
        let analyzer = found.ok_or_else(|| {
            Error::bad_parameter(format!("unable to resolve analyzer '{name}' in a SEARCH condition"))
        })?;
        Ok(Arc::new(Analysis::of(&analyzer)))
    }

    /// Returns the query on a field, for each way in which indexes have it.
    fn on_field(
        &self,
        field: &SearchField<Value>,
        scope: &Scope,
        mut query: impl FnMut(FieldRef) -> Query,
    ) -> Query {
        any_of(self.fields.find(field, &scope.analysis).into_iter().map(&mut query).collect())
    }

    /// Returns the same for queries that analyze texts. Errors: those of the query and of `query`.
    fn try_on_field(
        &self,
        field: &SearchField<Value>,
        scope: &Scope,
        mut query: impl FnMut(FieldRef) -> Result<Query>,
    ) -> Result<Query> {
        let queries: Result<_> =
            self.fields.find(field, &scope.analysis).into_iter().map(&mut query).collect();
        queries.map(any_of)
    }
}

/// Returns the documents that match at least one of the queries.
fn any_of(mut queries: Vec<Query>) -> Query {
    match queries.len() {
        0 => Query::None,
        1 => queries.pop().unwrap_or(Query::None),
        _ => Query::or(queries),
    }
}

fn constant(holds: bool) -> Query {
    if holds { Query::All } else { Query::None }
}

/// Returns the documents that match this many of the queries.
fn at_least(count: usize, queries: Vec<Query>) -> Query {
    match count {
        0 => Query::All,
        count if count > queries.len() => Query::None,
        count => Query::AtLeast(count, queries),
    }
}

/// Returns the value of an argument that is a number of conditions. Errors: 10.
fn count_of(value: &Value, function: &str, argument: usize) -> Result<usize> {
    if !value.is_number() {
        return Err(invalid_argument(function, argument, "a number"));
    }
    Ok(usize::try_from(value.to_i64().max(0)).unwrap_or(usize::MAX))
}
