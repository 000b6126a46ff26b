//! `late-document-materialization-arangosearch`: a search before a LIMIT passes on stored values
//! and the keys of documents. The documents are fetched after the LIMIT.
//!
//! Searches pass on stored values wherever these suffice, even if queries turn the rule off.

use aql_plan::Plan;
use errors::Result;

use super::{Rule, RuleContext};
use crate::analysis::late::limit_after;
use crate::analysis::pipeline::for_each_pipeline;
use crate::analysis::view_columns::{cover, defer};

pub(super) struct LateDocumentMaterializationArangosearch;

impl Rule for LateDocumentMaterializationArangosearch {
    fn name(&self) -> &'static str {
        "late-document-materialization-arangosearch"
    }

    fn description(&self) -> &'static str {
        "Fetches the documents of a view after a LIMIT, where stored values cover what is read before."
    }

    fn apply(&self, plan: &mut Plan, context: &mut RuleContext<'_>) -> Result<bool> {
        let changed = for_each_pipeline(plan, context.interrupt, &mut |nodes, workshop| {
            let mut changed = false;
            for position in 0..nodes.len() {
                context.interrupt.check()?;
                if let Some(limit) = limit_after(nodes, position) {
                    changed |= defer(nodes, position, limit, workshop);
                }
            }
            Ok(changed)
        })?;
        self.apply_disabled(plan, context)?;
        Ok(changed)
    }

    fn apply_disabled(&self, plan: &mut Plan, context: &mut RuleContext<'_>) -> Result<()> {
        for_each_pipeline(plan, context.interrupt, &mut |nodes, workshop| {
            for position in 0..nodes.len() {
                context.interrupt.check()?;
                cover(nodes, position, workshop);
            }
            Ok(false)
        })
        .map(|_| ())
    }
}
