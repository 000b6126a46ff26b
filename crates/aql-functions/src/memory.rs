//! Results that are built within the query's memory.
//!
//! A function charges the memory of its result to the query's account while it runs, and releases
//! it at its end. The owner of the result accounts for it from then on. So no call can exceed the
//! limit, whatever its arguments are.

use std::borrow::Borrow;
use std::collections::{HashMap, HashSet};
use std::hash::Hash;

use aql_value::{BoundedBlock, EvaluationContext, Interrupt, MemoryAccount, Value};
use errors::{Error, ErrorCode, Result};

use crate::argument::check_interrupt;

/// The longest text that a function may build.
///
/// A longer one ends the query with error 32, whatever its memory limit.
pub(crate) const MAX_TEXT_BYTES: usize = 256 << 20;

/// The maximum number of elements that a function may add to those of its arguments.
///
/// It is ArangoDB's limit for ranges. A longer array ends the query with error 1504.
pub(crate) const MAX_ELEMENTS: usize = 10_000_000;

/// The maximum initial capacity of a table.
const ROOM_MAX: usize = 1 << 20;

/// The part of the query's memory limit that initial capacity may take.
///
/// An item counts as [`ROOM_ITEM_BYTES`], with all that belongs to it.
const ROOM_SHARE: u64 = 8;
const ROOM_ITEM_BYTES: u64 = 128;

/// Returns the initial capacity of a table for a number of items.
///
/// A table that grows later moves all its items in one step, which nothing can interrupt. There may
/// be fewer items than expected, so a tight memory limit lowers the capacity. The caller accounts
/// for the capacity before it allocates.
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

/// Returns error 32 for a function that ended because its query's memory was used up.
pub(crate) fn too_much_memory() -> Error {
    Error::new(ErrorCode::ResourceLimit, "query would use more memory than allowed")
}

/// Memory that a running function uses; released on drop.
pub(crate) struct Scratch<'a> {
    account: &'a MemoryAccount,
    bytes: u64,
}

impl<'a> Scratch<'a> {
    pub(crate) fn new(account: &'a MemoryAccount) -> Self {
        Self { account, bytes: 0 }
    }

    /// Charges bytes. Errors: 32 if the query's limit would be exceeded.
    pub(crate) fn grow(&mut self, bytes: usize) -> Result<()> {
        let bytes = bytes as u64;
        self.account.charge(bytes)?;
        self.bytes += bytes;
        Ok(())
    }
}

impl Scratch<'_> {
    /// Releases bytes that were charged.
    fn shrink(&mut self, bytes: usize) {
        self.account.release(bytes as u64);
        self.bytes -= bytes as u64;
    }
}

impl Drop for Scratch<'_> {
    fn drop(&mut self) {
        self.account.release(self.bytes);
    }
}

/// The account of a buffer that doubles when it is full, as vectors, texts and sets do.
pub(crate) struct Growth<'a> {
    scratch: Scratch<'a>,
    item_bytes: usize,
    /// The number of items that the buffer has room for, and the number that is accounted for.
    room: usize,
    accounted_items: usize,
}

impl<'a> Growth<'a> {
    /// The size up to which buffers are not accounted: they are harmless, and most are small.
    const FREE_BYTES: usize = 4096;

    pub(crate) fn new(account: &'a MemoryAccount, item_bytes: usize) -> Self {
        let scratch = Scratch::new(account);
        Self { scratch, item_bytes, room: Self::FREE_BYTES / item_bytes, accounted_items: 0 }
    }

    /// Prepares for a buffer of this many items.
    ///
    /// Returns the number of items to make room for, if the buffer has to grow now.
    #[inline]
    pub(crate) fn reach(&mut self, items: usize) -> Result<Option<usize>> {
        if items > self.room { self.grow(items).map(Some) } else { Ok(None) }
    }

    #[cold]
    fn grow(&mut self, items: usize) -> Result<usize> {
        let room = items.max(2 * self.room);
        // While the items move, there are two buffers.
        self.scratch.grow(room.saturating_mul(self.item_bytes))?;
        self.scratch.shrink(self.accounted_items * self.item_bytes);
        (self.room, self.accounted_items) = (room, room);
        Ok(room)
    }
}

