//! `remove-filter-covered-by-traversal`: drops conditions that hold for every path of a traversal.

use aql_plan::{Expression, NodeKind, Plan, Traversal};
use errors::Result;

use super::{Rule, RuleContext};
use crate::analysis::filter::retain_conjuncts;
use crate::analysis::identity::ConditionSet;
use crate::analysis::pipeline::for_each_pipeline;

pub(super) struct RemoveFilterCoveredByTraversal;

impl Rule for RemoveFilterCoveredByTraversal {
    fn name(&self) -> &'static str {
        "remove-filter-covered-by-traversal"
    }

    fn description(&self) -> &'static str {
        "Removes filters and parts of filters that a traversal already guarantees."
    }

    fn apply(&self, plan: &mut Plan, context: &mut RuleContext<'_>) -> Result<bool> {
        for_each_pipeline(plan, context.interrupt, &mut |nodes, workshop| {
            let mut changed = false;
            let mut position = 0;
            while let Some(node) = nodes.get(position) {
                context.interrupt.check()?;
                if let NodeKind::Traversal(traversal) = &node.kind {
                    let mut guaranteed = guaranteed_conditions(traversal, context)?;
                    changed |=
                        retain_conjuncts(nodes, position, workshop, context.interrupt, &mut |conjunct| {
                            Ok(!guaranteed.contains(conjunct)?)
                        })?;
                }
                position += 1;
            }
            Ok(changed)
        })
    }
}

/// Returns the conditions that hold for every row of the traversal.
fn guaranteed_conditions(node: &Traversal, context: &RuleContext<'_>) -> Result<ConditionSet> {
    let covered = node.covered.iter().filter(|covered| covered.entirely).map(|covered| &covered.condition);
    let on_output = match &node.output_filter {
        Some(Expression::And(conjuncts)) => conjuncts.as_slice(),
        other => other.as_slice(),
    };
    ConditionSet::new(covered.chain(on_output), context)
}
