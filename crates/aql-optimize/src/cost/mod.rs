//! Estimates of cost and number of rows.
//!
//! There are two scales. Clients see ArangoDB's scale ([`estimate`]): reading a document, or
//! filtering or computing a row, costs 1, and the constants reproduce the plans in its
//! documentation. The choice among plans has a scale of its own ([`choice_cost`]). It also
//! considers that filters drop rows, and that fetching a document through an index costs more than
//! reading it in a scan.

mod graph;
pub(crate) mod index;

use std::collections::HashMap;

use aql_plan::{
    CollectMethod, CompareOperator, ConstantRange, DocumentSource, Expression, Filter, GraphAccess,
    IndexBound, IndexInfo, IndexLookup, IndexRange, IndexScan, JoinPart, Node, NodeKind, Plan, PlanCatalog,
    Subquery, VariableId,
};
use aql_value::{Interrupt, Value};
use errors::Result;

use index::{Estimate, Scale, entries_found, length_of, range};

/// Rows of a loop over an array of unknown length.
const UNKNOWN_LENGTH: f64 = 100.0;
/// The number of scans before a hash join replaces them.
const SCANS_BEFORE_HASH_JOIN: f64 = 2.0;
/// The cost of reading a document and keeping it in the table of a hash join.
const HASH_JOIN_ENTRY: f64 = 1.5;
/// The cost of looking up a row in that table.
const HASH_JOIN_PROBE: f64 = 0.3;
/// The documents that match a row by an attribute without statistics.
const MATCHES_PER_ROW: f64 = 10.0;
/// The groups that COLLECT makes per row, on average.
const GROUPS_PER_ROW: f64 = 0.8;

/// Estimates every node of a plan, as clients see it. Errors: 1500 for a query that was ended.
pub(crate) fn estimate(plan: &mut Plan, catalog: &dyn PlanCatalog, interrupt: &Interrupt) -> Result<()> {
    let estimates = Estimator::new(catalog, Scale::Shown, interrupt).pipeline(&plan.nodes)?;
    record(&mut plan.nodes, &mut estimates.into_iter());
    Ok(())
}

/// Returns the cost of a plan for the choice among plans. Errors: 1500 for a query that was ended.
pub(crate) fn choice_cost(plan: &Plan, catalog: &dyn PlanCatalog, interrupt: &Interrupt) -> Result<f64> {
    let estimates = Estimator::new(catalog, Scale::Choice, interrupt).pipeline(&plan.nodes)?;
    Ok(estimates.last().map_or(0.0, |last| last.cost))
}

/// Records estimates in the order in which they were made: a subquery's nodes before the subquery.
fn record(nodes: &mut [Node], estimates: &mut dyn Iterator<Item = Estimate>) {
    for node in nodes {
        if let NodeKind::Subquery(subquery) = &mut node.kind {
            record(&mut subquery.nodes, estimates);
        }
        let Some(estimate) = estimates.next() else { return };
        node.estimated_cost = estimate.cost;
        // The cast saturates. Numbers of rows are whole in this scale.
        node.estimated_items = estimate.items as u64;
    }
}

struct Estimator<'a> {
    catalog: &'a dyn PlanCatalog,
    scale: Scale,
    collections: HashMap<Box<str>, f64>,
    /// Lengths of variables that hold arrays, if they can be guessed.
    lengths: HashMap<VariableId, f64>,
    /// The share of rows in which a condition holds.
    shares: HashMap<VariableId, f64>,
    interrupt: &'a Interrupt,
}

impl<'a> Estimator<'a> {
    fn new(catalog: &'a dyn PlanCatalog, scale: Scale, interrupt: &'a Interrupt) -> Self {
        let (collections, lengths, shares) = (HashMap::new(), HashMap::new(), HashMap::new());
        Self { catalog, scale, collections, lengths, shares, interrupt }
    }

    /// Estimates all nodes, those of a subquery before the subquery itself.
    fn pipeline(&mut self, nodes: &[Node]) -> Result<Vec<Estimate>> {
        let mut estimates = Vec::with_capacity(nodes.len());
        let mut estimate = Estimate { cost: 0.0, items: 0.0 };
        for node in nodes {
            self.interrupt.check()?;
            estimate = match &node.kind {
                NodeKind::Subquery(subquery) => {
                    let inner = self.pipeline(&subquery.nodes)?;
                    let outer = self.subquery(subquery, &inner, estimate);
                    estimates.extend(inner);
                    outer
                }
                kind => self.node(kind, estimate),
            };
            estimates.push(estimate);
        }
        Ok(estimates)
    }

