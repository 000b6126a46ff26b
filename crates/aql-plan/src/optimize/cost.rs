//! Estimates of cost and number of rows, in the unit and form that ArangoDB's explain shows: a document read, a row
//! filtered or computed costs 1. The constants reproduce the plans recorded in its documentation.

use crate::catalog::{CollectionInfo, IndexInfo, IndexKind, PlanCatalog};
use crate::expression::Expression;
use crate::node::{IndexLookup, IndexRange, IndexScan, Node, NodeKind, Subquery};
use crate::plan::Plan;
use crate::variable::VariableId;
use std::collections::HashMap;

/// Rows of a loop over an array of unknown length.
const UNKNOWN_LENGTH: f64 = 100.0;
/// Groups that COLLECT makes of a row, on average.
const GROUPS_PER_ROW: f64 = 0.8;
/// Cost of reading one index entry.
const ENTRY_COST: f64 = 0.05;
/// Rows (and cost) of a look-up in a unique index: a little below 1, so that it is preferred to one that is not unique.
const UNIQUE_LOOKUP: f64 = 0.995;
/// Share of entries that one equality on a part of an index's fields leaves.
const EQUALITY_SHARE: f64 = 0.05;
/// Share of entries that a range with two ends leaves. (One end alone is taken to leave all of them.)
const RANGE_SHARE: f64 = 0.5;

/// Cost and number of rows up to some node.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Estimate {
    cost: f64,
    items: f64,
}

/// Estimates every node of a plan.
pub(super) fn estimate(plan: &mut Plan, catalog: &dyn PlanCatalog) {
    let mut estimator = Estimator { catalog, collections: HashMap::new(), lengths: HashMap::new() };
    estimator.pipeline(&mut plan.nodes);
}

struct Estimator<'a> {
    catalog: &'a dyn PlanCatalog,
    collections: HashMap<Box<str>, f64>,
    /// Lengths of variables that hold arrays, as far as they can be guessed.
    lengths: HashMap<VariableId, f64>,
}

impl Estimator<'_> {
    fn pipeline(&mut self, nodes: &mut [Node]) -> Estimate {
        let mut estimate = Estimate { cost: 0.0, items: 0.0 };
        for node in nodes {
            estimate = self.node(&mut node.kind, estimate);
            node.estimated_cost = estimate.cost;
            // Within the range of u64 by saturation; rows are whole.
            node.estimated_items = estimate.items.ceil() as u64;
        }
        estimate
    }

    fn node(&mut self, kind: &mut NodeKind, before: Estimate) -> Estimate {
        let Estimate { cost, items } = before;
        match kind {
            NodeKind::Singleton => Estimate { cost: 1.0, items: 1.0 },
            NodeKind::NoResults => Estimate { cost: 0.5, items: 0.0 },
            NodeKind::EnumerateCollection(scan) => {
                let count = if scan.random { 1.0 } else { self.count(&scan.source.collection.name) };
                let out = if scan.source.count_into.is_some() { items } else { items * count };
                Estimate { cost: cost + items * count + 1.0, items: out }
            }
            NodeKind::Index(scan) => {
                let per_row = index_scan(scan, self.count(&scan.source.collection.name));
                let out = if scan.source.count_into.is_some() { items } else { items * per_row.items };
                Estimate { cost: cost + items * per_row.cost, items: out }
            }
            NodeKind::EnumerateList(list) => {
                let out = items * self.lengths.get(&list.input).copied().unwrap_or(UNKNOWN_LENGTH);
                Estimate { cost: cost + out, items: out }
            }
            NodeKind::Calculation(calculation) => {
                if let Some(length) = length_of(&calculation.expression) {
                    self.lengths.insert(calculation.out, length);
                }
                Estimate { cost: cost + items, items }
            }
            NodeKind::Subquery(subquery) => self.subquery(subquery, before),
            NodeKind::Sort(_) => Estimate { cost: cost + sort_cost(items), items },
            NodeKind::Limit(limit) => {
                let out = (items - limit.offset as f64).clamp(0.0, limit.limit as f64);
                Estimate { cost: cost + out, items: out }
            }
            NodeKind::Collect(collect) => {
                let out = if collect.groups.is_empty() { 1.0 } else { (items * GROUPS_PER_ROW).ceil() };
                Estimate { cost: cost + items, items: out }
            }
            NodeKind::Filter { .. }
            | NodeKind::Return(_)
            | NodeKind::Insert(_)
            | NodeKind::Update(_)
            | NodeKind::Remove(_)
            | NodeKind::Upsert(_) => Estimate { cost: cost + items, items },
        }
    }

    fn subquery(&mut self, subquery: &mut Subquery, before: Estimate) -> Estimate {
        let inner = self.pipeline(&mut subquery.nodes);
        self.lengths.insert(subquery.out, inner.items);
        let runs = if subquery.is_constant { before.items.min(1.0) } else { before.items };
        Estimate { cost: before.cost + runs * inner.cost, items: before.items }
    }

    fn count(&mut self, name: &str) -> f64 {
        if let Some(count) = self.collections.get(name) {
            return *count;
        }
        let count = self.catalog.collection(name).map_or(0.0, |info: CollectionInfo| info.count_estimate as f64);
        self.collections.insert(name.into(), count);
        count
    }
}

