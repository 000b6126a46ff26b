//! `BIT_AND`, `BIT_OR`, `BIT_XOR` of integers from 0 to 2^32 - 1.
//!
//! Null values do not count. With any other value, or without values, the result is null.

use aql_value::{Interrupt, Value};
use errors::Result;
use velocypack::Builder;

use super::State;

/// The greatest operand of AQL's bit functions.
const MAX_OPERAND: i64 = u32::MAX as i64;

#[derive(Default)]
struct Bits {
    bits: Option<u32>,
    invalid: bool,
}

impl Bits {
    fn add(&mut self, value: &Value, combine: fn(u32, u32) -> u32) -> usize {
        match value.as_i64() {
            Some(number) if (0..=MAX_OPERAND).contains(&number) => {
                let number = number as u32;
                self.bits = Some(self.bits.map_or(number, |bits| combine(bits, number)));
            }
            _ => self.invalid |= !value.is_null(),
        }
        0
    }

    /// Saves an array of the bits, or null, and true if a value was not an operand.
    fn save(&self, out: &mut Builder) -> Result<()> {
        out.open_array()?;
        match self.bits {
            Some(bits) => out.add_u64(bits.into())?,
            None => out.add_null()?,
        }
        out.add_bool(self.invalid)?;
        Ok(out.close()?)
    }

    fn merge(&mut self, saved: &Value, combine: fn(u32, u32) -> u32) -> usize {
        let mut parts = saved.elements();
        self.add(&parts.next().unwrap_or_default(), combine);
        self.invalid |= parts.next().unwrap_or_default().is_truthy();
        0
    }

    fn result(&self) -> Value {
        match self.bits {
            Some(bits) if !self.invalid => Value::Int(i64::from(bits)),
            _ => Value::Null,
        }
    }
}

macro_rules! bits {
    ($name:ident, $combine:expr) => {
        #[derive(Default)]
        pub(super) struct $name(Bits);

        impl State for $name {
            fn add(&mut self, value: &Value) -> usize {
                self.0.add(value, $combine)
            }

            fn result(&mut self, _interrupt: &Interrupt) -> Result<Value> {
                Ok(self.0.result())
            }

            fn save(&mut self, out: &mut Builder) -> Result<()> {
                self.0.save(out)
            }

            fn merge(&mut self, saved: &Value) -> usize {
                self.0.merge(saved, $combine)
            }
        }
    };
}

bits!(BitAnd, |left, right| left & right);
bits!(BitOr, |left, right| left | right);
bits!(BitXor, |left, right| left ^ right);
