//! `optimize-enumerate-path-filters`: a path search follows only vertices and edges that pass the
//! filters on all vertices or all edges of its paths.
//!
//! The rule skips `ALL_SHORTEST_PATHS`, because the conditions would change the smallest length
//! there.

use aql_plan::{
    CoveredCondition, EnumeratePaths, EnumeratePathsKind, Expression, NodeKind, Plan, StepCondition,
    VariableSet,
};
use errors::Result;

use super::{Rule, RuleContext};
use crate::analysis::condition::{conditions_after, set_from};
use crate::analysis::filter::retain_conjuncts;
use crate::analysis::identity::ConditionSet;
use crate::analysis::path::elements_condition;
use crate::analysis::pipeline::{Workshop, for_each_pipeline};

pub(super) struct OptimizeEnumeratePathFilters;

impl Rule for OptimizeEnumeratePathFilters {
    fn name(&self) -> &'static str {
        "optimize-enumerate-path-filters"
    }

    fn description(&self) -> &'static str {
        "Moves filters on all vertices or all edges of a path into the path search."
    }

    fn apply(&self, plan: &mut Plan, context: &mut RuleContext<'_>) -> Result<bool> {
        for_each_pipeline(plan, context.interrupt, &mut |nodes, workshop| {
            let mut changed = false;
            let mut position = 0;
            while let Some(node) = nodes.get(position) {
                context.interrupt.check()?;
                if let NodeKind::EnumeratePaths(search) = &node.kind
                    && search.kind != EnumeratePathsKind::AllShortestPaths
                {
                    let mut search = (**search).clone();
                    let mut unavailable = set_from(nodes, position);
                    unavailable.remove(search.path.out);
                    for condition in conditions_after(nodes, position, context.interrupt) {
                        for conjunct in condition.expression.into_conjuncts() {
                            context.interrupt.check()?;
                            changed |= take(&mut search, conjunct, &unavailable, workshop);
                        }
                    }
                    let covered = search.covered.iter().map(|covered| &covered.condition);
                    let mut covered = ConditionSet::new(covered, context)?;
                    if let Some(node) = nodes.get_mut(position) {
                        node.kind = NodeKind::EnumeratePaths(Box::new(search));
                    }
                    retain_conjuncts(nodes, position, workshop, context.interrupt, &mut |conjunct| {
                        Ok(!covered.contains(conjunct)?)
                    })?;
                }
                position += 1;
            }
            Ok(changed)
        })
    }
}

/// Adds the condition to those of the search, if it can be one.
fn take(
    search: &mut EnumeratePaths,
    conjunct: Expression,
    unavailable: &VariableSet,
    workshop: &mut Workshop<'_>,
) -> bool {
    if !conjunct.is_deterministic() || conjunct.variables().intersects(unavailable) {
        return false;
    }
    let found = elements_condition(&conjunct, search.path.out, workshop.variables);
    let Some((element, input, condition)) = found else { return false };
    search.conditions.push(StepCondition { element, depth: None, input, condition });
    search.covered.push(CoveredCondition { condition: conjunct, entirely: true });
    true
}
