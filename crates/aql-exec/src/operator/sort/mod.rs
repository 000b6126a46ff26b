//! Sorts rows: all of them, or only the first ones of a limit.
//!
//! Each row gets one byte string that orders like the sort's criteria, so rows are compared as
//! bytes. Rows with equal keys keep their order.

mod buffer;
mod grouped;
mod retained;
mod sorter;

use aql_value::{Batch, Register};
use errors::Result;

use super::Operator;
use super::parallel::{Consumer, Input};
use crate::batch_limits::BatchLimits;
use crate::context::ExecutionContext;
use sorter::{Sorted, Sorter, SpilledRows};

pub(crate) use grouped::GroupedSortOperator;

/// One criterion of a sort, from the most significant down.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct SortKey {
    pub(crate) register: Register,
    pub(crate) ascending: bool,
}

/// The rows to sort, and their order.
pub(crate) struct SortOrder {
    pub(crate) keys: Box<[SortKey]>,
    /// Registers that later operators read.
    pub(crate) carry: Box<[Register]>,
    /// Number of first rows that are needed.
    pub(crate) limit: Option<usize>,
}

pub(crate) struct SortOperator {
    input: Input,
    order: SortOrder,
    state: State,
}

enum State {
    /// Nothing is read yet.
    Start,
    Sorted(Box<Sorted>),
    /// All rows are returned.
    Finished,
}

impl SortOperator {
    pub(crate) fn new(input: Input, order: SortOrder) -> Self {
        Self { input, order, state: State::Start }
    }

    fn read_all(&mut self, context: &mut ExecutionContext) -> Result<Sorted> {
        let (order, spilled) = (&self.order, SpilledRows::default());
        let is_divided = matches!(self.input, Input::Parallel(_));
        let make = |context: &ExecutionContext| {
            let sorter = Sorter::new(order, order.limit, context);
            if is_divided { sorter.divided(&spilled) } else { sorter }
        };
        let mut own = make(context);
        let consumer = Consumer { own: &mut own, make: &make, pays: &|_| true };
        let others = self.input.consume(consumer, context)?;
        own.finish(others, context)
    }
}

impl Operator for SortOperator {
    fn next_batch(&mut self, context: &mut ExecutionContext, limits: BatchLimits) -> Result<Option<Batch>> {
        if matches!(self.state, State::Start) {
            self.state = State::Sorted(Box::new(self.read_all(context)?));
        }
        context.interrupt.check()?;
        let batch = match &mut self.state {
            State::Start | State::Finished => None,
            State::Sorted(rows) => rows.next_batch(limits)?,
        };
        if batch.is_none() {
            self.state = State::Finished;
        }
        Ok(batch)
    }

    fn rehearse(&mut self, outer: &Batch, context: &mut ExecutionContext) -> Result<Option<Batch>> {
        self.input.rehearse(outer, context).map(|()| None)
    }

    fn restart(&mut self, outer: Batch) {
        self.state = State::Start;
        self.input.restart(outer);
    }

    fn release(&mut self) {
        self.input.release();
    }
}
