//! `push-limit-into-index`: limits an index scan for the members of a list by the limit after it,
//! if the index has the order of the rows.
//!
//! A scan in the order of a removed SORT stops after that many documents. If there still is a SORT
//! by the fields after the list's field, the entries of each member are sorted, and the first ones
//! of each member are enough. Other scans find no more documents than their reader demands anyway.

use aql_plan::{
    Expression, IndexField, IndexLookup, IndexRange, IndexScan, Node, NodeKind, Plan, VariableId,
};
use errors::Result;

use super::{Rule, RuleContext};
use crate::analysis::condition::{as_field, resolve};
use crate::analysis::pipeline::for_each_pipeline;
use crate::analysis::sort_order::following_limit;
use crate::analysis::sort_order::sort_after;

pub(super) struct PushLimitIntoIndex;

impl Rule for PushLimitIntoIndex {
    fn name(&self) -> &'static str {
        "push-limit-into-index"
    }

    fn description(&self) -> &'static str {
        "Limits index scans by the limit that follows them."
    }

    fn apply(&self, plan: &mut Plan, context: &mut RuleContext<'_>) -> Result<bool> {
        for_each_pipeline(plan, context.interrupt, &mut |nodes, _| {
            let mut changed = false;
            for position in 0..nodes.len() {
                context.interrupt.check()?;
                let wanted = following_limit(nodes, position);
                let of_each = first_of_each(nodes, position);
                let Some(NodeKind::Index(scan)) = nodes.get_mut(position).map(|node| &mut node.kind) else {
                    continue;
                };
                let is_free = scan.source.limit.is_none() && scan.source.count_into.is_none();
                if !is_free || !scan.ranges.iter().any(looks_up_list) {
                    continue;
                }
                if wanted.is_some() && !scan.sort_fields.is_empty() {
                    scan.source.limit = wanted;
                    changed = true;
                } else if let Some(FirstOfEach { count, ascending }) = of_each {
                    (scan.limit_each, scan.ascending) = (Some(count), ascending);
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

/// The number of entries that are needed for each member, and the end from which they are taken.
struct FirstOfEach {
    count: u64,
    ascending: bool,
}

/// Returns the number of entries that a scan needs if a sort and a limit follow it.
fn first_of_each(nodes: &[Node], position: usize) -> Option<FirstOfEach> {
    let NodeKind::Index(scan) = &nodes.get(position)?.kind else { return None };
    let fields = fields_after_lookups(scan)?;
    let (sort_position, sort) = sort_after(nodes, position)?;
    let is_filtered = |node: &Node| matches!(node.kind, NodeKind::Filter(_));
    if scan.source.filter.is_some() || nodes.get(position..sort_position)?.iter().any(is_filtered) {
        return None;
    }
    let ascending = sort.elements.first()?.ascending;
    let follows_index = sort.elements.len() <= fields.len()
        && sort.elements.iter().zip(fields).all(|(element, field)| {
            element.ascending == ascending
                && field_of(nodes, position, sort_position, element.input).as_ref() == Some(field)
        });
    follows_index.then_some(FirstOfEach { count: sort.limit?, ascending })
}

/// Returns the fields that order the entries of each combination of looked-up values.
fn fields_after_lookups(scan: &IndexScan) -> Option<&[IndexField]> {
    let ([index], [range]) = (scan.indexes.as_slice(), scan.ranges.as_slice()) else { return None };
    let is_plain = index.capabilities.ordered && !scan.deduplicate && index.has_plain_fields();
    index.fields.get(range.lookups.len()..).filter(|_| is_plain)
}

/// Returns the field of the scan's documents that a variable holds at the sort.
fn field_of(nodes: &[Node], scan: usize, sort: usize, variable: VariableId) -> Option<IndexField> {
    let source = nodes.get(scan)?.kind.source()?;
    let value = resolve(&Expression::Variable(variable), nodes, scan, sort);
    if let Expression::Variable(read) = value
        && let Some(projection) = source.projections.iter().find(|projection| projection.out == read)
    {
        return Some(IndexField { path: projection.path.clone(), expansion: None });
    }
    as_field(&value, source.out)
}
