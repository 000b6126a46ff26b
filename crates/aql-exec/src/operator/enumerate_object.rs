//! A row for each attribute of an object, for each incoming row.

use aql_value::{Batch, Charge, Column, Register, Value};
use errors::{Error, ErrorCode, Result};

use super::Operator;
use super::outer_rows::{Fetched, OuterRows};
use crate::batch_limits::BatchLimits;
use crate::context::ExecutionContext;

pub(crate) struct EnumerateObjectOperator {
    outer: OuterRows,
    input: Register,
    key: Register,
    value: Register,
    members: Option<Members>,
}

/// The remaining attributes for the current incoming row.
struct Members {
    list: std::vec::IntoIter<(Value, Value)>,
    /// Held as long as the list.
    _charge: Charge,
}

impl EnumerateObjectOperator {
    pub(crate) fn new(outer: OuterRows, input: Register, key: Register, value: Register) -> Self {
        Self { outer, input, key, value, members: None }
    }

    /// Returns the attributes of an object.
    ///
    /// A value that is not an object has no entries, and FOR cannot loop over null: see
    /// `ENTRIES()`.
    fn open(&self, context: &mut ExecutionContext) -> Result<Members> {
        let object = self.outer.value(self.input);
        if !object.is_object() {
            let message =
                "collection or array expected as operand to FOR loop; you provided a value of type 'null'";
            return Err(Error::new(ErrorCode::QueryArrayExpected, message));
        }
        let mut charge = context.new_charge();
        charge.grow((object.len() * size_of::<(Value, Value)>()) as u64)?;
        let list: Vec<_> = object.entries().map(|(name, value)| (Value::from_str(name), value)).collect();
        Ok(Members { list: list.into_iter(), _charge: charge })
    }
}

impl Operator for EnumerateObjectOperator {
    fn next_batch(&mut self, context: &mut ExecutionContext, limits: BatchLimits) -> Result<Option<Batch>> {
        loop {
            if self.outer.fetch(context, limits)? == Fetched::End {
                return Ok(None);
            }
            context.interrupt.check()?;
            let (mut rows, mut keys, mut values) = (Vec::new(), Vec::new(), Vec::new());
            while rows.len() < limits.rows && self.outer.remaining() > 0 {
                let mut members = match self.members.take() {
                    Some(members) => members,
                    None => self.open(context)?,
                };
                for (key, value) in members.list.by_ref().take(limits.rows - rows.len()) {
                    rows.push(self.outer.row() as u32);
                    keys.push(key);
                    values.push(value);
                }
                if members.list.len() == 0 {
                    self.outer.advance();
                } else {
                    self.members = Some(members);
                }
            }
            if !rows.is_empty() {
                let mut batch = self.outer.gather(rows);
                batch.set_column(self.key, Column::from_values(keys));
                batch.set_column(self.value, Column::from_values(values));
                return Ok(Some(batch));
            }
        }
    }

    fn restart(&mut self, outer: Batch) {
        self.members = None;
        self.outer.restart(outer);
    }

    fn release(&mut self) {
        self.outer.release();
    }
}
