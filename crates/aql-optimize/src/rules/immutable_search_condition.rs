//! `immutable-search-condition`: a search in a loop whose condition is the same for all rows of the
//! loop finds its documents once.

use aql_plan::{EnumerateView, Expression, Node, NodeKind, Plan, VariableId};
use aql_value::Interrupt;
use errors::Result;

use super::{Rule, RuleContext};

pub(super) struct ImmutableSearchCondition;

impl Rule for ImmutableSearchCondition {
    fn name(&self) -> &'static str {
        "immutable-search-condition"
    }

    fn description(&self) -> &'static str {
        "Performs searches in loops once if their conditions are the same for all rows."
    }

    fn apply(&self, plan: &mut Plan, context: &mut RuleContext<'_>) -> Result<bool> {
        mark(&mut plan.nodes, false, context.interrupt)
    }
}

/// Marks the searches of a pipeline and its subqueries. Returns true if there are any to mark.
fn mark(nodes: &mut [Node], mut is_in_loop: bool, interrupt: &Interrupt) -> Result<bool> {
    let mut changed = false;
    for node in nodes {
        interrupt.check()?;
        match &mut node.kind {
            NodeKind::EnumerateView(search) => {
                search.is_immutable = is_in_loop && is_immutable(search);
                changed |= search.is_immutable;
                is_in_loop = true;
            }
            NodeKind::Subquery(subquery) => changed |= mark(&mut subquery.nodes, is_in_loop, interrupt)?,
            kind => is_in_loop |= kind.is_loop(),
        }
    }
    Ok(changed)
}

fn is_immutable(search: &EnumerateView) -> bool {
    let is_fixed = |expression: &Expression| is_independent(expression, search.out);
    search.condition.as_ref().is_some_and(is_fixed)
        && search.scores.iter().flat_map(|score| &score.arguments).all(is_fixed)
        && search.highlights.iter().all(|highlight| is_fixed(&highlight.argument))
}

/// Returns true if the value depends on nothing but the document.
fn is_independent(expression: &Expression, document: VariableId) -> bool {
    let mut variables = expression.variables();
    variables.remove(document);
    variables.is_empty() && expression.is_repeatable()
}
