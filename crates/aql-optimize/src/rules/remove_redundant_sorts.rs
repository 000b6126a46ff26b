//! `remove-redundant-sorts`: drops sorts by constants, repeated criteria, and sorts whose order a
//! later sort replaces.

use std::collections::HashMap;

use aql_plan::{Expression, Node, NodeKind, Plan, Sort, VariableId};
use aql_value::Interrupt;
use errors::Result;

use super::{Rule, RuleContext};
use crate::analysis::pipeline::{constants, for_each_pipeline};

pub(super) struct RemoveRedundantSorts {
    pub(super) name: &'static str,
}

impl Rule for RemoveRedundantSorts {
    fn name(&self) -> &'static str {
        self.name
    }

    fn description(&self) -> &'static str {
        "Removes sorts by constants and sorts that a later sort makes unnecessary."
    }

    fn apply(&self, plan: &mut Plan, context: &mut RuleContext<'_>) -> Result<bool> {
        let constants = constants(&plan.nodes);
        for_each_pipeline(plan, context.interrupt, &mut |nodes, _| {
            let simplified = simplify(nodes, &constants);
            let removed = remove_overridden(nodes, context.interrupt)?;
            Ok(simplified | removed)
        })
    }
}

/// Drops criteria that are constant or repeated, and sorts without criteria.
fn simplify(nodes: &mut Vec<Node>, constants: &HashMap<VariableId, Expression>) -> bool {
    let mut changed = false;
    nodes.retain_mut(|node| {
        let NodeKind::Sort(sort) = &mut node.kind else { return true };
        let count = sort.elements.len();
        let mut seen = aql_plan::VariableSet::default();
        sort.elements.retain(|element| !constants.contains_key(&element.input) && seen.insert(element.input));
        changed |= sort.elements.len() != count;
        !sort.elements.is_empty()
    });
    changed
}

/// Removes one of two sorts if no node between them depends on the order.
///
/// The second sort counts. But if the first sorts by the same criteria and then by more, it does
/// the work of both.
fn remove_overridden(nodes: &mut Vec<Node>, interrupt: &Interrupt) -> Result<bool> {
    let mut changed = false;
    let mut position = 0;
    while position < nodes.len() {
        interrupt.check()?;
        let Some((later, keeps_order)) = next_sort(nodes, position) else {
            position += 1;
            continue;
        };
        let does_both =
            match (nodes.get(position).map(|node| &node.kind), nodes.get(later).map(|node| &node.kind)) {
                (Some(NodeKind::Sort(first)), Some(NodeKind::Sort(second))) => {
                    keeps_order && is_prefix(second, first)
                }
                _ => false,
            };
        nodes.remove(if does_both { later } else { position });
        changed = true;
    }
    Ok(changed)
}

fn is_prefix(short: &Sort, long: &Sort) -> bool {
    long.elements.len() > short.elements.len() && long.elements.starts_with(&short.elements)
}

/// Returns the sort after the sort at `position`, if no node between them depends on the order. The
/// flag is true if the rows between them keep their order.
fn next_sort(nodes: &[Node], position: usize) -> Option<(usize, bool)> {
    let NodeKind::Sort(first) = &nodes.get(position)?.kind else { return None };
    if first.limit.is_some() {
        return None;
    }
    let mut keeps_order = true;
    for (later, node) in nodes.iter().enumerate().skip(position + 1) {
        match &node.kind {
            NodeKind::Sort(_) => return Some((later, keeps_order)),
            NodeKind::Calculation(_) | NodeKind::Subquery(_) if node.kind.is_deterministic() => {}
            NodeKind::Filter(_) => {}
            kind if kind.is_loop() => keeps_order = false,
            _ => return None,
        }
    }
    None
}
