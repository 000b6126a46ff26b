//! The log and the vote, kept in the journal.

use std::fmt::Debug;
use std::io;
use std::ops::RangeBounds;
use std::sync::Arc;

use openraft::storage::{LogFlushed, RaftLogStorage};
use openraft::{LogState, OptionalSend, RaftLogReader, StorageIOError};

use crate::journal::Journal;
use crate::types::{Entry, LogId, StorageError, Types, Vote};

/// The log as openraft sees it.
#[derive(Clone)]
pub(crate) struct LogStore {
    /// The journal.
    pub(crate) journal: Arc<Journal>,
}

fn failed(error: &io::Error) -> StorageError {
    StorageIOError::write_logs(error).into()
}

impl RaftLogReader<Types> for LogStore {
    async fn try_get_log_entries<R: RangeBounds<u64> + Clone + Debug + OptionalSend>(
        &mut self,
        range: R,
    ) -> Result<Vec<Entry>, StorageError> {
        let read = |contents: &crate::journal::Contents| {
            contents.log.range(range).map(|(_, entry)| entry.clone()).collect()
        };
        Ok(self.journal.read(read).await)
    }
}

impl RaftLogStorage<Types> for LogStore {
    type LogReader = LogStore;

    async fn get_log_state(&mut self) -> Result<LogState<Types>, StorageError> {
        let state = |contents: &crate::journal::Contents| LogState {
            last_purged_log_id: contents.purged,
            last_log_id: contents.last(),
        };
        Ok(self.journal.read(state).await)
    }

    async fn get_log_reader(&mut self) -> LogStore {
        self.clone()
    }

    async fn save_vote(&mut self, vote: &Vote) -> Result<(), StorageError> {
        self.journal.vote(*vote).await.map_err(|error| StorageIOError::write_vote(&error).into())
    }

    async fn read_vote(&mut self) -> Result<Option<Vote>, StorageError> {
        Ok(self.journal.read(|contents| contents.vote).await)
    }

    async fn append<I>(&mut self, entries: I, callback: LogFlushed<Types>) -> Result<(), StorageError>
    where
        I: IntoIterator<Item = Entry> + OptionalSend,
        I::IntoIter: OptionalSend,
    {
        let entries: Vec<Entry> = entries.into_iter().collect();
        self.journal.entries(entries).await.map_err(|error| failed(&error))?;
        callback.log_io_completed(Ok(()));
        Ok(())
    }

    async fn truncate(&mut self, log_id: LogId) -> Result<(), StorageError> {
        self.journal.truncate(log_id.index).await.map_err(|error| failed(&error))
    }

    async fn purge(&mut self, log_id: LogId) -> Result<(), StorageError> {
        self.journal.purge(log_id).await.map_err(|error| failed(&error))
    }
}
