//! Keywords of numbers.

use velocypack::{Number, Slice, order};

use crate::node::NumberKeyword;

/// Returns true if a number, which is the value, fits a keyword.
pub(crate) fn fits_number(keyword: &NumberKeyword, value: Slice<'_>, number: Number) -> bool {
    match keyword {
        NumberKeyword::Minimum { bound, is_exclusive } => {
            let order = order::compare(value, Slice::new(bound));
            order.is_gt() || order.is_eq() && !is_exclusive
        }
        NumberKeyword::Maximum { bound, is_exclusive } => {
            let order = order::compare(value, Slice::new(bound));
            order.is_lt() || order.is_eq() && !is_exclusive
        }
        NumberKeyword::MultipleOf(factor) => is_multiple(number, *factor),
    }
}

fn is_multiple(number: Number, factor: Number) -> bool {
    if let (Some(number), Some(factor)) = (whole(number), whole(factor)) {
        return number % factor == 0;
    }
    let (number, factor) = (float(number), float(factor));
    let quotient = number / factor;
    if !quotient.is_finite() {
        return number % factor == 0.0;
    }
    // 0.0075 is a multiple of 0.0001, but the quotient of the nearest doubles need not be whole.
    (quotient - quotient.round()).abs() <= 4.0 * f64::EPSILON * quotient.abs()
}

fn whole(number: Number) -> Option<i128> {
    match number {
        Number::Int(number) => Some(number.into()),
        Number::UInt(number) => Some(number.into()),
        Number::Double(_) => None,
    }
}

fn float(number: Number) -> f64 {
    match number {
        Number::Int(number) => number as f64,
        Number::UInt(number) => number as f64,
        Number::Double(number) => number,
    }
}
