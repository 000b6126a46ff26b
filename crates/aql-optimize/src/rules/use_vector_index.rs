//! `use-vector-index`: finds the documents whose vectors are nearest to another one in a vector
//! index, where a query sorts by their similarity and limits the result.
//!
//! The filters before the sort run within the search, so they are removed. The sort is removed,
//! too, unless there are several searches, one for each row of an outer loop: then it sorts what
//! they find. As in ArangoDB, no other form of query can compute the similarity functions.

use std::collections::BTreeSet;

use aql_plan::{
    DocumentSource, Expression, Filter, IndexInfo, NearVector, Node, NodeKind, Plan, SearchShape, VariableId,
    VariableSet,
};
use errors::Result;

use super::{Rule, RuleContext};
use crate::analysis::condition::{as_field, resolve, set_from};
use crate::analysis::coverage::Entries;
use crate::analysis::pipeline::{Workshop, for_each_pipeline, is_transparent};
use crate::analysis::projection::collect_paths;
use crate::analysis::sort_order::{runs_once, sort_of_rows};

pub(super) struct UseVectorIndex;

impl Rule for UseVectorIndex {
    fn name(&self) -> &'static str {
        "use-vector-index"
    }

    fn description(&self) -> &'static str {
        "Uses vector indexes to find the documents with the nearest vectors."
    }

    fn apply(&self, plan: &mut Plan, context: &mut RuleContext<'_>) -> Result<bool> {
        for_each_pipeline(plan, context.interrupt, &mut |nodes, workshop| {
            let mut changed = false;
            for position in 0..nodes.len() {
                context.interrupt.check()?;
                if let Some(search) = find(nodes, position, context) {
                    apply(nodes, position, search, workshop);
                    changed = true;
                }
            }
            Ok(changed)
        })
    }

    /// Does the same: nothing else computes the similarity functions.
    fn apply_disabled(&self, plan: &mut Plan, context: &mut RuleContext<'_>) -> Result<()> {
        self.apply(plan, context).map(|_| ())
    }
}

/// A search that can replace a full scan, its filters and its sort.
struct VectorSearch {
    index: IndexInfo,
    /// The call of the similarity function.
    call: Expression,
    vector: Expression,
    options: Option<Expression>,
    filter: Option<Expression>,
    /// Positions of the filters, and of the sort if it is done.
    done: Vec<usize>,
    /// The number of documents of each search, those that the query skips included.
    limit: u64,
    /// True if the limit counts all documents that match.
    counts_all: bool,
}

fn find(nodes: &[Node], position: usize, context: &RuleContext<'_>) -> Option<VectorSearch> {
    let NodeKind::EnumerateCollection(scan) = &nodes.get(position)?.kind else { return None };
    let source = &scan.source;
    if source.hint.disabled || scan.random || source.count_into.is_some() {
        return None;
    }
    let (sort_at, sort) = sort_of_rows(nodes, position).filter(|(_, sort)| sort.limit.is_none())?;
    let [element] = sort.elements.as_slice() else { return None };
    let call = resolve(&Expression::Variable(element.input), nodes, position, sort_at);
    let Expression::Call { function, arguments } = &call else { return None };
    let (first, second) = (arguments.first()?, arguments.get(1)?);
    let serves = |index: &&IndexInfo| {
        let SearchShape::Near { metric } = index.capabilities.search else { return false };
        metric.function() == function.name
            && metric.is_ascending() == element.ascending
            && index.fields.iter().any(|field| {
                [first, second].into_iter().any(|own| as_field(own, source.out).as_ref() == Some(field))
            })
    };
    let unavailable = set_from(nodes, position);
    let is_available = |expression: &&Expression| !expression.variables().intersects(&unavailable);
    let vector = [second, first].into_iter().find(is_available)?.clone();
    let options = arguments.get(2).cloned();
    if !options.iter().all(|options| is_available(&options)) {
        return None;
    }
    let (limit, counts_all) = limit_after(nodes, sort_at)?;
    let (filter, mut done) = filters(nodes, position, sort_at, &call, source.out)?;
    let index = choose_index(source, serves, filter.as_ref(), context)?;
    if runs_once(nodes, position) {
        done.push(sort_at);
    }
    Some(VectorSearch { index, call, vector, options, filter, done, limit, counts_all })
}

/// Returns the number of rows that the limit after the sort takes, skipped ones included, and true
/// if it counts all rows.
fn limit_after(nodes: &[Node], sort: usize) -> Option<(u64, bool)> {
    let next = nodes.iter().skip(sort + 1).find(|node| !is_transparent(&node.kind))?;
    match &next.kind {
        NodeKind::Limit(limit) if limit.limit != u64::MAX => {
            Some((limit.offset.checked_add(limit.limit)?, limit.full_count))
        }
        _ => None,
    }
}

