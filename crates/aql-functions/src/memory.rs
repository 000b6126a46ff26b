//! Results that are built within the query's memory.
//!
//! A function draws the memory of its result from the query's account while it runs, and gives it
//! back at its end. The owner of the result accounts for it from then on. So no call can exceed the
//! limit, whatever its arguments are.

use crate::argument::check_interrupt;
use aql_value::{EvaluationContext, Interrupt, MemoryAccount, Value};
use errors::{Error, ErrorCode, Result};
use std::collections::HashSet;
use velocypack::Builder;

/// The longest text that a function may build.
///
/// A longer one ends the query with error 32, whatever its memory limit.
pub(crate) const MAX_TEXT_BYTES: usize = 256 << 20;

/// The greatest number of elements that a function may add to those of its arguments.
///
/// It is ArangoDB's limit for ranges. A longer array ends the query with error 1504.
pub(crate) const MAX_ELEMENTS: usize = 10_000_000;

/// The greatest initial capacity of a table.
const ROOM_MAX: usize = 1 << 20;

/// The part of the query's memory limit that initial capacity may take.
///
/// An item counts as [`ROOM_ITEM_BYTES`], with all that belongs to it.
const ROOM_SHARE: u64 = 8;
const ROOM_ITEM_BYTES: u64 = 128;

/// Returns the initial capacity of a table for a number of items.
///
/// A table that grows later moves all its items at once, which nothing can interrupt. There may be
/// fewer items than announced, so a tight memory limit lowers the capacity. The caller accounts for
/// the capacity before it allocates.
pub(crate) fn room_for(context: &EvaluationContext<'_>, items: usize) -> usize {
    let affordable = context.memory.limit_bytes().map(|limit| limit / ROOM_SHARE / ROOM_ITEM_BYTES);
    let affordable = affordable.and_then(|items| usize::try_from(items).ok());
    items.min(ROOM_MAX).min(affordable.unwrap_or(ROOM_MAX))
}

/// Returns error 1504 for an array of more than [`MAX_ELEMENTS`] elements.
pub(crate) fn too_many_elements() -> Error {
    Error::new(
        ErrorCode::QueryNumberOutOfRange,
        format!("number out of range: more than {MAX_ELEMENTS} elements"),
    )
}

/// Memory that a running function uses; given back on drop.
pub(crate) struct Scratch<'a> {
    account: &'a MemoryAccount,
    bytes: u64,
}

impl<'a> Scratch<'a> {
    pub(crate) fn new(account: &'a MemoryAccount) -> Self {
        Self { account, bytes: 0 }
    }

    /// Draws bytes. Errors: 32 if the query's limit would be exceeded.
    pub(crate) fn grow(&mut self, bytes: usize) -> Result<()> {
        let bytes = bytes as u64;
        self.account.charge(bytes)?;
        self.bytes += bytes;
        Ok(())
    }
}

impl Drop for Scratch<'_> {
    fn drop(&mut self) {
        self.account.release(self.bytes);
    }
}

/// The account of a buffer that doubles when it is full, as vectors, texts and sets do.
struct Growth<'a> {
    scratch: Scratch<'a>,
    item_bytes: usize,
    accounted_items: usize,
}

impl<'a> Growth<'a> {
    /// The size up to which buffers are not accounted: they are harmless, and most are small.
    const FREE_BYTES: usize = 4096;

    fn new(account: &'a MemoryAccount, item_bytes: usize) -> Self {
        Self { scratch: Scratch::new(account), item_bytes, accounted_items: Self::FREE_BYTES / item_bytes }
    }

    /// Prepares for a buffer of so many items.
    #[inline]
    fn reach(&mut self, items: usize) -> Result<()> {
        if items > self.accounted_items { self.account(items) } else { Ok(()) }
    }

    #[cold]
    fn account(&mut self, items: usize) -> Result<()> {
        let accounted_items = items.max(2 * self.accounted_items);
        self.scratch.grow((accounted_items - self.accounted_items).saturating_mul(self.item_bytes))?;
        self.accounted_items = accounted_items;
        Ok(())
    }
}

/// A text that grows within the query's memory and [`MAX_TEXT_BYTES`].
pub(crate) struct TextBuffer<'a> {
    text: String,
    growth: Growth<'a>,
}

