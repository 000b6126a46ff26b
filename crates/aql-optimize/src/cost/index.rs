//! Estimates for lookups in indexes.

use aql_plan::{Expression, FieldBounds, IndexInfo, IndexLookup, IndexRange, IndexSearch};

/// The cost of reading one index entry, as clients see it.
const ENTRY_COST: f64 = 0.05;
/// The rows and the cost of a lookup in a unique index. It is a little below 1, so that a unique
/// index is preferred.
const UNIQUE_LOOKUP: f64 = 0.995;
/// The share of entries that remain after one equality on a part of an index's fields.
const EQUALITY_SHARE: f64 = 0.05;
/// The share of entries that remain in a range with two ends.
const RANGE_SHARE: f64 = 0.5;
/// The share of entries that remain after a bound at one end of a field of a box.
const OPEN_FIELD_SHARE: f64 = 0.7;
/// The number of values in an array of unknown length after IN.
const UNKNOWN_VALUES: f64 = 10.0;

/// The cost and the number of rows up to some node.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Estimate {
    pub(crate) cost: f64,
    pub(crate) items: f64,
}

/// The purpose of estimates.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Scale {
    /// Explain, in ArangoDB's unit.
    Shown,
    /// The choice among plans, in units of a document read in a full scan.
    Choice,
}

impl Scale {
    /// Returns the cost of computing, filtering or passing on a row.
    pub(crate) fn row_cost(self) -> f64 {
        match self {
            Self::Shown => 1.0,
            Self::Choice => 0.1,
        }
    }

    /// Returns the cost of adding a row to its group.
    pub(crate) fn collect_cost(self, is_hash: bool) -> f64 {
        match self {
            Self::Shown => 1.0,
            Self::Choice if is_hash => 0.5,
            Self::Choice => 0.2,
        }
    }

    /// Returns the cost of fetching a document through an index entry. Shown estimates leave it
    /// out.
    pub(crate) fn fetch_cost(self) -> f64 {
        match self {
            Self::Shown => 0.0,
            Self::Choice => 4.0,
        }
    }

    fn entry_cost(self) -> f64 {
        match self {
            Self::Shown => ENTRY_COST,
            Self::Choice => 0.5,
        }
    }

    fn lookup_cost(self, count: f64) -> f64 {
        match self {
            Self::Shown => count.log2(),
            Self::Choice => 2.0,
        }
    }

    /// Returns the share of entries that remain in a range with one end.
    fn open_range_share(self) -> f64 {
        match self {
            Self::Shown => 1.0,
            Self::Choice => 0.7,
        }
    }

    /// Rounds a number of rows, which is whole in shown estimates.
    pub(crate) fn rounded(self, items: f64) -> f64 {
        match self {
            Self::Shown => items.ceil(),
            Self::Choice => items,
        }
    }
}

/// Estimates the cost of looking up a range, and the documents found, in a collection of `count`
/// documents.
pub(crate) fn range(index: &IndexInfo, range: &IndexRange, count: f64, scale: Scale) -> Estimate {
    if count <= 0.0 {
        return Estimate { cost: 0.0, items: 0.0 };
    }
    if let Some(IndexSearch::Box(fields)) = &range.search {
        return box_search(range, fields, count, scale);
    }
    let bounds = usize::from(range.lower.is_some()) + usize::from(range.upper.is_some());
    if range.lookups.is_empty() && bounds == 0 {
        let entry = if scale == Scale::Shown { 1.0 } else { scale.entry_cost() };
        return Estimate { cost: count * entry, items: count };
    }
    let values: f64 = range.lookups.iter().map(number_of_values).product();
    if is_unique_lookup(index, range) {
        let items = UNIQUE_LOOKUP * values;
        let lookup = if scale == Scale::Shown { 1.0 } else { scale.lookup_cost(count) };
        return Estimate { cost: items * lookup + items * scale.entry_cost(), items: items.min(count) };
    }
    let found = match range.lookups.len() {
        0 => count,
        given if given >= index.fields.len() || index.has_independent_fields() => {
            values * per_value(index, count)
        }
        given => values * (count * EQUALITY_SHARE.powi(i32::try_from(given).unwrap_or(i32::MAX))).max(1.0),
    };
    let share = match bounds {
        0 => 1.0,
        1 => scale.open_range_share(),
        _ => RANGE_SHARE,
    };
    let items = (found * share).clamp(1.0_f64.min(count), count);
    Estimate { cost: values * scale.lookup_cost(count) + items * scale.entry_cost(), items }
}

