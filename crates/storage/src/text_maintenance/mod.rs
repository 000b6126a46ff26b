//! The upkeep of text indexes: inverted indexes and views' links.
//!
//! Writers only put pairs into an index's outbox ([`crate::index::text`]). All else is done here,
//! in the background or when a query asks for it:
//!
//! - [`step`]: one step takes a snapshot, indexes what the outbox names, and publishes a new state.
//!   [`build`]: the first step of an index over existing documents. Both collect documents by a
//!   [`part_writer`].
//! - [`merge`]: segments in memory become one in a folder, and small segments become larger ones.
//! - [`image`]: where several servers share the store, the segments from which others begin.
//! - [`upkeep`]: the entry points for the threads that do the work.

mod build;
mod merge;
mod part_writer;
mod running_step;
mod step;
mod image;
pub(crate) mod upkeep;
