//! `SUM`, `AVERAGE`: null values do not count. Any other value that is not a number makes the
//! result null.

use aql_value::{Interrupt, Value, program};
use errors::Result;
use velocypack::Builder;

use super::State;

/// A sum of numbers: exact while they are integers and fit in 64 bits, then in doubles.
struct Total {
    sum: Value,
    count: u64,
    invalid: bool,
}

impl Default for Total {
    fn default() -> Self {
        Self { sum: Value::Int(0), count: 0, invalid: false }
    }
}

impl Total {
    fn add(&mut self, value: &Value) {
        if value.is_number() {
            self.count += 1;
            self.sum = program::add(&self.sum, value);
            // The sum is not finite.
            self.invalid |= self.sum.is_null();
        } else if !value.is_null() {
            self.invalid = true;
        }
    }

    /// Saves an array of the sum, the number of values, and true if one was not a number.
    fn save(&self, out: &mut Builder) -> Result<()> {
        out.open_array()?;
        self.sum.append_to(out)?;
        out.add_u64(self.count)?;
        out.add_bool(self.invalid)?;
        Ok(out.close()?)
    }

    fn merge(&mut self, saved: &Value) {
        let mut parts = saved.elements();
        let mut next = || parts.next().unwrap_or_default();
        let (sum, count, invalid) = (next(), next(), next());
        self.invalid |= invalid.is_truthy();
        if sum.is_number() && self.sum.is_number() {
            self.sum = program::add(&self.sum, &sum);
        }
        // The sum is not finite.
        self.invalid |= self.sum.is_null();
        self.count += u64::try_from(count.to_i64()).unwrap_or_default();
    }
}

/// A sum that is null if there is no row.
#[derive(Default)]
pub(super) struct Sum {
    total: Total,
    invoked: bool,
}

impl State for Sum {
    fn add(&mut self, value: &Value) -> usize {
        self.invoked = true;
        self.total.add(value);
        0
    }

    fn result(&mut self, _interrupt: &Interrupt) -> Result<Value> {
        Ok(if self.invoked && !self.total.invalid { self.total.sum.clone() } else { Value::Null })
    }

    fn save(&mut self, out: &mut Builder) -> Result<()> {
        self.total.save(out)
    }

    /// Merges a saved state, whose group had at least one row.
    fn merge(&mut self, saved: &Value) -> usize {
        self.invoked = true;
        self.total.merge(saved);
        0
    }
}

/// An average that is null if there is no number.
#[derive(Default)]
pub(super) struct Average(Total);

impl State for Average {
    fn add(&mut self, value: &Value) -> usize {
        self.0.add(value);
        0
    }

    fn result(&mut self, _interrupt: &Interrupt) -> Result<Value> {
        if self.0.invalid || self.0.count == 0 {
            return Ok(Value::Null);
        }
        Ok(program::divide(&self.0.sum, &Value::from_u64(self.0.count)).unwrap_or(Value::Null))
    }

    fn save(&mut self, out: &mut Builder) -> Result<()> {
        self.0.save(out)
    }

    fn merge(&mut self, saved: &Value) -> usize {
        self.0.merge(saved);
        0
    }
}
