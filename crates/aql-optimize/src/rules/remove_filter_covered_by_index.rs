//! `remove-filter-covered-by-index`: drops conditions that hold for every document of an index
//! scan.
//!
//! The conditions of a search of an inverted index are dropped even if queries turn the rule off,
//! because some of them have no value outside of it.

use aql_plan::{Expression, IndexScan, Node, NodeKind, Plan, VariableId, VariableSet, reads_of_pipeline};
use aql_value::Interrupt;
use errors::Result;

use super::{Rule, RuleContext};
use crate::analysis::condition::{Atom, Branch, implied_atoms, normalize, set_from};
use crate::analysis::filter::retain_conjuncts;
use crate::analysis::pipeline::{Workshop, for_each_pipeline};

pub(super) struct RemoveFilterCoveredByIndex;

impl Rule for RemoveFilterCoveredByIndex {
    fn name(&self) -> &'static str {
        "remove-filter-covered-by-index"
    }

    fn description(&self) -> &'static str {
        "Removes filters and parts of filters that an index scan already guarantees."
    }

    fn apply(&self, plan: &mut Plan, context: &mut RuleContext<'_>) -> Result<bool> {
        for_each_pipeline(plan, context.interrupt, &mut |nodes, workshop| {
            let mut changed = false;
            let mut position = 0;
            while position < nodes.len() {
                context.interrupt.check()?;
                changed |= drop_searched(nodes, position, workshop, context)?;
                if let Some(NodeKind::Index(scan)) = nodes.get(position).map(|node| &node.kind) {
                    let scan = scan.clone();
                    let unavailable = set_from(nodes, position);
                    let guaranteed = guaranteed_atoms(&scan);
                    changed |=
                        retain_conjuncts(nodes, position, workshop, context.interrupt, &mut |conjunct| {
                            is_open(conjunct, &guaranteed, scan.source.out, &unavailable, context)
                        })?;
                }
                position += 1;
            }
            Ok(changed)
        })
    }

    fn apply_disabled(&self, plan: &mut Plan, context: &mut RuleContext<'_>) -> Result<()> {
        for_each_pipeline(plan, context.interrupt, &mut |nodes, workshop| {
            let mut changed = false;
            for position in 0..nodes.len() {
                changed |= drop_searched(nodes, position, workshop, context)?;
            }
            Ok(changed)
        })
        .map(|_| ())
    }
}

/// Drops the conditions that the inverted index at a position has answered.
fn drop_searched(
    nodes: &mut Vec<Node>,
    position: usize,
    workshop: &mut Workshop<'_>,
    context: &RuleContext<'_>,
) -> Result<bool> {
    let Some(NodeKind::EnumerateView(search)) = nodes.get(position).map(|node| &node.kind) else {
        return Ok(false);
    };
    let (Some(_), Some(condition)) = (&search.hinted, &search.condition) else { return Ok(false) };
    let answered = condition.clone().into_conjuncts();
    let changed = retain_conjuncts(nodes, position, workshop, context.interrupt, &mut |conjunct| {
        Ok(!answered.iter().any(|part| part.is_same(conjunct)))
    })?;
    // Some of the conditions have no value, so nothing may compute them any more.
    let mut at = nodes.len();
    while changed && at > position + 1 {
        at -= 1;
        if let Some((node, after)) = nodes.get(at..).and_then(<[Node]>::split_first)
            && let NodeKind::Calculation(calculation) = &node.kind
            && calculation.expression.is_deterministic()
            && !reads_of_pipeline(after).contains(calculation.out)
        {
            nodes.remove(at);
        }
    }
    Ok(changed)
}

/// Returns the atoms that hold for every document of a range, range by range.
fn guaranteed_atoms(scan: &IndexScan) -> Vec<Vec<Atom>> {
    let atoms = scan.ranges.iter().map(|range| {
        scan.indexes.get(range.index).map(|index| implied_atoms(index, range)).unwrap_or_default()
    });
    atoms.collect()
}

/// Returns true if some range may find documents that do not satisfy the condition.
fn is_open(
    conjunct: &Expression,
    guaranteed: &[Vec<Atom>],
    document: VariableId,
    unavailable: &VariableSet,
    context: &RuleContext<'_>,
) -> Result<bool> {
    let form = normalize([conjunct], document, unavailable, context.max_branches, context)?;
    for atoms in guaranteed {
        if !implies_some(atoms, &form.branches, context.interrupt)? {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Returns true if documents that satisfy the atoms satisfy one of the branches.
fn implies_some(atoms: &[Atom], branches: &[Branch], interrupt: &Interrupt) -> Result<bool> {
    for branch in branches {
        interrupt.check()?;
        if branch.is_exact && branch.atoms.iter().all(|atom| atoms.iter().any(|known| known.implies(atom))) {
            return Ok(true);
        }
    }
    Ok(false)
}
