//! Segments of a pipeline that several threads may run.

use std::ops::RangeInclusive;

use aql_plan::{
    AggregateFunction, Calculation, Collect, CollectMethod, CollectionScan, Expression, Node, NodeKind,
    VariableSet,
};
use errors::{Error, Result};

use super::fuse::Fused;
use super::scan::with_filter_reads;
use super::{Lowering, Surroundings};
use crate::operator::{CollectCountOperator, GroupOutput, Input, Located, Operator, ParallelInput, Segment};

/// The positions of a segment: from the scan to the node that consumes all rows.
pub(super) type Span = RangeInclusive<usize>;

/// Maximum number of rows that a sort may need for several threads to sort. More are sorted by one
/// thread in the end anyway.
const SORTED_ROWS_MAX: u64 = 1 << 16;

impl Lowering<'_> {
    /// Finds the segment of a pipeline that several threads may run.
    ///
    /// A scan of a collection begins it, filters and calculations follow, and a grouping, a count
    /// or a sort with a limit ends it. The rows must be the same on any thread: without effects,
    /// and without random numbers. Queries that write, that end at the first warning, or that
    /// measure their nodes run on one thread.
    pub(super) fn parallel_span(
        &self,
        nodes: &[Node],
        fused: &[Fused<'_>],
        live: &[VariableSet],
        surroundings: &Surroundings,
    ) -> Option<Span> {
        let context = &self.context;
        let may_divide = context.parallelism.threads > 1
            && !self.profile_nodes
            && !context.data.writes()
            && !context.warnings.fails();
        if !may_divide || surroundings.number.is_some() {
            return None;
        }
        let position = nodes.iter().position(|node| !is_step(node))?;
        let NodeKind::EnumerateCollection(scan) = &nodes.get(position)?.kind else { return None };
        if !is_divisible(scan) || (surroundings.depth > 0 && scan.can_join_by_hash()) {
            return None;
        }
        if scan.source.count_into.is_some() {
            // Its row has no values of the pipeline.
            let is_first = nodes.iter().take(position).all(|node| matches!(node.kind, NodeKind::Singleton));
            return (is_first && scan.source.filter.is_some()).then_some(position..=position);
        }
        if matches!(fused.get(position)?, Fused::CountedScan { .. }) && scan.source.filter.is_none() {
            return None;
        }
        let mut end = position + 1;
        while nodes.get(end).is_some_and(is_step) {
            if !is_repeatable_step(nodes.get(end)?) {
                return None;
            }
            end += 1;
        }
        let live = live.get(end)?;
        let consumes = match &nodes.get(end)?.kind {
            NodeKind::Collect(collect) => is_mergeable(collect, live),
            NodeKind::Sort(sort) => {
                sort.grouped == 0 && sort.limit.is_some_and(|limit| limit <= SORTED_ROWS_MAX)
            }
            _ => false,
        };
        consumes.then_some(position..=end)
    }

    /// Lowers a segment to the operator at its end. `input` gives the row that it starts from.
    pub(super) fn parallel_segment(
        &self,
        input: Box<dyn Operator>,
        nodes: &[Node],
        fused: &[Fused<'_>],
        live: &[VariableSet],
        span: &Span,
        surroundings: &Surroundings,
    ) -> Result<Box<dyn Operator>> {
        let no_scan = || Error::internal("a segment without a scan");
        let (Some(first), Some(last)) = (nodes.get(*span.start()), nodes.get(*span.end())) else {
            return Err(no_scan());
        };
        let NodeKind::EnumerateCollection(scan) = &first.kind else { return Err(no_scan()) };
        let carry = |position: &usize| {
            live.get(*position).map(|live| self.carry(live, surroundings)).ok_or_else(no_scan)
        };
        let mut source = self.counting_source(&scan.source, None, None)?;
        let count = source.count_into.take();
        let mut steps = Vec::new();
        let between = nodes.iter().zip(fused).take(*span.end()).skip(span.start() + 1);
        for (node, fused) in between {
            steps.extend(self.row_step(node, *fused)?.flatten());
        }
        let carried = with_filter_reads(carry(span.start())?, &source);
        let segment = Segment { node: first.id, source, carry: carried, steps };
        let input = Input::Parallel(Box::new(ParallelInput::new(input, segment)));
        let carry = carry(span.end())?;
        let operator: Box<dyn Operator> = match (&last.kind, count) {
            (_, Some(count)) => {
                let outer: Vec<_> = carry.iter().filter(|register| **register != count).copied().collect();
                Box::new(CollectCountOperator::new(input, GroupOutput::new(Vec::new(), &[], &outer), count))
            }
            (NodeKind::Collect(collect), None) => self.collect(input, carry, collect)?,
            (NodeKind::Sort(sort), None) => self.sort(input, carry, sort)?,
            _ => return Err(Error::internal("a segment that no operator consumes")),
        };
        Ok(Box::new(Located::new(operator, last.id)))
    }
}

/// Gives back the counts of a segment's documents to the COLLECT at its end.
pub(super) fn unfuse_count(fused: &mut [Fused<'_>], span: &Span) {
    let is_counted = matches!(fused.get(*span.start()), Some(Fused::CountedScan { .. }));
    if is_counted && span.start() < span.end() {
        for position in [*span.start(), *span.end()] {
            if let Some(fused) = fused.get_mut(position) {
                *fused = Fused::Node;
            }
        }
    }
}

/// Returns true if a node maps each row to at most one.
fn is_step(node: &Node) -> bool {
    matches!(node.kind, NodeKind::Singleton | NodeKind::Calculation(_) | NodeKind::Filter(_))
}

fn is_repeatable_step(node: &Node) -> bool {
    match &node.kind {
        NodeKind::Calculation(Calculation { expression, .. }) => expression.is_repeatable(),
        _ => true,
    }
}

/// Returns true if threads may scan parts of the documents.
fn is_divisible(scan: &CollectionScan) -> bool {
    let source = &scan.source;
    !scan.random
        && !source.read_own_writes
        && source.limit.is_none()
        && (source.produces_result || source.filter.is_some())
        && source.filter.as_ref().is_none_or(Expression::is_repeatable)
}

/// Returns true if the groups of threads can be merged: no value depends on the order of rows.
fn is_mergeable(collect: &Collect, live_after: &VariableSet) -> bool {
    let is_method = match collect.method {
        CollectMethod::Hash | CollectMethod::Count => true,
        // Without keys there is one group, and no order.
        CollectMethod::Sorted => collect.groups.is_empty(),
        CollectMethod::Distinct => false,
    };
    let keeps_values = collect.kept.iter().any(|kept| live_after.contains(*kept));
    let is_ordered =
        |function: AggregateFunction| matches!(function, AggregateFunction::Push | AggregateFunction::Unique);
    is_method
        && !keeps_values
        && collect.into.is_none()
        && !collect.aggregates.iter().any(|aggregate| is_ordered(aggregate.function))
}
