//! `join-index-nodes`: a merge join of nested index scans on equal attributes, instead of a new
//! search in the inner index for each outer document.
//!
//! The outer scan must read in the order of the joined attribute, from an index that covers all
//! attributes of its documents that the query reads. A full scan becomes a scan of such an index.

use std::collections::{BTreeSet, HashMap};

use aql_plan::{
    Calculation, CollectionScan, DocumentSource, Expression, IndexField, IndexInfo, IndexLookup, IndexRange,
    IndexScan, JoinPart, Node, NodeKind, Plan, VariableId, VariableSet,
};
use aql_value::Interrupt;
use errors::Result;

use super::{Rule, RuleContext};
use crate::analysis::access_path::scan_whole;
use crate::analysis::coverage::Entries;
use crate::analysis::pipeline::for_each_pipeline;
use crate::analysis::projection::collect_paths;

pub(super) struct JoinIndexNodes;

impl Rule for JoinIndexNodes {
    fn name(&self) -> &'static str {
        "join-index-nodes"
    }

    fn description(&self) -> &'static str {
        "Joins adjacent index scans by going through their indexes side by side."
    }

    fn apply(&self, plan: &mut Plan, context: &mut RuleContext<'_>) -> Result<bool> {
        for_each_pipeline(plan, context.interrupt, &mut |nodes, workshop| {
            let mut changed = false;
            let mut position = 0;
            while position < nodes.len() {
                context.interrupt.check()?;
                let joined = join_at(nodes, position, context);
                let count = joined.len();
                if let Some(last) = joined.last().map(|(at, _)| *at) {
                    let between: Vec<Node> = nodes.drain(position..=last).collect();
                    let calculations =
                        between.into_iter().filter(|node| matches!(node.kind, NodeKind::Calculation(_)));
                    let scans = joined.into_iter().map(|(_, scan)| NodeKind::Index(Box::new(scan)));
                    let scans: Vec<Node> = scans.map(|kind| workshop.node(kind)).collect();
                    nodes.splice(position..position, scans.into_iter().chain(calculations));
                    changed = true;
                }
                position += count.max(1);
            }
            Ok(changed)
        })
    }
}

/// Returns the scans of the join that begins at a position, with their positions; empty if there is
/// none.
///
/// Calculations between the scans go after them.
fn join_at(nodes: &[Node], position: usize, context: &RuleContext<'_>) -> Vec<(usize, IndexScan)> {
    if nodes.get(position).is_none_or(|node| node.kind.source().is_none()) {
        return Vec::new();
    }
    let following = scans_after(nodes, position, context.interrupt);
    let second = following.first().map(|(_, scan)| scan);
    let first =
        nodes.get(position).zip(second).and_then(|(node, next)| leading_scan(&node.kind, next, context));
    let Some((first, value)) = first else { return Vec::new() };
    let mut values = vec![value];
    let mut scans = vec![(position, first)];
    for (at, scan) in following {
        let Some(field) = joined_field(&scan, &values) else { break };
        values.extend(projection_of(&scan.source, field));
        scans.push((at, IndexScan { join: JoinPart::Next, ..scan }));
    }
    if scans.len() > 1 { scans } else { Vec::new() }
}

/// Returns the index scans after a position. Between them are only calculations that they do not
/// read.
///
/// Calculations that only rename a variable are allowed too: the returned scans read the original
/// variables.
fn scans_after(nodes: &[Node], position: usize, interrupt: &Interrupt) -> Vec<(usize, IndexScan)> {
    let mut names: HashMap<VariableId, VariableId> = HashMap::new();
    let mut calculated = VariableSet::default();
    let mut scans = Vec::new();
    for (at, node) in nodes.iter().enumerate().skip(position + 1) {
        if interrupt.is_set() {
            break;
        }
        match &node.kind {
            NodeKind::Calculation(Calculation { out, expression: Expression::Variable(original) }) => {
                names.insert(*out, names.get(original).copied().unwrap_or(*original));
            }
            NodeKind::Calculation(calculation) if calculation.expression.is_deterministic() => {
                calculated.insert(calculation.out);
            }
            NodeKind::Index(_) => {
                let mut kind = node.kind.clone();
                kind.rename_reads(&|id| names.get(&id).copied().unwrap_or(id));
                match kind {
                    NodeKind::Index(scan) if !node.kind.reads().intersects(&calculated) => {
                        scans.push((at, *scan));
                    }
                    _ => break,
                }
            }
            _ => break,
        }
    }
    scans
}