/// Estimates the cost of one lookup that finds `items` of the entries.
pub(crate) fn entries_found(items: f64, count: f64, scale: Scale) -> Estimate {
    let items = items.clamp(1.0_f64.min(count), count);
    Estimate { cost: scale.lookup_cost(count) + items * scale.entry_cost(), items }
}

/// Estimates a search in a multi-dimensional index. Each bounded field multiplies the result by its
/// share.
fn box_search(range: &IndexRange, fields: &[FieldBounds], count: f64, scale: Scale) -> Estimate {
    let values: f64 = range.lookups.iter().map(number_of_values).product();
    let prefix_share = EQUALITY_SHARE.powi(i32::try_from(range.lookups.len()).unwrap_or(i32::MAX));
    let shares = fields.iter().map(|field| match (&field.lower, &field.upper) {
        (Some(_), Some(_)) => RANGE_SHARE,
        (None, None) => 1.0,
        _ => scale.open_range_share().min(OPEN_FIELD_SHARE),
    });
    let items = (values * count * prefix_share * shares.product::<f64>()).clamp(1.0_f64.min(count), count);
    Estimate { cost: values * scale.lookup_cost(count) + items * scale.entry_cost(), items }
}

/// Returns the cost of a range, for the choice among indexes.
pub(crate) fn range_cost(index: &IndexInfo, scanned: &IndexRange, count: u64) -> f64 {
    range(index, scanned, count as f64, Scale::Shown).cost
}

/// Returns the number of documents that a range finds.
pub(crate) fn range_items(index: &IndexInfo, scanned: &IndexRange, count: u64) -> f64 {
    range(index, scanned, count as f64, Scale::Shown).items
}

/// Returns the number of documents with the same value in all fields of the index.
pub(crate) fn per_value(index: &IndexInfo, count: f64) -> f64 {
    match index.selectivity_estimate {
        Some(selectivity) if selectivity > 0.0 => (1.0 / selectivity).clamp(1.0, count.max(1.0)),
        _ => (count * EQUALITY_SHARE).max(1.0),
    }
}

fn number_of_values(lookup: &IndexLookup) -> f64 {
    match lookup {
        IndexLookup::Equal(_) => 1.0,
        IndexLookup::In(list) => length_of(list).unwrap_or(UNKNOWN_VALUES),
    }
}

/// Returns the length of an array, if the expression shows it.
pub(crate) fn length_of(expression: &Expression) -> Option<f64> {
    match expression {
        Expression::Constant(value) if value.is_array() => Some(value.len() as f64),
        Expression::Parameter(parameter) => parameter.shape.length(),
        Expression::Array(members) => Some(members.len() as f64),
        Expression::Range { first, last } => {
            let (first, last) = (first.as_constant()?.as_f64()?, last.as_constant()?.as_f64()?);
            Some((last - first).abs().floor() + 1.0)
        }
        _ => None,
    }
}

/// Returns true if each combination of values finds at most one document.
fn is_unique_lookup(index: &IndexInfo, range: &IndexRange) -> bool {
    if index.capabilities.clustered {
        return !range.lookups.is_empty();
    }
    index.capabilities.unique_lookup && index.has_plain_fields() && range.lookups.len() == index.fields.len()
}
