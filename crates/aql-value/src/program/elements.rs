//! The elements of many rows' arrays, as batches for a nested program.
//!
//! Elements of several rows share a batch, and a long array is spread over several. So a nested
//! program sees batches of a good size whatever the shape of the data.

use super::Program;
use super::frame::Frame;
use crate::batch::{Batch, Register};
use crate::column::Column;
use crate::value::Value;

/// The maximum number of elements in one batch.
const ELEMENTS_PER_BATCH: usize = 1024;

/// A collection of elements until they fill a batch.
pub(super) struct ElementBatch {
    elements: Vec<Value>,
    /// The lane of the outer frame for each element; ascending.
    lanes: Vec<u32>,
}

impl ElementBatch {
    pub(super) fn new() -> Self {
        Self { elements: Vec::new(), lanes: Vec::new() }
    }

    /// Adds an element and returns true if the batch is now full.
    pub(super) fn push(&mut self, element: Value, lane: usize) -> bool {
        self.elements.push(element);
        self.lanes.push(lane as u32);
        self.elements.len() >= ELEMENTS_PER_BATCH
    }

    pub(super) fn is_empty(&self) -> bool {
        self.elements.is_empty()
    }

    /// Returns the batch for nested programs and the outer lane of each of its rows.
    ///
    /// The batch has the outer registers that the programs read. The collection is empty
    /// afterwards.
    pub(super) fn take(
        &mut self,
        element: Register,
        programs: [Option<&Program>; 2],
        outer: &Frame<'_>,
    ) -> (Batch, Vec<u32>) {
        let elements = std::mem::take(&mut self.elements);
        let lanes = std::mem::take(&mut self.lanes);
        let mut batch = Batch::new(elements.len());
        let shared = lanes.as_slice().into();
        for register in programs.into_iter().flatten().flat_map(Program::registers_read) {
            if *register != element && batch.column(*register).is_none() {
                batch.set_column(*register, outer.load(*register).gather(&shared));
            }
        }
        batch.set_column(element, Column::from_values(elements));
        (batch, lanes)
    }
}

/// Calls `visit` for the elements of an array after flattening `levels` levels of nested arrays.
///
/// Errors: the first of `visit`, which ends the loop.
pub(super) fn visit_elements<E>(
    array: &Value,
    levels: u32,
    visit: &mut dyn FnMut(Value) -> Result<(), E>,
) -> Result<(), E> {
    for element in array.elements() {
        // Data nests at most as deep as VelocyPack input may; that and `levels` bound the
        // recursion.
        if levels > 0 && element.is_array() {
            visit_elements(&element, levels - 1, visit)?;
        } else {
            visit(element)?;
        }
    }
    Ok(())
}
