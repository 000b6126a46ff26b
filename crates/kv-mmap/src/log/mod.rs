//! The log in front of the tables: files of records, one for each commit.
//!
//! A commit is written to the log before it is acknowledged. Once its writes are in the tables, its
//! log file is removed. `record` specifies the bytes. A file of an encrypted store has them behind
//! the header of its key.

mod clear;
mod files;
mod reader;
mod record;
#[cfg(test)]
mod tests;
mod writer;

pub use clear::DroppedLog;
pub(crate) use clear::clear;
pub(crate) use files::{Folder, LogFiles};
pub(crate) use reader::{judge, replay};
pub(crate) use writer::Log;
