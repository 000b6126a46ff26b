//! Exact comparison of integers and doubles.

use std::cmp::Ordering;

use crate::Number;

const TWO_63: f64 = 9_223_372_036_854_775_808.0;
const TWO_64: f64 = 18_446_744_073_709_551_616.0;

/// Compares two finite numbers by their exact value.
#[inline]
pub fn compare_numbers(left: Number, right: Number) -> Ordering {
    match (left, right) {
        (Number::Int(left), Number::Int(right)) => left.cmp(&right),
        (Number::UInt(left), Number::UInt(right)) => left.cmp(&right),
        (Number::Double(left), Number::Double(right)) => compare_doubles(left, right),
        (Number::Int(_), Number::UInt(_)) => Ordering::Less,
        (Number::UInt(_), Number::Int(_)) => Ordering::Greater,
        (Number::Double(left), Number::Int(right)) => compare_double_i64(left, right),
        (Number::Int(left), Number::Double(right)) => compare_double_i64(right, left).reverse(),
        (Number::Double(left), Number::UInt(right)) => compare_double_u64(left, right),
        (Number::UInt(left), Number::Double(right)) => compare_double_u64(right, left).reverse(),
    }
}

#[inline]
fn compare_doubles(left: f64, right: f64) -> Ordering {
    // NaN is not a value. A caller that made one gets some answer, not a panic.
    left.partial_cmp(&right).unwrap_or(Ordering::Equal)
}

fn compare_double_i64(left: f64, right: i64) -> Ordering {
    if left >= TWO_63 {
        Ordering::Greater
    } else if left < -TWO_63 {
        Ordering::Less
    } else {
        let whole = left.trunc();
        (whole as i64).cmp(&right).then_with(|| compare_doubles(left - whole, 0.0))
    }
}

/// Compares a double with an integer beyond `i64::MAX`, where doubles have no fractions.
fn compare_double_u64(left: f64, right: u64) -> Ordering {
    if left >= TWO_64 {
        Ordering::Greater
    } else if left < TWO_63 {
        Ordering::Less
    } else {
        (left as u64).cmp(&right)
    }
}

/// Returns the greatest double that is not above the number, and the rest as an integer.
///
/// The rest is 0 for doubles and below 2^53; it is below 2,048 everywhere.
#[inline]
pub(super) fn floor_double(number: Number) -> (f64, u16) {
    let exact = match number {
        Number::Double(value) => return (value, 0),
        Number::Int(value) if value.unsigned_abs() <= 1 << 53 => return (value as f64, 0),
        Number::Int(value) => i128::from(value),
        Number::UInt(value) => i128::from(value),
    };
    let nearest = number.to_f64();
    let floor = if nearest as i128 > exact { nearest.next_down() } else { nearest };
    (floor, (exact - floor as i128) as u16)
}

/// Returns the integer that a double is, if it is one within `i64` or `u64`.
#[inline]
pub(super) fn as_integer(number: Number) -> Option<Number> {
    match number {
        Number::Double(value) if (-TWO_63..TWO_64).contains(&value) && value.trunc() == value => {
            Some(if value < 0.0 { Number::Int(value as i64) } else { Number::from_u64(value as u64) })
        }
        Number::Double(_) => None,
        integer => Some(integer),
    }
}