impl<'a> TextBuffer<'a> {
    pub(crate) fn new(account: &'a MemoryAccount) -> Self {
        Self { text: String::new(), growth: Growth::new(account, 1) }
    }

    /// Appends a text. Errors: 32 if the result would grow too long.
    pub(crate) fn push_str(&mut self, text: &str) -> Result<()> {
        let bytes = self.text.len() + text.len();
        if bytes > MAX_TEXT_BYTES {
            let message = format!("text would be longer than the limit of {MAX_TEXT_BYTES} bytes");
            return Err(Error::new(ErrorCode::ResourceLimit, message));
        }
        self.growth.reach(bytes)?;
        self.text.push_str(text);
        Ok(())
    }

    /// Returns the text as a value.
    pub(crate) fn into_value(self) -> Value {
        Value::from_str(&self.text)
    }
}

/// The elements of an array under construction, which grow within the query's memory.
pub(crate) struct ArrayBuffer<'a> {
    elements: Vec<Value>,
    growth: Growth<'a>,
    interrupt: &'a Interrupt,
}

impl<'a> ArrayBuffer<'a> {
    pub(crate) fn new(context: &EvaluationContext<'a>) -> Self {
        let growth = Growth::new(context.memory, size_of::<Value>());
        Self { elements: Vec::new(), growth, interrupt: context.interrupt }
    }

    /// Collects all elements of an iterator and checks the interrupt from time to time.
    pub(crate) fn collect(
        context: &EvaluationContext<'a>,
        elements: impl IntoIterator<Item = Value>,
    ) -> Result<Self> {
        let mut buffer = Self::new(context);
        buffer.extend(context, elements)?;
        Ok(buffer)
    }

    /// Appends all elements of an iterator.
    pub(crate) fn extend(
        &mut self,
        context: &EvaluationContext<'_>,
        elements: impl IntoIterator<Item = Value>,
    ) -> Result<()> {
        for element in elements {
            crate::argument::check_round(context, self.elements.len())?;
            self.push(element)?;
        }
        Ok(())
    }

    /// Appends an element. Errors: 32 if the query's limit would be exceeded.
    pub(crate) fn push(&mut self, element: Value) -> Result<()> {
        self.growth.reach(self.elements.len() + 1)?;
        self.elements.push(element);
        Ok(())
    }

    pub(crate) fn len(&self) -> usize {
        self.elements.len()
    }

    /// Returns the elements, for the caller to reorder or remove.
    pub(crate) fn elements(&mut self) -> &mut Vec<Value> {
        &mut self.elements
    }

    /// Returns the array; the data that the elements refer to are copied, and accounted too.
    pub(crate) fn into_array(mut self) -> Result<Value> {
        let mut bytes = 0;
        for (round, element) in self.elements.iter().enumerate() {
            check_interrupt(self.interrupt, round)?;
            // Small values lie within their 16 bytes, and take up to 15 in an array.
            bytes += size_of::<Value>() + element.memory_bytes();
        }
        self.growth.scratch.grow(bytes)?;
        let mut builder = Builder::new();
        builder.open_array()?;
        for (round, element) in self.elements.iter().enumerate() {
            check_interrupt(self.interrupt, round)?;
            element.append_to(&mut builder)?;
        }
        builder.close()?;
        Ok(Value::from_builder(builder))
    }
}

/// Distinct values, which grow within the query's memory.
pub(crate) struct DistinctValues<'a> {
    values: HashSet<Value>,
    growth: Growth<'a>,
}

impl<'a> DistinctValues<'a> {
    /// The bytes of a value, its place in the table, and its share of the empty places.
    const ENTRY_BYTES: usize = 2 * size_of::<Value>();

    pub(crate) fn new(context: &EvaluationContext<'a>) -> Self {
        Self { values: HashSet::new(), growth: Growth::new(context.memory, Self::ENTRY_BYTES) }
    }

    /// Returns an empty set with capacity for so many values, see [`room_for`].
    ///
    /// Errors: 32 if the query's limit would be exceeded.
    pub(crate) fn with_room(context: &EvaluationContext<'a>, values: usize) -> Result<Self> {
        let mut distinct = Self::new(context);
        let room = room_for(context, values);
        distinct.growth.reach(room)?;
        distinct.values.reserve(room);
        Ok(distinct)
    }

