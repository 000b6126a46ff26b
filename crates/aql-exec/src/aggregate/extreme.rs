//! `MIN`, `MAX`: the smallest and the greatest value by AQL's order, without nulls; null if none is
//! left.

use std::cmp::Ordering;

use aql_value::{Interrupt, Value};
use errors::Result;
use velocypack::Builder;

use super::State;

#[derive(Default)]
pub(super) struct Min(Value);

#[derive(Default)]
pub(super) struct Max(Value);

/// Replaces `kept` by `value` if the value is not null and compares to it as `wanted`.
fn improve(kept: &mut Value, value: &Value, wanted: Ordering) -> usize {
    if value.is_null() || (!kept.is_null() && value.compare(kept) != wanted) {
        return 0;
    }
    let bytes = kept.memory_bytes();
    *kept = value.detached();
    kept.memory_bytes().saturating_sub(bytes)
}

impl State for Min {
    fn add(&mut self, value: &Value) -> usize {
        improve(&mut self.0, value, Ordering::Less)
    }

    fn result(&mut self, _interrupt: &Interrupt) -> Result<Value> {
        Ok(std::mem::take(&mut self.0))
    }

    fn save(&mut self, out: &mut Builder) -> Result<()> {
        self.0.append_to(out)
    }

    fn merge(&mut self, saved: &Value) -> usize {
        self.add(saved)
    }
}

impl State for Max {
    fn add(&mut self, value: &Value) -> usize {
        improve(&mut self.0, value, Ordering::Greater)
    }

    fn result(&mut self, _interrupt: &Interrupt) -> Result<Value> {
        Ok(std::mem::take(&mut self.0))
    }

    fn save(&mut self, out: &mut Builder) -> Result<()> {
        self.0.append_to(out)
    }

    fn merge(&mut self, saved: &Value) -> usize {
        self.add(saved)
    }
}
