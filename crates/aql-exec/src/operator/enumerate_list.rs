//! A row for each member of an array or of a range, for each incoming row.

use aql_value::{Batch, Column, ElementCursor, Function, Program, Register, Rows, Value};
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
    /// The result of a function that gives one element after the other.
    Rows { function: &'static Function, arguments: Box<[Program]> },
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
    Rows(Box<dyn Rows>),
}

impl EnumerateListOperator {
    pub(crate) fn new(outer: OuterRows, input: ListInput, out: Register, filter: Option<Program>) -> Self {
        Self { outer, input, out, filter, members: None, pending: PendingRows::default() }
    }

    /// Returns the members for the current incoming row.
    fn open(&self, context: &mut ExecutionContext) -> Result<Members> {
        match &self.input {
            ListInput::Array(register) => members_of(self.outer.value(*register)),
            ListInput::Range { low, high } => {
                let (next, last) = (self.value_of(low, context)?, self.value_of(high, context)?);
                Ok(Members::Range { next: next.to_i64(), last: last.to_i64(), is_done: false })
            }
            ListInput::Rows { function, arguments } => {
                let values = arguments.iter().map(|argument| self.value_of(argument, context));
                let values = values.collect::<Result<Vec<_>>>()?;
                let open = function.rows.ok_or_else(|| Error::internal("a function without rows"))?;
                match open(&values, &mut context.evaluation())? {
                    Some(rows) => Ok(Members::Rows(rows)),
                    None => members_of(Value::Null),
                }
            }
        }
    }

    /// Evaluates a program for the current incoming row.
    fn value_of(&self, program: &Program, context: &mut ExecutionContext) -> Result<Value> {
        match self.outer.batch() {
            Some(batch) => program.evaluate_row(batch, self.outer.row(), &mut context.evaluation()),
            None => Ok(Value::Null),
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
            let is_done = members.take(limit - before, &mut values)?;
            rows.resize(values.len(), self.outer.row() as u32);
            if is_done {
                self.outer.advance();
                continue;
            }
            let is_short = matches!(members, Members::Rows(_));
            self.members = Some(members);
            if is_short {
                // The rows may be large.
                break;
            }
        }
        Ok((rows, values))
    }
}

/// Returns the members of an array. Errors: 1563 for any other value.
fn members_of(array: Value) -> Result<Members> {
    if array.is_array() {
        return Ok(Members::Array(ElementCursor::new(array)));
    }
    let message = format!(
        "collection or array expected as operand to FOR loop; you provided a value of type '{}'",
        array.kind().name()
    );
    Err(Error::new(ErrorCode::QueryArrayExpected, message))
}

impl Members {
    /// Appends at most `max` members to `out`. Returns true after the last one.
    fn take(&mut self, max: usize, out: &mut Vec<Value>) -> Result<bool> {
        let before = out.len();
        match self {
            Self::Array(cursor) => out.extend(cursor.by_ref().take(max)),
            Self::Range { next, last, is_done } => {
                while !*is_done && out.len() - before < max {
                    out.push(Value::Int(*next));
                    match (*next).cmp(last) {
                        std::cmp::Ordering::Less => *next += 1,
                        std::cmp::Ordering::Equal => *is_done = true,
                        std::cmp::Ordering::Greater => *next -= 1,
                    }
                }
            }
            Self::Rows(rows) => {
                rows.next_rows(max, out)?;
                return Ok(out.len() == before);
            }
        }
        Ok(out.len() - before < max)
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

    fn may_run_ahead(&self) -> bool {
        self.outer.may_run_ahead()
    }

    fn restart(&mut self, outer: Batch) {
        self.members = None;
        self.pending.clear();
        self.outer.restart(outer);
    }

    fn release(&mut self) {
        if let Some(Members::Rows(rows)) = &mut self.members {
            rows.release();
        }
        self.outer.release();
    }
}
