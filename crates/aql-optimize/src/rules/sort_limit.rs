//! `sort-limit`: a sort before a limit keeps no more rows than the limit passes.

use aql_plan::{NodeKind, Plan};
use errors::Result;

use super::{Rule, RuleContext};
use crate::analysis::pipeline::for_each_pipeline;
use crate::analysis::sort_order::following_limit;

pub(super) struct SortLimit;

impl Rule for SortLimit {
    fn name(&self) -> &'static str {
        "sort-limit"
    }

    fn description(&self) -> &'static str {
        "Bounds sorts by the limit that follows them."
    }

    fn apply(&self, plan: &mut Plan, context: &mut RuleContext<'_>) -> Result<bool> {
        for_each_pipeline(plan, context.interrupt, &mut |nodes, _| {
            let mut changed = false;
            for position in 0..nodes.len() {
                context.interrupt.check()?;
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
