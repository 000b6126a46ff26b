//! Snapshots, and the scans that read ahead of their caller.

mod page_ahead;
pub(crate) mod prefix_scan;
pub(crate) mod read_ahead;
mod remembered;
pub(crate) mod scan;
pub(crate) mod snapshot;
pub(crate) mod state;
