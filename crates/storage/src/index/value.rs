//! Values for which indexes are searched.

use std::cmp::Ordering;

use errors::Result;
use smallvec::SmallVec;
use velocypack::{Builder, Slice};

/// Bytes that a value holds without a heap allocation: enough for numbers and short texts.
const INLINE_BYTES: usize = 24;

/// A value for which an index is searched: VelocyPack without `_id` markers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IndexValue(SmallVec<[u8; INLINE_BYTES]>);

impl IndexValue {
    /// Copies a value. `collection` resolves an `_id` marker in it.
    ///
    /// Errors: 4 for a damaged value.
    pub fn new(value: Slice<'_>, collection: Option<&str>) -> Result<Self> {
        if collection.is_some() && value.is_object() {
            let mut builder = Builder::default();
            builder.add_resolved(value, collection)?;
            return Ok(IndexValue(SmallVec::from_vec(builder.into_vec())));
        }
        Ok(IndexValue(SmallVec::from_slice(value.bytes())))
    }

    /// Makes a text value.
    ///
    /// Errors: none for texts that documents can hold.
    pub fn text(text: &str) -> Result<Self> {
        let mut builder = Builder::with_capacity(text.len() + 1);
        builder.add_str(text)?;
        Ok(IndexValue(SmallVec::from_vec(builder.into_vec())))
    }

    /// Returns the value.
    pub fn as_slice(&self) -> Slice<'_> {
        Slice::new(&self.0)
    }

    /// Returns the text, if it is one.
    pub fn as_str(&self) -> Option<&str> {
        self.as_slice().as_str()
    }

    /// Compares in AQL's order.
    pub fn compare(&self, other: &Self) -> Ordering {
        velocypack::order::compare(self.as_slice(), other.as_slice())
    }
}
