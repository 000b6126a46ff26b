//! The journal of a running member.

use std::io;
use std::sync::Arc;

use tokio::sync::{Mutex, MutexGuard};

use super::contents::Contents;
use super::disk::Disk;
use super::format;
use super::recover::recover;
use crate::error::{Error, Result};
use crate::types::{Entry, LogId, Snapshot, Vote};

/// A journal that takes changes. Each method returns when its change is on the disk.
pub(crate) struct Journal {
    disk: Arc<dyn Disk>,
    state: Mutex<Written>,
}

/// The contents, and whether the disk still takes writes.
struct Written {
    contents: Contents,
    /// True after a failed write. The file may end with a part of a frame, behind which nothing may
    /// be written, and the operating system may have dropped what it could not write.
    broken: bool,
}

impl Journal {
    /// Reads the journal of this member, or begins one with the random number of the folder.
    ///
    /// Errors: damage; the folder belongs to another member; the disk fails.
    pub(crate) async fn open(disk: Arc<dyn Disk>, member: u64, folder: u64) -> Result<Journal> {
        let failed = |source| Error::Folder { folder: String::from("journal"), source };
        let bytes = disk.read().map_err(failed)?;
        let contents = match bytes {
            Some(bytes) => {
                let recovered = recover(&bytes)?;
                if recovered.length < bytes.len() {
                    tracing::warn!(
                        cut = bytes.len() - recovered.length,
                        "the journal of the elections ended within a write, which is cut"
                    );
                    disk.cut(recovered.length as u64).map_err(failed)?;
                }
                recovered.contents
            }
            None => {
                let contents = Contents { member, folder, ..Contents::default() };
                disk.replace(contents.image()).await.map_err(failed)?;
                contents
            }
        };
        if contents.member != member {
            return Err(Error::Options(format!(
                "the folder of the elections belongs to member {}; this is member {member}",
                contents.member
            )));
        }
        Ok(Journal { disk, state: Mutex::new(Written { contents, broken: false }) })
    }

    /// Calls a function with the contents.
    pub(crate) async fn read<T>(&self, read: impl FnOnce(&Contents) -> T) -> T {
        read(&self.state.lock().await.contents)
    }

    /// Keeps a vote.
    pub(crate) async fn vote(&self, vote: Vote) -> io::Result<()> {
        let mut written = self.state.lock().await;
        self.append(&mut written, |to| format::push_vote(to, &vote)).await?;
        written.contents.vote = Some(vote);
        Ok(())
    }

    /// Keeps entries behind the last one.
    pub(crate) async fn entries(&self, entries: Vec<Entry>) -> io::Result<()> {
        let mut written = self.state.lock().await;
        self.append(&mut written, |to| format::push_entries(to, entries.iter())).await?;
        written.contents.log.extend(entries.into_iter().map(|entry| (entry.log_id.index, entry)));
        Ok(())
    }

    /// Removes the entries from this index on.
    pub(crate) async fn truncate(&self, index: u64) -> io::Result<()> {
        let mut written = self.state.lock().await;
        self.append(&mut written, |to| format::push_truncation(to, index)).await?;
        written.contents.truncate(index);
        Ok(())
    }

    /// Removes the entries up to this one, and the past of the file.
    pub(crate) async fn purge(&self, upto: LogId) -> io::Result<()> {
        let mut written = self.state.lock().await;
        if written.broken {
            return Err(broken());
        }
        let mut contents = written.contents.clone();
        contents.purge(upto);
        written.broken = true;
        self.disk.replace(contents.image()).await?;
        written.broken = false;
        written.contents = contents;
        Ok(())
    }

    /// Keeps a snapshot in the place of the one before.
    pub(crate) async fn snapshot(&self, snapshot: Snapshot) -> io::Result<()> {
        let mut written = self.state.lock().await;
        self.append(&mut written, |to| format::push_snapshot(to, &snapshot)).await?;
        written.contents.snapshot = Some(snapshot);
        Ok(())
    }

    async fn append(
        &self,
        written: &mut MutexGuard<'_, Written>,
        frame: impl FnOnce(&mut Vec<u8>),
    ) -> io::Result<()> {
        if written.broken {
            return Err(broken());
        }
        let mut bytes = Vec::new();
        frame(&mut bytes);
        // Also a write whose caller goes away has to count as failed.
        written.broken = true;
        self.disk.append(bytes).await?;
        written.broken = false;
        Ok(())
    }
}

fn broken() -> io::Error {
    io::Error::other("an earlier write failed, so the journal takes no more until it is opened again")
}
