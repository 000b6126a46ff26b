//! `remove-filter-covered-by-traversal`: drops conditions that hold for every path of a traversal.

use super::{Rule, RuleContext};
use crate::analysis::filter::retain_conjuncts;
use crate::analysis::pipeline::for_each_pipeline;
use aql_plan::{Expression, NodeKind, Plan, Traversal};
use errors::Result;

pub(super) struct RemoveFilterCoveredByTraversal;

impl Rule for RemoveFilterCoveredByTraversal {
    fn name(&self) -> &'static str {
        "remove-filter-covered-by-traversal"
    }

    fn description(&self) -> &'static str {
        "Removes filters and parts of filters that a traversal already guarantees."
    }

    fn apply(&self, plan: &mut Plan, _context: &mut RuleContext<'_>) -> Result<bool> {
        for_each_pipeline(plan, &mut |nodes, workshop| {
            let mut changed = false;
            let mut position = 0;
            while let Some(node) = nodes.get(position) {
                if let NodeKind::Traversal(traversal) = &node.kind {
                    let guaranteed = guaranteed_conditions(traversal);
                    changed |= retain_conjuncts(nodes, position, workshop, &|conjunct| {
                        !guaranteed.iter().any(|known| known.is_same(conjunct))
                    });
                }
                position += 1;
            }
            Ok(changed)
        })
    }
}

/// Returns the conditions that hold for every row of the traversal.
fn guaranteed_conditions(node: &Traversal) -> Vec<Expression> {
    let covered = node.covered.iter().filter(|covered| covered.entirely);
    let covered = covered.map(|covered| covered.condition.clone());
    covered.chain(node.output_filter.clone().into_iter().flat_map(Expression::into_conjuncts)).collect()
}
