//! A row for each member of an array or of a range, for each incoming row.

use aql_value::{Batch, Column, ElementCursor, Program, Register, Value};
use errors::{Error, ErrorCode, Result};

use super::Operator;
use super::outer_rows::{Fetched, OuterRows};
use super::pending_rows::PendingRows;
use crate::batch_limits::BatchLimits;
use crate::context::ExecutionContext;

/// The input of a loop.
pub(crate) enum ListInput {
    /// An array in a register.
    Array(Register),
    /// `low..high`, whose members are computed on demand.
    Range { low: Program, high: Program },
}

pub(crate) struct EnumerateListOperator {
    outer: OuterRows,
    input: ListInput,
    out: Register,
    filter: Option<Program>,
    members: Option<Members>,
    pending: PendingRows,
}

/// The remaining members for the current incoming row.
enum Members {
    Array(ElementCursor),
    Range { next: i64, last: i64, is_done: bool },
}

impl EnumerateListOperator {
    pub(crate) fn new(outer: OuterRows, input: ListInput, out: Register, filter: Option<Program>) -> Self {
        Self { outer, input, out, filter, members: None, pending: PendingRows::default() }
    }

    /// Returns the members for the current incoming row.
    fn open(&self, context: &mut ExecutionContext) -> Result<Members> {
        match &self.input {
            ListInput::Array(register) => {
                let array = self.outer.value(*register);
                if !array.is_array() {
                    let message = format!(
                        "collection or array expected as operand to FOR loop; you provided a value of type '{}'",
                        array.kind().name()
                    );
                    return Err(Error::new(ErrorCode::QueryArrayExpected, message));
                }
                Ok(Members::Array(ElementCursor::new(array)))
            }
            ListInput::Range { low, high } => {
                let row = self.outer.row();
                let mut bound = |program: &Program| match self.outer.batch() {
                    Some(batch) => program.evaluate_row(batch, row, &mut context.evaluation()),
                    None => Ok(Value::Null),
                };
                Ok(Members::Range { next: bound(low)?.to_i64(), last: bound(high)?.to_i64(), is_done: false })
            }
        }
    }

    /// Collects members of the current and further rows of the outer batch, up to the limit.
    ///
    /// Each comes with its outer row.
    fn collect(&mut self, context: &mut ExecutionContext, limit: usize) -> Result<(Vec<u32>, Vec<Value>)> {
        let (mut rows, mut values) = (Vec::new(), Vec::new());
        while values.len() < limit && self.outer.remaining() > 0 {
            let mut members = match self.members.take() {
                Some(members) => members,
                None => self.open(context)?,
            };
            let before = values.len();
            values.extend(members.by_ref().take(limit - before));
            rows.resize(values.len(), self.outer.row() as u32);
            if values.len() < limit {
                self.outer.advance();
            } else {
                self.members = Some(members);
            }
        }
        Ok((rows, values))
    }
}

impl Iterator for Members {
    type Item = Value;

    fn next(&mut self) -> Option<Value> {
        match self {
            Self::Array(cursor) => cursor.next(),
            Self::Range { is_done: true, .. } => None,
            Self::Range { next, last, is_done } => {
                let member = *next;
                match member.cmp(last) {
                    std::cmp::Ordering::Less => *next += 1,
                    std::cmp::Ordering::Equal => *is_done = true,
                    std::cmp::Ordering::Greater => *next -= 1,
                }
                Some(Value::Int(member))
            }
        }
    }
}

impl Operator for EnumerateListOperator {
    fn next_batch(&mut self, context: &mut ExecutionContext, limits: BatchLimits) -> Result<Option<Batch>> {
        if let Some(batch) = self.pending.take(limits) {
            return Ok(Some(batch));
        }
        let mut wanted = limits;
        loop {
            if self.outer.fetch(context, limits)? == Fetched::End {
                return Ok(None);
            }
            context.interrupt.check()?;
            let (rows, values) = self.collect(context, wanted.rows)?;
            if values.is_empty() {
                continue;
            }
            let mut batch = self.outer.gather(rows);
            batch.set_column(self.out, Column::from_values(values));
            if let Some(filter) = &self.filter {
                context.filter(filter, &mut batch)?;
            }
            if !batch.is_empty() {
                return Ok(Some(self.pending.split(batch, limits)));
            }
            wanted = wanted.grown(context.full);
        }
    }

    fn restart(&mut self, outer: Batch) {
        self.members = None;
        self.pending.clear();
        self.outer.restart(outer);
    }

    fn release(&mut self) {
        self.outer.release();
    }
}