    /// Returns the distinct elements of an array.
    pub(crate) fn of(context: &EvaluationContext<'a>, array: &Value) -> Result<Self> {
        let mut distinct = Self::with_room(context, array.len())?;
        for (round, element) in array.elements().enumerate() {
            crate::argument::check_round(context, round)?;
            distinct.insert(element)?;
        }
        Ok(distinct)
    }

    /// Inserts the value and returns true if it is new.
    pub(crate) fn insert(&mut self, value: Value) -> Result<bool> {
        self.growth.reach(self.values.len() + 1)?;
        Ok(self.values.insert(value))
    }

    pub(crate) fn contains(&self, value: &Value) -> bool {
        self.values.contains(value)
    }

    pub(crate) fn len(&self) -> usize {
        self.values.len()
    }

    /// Returns the number of values in both sets.
    pub(crate) fn common(&self, other: &Self, context: &EvaluationContext<'_>) -> Result<usize> {
        let mut common = 0;
        for (round, value) in self.values.iter().enumerate() {
            crate::argument::check_round(context, round)?;
            common += usize::from(other.contains(value));
        }
        Ok(common)
    }
}

/// The entries of an object under construction, which grow within the query's memory.
pub(crate) struct ObjectBuffer<'a, N> {
    entries: Vec<(N, Value)>,
    growth: Growth<'a>,
    interrupt: &'a Interrupt,
}

impl<'a, N: AsRef<str>> ObjectBuffer<'a, N> {
    /// The bytes of an entry, and as much again for the table of names that most callers keep.
    const ENTRY_BYTES: usize = 2 * size_of::<(N, Value)>();

    pub(crate) fn new(context: &EvaluationContext<'a>) -> Self {
        let growth = Growth::new(context.memory, Self::ENTRY_BYTES);
        Self { entries: Vec::new(), growth, interrupt: context.interrupt }
    }

    /// Returns a buffer with accounted memory for [`room_for`] entries and a table of their names.
    pub(crate) fn with_room(context: &EvaluationContext<'a>, entries: usize) -> Result<Self> {
        let mut buffer = Self::new(context);
        buffer.growth.reach(room_for(context, entries))?;
        Ok(buffer)
    }

    /// Appends an entry; the last of entries with the same name counts.
    ///
    /// Errors: 32 if the query's limit would be exceeded.
    pub(crate) fn push(&mut self, name: N, value: Value) -> Result<()> {
        self.growth.reach(self.entries.len() + 1)?;
        self.entries.push((name, value));
        Ok(())
    }

    pub(crate) fn len(&self) -> usize {
        self.entries.len()
    }

    /// Returns the value of an entry.
    pub(crate) fn value_mut(&mut self, place: usize) -> Option<&mut Value> {
        self.entries.get_mut(place).map(|(_, value)| value)
    }

    /// Returns the object; the data that the values refer to are copied, and accounted too.
    pub(crate) fn into_object(mut self) -> Result<Value> {
        let bytes_of = |(name, value): &(N, Value)| {
            size_of::<(&str, Value)>() + size_of::<Value>() + name.as_ref().len() + value.memory_bytes()
        };
        let mut bytes = 0;
        for (round, entry) in self.entries.iter().enumerate() {
            check_interrupt(self.interrupt, round)?;
            bytes += bytes_of(entry);
        }
        self.growth.scratch.grow(bytes)?;
        let mut builder = Builder::new();
        builder.open_object()?;
        for (round, (name, value)) in self.entries.iter().enumerate() {
            check_interrupt(self.interrupt, round)?;
            builder.key(name.as_ref())?;
            value.append_to(&mut builder)?;
        }
        builder.close_keeping_last()?;
        Ok(Value::from_builder(builder))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_growing_text_is_accounted_while_it_grows() {
        let account = MemoryAccount::new(Some(100_000), None);
        let mut buffer = TextBuffer::new(&account);
        buffer.push_str("short").unwrap();
        assert_eq!(account.used_bytes(), 0);
        buffer.push_str(&"x".repeat(50_000)).unwrap();
        assert!(account.used_bytes() > 40_000);
        assert_eq!(buffer.push_str(&"x".repeat(100_000)).unwrap_err().number(), 32);
        drop(buffer);
        assert_eq!(account.used_bytes(), 0);
    }
}
