//! `PUSH`: all values in the order of arrival.

use aql_value::{Interrupt, Value};
use errors::Result;
use velocypack::Builder;

use super::State;
use crate::arrays::{append_array, array_of};

#[derive(Default)]
pub(super) struct Push(Vec<Value>);

impl State for Push {
    fn add(&mut self, value: &Value) -> usize {
        let value = value.detached();
        let bytes = size_of::<Value>() + value.memory_bytes();
        self.0.push(value);
        bytes
    }

    fn result(&mut self, interrupt: &Interrupt) -> Result<Value> {
        array_of(&std::mem::take(&mut self.0), interrupt)
    }

    fn save(&mut self, out: &mut Builder) -> Result<()> {
        append_array(&std::mem::take(&mut self.0), out)
    }

    fn merge(&mut self, saved: &Value) -> usize {
        // The value is not detached, so the whole block that holds it stays in memory.
        let before = self.0.len();
        self.0.extend(saved.elements());
        saved.memory_bytes() + (self.0.len() - before) * size_of::<Value>()
    }
}
