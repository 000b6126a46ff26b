//! Applying the log of another server to this one.
//!
//! The other server is ArangoDB or Persea: both show their log as [`entry`] reads it. [`applier`]
//! applies the entries in order, transactions as a whole. How far it has come is stored in the same
//! commit as the documents, so nothing is applied twice or left out after a crash. [`definitions`]
//! applies changes of definitions, which may be repeated.

mod entry;
mod position;
mod definitions;
mod applier;
mod followed_logs;

pub use applier::{Applier, CopiedState};
pub use entry::TailBody;
pub use followed_logs::FollowedLogs;
pub use position::AppliedPosition;
