//! The ranges of an index scan: as programs, as columns for a batch of outer rows, as values for
//! one row.

use std::cmp::Ordering;
use std::sync::Arc;

use aql_value::{Batch, Column, Interrupt, Program, Register, Value, order_of};
use catalog::index::{Bound, Search};
use errors::Result;
use storage::{Index, IndexRange, IndexValue};

use crate::context::ExecutionContext;

/// A condition on one field.
pub(crate) enum LookupProgram {
    /// Equal to the value.
    Equal(Program),
    /// Equal to one of the members of the array.
    In(Program),
}

/// The programs of a range's expressions: see `aql_plan::IndexRange`.
pub(crate) struct RangePrograms {
    pub(crate) index: Arc<Index>,
    pub(crate) first_field: usize,
    pub(crate) lookups: Vec<LookupProgram>,
    pub(crate) lower: Option<Bound<Program>>,
    pub(crate) upper: Option<Bound<Program>>,
    pub(crate) search: Option<Search<Program>>,
}

/// The values of a range's expressions for a batch of outer rows.
pub(in crate::operator) struct RangeColumns {
    lookups: Vec<Column>,
    lower: Option<Bound<Column>>,
    upper: Option<Bound<Column>>,
    search: Option<Search<Column>>,
}

impl RangePrograms {
    /// Iterates over the registers that the range's expressions read.
    pub(crate) fn registers_read(&self) -> impl Iterator<Item = Register> {
        let mut programs: Vec<&Program> = Vec::new();
        programs.extend(self.lookups.iter().map(LookupProgram::program));
        programs.extend([&self.lower, &self.upper].into_iter().flatten().map(|bound| &bound.value));
        self.search.iter().for_each(|search| search.for_each(&mut |program| programs.push(program)));
        programs.into_iter().flat_map(Program::registers_read).copied()
    }

    /// Evaluates the range's expressions.
    pub(in crate::operator) fn evaluate(
        &self,
        outer: &Batch,
        context: &mut ExecutionContext,
    ) -> Result<RangeColumns> {
        let mut evaluate = |program: &Program| context.evaluate(program, outer);
        let lookups = self.lookups.iter().map(|lookup| evaluate(lookup.program()));
        Ok(RangeColumns {
            lookups: lookups.collect::<Result<_>>()?,
            lower: Bound::try_map(&self.lower, &mut evaluate)?,
            upper: Bound::try_map(&self.upper, &mut evaluate)?,
            search: self.search.as_ref().map(|search| search.try_map(&mut evaluate)).transpose()?,
        })
    }

    /// Returns the range for one outer row; `None` if it can find nothing.
    pub(in crate::operator) fn for_row(
        &self,
        columns: &RangeColumns,
        row: usize,
        interrupt: &Interrupt,
    ) -> Result<Option<IndexRange>> {
        let mut equal = Vec::with_capacity(self.lookups.len());
        for (lookup, column) in self.lookups.iter().zip(&columns.lookups) {
            let value = column.get(row);
            let values = match lookup {
                LookupProgram::Equal(_) => vec![index_value(value)?],
                LookupProgram::In(_) => sorted_members(value, interrupt)?,
            };
            if values.is_empty() {
                return Ok(None);
            }
            equal.push(values);
        }
        let mut value = |column: &Column| index_value(column.get(row));
        let range = IndexRange {
            first_field: self.first_field,
            equal,
            lower: Bound::try_map(&columns.lower, &mut value)?,
            upper: Bound::try_map(&columns.upper, &mut value)?,
            search: columns.search.as_ref().map(|search| search.try_map(&mut value)).transpose()?,
        };
        Ok((!excludes_all(&range)).then_some(range))
    }
}

impl LookupProgram {
    fn program(&self) -> &Program {
        let (Self::Equal(program) | Self::In(program)) = self;
        program
    }
}

impl RangeColumns {
    /// Returns the values with which the first field is compared.
    pub(super) fn first_lookup(&self) -> Option<&Column> {
        self.lookups.first()
    }
}

/// Returns true if the bounds exclude each other.
fn excludes_all(range: &IndexRange) -> bool {
    let (Some(lower), Some(upper)) = (&range.lower, &range.upper) else { return false };
    match lower.value.compare(&upper.value) {
        Ordering::Less => false,
        Ordering::Equal => !(lower.inclusive && upper.inclusive),
        Ordering::Greater => true,
    }
}

/// Converts a value to the form that storage takes.
pub(in crate::operator) fn index_value(value: &Value) -> Result<IndexValue> {
    value.with_slice(IndexValue::new)
}

/// Returns the distinct members of an array in ascending order; none for any other value.
fn sorted_members(array: &Value, interrupt: &Interrupt) -> Result<Vec<IndexValue>> {
    let members: Vec<Value> = array.elements().collect();
    let order = order_of(&members, interrupt)?;
    let mut sorted: Vec<&Value> =
        order.iter().filter_map(|position| members.get(*position as usize)).collect();
    sorted.dedup();
    sorted.into_iter().map(index_value).collect()
}