/// A text that grows within the query's memory and [`MAX_TEXT_BYTES`].
pub(crate) struct TextBuffer<'a> {
    text: String,
    growth: Growth<'a>,
    interrupt: &'a Interrupt,
}

impl<'a> TextBuffer<'a> {
    pub(crate) fn new(context: &EvaluationContext<'a>) -> Self {
        let growth = Growth::new(context.memory, 1);
        Self { text: String::new(), growth, interrupt: context.interrupt }
    }

    /// Appends a text. Errors: 32 if the result would grow too long.
    #[inline]
    pub(crate) fn push_str(&mut self, text: &str) -> Result<()> {
        if let Some(room) = self.growth.reach(self.text.len() + text.len())? {
            self.make_room(room, text.len())?;
        }
        self.text.push_str(text);
        Ok(())
    }

    #[cold]
    fn make_room(&mut self, room: usize, more: usize) -> Result<()> {
        if self.text.len() + more > MAX_TEXT_BYTES {
            return Err(too_long_text());
        }
        self.interrupt.check()?;
        self.text.reserve_exact(room - self.text.len());
        Ok(())
    }

    /// Returns the text as a value.
    pub(crate) fn into_value(mut self) -> Result<Value> {
        if self.text.len() > MAX_TEXT_BYTES {
            return Err(too_long_text());
        }
        if self.text.len() >= Growth::FREE_BYTES {
            self.growth.scratch.grow(self.text.len())?;
        }
        Ok(Value::from_str(&self.text))
    }
}

fn too_long_text() -> Error {
    let message = format!("text would be longer than the limit of {MAX_TEXT_BYTES} bytes");
    Error::new(ErrorCode::ResourceLimit, message)
}

/// Returns a text as a value, whose memory is charged before it is allocated.
///
/// Errors: 32 if the query's limit would be exceeded.
pub(crate) fn text_value(text: &str, context: &EvaluationContext<'_>) -> Result<Value> {
    let _copy = room_for_bytes(text.len(), context)?;
    Ok(Value::from_str(text))
}

/// The bytes of a text that are mapped between two checks.
const BYTES_MAPPED_AT_ONCE: usize = 64 << 10;

/// Returns a text of which each character is mapped by itself, or by those around it.
///
/// A long text is mapped in pieces that end with white space, so that words stay whole.
pub(crate) fn mapped_text(
    text: &str,
    map: fn(&str) -> String,
    context: &EvaluationContext<'_>,
) -> Result<Value> {
    if text.len() <= BYTES_MAPPED_AT_ONCE {
        return Ok(Value::from_str(&map(text)));
    }
    let mut mapped = TextBuffer::new(context);
    let mut rest = text;
    while !rest.is_empty() {
        let end = rest.floor_char_boundary(BYTES_MAPPED_AT_ONCE);
        let piece = rest.get(..end).unwrap_or(rest);
        let word_end = piece.rfind(' ').map_or(piece.len(), |space| space + 1);
        let (piece, others) = rest.split_at(if end < rest.len() { word_end } else { end });
        mapped.push_str(&map(piece))?;
        rest = others;
    }
    mapped.into_value()
}

/// Charges memory that a function is about to take, unless it is little. Errors: 32.
pub(crate) fn room_for_bytes<'a>(bytes: usize, context: &EvaluationContext<'a>) -> Result<Scratch<'a>> {
    let mut scratch = Scratch::new(context.memory);
    if bytes >= Growth::FREE_BYTES {
        scratch.grow(bytes)?;
    }
    Ok(scratch)
}

/// The elements of an array under construction, which grow within the query's memory.
pub(crate) struct ArrayBuffer<'a> {
    elements: Vec<Value>,
    growth: Growth<'a>,
    /// The bytes of texts and other values that the elements alone hold.
    held: Scratch<'a>,
    /// Such bytes that are not charged yet.
    pending_bytes: usize,
    interrupt: &'a Interrupt,
}

