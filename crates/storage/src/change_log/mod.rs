//! The change log: the entries of each commit, in the order of the commits.
//!
//! A commit writes its entries with its documents, in one atomic batch of the engine. So a commit
//! that is there has its entries, and one that is not has none. [`Positions`] hands out the
//! positions; readers stop before the first commit that has not ended. A transaction that depends
//! on another one begins after it has ended, so the order of positions is an order of commits.
//!
//! [`is_left_out`] names the collections that have no entries.
//!
//! Where several servers share a store, all of them write one log. Their positions are timestamps
//! of the store, and each server tells the others how far its commits have come
//! ([`MemberProgress`]).
//!
//! The log begins when the first reader asks for it ([`crate::ChangeLogMode::OnDemand`]), or with
//! the store. Transactions that began before that have no entries, and the log begins after their
//! end.

mod holes;
mod left_out;
mod positions;
mod progress;
mod recorder;
mod state;

pub use left_out::is_left_out;
pub(crate) use positions::{HeldPositions, Positions, SharedPositions};
pub(crate) use progress::MemberProgress;
pub(crate) use recorder::{Recorder, RecorderSavepoint};
pub(crate) use state::{ChangeLog, LOOK, not_yet, read_start, write_start};
pub use state::{LogStart, entries_between};
