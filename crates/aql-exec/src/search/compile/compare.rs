//! Comparisons with values.

use std::sync::Arc;

use aql_plan::{CompareOperator, SearchField};
use aql_value::Value;
use errors::Result;
use search::{Bounds, FieldRef, Matcher, Presence, Query};

use super::super::value::{Arguments, term_value};
use super::{Compiler, Scope, any_of, constant};

impl Compiler<'_> {
    /// Returns the query of `field operator value`. Ranges have values of one type.
    pub(super) fn compare(
        &self,
        field: &SearchField<Value>,
        operator: CompareOperator,
        value: &Value,
        scope: &Scope,
    ) -> Query {
        let is_unequal = operator == CompareOperator::NotEqual;
        // Arrays and objects are not terms, so no document has them.
        let Some(value) = term_value(value) else { return constant(is_unequal) };
        let bounds = |low, high| Bounds { low, high };
        let bounds = match operator {
            CompareOperator::Equal => return self.equal_or_missing(field, &value, scope),
            CompareOperator::NotEqual => return Query::not(self.equal_or_missing(field, &value, scope)),
            CompareOperator::Less => bounds(None, Some((value, false))),
            CompareOperator::LessEqual => bounds(None, Some((value, true))),
            CompareOperator::Greater => bounds(Some((value, false)), None),
            CompareOperator::GreaterEqual => bounds(Some((value, true)), None),
        };
        self.range(field, &bounds, scope)
    }

    /// Returns the query of `field == value`. The value of a missing attribute may be null.
    fn equal_or_missing(&self, field: &SearchField<Value>, value: &search::Value, scope: &Scope) -> Query {
        let equal = self.equal(field, value, scope);
        let is_null = matches!(value, search::Value::Null);
        // An array has the values of its elements, none of which is missing.
        match self.fields.presence(field).filter(|_| self.missing_is_null && is_null && !field.is_expanded())
        {
            Some(path) => any_of(vec![equal, Query::not(Query::Exists(path, Presence::Any))]),
            None => equal,
        }
    }

    fn equal(&self, field: &SearchField<Value>, value: &search::Value, scope: &Scope) -> Query {
        self.on_values(field, value, scope, |field| Query::equal(field, value.clone()))
    }

    /// Returns the query of values within bounds. Null is the only value of its type.
    pub(super) fn range(
        &self,
        field: &SearchField<Value>,
        bounds: &Bounds<search::Value>,
        scope: &Scope,
    ) -> Query {
        if bounds.low.iter().chain(&bounds.high).all(|(bound, is_in)| *is_in && *bound == search::Value::Null)
        {
            return self.equal_or_missing(field, &search::Value::Null, scope);
        }
        let Some((bound, _)) = bounds.low.as_ref().or(bounds.high.as_ref()) else { return Query::None };
        self.on_values(field, bound, scope, |field| Query::range(field, bounds.clone()))
    }

    /// Returns the query on a field. Only texts depend on its analysis.
    fn on_values(
        &self,
        field: &SearchField<Value>,
        value: &search::Value,
        scope: &Scope,
        query: impl FnMut(FieldRef) -> Query,
    ) -> Query {
        if matches!(value, search::Value::Text(_)) {
            return self.on_field(field, scope, query);
        }
        let path = self.fields.values(field);
        let field = path.map(|path| FieldRef { path, analysis: Arc::clone(&scope.analysis) });
        field.map_or(Query::None, query)
    }

    /// Returns the query of `field IN list`: nothing if the list is not an array.
    pub(super) fn membership(&self, field: &SearchField<Value>, list: &Value, scope: &Scope) -> Query {
        if !list.is_array() {
            return Query::None;
        }
        let (mut tokens, mut queries) = (Vec::new(), Vec::new());
        for value in list.elements().filter_map(|value| term_value(&value)) {
            match value {
                search::Value::Text(token) => tokens.push(token),
                value => queries.push(self.equal_or_missing(field, &value, scope)),
            }
        }
        if !tokens.is_empty() {
            queries.push(
                self.on_field(field, scope, |field| Query::Tokens(field, Matcher::AnyOf(tokens.clone()))),
            );
        }
        any_of(queries)
    }

    /// Returns the query of `field IN first..last`.
    pub(super) fn within(
        &self,
        field: &SearchField<Value>,
        first: &Value,
        last: &Value,
        scope: &Scope,
    ) -> Query {
        let bound = |value: &Value| term_value(&Value::Int(value.to_i64())).map(|value| (value, true));
        self.range(field, &Bounds { low: bound(first), high: bound(last) }, scope)
    }

    /// Returns the query of `IN_RANGE(field, low, high, includeLow, includeHigh)`.
    pub(super) fn in_range(
        &self,
        field: &SearchField<Value>,
        arguments: &Arguments<'_>,
        scope: &Scope,
    ) -> Result<Query> {
        let bound = |index: usize, includes: usize| {
            let value = arguments.values.get(index).and_then(term_value);
            let value =
                value.ok_or_else(|| arguments.invalid(index, "a string, a number, a boolean or null"))?;
            Ok::<_, errors::Error>(Some((value, arguments.flag(includes, true)?)))
        };
        Ok(self.range(field, &Bounds { low: bound(0, 2)?, high: bound(1, 3)? }, scope))
    }
}
