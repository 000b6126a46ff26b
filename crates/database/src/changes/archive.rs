//! The change log for an archive: all commits of all databases, with their times.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use catalog::{DatabaseDefinition, DatabaseId, Record};
use errors::{Error, ErrorCode, Result};
use storage::{BlockLimits, ChangeKind, ChangeScope, SERVER_LOG};

use super::names::database_names;
use super::tail::Writer;
use crate::session::Session;

const BLOCK: BlockLimits = BlockLimits { rows: 1_000, bytes: 256 << 10 };
/// The name and the description of the archive among the readers of the log.
const READER: &str = "server:archive";
const CLIENT: &str = "archive of the log";

/// The change log at one moment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LogMoment {
    /// The number of the server.
    pub server: u64,
    /// The number of the log.
    pub log: u64,
    /// All commits below this position have ended.
    pub resolved: u64,
    /// No commit has taken this position or a later one.
    pub next: u64,
    /// Microseconds since 1970.
    pub time: u64,
}

/// A part of a commit.
#[derive(Clone, Copy, Debug)]
pub struct LogPart<'a> {
    /// The first position of the commit.
    pub first: u64,
    /// The position after the part.
    pub end: u64,
    /// The time of the commit in microseconds since 1970.
    pub time: u64,
    /// This is the first part of the commit.
    pub is_first: bool,
    /// This is the last part of the commit.
    pub is_last: bool,
    /// Entries as in a tail: VelocyPack objects, one after another.
    pub entries: &'a [u8],
}

impl Session {
    /// Returns the state of the change log; `None` while it is not written.
    pub fn log_moment(&self) -> Option<LogMoment> {
        let store = self.instance().store();
        let log = store.change_log()?.id;
        let resolved = store.resolved_position();
        let next = store.next_position();
        let since = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
        let time = u64::try_from(since.as_micros()).unwrap_or(u64::MAX);
        Some(LogMoment { server: self.server_id(), log, resolved, next, time })
    }

    /// Makes the log begin for an archive, if it has not begun, and keeps it from `after` on for
    /// some minutes. `None` keeps all of it.
    ///
    /// Errors: 9 if the log is turned off or several servers share the store, 18 if it cannot begin
    /// yet, 32 if there are too many readers.
    pub fn hold_log_for_archive(&self, after: Option<u64>, wait: Duration) -> Result<()> {
        let instance = self.instance();
        if instance.store().sharing().is_some() {
            // The archive continues a backup of a data folder.
            let message = "a change log that several servers write cannot be archived: dump the data instead";
            return Err(Error::new(ErrorCode::NotImplemented, message));
        }
        instance.log_readers().note_read();
        instance.store().begin_change_log(wait)?;
        instance.log_readers().register(READER, CLIENT, after.unwrap_or_default())
    }

    /// Returns the first position that the logs of all databases have.
    ///
    /// Errors: those of the engine, 1102 for damage.
    pub fn first_log_position(&self) -> Result<u64> {
        self.instance().store().first_position(ChangeScope::All)
    }

    /// Passes the parts of the commits behind `after` and below `below` to `take`, in order, until
    /// it returns false. Returns the last position that was passed on.
    ///
    /// Errors: those of the engine and of `take`, 1102 for damage.
    pub fn copy_log(
        &self,
        after: u64,
        below: u64,
        take: &mut dyn FnMut(&LogPart<'_>) -> Result<bool>,
    ) -> Result<u64> {
        let mut scan = self.instance().store().scan_changes(ChangeScope::All, after)?.below(below);
        let mut last = scan.end().saturating_sub(1).max(after);
        // It comes after the scan, so that every database that the scan shows has a name.
        let mut writer = Writer::of_all(self, self.names_since(after)?, after);
        let mut is_over = false;
        while !is_over && let Some(block) = scan.next_block(BLOCK)? {
            let mut reached = after;
            block.for_each(after, |commit, changes| {
                if is_over {
                    return Ok(());
                }
                if commit.database != SERVER_LOG && !writer.knows(commit.database) {
                    // The database was dropped just now, and the entry of that has not ended. The
                    // next call has it.
                    is_over = true;
                    last = reached.max(commit.first.saturating_sub(1)).max(after);
                    return Ok(());
                }
                writer.commit(commit, changes)?;
                let entries = writer.take();
                let part = LogPart {
                    first: commit.first,
                    end: commit.end,
                    time: commit.time,
                    is_first: commit.is_first_part,
                    is_last: commit.is_last_part,
                    entries: &entries,
                };
                reached = commit.end.saturating_sub(1);
                if !take(&part)? {
                    is_over = true;
                    last = reached;
                }
                Ok(())
            })?;
        }
        Ok(last)
    }

    /// Returns the names of all databases, and of those that were dropped behind a position.
    fn names_since(&self, after: u64) -> Result<HashMap<DatabaseId, Arc<str>>> {
        let mut names = database_names(self);
        let mut scan = self.instance().store().scan_changes(ChangeScope::Server, after)?;
        while let Some(block) = scan.next_block(BLOCK)? {
            block.for_each(after, |_, changes| {
                for change in changes.iter().filter(|change| change.kind == ChangeKind::DatabaseDropped) {
                    let dropped = DatabaseDefinition::from_record(change.definition)?;
                    names.entry(dropped.id).or_insert_with(|| Arc::from(dropped.name.as_str()));
                }
                Ok(())
            })?;
        }
        Ok(names)
    }
}
