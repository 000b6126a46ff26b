//! The values of metrics.

use crate::{Counter, Gauge, Histogram, Summary};

/// The value of a metric at one moment.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    /// A whole number.
    Number(u64),
    /// A number with decimals.
    Decimal(f64),
    /// The counts of a histogram.
    Histogram(Summary),
    /// Values with labels, in the form of [`crate::labels`].
    Labelled(Vec<(String, Value)>),
}

impl From<u64> for Value {
    fn from(value: u64) -> Self {
        Value::Number(value)
    }
}

impl From<usize> for Value {
    fn from(value: usize) -> Self {
        Value::Number(value as u64)
    }
}

impl From<f64> for Value {
    fn from(value: f64) -> Self {
        Value::Decimal(value)
    }
}

impl From<Summary> for Value {
    fn from(value: Summary) -> Self {
        Value::Histogram(value)
    }
}

impl From<&Counter> for Value {
    fn from(counter: &Counter) -> Self {
        Value::Number(counter.get())
    }
}

impl From<&Gauge> for Value {
    fn from(gauge: &Gauge) -> Self {
        Value::Number(gauge.get())
    }
}

impl<const CUTS: usize> From<&Histogram<CUTS>> for Value {
    fn from(histogram: &Histogram<CUTS>) -> Self {
        Value::Histogram(histogram.summary())
    }
}