/// The bytes of new values in one charge.
const HELD_AT_ONCE: usize = 64 << 10;

impl<'a> ArrayBuffer<'a> {
    pub(crate) fn new(context: &EvaluationContext<'a>) -> Self {
        Self {
            elements: Vec::new(),
            growth: Growth::new(context.memory, size_of::<Value>()),
            held: Scratch::new(context.memory),
            pending_bytes: 0,
            interrupt: context.interrupt,
        }
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
    #[inline]
    pub(crate) fn push(&mut self, element: Value) -> Result<()> {
        if let Some(room) = self.growth.reach(self.elements.len() + 1)? {
            self.interrupt.check()?;
            self.elements.reserve_exact(room - self.elements.len());
        }
        self.elements.push(element);
        Ok(())
    }

    /// Appends a copy of a part of a text. Errors: as [`ArrayBuffer::push`].
    pub(crate) fn push_text(&mut self, text: &str) -> Result<()> {
        self.hold(text.len())?;
        self.push(Value::from_str(text))
    }

    /// Appends an element that was made for this array. Errors: as [`ArrayBuffer::push`].
    pub(crate) fn push_new(&mut self, element: Value) -> Result<()> {
        self.hold(element.memory_bytes())?;
        self.push(element)
    }

    #[inline]
    fn hold(&mut self, bytes: usize) -> Result<()> {
        if bytes > aql_value::ShortString::MAX_BYTES {
            self.pending_bytes += bytes + BYTES_OF_BLOCK;
            if self.pending_bytes >= HELD_AT_ONCE {
                self.interrupt.check()?;
                self.held.grow(std::mem::take(&mut self.pending_bytes))?;
            }
        }
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
    pub(crate) fn into_array(self) -> Result<Value> {
        let mut block = BoundedBlock::new(1, self.growth.scratch.account, self.interrupt);
        block.builder().open_array()?;
        for (round, element) in self.elements.iter().enumerate() {
            check_interrupt(self.interrupt, round)?;
            block.append(element)?;
        }
        block.close_array()?;
        block.end_value();
        Ok(block.into_value())
    }
}

/// The bytes of a value's block besides its content: its reference counts, vector and allocations.
const BYTES_OF_BLOCK: usize = 72;

/// Distinct values, which grow within the query's memory.
pub(crate) struct DistinctValues<'a> {
    values: HashSet<Value>,
    growth: Growth<'a>,
}

impl<'a> DistinctValues<'a> {
    /// The bytes of a value, its place in the table, and its share of the empty places.
    const ENTRY_BYTES: usize = 5 * size_of::<Value>() / 2;

    pub(crate) fn new(context: &EvaluationContext<'a>) -> Self {
        Self { values: HashSet::new(), growth: Growth::new(context.memory, Self::ENTRY_BYTES) }
    }

    /// Returns an empty set with capacity for this many values, see [`room_for`].
    ///
    /// Errors: 32 if the query's limit would be exceeded.
    pub(crate) fn with_room(context: &EvaluationContext<'a>, values: usize) -> Result<Self> {
        let mut distinct = Self::new(context);
        if let Some(room) = distinct.growth.reach(room_for(context, values))? {
            distinct.values.reserve(room);
        }
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
        if let Some(room) = self.growth.reach(self.values.len() + 1)? {
            self.values.reserve(room - self.values.len());
        }
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

/// Names with the place of each, which grow within the query's memory.
pub(crate) struct Names<'a, N> {
    places: HashMap<N, usize>,
    growth: Growth<'a>,
    /// The texts of names that the table owns.
    held: Scratch<'a>,
}

impl<'a, N: AsRef<str> + Eq + Hash + Borrow<str>> Names<'a, N> {
    /// The bytes of a name, its place, its hash, and its share of the free places.
    const ENTRY_BYTES: usize = 5 * size_of::<(N, usize)>() / 2;

