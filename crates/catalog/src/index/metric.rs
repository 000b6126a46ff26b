//! Metrics of vectors.

/// The measure by which a vector index compares vectors.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Metric {
    /// The cosine of the angle; a greater one is nearer.
    Cosine,
    /// The Euclidean distance; a smaller one is nearer.
    L2,
    /// The inner product; a greater one is nearer.
    InnerProduct,
}

impl Metric {
    const ALL: [Metric; 3] = [Metric::Cosine, Metric::L2, Metric::InnerProduct];

    /// Returns the metric of a name.
    pub(super) fn from_name(name: &str) -> Option<Self> {
        Metric::ALL.into_iter().find(|metric| metric.name() == name)
    }

    /// Returns the metric as definitions name it.
    pub fn name(self) -> &'static str {
        match self {
            Metric::Cosine => "cosine",
            Metric::L2 => "l2",
            Metric::InnerProduct => "innerProduct",
        }
    }

    /// Returns the AQL function that an index of this metric computes.
    pub fn function(self) -> &'static str {
        match self {
            Metric::Cosine => "APPROX_NEAR_COSINE",
            Metric::L2 => "APPROX_NEAR_L2",
            Metric::InnerProduct => "APPROX_NEAR_INNER_PRODUCT",
        }
    }

    /// Returns true if the nearest vectors have the smallest values.
    pub fn is_ascending(self) -> bool {
        self == Metric::L2
    }
}
