//! The columns that a program has computed, and loops over their lanes.

use std::sync::Arc;

use errors::{Error, Result};
use owner::Interrupt;

use super::portions::Charged;
use super::{Pattern, Slot};
use crate::column::Column;
use crate::value::Value;

/// The elements that are visited between two checks of the interrupt.
const ELEMENTS_PER_CHECK: usize = 16 << 10;

/// A count of work, which checks the interrupt from time to time.
pub(super) struct Work<'a> {
    interrupt: &'a Interrupt,
    elements: usize,
}

impl<'a> Work<'a> {
    pub(super) fn new(interrupt: &'a Interrupt) -> Self {
        Self { interrupt, elements: 0 }
    }

    /// Counts elements that are about to be visited. Errors: 1500 if the query is ended.
    pub(super) fn add(&mut self, elements: usize) -> Result<()> {
        self.elements += elements;
        if self.elements < ELEMENTS_PER_CHECK {
            return Ok(());
        }
        self.elements = 0;
        self.interrupt.check()
    }
}

/// The columns computed so far, by slot.
pub(super) struct Slots {
    pub(super) columns: Vec<Column>,
    /// The bytes that the calls among the instructions have made.
    pub(super) charged: Charged,
}

impl Slots {
    /// Returns the column of an earlier instruction.
    pub(super) fn get(&self, slot: Slot) -> Result<&Column> {
        self.columns
            .get(slot.0 as usize)
            .ok_or_else(|| Error::internal("expression reads a slot before it is computed"))
    }
}

impl<T> Pattern<T> {
    /// Returns the column of patterns, if the pattern is not prepared.
    pub(super) fn column<'s>(&self, slots: &'s Slots) -> Result<Option<&'s Column>> {
        match self {
            Self::Prepared(_) => Ok(None),
            Self::Slot(slot) => slots.get(*slot).map(Some),
        }
    }
}

/// Applies a function of one value to every lane; once, if the column is constant.
pub(super) fn map(
    column: &Column,
    lanes: usize,
    mut apply: impl FnMut(&Value) -> Result<Value>,
) -> Result<Column> {
    match column {
        Column::Constant(value) => Ok(Column::Constant(apply(value)?)),
        Column::Values(values) if values.len() == lanes => {
            Ok(Column::from_values(values.iter().map(apply).collect::<Result<_>>()?))
        }
        _ => Ok(Column::from_values((0..lanes).map(|lane| apply(column.get(lane))).collect::<Result<_>>()?)),
    }
}

/// Applies a function without errors and effects, as [`map`] does, once for each underlying value.
///
/// Rows repeat where an outer row is joined with many inner ones.
pub(super) fn map_shared(column: &Column, lanes: usize, apply: impl Fn(&Value) -> Value) -> Column {
    match column {
        Column::Constant(value) => Column::Constant(apply(value)),
        Column::Gather { values, rows } if values.len() <= lanes => {
            Column::Gather { values: Arc::new(values.iter().map(apply).collect()), rows: Arc::clone(rows) }
        }
        _ => Column::from_values((0..lanes).map(|lane| apply(column.get(lane))).collect()),
    }
}

/// Applies a function of two values to every lane; once, if both columns are constant.
pub(super) fn map_pair(
    left: &Column,
    right: &Column,
    lanes: usize,
    mut apply: impl FnMut(&Value, &Value) -> Result<Value>,
) -> Result<Column> {
    if let (Some(left), Some(right)) = (left.as_constant(), right.as_constant()) {
        return Ok(Column::Constant(apply(left, right)?));
    }
    let values = (0..lanes).map(|lane| apply(left.get(lane), right.get(lane))).collect::<Result<_>>()?;
    Ok(Column::from_values(values))
}
