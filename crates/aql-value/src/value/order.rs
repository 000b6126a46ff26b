//! AQL's total order, its equality and hash.
//!
//! `velocypack::order` owns them for VelocyPack. This module has the shortcuts for inline values,
//! which agree with it: numbers compare exactly whatever their type, strings are equal if their
//! bytes are, and equal values have equal hashes.

use std::cmp::Ordering;
use std::hash::{Hash, Hasher};

use velocypack::{Number, order};

use super::{Kind, Value};

impl Value {
    /// Compares in AQL's total order: null < bool < number < string < array < object.
    ///
    /// Within a type, the values decide.
    pub fn compare(&self, other: &Self) -> Ordering {
        match (self, other) {
            (Self::Int(left), Self::Int(right)) => left.cmp(right),
            (Self::Short(left), Self::Short(right)) if left == right => Ordering::Equal,
            _ => self.compare_by_kind(other),
        }
    }

    fn compare_by_kind(&self, other: &Self) -> Ordering {
        let (kind, other_kind) = (self.kind(), other.kind());
        if kind != other_kind {
            return kind.cmp(&other_kind);
        }
        match kind {
            Kind::Null => Ordering::Equal,
            Kind::Bool => self.as_bool().cmp(&other.as_bool()),
            Kind::Number => order::compare_numbers(self.number(), other.number()),
            Kind::String => {
                order::compare_strings(self.as_str().unwrap_or_default(), other.as_str().unwrap_or_default())
            }
            Kind::Array | Kind::Object => self.with_slice(|left, collection| {
                other.with_slice(|right, other_collection| {
                    order::compare_with(left, collection, right, other_collection)
                })
            }),
        }
    }

    /// Returns true if the values are equal in AQL's order, without casts.
    ///
    /// 1 equals 1.0, and a missing attribute equals null.
    pub fn equal(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Int(left), Self::Int(right)) => left == right,
            (Self::Short(left), Self::Short(right)) => left == right,
            _ => self.equal_by_kind(other),
        }
    }

    fn equal_by_kind(&self, other: &Self) -> bool {
        let kind = self.kind();
        kind == other.kind()
            && match kind {
                Kind::String => self.as_str() == other.as_str(),
                Kind::Array | Kind::Object => self.with_slice(|left, collection| {
                    other.with_slice(|right, other_collection| {
                        order::equal_with(left, collection, right, other_collection)
                    })
                }),
                Kind::Null | Kind::Bool | Kind::Number => self.compare_by_kind(other).is_eq(),
            }
    }

    /// Returns a hash that equal values share.
    pub fn hash_value(&self) -> u64 {
        match self {
            Self::Null => order::hash_null(),
            Self::Bool(value) => order::hash_bool(*value),
            Self::Int(_) | Self::UInt(_) | Self::Double(_) => order::hash_number(self.number()),
            Self::Short(text) => order::hash_str(text.as_str()),
            Self::Packed { .. } => self.with_slice(order::hash_with),
        }
    }

    /// Appends bytes whose byte order is the order of the values; none is a prefix of another's.
    pub fn sort_key(&self, out: &mut Vec<u8>) {
        match self {
            Self::Null => order::sort_key_null(out),
            Self::Bool(value) => order::sort_key_bool(*value, out),
            Self::Int(_) | Self::UInt(_) | Self::Double(_) => order::sort_key_number(self.number(), out),
            Self::Short(text) => order::sort_key_str(text.as_str(), out),
            Self::Packed { .. } => {
                self.with_slice(|slice, collection| order::sort_key_with(slice, collection, out));
            }
        }
    }

    /// Returns the number, if it is one.
    pub fn as_number(&self) -> Option<Number> {
        match self {
            Self::Int(number) => Some(Number::Int(*number)),
            Self::UInt(number) => Some(Number::UInt(*number)),
            Self::Double(number) => Some(Number::Double(*number)),
            _ => None,
        }
    }

    fn number(&self) -> Number {
        self.as_number().unwrap_or(Number::Int(0))
    }
}

impl PartialEq for Value {
    fn eq(&self, other: &Self) -> bool {
        self.equal(other)
    }
}

impl Eq for Value {}

impl PartialOrd for Value {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Value {
    fn cmp(&self, other: &Self) -> Ordering {
        self.compare(other)
    }
}

impl Hash for Value {
    fn hash<H: Hasher>(&self, state: &mut H) {
        state.write_u64(self.hash_value());
    }
}
