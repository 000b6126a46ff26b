//! Text indexes: inverted indexes and views' links.
//!
//! The entries of such an index in the engine are its outbox, which names the documents that were
//! written or removed, and the list of its segments ([`encoding`]). Writers only put pairs into the
//! outbox. All else is done here, in the background or when a query asks for it:
//!
//! - [`step`]: one step takes a snapshot, indexes what the outbox names, and publishes a new state.
//!   [`build`]: the first step of an index over existing documents.
//! - [`merge`]: segments in memory become one in a folder, and small segments become larger ones.
//!   [`list`]: the list of segments follows, and the outbox is emptied of what it covers.
//! - [`text_index`] and [`work`]: the state of one index in memory.
//! - [`pins`]: the states that one snapshot of the store sees.
//! - [`upkeep`]: the entry points for the threads that do the work.

pub(crate) mod build;
pub(crate) mod encoding;
pub(crate) mod folder;
pub(crate) mod list;
pub(crate) mod merge;
pub(crate) mod options;
mod part_writer;
pub(crate) mod pins;
mod running_step;
pub(crate) mod step;
pub(crate) mod text_index;
pub(crate) mod upkeep;
pub(crate) mod work;