    pub(crate) fn new(context: &EvaluationContext<'a>) -> Self {
        let growth = Growth::new(context.memory, Self::ENTRY_BYTES);
        Self { places: HashMap::new(), growth, held: Scratch::new(context.memory) }
    }

    /// Returns names with accounted memory for [`room_for`] of them.
    pub(crate) fn with_room(context: &EvaluationContext<'a>, names: usize) -> Result<Self> {
        let mut table = Self::new(context);
        if let Some(room) = table.growth.reach(room_for(context, names))? {
            table.places.reserve(room);
        }
        Ok(table)
    }

    /// Returns the place of a name. A new one gets the given place.
    pub(crate) fn place_of(&mut self, name: N, place: usize) -> Result<usize> {
        if let Some(room) = self.growth.reach(self.places.len() + 1)? {
            self.places.reserve(room - self.places.len());
        }
        Ok(*self.places.entry(name).or_insert(place))
    }

    /// Charges the bytes of a name that the table will own.
    pub(crate) fn hold(&mut self, name: &str) -> Result<()> {
        self.held.grow(name.len() + BYTES_OF_BLOCK)
    }

    pub(crate) fn contains(&self, name: &str) -> bool {
        self.places.contains_key(name)
    }
}

/// The entries of an object under construction, which grow within the query's memory.
pub(crate) struct ObjectBuffer<'a, N> {
    entries: Vec<(N, Value)>,
    growth: Growth<'a>,
    interrupt: &'a Interrupt,
}

impl<'a, N: AsRef<str>> ObjectBuffer<'a, N> {
    pub(crate) fn new(context: &EvaluationContext<'a>) -> Self {
        let growth = Growth::new(context.memory, size_of::<(N, Value)>());
        Self { entries: Vec::new(), growth, interrupt: context.interrupt }
    }

    /// Returns a buffer with accounted memory for [`room_for`] entries.
    pub(crate) fn with_room(context: &EvaluationContext<'a>, entries: usize) -> Result<Self> {
        let mut buffer = Self::new(context);
        if let Some(room) = buffer.growth.reach(room_for(context, entries))? {
            buffer.entries.reserve_exact(room);
        }
        Ok(buffer)
    }

    /// Appends an entry; the last of entries with the same name counts.
    ///
    /// Errors: 32 if the query's limit would be exceeded.
    pub(crate) fn push(&mut self, name: N, value: Value) -> Result<()> {
        if let Some(room) = self.growth.reach(self.entries.len() + 1)? {
            self.interrupt.check()?;
            self.entries.reserve_exact(room - self.entries.len());
        }
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
    pub(crate) fn into_object(self) -> Result<Value> {
        let mut block = BoundedBlock::new(1, self.growth.scratch.account, self.interrupt);
        block.builder().open_object()?;
        for (round, (name, value)) in self.entries.iter().enumerate() {
            check_interrupt(self.interrupt, round)?;
            block.key(name.as_ref())?;
            block.append(value)?;
        }
        block.close_object()?;
        block.end_value();
        Ok(block.into_value())
    }
}

#[cfg(test)]
mod tests {
    use aql_value::{EvaluationState, NoEnvironment, Warnings};

    use super::*;

    #[test]
    fn a_growing_text_is_accounted_while_it_grows() {
        let (account, interrupt) = (MemoryAccount::new(Some(200_000), None), Interrupt::new());
        let context = EvaluationContext {
            warnings: &mut Warnings::default(),
            state: &mut EvaluationState::fixed(0, 1),
            memory: &account,
            interrupt: &interrupt,
            environment: &NoEnvironment,
        };
        let mut buffer = TextBuffer::new(&context);
        buffer.push_str("short").unwrap();
        assert_eq!(account.used_bytes(), 0);
        buffer.push_str(&"x".repeat(50_000)).unwrap();
        assert!((40_000..60_000).contains(&account.used_bytes()));
        assert_eq!(buffer.push_str(&"x".repeat(100_000)).unwrap_err().number(), 32);
        drop(buffer);
        assert_eq!(account.used_bytes(), 0);
    }
}