/// Returns the condition of the filters between the scan and the sort, and their positions.
///
/// `None` if one of them needs more than the document, its similarity, and earlier variables.
fn filters(
    nodes: &[Node],
    scan: usize,
    sort: usize,
    call: &Expression,
    document: VariableId,
) -> Option<(Option<Expression>, Vec<usize>)> {
    let mut later: VariableSet = set_from(nodes, scan + 1);
    later.remove(document);
    let (mut conditions, mut positions) = (Vec::new(), Vec::new());
    for (position, node) in nodes.iter().enumerate().take(sort).skip(scan + 1) {
        let NodeKind::Filter(Filter { condition, .. }) = &node.kind else { continue };
        let condition = resolve(&Expression::Variable(*condition), nodes, scan, position);
        if !condition.is_deterministic() || condition.variables().intersects(&later) {
            return None;
        }
        conditions.push(condition);
        positions.push(position);
    }
    // A call of the function for another vector has no value.
    let calls_other =
        |condition: &Expression| condition.any(&|part| is_similarity(part) && !part.is_same(call));
    if conditions.iter().any(calls_other) {
        return None;
    }
    let condition = match conditions.len() {
        0 | 1 => conditions.pop(),
        _ => Some(Expression::And(conditions)),
    };
    Some((condition, positions))
}

/// Returns true for a call of a function that only an index computes.
fn is_similarity(expression: &Expression) -> bool {
    matches!(expression, Expression::Call { function, .. } if function.name.starts_with("APPROX_NEAR_"))
}

/// Returns the first index that the query names. Otherwise one whose stored values serve the filter
/// comes first.
fn choose_index(
    source: &DocumentSource,
    serves: impl Fn(&&IndexInfo) -> bool,
    filter: Option<&Expression>,
    context: &RuleContext<'_>,
) -> Option<IndexInfo> {
    let info = context.catalog.collection(&source.collection.name)?;
    let hint = &source.hint;
    let is_named = |index: &&IndexInfo| hint.names.contains(&index.name);
    let mut paths = BTreeSet::new();
    let is_readable = filter.is_some_and(|filter| collect_paths(filter, source.out, &mut paths));
    let covers = |index: &IndexInfo| is_readable && paths.iter().all(|path| index.has(path));
    let rank = |index: &&IndexInfo| {
        let named = hint.names.iter().position(|name| *name == index.name).unwrap_or(hint.names.len());
        (named, !covers(index))
    };
    let must_be_named = hint.forced && !hint.names.is_empty();
    let candidates = info.indexes.iter().filter(serves).filter(|index| !must_be_named || is_named(index));
    candidates.min_by_key(rank).cloned()
}

fn apply(nodes: &mut Vec<Node>, position: usize, search: VectorSearch, workshop: &mut Workshop<'_>) {
    let VectorSearch { index, call, vector, options, mut filter, mut done, limit, counts_all } = search;
    let Some(NodeKind::EnumerateCollection(scan)) = nodes.get(position).map(|node| &node.kind) else {
        return;
    };
    let mut source = scan.source.clone();
    let (distance, known) = distance_variable(nodes, position, &call, workshop);
    done.extend(known);
    done.sort_unstable();
    filter.iter_mut().for_each(|filter| replace(filter, &call, distance));
    source.filter = filter;
    source.limit = Some(limit);
    // Remove the last node first, so that the other positions stay valid.
    for done in done.into_iter().rev() {
        nodes.remove(done);
    }
    nodes.iter_mut().skip(position + 1).for_each(|node| replace_in_node(node, &call, distance));
    let (vector, calculation) = match vector.as_variable() {
        Some(variable) => (variable, None),
        None => {
            let (variable, node) = workshop.calculation(vector);
            (variable, Some(node))
        }
    };
    let near = NearVector { source, index, vector, options, distance, counts_all };
    if let Some(node) = nodes.get_mut(position) {
        *node = workshop.node(NodeKind::NearVector(Box::new(near)));
    }
    if let Some(calculation) = calculation {
        nodes.insert(position, calculation);
    }
}

/// Returns the variable for the similarity, and the position of the calculation that sets it so
/// far.
fn distance_variable(
    nodes: &[Node],
    scan: usize,
    call: &Expression,
    workshop: &mut Workshop<'_>,
) -> (VariableId, Option<usize>) {
    let known = nodes.iter().enumerate().skip(scan + 1).find_map(|(at, node)| match &node.kind {
        NodeKind::Calculation(calculation) => {
            let resolved = resolve(&calculation.expression, nodes, scan, at);
            resolved.is_same(call).then_some((calculation.out, at))
        }
        _ => None,
    });
    match known {
        Some((out, at)) => (out, Some(at)),
        None => (workshop.variables.add_temporary(), None),
    }
}

fn replace_in_node(node: &mut Node, call: &Expression, distance: VariableId) {
    node.kind.for_each_expression_mut(&mut |expression| replace(expression, call, distance));
    if let NodeKind::Subquery(subquery) = &mut node.kind {
        subquery.nodes.iter_mut().for_each(|inner| replace_in_node(inner, call, distance));
    }
}

/// Reads the variable instead of each call.
fn replace(expression: &mut Expression, call: &Expression, distance: VariableId) {
    if expression.is_same(call) {
        *expression = Expression::Variable(distance);
        return;
    }
    expression.for_each_child_mut(&mut |child| replace(child, call, distance));
}
