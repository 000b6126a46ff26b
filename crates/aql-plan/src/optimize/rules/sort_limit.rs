//! `sort-limit`: a sort before a limit keeps no more rows than the limit lets pass.

use super::{Rule, RuleContext};
use crate::node::{Node, NodeKind};
use crate::optimize::pipeline::{for_each_pipeline, is_transparent};
use crate::plan::Plan;
use aql_value::Result;

pub(super) struct SortLimit;

impl Rule for SortLimit {
    fn name(&self) -> &'static str {
        "sort-limit"
    }

    fn description(&self) -> &'static str {
        "Bounds sorts by the limit that follows them."
    }

    fn apply(&self, plan: &mut Plan, _context: &mut RuleContext<'_>) -> Result<bool> {
        for_each_pipeline(plan, &mut |nodes, _| {
            let mut changed = false;
            for position in 0..nodes.len() {
                let wanted = following_limit(nodes, position);
                if let Some(NodeKind::Sort(sort)) = nodes.get_mut(position).map(|node| &mut node.kind)
                    && wanted.is_some()
                    && sort.limit.is_none()
                {
                    sort.limit = wanted;
                    changed = true;
                }
            }
            Ok(changed)
        })
    }
}

/// How many rows the limit after a position takes, skipped ones included. Not if it counts the rows it cuts off, and
/// not if there is no limit.
pub(super) fn following_limit(nodes: &[Node], position: usize) -> Option<u64> {
    let next = nodes.iter().skip(position + 1).find(|node| !is_transparent(&node.kind))?;
    match &next.kind {
        NodeKind::Limit(limit) if !limit.full_count && limit.limit != u64::MAX => {
            limit.offset.checked_add(limit.limit)
        }
        _ => None,
    }
}
