//! The part of an open parameter's value that plans may depend on.

use aql_value::{Kind, Value};

/// The part of an open parameter's value that plans may depend on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ParameterShape {
    /// A number.
    Number,
    /// A string.
    String,
    /// An object.
    Object,
    /// An array with at least one member.
    Array {
        /// The magnitude of its length: the number of decimal digits of the length minus 1 (1, 2 to
        /// 10, 11 to 100, ...).
        magnitude: u8,
        /// True if null is among its members: sparse indexes do not contain such documents.
        has_null: bool,
    },
}

/// The magnitude of all longer arrays.
const MAX_MAGNITUDE: u8 = 4;

impl ParameterShape {
    /// Returns the shape of a value.
    ///
    /// `None` for null, booleans and the empty array. They are never open, because they are few and
    /// decide plans.
    pub fn of(value: &Value) -> Option<Self> {
        match value.kind() {
            Kind::Null | Kind::Bool => None,
            Kind::Number => Some(Self::Number),
            Kind::String => Some(Self::String),
            Kind::Object => Some(Self::Object),
            Kind::Array if value.is_empty() => None,
            Kind::Array => {
                let has_null = value.elements().any(|member| member.is_null());
                Some(Self::Array { magnitude: magnitude(value.len()), has_null })
            }
        }
    }

    /// Returns a byte that is different for each shape.
    pub fn tag(self) -> u8 {
        match self {
            Self::Number => 0,
            Self::String => 1,
            Self::Object => 2,
            Self::Array { magnitude, has_null } => 4 + magnitude * 2 + u8::from(has_null),
        }
    }

    /// Returns true if the value is not null and, as a list, does not contain null.
    pub fn excludes_null(self) -> bool {
        !matches!(self, Self::Array { has_null: true, .. })
    }

    /// Returns an estimate of the length of an array.
    pub fn length(self) -> Option<f64> {
        match self {
            Self::Array { magnitude, .. } => {
                Some(10_f64.powi(i32::from(magnitude)) * 0.5_f64.powi(i32::from(magnitude > 0)))
            }
            _ => None,
        }
    }
}

fn magnitude(length: usize) -> u8 {
    let mut magnitude = 0;
    let mut bound = 1;
    while magnitude < MAX_MAGNITUDE && length > bound {
        bound *= 10;
        magnitude += 1;
    }
    magnitude
}