/// Cost of sorting so many rows.
pub(super) fn sort_cost(items: f64) -> f64 {
    if items <= 3.0 { items } else { items * items.log2() }
}

fn length_of(expression: &Expression) -> Option<f64> {
    match expression {
        Expression::Constant(value) if value.is_array() => Some(value.len() as f64),
        Expression::Array(members) => Some(members.len() as f64),
        Expression::Range { first, last } => {
            let (first, last) = (first.as_constant()?.as_f64()?, last.as_constant()?.as_f64()?);
            Some((last - first).abs().floor() + 1.0)
        }
        _ => None,
    }
}

/// What an index scan costs and yields for one incoming row.
fn index_scan(scan: &IndexScan, count: f64) -> Estimate {
    let mut sum = Estimate { cost: 0.0, items: 0.0 };
    for range in &scan.ranges {
        let Some(index) = scan.indexes.get(range.index) else { continue };
        let estimate = self::range(index, range, count);
        sum = Estimate { cost: sum.cost + estimate.cost, items: sum.items + estimate.items };
    }
    Estimate { items: sum.items.min(count.max(0.0)), ..sum }
}

/// Cost of looking up a range, and documents found, in a collection of `count` documents.
fn range(index: &IndexInfo, range: &IndexRange, count: f64) -> Estimate {
    if count <= 0.0 {
        return Estimate { cost: 0.0, items: 0.0 };
    }
    if range.lookups.is_empty() && range.lower.is_none() && range.upper.is_none() {
        return Estimate { cost: count, items: count };
    }
    let values: f64 = range.lookups.iter().map(number_of_values).product();
    if is_unique_lookup(index, range) {
        let items = UNIQUE_LOOKUP * values;
        return Estimate { cost: items + items * ENTRY_COST, items: items.min(count) };
    }
    let mut items = match range.lookups.len() {
        0 => count,
        given if given >= index.fields.len() || index.has_independent_fields() => values * per_value(index, count),
        given => values * (count * EQUALITY_SHARE.powi(i32::try_from(given).unwrap_or(i32::MAX))).max(1.0),
    };
    if range.lower.is_some() && range.upper.is_some() {
        items *= RANGE_SHARE;
    }
    let items = items.clamp(0.0, count).max(1.0_f64.min(count));
    Estimate { cost: values * count.log2() + items * ENTRY_COST, items }
}

/// The cost of a range, for choosing among indexes.
pub(super) fn range_cost(index: &IndexInfo, scanned: &IndexRange, count: u64) -> f64 {
    range(index, scanned, count as f64).cost
}

/// Documents that a range finds.
pub(super) fn range_items(index: &IndexInfo, scanned: &IndexRange, count: u64) -> f64 {
    range(index, scanned, count as f64).items
}

/// Documents that have the same value in all fields of the index.
fn per_value(index: &IndexInfo, count: f64) -> f64 {
    match index.selectivity_estimate {
        Some(selectivity) if selectivity > 0.0 => (1.0 / selectivity).clamp(1.0, count),
        _ => (count * EQUALITY_SHARE).max(1.0),
    }
}

fn number_of_values(lookup: &IndexLookup) -> f64 {
    match lookup {
        IndexLookup::Equal(_) => 1.0,
        IndexLookup::In(list) => length_of(list).unwrap_or(10.0),
    }
}

/// Whether each combination of values finds at most one document.
pub(super) fn is_unique_lookup(index: &IndexInfo, range: &IndexRange) -> bool {
    match index.kind {
        IndexKind::Primary => !range.lookups.is_empty(),
        IndexKind::Persistent => {
            let is_plain = index.fields.iter().all(|field| field.expansion.is_none());
            index.unique && is_plain && range.lookups.len() == index.fields.len()
        }
        IndexKind::Edge | IndexKind::Other => false,
    }
}

impl IndexInfo {
    /// Whether each field of the index can be looked up by itself.
    pub(crate) fn has_independent_fields(&self) -> bool {
        matches!(self.kind, IndexKind::Primary | IndexKind::Edge)
    }
}