/// Returns the scan as the first of a join with the next one, and the variable of its joined
/// attribute.
fn leading_scan(
    kind: &NodeKind,
    next: &IndexScan,
    context: &RuleContext<'_>,
) -> Option<(IndexScan, VariableId)> {
    let source = kind.source()?;
    let joined = |field: &IndexField| {
        projection_of(source, field).filter(|value| joined_field(next, &[*value]).is_some())
    };
    match kind {
        NodeKind::Index(scan) => {
            let scan = covering_scan(scan, context)?;
            let ([index], [range]) = (scan.indexes.as_slice(), scan.ranges.as_slice()) else { return None };
            let value = joined(sorted_field(index, range)?)?;
            (scan.join == JoinPart::None && !scan.deduplicate && !source.read_own_writes)
                .then_some((IndexScan { join: JoinPart::First, ..scan }, value))
        }
        NodeKind::EnumerateCollection(scan) if is_exchangeable(scan) => {
            let info = context.catalog.collection(&source.collection.name)?;
            let whole = IndexRange::default();
            let suitable = info.indexes.iter().find_map(|index| {
                let field = sorted_field(index, &whole).filter(|_| !index.sparse && covers(index, source))?;
                Some((index, joined(field)?))
            });
            let (index, value) = suitable?;
            let scan = scan_whole(index, source);
            Some((IndexScan { ordered: true, join: JoinPart::First, ..scan }, value))
        }
        _ => None,
    }
}

/// Returns the scan, from an index that has all attributes that are read of its documents.
///
/// A scan of a whole index for its order may take another index that gives the same order.
fn covering_scan(scan: &IndexScan, context: &RuleContext<'_>) -> Option<IndexScan> {
    let source = &scan.source;
    let ([index], [range]) = (scan.indexes.as_slice(), scan.ranges.as_slice()) else { return None };
    if covers(index, source) {
        return Some(scan.clone());
    }
    let is_whole =
        range.lookups.is_empty() && range.lower.is_none() && range.upper.is_none() && range.search.is_none();
    let is_for_order = is_whole && !scan.sort_fields.is_empty() && !source.hint.forced;
    let info = context.catalog.collection(&source.collection.name).filter(|_| is_for_order)?;
    let mut others = info.indexes.iter().filter(|other| {
        other.capabilities.ordered
            && !other.sparse
            && other.has_plain_fields()
            && other.fields.starts_with(&scan.sort_fields)
            && covers(other, source)
    });
    others.next().map(|other| IndexScan { indexes: vec![other.clone()], ..scan.clone() })
}

/// Returns true if a scan of an index finds the same documents, and the full scan has no other use,
/// such as a hash join.
fn is_exchangeable(scan: &CollectionScan) -> bool {
    let source = &scan.source;
    let depends_on_outer_row = source.filter.as_ref().is_some_and(|filter| {
        let mut variables = filter.variables();
        variables.remove(source.out);
        source.filter_projections.iter().for_each(|projection| {
            variables.remove(projection.out);
        });
        !variables.is_empty()
    });
    !scan.random
        && !depends_on_outer_row
        && !source.hint.disabled
        && !source.hint.forced
        && !source.read_own_writes
        && source.limit.is_none()
        && source.count_into.is_none()
}

/// Returns the field that sorts the entries of a range.
fn sorted_field<'a>(index: &'a IndexInfo, range: &IndexRange) -> Option<&'a IndexField> {
    if index.capabilities.clustered {
        return index.fields.first().filter(|_| range.lookups.is_empty());
    }
    let is_sorted = index.capabilities.ordered && index.has_plain_fields();
    let equal = range.lookups.iter().all(|lookup| matches!(lookup, IndexLookup::Equal(_)));
    index.fields.get(range.lookups.len()).filter(|_| is_sorted && equal)
}

/// Returns true if the index has all attributes that are read of the documents.
fn covers(index: &IndexInfo, source: &DocumentSource) -> bool {
    let mut paths = BTreeSet::new();
    let filter_is_covered = source.filter.as_ref().is_none_or(|filter| {
        let projected = &source.filter_projections;
        collect_paths(filter, source.out, &mut paths)
            && paths.iter().chain(projected.iter().map(|one| &one.path)).all(|path| index.has(path))
    });
    filter_is_covered
        && source.produces_result
        && !source.projections.is_empty()
        && source.projections.iter().all(|projection| index.has(&projection.path))
}

/// Returns the field that joins the scan with one of the values. Further fields may be compared
/// with other values.
fn joined_field<'a>(scan: &'a IndexScan, values: &[VariableId]) -> Option<&'a IndexField> {
    let ([index], [range]) = (scan.indexes.as_slice(), scan.ranges.as_slice()) else { return None };
    let is_plain = scan.join == JoinPart::None
        && (index.capabilities.clustered || index.capabilities.ordered)
        && !index.sparse
        && !scan.deduplicate
        && !scan.source.read_own_writes
        && index.has_plain_fields()
        && range.lower.is_none()
        && range.upper.is_none()
        && range.lookups.iter().all(|lookup| matches!(lookup, IndexLookup::Equal(_)));
    let is_joined = |lookup: &IndexLookup| matches!(lookup, IndexLookup::Equal(Expression::Variable(id)) if values.contains(id));
    let position = range.lookups.iter().position(is_joined).filter(|_| is_plain)?;
    index.fields.get(range.first_field + position)
}

fn projection_of(source: &DocumentSource, field: &IndexField) -> Option<VariableId> {
    let found = source.projections.iter().find(|projection| projection.path == field.path);
    found.map(|projection| projection.out)
}
