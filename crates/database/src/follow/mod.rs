//! Copies of other servers, and their logs applied to this one.
//!
//! The other server is ArangoDB or Persea. `options` and `probe` say which one, `copy` copies it,
//! `tailing` reads its log, and `worker` is the thread that does both. `watch` notices a server
//! that falls silent while it is copied. `kept` is what remains of the work from one start to the
//! next. `before` is what an abort restores. `session` has the methods of administrators,
//! `configured` those for ArangoDB's applier, and `waiting` those of requests that wait for the
//! thread. `sync` copies another server once, and does not follow it.
//!
//! [`entry`] reads entries of a log. [`applier`] applies them in order, transactions as a whole.
//! How far it has come is stored in the same commit as the documents, so nothing is applied twice
//! or left out after a crash. [`definitions`] and `users` apply changes that may be repeated, by
//! the `names` that numbers of the other server mean.
//!
//! A follower may be a `member` of a group, whose leader changes. `set_aside` keeps what a former
//! leader alone had.

mod entry;
mod failure;
mod work;
mod position;
mod names;
mod users;
mod definitions;
mod operations;
mod applier;
mod followed_logs;
mod options;
mod probe;
mod kept;
mod compare;
mod before;
mod described;
mod restored_indexes;
mod restored_views;
mod fetching;
mod watch;
mod copy;
mod tailing;
mod set_aside;
mod member;
mod worker;
mod sync;
mod configured;
mod session;
mod waiting;

pub use crate::state::following::{
    Compared, Comparison, CopyProgress, FollowKind, FollowPhase, FollowView, LogProgress, Problem,
    SourceOptions, SourceView,
};
pub use applier::{AppliedCounts, Applier, CopiedState};
pub(crate) use before::find_data;
pub use entry::TailBody;
pub use followed_logs::FollowedLogs;
pub(crate) use kept::Kept;
pub(crate) use member::position as member_position;
pub use position::AppliedPosition;
pub use probe::{Probe, ProbedDatabase};
pub use session::go_on;
pub use sync::{Restriction, SyncOptions, SyncedCollection, Synchronized};
pub(crate) use worker::start_member;
