//! The contents of a journal, and how they change.

use std::collections::BTreeMap;

use super::format;
use crate::types::{Entry, LogId, Snapshot, Vote};

/// The number of entries in a frame of an image, which keeps frames short.
const ENTRIES_A_FRAME: usize = 16;

/// The contents of a journal. All of it is in memory too: purges keep it small.
#[derive(Debug, Clone, Default)]
pub(crate) struct Contents {
    /// The id of the member that the folder belongs to.
    pub(crate) member: u64,
    /// The random number of the folder.
    pub(crate) folder: u64,
    /// The latest vote.
    pub(crate) vote: Option<Vote>,
    /// The log id up to which entries were purged.
    pub(crate) purged: Option<LogId>,
    /// The entries after `purged`, by their indexes.
    pub(crate) log: BTreeMap<u64, Entry>,
    /// The latest snapshot.
    pub(crate) snapshot: Option<Snapshot>,
}

impl Contents {
    /// Returns the id of the last entry, also if it was purged.
    pub(crate) fn last(&self) -> Option<LogId> {
        self.log.last_key_value().map(|(_, entry)| entry.log_id).or(self.purged)
    }

    /// Returns true if the folder belongs to a group.
    pub(crate) fn founded(&self) -> bool {
        self.last().is_some() || self.snapshot.is_some()
    }

    /// Removes the entries up to this one.
    pub(super) fn purge(&mut self, upto: LogId) {
        self.log = self.log.split_off(&(upto.index + 1));
        self.purged = self.purged.max(Some(upto));
    }

    /// Removes the entries from this index on.
    pub(super) fn truncate(&mut self, index: u64) {
        self.log.split_off(&index);
    }

    /// Returns the bytes of a file with these contents and no past.
    pub(super) fn image(&self) -> Vec<u8> {
        let mut image = format::head().to_vec();
        format::push_identity(&mut image, self.member, self.folder);
        if let Some(vote) = &self.vote {
            format::push_vote(&mut image, vote);
        }
        if let Some(snapshot) = &self.snapshot {
            format::push_snapshot(&mut image, snapshot);
        }
        if let Some(purged) = self.purged {
            format::push_purge(&mut image, purged);
        }
        let entries: Vec<&Entry> = self.log.values().collect();
        for entries in entries.chunks(ENTRIES_A_FRAME) {
            format::push_entries(&mut image, entries.iter().copied());
        }
        image
    }
}
