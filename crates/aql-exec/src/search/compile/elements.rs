//! Array comparisons.

use aql_plan::{CompareOperator, SearchField, SearchQuantifier};
use aql_value::Value;
use search::Query;

use super::{Compiler, Scope, any_of, at_least};

impl Compiler<'_> {
    /// Returns the query of `list quantifier operator field`, where `operator` compares the field
    /// with an element.
    ///
    /// As in ArangoDB, `NONE <` is `ALL >=`, which differs for documents without the field.
    pub(super) fn elements(
        &self,
        quantifier: &SearchQuantifier<Value>,
        list: &Value,
        operator: CompareOperator,
        field: &SearchField<Value>,
        scope: &Scope,
    ) -> Query {
        if !list.is_array() {
            return Query::None;
        }
        let is_equality = matches!(operator, CompareOperator::Equal | CompareOperator::NotEqual);
        let queries = |operator| -> Vec<Query> {
            list.elements().map(|element| self.compare(field, operator, &element, scope)).collect()
        };
        match quantifier {
            SearchQuantifier::All => Query::And(queries(operator)),
            SearchQuantifier::Any if operator == CompareOperator::Equal => {
                self.membership(field, list, scope)
            }
            SearchQuantifier::Any => any_of(queries(operator)),
            SearchQuantifier::None if is_equality => Query::not(any_of(queries(operator))),
            SearchQuantifier::None => Query::And(queries(operator.negated())),
            SearchQuantifier::AtLeast(count) | SearchQuantifier::Exactly(count) => {
                at_least(usize::try_from(count.to_i64().max(0)).unwrap_or(usize::MAX), queries(operator))
            }
        }
    }
}
