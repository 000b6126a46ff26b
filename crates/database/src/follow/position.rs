//! How far the log of another server was applied.

use errors::{Error, Result};
use storage::{Durability, Store};

/// A place in the log of another server. Positions are the ticks of that log.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct AppliedPosition {
    /// Everything up to here was applied, except transactions that had not ended.
    pub applied: u64,
    /// Where to begin to read again: before the first transaction that had not ended.
    pub restart: u64,
    /// Up to here the log may name databases and collections that are not here.
    pub complete: u64,
}

impl AppliedPosition {
    /// Returns the position that is stored for a server; `None` if nothing was applied yet.
    ///
    /// Errors: 1102 for damage, those of the engine.
    pub fn read(store: &Store, source: &str) -> Result<Option<Self>> {
        let Some(bytes) = store.setting(&setting(source))? else { return Ok(None) };
        match bytes.as_chunks::<8>() {
            ([applied, restart, complete], []) => Ok(Some(AppliedPosition {
                applied: u64::from_le_bytes(*applied),
                restart: u64::from_le_bytes(*restart),
                complete: u64::from_le_bytes(*complete),
            })),
            _ => Err(Error::corrupt(format!("the position in the log of server {source} is damaged"))),
        }
    }

    /// Stores the position alone, after changes that may be repeated. After a crash of the machine,
    /// it may be an earlier one.
    ///
    /// Errors: those of the engine.
    pub fn store(self, store: &Store, source: &str) -> Result<()> {
        store.put_setting_with(&setting(source), &self.encode(), Durability::Buffered)
    }

    /// Removes the position that is stored for a server.
    ///
    /// Errors: those of the engine.
    pub(super) fn remove(store: &Store, source: &str) -> Result<()> {
        store.remove_setting(&setting(source))
    }

    /// Returns true if the log names databases and collections here that were dropped before they
    /// were copied.
    pub(super) fn may_lack_definitions(self) -> bool {
        self.applied <= self.complete
    }

    pub(super) fn encode(self) -> Vec<u8> {
        [self.applied, self.restart, self.complete].map(u64::to_le_bytes).concat()
    }
}

/// Returns the name of the setting that has the position in the log of a server.
pub(super) fn setting(source: &str) -> String {
    format!("applied/{source}")
}
