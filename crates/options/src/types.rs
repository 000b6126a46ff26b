//! The types of values, and the conversions from the texts of an option.
//!
//! Texts were checked against their [`Kind`](crate::Kind) when they were read, and tests check
//! every default, so these conversions cannot fail.

use crate::kind::{is_true, parse_bytes};

/// The type of an option's values.
pub trait Value: Copy {
    /// The type that [`Options::get`](crate::Options::get) returns.
    type Read<'o>;

    /// Reads the given texts, or the default. Without any text there is neither.
    fn read<'o>(self, texts: &[&'o str]) -> Self::Read<'o>;
}

/// The type of one value.
pub trait Scalar: Copy {
    /// The type of one converted text.
    type One<'o>;

    /// Reads one text; the empty one if there is none.
    fn one<'o>(self, text: &'o str) -> Self::One<'o>;
}

/// `true` or `false`, read as `bool`.
#[derive(Clone, Copy, Debug)]
pub struct Flag;

/// A whole number, read as `u64`.
#[derive(Clone, Copy, Debug)]
pub struct Number;

/// A number of bytes, read as `u64`.
#[derive(Clone, Copy, Debug)]
pub struct Bytes;

/// A number of seconds, read as `f64`, or by [`Options::duration`](crate::Options::duration) as a
/// duration.
#[derive(Clone, Copy, Debug)]
pub struct Seconds;

/// A number that is not negative, read as `f64`.
#[derive(Clone, Copy, Debug)]
pub struct Decimal;

/// Any text, read as `&str`.
#[derive(Clone, Copy, Debug)]
pub struct Text;

/// One of some names, each with the value that it is read as.
#[derive(Clone, Copy, Debug)]
pub struct Choice<T: 'static> {
    pub(crate) choices: &'static [(&'static str, T)],
    pub(crate) default: T,
}

/// A value that may be missing, read as an `Option`.
#[derive(Clone, Copy, Debug)]
pub struct Maybe<V>(pub(crate) V);

/// Any number of values, read as a `Vec`.
#[derive(Clone, Copy, Debug)]
pub struct List<V>(pub(crate) V);

impl Scalar for Flag {
    type One<'o> = bool;

    fn one(self, text: &str) -> bool {
        is_true(text)
    }
}

impl Scalar for Number {
    type One<'o> = u64;

    fn one(self, text: &str) -> u64 {
        parse_bytes(text).unwrap_or(0)
    }
}

impl Scalar for Bytes {
    type One<'o> = u64;

    fn one(self, text: &str) -> u64 {
        parse_bytes(text).unwrap_or(0)
    }
}

impl Scalar for Seconds {
    type One<'o> = f64;

    fn one(self, text: &str) -> f64 {
        text.parse().unwrap_or(0.0)
    }
}

impl Scalar for Decimal {
    type One<'o> = f64;

    fn one(self, text: &str) -> f64 {
        text.parse().unwrap_or(0.0)
    }
}

impl Scalar for Text {
    type One<'o> = &'o str;

    fn one(self, text: &str) -> &str {
        text
    }
}

impl<T: Copy> Scalar for Choice<T> {
    type One<'o> = T;

    fn one(self, text: &str) -> T {
        self.choices.iter().find(|(name, _)| *name == text).map_or(self.default, |(_, value)| *value)
    }
}

impl<V: Scalar> Value for V {
    type Read<'o> = V::One<'o>;

    fn read<'o>(self, texts: &[&'o str]) -> V::One<'o> {
        self.one(texts.last().copied().unwrap_or_default())
    }
}

impl<V: Scalar> Value for Maybe<V> {
    type Read<'o> = Option<V::One<'o>>;

    fn read<'o>(self, texts: &[&'o str]) -> Option<V::One<'o>> {
        texts.last().map(|text| self.0.one(text))
    }
}

impl<V: Scalar> Value for List<V> {
    type Read<'o> = Vec<V::One<'o>>;

    fn read<'o>(self, texts: &[&'o str]) -> Vec<V::One<'o>> {
        texts.iter().map(|text| self.0.one(text)).collect()
    }
}
