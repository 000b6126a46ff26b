//! Numeric functions. Arguments are cast to numbers; a result that is not finite is null.

mod exponential;
mod random;
mod rounding;
mod trigonometry;

use aql_value::Function;

use crate::define::{pure, volatile};

pub(crate) static FUNCTIONS: &[Function] = &[
    pure("ABS", 1, 1, rounding::abs),
    pure("ACOS", 1, 1, trigonometry::acos),
    pure("ASIN", 1, 1, trigonometry::asin),
    pure("ATAN", 1, 1, trigonometry::atan),
    pure("ATAN2", 2, 2, trigonometry::atan2),
    pure("CEIL", 1, 1, rounding::ceil),
    pure("COS", 1, 1, trigonometry::cos),
    pure("DEGREES", 1, 1, trigonometry::degrees),
    pure("EXP", 1, 1, exponential::exp),
    pure("EXP2", 1, 1, exponential::exp2),
    pure("FLOOR", 1, 1, rounding::floor),
    pure("LOG", 1, 1, exponential::log),
    pure("LOG10", 1, 1, exponential::log10),
    pure("LOG2", 1, 1, exponential::log2),
    pure("PI", 0, 0, trigonometry::pi),
    pure("POW", 2, 2, exponential::pow),
    pure("RADIANS", 1, 1, trigonometry::radians),
    volatile("RAND", 0, 0, random::rand),
    volatile("RANDOM", 0, 0, random::rand),
    pure("ROUND", 1, 1, rounding::round),
    pure("SIN", 1, 1, trigonometry::sin),
    pure("SQRT", 1, 1, exponential::sqrt),
    pure("TAN", 1, 1, trigonometry::tan),
];
