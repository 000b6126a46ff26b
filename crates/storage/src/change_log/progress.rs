//! The records by which servers that share a store tell each other how far their commits have come.

use std::time::Duration;

use errors::{Error, Result};
use kv::{BlockLimits, MemberNumber, ScanSpec, Snapshot, WriteTransaction};

use super::positions::Progress;
use crate::encoding::metadata::{Kind, change_log_progress_key, kind_range, member_of_progress};
use crate::encoding::pack;

/// There are at most 255 records, of some bytes each.
const LIMITS: BlockLimits = BlockLimits { rows: 1000, bytes: 1 << 20 };

/// The record of a server.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct MemberProgress {
    pub(crate) number: MemberNumber,
    /// The number of its opening of the store.
    pub(crate) identity: u64,
    pub(crate) progress: Progress,
    /// The position from which on its readers need the log.
    pub(crate) held_from: u64,
    /// The time since one of its clients has read the log.
    pub(crate) idle: Duration,
}

impl MemberProgress {
    /// Writes the record.
    pub(crate) fn write(&self, transaction: &mut dyn WriteTransaction) -> Result<()> {
        let idle_ms = u64::try_from(self.idle.as_millis()).unwrap_or(u64::MAX);
        let Progress { settled, end } = self.progress;
        let value = pack::numbers(&[self.identity, settled, end, self.held_from, idle_ms]);
        Ok(transaction.put(&change_log_progress_key(self.number), &value)?)
    }

    /// Reads the records of all servers, those that are gone among them.
    ///
    /// Errors: 1102 for damage, 35 for a newer format, those of the engine.
    pub(crate) fn read_all(snapshot: &dyn Snapshot) -> Result<Vec<MemberProgress>> {
        let mut records = Vec::new();
        let mut scan = snapshot.scan(ScanSpec::forward(kind_range(Kind::ChangeLogProgress)))?;
        while let Some(block) = scan.next_block(LIMITS)? {
            for (key, value) in block.iter() {
                let number = member_of_progress(key).ok_or_else(|| {
                    Error::corrupt("a record of the change log's progress has an illegal key")
                })?;
                let [identity, settled, end, held_from, idle_ms] =
                    pack::read_numbers::<5>(value, "progress of the change log")?;
                let (progress, idle) = (Progress { settled, end }, Duration::from_millis(idle_ms));
                records.push(MemberProgress { number, identity, progress, held_from, idle });
            }
        }
        Ok(records)
    }
}
