//! `reduce-extraction-to-projection`: fetches the attributes that are used instead of whole
//! documents.

mod traversal;

use aql_plan::{Node, NodeKind, Plan};
use errors::Result;

use super::{Rule, RuleContext};
use crate::analysis::pipeline::{Workshop, for_each_pipeline};
use crate::analysis::projection::{projection, replace_in_node, used_paths, without_prefixed};

pub(super) struct ReduceExtractionToProjection;

impl Rule for ReduceExtractionToProjection {
    fn name(&self) -> &'static str {
        "reduce-extraction-to-projection"
    }

    fn description(&self) -> &'static str {
        "Fetches only those attributes of documents that are used."
    }

    fn apply(&self, plan: &mut Plan, context: &mut RuleContext<'_>) -> Result<bool> {
        for_each_pipeline(plan, context.interrupt, &mut |nodes, workshop| {
            let mut changed = false;
            for position in 0..nodes.len() {
                context.interrupt.check()?;
                let (before, after) = nodes.split_at_mut(position + 1);
                if let Some(node) = before.last_mut() {
                    changed |= reduce(&mut node.kind, after, workshop);
                }
            }
            Ok(changed)
        })
    }
}

fn reduce(kind: &mut NodeKind, after: &mut [Node], workshop: &mut Workshop<'_>) -> bool {
    if let NodeKind::Traversal(node) = kind {
        return traversal::reduce(node, after, workshop);
    }
    let Some(source) = kind.source_mut() else { return false };
    if !source.produces_result || !source.projections.is_empty() || source.count_into.is_some() {
        return false;
    }
    let Some(paths) = used_paths(after, source.out) else { return false };
    if paths.is_empty() {
        source.produces_result = false;
        return true;
    }
    let paths = without_prefixed(paths);
    if paths.len() > source.max_projections {
        return false;
    }
    source.projections = paths.into_iter().map(|path| projection(path, workshop)).collect();
    for node in after.iter_mut() {
        replace_in_node(node, source.out, &source.projections);
    }
    if let Some(variable) = workshop.variables.get_mut(source.out) {
        variable.is_full_document = false;
    }
    true
}
