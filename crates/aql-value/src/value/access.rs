//! Access to the members of arrays and objects.
//!
//! The result is a position in the same block, except for `_id` of a stored document: that is not
//! stored, but built from the collection's name and the `_key`.

use std::sync::Arc;

use velocypack::{Block, Slice};

use super::{Kind, Value, slice_at};

impl Value {
    /// Returns the attribute of an object; null if there is none, or if the value is not an object.
    pub fn get(&self, name: &str) -> Self {
        let Self::Packed { offset, block } = self else { return Self::Null };
        let object = slice_at(block, *offset);
        object.get(name).map_or(Self::Null, |found| within(block, object, found))
    }

    /// Returns the value at the end of a path of attribute names; null if there is none.
    pub fn get_path(&self, path: &[Box<str>]) -> Self {
        match self {
            Self::Packed { offset, block } => Self::path_in_block(block, *offset, path),
            _ if path.is_empty() => self.clone(),
            _ => Self::Null,
        }
    }

    /// Returns the value at the end of a path that starts at a position of a block; null if there
    /// is none.
    ///
    /// It equals [`Value::in_block`] followed by [`Value::get_path`], without a value in between.
    pub fn path_in_block(block: &Arc<Block>, offset: u32, path: &[Box<str>]) -> Self {
        let mut parent = Slice::NONE;
        let mut found = slice_at(block, offset);
        for name in path {
            match found.get(name) {
                Some(next) => (parent, found) = (found, next),
                None => return Self::Null,
            }
        }
        within(block, parent, found)
    }

    /// Returns an element of an array, from 0, or from -1 backwards; null if there is none.
    pub fn at(&self, position: i64) -> Self {
        let Self::Packed { offset, block } = self else { return Self::Null };
        let array = slice_at(block, *offset);
        let position =
            if position < 0 { position.saturating_add_unsigned(array.len() as u64) } else { position };
        let found = usize::try_from(position).ok().and_then(|position| array.at(position));
        found.map_or(Self::Null, |found| within(block, Slice::NONE, found))
    }

    /// Returns the number of elements of an array or of attributes of an object; 0 for anything
    /// else.
    pub fn len(&self) -> usize {
        match self {
            Self::Packed { offset, block } => slice_at(block, *offset).len(),
            _ => 0,
        }
    }

    /// Returns true unless the value is an array or object with members.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns the elements of an array in order; none for anything else.
    pub fn elements(&self) -> Elements<'_> {
        Elements {
            inner: match self {
                Self::Packed { offset, block } => Some((block, slice_at(block, *offset).elements())),
                _ => None,
            },
        }
    }

    /// Returns the attributes of an object, name and value, in stored order; none for anything
    /// else.
    pub fn entries(&self) -> Entries<'_> {
        Entries {
            inner: match self {
                Self::Packed { offset, block } => {
                    let object = slice_at(block, *offset);
                    Some((block, object, object.entries()))
                }
                _ => None,
            },
        }
    }

    /// Calls `visit` with the value as VelocyPack and the collection of its `_id` markers.
    ///
    /// There is no collection if the value cannot have markers. Scalars are encoded on the stack.
    pub fn with_slice<T>(&self, visit: impl FnOnce(Slice<'_>, Option<&str>) -> T) -> T {
        match self {
            Self::Packed { offset, block } => visit(slice_at(block, *offset), block.collection()),
            Self::Null => visit(Slice::NULL, None),
            Self::Bool(true) => visit(Slice::TRUE, None),
            Self::Bool(false) => visit(Slice::FALSE, None),
            Self::Int(number) => visit(Slice::new(&encode(INT_OF_8_BYTES, number.to_le_bytes())), None),
            Self::UInt(number) => visit(Slice::new(&encode(UINT_OF_8_BYTES, number.to_le_bytes())), None),
            Self::Double(number) => visit(Slice::new(&encode(DOUBLE, number.to_le_bytes())), None),
            Self::Short(text) => {
                let mut bytes = [0; 1 + super::ShortString::MAX_BYTES];
                let text = text.as_bytes();
                bytes[0] = SHORT_STRING + text.len() as u8;
                bytes[1..=text.len()].copy_from_slice(text);
                visit(Slice::new(&bytes), None)
            }
        }
    }

    /// Appends the value as compact JSON.
    pub fn write_json(&self, out: &mut Vec<u8>) {
        match self {
            Self::Null => out.extend_from_slice(b"null"),
            Self::Bool(true) => out.extend_from_slice(b"true"),
            Self::Bool(false) => out.extend_from_slice(b"false"),
            _ => self.with_slice(|slice, collection| velocypack::json::write(slice, collection, out)),
        }
    }

    /// Returns the block and position of a packed value, for code that works on VelocyPack itself.
    pub fn as_packed(&self) -> Option<(&Arc<Block>, u32)> {
        match self {
            Self::Packed { offset, block } => Some((block, *offset)),
            _ => None,
        }
    }

    /// Returns true if both are the same position in the same block, and so certainly equal.
    pub(crate) fn is_same_place(&self, other: &Value) -> bool {
        match (self.as_packed(), other.as_packed()) {
            (Some((block, offset)), Some((other, place))) => offset == place && Arc::ptr_eq(block, other),
            _ => false,
        }
    }
}

