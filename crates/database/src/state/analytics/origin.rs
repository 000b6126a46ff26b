//! The interfaces of graph analytics.

/// The interface by which a job was started. Each lists its own jobs only.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum JobOrigin {
    /// The server's own.
    #[default]
    Own,
    /// ArangoDB's Pregel.
    Pregel,
    /// The graph analytics engine with a number.
    Engine(u64),
}
