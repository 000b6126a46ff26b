//! `use-index-for-sort`: reads documents in the order of an index instead of sorting them. If the
//! index provides only the first criteria of a sort, the sort only orders rows that are equal in
//! these.

use aql_plan::{Node, NodeKind, Plan};
use errors::Result;

use super::{Rule, RuleContext};
use crate::analysis::pipeline::for_each_pipeline;
use crate::analysis::primary_sort::use_primary_sort;
use crate::analysis::sort_order::{Ordered, leading_need, ordered_full_scan, ordered_index_scan};

pub(super) struct UseIndexForSort;

impl Rule for UseIndexForSort {
    fn name(&self) -> &'static str {
        "use-index-for-sort"
    }

    fn description(&self) -> &'static str {
        "Removes sorts whose order an index provides, or leaves them less to do."
    }

    fn apply(&self, plan: &mut Plan, context: &mut RuleContext<'_>) -> Result<bool> {
        for_each_pipeline(plan, context.interrupt, &mut |nodes, workshop| {
            let mut changed = false;
            for position in (0..nodes.len()).rev() {
                context.interrupt.check()?;
                if is_hinted_search(nodes.get(position)) {
                    changed |= use_primary_sort(nodes, position);
                    continue;
                }
                let Some(need) = leading_need(nodes, position) else { continue };
                let ordered = match nodes.get(position).map(|node| &node.kind) {
                    Some(NodeKind::Index(scan)) => ordered_index_scan(scan, &need),
                    Some(NodeKind::EnumerateCollection(scan)) if !scan.random => {
                        ordered_full_scan(&scan.source, nodes, position, &need, context)
                    }
                    _ => None,
                };
                let Some(Ordered { scan, met }) = ordered else { continue };
                if need.is_met(met) {
                    nodes.remove(need.position);
                } else if let Some(NodeKind::Sort(sort)) =
                    nodes.get_mut(need.position).map(|node| &mut node.kind)
                {
                    sort.grouped = met;
                }
                let kind = NodeKind::Index(Box::new(scan));
                match nodes.get_mut(position) {
                    Some(node) if matches!(node.kind, NodeKind::Index(_)) => node.kind = kind,
                    Some(node) => *node = workshop.node(kind),
                    None => {}
                }
                changed = true;
            }
            Ok(changed)
        })
    }
}

fn is_hinted_search(node: Option<&Node>) -> bool {
    matches!(node.map(|node| &node.kind), Some(NodeKind::EnumerateView(search)) if search.hinted.is_some())
}
