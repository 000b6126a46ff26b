//! Limits on values from outside.

/// Bounds for input that a client sends, as JSON or as VelocyPack.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Deepest nesting of arrays and objects; a scalar has depth 0, `[]` has depth 1.
    pub max_depth: usize,
    /// Length of the whole input in bytes.
    pub max_bytes: usize,
}

impl Limits {
    /// Depth that ArangoDB's own parser accepts by default.
    pub const DEFAULT_MAX_DEPTH: usize = 200;
    /// The size of the largest HTTP body that ArangoDB accepts: 1 GiB.
    pub const DEFAULT_MAX_BYTES: usize = 1 << 30;
}

impl Default for Limits {
    fn default() -> Self {
        Limits { max_depth: Self::DEFAULT_MAX_DEPTH, max_bytes: Self::DEFAULT_MAX_BYTES }
    }
}

/// Deepest nesting that is built, and that comparison, hash and sort key visit.
///
/// It is far more than clients may send (see [`Limits`]). It keeps queries that wrap values in
/// values, request after request, from exhausting a thread's stack.
pub(crate) const MAX_DEPTH: usize = 500;
