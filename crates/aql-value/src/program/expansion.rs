//! `input[* FILTER .. LIMIT .. RETURN ..]` and `input[? ...]`.

use errors::{Error, Result};

use super::array_compare::Bounds;
use super::construct::column_of;
use super::elements::{ElementBatch, visit_elements};
use super::frame::Frame;
use super::slots::Slots;
use super::{ArrayQuestion, Expansion, Program, Slot};
use crate::column::Column;
use crate::context::EvaluationContext;
use crate::value::{BoundedBlock, Value};

impl Expansion {
    /// Computes the resulting array for every lane.
    pub(super) fn run(
        &self,
        frame: &Frame<'_>,
        slots: &Slots,
        context: &mut EvaluationContext<'_>,
    ) -> Result<Column> {
        let input = slots.get(self.input)?;
        if self.changes_nothing(input) {
            return Ok(input.clone());
        }
        let lanes =
            if self.is_same_in_all_lanes(input, slots)? { frame.lanes().min(1) } else { frame.lanes() };
        let constant = lanes < frame.lanes() || (lanes == 1 && input.as_constant().is_some());
        let block = BoundedBlock::new(lanes, context.memory, context.interrupt);
        let mut output = Output { expansion: self, slots, block, is_open: false, current: Open::default() };
        let mut elements = ElementBatch::new();
        for lane in 0..lanes {
            let array = input.get(lane);
            visit_elements(array, self.levels.saturating_sub(1), &mut |element| {
                if elements.push(element, lane) {
                    output.flush(&mut elements, frame, context)?;
                }
                Ok::<(), Error>(())
            })?;
        }
        output.flush(&mut elements, frame, context)?;
        output.end_lanes_before(lanes)?;
        Ok(column_of(output.block, constant, slots))
    }

    /// Returns true for `a[*]`, which is `a` if that is an array.
    fn changes_nothing(&self, input: &Column) -> bool {
        let plain = self.levels <= 1
            && self.filter.is_none()
            && self.projection.is_none()
            && self.limit.is_none()
            && self.offset.is_none();
        plain && input.as_constant().is_some_and(Value::is_array)
    }

    /// Returns true if all inputs of the result are the same in all lanes.
    fn is_same_in_all_lanes(&self, input: &Column, slots: &Slots) -> Result<bool> {
        let only_element = |program: &Option<Program>| {
            program.as_ref().is_none_or(|program| {
                program.is_deterministic() && program.registers_read().iter().all(|own| *own == self.element)
            })
        };
        let mut same =
            input.as_constant().is_some() && only_element(&self.filter) && only_element(&self.projection);
        for slot in self.offset.iter().chain(&self.limit) {
            same &= slots.get(*slot)?.as_constant().is_some();
        }
        Ok(same)
    }
}

/// The output of an expansion, lane by lane: lanes ascend from one batch of elements to the next.
struct Output<'e, 'a> {
    expansion: &'e Expansion,
    slots: &'e Slots,
    /// The arrays of the finished lanes, and that of the next one if it is open.
    block: BoundedBlock<'a>,
    is_open: bool,
    current: Open,
}

/// The lane that elements are being added to, which may continue in the next batch.
#[derive(Default)]
struct Open {
    lane: Option<u32>,
    /// The elements that passed the filter and must be skipped or kept.
    to_skip: u64,
    to_keep: u64,
}

