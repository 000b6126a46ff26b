//! What a value from outside may cost.

/// Bounds for input that a client sends, be it JSON or VelocyPack.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Arrays and objects inside each other; a scalar has depth 0, `[]` has depth 1.
    pub max_depth: usize,
    /// Length of the whole input in bytes.
    pub max_bytes: usize,
}

impl Limits {
    /// Depth that ArangoDB's own parser accepts by default.
    pub const DEFAULT_MAX_DEPTH: usize = 200;
    /// As long as the largest HTTP body that ArangoDB takes: 1 GiB.
    pub const DEFAULT_MAX_BYTES: usize = 1 << 30;
}

impl Default for Limits {
    fn default() -> Self {
        Limits { max_depth: Self::DEFAULT_MAX_DEPTH, max_bytes: Self::DEFAULT_MAX_BYTES }
    }
}

/// Deepest nesting that is built, and down to which comparison, hash and sort key look. Far more than
/// clients may send (see [`Limits`]); it keeps queries that wrap values in values, request after request,
/// from exhausting a thread's stack.
pub(crate) const MAX_DEPTH: usize = 500;
