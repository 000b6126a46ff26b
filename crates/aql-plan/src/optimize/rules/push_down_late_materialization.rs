//! `push-down-late-materialization`: documents of an index scan are fetched after sorts and filters that read nothing
//! but what the index covers.

use super::late_document_materialization::defer;
use super::{Rule, RuleContext};
use crate::node::{Node, NodeKind};
use crate::optimize::pipeline::for_each_pipeline;
use crate::plan::Plan;
use aql_value::Result;

pub(super) struct PushDownLateMaterialization;

impl Rule for PushDownLateMaterialization {
    fn name(&self) -> &'static str {
        "push-down-late-materialization"
    }

    fn description(&self) -> &'static str {
        "Fetches the documents of an index scan after sorts and filters, where the index covers what they read."
    }

    fn apply(&self, plan: &mut Plan, _context: &mut RuleContext<'_>) -> Result<bool> {
        for_each_pipeline(plan, &mut |nodes, workshop| {
            let mut changed = false;
            for position in 0..nodes.len() {
                if let Some(last) = last_sort_or_filter(nodes, position) {
                    changed |= defer(nodes, position, last, workshop).is_some();
                }
            }
            Ok(changed)
        })
    }
}

/// The last of the sorts and filters that follow the scan.
fn last_sort_or_filter(nodes: &[Node], position: usize) -> Option<usize> {
    let after = nodes.iter().enumerate().skip(position + 1);
    after
        .take_while(|(_, node)| {
            matches!(node.kind, NodeKind::Calculation(_) | NodeKind::Filter { .. } | NodeKind::Sort(_))
        })
        .filter(|(_, node)| !matches!(node.kind, NodeKind::Calculation(_)))
        .last()
        .map(|(position, _)| position)
}