/// The longest `_key` that ArangoDB allows.
const LONGEST_KEY_BYTES: usize = 254;

// Type bytes of VelocyPack's specification, version 1.
const DOUBLE: u8 = 0x1b;
const INT_OF_8_BYTES: u8 = 0x27;
const UINT_OF_8_BYTES: u8 = 0x2f;
const SHORT_STRING: u8 = 0x40;

fn encode(head: u8, number: [u8; 8]) -> [u8; 9] {
    let mut bytes = [head; 9];
    bytes[1..].copy_from_slice(&number);
    bytes
}

/// Returns the value `found` in a block.
///
/// It is an attribute of `parent`; an element has no parent.
fn within(block: &Arc<Block>, parent: Slice<'_>, found: Slice<'_>) -> Value {
    if let Some(value) = Value::inline(found) {
        if found.is_id_marker() {
            return resolve_id(block, parent);
        }
        return value;
    }
    let offset = distance(block, found);
    match u32::try_from(offset) {
        Ok(position) if offset < block.bytes.len() => {
            Value::Packed { offset: position, block: Arc::clone(block) }
        }
        _ => Value::Null,
    }
}

/// Returns the offset of a slice within the block's bytes: the distance of their addresses.
fn distance(block: &Block, found: Slice<'_>) -> usize {
    (found.bytes().as_ptr() as usize).wrapping_sub(block.bytes.as_ptr() as usize)
}

/// Returns the `_id` of a stored document.
fn resolve_id(block: &Block, document: Slice<'_>) -> Value {
    let Some(collection) = block.collection() else { return Value::Null };
    let mut id = String::with_capacity(collection.len() + 1 + LONGEST_KEY_BYTES);
    velocypack::resolve_id(document, collection, &mut id);
    Value::from_str(&id)
}

/// An iterator over the elements of an array.
#[derive(Clone)]
pub struct Elements<'v> {
    inner: Option<(&'v Arc<Block>, velocypack::Elements<'v>)>,
}

impl Iterator for Elements<'_> {
    type Item = Value;

    fn next(&mut self) -> Option<Value> {
        let (block, elements) = self.inner.as_mut()?;
        elements.next().map(|found| within(block, Slice::NONE, found))
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        self.inner.as_ref().map_or((0, Some(0)), |(_, elements)| elements.size_hint())
    }
}

/// An iterator over the elements of an array that owns its data, so that it outlives a batch.
#[derive(Clone, Debug)]
pub struct ElementCursor {
    array: Value,
    /// The offset of the next element in the block. Elements are contiguous.
    offset: usize,
    remaining: usize,
}

impl ElementCursor {
    /// Returns an iterator at the first element of an array; at the end for anything else.
    pub fn new(array: Value) -> Self {
        let start = array.as_packed().and_then(|(block, offset)| {
            let elements = slice_at(block, offset).elements();
            let first = elements.clone().next()?;
            Some((distance(block, first), elements.len()))
        });
        let (offset, remaining) = start.unwrap_or((0, 0));
        Self { array, offset, remaining }
    }

    /// Returns the number of remaining elements.
    pub fn remaining(&self) -> usize {
        self.remaining
    }
}

impl Iterator for ElementCursor {
    type Item = Value;

    fn next(&mut self) -> Option<Value> {
        self.remaining = self.remaining.checked_sub(1)?;
        let (block, _) = self.array.as_packed()?;
        let found = block.slice(self.offset);
        self.offset += found.byte_len();
        Some(within(block, Slice::NONE, found))
    }
}

/// An iterator over the attributes of an object: name and value.
#[derive(Clone)]
pub struct Entries<'v> {
    inner: Option<(&'v Arc<Block>, Slice<'v>, velocypack::Entries<'v>)>,
}

impl<'v> Iterator for Entries<'v> {
    type Item = (&'v str, Value);

    fn next(&mut self) -> Option<Self::Item> {
        let (block, object, entries) = self.inner.as_mut()?;
        entries.next().map(|(name, found)| (name, within(block, *object, found)))
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        self.inner.as_ref().map_or((0, Some(0)), |(_, _, entries)| entries.size_hint())
    }
}

impl std::fmt::Debug for Value {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.kind() {
            Kind::Number => match self {
                Self::Double(number) => write!(f, "{number:?}"),
                _ => f.write_str(&self.to_json()),
            },
            _ => f.write_str(&self.to_json()),
        }
    }
}
