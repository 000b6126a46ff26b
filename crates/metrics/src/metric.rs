//! The description of a metric.

use crate::Value;

/// The kinds of metrics.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A total since the start.
    Counter,
    /// A present value.
    Gauge,
    /// Counts of values by their size.
    Histogram,
}

impl Kind {
    /// Returns the name in Prometheus' format.
    pub fn name(self) -> &'static str {
        match self {
            Kind::Counter => "counter",
            Kind::Gauge => "gauge",
            Kind::Histogram => "histogram",
        }
    }
}

/// A metric: its name, its help text, and the function that reads its value from `T`.
#[derive(Debug)]
pub struct Metric<T: ?Sized> {
    /// The name, which has ArangoDB's if that measures the same, and the prefix `persea_` if
    /// ArangoDB has none.
    pub name: &'static str,
    /// The kind.
    pub kind: Kind,
    /// One sentence: "Number of ...", "Total number of ...", "Size of ... in bytes".
    pub help: &'static str,
    /// Reads the value.
    pub read: fn(&T) -> Value,
}

impl<T: ?Sized> Metric<T> {
    /// Returns a metric that only grows.
    pub const fn counter(name: &'static str, help: &'static str, read: fn(&T) -> Value) -> Self {
        Metric { name, kind: Kind::Counter, help, read }
    }

    /// Returns a metric that grows and shrinks.
    pub const fn gauge(name: &'static str, help: &'static str, read: fn(&T) -> Value) -> Self {
        Metric { name, kind: Kind::Gauge, help, read }
    }

    /// Returns a metric of many values.
    pub const fn histogram(name: &'static str, help: &'static str, read: fn(&T) -> Value) -> Self {
        Metric { name, kind: Kind::Histogram, help, read }
    }
}
