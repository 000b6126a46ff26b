//! The states of a stream transaction.

/// The state of a stream transaction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TransactionStatus {
    /// It can be used.
    Running,
    /// Its writes are visible.
    Committed,
    /// Its writes are gone.
    Aborted,
    /// Its commit failed in a way that leaves open whether its writes are visible.
    Unknown,
}

impl TransactionStatus {
    /// Returns the word that clients see.
    pub fn name(self) -> &'static str {
        match self {
            TransactionStatus::Running => "running",
            TransactionStatus::Committed => "committed",
            TransactionStatus::Aborted => "aborted",
            TransactionStatus::Unknown => "unknown",
        }
    }
}
