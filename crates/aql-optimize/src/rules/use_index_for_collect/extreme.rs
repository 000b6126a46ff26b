//! Reads one entry of an index on `a` for `COLLECT AGGREGATE m = MIN(d.a)`.

use aql_plan::{
    AggregateFunction, Collect, DocumentSource, Expression, IndexBound, IndexField, IndexInfo, IndexLookup,
    IndexRange, IndexScan, Node, NodeKind,
};
use aql_value::Value;

use crate::RuleContext;
use crate::analysis::access_path::new_scan;
use crate::analysis::condition::{as_field, resolve};

/// Returns a scan of one entry in place of the scan at a position, if the grouping needs only the
/// least or greatest value of one field.
///
/// `MIN` and `MAX` ignore null, which comes first in an index.
pub(super) fn scan(
    nodes: &[Node],
    position: usize,
    collect_at: usize,
    collect: &Collect,
    context: &RuleContext<'_>,
) -> Option<IndexScan> {
    let [aggregate] = collect.aggregates.as_slice() else { return None };
    let is_minimum = match aggregate.function {
        AggregateFunction::Min => true,
        AggregateFunction::Max => false,
        _ => return None,
    };
    let source = nodes.get(position)?.kind.source()?;
    if !collect.groups.is_empty() || !wants_all(source) {
        return None;
    }
    let input = resolve(&Expression::Variable(aggregate.input?), nodes, position, collect_at);
    let field = field_of(source, &input)?;
    let (index, mut range) = match &nodes.get(position)?.kind {
        NodeKind::EnumerateCollection(scan) if !scan.random && !source.hint.disabled => {
            let info = context.catalog.collection(&source.collection.name)?;
            let mut usable = info.indexes.iter().filter(|index| {
                let has_all = !index.sparse || index.fields.len() == 1;
                is_sorted_by(index, 0, &field) && has_all
            });
            (usable.next()?.clone(), IndexRange::default())
        }
        NodeKind::Index(scan) => equal_range(scan, &field)?,
        _ => return None,
    };
    if is_minimum {
        range.lower = Some(IndexBound { value: Expression::Constant(Value::Null), inclusive: false });
    }
    let scan = new_scan(source, vec![index], vec![range]);
    let source = DocumentSource { limit: Some(1), ..scan.source.clone() };
    Some(IndexScan { source, ascending: is_minimum, ordered: true, deduplicate: false, ..scan })
}

fn wants_all(source: &DocumentSource) -> bool {
    source.filter.is_none()
        && source.limit.is_none()
        && source.count_into.is_none()
        && !source.read_own_writes
}

/// Returns the field of the document that the expression reads, directly or as a projection.
fn field_of(source: &DocumentSource, input: &Expression) -> Option<IndexField> {
    if let Some(field) = as_field(input, source.out) {
        return Some(field);
    }
    let (variable, rest) = input.as_attribute_path()?;
    let projection = source.projections.iter().find(|projection| projection.out == variable)?;
    let path = projection.path.iter().cloned().chain(rest.into_iter().map(Box::from)).collect();
    Some(IndexField { path, expansion: None })
}

fn is_sorted_by(index: &IndexInfo, position: usize, field: &IndexField) -> bool {
    index.capabilities.ordered && index.has_plain_fields() && index.fields.get(position) == Some(field)
}

/// Returns the index and range of a scan whose leading fields have one value each, if the next
/// field is `field`.
fn equal_range(scan: &IndexScan, field: &IndexField) -> Option<(IndexInfo, IndexRange)> {
    let ([index], [range]) = (scan.indexes.as_slice(), scan.ranges.as_slice()) else { return None };
    let is_equal = range.lookups.iter().all(|lookup| matches!(lookup, IndexLookup::Equal(_)));
    let is_open = range.lower.is_none() && range.upper.is_none() && range.first_field == 0;
    // A sparse index covers all documents of the scan, but not all that have the field.
    let is_usable = is_equal && is_open && !index.sparse && is_sorted_by(index, range.lookups.len(), field);
    is_usable.then(|| (index.clone(), range.clone()))
}
