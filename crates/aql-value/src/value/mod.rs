//! The value of AQL: 16 bytes, immutable, cheap to clone.
//!
//! Null, booleans, numbers and strings of up to 14 bytes are inline. Longer strings, arrays and
//! objects are a position in a shared block of VelocyPack. Access to an array or object yields
//! positions in the same block.

mod access;
mod block_builder;
mod bounded_block;
mod build;
mod order;
mod short_string;
#[cfg(test)]
mod tests;

use std::sync::Arc;

use velocypack::{Block, Slice};

pub use access::{ElementCursor, Elements, Entries};
pub use block_builder::BlockBuilder;
pub use bounded_block::BoundedBlock;
pub use short_string::ShortString;

/// A value of AQL.
///
/// Use [`Value::from_f64`] and [`Value::from_u64`] for numbers and [`Value::from_str`] for strings,
/// unless the invariants below are known to hold.
#[derive(Clone, Default)]
pub enum Value {
    /// `null`; also a missing value.
    #[default]
    Null,
    /// `true`, `false`.
    Bool(bool),
    /// An integer that fits in 64 bits signed.
    Int(i64),
    /// An integer greater than `i64::MAX`.
    UInt(u64),
    /// A finite number that is not known to be an integer.
    Double(f64),
    /// A string of at most 14 bytes.
    Short(ShortString),
    /// A longer string, an array or an object at `offset` of a block.
    Packed {
        /// The position of the value's first byte in the block.
        offset: u32,
        /// The block, shared by all values in it.
        block: Arc<Block>,
    },
}

const _: () = assert!(size_of::<Value>() == 16, "a value takes 16 bytes");
const _: () = {
    const fn is_send_and_sync<T: Send + Sync>() {}
    is_send_and_sync::<Value>();
};

/// The types of AQL, in the order in which they compare.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Kind {
    /// `null`
    Null,
    /// `bool`
    Bool,
    /// `number`
    Number,
    /// `string`
    String,
    /// `array`
    Array,
    /// `object`
    Object,
}

impl Kind {
    /// Returns the name that `TYPENAME()` gives.
    pub fn name(self) -> &'static str {
        match self {
            Self::Null => "null",
            Self::Bool => "bool",
            Self::Number => "number",
            Self::String => "string",
            Self::Array => "array",
            Self::Object => "object",
        }
    }
}

impl Value {
    /// Returns the value's type.
    pub fn kind(&self) -> Kind {
        match self {
            Self::Null => Kind::Null,
            Self::Bool(_) => Kind::Bool,
            Self::Int(_) | Self::UInt(_) | Self::Double(_) => Kind::Number,
            Self::Short(_) => Kind::String,
            Self::Packed { offset, block } => packed_kind(slice_at(block, *offset)),
        }
    }

    /// Returns true if the value is `null`.
    pub fn is_null(&self) -> bool {
        matches!(self, Self::Null)
    }

    /// Returns true if the value is a boolean.
    pub fn is_bool(&self) -> bool {
        matches!(self, Self::Bool(_))
    }

    /// Returns true if the value is a number.
    pub fn is_number(&self) -> bool {
        matches!(self, Self::Int(_) | Self::UInt(_) | Self::Double(_))
    }

    /// Returns true if the value is a string.
    pub fn is_string(&self) -> bool {
        self.kind() == Kind::String
    }

    /// Returns true if the value is an array.
    pub fn is_array(&self) -> bool {
        matches!(self, Self::Packed { .. }) && self.kind() == Kind::Array
    }

    /// Returns true if the value is an object.
    pub fn is_object(&self) -> bool {
        matches!(self, Self::Packed { .. }) && self.kind() == Kind::Object
    }

    /// Returns the boolean, if it is one.
    pub fn as_bool(&self) -> Option<bool> {
        match self {
            Self::Bool(value) => Some(*value),
            _ => None,
        }
    }

    /// Returns the number, if it is an integer that fits: 2.0 counts as 2.
    pub fn as_i64(&self) -> Option<i64> {
        match self {
            Self::Int(number) => Some(*number),
            Self::Double(number) if number.fract() == 0.0 && (-TWO_TO_63..TWO_TO_63).contains(number) => {
                Some(*number as i64)
            }
            _ => None,
        }
    }

    /// Returns the number, if it is one. Integers beyond 2^53 are rounded.
    pub fn as_f64(&self) -> Option<f64> {
        match self {
            Self::Int(number) => Some(*number as f64),
            Self::UInt(number) => Some(*number as f64),
            Self::Double(number) => Some(*number),
            _ => None,
        }
    }

    /// Returns the string, if it is one.
    pub fn as_str(&self) -> Option<&str> {
        match self {
            Self::Short(text) => Some(text.as_str()),
            Self::Packed { offset, block } => slice_at(block, *offset).as_str(),
            _ => None,
        }
    }

    /// Returns an estimate of the memory of this value alone beyond its own 16 bytes, for
    /// accounting.
    ///
    /// It is the size of the value's VelocyPack, as if no other value shared its block.
    pub fn memory_bytes(&self) -> usize {
        match self {
            Self::Packed { offset, block } => slice_at(block, *offset).byte_len(),
            _ => 0,
        }
    }

    /// Returns the bytes of the value's block, if no other value shares it.
    pub(crate) fn unshared_bytes(&self) -> usize {
        match self {
            Self::Packed { block, .. } if Arc::strong_count(block) == 1 => block.bytes.len(),
            _ => 0,
        }
    }
}

/// The first number above those of `i64`, 2^63.
const TWO_TO_63: f64 = 9_223_372_036_854_775_808.0;

/// Returns the value at a position of a block.
fn slice_at(block: &Block, offset: u32) -> Slice<'_> {
    block.slice(offset as usize)
}

/// Returns the type of a value in a block.
fn packed_kind(slice: Slice<'_>) -> Kind {
    if slice.is_object() {
        Kind::Object
    } else if slice.is_array() {
        Kind::Array
    } else {
        Kind::String
    }
}
