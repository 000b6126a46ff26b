//! `remove-sort-rand-limit-1`: lets `FOR d IN c SORT RAND() LIMIT 1` read one random document of
//! the collection.

use aql_plan::{Expression, Node, NodeKind, Plan};
use errors::Result;

use super::{Rule, RuleContext};
use crate::analysis::pipeline::{definition, for_each_pipeline, read_counts};

pub(super) struct RemoveSortRandLimit1;

impl Rule for RemoveSortRandLimit1 {
    fn name(&self) -> &'static str {
        "remove-sort-rand-limit-1"
    }

    fn description(&self) -> &'static str {
        "Picks a random document of a collection without sorting all of them."
    }

    fn apply(&self, plan: &mut Plan, context: &mut RuleContext<'_>) -> Result<bool> {
        for_each_pipeline(plan, context.interrupt, &mut |nodes, _| {
            let Some(found) = random_pick(nodes) else { return Ok(false) };
            if let Some(NodeKind::EnumerateCollection(scan)) =
                nodes.get_mut(found.scan).map(|node| &mut node.kind)
            {
                scan.random = true;
            }
            // The limit stays.
            nodes.remove(found.sort);
            nodes.remove(found.random);
            Ok(true)
        })
    }
}

/// The positions of the nodes of such a query, in this order.
struct RandomPick {
    scan: usize,
    random: usize,
    sort: usize,
}

/// Returns the scan, its sort by a random number and LIMIT 1. Only calculations may lie between
/// them, and no loop before them.
fn random_pick(nodes: &[Node]) -> Option<RandomPick> {
    let scan_at = nodes.iter().position(|node| node.kind.is_loop())?;
    let NodeKind::EnumerateCollection(scan) = &nodes.get(scan_at)?.kind else { return None };
    let sort_at = next_after(nodes, scan_at)?;
    let NodeKind::Sort(sort) = &nodes.get(sort_at)?.kind else { return None };
    let NodeKind::Limit(limit) = &nodes.get(next_after(nodes, sort_at)?)?.kind else { return None };
    let [only] = sort.elements.as_slice() else { return None };
    let (random, expression) = definition(nodes, only.input).filter(|(at, _)| *at > scan_at)?;
    let is_random = matches!(expression, Expression::Call { function, .. } if function.name == "RAND");
    let is_one = limit.offset == 0 && limit.limit == 1 && !limit.full_count;
    let is_read_once = read_counts(nodes).get(&only.input) == Some(&1);
    let is_whole = scan.source.filter.is_none() && !scan.source.read_own_writes && !scan.source.hint.forced;
    (is_random && is_one && is_read_once && is_whole).then_some(RandomPick {
        scan: scan_at,
        random,
        sort: sort_at,
    })
}

/// Returns the position of the next node that is not a calculation.
fn next_after(nodes: &[Node], position: usize) -> Option<usize> {
    let mut after = nodes.iter().enumerate().skip(position + 1);
    after.find(|(_, node)| !matches!(node.kind, NodeKind::Calculation(_))).map(|(at, _)| at)
}
