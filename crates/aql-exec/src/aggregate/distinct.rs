//! `UNIQUE`, `SORTED_UNIQUE`, `COUNT_DISTINCT`: distinct values, null among them.

use std::collections::HashSet;

use aql_value::{Interrupt, Value};
use errors::Result;
use velocypack::Builder;

use super::State;
use crate::arrays::{append_array, array_of};

/// Bytes of a table entry besides the value's own: the value and its share of the table.
const ENTRY_BYTES: usize = 2 * size_of::<Value>();

/// The distinct values in the order of their first occurrence.
#[derive(Default)]
struct Distinct {
    seen: HashSet<Value>,
    order: Vec<Value>,
}

impl Distinct {
    fn add(&mut self, value: &Value) -> usize {
        if self.seen.contains(value) {
            return 0;
        }
        let value = value.detached();
        let bytes = ENTRY_BYTES + value.memory_bytes();
        self.order.push(value.clone());
        self.seen.insert(value);
        bytes
    }

    fn merge(&mut self, saved: &Value) -> usize {
        saved.elements().map(|value| self.add(&value)).sum()
    }

    fn take(&mut self) -> Vec<Value> {
        self.seen.clear();
        std::mem::take(&mut self.order)
    }
}

#[derive(Default)]
pub(super) struct Unique(Distinct);

#[derive(Default)]
pub(super) struct SortedUnique(Distinct);

#[derive(Default)]
pub(super) struct CountDistinct(Distinct);

impl State for Unique {
    fn add(&mut self, value: &Value) -> usize {
        self.0.add(value)
    }

    fn result(&mut self, interrupt: &Interrupt) -> Result<Value> {
        array_of(&self.0.take(), interrupt)
    }

    fn save(&mut self, out: &mut Builder) -> Result<()> {
        append_array(&self.0.take(), out)
    }

    fn merge(&mut self, saved: &Value) -> usize {
        self.0.merge(saved)
    }
}

impl State for SortedUnique {
    fn add(&mut self, value: &Value) -> usize {
        self.0.add(value)
    }

    fn result(&mut self, interrupt: &Interrupt) -> Result<Value> {
        let values = self.0.take();
        let order = aql_value::order_of(&values, interrupt)?;
        let sorted = order.iter().filter_map(|position| values.get(*position as usize));
        array_of(&sorted.cloned().collect::<Vec<_>>(), interrupt)
    }

    fn save(&mut self, out: &mut Builder) -> Result<()> {
        append_array(&self.0.take(), out)
    }

    fn merge(&mut self, saved: &Value) -> usize {
        self.0.merge(saved)
    }
}

impl State for CountDistinct {
    fn add(&mut self, value: &Value) -> usize {
        self.0.add(value)
    }

    fn result(&mut self, _interrupt: &Interrupt) -> Result<Value> {
        Ok(Value::from_u64(self.0.take().len() as u64))
    }

    fn save(&mut self, out: &mut Builder) -> Result<()> {
        append_array(&self.0.take(), out)
    }

    fn merge(&mut self, saved: &Value) -> usize {
        self.0.merge(saved)
    }
}
