//! `use-index-for-collect`: reads groups from an index instead of documents.
//!
//! Distinct values are found by skipping from one to the next. Aggregates are computed over the
//! entries of the index. The least and the greatest value are at its ends.

mod extreme;

use std::collections::HashMap;

use aql_plan::{
    Collect, CollectMethod, Expression, IndexCollect, IndexScan, Node, NodeKind, Plan, ProjectionSource,
    VariableId,
};
use errors::Result;

use super::{Rule, RuleContext};
use crate::analysis::coverage::cover;
use crate::analysis::pipeline::for_each_pipeline;

pub(super) struct UseIndexForCollect;

impl Rule for UseIndexForCollect {
    fn name(&self) -> &'static str {
        "use-index-for-collect"
    }

    fn description(&self) -> &'static str {
        "Reads groups and their aggregates from an index."
    }

    fn apply(&self, plan: &mut Plan, context: &mut RuleContext<'_>) -> Result<bool> {
        for_each_pipeline(plan, context.interrupt, &mut |nodes, workshop| {
            let mut changed = false;
            for position in 0..nodes.len() {
                context.interrupt.check()?;
                let Some((collect_at, collect)) = next_collect(nodes, position) else { continue };
                if let Some(scan) = extreme::scan(nodes, position, collect_at, &collect, context) {
                    if let Some(node) = nodes.get_mut(position) {
                        node.kind = NodeKind::Index(Box::new(scan));
                        changed = true;
                    }
                } else if let Some(grouped) = grouped_by_index(nodes, position, collect_at, collect, context)
                {
                    let node = workshop.node(NodeKind::IndexCollect(Box::new(grouped)));
                    nodes.splice(position..=collect_at, [node]);
                    changed = true;
                }
            }
            Ok(changed)
        })
    }
}

/// Returns the COLLECT of the rows of the scan at a position, with only calculations in between.
/// The scan must run only once.
fn next_collect(nodes: &[Node], position: usize) -> Option<(usize, Collect)> {
    nodes.get(position)?.kind.source()?;
    let runs_once = |node: &Node| !node.kind.is_loop() && !node.kind.is_grouping();
    if !nodes.iter().take(position).all(runs_once) {
        return None;
    }
    let mut rest = nodes.iter().enumerate().skip(position + 1);
    let (at, node) = rest.find(|(_, node)| !matches!(node.kind, NodeKind::Calculation(_)))?;
    match &node.kind {
        NodeKind::Collect(collect) if !collect.disable_index && collect.into.is_none() => {
            Some((at, (**collect).clone()))
        }
        _ => None,
    }
}

fn grouped_by_index(
    nodes: &[Node],
    position: usize,
    collect_at: usize,
    mut collect: Collect,
    context: &RuleContext<'_>,
) -> Option<IndexCollect> {
    let NodeKind::Index(scan) = &nodes.get(position)?.kind else { return None };
    let mut scan = (**scan).clone();
    if collect.method != CollectMethod::Sorted || collect.groups.is_empty() || !is_whole_index(&scan) {
        return None;
    }
    let names = aliases(nodes.get(position + 1..collect_at)?)?;
    let original = |id: VariableId| names.get(&id).copied().unwrap_or(id);
    collect.groups.iter_mut().for_each(|group| group.input = original(group.input));
    for aggregate in &mut collect.aggregates {
        aggregate.input = Some(original(aggregate.input?));
    }
    let inputs = collect.aggregates.iter().filter_map(|aggregate| aggregate.input);
    let read: Vec<VariableId> = collect.groups.iter().map(|group| group.input).chain(inputs).collect();
    scan.source.projections.retain(|projection| read.contains(&projection.out));
    let is_projected =
        |id: &VariableId| scan.source.projections.iter().any(|projection| projection.out == *id);
    if !read.iter().all(is_projected)
        || collect.kept.iter().any(|kept| !is_set_before(nodes, position, *kept))
    {
        return None;
    }
    if !cover(scan.indexes.first()?, &mut scan.source.projections) {
        return None;
    }
    let distinct = collect.aggregates.is_empty() && groups_lead(&scan, &collect);
    let is_cheaper = distinct && is_skipping_cheaper(&scan, context);
    (is_cheaper || !collect.aggregates.is_empty()).then_some(IndexCollect {
        scan,
        collect,
        distinct: is_cheaper,
    })
}

fn is_whole_index(scan: &IndexScan) -> bool {
    let ([index], [range]) = (scan.indexes.as_slice(), scan.ranges.as_slice()) else { return false };
    range.is_whole()
        && index.capabilities.ordered
        && !index.sparse
        && scan.ordered
        && scan.ascending
        && !scan.deduplicate
        && scan.source.filter.is_none()
        && scan.source.limit.is_none()
        && scan.source.count_into.is_none()
        && !scan.source.read_own_writes
}

/// Returns the variables that are other names for variables; `None` if anything else is calculated.
fn aliases(nodes: &[Node]) -> Option<HashMap<VariableId, VariableId>> {
    let mut names = HashMap::new();
    for node in nodes {
        let NodeKind::Calculation(calculation) = &node.kind else { return None };
        let Expression::Variable(original) = calculation.expression else { return None };
        names.insert(calculation.out, names.get(&original).copied().unwrap_or(original));
    }
    Some(names)
}

fn is_set_before(nodes: &[Node], position: usize, id: VariableId) -> bool {
    // A variable that no node from here on sets comes from before, or from the surrounding query.
    !nodes.iter().skip(position).any(|node| node.kind.sets_variable(id))
}

/// Returns true if the group keys are the leading fields of the index, in this order.
fn groups_lead(scan: &IndexScan, collect: &Collect) -> bool {
    let Some(index) = scan.indexes.first() else { return false };
    collect.groups.iter().enumerate().all(|(position, group)| {
        let of_group = scan.source.projections.iter().find(|projection| projection.out == group.input);
        let field = index.fields.get(position);
        of_group.zip(field).is_some_and(|(projection, field)| {
            let is_field = matches!(projection.source, ProjectionSource::IndexField { position: own, .. } if own == position);
            is_field && projection.path == field.path
        })
    })
}

/// Returns true if skipping costs less than reading on. The search for the next group starts at the
/// root of the index, where reading on takes one step.
fn is_skipping_cheaper(scan: &IndexScan, context: &RuleContext<'_>) -> bool {
    let Some(index) = scan.indexes.first() else { return false };
    let count =
        context.catalog.collection(&scan.source.collection.name).map_or(0, |info| info.count_estimate);
    let selectivity = index.selectivity_estimate.unwrap_or(1.0);
    selectivity * (count.max(2) as f64).log2() < 1.0
}
