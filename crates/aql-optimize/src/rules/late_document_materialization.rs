//! `late-document-materialization`: an index scan before a LIMIT passes on the covered attributes
//! and the keys of documents. The documents are fetched after the LIMIT.

use aql_plan::Plan;
use errors::Result;

use super::{Rule, RuleContext};
use crate::analysis::late::{defer, limit_after};
use crate::analysis::pipeline::for_each_pipeline;

pub(super) struct LateDocumentMaterialization;

impl Rule for LateDocumentMaterialization {
    fn name(&self) -> &'static str {
        "late-document-materialization"
    }

    fn description(&self) -> &'static str {
        "Fetches the documents of an index scan after a LIMIT, where the index covers what is read before."
    }

    fn apply(&self, plan: &mut Plan, context: &mut RuleContext<'_>) -> Result<bool> {
        for_each_pipeline(plan, context.interrupt, &mut |nodes, workshop| {
            let mut changed = false;
            for position in 0..nodes.len() {
                context.interrupt.check()?;
                if let Some(limit) = limit_after(nodes, position) {
                    changed |= defer(nodes, position, limit, workshop).is_some();
                }
            }
            Ok(changed)
        })
    }
}
