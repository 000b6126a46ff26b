//! Orders that a query requests, and orders that indexes provide.

use std::cmp::Reverse;

use aql_plan::{
    DocumentSource, Expression, IndexField, IndexInfo, IndexLookup, IndexRange, IndexScan, Node, NodeKind,
    Sort,
};

use super::access_path::scan_whole;
use super::condition::{Branch, as_field, conditions_after, normalize, resolve, set_from};
use super::pipeline::is_transparent;
use crate::RuleContext;

/// The maximum number of documents in a collection that is always read from an index that provides
/// a part of the order.
const SMALL_COLLECTION: u64 = 1_000;
/// The share of a larger collection that may be read this way. Fetching documents in the order of
/// an index takes several times as long as reading and sorting them.
const FETCHED_PART: f64 = 0.1;

/// The order in which a later sort puts the rows of a scan.
#[derive(Debug)]
pub(crate) struct SortNeed {
    /// The position of the Sort node.
    pub(crate) position: usize,
    /// Fields of the document, the most significant first; at least one.
    fields: Vec<IndexField>,
    ascending: bool,
    /// True if the sort has no other criteria.
    is_whole: bool,
}

/// A scan whose rows come in the order of the first `met` criteria of the sort.
pub(crate) struct Ordered {
    pub(crate) scan: IndexScan,
    /// The number of criteria.
    pub(crate) met: usize,
}

/// Returns the sort of the rows of the scan at a position.
///
/// The sort must be by fields of the scan's documents, in one direction, and the scan must run only
/// once.
pub(crate) fn sort_need(nodes: &[Node], scan: usize) -> Option<SortNeed> {
    leading_need(nodes, scan).filter(|need| need.is_whole)
}

/// Does the same as [`sort_need`] for the leading criteria that are such fields.
pub(crate) fn leading_need(nodes: &[Node], scan: usize) -> Option<SortNeed> {
    let source = nodes.get(scan)?.kind.source()?;
    let (position, sort) = sort_after(nodes, scan).filter(|(_, sort)| sort.limit.is_none())?;
    let ascending = sort.elements.first()?.ascending;
    let fields: Vec<_> = sort
        .elements
        .iter()
        .take_while(|element| element.ascending == ascending)
        .map_while(|element| {
            as_field(&resolve(&Expression::Variable(element.input), nodes, scan, position), source.out)
        })
        .collect();
    let is_whole = fields.len() == sort.elements.len();
    (!fields.is_empty()).then_some(SortNeed { position, fields, ascending, is_whole })
}

/// Returns true if the scan at a position runs once.
pub(crate) fn runs_once(nodes: &[Node], scan: usize) -> bool {
    let mut before = nodes.iter().take(scan);
    before.all(|node| !node.kind.is_loop() && !matches!(node.kind, NodeKind::Collect(_)))
}

/// Returns the sort of all rows of the scan at a position, with its own position, if the scan runs
/// once.
pub(crate) fn sort_after(nodes: &[Node], scan: usize) -> Option<(usize, &Sort)> {
    if runs_once(nodes, scan) { sort_of_rows(nodes, scan) } else { None }
}

/// Returns the sort of the rows of the scan at a position, with its own position, however often the
/// scan runs.
pub(crate) fn sort_of_rows(nodes: &[Node], scan: usize) -> Option<(usize, &Sort)> {
    let after = nodes.iter().enumerate().skip(scan + 1);
    after
        .take_while(|(_, node)| match &node.kind {
            NodeKind::Calculation(_) | NodeKind::Filter(_) | NodeKind::Sort(_) => true,
            NodeKind::Subquery(_) => !node.kind.is_modification(),
            _ => false,
        })
        .find_map(|(position, node)| match &node.kind {
            NodeKind::Sort(sort) => Some((position, sort)),
            _ => None,
        })
}

/// Returns the number of rows that the limit after a position takes, including skipped ones.
///
/// `None` if there is no limit, or if it counts the rows that it cuts off.
pub(crate) fn following_limit(nodes: &[Node], position: usize) -> Option<u64> {
    let next = nodes.iter().skip(position + 1).find(|node| !is_transparent(&node.kind))?;
    match &next.kind {
        NodeKind::Limit(limit) if !limit.full_count && limit.limit != u64::MAX => {
            limit.offset.checked_add(limit.limit)
        }
        _ => None,
    }
}

impl SortNeed {
    /// Returns true if the entries of the range come in this order or its reverse.
    pub(crate) fn is_met_by(&self, index: &IndexInfo, range: &IndexRange) -> bool {
        self.is_met(self.met_by(index, range))
    }

    pub(crate) fn is_met(&self, count: usize) -> bool {
        self.is_whole && count == self.fields.len()
    }

