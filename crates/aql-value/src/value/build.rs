//! Constructors of values.

use std::sync::{Arc, LazyLock};

use errors::Result;
use velocypack::{Block, Builder, Number, Slice};

use super::{ShortString, Value};

/// The empty array and the empty object, which all values share.
static EMPTY: LazyLock<Arc<Block>> = LazyLock::new(|| {
    let mut bytes = Slice::EMPTY_ARRAY.bytes().to_vec();
    bytes.extend_from_slice(Slice::EMPTY_OBJECT.bytes());
    Arc::new(Block::new(bytes))
});

impl Value {
    /// Returns a string.
    #[allow(clippy::should_implement_trait, reason = "it cannot fail, and reads as its siblings do")]
    pub fn from_str(text: &str) -> Self {
        match ShortString::new(text) {
            Some(short) => Self::Short(short),
            None => {
                let mut builder = Builder::with_capacity(text.len() + LONGEST_STRING_HEADER);
                builder.add_str(text).map_or(Self::Null, |()| Self::from_builder(builder))
            }
        }
    }

    /// Returns a double; null if it is not finite.
    pub fn from_f64(number: f64) -> Self {
        if number.is_finite() { Self::Double(number) } else { Self::Null }
    }

    /// Returns an integer.
    pub fn from_u64(number: u64) -> Self {
        i64::try_from(number).map_or(Self::UInt(number), Self::Int)
    }

    /// Returns a number of VelocyPack; null if it is not finite.
    pub fn from_number(number: Number) -> Self {
        match number {
            Number::Int(number) => Self::Int(number),
            Number::UInt(number) => Self::from_u64(number),
            Number::Double(number) => Self::from_f64(number),
        }
    }

    /// Returns a copy of a VelocyPack value without `_id` markers (or whose markers may read as
    /// null).
    pub fn from_slice(slice: Slice<'_>) -> Self {
        Self::from_slice_of(slice, None)
    }

    /// Copies a VelocyPack value from a block whose documents belong to `collection`.
    pub fn from_slice_of(slice: Slice<'_>, collection: Option<&Arc<str>>) -> Self {
        Self::inline(slice).unwrap_or_else(|| {
            let block = Block { bytes: slice.bytes().to_vec(), collection: collection.cloned() };
            Self::Packed { offset: 0, block: Arc::new(block) }
        })
    }

    /// Returns the value at a position of a block.
    ///
    /// Scalars and short strings are copied out of it. A value that is malformed, or of a type that
    /// AQL does not know, is null.
    pub fn in_block(block: &Arc<Block>, offset: u32) -> Self {
        Self::inline(block.slice(offset as usize))
            .unwrap_or_else(|| Self::Packed { offset, block: Arc::clone(block) })
    }

    /// Returns the first value of a builder; null if it is not complete.
    pub fn from_builder(builder: Builder) -> Self {
        if !builder.is_closed() {
            return Self::Null;
        }
        Self::in_block(&Arc::new(Block::new(builder.into_vec())), 0)
    }

    /// Returns an array, with copies of the data that the elements refer to.
    ///
    /// It is for arrays of bounded size: an array of 4 GiB or more becomes null.
    pub fn array(elements: &[Self]) -> Self {
        if elements.is_empty() {
            return Self::empty_array();
        }
        Self::try_array(elements).unwrap_or(Self::Null)
    }

    /// Returns an array, with copies of the data that the elements refer to.
    ///
    /// Errors: 32 if it would be 4 GiB or longer.
    pub fn try_array(elements: &[Self]) -> Result<Self> {
        let mut builder = Builder::new();
        builder.open_array()?;
        for element in elements {
            element.append_to(&mut builder)?;
        }
        builder.close()?;
        Ok(Self::from_builder(builder))
    }

    /// Returns an object, with copies of the data that the values refer to.
    ///
    /// The last of entries with the same name counts. It is for objects of bounded size: an object
    /// of 4 GiB or more becomes null.
    pub fn object(entries: &[(&str, Self)]) -> Self {
        Self::try_object(entries).unwrap_or(Self::Null)
    }

    /// Returns an object as [`Value::object`] does.
    ///
    /// Errors: 32 if it would be 4 GiB or longer.
    pub fn try_object(entries: &[(&str, Self)]) -> Result<Self> {
        let mut builder = Builder::new();
        builder.open_object()?;
        for (name, value) in entries {
            builder.key(name)?;
            value.append_to(&mut builder)?;
        }
        builder.close_keeping_last()?;
        Ok(Self::from_builder(builder))
    }

    /// Returns `[]`.
    pub fn empty_array() -> Self {
        Self::Packed { offset: 0, block: Arc::clone(&EMPTY) }
    }

    /// Returns `{}`.
    pub fn empty_object() -> Self {
        Self::Packed { offset: 1, block: Arc::clone(&EMPTY) }
    }

    /// Appends the value to a builder, with the `_id` marker of a stored document as text.
    ///
    /// Errors: the result is too large, or no value may follow at this place.
    pub fn append_to(&self, builder: &mut Builder) -> Result<()> {
        match self {
            Self::Null => builder.add_null(),
            Self::Bool(value) => builder.add_bool(*value),
            Self::Int(number) => builder.add_i64(*number),
            Self::UInt(number) => builder.add_u64(*number),
            Self::Double(number) => builder.add_f64(*number),
            Self::Short(text) => builder.add_str(text.as_str()),
            Self::Packed { offset, block } => {
                builder.add_resolved(block.slice(*offset as usize), block.collection())
            }
        }?;
        Ok(())
    }

    /// Returns the same value for use beyond its batch, without keeping more memory alive than it
    /// needs.
    pub fn detached(&self) -> Self {
        let Self::Packed { offset, block } = self else { return self.clone() };
        let bytes = block.slice(*offset as usize).bytes();
        if block.bytes.len() <= 2 * bytes.len() {
            return self.clone();
        }
        let block = Block { bytes: bytes.to_vec(), collection: block.collection.clone() };
        Self::Packed { offset: 0, block: Arc::new(block) }
    }

    /// Returns the value if it needs no block; null for a type that AQL does not know.
    pub(super) fn inline(slice: Slice<'_>) -> Option<Self> {
        use velocypack::Kind as Packed;
        Some(match slice.kind() {
            Packed::Bool => Self::Bool(slice.as_bool()?),
            Packed::Int | Packed::UInt | Packed::Double => {
                slice.as_number().map_or(Self::Null, Self::from_number)
            }
            Packed::String => match slice.as_str() {
                Some(text) => Self::Short(ShortString::new(text)?),
                None => Self::Null,
            },
            Packed::Array | Packed::Object => return None,
            _ => Self::Null,
        })
    }
}

/// The bytes of a type byte and a length.
const LONGEST_STRING_HEADER: usize = 9;

impl From<bool> for Value {
    fn from(value: bool) -> Self {
        Self::Bool(value)
    }
}

impl From<i64> for Value {
    fn from(number: i64) -> Self {
        Self::Int(number)
    }
}

impl From<&str> for Value {
    fn from(text: &str) -> Self {
        Self::from_str(text)
    }
}
