//! Searches of an index scan: as programs, as columns for a batch of outer rows, as values for one row.

use super::range::{Bound, BoundProgram};
use crate::context::ExecutionContext;
use aql_value::{Batch, Column, Program, Result, Value};
use std::cmp::Ordering;

/// See `aql_plan::IndexSearch`.
pub(crate) enum SearchPrograms {
    /// In a geo index.
    Geo(GeoPrograms),
    /// In a multi-dimensional index: bounds of each field.
    Box(Vec<[Option<BoundProgram>; 2]>),
    /// In a fulltext index: the query.
    Words(Program),
}

/// See `aql_plan::GeoSearch`.
pub(crate) struct GeoPrograms {
    pub(crate) origin: Option<Program>,
    pub(crate) nearest: Option<BoundProgram>,
    pub(crate) farthest: Option<BoundProgram>,
    pub(crate) meets: Option<Program>,
}

/// The values of a search's expressions for a batch of outer rows, in the order of [`SearchPrograms::programs`].
pub(super) struct SearchColumns {
    columns: Vec<Option<Column>>,
}

/// Lower and upper bound of a field.
pub(super) type BoundPair = [Option<Bound>; 2];

/// A search for one outer row.
#[derive(Clone)]
pub(super) enum Search {
    Geo(GeoLookup),
    /// Lower and upper bound of each field.
    Box(Vec<BoundPair>),
    /// The query.
    Words(Value),
}

/// A search in a geo index.
#[derive(Clone)]
pub(super) struct GeoLookup {
    pub(super) origin: Option<Value>,
    pub(super) distance: DistanceBounds,
    pub(super) meets: Option<Value>,
}

impl SearchPrograms {
    pub(super) fn programs(&self) -> Vec<Option<&Program>> {
        match self {
            Self::Geo(geo) => vec![
                geo.origin.as_ref(),
                geo.nearest.as_ref().map(|bound| &bound.program),
                geo.farthest.as_ref().map(|bound| &bound.program),
                geo.meets.as_ref(),
            ],
            Self::Words(query) => vec![Some(query)],
            Self::Box(fields) => {
                fields.iter().flatten().map(|bound| bound.as_ref().map(|bound| &bound.program)).collect()
            }
        }
    }

    /// Evaluates the expressions.
    pub(super) fn evaluate(&self, outer: &Batch, context: &mut ExecutionContext) -> Result<SearchColumns> {
        let programs = self.programs().into_iter();
        let columns =
            programs.map(|program| program.map(|program| context.evaluate(program, outer)).transpose());
        Ok(SearchColumns { columns: columns.collect::<Result<_>>()? })
    }

    /// The search for one outer row.
    pub(super) fn for_row(&self, columns: &SearchColumns, row: usize) -> Search {
        let value =
            |position: usize| columns.columns.get(position)?.as_ref().map(|column| column.get(row).clone());
        let bound = |position: usize, bound: &Option<BoundProgram>| {
            let inclusive = bound.as_ref()?.inclusive;
            Some(Bound { value: value(position)?, inclusive })
        };
        match self {
            Self::Geo(geo) => Search::Geo(GeoLookup {
                origin: value(0),
                distance: DistanceBounds::new(bound(1, &geo.nearest), bound(2, &geo.farthest)),
                meets: value(3),
            }),
            Self::Words(_) => Search::Words(value(0).unwrap_or_default()),
            Self::Box(fields) => {
                let pair = |(field, [lower, upper]): (usize, &[Option<BoundProgram>; 2])| {
                    [bound(2 * field, lower), bound(2 * field + 1, upper)]
                };
                Search::Box(fields.iter().enumerate().map(pair).collect())
            }
        }
    }
}

/// Between which meters a distance lies; each bound with whether it is included.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct DistanceBounds {
    pub(super) nearest: Option<(f64, bool)>,
    pub(super) farthest: Option<(f64, bool)>,
    /// No distance satisfies the bounds.
    pub(super) is_empty: bool,
}

impl DistanceBounds {
    /// Bounds that are no numbers compare with distances as AQL compares types.
    fn new(nearest: Option<Bound>, farthest: Option<Bound>) -> Self {
        let mut bounds = Self { nearest: None, farthest: None, is_empty: false };
        if let Some(bound) = nearest {
            match compare_to_numbers(&bound.value) {
                Ordering::Less => {}
                Ordering::Equal => {
                    bounds.nearest = bound.value.as_f64().map(|meters| (meters, bound.inclusive))
                }
                Ordering::Greater => bounds.is_empty = true,
            }
        }
        if let Some(bound) = farthest {
            match compare_to_numbers(&bound.value) {
                Ordering::Less => bounds.is_empty = true,
                Ordering::Equal => {
                    bounds.farthest = bound.value.as_f64().map(|meters| (meters, bound.inclusive))
                }
                Ordering::Greater => {}
            }
        }
        bounds
    }

    pub(super) fn contains(&self, meters: f64) -> bool {
        let is_above =
            self.nearest.is_none_or(|(bound, inclusive)| meters > bound || (inclusive && meters == bound));
        let is_below =
            self.farthest.is_none_or(|(bound, inclusive)| meters < bound || (inclusive && meters == bound));
        !self.is_empty && is_above && is_below
    }
}

/// Where the value's type stands among the types: before numbers, one of them, or behind them.
fn compare_to_numbers(value: &Value) -> Ordering {
    match value {
        _ if value.is_number() => Ordering::Equal,
        _ if value.is_null() || value.is_bool() => Ordering::Less,
        _ => Ordering::Greater,
    }
}
