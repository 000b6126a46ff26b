//! The kinds of values, read from the first byte.

/// The kind of a value. [`Kind::Int`] and [`Kind::UInt`] tell the number, not its encoding.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Kind {
    /// No value at all (type 0x00, or an empty slice).
    None,
    /// A type that the format reserves, or its own marker 0x17 for an illegal value.
    Illegal,
    /// `null`
    Null,
    /// `true` or `false`
    Bool,
    /// An integer within the range of `i64`, whatever its encoding.
    Int,
    /// An integer beyond `i64::MAX`.
    UInt,
    /// An IEEE-754 double.
    Double,
    /// UTF-8 text.
    String,
    /// An array.
    Array,
    /// An object.
    Object,
    /// Bytes.
    Binary,
    /// Milliseconds since 1970 in UTC.
    UtcDate,
    /// The placeholder for the `_id` of a stored document ([`crate::ID_MARKER`]).
    IdMarker,
    /// Less than every other value.
    MinKey,
    /// Greater than every other value.
    MaxKey,
    /// A pointer; has no meaning outside the process that made it.
    External,
    /// A decimal number of arbitrary precision; neither ArangoDB nor Persea computes with it.
    Decimal,
    /// Any custom type except the `_id` marker.
    Custom,
}

impl Kind {
    /// Returns true for [`Kind::Int`], [`Kind::UInt`] and [`Kind::Double`].
    pub const fn is_number(self) -> bool {
        matches!(self, Kind::Int | Kind::UInt | Kind::Double)
    }

    /// Returns the name of the kind in messages.
    pub const fn name(self) -> &'static str {
        match self {
            Kind::None => "none",
            Kind::Illegal => "illegal",
            Kind::Null => "null",
            Kind::Bool => "bool",
            Kind::Int => "int",
            Kind::UInt => "uint",
            Kind::Double => "double",
            Kind::String => "string",
            Kind::Array => "array",
            Kind::Object => "object",
            Kind::Binary => "binary",
            Kind::UtcDate => "utc-date",
            Kind::IdMarker => "id-marker",
            Kind::MinKey => "min-key",
            Kind::MaxKey => "max-key",
            Kind::External => "external",
            Kind::Decimal => "bcd",
            Kind::Custom => "custom",
        }
    }
}
