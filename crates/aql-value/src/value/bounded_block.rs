//! A builder of values that charges their memory before it allocates it.

use errors::Result;
use owner::{Interrupt, MemoryAccount};
use velocypack::{Builder, Duplicates};

use super::{BlockBuilder, Value};

/// A [`BlockBuilder`] within a query's memory and time.
///
/// It charges the memory of the values to the account before the buffer grows, and checks the
/// interrupt after every few hundred kilobytes. Dropping it releases its whole charge;
/// [`BoundedBlock::finish`] hands the charge over.
pub struct BoundedBlock<'a> {
    block: BlockBuilder,
    memory: &'a MemoryAccount,
    interrupt: &'a Interrupt,
    /// The length of the open block up to which nothing has to be charged or checked.
    free_until: usize,
    /// The charged bytes of complete blocks.
    complete_bytes: u64,
    /// The charged bytes of the open block.
    open_bytes: u64,
    /// The charged bytes of the positions of members.
    bookkeeping_bytes: u64,
}

/// The size up to which blocks are not accounted: they are harmless, and most are small.
const FREE_BYTES: usize = 64 << 10;

/// The bytes that are written between two checks.
const BYTES_PER_CHECK: usize = 256 << 10;

/// The longest encoding of an inline value.
const INLINE_BYTES: usize = 16;

/// The bytes of an index table for each member, and of a header.
const TABLE_BYTES: usize = 4;
const HEADER_BYTES: usize = 16;

impl<'a> BoundedBlock<'a> {
    /// Returns a builder for about this many values.
    pub fn new(values: usize, memory: &'a MemoryAccount, interrupt: &'a Interrupt) -> Self {
        Self {
            block: BlockBuilder::new(values),
            memory,
            interrupt,
            free_until: FREE_BYTES,
            complete_bytes: 0,
            open_bytes: 0,
            bookkeeping_bytes: 0,
        }
    }

    /// Returns the builder, for values that [`BoundedBlock::make_room`] has made room for.
    pub fn builder(&mut self) -> &mut Builder {
        self.block.builder()
    }

    /// Returns the number of complete values.
    pub fn len(&self) -> usize {
        self.block.len()
    }

    /// Returns true if there is no complete value.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Appends a copy of a value. Errors: 32 for too much memory, 1500 if the query is ended.
    #[inline]
    pub fn append(&mut self, value: &Value) -> Result<()> {
        self.make_room(value.memory_bytes())?;
        value.append_to(self.block.builder())
    }

    /// Appends the name of an attribute. Errors: as [`BoundedBlock::append`].
    pub fn key(&mut self, name: &str) -> Result<()> {
        self.make_room(name.len())?;
        Ok(self.block.builder().key(name)?)
    }

    /// Makes room for this many bytes, and for any inline value. Errors: as
    /// [`BoundedBlock::append`].
    #[inline]
    pub fn make_room(&mut self, bytes: usize) -> Result<()> {
        if self.block.open_bytes() + bytes + INLINE_BYTES > self.free_until {
            self.charge_more(bytes + INLINE_BYTES)
        } else {
            Ok(())
        }
    }

    #[cold]
    fn charge_more(&mut self, bytes: usize) -> Result<()> {
        self.interrupt.check()?;
        let builder = self.block.builder();
        let bookkeeping = builder.bookkeeping_bytes() as u64;
        if bookkeeping > self.bookkeeping_bytes {
            self.memory.charge(bookkeeping - self.bookkeeping_bytes)?;
            self.bookkeeping_bytes = bookkeeping;
        }
        let needed = builder.len_bytes() + bytes;
        let mut capacity = builder.capacity();
        if needed > capacity {
            capacity = needed.max(2 * capacity);
            // While the content moves, there are two buffers.
            self.memory.charge(capacity as u64)?;
            builder.reserve_exact(capacity - builder.len_bytes());
            self.memory.release(self.open_bytes);
            self.open_bytes = capacity as u64;
        }
        self.free_until = needed.max(capacity.min(builder.len_bytes() + BYTES_PER_CHECK));
        Ok(())
    }

    /// Closes the open array. Errors: as [`BoundedBlock::append`].
    pub fn close_array(&mut self) -> Result<()> {
        let elements = self.block.builder().open_len();
        self.make_room(TABLE_BYTES * elements + HEADER_BYTES)?;
        Ok(self.block.builder().close()?)
    }

    /// Closes the open object; the last of members with the same name counts.
    ///
    /// Errors: as [`BoundedBlock::append`].
    pub fn close_object(&mut self) -> Result<()> {
        self.close_object_with(Duplicates::KeepLast)
    }

