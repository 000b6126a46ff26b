//! The ranges of an index scan: as programs, as columns for a batch of outer rows, as values for one row.

use super::search::{Search, SearchColumns, SearchPrograms};
use crate::context::ExecutionContext;
use aql_value::{Batch, Column, Interrupt, Program, Register, Result, Value, order_of};
use std::cmp::Ordering;
use std::sync::Arc;

/// Which index a range is about.
#[derive(Clone)]
pub(crate) enum IndexHandle {
    /// The documents themselves, by `_key` (field 0) or `_id` (field 1).
    Primary,
    /// Edges by `_from` (field 0) or `_to` (field 1).
    Edge,
    /// An index of its own.
    Persistent(Arc<storage::Index>),
    /// A geo index of its own.
    Geo(Arc<storage::Index>),
    /// A multi-dimensional index of its own.
    Mdi(Arc<storage::Index>),
    /// A fulltext index of its own.
    Fulltext(Arc<storage::Index>),
}

impl IndexHandle {
    pub(in crate::operator) fn is_same(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Primary, Self::Primary) | (Self::Edge, Self::Edge) => true,
            (Self::Persistent(left), Self::Persistent(right))
            | (Self::Geo(left), Self::Geo(right))
            | (Self::Mdi(left), Self::Mdi(right))
            | (Self::Fulltext(left), Self::Fulltext(right)) => left.id() == right.id(),
            _ => false,
        }
    }
}

/// Condition on one field.
pub(crate) enum LookupProgram {
    /// Equal to the value.
    Equal(Program),
    /// Equal to one of the members of the array.
    In(Program),
}

/// One end of a range.
pub(crate) struct BoundProgram {
    pub(crate) program: Program,
    pub(crate) inclusive: bool,
}

/// See `aql_plan::IndexRange`.
pub(crate) struct RangePrograms {
    pub(crate) index: IndexHandle,
    pub(crate) first_field: usize,
    pub(crate) lookups: Vec<LookupProgram>,
    pub(crate) lower: Option<BoundProgram>,
    pub(crate) upper: Option<BoundProgram>,
    pub(crate) search: Option<SearchPrograms>,
}

/// The values of a range's expressions for a batch of outer rows.
pub(in crate::operator) struct RangeColumns {
    lookups: Vec<Column>,
    lower: Option<Column>,
    upper: Option<Column>,
    search: Option<SearchColumns>,
}

/// A range for one outer row.
pub(in crate::operator) struct Range {
    pub(in crate::operator) first_field: usize,
    /// For each field from `first_field` on the values that it may have: ascending, each once.
    pub(in crate::operator) equal: Vec<Vec<Value>>,
    pub(in crate::operator) lower: Option<Bound>,
    pub(in crate::operator) upper: Option<Bound>,
    pub(super) search: Option<Search>,
}

/// One end of a range for one outer row.
#[derive(Clone)]
pub(in crate::operator) struct Bound {
    pub(in crate::operator) value: Value,
    pub(in crate::operator) inclusive: bool,
}

impl RangePrograms {
    /// The registers that the range's expressions need.
    pub(crate) fn registers_read(&self) -> impl Iterator<Item = Register> {
        let lookups = self.lookups.iter().map(|lookup| match lookup {
            LookupProgram::Equal(program) | LookupProgram::In(program) => program,
        });
        let bounds = [&self.lower, &self.upper].into_iter().flatten().map(|bound| &bound.program);
        let search = self.search.iter().flat_map(SearchPrograms::programs).flatten();
        lookups.chain(bounds).chain(search).flat_map(Program::registers_read).copied()
    }

    /// Evaluates the range's expressions.
    pub(in crate::operator) fn evaluate(
        &self,
        outer: &Batch,
        context: &mut ExecutionContext,
    ) -> Result<RangeColumns> {
        let mut lookups = Vec::with_capacity(self.lookups.len());
        for lookup in &self.lookups {
            let (LookupProgram::Equal(program) | LookupProgram::In(program)) = lookup;
            lookups.push(context.evaluate(program, outer)?);
        }
        let mut bound = |bound: &Option<BoundProgram>| {
            bound.as_ref().map(|bound| context.evaluate(&bound.program, outer)).transpose()
        };
        let (lower, upper) = (bound(&self.lower)?, bound(&self.upper)?);
        let search = self.search.as_ref().map(|search| search.evaluate(outer, context)).transpose()?;
        Ok(RangeColumns { lookups, lower, upper, search })
    }

    /// The range for one outer row; `None` if nothing can be found by it.
    pub(in crate::operator) fn for_row(
        &self,
        columns: &RangeColumns,
        row: usize,
        interrupt: &Interrupt,
    ) -> Result<Option<Range>> {
        let mut equal = Vec::with_capacity(self.lookups.len());
        for (lookup, column) in self.lookups.iter().zip(&columns.lookups) {
            let value = column.get(row);
            let values = match lookup {
                LookupProgram::Equal(_) => vec![value.clone()],
                LookupProgram::In(_) => sorted_members(value, interrupt)?,
            };
            if values.is_empty() {
                return Ok(None);
            }
            equal.push(values);
        }
        let bound = |bound: &Option<BoundProgram>, column: &Option<Column>| {
            let (bound, column) = (bound.as_ref()?, column.as_ref()?);
            Some(Bound { value: column.get(row).clone(), inclusive: bound.inclusive })
        };
        let lower = bound(&self.lower, &columns.lower);
        let upper = bound(&self.upper, &columns.upper);
        let search = self.search.as_ref().zip(columns.search.as_ref());
        let search = search.map(|(search, columns)| search.for_row(columns, row));
        let range = Range { first_field: self.first_field, equal, lower, upper, search };
        Ok((!range.is_empty()).then_some(range))
    }
}

impl RangeColumns {
    /// The values that the first field is compared with.
    pub(super) fn first_lookup(&self) -> Option<&Column> {
        self.lookups.first()
    }
}

impl Range {
    /// The range of an index that has one more field before those of this one, which equals a value.
    pub(in crate::operator) fn behind(&self, first: Value) -> Self {
        let mut equal = vec![vec![first]];
        equal.extend_from_slice(&self.equal);
        let (lower, upper, search) = (self.lower.clone(), self.upper.clone(), self.search.clone());
        Self { first_field: 0, equal, lower, upper, search }
    }

    /// Whether the bounds exclude each other.
    fn is_empty(&self) -> bool {
        let (Some(lower), Some(upper)) = (&self.lower, &self.upper) else { return false };
        match lower.value.compare(&upper.value) {
            Ordering::Less => false,
            Ordering::Equal => !(lower.inclusive && upper.inclusive),
            Ordering::Greater => true,
        }
    }
}

/// The distinct members of an array in ascending order; none for anything else.
fn sorted_members(array: &Value, interrupt: &Interrupt) -> Result<Vec<Value>> {
    let members: Vec<Value> = array.elements().collect();
    let order = order_of(&members, interrupt)?;
    let mut sorted: Vec<Value> =
        order.iter().filter_map(|position| members.get(*position as usize).cloned()).collect();
    sorted.dedup();
    Ok(sorted)
}
