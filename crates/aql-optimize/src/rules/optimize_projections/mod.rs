//! `optimize-projections`: takes projections from index entries that have them, so that no
//! documents are fetched. It also drops projections that nobody reads.
//!
//! The rule comes after all rules that replace the scan of a collection.
//!
//! ArangoDB's rule gives registers of their own to projections and to the attributes that a scan's
//! filter needs. Here they always have registers, and plans list the rule if there are any.

mod whole_index;

use aql_plan::{Node, NodeKind, Plan, Projection, reads_of_pipeline};
use errors::Result;

use super::{Rule, RuleContext};
use crate::analysis::coverage::cover_source;
use crate::analysis::pipeline::for_each_pipeline;
use whole_index::covering_scan;

pub(super) struct OptimizeProjections;

impl Rule for OptimizeProjections {
    fn name(&self) -> &'static str {
        "optimize-projections"
    }

    fn description(&self) -> &'static str {
        "Takes projections from indexes and removes projections that are not used."
    }

    fn apply(&self, plan: &mut Plan, context: &mut RuleContext<'_>) -> Result<bool> {
        let changed = for_each_pipeline(plan, context.interrupt, &mut |nodes, _| {
            let mut changed = false;
            for position in 0..nodes.len() {
                context.interrupt.check()?;
                let (before, after) = nodes.split_at_mut(position + 1);
                if let Some(node) = before.last_mut() {
                    changed |= drop_unread(&mut node.kind, after) | has_registers(&mut node.kind, after);
                }
            }
            Ok(changed)
        })?;
        read_from_indexes(plan, context)?;
        Ok(changed)
    }

    /// Reads covered attributes from index entries. ArangoDB's index scans do so whatever rules are
    /// turned off.
    fn apply_disabled(&self, plan: &mut Plan, context: &mut RuleContext<'_>) -> Result<()> {
        read_from_indexes(plan, context)
    }
}

fn read_from_indexes(plan: &mut Plan, context: &RuleContext<'_>) -> Result<()> {
    for_each_pipeline(plan, context.interrupt, &mut |nodes, workshop| {
        for node in nodes {
            if let NodeKind::EnumerateCollection(scan) = &node.kind
                && let Some(scan) = covering_scan(scan, context)
            {
                *node = workshop.node(NodeKind::Index(Box::new(scan)));
            }
            if let NodeKind::Index(scan) = &mut node.kind
                && let [index] = scan.indexes.as_slice()
            {
                cover_source(index, &mut scan.source, workshop);
            }
        }
        Ok(false)
    })?;
    Ok(())
}

fn has_registers(kind: &mut NodeKind, after: &[Node]) -> bool {
    let is_scan = matches!(kind, NodeKind::EnumerateCollection(_) | NodeKind::Index(_));
    let Some(source) = kind.source_mut().filter(|_| is_scan) else { return false };
    let mut projections = source.projections.iter();
    source.filter.is_some() || projections.any(|projection| !names_document(projection, after))
}

/// Returns true if a projection only tells a later node which document to fetch.
fn names_document(projection: &Projection, after: &[Node]) -> bool {
    after.iter().any(|node| matches!(&node.kind, NodeKind::Materialize(node) if node.key == projection.out))
}

fn drop_unread(kind: &mut NodeKind, after: &[Node]) -> bool {
    let Some(source) = kind.source_mut().filter(|source| !source.projections.is_empty()) else {
        return false;
    };
    let read = reads_of_pipeline(after);
    let count = source.projections.len();
    source.projections.retain(|projection| read.contains(projection.out));
    source.produces_result = !source.projections.is_empty();
    source.projections.len() != count
}
