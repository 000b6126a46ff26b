//! Sorts rows that come in the order of the first criteria already.
//!
//! Rows that differ in these are in order. So each group of equal rows can be sorted and returned
//! before the rest is read.

use aql_value::{Batch, Value};
use errors::Result;

use super::sorter::{Sorted, Sorter};
use super::{SortKey, SortOrder};
use crate::batch_limits::BatchLimits;
use crate::context::ExecutionContext;
use crate::operator::Operator;

pub(crate) struct GroupedSortOperator {
    input: Box<dyn Operator>,
    order: SortOrder,
    /// Number of criteria that order the input.
    grouped: usize,
    /// The groups that are being returned.
    sorted: Option<Sorted>,
    /// The start of the next group.
    pending: Option<Batch>,
    input_ended: bool,
    /// Number of rows that were returned.
    answered: usize,
}

impl GroupedSortOperator {
    pub(crate) fn new(input: Box<dyn Operator>, order: SortOrder, grouped: usize) -> Self {
        Self { input, order, grouped, sorted: None, pending: None, input_ended: false, answered: 0 }
    }

    /// Reads groups up to the last that ends in the same batch as the first. `None` after the last.
    fn read_groups(&mut self, context: &mut ExecutionContext, limits: BatchLimits) -> Result<Option<Sorted>> {
        let wanted = self.order.limit.map(|limit| limit.saturating_sub(self.answered));
        if wanted == Some(0) {
            return Ok(None);
        }
        let group = self.order.keys.get(..self.grouped).unwrap_or_default();
        let mut sorter = Sorter::new(&self.order, wanted, context);
        let mut last = None;
        let mut limits = limits;
        if let Some(batch) = self.pending.take() {
            last = last_key(group, &batch);
            sorter.add(&batch, context)?;
        }
        while !self.input_ended {
            context.interrupt.check()?;
            let Some(mut batch) = self.input.next_batch(context, limits)? else {
                self.input_ended = true;
                break;
            };
            let Some(end) = last_change(group, &batch, last.as_deref()) else {
                last = last.or_else(|| last_key(group, &batch));
                sorter.add(&batch, context)?;
                limits = limits.grown(context.full);
                continue;
            };
            let mut rest = batch.clone();
            rest.slice(end, usize::MAX);
            self.pending = Some(rest);
            batch.slice(0, end);
            sorter.add(&batch, context)?;
            return sorter.finish(Vec::new(), context).map(Some);
        }
        if last.is_none() { Ok(None) } else { sorter.finish(Vec::new(), context).map(Some) }
    }
}

impl Operator for GroupedSortOperator {
    fn next_batch(&mut self, context: &mut ExecutionContext, limits: BatchLimits) -> Result<Option<Batch>> {
        context.interrupt.check()?;
        loop {
            if let Some(sorted) = &mut self.sorted
                && let Some(batch) = sorted.next_batch(limits)?
            {
                self.answered = self.answered.saturating_add(batch.selected_len());
                return Ok(Some(batch));
            }
            self.sorted = self.read_groups(context, limits)?;
            if self.sorted.is_none() {
                return Ok(None);
            }
        }
    }

    fn restart(&mut self, outer: Batch) {
        self.sorted = None;
        self.pending = None;
        self.input_ended = false;
        self.answered = 0;
        self.input.restart(outer);
    }

    fn release(&mut self) {
        self.input.release();
    }
}

/// Returns the position, among the selected rows, of the last row that differs from the previous
/// row.
///
/// The row before the first one has the key `before`.
fn last_change(group: &[SortKey], batch: &Batch, before: Option<&[Value]>) -> Option<usize> {
    let rows = || batch.selected().zip(batch.selected().skip(1)).enumerate().rev();
    let differ = |left: usize, right: usize| {
        group
            .iter()
            .any(|key| batch.column(key.register).is_some_and(|column| column.get(left) != column.get(right)))
    };
    let within = rows().find(|(_, (left, right))| differ(*left, *right)).map(|(position, _)| position + 1);
    within.or_else(|| {
        let (before, first) = before.zip(batch.selected().next())?;
        let is_same = group.iter().zip(before).all(|(key, own)| batch.value(key.register, first) == *own);
        (!is_same).then_some(0)
    })
}

/// Returns the values of the criteria in the last row.
fn last_key(group: &[SortKey], batch: &Batch) -> Option<Vec<Value>> {
    let row = batch.selected().next_back()?;
    Some(group.iter().map(|key| batch.value(key.register, row).detached()).collect())
}