impl<'a> Output<'_, 'a> {
    /// Filters, limits and projects the collected elements.
    fn flush(
        &mut self,
        elements: &mut ElementBatch,
        outer: &Frame<'_>,
        context: &mut EvaluationContext<'a>,
    ) -> Result<()> {
        if elements.is_empty() {
            return Ok(());
        }
        context.interrupt.check()?;
        let expansion = self.expansion;
        let programs = [expansion.filter.as_ref(), expansion.projection.as_ref()];
        let (mut batch, lanes) = elements.take(expansion.element, programs, outer);
        if let Some(filter) = &expansion.filter {
            let rows = filter.evaluate_predicate(&batch, context)?;
            batch.select(rows);
        }
        let mut kept = Vec::with_capacity(batch.selected_len());
        for row in batch.selected() {
            let Some(&lane) = lanes.get(row) else { continue };
            if self.admit(lane)? {
                kept.push(row as u32);
            }
        }
        batch.select(kept.into());
        let projected = match &expansion.projection {
            Some(projection) => projection.evaluate(&batch, context)?,
            None => batch.column(expansion.element).cloned().unwrap_or(Column::Constant(Value::Null)),
        };
        for row in batch.selected() {
            let Some(&lane) = lanes.get(row) else { continue };
            self.end_lanes_before(lane as usize)?;
            self.open()?;
            self.block.append(projected.get(row))?;
        }
        Ok(())
    }

    fn open(&mut self) -> Result<()> {
        if !self.is_open {
            self.is_open = true;
            self.block.builder().open_array()?;
        }
        Ok(())
    }

    /// Ends the open lane, and adds empty arrays until the next lane is this one.
    fn end_lanes_before(&mut self, lane: usize) -> Result<()> {
        while self.block.len() < lane {
            self.open()?;
            self.block.close_array()?;
            self.block.end_value();
            self.is_open = false;
        }
        Ok(())
    }

    /// Returns true if the next filtered element of a lane is within offset and limit.
    fn admit(&mut self, lane: u32) -> Result<bool> {
        if self.current.lane != Some(lane) {
            let bound = |slot: Option<Slot>, missing: i64| -> Result<i64> {
                slot.map_or(Ok(missing), |slot| Ok(self.slots.get(slot)?.get(lane as usize).to_i64()))
            };
            let (offset, limit) = (bound(self.expansion.offset, 0)?, bound(self.expansion.limit, i64::MAX)?);
            // As in ArangoDB, a limit with a negative offset keeps nothing.
            let to_keep = if offset < 0 { 0 } else { limit.max(0) as u64 };
            self.current = Open { lane: Some(lane), to_skip: offset.max(0) as u64, to_keep };
        }
        if self.current.to_skip > 0 {
            self.current.to_skip -= 1;
            return Ok(false);
        }
        let admitted = self.current.to_keep > 0;
        self.current.to_keep = self.current.to_keep.saturating_sub(1);
        Ok(admitted)
    }
}

impl ArrayQuestion {
    /// Computes the result for every lane.
    pub(super) fn run(
        &self,
        frame: &Frame<'_>,
        slots: &Slots,
        context: &mut EvaluationContext<'_>,
    ) -> Result<Column> {
        let input = slots.get(self.input)?;
        let mut matching = vec![0u64; frame.lanes()];
        let mut lengths = vec![0u64; frame.lanes()];
        let mut elements = ElementBatch::new();
        for (lane, length) in lengths.iter_mut().enumerate() {
            visit_elements(input.get(lane), self.levels.saturating_sub(1), &mut |element| {
                *length += 1;
                if elements.push(element, lane) {
                    self.count(&mut elements, &mut matching, frame, context)?;
                }
                Ok::<(), Error>(())
            })?;
        }
        self.count(&mut elements, &mut matching, frame, context)?;
        let mut answers = Vec::with_capacity(frame.lanes());
        for (lane, (matching, length)) in matching.into_iter().zip(lengths).enumerate() {
            let bounds: Bounds = self.quantifier.bounds(length, slots, lane)?;
            answers.push(Value::Bool(input.get(lane).is_array() && bounds.satisfied_by(matching)));
        }
        Ok(Column::from_values(answers))
    }

    /// Adds to `matching`, by lane, the number of collected elements that pass the filter.
    fn count(
        &self,
        elements: &mut ElementBatch,
        matching: &mut [u64],
        outer: &Frame<'_>,
        context: &mut EvaluationContext<'_>,
    ) -> Result<()> {
        if elements.is_empty() {
            return Ok(());
        }
        context.interrupt.check()?;
        let (mut batch, lanes) = elements.take(self.element, [self.filter.as_ref(), None], outer);
        if let Some(filter) = &self.filter {
            let rows = filter.evaluate_predicate(&batch, context)?;
            batch.select(rows);
        }
        for row in batch.selected() {
            if let Some(count) = lanes.get(row).and_then(|lane| matching.get_mut(*lane as usize)) {
                *count += 1;
            }
        }
        Ok(())
    }
}
