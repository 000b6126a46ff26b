//! `replace-any-eq-with-in`: replaces `list ANY == value` by `value IN list`, which an index on
//! `list[*]` can look up.

use aql_plan::{CompareOperator, ElementOperator, Expression, Plan, Quantifier};
use errors::Result;

use super::{Rule, RuleContext};
use crate::analysis::pipeline::rewrite_expressions;

pub(super) struct ReplaceAnyEqWithIn;

impl Rule for ReplaceAnyEqWithIn {
    fn name(&self) -> &'static str {
        "replace-any-eq-with-in"
    }

    fn description(&self) -> &'static str {
        "Replaces ANY == by IN."
    }

    fn apply(&self, plan: &mut Plan, context: &mut RuleContext<'_>) -> Result<bool> {
        rewrite_expressions(plan, context.interrupt, &mut |expression| Ok(replace(expression)))
    }
}

fn replace(expression: &mut Expression) -> bool {
    let mut changed = false;
    expression.for_each_child_mut(&mut |child| changed |= replace(child));
    let Expression::ArrayCompare(compare) = expression else { return changed };
    let is_any_equal = matches!(compare.quantifier, Quantifier::Any)
        && compare.operator == ElementOperator::Compare(CompareOperator::Equal);
    if !is_any_equal {
        return changed;
    }
    let (value, list) = (Box::new(compare.right.clone()), Box::new(compare.left.clone()));
    *expression = Expression::In { negated: false, value, list };
    true
}
