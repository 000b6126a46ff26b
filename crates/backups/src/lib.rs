//! Backups: copies of the data folder next to the data ([`Backups`]), their restore in place
//! ([`restore`]), and copies elsewhere, in a folder or in object storage, that keep each file once
//! ([`Repository`]).
//!
//! # The folder `backups` in the data folder
//! ```text
//! 2026-11-25T18.00.00Z_label/   one backup: the files of a store, and `BACKUP`, its manifest
//! .creating, .deleting-*        a backup that is being made or removed
//! .restore/                     the files of a restore until they are in the data folder
//! .downloading-*                a backup that comes from a repository
//! RESTORE                       the pending restore: the next start carries it out
//! HASHES                        the digests of files that were read before
//! ```
//! An entry that begins with a dot is incomplete, unless `RESTORE` names it. It is removed when
//! the folder is opened.
//!
//! Tables (`*.sst`) never change, so backups share them with the store and with each other by hard
//! links. All other files are copies.

mod files;
mod id;
mod location;
mod log_position;
mod manifest;
pub mod restore;
mod backups;
mod repository;
#[cfg(test)]
mod tests;

pub use backups::{Backups, Written};
pub use id::BackupId;
pub use location::Location;
pub use log_position::{LogId, LogPosition};
pub use manifest::{FileEntry, Manifest, Versions};
pub use repository::{
    Age, ArchiveState, ArchivedLog, LogChain, LogRecord, Progress, Repository, RestorableSpan, Segment,
    SegmentName, SegmentWriter, Verified,
};
pub use s3::{BucketOptions, environment as bucket_environment};
