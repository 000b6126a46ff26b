//! `use-index-for-sort`: reads documents in the order of an index instead of sorting them.

use super::use_indexes::scan_whole;
use super::{Rule, RuleContext};
use crate::catalog::{IndexField, IndexInfo, IndexKind};
use crate::expression::Expression;
use crate::node::{DocumentSource, IndexLookup, IndexRange, IndexScan, Node, NodeKind, Sort};
use crate::optimize::condition::{Branch, as_field, conditions_after, normalize, resolve, set_from};
use crate::optimize::pipeline::for_each_pipeline;
use crate::plan::Plan;
use aql_value::Result;

pub(super) struct UseIndexForSort;

impl Rule for UseIndexForSort {
    fn name(&self) -> &'static str {
        "use-index-for-sort"
    }

    fn description(&self) -> &'static str {
        "Removes sorts whose order an index provides."
    }

    fn apply(&self, plan: &mut Plan, context: &mut RuleContext<'_>) -> Result<bool> {
        for_each_pipeline(plan, &mut |nodes, workshop| {
            let mut changed = false;
            for position in (0..nodes.len()).rev() {
                let Some(need) = sort_need(nodes, position) else { continue };
                let scan = match nodes.get(position).map(|node| &node.kind) {
                    Some(NodeKind::Index(scan)) => ordered_index_scan(scan, &need),
                    Some(NodeKind::EnumerateCollection(scan)) if !scan.random => {
                        ordered_full_scan(&scan.source, nodes, position, &need, context)
                    }
                    _ => None,
                };
                let Some(scan) = scan else { continue };
                nodes.remove(need.position);
                let kind = NodeKind::Index(Box::new(scan));
                match nodes.get_mut(position) {
                    Some(node) if matches!(node.kind, NodeKind::Index(_)) => node.kind = kind,
                    Some(node) => *node = workshop.node(kind),
                    None => {}
                }
                changed = true;
            }
            Ok(changed)
        })
    }
}

/// The order that a later sort gives to the rows of a scan.
#[derive(Debug)]
pub(super) struct SortNeed {
    /// Position of the Sort node.
    position: usize,
    /// Fields of the document, the most significant first.
    fields: Vec<IndexField>,
    ascending: bool,
}

/// The sort of the rows of the scan at a position, if it is by fields of its documents, in one direction, and the scan
/// runs once.
pub(super) fn sort_need(nodes: &[Node], scan: usize) -> Option<SortNeed> {
    let source = nodes.get(scan)?.kind.source()?;
    let (position, sort) = sort_after(nodes, scan)?;
    let ascending = sort.elements.first()?.ascending;
    if sort.elements.iter().any(|element| element.ascending != ascending) {
        return None;
    }
    let fields: Option<Vec<_>> = sort
        .elements
        .iter()
        .map(|element| {
            as_field(&resolve(&Expression::Variable(element.input), nodes, scan, position), source.out)
        })
        .collect();
    Some(SortNeed { position, fields: fields?, ascending })
}

/// The sort of all rows of the scan at a position, with its own position, if the scan runs once.
pub(super) fn sort_after(nodes: &[Node], scan: usize) -> Option<(usize, &Sort)> {
    let mut before = nodes.iter().take(scan);
    let runs_once = before.all(|node| !node.kind.is_loop() && !matches!(node.kind, NodeKind::Collect(_)));
    if !runs_once {
        return None;
    }
    let after = nodes.iter().enumerate().skip(scan + 1);
    after
        .take_while(|(_, node)| match &node.kind {
            NodeKind::Calculation(_) | NodeKind::Filter { .. } | NodeKind::Sort(_) => true,
            NodeKind::Subquery(_) => !node.kind.is_modification(),
            _ => false,
        })
        .find_map(|(position, node)| match &node.kind {
            NodeKind::Sort(sort) => Some((position, sort)),
            _ => None,
        })
        .filter(|(_, sort)| sort.limit.is_none())
}

impl SortNeed {
    /// Whether the entries that the range finds come in this order (or its reverse). Fields that are equal to one value
    /// do not matter.
    pub(super) fn is_met_by(&self, index: &IndexInfo, range: &IndexRange) -> bool {
        if index.kind == IndexKind::Primary {
            // Keys are unique, so further fields decide nothing; identifiers sort as keys do.
            return self.fields.first().is_some_and(|needed| index.fields.contains(needed));
        }
        if index.kind != IndexKind::Persistent || index.fields.iter().any(|field| field.expansion.is_some()) {
            return false;
        }
        let is_fixed = |position: usize| matches!(range.lookups.get(position), Some(IndexLookup::Equal(_)));
        let mut position = 0;
        self.fields.iter().all(|needed| {
            let known = index.fields.iter().position(|field| field == needed);
            if known.is_some_and(is_fixed) {
                return true;
            }
            while is_fixed(position) {
                position += 1;
            }
            let matches = index.fields.get(position) == Some(needed);
            position += 1;
            matches
        })
    }
}

fn ordered_index_scan(scan: &IndexScan, need: &SortNeed) -> Option<IndexScan> {
    let ([index], [range]) = (scan.indexes.as_slice(), scan.ranges.as_slice()) else { return None };
    need.is_met_by(index, range).then(|| in_order(scan.clone(), need))
}

fn in_order(scan: IndexScan, need: &SortNeed) -> IndexScan {
    IndexScan { ascending: need.ascending, ordered: true, sort_fields: need.fields.clone(), ..scan }
}

/// The whole of an index instead of the whole of the collection: the hinted one, otherwise that with fewest fields.
fn ordered_full_scan(
    source: &DocumentSource,
    nodes: &[Node],
    position: usize,
    need: &SortNeed,
    context: &RuleContext<'_>,
) -> Option<IndexScan> {
    if source.hint.disabled || source.count_into.is_some() {
        return None;
    }
    let info = context.catalog.collection(&source.collection.name)?;
    let whole = IndexRange::default();
    let usable: Vec<&IndexInfo> = info
        .indexes
        .iter()
        .filter(|index| need.is_met_by(index, &whole))
        .filter(|index| !index.sparse || has_all_wanted(index, source, nodes, position, context))
        .collect();
    let hinted = source.hint.names.iter().find_map(|name| usable.iter().find(|index| index.name == *name));
    let index = match hinted {
        Some(index) => index,
        None if source.hint.forced && !source.hint.names.is_empty() => return None,
        None => usable.iter().min_by_key(|index| index.fields.len())?,
    };
    Some(in_order(scan_whole(index, source), need))
}

/// Whether a sparse index has every document that passes the filters after the scan: they exclude null in all of its
/// fields.
fn has_all_wanted(
    index: &IndexInfo,
    source: &DocumentSource,
    nodes: &[Node],
    position: usize,
    context: &RuleContext<'_>,
) -> bool {
    let conditions = conditions_after(nodes, position);
    let expressions = conditions.iter().map(|condition| &condition.expression);
    let form = normalize(expressions, source.out, &set_from(nodes, position), context.max_branches);
    index.fields.iter().all(|field| {
        let excludes_null =
            |branch: &Branch| branch.atoms.iter().any(|atom| atom.field == *field && atom.excludes_null());
        form.branches.iter().all(excludes_null)
    })
}
