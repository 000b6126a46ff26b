//! `push-limit-into-index`: an index scan for the members of a list, in the order of a removed SORT, stops when it has found
//! enough documents. Other scans find no more than they are asked for anyway.

use super::sort_limit::following_limit;
use super::{Rule, RuleContext};
use crate::node::{IndexLookup, IndexRange, NodeKind};
use crate::optimize::pipeline::for_each_pipeline;
use crate::plan::Plan;
use aql_value::Result;

pub(super) struct PushLimitIntoIndex;

impl Rule for PushLimitIntoIndex {
    fn name(&self) -> &'static str {
        "push-limit-into-index"
    }

    fn description(&self) -> &'static str {
        "Limits index scans by the limit that follows them."
    }

    fn apply(&self, plan: &mut Plan, _context: &mut RuleContext<'_>) -> Result<bool> {
        for_each_pipeline(plan, &mut |nodes, _| {
            let mut changed = false;
            for position in 0..nodes.len() {
                let wanted = following_limit(nodes, position);
                if let Some(NodeKind::Index(scan)) = nodes.get_mut(position).map(|node| &mut node.kind)
                    && wanted.is_some()
                    && !scan.sort_fields.is_empty()
                    && scan.ranges.iter().any(looks_up_list)
                    && scan.source.limit.is_none()
                    && scan.source.count_into.is_none()
                {
                    scan.source.limit = wanted;
                    changed = true;
                }
            }
            Ok(changed)
        })
    }
}

fn looks_up_list(range: &IndexRange) -> bool {
    range.lookups.iter().any(|lookup| matches!(lookup, IndexLookup::In(_)))
}
