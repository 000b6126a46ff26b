//! `remove-redundant-calculations`: what is computed twice is computed once, and read twice.
//!
//! The second calculation stays where it is, unread, for `remove-unnecessary-calculations` to remove.

use super::{Rule, RuleContext};
use aql_plan::{Expression, Node, NodeKind, Plan, VariableId};
use aql_value::Result;
use std::collections::HashMap;
use std::sync::Arc;

pub(super) struct RemoveRedundantCalculations;

impl Rule for RemoveRedundantCalculations {
    fn name(&self) -> &'static str {
        "remove-redundant-calculations"
    }

    fn description(&self) -> &'static str {
        "Replaces references to variables by references to other variables that hold the same result."
    }

    fn apply(&self, plan: &mut Plan, _context: &mut RuleContext<'_>) -> Result<bool> {
        Ok(share(&mut plan.nodes, &Known::new(), &HashMap::new()))
    }
}

/// Calculations by identity; shared, because each subquery starts from those around it.
type Known = HashMap<Arc<[u8]>, VariableId>;

/// Ranges are not shared: a loop over its own range never writes it out, and another pipeline's would have to be.
fn may_be_shared(expression: &Expression) -> bool {
    expression.is_deterministic() && !matches!(expression, Expression::Range { .. })
}

/// Shares within a pipeline, given the calculations of the pipelines around it, and the names they are shared under.
fn share(nodes: &mut [Node], outer: &Known, outer_names: &HashMap<VariableId, VariableId>) -> bool {
    let (mut known, mut names) = (outer.clone(), outer_names.clone());
    let mut changed = false;
    for node in nodes {
        match &mut node.kind {
            NodeKind::Subquery(subquery) => {
                subquery.run_if.iter_mut().for_each(|id| *id = names.get(id).copied().unwrap_or(*id));
                changed |= share(&mut subquery.nodes, &known, &names);
            }
            kind => kind.rename_reads(&|id| names.get(&id).copied().unwrap_or(id)),
        }
        match &node.kind {
            NodeKind::Calculation(calculation) if may_be_shared(&calculation.expression) => {
                let earlier = match calculation.expression.as_variable() {
                    Some(same) => Some(same),
                    None => {
                        let identity = calculation.expression.identity();
                        let earlier = known.get(identity.as_slice()).copied();
                        if earlier.is_none() {
                            known.insert(identity.into(), calculation.out);
                        }
                        earlier
                    }
                };
                if let Some(earlier) = earlier {
                    names.insert(calculation.out, earlier);
                    changed = true;
                }
            }
            // The variables of this pipeline end here, except those that the node was just told to keep.
            NodeKind::Collect(_) => known.clone_from(outer),
            _ => {}
        }
    }
    changed
}
