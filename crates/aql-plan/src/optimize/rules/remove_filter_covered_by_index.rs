//! `remove-filter-covered-by-index`: drops conditions that hold for every document an index scan finds.

use super::{Rule, RuleContext};
use crate::expression::Expression;
use crate::node::{IndexScan, Node, NodeKind};
use crate::optimize::condition::{Atom, conditions_after, implied_atoms, normalize, set_from};
use crate::optimize::pipeline::for_each_pipeline;
use crate::plan::Plan;
use aql_value::Result;

pub(super) struct RemoveFilterCoveredByIndex;

impl Rule for RemoveFilterCoveredByIndex {
    fn name(&self) -> &'static str {
        "remove-filter-covered-by-index"
    }

    fn description(&self) -> &'static str {
        "Removes filters and parts of filters that an index scan already guarantees."
    }

    fn apply(&self, plan: &mut Plan, _context: &mut RuleContext<'_>) -> Result<bool> {
        for_each_pipeline(plan, &mut |nodes, workshop| {
            let mut changed = false;
            let mut position = 0;
            while let Some(node) = nodes.get(position) {
                if let NodeKind::Index(scan) = &node.kind {
                    let scan = scan.clone();
                    for (filter, rest) in covered(nodes, position, &scan).into_iter().rev() {
                        changed = true;
                        if rest.is_empty() {
                            nodes.remove(filter);
                            continue;
                        }
                        let (condition, calculation) = workshop.calculation(conjunction(rest));
                        if let Some(node) = nodes.get_mut(filter) {
                            node.kind = NodeKind::Filter { condition };
                        }
                        nodes.insert(filter, calculation);
                    }
                }
                position += 1;
            }
            Ok(changed)
        })
    }
}

fn conjunction(mut conditions: Vec<Expression>) -> Expression {
    if conditions.len() == 1 { conditions.remove(0) } else { Expression::And(conditions) }
}

/// Positions of filters of which the scan guarantees a part, with the parts it does not guarantee.
fn covered(nodes: &[Node], position: usize, scan: &IndexScan) -> Vec<(usize, Vec<Expression>)> {
    let guaranteed: Vec<Vec<Atom>> = scan
        .ranges
        .iter()
        .map(|range| {
            scan.indexes.get(range.index).map(|index| implied_atoms(index, range)).unwrap_or_default()
        })
        .collect();
    let unavailable = set_from(nodes, position);
    let conditions = conditions_after(nodes, position).into_iter().filter_map(|condition| {
        let conjuncts = match condition.expression {
            Expression::And(conjuncts) => conjuncts,
            other => vec![other],
        };
        let count = conjuncts.len();
        let is_open = |conjunct: &Expression| {
            let form = normalize([conjunct], scan.source.out, &unavailable);
            !guaranteed.iter().all(|atoms| {
                form.branches.iter().any(|branch| {
                    branch.is_exact
                        && branch.atoms.iter().all(|atom| atoms.iter().any(|known| known.is_same(atom)))
                })
            })
        };
        let rest: Vec<Expression> = conjuncts.into_iter().filter(is_open).collect();
        (rest.len() < count).then_some((condition.position, rest))
    });
    conditions.collect()
}
