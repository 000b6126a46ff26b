//! The waits of writers for each other: the locks of collections, the key ranges of loads, and
//! copies of the store that wait for transactions which commit in parts.

pub(crate) mod collection_lock;
mod counts;
pub(crate) mod partial_commits;
pub(crate) mod running_loads;
