//! Visibility: the way in which commits become visible to readers.
//!
//! A commit of documents also updates the counts, invalidates the read cache, and outdates results
//! that were computed from the previous state. Only a [`publication::Publication`] can do all that,
//! because the methods that it needs of the counters and of the read cache are private to this
//! module.

pub(crate) mod counters;
pub(crate) mod edge_ends;
pub(crate) mod estimate;
mod load_clock;
mod publication;
pub(crate) mod read_cache;

pub(crate) use load_clock::{LastLoad, LoadClock, LoadNumber};
pub(crate) use publication::{Change, LoggedChanges, PreparedChanges, Publisher};
