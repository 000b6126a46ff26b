//! How commits become visible to readers.
//!
//! A commit that changes documents has more to do than to write them: it is counted, the read cache forgets what it
//! changes, and results that were computed from the state before are outdated. Only a [`Publication`] can do that: the
//! methods of the counters and of the read cache that it needs are private to this module.

pub(crate) mod counters;
mod load_clock;
mod publication;
pub(crate) mod read_cache;

pub(crate) use load_clock::{LastLoad, LoadClock, LoadNumber};
pub(crate) use publication::{Change, PreparedChanges};
