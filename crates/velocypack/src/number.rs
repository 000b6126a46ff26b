//! Numbers as AQL computes with them.

/// A number. Its value decides the variant and, for doubles, its encoding.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Number {
    /// An integer within `i64`.
    Int(i64),
    /// An integer beyond `i64::MAX`; never a smaller one.
    UInt(u64),
    /// A double, finite wherever it was made by this crate.
    Double(f64),
}

impl Number {
    /// Returns the integer in the variant for its size.
    pub const fn from_u64(value: u64) -> Self {
        if value <= i64::MAX as u64 { Number::Int(value as i64) } else { Number::UInt(value) }
    }

    /// Returns the nearest double.
    pub const fn to_f64(self) -> f64 {
        match self {
            Number::Int(value) => value as f64,
            Number::UInt(value) => value as f64,
            Number::Double(value) => value,
        }
    }
}

impl From<i64> for Number {
    fn from(value: i64) -> Self {
        Number::Int(value)
    }
}

impl From<u64> for Number {
    fn from(value: u64) -> Self {
        Number::from_u64(value)
    }
}

impl From<f64> for Number {
    fn from(value: f64) -> Self {
        Number::Double(value)
    }
}
