//! `batch-materialize-documents`: an index scan with many expected documents passes on their keys,
//! and a separate node fetches the documents of a batch in one step.
//!
//! The scan would fetch them in the same way. As a separate node, the step can be moved after
//! sorts and filters (rule `push-down-late-materialization`), and profiles show its time.

use aql_plan::{Node, NodeKind, Plan, for_each_node};
use errors::Result;

use super::{Rule, RuleContext};
use crate::analysis::late::{defer, is_eligible};
use crate::analysis::pipeline::for_each_pipeline;
use crate::cost;

/// The least estimated number of documents for the rule.
const MIN_DOCUMENTS: u64 = 100;

pub(super) struct BatchMaterializeDocuments;

impl Rule for BatchMaterializeDocuments {
    fn name(&self) -> &'static str {
        "batch-materialize-documents"
    }

    fn description(&self) -> &'static str {
        "Fetches the documents of an index scan, if they are many, in a node of their own."
    }

    fn apply(&self, plan: &mut Plan, context: &mut RuleContext<'_>) -> Result<bool> {
        let mut any = false;
        for_each_node(&plan.nodes, &mut |node| any |= fetches_documents(node));
        if !any {
            return Ok(false);
        }
        cost::estimate(plan, context.catalog, context.interrupt)?;
        for_each_pipeline(plan, context.interrupt, &mut |nodes, workshop| {
            let mut changed = false;
            for position in (0..nodes.len()).rev() {
                context.interrupt.check()?;
                let is_large = nodes.get(position).is_some_and(|node| node.estimated_items >= MIN_DOCUMENTS);
                if is_large && nodes.get(position).is_some_and(fetches_documents) {
                    changed |= defer(nodes, position, position, workshop).is_some();
                }
            }
            Ok(changed)
        })
    }
}

fn fetches_documents(node: &Node) -> bool {
    match &node.kind {
        NodeKind::Index(scan) => {
            is_eligible(scan)
                && scan.ranges.len() == 1
                && scan.indexes.iter().all(|index| index.capabilities.ordered)
        }
        _ => false,
    }
}