    fn node(&mut self, kind: &NodeKind, before: Estimate) -> Estimate {
        let Estimate { cost, items } = before;
        let row = self.scale.row_cost();
        match kind {
            NodeKind::Singleton => Estimate { cost: 1.0, items: 1.0 },
            NodeKind::NoResults => Estimate { cost: 0.5, items: 0.0 },
            NodeKind::EnumerateCollection(scan) => {
                let count = if scan.random { 1.0 } else { self.count(&scan.source.collection.name) };
                let cost = match self.scale {
                    Scale::Choice if items > SCANS_BEFORE_HASH_JOIN && scan.can_join_by_hash() => {
                        (SCANS_BEFORE_HASH_JOIN + HASH_JOIN_ENTRY) * count + items * HASH_JOIN_PROBE
                    }
                    _ => items * count + 1.0,
                };
                let mut found = self.scanned(&scan.source, before, Estimate { cost, items: items * count });
                if self.scale == Scale::Choice && scan.can_join_by_hash() {
                    found.items = found.items.min(items * MATCHES_PER_ROW);
                }
                found
            }
            NodeKind::Index(scan) => {
                let one = self.index_scan(scan);
                let found = Estimate { cost: items * one.cost, items: self.scale.rounded(items * one.items) };
                self.scanned(&scan.source, before, found)
            }
            NodeKind::EnumerateList(list) => {
                let out = items * self.lengths.get(&list.input).copied().unwrap_or(UNKNOWN_LENGTH);
                let share = list.filter.as_ref().map_or(1.0, |filter| self.share(filter));
                Estimate { cost: cost + out * row, items: out * share }
            }
            NodeKind::Traversal(node) => {
                let found = graph::traversal(node, before, |depth| self.degree(&node.graph, depth));
                let share = node.output_filter.as_ref().map_or(1.0, |filter| self.share(filter));
                Estimate { items: found.items * share, ..found }
            }
            NodeKind::ShortestPath(node) => graph::shortest_path(before, self.degree(&node.graph, 0)),
            NodeKind::EnumeratePaths(node) => {
                graph::enumerate_paths(node, before, self.degree(&node.graph, 0))
            }
            NodeKind::Calculation(calculation) => {
                if let Some(length) = length_of(&calculation.expression) {
                    self.lengths.insert(calculation.out, length);
                }
                self.shares.insert(calculation.out, self.share(&calculation.expression));
                Estimate { cost: cost + items * row, items }
            }
            NodeKind::Filter(Filter { condition, .. }) => {
                let share = self.shares.get(condition).copied().unwrap_or(1.0);
                Estimate { cost: cost + items * row, items: items * share }
            }
            NodeKind::Sort(_) => Estimate { cost: cost + sort_cost(items) * row, items },
            NodeKind::Materialize(_) => {
                Estimate { cost: cost + items * (row + self.scale.fetch_cost()), items }
            }
            NodeKind::NearVector(node) => {
                let found =
                    node.source.limit.unwrap_or(1).min(self.count(&node.source.collection.name) as u64);
                let out = items * found as f64;
                Estimate { cost: cost + out * row, items: out }
            }
            NodeKind::EnumerateView(node) => {
                let documents: f64 = node.indexes().map(|index| self.count(&index.collection.name)).sum();
                let share = node.condition.as_ref().map_or(1.0, |condition| self.share(condition));
                let found = (documents * share).min(node.limit.map_or(f64::INFINITY, |limit| limit as f64));
                let out = items * self.scale.rounded(found);
                Estimate { cost: cost + out * row, items: out }
            }
            NodeKind::Limit(limit) => {
                let out = (items - limit.offset as f64).clamp(0.0, limit.limit as f64);
                Estimate { cost: cost + out * row, items: out }
            }
            NodeKind::IndexCollect(node) => {
                let count = self.count(&node.scan.source.collection.name);
                let out = node.scan.indexes.first().map_or(count, |index| groups_estimate(index, count));
                let read = if node.distinct { out } else { count };
                Estimate { cost: cost + read * row, items: items * self.scale.rounded(out) }
            }
            NodeKind::Collect(collect) => {
                let out = if collect.groups.is_empty() { 1.0 } else { (items * GROUPS_PER_ROW).ceil() };
                let is_hash = collect.method == CollectMethod::Hash;
                Estimate { cost: cost + items * self.scale.collect_cost(is_hash), items: out }
            }
            _ => Estimate { cost: cost + items * row, items },
        }
    }

    /// Adds the filter of a scan, and the count that may replace its rows.
    fn scanned(&self, source: &DocumentSource, before: Estimate, found: Estimate) -> Estimate {
        let share = source.filter.as_ref().map_or(1.0, |filter| self.share(filter));
        let items = if source.count_into.is_some() { before.items } else { found.items * share };
        Estimate { cost: before.cost + found.cost, items }
    }

    fn subquery(&mut self, subquery: &Subquery, inner: &[Estimate], before: Estimate) -> Estimate {
        let last = inner.last().copied().unwrap_or(Estimate { cost: 0.0, items: 0.0 });
        self.lengths.insert(subquery.out, last.items);
        let runs = if subquery.is_constant { before.items.min(1.0) } else { before.items };
        Estimate { cost: before.cost + runs * last.cost, items: before.items }
    }

