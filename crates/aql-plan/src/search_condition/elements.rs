//! Array comparisons.

use errors::Result;

use super::shape::{Shaper, unsupported};
use super::{SearchCondition, SearchQuantifier};
use crate::expression::{ArrayCompare, CompareOperator, ElementOperator, Expression, Quantifier};

impl Shaper<'_> {
    /// Returns the condition of `left quantifier operator right`, one side of which is a field.
    pub(super) fn array_compare(&self, compare: &ArrayCompare) -> Result<SearchCondition<Expression>> {
        let (operator, negated) = match compare.operator {
            ElementOperator::In => (CompareOperator::Equal, false),
            ElementOperator::NotIn => (CompareOperator::NotEqual, true),
            ElementOperator::Compare(operator) => (operator, false),
        };
        if let Some(field) = self.field(&compare.right)? {
            // An element is on the left of the operator, and a field on its right.
            return Ok(SearchCondition::Elements {
                quantifier: self.quantifier(&compare.quantifier)?,
                list: self.value(&compare.left)?,
                operator: operator.mirrored(),
                field,
            });
        }
        let Some(field) = self.field(&compare.left)? else {
            return Err(unsupported("an array comparison needs an attribute of the document"));
        };
        let field = field.of_elements();
        // The elements of a field's array are its values. So only some of the comparisons can be
        // answered that ask about all of them.
        let is_membership = matches!(compare.operator, ElementOperator::In | ElementOperator::NotIn);
        let condition = match is_membership {
            true => SearchCondition::In { field, list: self.value(&compare.right)? },
            false => SearchCondition::Compare { field, operator, value: self.value(&compare.right)? },
        };
        let not = |condition| SearchCondition::Not(Box::new(condition));
        match (&compare.quantifier, negated || operator == CompareOperator::NotEqual) {
            (Quantifier::Any, false) => Ok(condition),
            (Quantifier::None, false) => Ok(not(condition)),
            (Quantifier::All, true) if negated => Ok(not(condition)),
            (Quantifier::All, true) => Ok(condition),
            _ => Err(unsupported(
                "the elements of an attribute can only be compared by ANY, NONE and ALL NOT IN",
            )),
        }
    }

    pub(super) fn quantifier(&self, quantifier: &Quantifier) -> Result<SearchQuantifier<Expression>> {
        Ok(match quantifier {
            Quantifier::All => SearchQuantifier::All,
            Quantifier::Any => SearchQuantifier::Any,
            Quantifier::None => SearchQuantifier::None,
            Quantifier::AtLeast(count) => SearchQuantifier::AtLeast(self.value(count)?),
            Quantifier::Exactly(count) => SearchQuantifier::Exactly(self.value(count)?),
        })
    }
}