    /// Closes the open object, and treats members with the same name as `duplicates` says.
    ///
    /// Errors: as [`BoundedBlock::append`].
    pub fn close_object_with(&mut self, duplicates: Duplicates) -> Result<()> {
        let members = self.block.builder().open_len();
        self.make_room(TABLE_BYTES * members + HEADER_BYTES)?;
        if members < MANY_MEMBERS {
            return Ok(self.block.builder().close_with(duplicates)?);
        }
        // The sort writes to a second list.
        let sort_bytes = (members * SORT_BYTES) as u64;
        self.memory.charge(sort_bytes)?;
        let mut checked = Ok(());
        let closed = self.block.builder().close_unless(duplicates, &mut || {
            checked = self.interrupt.check();
            checked.is_err()
        });
        self.memory.release(sort_bytes);
        checked?;
        Ok(closed?)
    }

    /// Completes the value that was added.
    pub fn end_value(&mut self) {
        self.block.end_value();
        if self.block.open_bytes() == 0 {
            self.complete_bytes += std::mem::take(&mut self.open_bytes);
            self.free_until = FREE_BYTES;
        }
    }

    /// Returns all values, and the bytes that the caller has to give back to the account.
    pub fn finish(mut self) -> (Vec<Value>, u64) {
        let block = std::mem::replace(&mut self.block, BlockBuilder::new(0));
        self.memory.release(std::mem::take(&mut self.bookkeeping_bytes));
        let charged_bytes = std::mem::take(&mut self.complete_bytes) + std::mem::take(&mut self.open_bytes);
        (block.finish(), charged_bytes)
    }

    /// Returns the only value, whose owner accounts for it from now on.
    pub fn into_value(self) -> Value {
        let memory = self.memory;
        let (mut values, charged_bytes) = self.finish();
        memory.release(charged_bytes);
        values.pop().unwrap_or_default()
    }
}

/// The members from which on an object is closed in steps.
const MANY_MEMBERS: usize = 1 << 15;

/// The bytes for each member that an object of many members needs while it is closed.
const SORT_BYTES: usize = 48;

impl Drop for BoundedBlock<'_> {
    fn drop(&mut self) {
        self.memory.release(self.complete_bytes + self.open_bytes + self.bookkeeping_bytes);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn built_values_are_charged_and_released() {
        let (memory, interrupt) = (MemoryAccount::new(Some(4 << 20), None), Interrupt::new());
        let text = Value::from_str(&"x".repeat(1 << 20));
        let mut block = BoundedBlock::new(1, &memory, &interrupt);
        block.builder().open_array().unwrap();
        block.append(&text).unwrap();
        assert!((1 << 20..3 << 20).contains(&memory.used_bytes()));
        let error = (0..4).find_map(|_| block.append(&text).err());
        assert_eq!(error.map(|error| error.number()), Some(32));
        drop(block);
        assert_eq!(memory.used_bytes(), 0);
    }

    #[test]
    fn values_of_any_size_are_built() {
        let (memory, interrupt) = (MemoryAccount::unlimited(), Interrupt::new());
        let texts = [Value::from_str(&"x".repeat(300_000)), Value::from_str("y"), Value::Int(7)];
        let mut block = BoundedBlock::new(100, &memory, &interrupt);
        for value in texts.iter().cycle().take(100) {
            block.append(value).unwrap();
            block.end_value();
        }
        let (values, charged_bytes) = block.finish();
        assert!(values.iter().eq(texts.iter().cycle().take(100)));
        assert!(charged_bytes >= 34 * 300_000 && memory.used_bytes() == charged_bytes);
    }

    #[test]
    fn an_object_of_many_members_is_sorted_and_can_be_interrupted() {
        let (memory, interrupt) = (MemoryAccount::unlimited(), Interrupt::new());
        let build = |ends: bool| {
            let mut block = BoundedBlock::new(1, &memory, &interrupt);
            block.builder().open_object()?;
            for number in 0..100_000_i64 {
                block.key(&format!("long name {}", number * 7919 % 99_991))?;
                block.append(&Value::Int(number))?;
            }
            if ends {
                interrupt.kill();
            }
            block.close_object()?;
            block.end_value();
            Ok::<Value, errors::Error>(block.into_value())
        };
        let object = build(false).unwrap();
        assert_eq!((object.len(), object.get("long name 7919")), (99_991, Value::Int(99_992)));
        assert_eq!(build(true).unwrap_err().number(), 1500);
        assert_eq!(memory.used_bytes(), 0);
    }
}
