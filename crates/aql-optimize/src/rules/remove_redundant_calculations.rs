//! `remove-redundant-calculations`: computes an expression that occurs twice only once.
//!
//! The second calculation stays, unread, until `remove-unnecessary-calculations` removes it.

use std::collections::HashMap;
use std::sync::Arc;

use aql_plan::{Expression, Node, NodeKind, Plan, VariableId};
use aql_value::{Charge, Interrupt};
use errors::Result;

use super::{Rule, RuleContext};
use crate::analysis::identity::charged_identity;

pub(super) struct RemoveRedundantCalculations;

impl Rule for RemoveRedundantCalculations {
    fn name(&self) -> &'static str {
        "remove-redundant-calculations"
    }

    fn description(&self) -> &'static str {
        "Replaces references to variables by references to other variables that hold the same result."
    }

    fn apply(&self, plan: &mut Plan, context: &mut RuleContext<'_>) -> Result<bool> {
        let mut memory = Charge::new(Arc::clone(context.memory));
        share(&mut plan.nodes, &Known::new(), &HashMap::new(), context.interrupt, &mut memory)
    }
}

/// Calculations by identity. The map is shared, because each subquery starts from the surrounding
/// calculations.
type Known = HashMap<Arc<[u8]>, VariableId>;

/// Returns true if an expression may be shared. Ranges may not: a loop over its own range never
/// materializes it, but a shared range would have to be materialized.
fn may_be_shared(expression: &Expression) -> bool {
    expression.is_deterministic() && !matches!(expression, Expression::Range { .. })
}

/// Shares within a pipeline, given the calculations of the surrounding pipelines and the names
/// under which they are shared.
fn share(
    nodes: &mut [Node],
    outer: &Known,
    outer_names: &HashMap<VariableId, VariableId>,
    interrupt: &Interrupt,
    memory: &mut Charge,
) -> Result<bool> {
    let (mut known, mut names) = (outer.clone(), outer_names.clone());
    let mut changed = false;
    for node in nodes {
        interrupt.check()?;
        match &mut node.kind {
            NodeKind::Subquery(subquery) => {
                subquery.run_if.iter_mut().for_each(|id| *id = names.get(id).copied().unwrap_or(*id));
                changed |= share(&mut subquery.nodes, &known, &names, interrupt, memory)?;
            }
            kind => kind.rename_reads(&|id| names.get(&id).copied().unwrap_or(id)),
        }
        match &node.kind {
            NodeKind::Calculation(calculation) if may_be_shared(&calculation.expression) => {
                let earlier = match calculation.expression.as_variable() {
                    Some(same) => Some(same),
                    None => {
                        let before = memory.bytes();
                        let identity = charged_identity(&calculation.expression, memory)?;
                        let earlier = known.get(identity.as_slice()).copied();
                        if earlier.is_none() {
                            known.insert(identity.into(), calculation.out);
                        } else {
                            memory.shrink(memory.bytes() - before);
                        }
                        earlier
                    }
                };
                if let Some(earlier) = earlier {
                    names.insert(calculation.out, earlier);
                    changed = true;
                }
            }
            // The variables of this pipeline end here, except those that the node keeps.
            NodeKind::Collect(_) => known.clone_from(outer),
            _ => {}
        }
    }
    Ok(changed)
}