    /// Estimates the cost and the rows of an index scan for one incoming row.
    ///
    /// Ranges are omitted when the query is ended, because some are looked up in the database.
    fn index_scan(&mut self, scan: &IndexScan) -> Estimate {
        let count = self.count(&scan.source.collection.name);
        let mut sum = Estimate { cost: 0.0, items: 0.0 };
        for scanned in scan.ranges.iter().take_while(|_| !self.interrupt.is_set()) {
            let Some(index) = scan.indexes.get(scanned.index) else { continue };
            let mut estimate = range(index, scanned, count, self.scale);
            if self.scale == Scale::Choice {
                if let Some(share) = self.known_share(&scan.source.collection.name, index, scanned) {
                    estimate = entries_found(count * share, count, self.scale);
                }
                estimate.cost *= share_of_search(scan, index);
            }
            sum = Estimate { cost: sum.cost + estimate.cost, items: sum.items + estimate.items };
        }
        let items = sum.items.min(count.max(0.0));
        let fetched = if scan.source.reads_documents() && !reads_documents_along(scan) { items } else { 0.0 };
        Estimate { cost: sum.cost + fetched * self.scale.fetch_cost(), items }
    }

    /// Returns the share of an index that a range finds, if the database knows it: between
    /// constants.
    fn known_share(&self, collection: &str, index: &IndexInfo, range: &IndexRange) -> Option<f64> {
        let is_asked = index.capabilities.ordered && (range.lower.is_some() || range.upper.is_some());
        if !is_asked || range.search.is_some() {
            return None;
        }
        self.catalog.range_share(collection, index, &constant_range(range)?)
    }

    /// Returns the number of edges that leave a vertex at a depth, in all collections and
    /// directions.
    fn degree(&self, graph: &GraphAccess, depth: u64) -> f64 {
        let count = |name: &str| self.catalog.collection(name).map_or(0.0, |info| info.count_estimate as f64);
        graph.edges.iter().map(|edges| graph::degree(edges, depth, count(&edges.collection.name))).sum()
    }

    /// Returns the share of rows for which a condition holds. Shown estimates take it as 1.
    fn share(&self, condition: &Expression) -> f64 {
        match self.scale {
            Scale::Shown => 1.0,
            Scale::Choice => share(condition),
        }
    }

    fn count(&mut self, name: &str) -> f64 {
        if let Some(count) = self.collections.get(name) {
            return *count;
        }
        let count = self.catalog.collection(name).map_or(0.0, |info| info.count_estimate as f64);
        self.collections.insert(name.into(), count);
        count
    }
}

/// Returns the range, if all of its values are constants.
fn constant_range(range: &IndexRange) -> Option<ConstantRange<'_>> {
    let equal = range.lookups.iter().map(|lookup| match lookup {
        IndexLookup::Equal(value) => value.as_constant(),
        IndexLookup::In(_) => None,
    });
    let equal = equal.collect::<Option<_>>()?;
    let (lower, upper) = (constant_bound(range.lower.as_ref())?, constant_bound(range.upper.as_ref())?);
    Some(ConstantRange { equal, lower, upper })
}

/// Returns a constant bound: `None` if it is not constant, `Some(None)` if there is no bound.
fn constant_bound(bound: Option<&IndexBound>) -> Option<Option<(&Value, bool)>> {
    match bound {
        Some(bound) => Some(Some((bound.value.as_constant()?, bound.inclusive))),
        None => Some(None),
    }
}

/// Returns the share of a lookup's cost that remains where it is cheaper than a search of the
/// index.
///
/// A join resumes where the last lookup ended. A lookup by key finds the document itself.
fn share_of_search(scan: &IndexScan, index: &IndexInfo) -> f64 {
    if index.capabilities.clustered && scan.ranges.iter().all(|range| !range.lookups.is_empty()) {
        return 0.0;
    }
    if index.capabilities.ordered && scan.join == JoinPart::Next { 0.4 } else { 1.0 }
}

/// Returns true if the scan finds documents next to their keys: in ranges of the primary index.
fn reads_documents_along(scan: &IndexScan) -> bool {
    scan.indexes.iter().all(|index| index.capabilities.clustered)
        && scan.ranges.iter().all(|range| range.lookups.is_empty())
}

/// Returns the number of groups that the entries of an index make.
fn groups_estimate(index: &IndexInfo, count: f64) -> f64 {
    count * index.selectivity_estimate.unwrap_or(GROUPS_PER_ROW).min(GROUPS_PER_ROW)
}

/// Returns the cost of sorting `items` rows.
pub(crate) fn sort_cost(items: f64) -> f64 {
    if items <= 3.0 { items } else { items * items.log2() }
}

/// Guesses the share of rows for which a condition holds: equalities hold rarely, bounds often, and
/// nothing is known of the rest.
fn share(condition: &Expression) -> f64 {
    match condition {
        Expression::Constant(value) => f64::from(u8::from(value.to_bool())),
        Expression::Compare { operator: CompareOperator::Equal, .. } => 0.1,
        Expression::Compare { operator: CompareOperator::NotEqual, .. } => 0.9,
        Expression::Compare { .. } => 0.4,
        Expression::In { negated: false, .. } => 0.2,
        Expression::And(operands) => operands.iter().map(share).product(),
        Expression::Or(operands) => operands.iter().map(share).sum::<f64>().min(0.9),
        _ => 0.5,
    }
}
