//! Aggregates that return the values in the window themselves.

use std::collections::{BTreeMap, VecDeque};

use aql_value::{Charge, Interrupt, Value};
use errors::Result;

use super::SlidingAggregate;
use crate::arrays::array_of;

/// `UNIQUE`, `SORTED_UNIQUE`: the distinct values in order; `COUNT_DISTINCT`: their number.
pub(super) struct Distinct {
    /// The number of occurrences of each value in the window.
    counts: BTreeMap<Value, u64>,
    /// The values in the order in which they leave.
    values: VecDeque<Value>,
    keeps_all: bool,
    only_counts: bool,
}

/// Bytes of a value in a map, besides its own bytes.
const MAP_ENTRY_BYTES: usize = 64;

impl Distinct {
    pub(super) fn new(keeps_all: bool, only_counts: bool) -> Self {
        Self { counts: BTreeMap::new(), values: VecDeque::new(), keeps_all, only_counts }
    }
}

fn map_bytes(value: &Value) -> u64 {
    (MAP_ENTRY_BYTES + value.memory_bytes()) as u64
}

impl SlidingAggregate for Distinct {
    fn push(&mut self, value: &Value, memory: &mut Charge) -> Result<()> {
        let value = value.detached();
        if !self.keeps_all {
            memory.grow(size_of::<Value>() as u64)?;
            self.values.push_back(value.clone());
        }
        if let Some(count) = self.counts.get_mut(&value) {
            *count += 1;
            return Ok(());
        }
        memory.grow(map_bytes(&value))?;
        self.counts.insert(value, 1);
        Ok(())
    }

    fn pop(&mut self, memory: &mut Charge) -> Result<()> {
        let Some(value) = self.values.pop_front() else { return Ok(()) };
        memory.shrink(size_of::<Value>() as u64);
        if let Some(count) = self.counts.get_mut(&value) {
            *count -= 1;
            if *count == 0 {
                memory.shrink(map_bytes(&value));
                self.counts.remove(&value);
            }
        }
        Ok(())
    }

    fn result(&self, interrupt: &Interrupt) -> Result<Value> {
        if self.only_counts {
            return Ok(Value::from_u64(self.counts.len() as u64));
        }
        array_of(&self.counts.keys().cloned().collect::<Vec<_>>(), interrupt)
    }

    fn clear(&mut self, memory: &mut Charge) {
        memory.shrink((self.values.len() * size_of::<Value>()) as u64);
        memory.shrink(self.counts.keys().map(map_bytes).sum());
        self.values.clear();
        self.counts.clear();
    }
}

/// `PUSH`: all values in their order.
#[derive(Default)]
pub(super) struct Pushed(VecDeque<Value>);

fn value_bytes(value: &Value) -> u64 {
    (size_of::<Value>() + value.memory_bytes()) as u64
}

impl SlidingAggregate for Pushed {
    fn push(&mut self, value: &Value, memory: &mut Charge) -> Result<()> {
        let value = value.detached();
        memory.grow(value_bytes(&value))?;
        self.0.push_back(value);
        Ok(())
    }

    fn pop(&mut self, memory: &mut Charge) -> Result<()> {
        if let Some(value) = self.0.pop_front() {
            memory.shrink(value_bytes(&value));
        }
        Ok(())
    }

    fn result(&self, interrupt: &Interrupt) -> Result<Value> {
        array_of(&self.0.iter().cloned().collect::<Vec<_>>(), interrupt)
    }

    fn clear(&mut self, memory: &mut Charge) {
        memory.shrink(self.0.iter().map(value_bytes).sum());
        self.0.clear();
    }
}
