//! `PUSH`: all values in the order in which they come.

use super::State;
use crate::arrays::array_of;
use aql_value::{Interrupt, Result, Value};

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
}