    /// Returns the number of leading fields by which the entries of the range are ordered, in this
    /// direction or its reverse.
    ///
    /// Fields that are equal to one value are skipped. By themselves they are not an order.
    fn met_by(&self, index: &IndexInfo, range: &IndexRange) -> usize {
        if index.capabilities.clustered {
            // Keys are unique, so further fields change nothing. Identifiers sort like keys.
            let is_key = self.fields.first().is_some_and(|needed| index.fields.contains(needed));
            return if is_key { self.fields.len() } else { 0 };
        }
        if !index.capabilities.ordered || !index.has_plain_fields() {
            return 0;
        }
        let is_fixed = |position: usize| matches!(range.lookups.get(position), Some(IndexLookup::Equal(_)));
        let mut position = 0;
        let mut orders = false;
        let met = self.fields.iter().take_while(|needed| {
            let known = index.fields.iter().position(|field| field == *needed);
            if known.is_some_and(is_fixed) {
                return true;
            }
            while is_fixed(position) {
                position += 1;
            }
            let matches = index.fields.get(position) == Some(*needed);
            position += 1;
            orders |= matches;
            matches
        });
        let met = met.count();
        if orders || self.is_met(met) { met } else { 0 }
    }
}

/// Returns the scan of a whole index that provides the order of the sort after the scan at a
/// position, if that pays.
pub(crate) fn index_for_sort(
    nodes: &[Node],
    position: usize,
    context: &RuleContext<'_>,
) -> Option<IndexScan> {
    let source = nodes.get(position)?.kind.source()?;
    let need = leading_need(nodes, position)?;
    let ordered = ordered_full_scan(source, nodes, position, &need, context)?;
    Some(IndexScan { ordered: false, ascending: true, sort_fields: Vec::new(), ..ordered.scan })
}

pub(crate) fn ordered_index_scan(scan: &IndexScan, need: &SortNeed) -> Option<Ordered> {
    let ([index], [range]) = (scan.indexes.as_slice(), scan.ranges.as_slice()) else { return None };
    let met = need.met_by(index, range);
    (met > 0).then(|| in_order(scan.clone(), need, met))
}

/// Returns the scan of a whole index instead of the whole collection.
///
/// It takes the hinted index. Otherwise it takes the one that provides most of the order, and among
/// these the one with the fewest fields.
pub(crate) fn ordered_full_scan(
    source: &DocumentSource,
    nodes: &[Node],
    position: usize,
    need: &SortNeed,
    context: &RuleContext<'_>,
) -> Option<Ordered> {
    if source.hint.disabled || source.count_into.is_some() {
        return None;
    }
    let info = context.catalog.collection(&source.collection.name)?;
    let whole = IndexRange::default();
    let usable: Vec<(usize, &IndexInfo)> = info
        .indexes
        .iter()
        .map(|index| (need.met_by(index, &whole), index))
        .filter(|(met, index)| {
            need.is_met(*met)
                || *met > 0 && is_grouping_worthwhile(nodes, position, need, index, *met, info.count_estimate)
        })
        .filter(|(_, index)| !index.sparse || has_all_wanted(index, source, nodes, position, context))
        .collect();
    let hinted =
        source.hint.names.iter().find_map(|name| usable.iter().find(|(_, index)| index.name == *name));
    let (met, index) = match hinted {
        Some(hinted) => hinted,
        None if source.hint.forced && !source.hint.names.is_empty() => return None,
        None => usable.iter().min_by_key(|(met, index)| (Reverse(*met), index.fields.len()))?,
    };
    Some(in_order(scan_whole(index, source), need, *met))
}

fn in_order(scan: IndexScan, need: &SortNeed, met: usize) -> Ordered {
    let sort_fields = need.fields.iter().take(met).cloned().collect();
    Ordered { scan: IndexScan { ascending: need.ascending, ordered: true, sort_fields, ..scan }, met }
}

/// Returns true if sorting the groups of an index takes less than sorting the collection.
///
/// It does not if filters leave few documents, or if a large collection must be fetched through the
/// index.
fn is_grouping_worthwhile(
    nodes: &[Node],
    scan: usize,
    need: &SortNeed,
    index: &IndexInfo,
    met: usize,
    count: u64,
) -> bool {
    let mut between = nodes.iter().take(need.position).skip(scan + 1);
    if between.any(|node| matches!(node.kind, NodeKind::Filter(_))) {
        return false;
    }
    if count <= SMALL_COLLECTION {
        return true;
    }
    let Some(wanted) = following_limit(nodes, need.position) else { return false };
    // The estimate is for whole entries. The size of groups by only some of their fields is
    // unknown.
    let estimate = index.selectivity_estimate.filter(|estimate| met == index.fields.len() && *estimate > 0.0);
    let group = estimate.map_or(1.0, |estimate| 1.0 / estimate);
    wanted as f64 + group <= count as f64 * FETCHED_PART
}

/// Returns true if a sparse index has every document that passes the filters after the scan,
/// because they exclude null in all of its fields.
fn has_all_wanted(
    index: &IndexInfo,
    source: &DocumentSource,
    nodes: &[Node],
    position: usize,
    context: &RuleContext<'_>,
) -> bool {
    let conditions = conditions_after(nodes, position, context.interrupt);
    let expressions = conditions.iter().map(|condition| &condition.expression);
    let form = normalize(expressions, source.out, &set_from(nodes, position), context.max_branches, context);
    // Without memory for the form, or when the query is ended, nothing is known.
    let Ok(form) = form else { return false };
    index.fields.iter().all(|field| {
        let excludes_null =
            |branch: &Branch| branch.atoms.iter().any(|atom| atom.field == *field && atom.excludes_null());
        form.branches.iter().all(excludes_null)
    })
}
