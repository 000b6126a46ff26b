//! The journal: Raft's vote, log and latest snapshot, in one file that outlives restarts.
//!
//! Every change is one frame, which is on the disk before the change is acknowledged. The file is
//! written anew without its past when entries are purged. [`format`](self::format) describes it
//! byte by byte.

mod format;
mod contents;
mod recover;
mod disk;
mod folder;
mod writer;

pub(crate) use contents::Contents;
pub(crate) use disk::Disk;
#[cfg(test)]
pub(crate) use disk::DiskFuture;
pub(crate) use folder::Folder;
pub(crate) use writer::Journal;

#[cfg(test)]
mod tests;
