//! JSON texts of large values, made in pieces within a query's memory and time.

use errors::Result;
use owner::{Interrupt, MemoryAccount};
use velocypack::json;

use super::LARGE_BYTES;
use crate::value::Value;

/// Maximum size in bytes of JSON for a byte of VelocyPack: a control character has six.
const GROWTH: usize = 6;

/// The bytes besides a value's own: brackets, quotes, and the room that the writer needs.
const SPARE: usize = 256;

/// The deepest nesting level that is built in pieces. Deeper values are written in one pass, by a
/// writer that needs no stack for their levels.
const MAX_LEVELS: usize = 64;

/// Returns the value as compact JSON. Errors: 32 for too much memory, 1500 if the query is ended.
pub(super) fn of(value: &Value, memory: &MemoryAccount, interrupt: &Interrupt) -> Result<String> {
    let mut text = LongText { text: Vec::new(), memory, interrupt, charged_bytes: 0, check_at: 0, level: 0 };
    text.write(value)?;
    Ok(String::from_utf8(std::mem::take(&mut text.text)).unwrap_or_default())
}

/// A growing text. Dropping it releases the memory that it has charged.
struct LongText<'a> {
    text: Vec<u8>,
    memory: &'a MemoryAccount,
    interrupt: &'a Interrupt,
    charged_bytes: u64,
    /// The length at which the interrupt is checked next.
    check_at: usize,
    /// The level of nesting of the value that is being written.
    level: usize,
}

impl LongText<'_> {
    /// Appends a value.
    fn write(&mut self, value: &Value) -> Result<()> {
        if value.memory_bytes() < LARGE_BYTES || self.level >= MAX_LEVELS {
            self.make_room(GROWTH * value.memory_bytes() + SPARE)?;
            value.write_json(&mut self.text);
        } else if value.is_array() {
            self.write_members(b"[]", value.elements(), |own, element| own.write(&element))?;
        } else if value.is_object() {
            self.write_members(b"{}", value.entries(), |own, (name, member)| {
                own.make_room(GROWTH * name.len() + SPARE)?;
                json::write_str(name, &mut own.text);
                own.text.push(b':');
                own.write(&member)
            })?;
        } else {
            self.write_string(value.as_str().unwrap_or_default())?;
        }
        Ok(())
    }

    fn write_members<T>(
        &mut self,
        brackets: &[u8; 2],
        members: impl Iterator<Item = T>,
        mut write: impl FnMut(&mut Self, T) -> Result<()>,
    ) -> Result<()> {
        self.make_room(SPARE)?;
        self.text.push(brackets[0]);
        let start = self.text.len();
        self.level += 1;
        for member in members {
            if self.text.len() > start {
                self.text.push(b',');
            }
            write(self, member)?;
        }
        self.level -= 1;
        self.make_room(SPARE)?;
        self.text.push(brackets[1]);
        Ok(())
    }

    /// Appends a long string, some of it at a time.
    fn write_string(&mut self, mut rest: &str) -> Result<()> {
        self.make_room(SPARE)?;
        self.text.push(b'"');
        while !rest.is_empty() {
            let (piece, others) = rest.split_at(rest.floor_char_boundary(LARGE_BYTES));
            self.make_room(GROWTH * piece.len() + SPARE)?;
            let start = self.text.len();
            json::write_str(piece, &mut self.text);
            // Without the quotes of the piece.
            self.text.pop();
            self.text.remove(start);
            rest = others;
        }
        self.text.push(b'"');
        Ok(())
    }

    /// Charges the buffer memory that this many more bytes need, and reserves it.
    fn make_room(&mut self, bytes: usize) -> Result<()> {
        let (length, before) = (self.text.len(), self.text.capacity());
        if length >= self.check_at {
            self.interrupt.check()?;
            self.check_at = length + LARGE_BYTES;
        }
        if length + bytes > before {
            let capacity = (length + bytes).max(2 * before);
            // While the content moves, there are two buffers.
            self.memory.charge(capacity as u64)?;
            self.text.reserve_exact(capacity - length);
            self.memory.release(self.charged_bytes);
            self.charged_bytes = capacity as u64;
        }
        Ok(())
    }
}

impl Drop for LongText<'_> {
    fn drop(&mut self) {
        self.memory.release(self.charged_bytes);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_text_is_the_same_as_a_short_one() {
        let (memory, interrupt) = (MemoryAccount::unlimited(), Interrupt::new());
        let long = "a \"quoted\" \u{1} é".repeat(10_000);
        let inner = Value::object(&[("name \"1\"", Value::from_str(&long)), ("b", Value::Null)]);
        let numbers: Vec<Value> = (0..100_000).map(|n| Value::from_f64(f64::from(n) / 3.0)).collect();
        let value = Value::array(&[inner, Value::array(&numbers), Value::empty_array(), Value::Bool(true)]);
        assert!(value.text(&memory, &interrupt).unwrap() == value.to_json());
        assert_eq!(memory.used_bytes(), 0);
    }

    #[test]
    fn values_that_nest_deeply_need_no_stack() {
        let (memory, interrupt) = (MemoryAccount::unlimited(), Interrupt::new());
        let mut value = Value::from_str(&"x".repeat(2 * LARGE_BYTES));
        for _ in 0..2 * MAX_LEVELS {
            value = Value::array(&[value]);
        }
        assert!(value.text(&memory, &interrupt).unwrap() == value.to_json());
    }

    #[test]
    fn a_long_text_is_accounted_while_it_grows() {
        let (memory, interrupt) = (MemoryAccount::new(Some(1 << 20), None), Interrupt::new());
        let value = Value::array(&[Value::from_str(&"\u{1}".repeat(200_000))]);
        assert_eq!(value.text(&memory, &interrupt).unwrap_err().number(), 32);
        interrupt.kill();
        assert_eq!(value.text(&memory, &interrupt).unwrap_err().number(), 1500);
        assert_eq!(memory.used_bytes(), 0);
    }
}
