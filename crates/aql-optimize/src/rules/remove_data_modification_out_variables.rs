//! `remove-data-modification-out-variables`: does not fetch OLD and NEW if nobody reads them.

use aql_plan::{NodeKind, Plan, VariableId, VariableSet, reads_of_pipeline};
use errors::Result;

use super::{Rule, RuleContext};
use crate::analysis::pipeline::for_each_pipeline;

pub(super) struct RemoveDataModificationOutVariables;

impl Rule for RemoveDataModificationOutVariables {
    fn name(&self) -> &'static str {
        "remove-data-modification-out-variables"
    }

    fn description(&self) -> &'static str {
        "Removes OLD and NEW of data modifications where they are not used."
    }

    fn apply(&self, plan: &mut Plan, context: &mut RuleContext<'_>) -> Result<bool> {
        for_each_pipeline(plan, context.interrupt, &mut |nodes, _| {
            let mut changed = false;
            for position in 0..nodes.len() {
                context.interrupt.check()?;
                let (before, after) = nodes.split_at_mut(position + 1);
                let outs: Vec<&mut Option<VariableId>> = match before.last_mut().map(|node| &mut node.kind) {
                    Some(NodeKind::Insert(node)) => vec![&mut node.out_old, &mut node.out_new],
                    Some(NodeKind::Update(node)) => vec![&mut node.out_old, &mut node.out_new],
                    Some(NodeKind::Remove(node)) => vec![&mut node.out_old],
                    Some(NodeKind::Upsert(node)) => vec![&mut node.out_new],
                    _ => continue,
                };
                let used = reads_of_pipeline(after);
                outs.into_iter().for_each(|out| changed |= drop_unused(out, &used));
            }
            Ok(changed)
        })
    }
}

fn drop_unused(out: &mut Option<VariableId>, used: &VariableSet) -> bool {
    let is_unused = out.is_some_and(|id| !used.contains(id));
    if is_unused {
        *out = None;
    }
    is_unused
}
