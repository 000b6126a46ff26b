//! The two parts that the server provides: a way to the other members, and its data.

use std::time::Duration;

use crate::member::{Member, Position};

/// The way to the other members. Its calls block.
///
/// Messages may be lost, delayed, repeated and reordered. The transport must keep strangers out:
/// a peer that passes its authentication is believed.
pub trait Transport: Send + Sync + 'static {
    /// Passes a message to [`Elections::receive`](crate::Elections::receive) of another member, and
    /// returns what that returned.
    ///
    /// Errors: a text for the log. The call must end soon after its timeout.
    fn call(&self, to: &Member, message: Vec<u8>, timeout: Duration) -> Result<Vec<u8>, String>;
}

/// The data of this member. Its calls may block.
pub trait Candidate: Send + Sync + 'static {
    /// Returns the position in the data, or none if this member cannot lead: it has not copied all
    /// data yet, or is read-only by choice. The answer has to come within an eighth of the lease.
    fn position(&self) -> Option<Position>;

    /// Follows the leader up to this position, within the timeout. The leader takes no writes then.
    ///
    /// Errors: a text for the operator; the leader keeps its leadership.
    fn catch_up(&self, to: Position, timeout: Duration) -> Result<(), String>;

    /// Takes no more writes, waits for those in progress, and returns the last position.
    ///
    /// Errors: a text for the operator; the leader keeps its leadership.
    fn stop_writes(&self, timeout: Duration) -> Result<Position, String>;

    /// Ends what `stop_writes` began, whatever came of the handover. The lease alone decides then
    /// which writes are taken.
    fn resume_writes(&self);
}
