//! `LENGTH`, `COUNT`: the number of rows, whatever their values.

use aql_value::{Interrupt, Value};
use errors::Result;
use velocypack::Builder;

use super::State;

#[derive(Default)]
pub(super) struct Length(u64);

impl State for Length {
    fn add(&mut self, _value: &Value) -> usize {
        self.0 += 1;
        0
    }

    fn result(&mut self, _interrupt: &Interrupt) -> Result<Value> {
        Ok(Value::from_u64(self.0))
    }

    fn save(&mut self, out: &mut Builder) -> Result<()> {
        Ok(out.add_u64(self.0)?)
    }

    fn merge(&mut self, saved: &Value) -> usize {
        self.0 += u64::try_from(saved.to_i64()).unwrap_or_default();
        0
    }
}
