//! Removal of old entries.

use std::time::SystemTime;

use catalog::DatabaseId;
use errors::Result;
use kv::{BlockLimits, Durability, Engine, ScanSpec, TransactionOptions};

use super::thinning::{cutoff, longest_retention, thin};
use crate::Store;
use crate::encoding::change::{
    ChangePart, SERVER_LOG, all_logs, log_before, log_range, logged_databases, part_of_key, start_key,
    whole_log,
};
use crate::encoding::pack;

/// Parts that one look at the age of entries reads at most.
const LIMITS: BlockLimits = BlockLimits { rows: 1000, bytes: 1 << 20 };
/// Pieces into which a log that is too long is divided.
const PIECES: usize = 64;

impl Store {
    /// Removes the entries of the change log that are older or more than the options allow, but
    /// none from `hold` on, and the logs of databases that are gone.
    ///
    /// Errors: those of the engine, 1102 for damage.
    pub fn trim_change_log(&self, now: SystemTime, hold: u64) -> Result<()> {
        if self.change_log().is_none() {
            return Ok(());
        }
        let engine = self.core.engine.as_ref();
        let options = &self.core.change_log.options;
        let hold = hold.min(self.resolved_position());
        let snapshot = engine.snapshot()?;
        let catalog = self.catalog();
        let excess = engine.approximate_size_bytes(&all_logs())?.saturating_sub(options.max_bytes);
        for database in logged_databases(snapshot.as_ref())? {
            let mut databases = catalog.databases();
            let present = databases.find(|present| present.definition().id == database);
            let retain = match present {
                Some(present) => longest_retention(options, present.name()),
                None if database == SERVER_LOG => options.retain,
                None => {
                    // A reader that is behind still needs what was written before the drop.
                    if end_of(snapshot.as_ref(), database)? <= hold {
                        engine.drop_range(&whole_log(database))?;
                    }
                    continue;
                }
            };
            let by_age = younger_than(snapshot.as_ref(), database, cutoff(now, retain))?;
            let by_size = if excess > 0 { shorter(engine, database, excess)? } else { 0 };
            let first = by_age.max(by_size).min(hold);
            if first > 0 {
                trim(engine, database, first)?;
            }
            if let Some(present) = present {
                thin(engine, options, (database, present.name()), now, hold)?;
            }
        }
        Ok(())
    }
}

/// Returns the position after the last commit in the log of a database; 0 without commits.
fn end_of(snapshot: &dyn kv::Snapshot, database: DatabaseId) -> Result<u64> {
    let mut scan = snapshot.scan(ScanSpec::backward(log_range(database)))?;
    let Some(block) = scan.next_block(BlockLimits { rows: 1, bytes: 1 })? else { return Ok(0) };
    let Some((key, value)) = block.iter().next() else { return Ok(0) };
    let Some((_, first, _)) = part_of_key(key) else { return Ok(0) };
    Ok(ChangePart::read(first, value)?.end())
}

/// Returns the position of the first commit that is not older than `cutoff`, or of a later look;
/// 0 if nothing is older.
fn younger_than(snapshot: &dyn kv::Snapshot, database: DatabaseId, cutoff: u64) -> Result<u64> {
    let mut scan = snapshot.scan(ScanSpec::forward(log_range(database)))?;
    let mut first_kept = 0;
    while let Some(block) = scan.next_block(LIMITS)? {
        for (key, value) in block.iter() {
            let Some((_, first, _)) = part_of_key(key) else { continue };
            let part = ChangePart::read(first, value)?;
            if part.time >= cutoff {
                return Ok(first_kept);
            }
            first_kept = part.end();
        }
    }
    Ok(first_kept)
}

/// Returns the position up to which a log must be removed so that it loses its part of `excess`
/// bytes.
fn shorter(engine: &dyn Engine, database: DatabaseId, excess: u64) -> Result<u64> {
    let range = log_range(database);
    let mut first = 0;
    let mut removed = 0;
    let mut piece = range.clone();
    for key in engine.split_points(&range, PIECES)? {
        if removed >= excess {
            break;
        }
        piece.end = key;
        removed += engine.approximate_size_bytes(&piece)?;
        first = part_of_key(&piece.end).map_or(first, |(_, position, _)| position);
        piece.start = std::mem::take(&mut piece.end);
    }
    Ok(first)
}

/// Removes the commits below a position. The record of the first position comes first, so that no
/// reader takes what is left for the whole.
fn trim(engine: &dyn Engine, database: DatabaseId, first: u64) -> Result<()> {
    let mut transaction = engine.begin(TransactionOptions::default())?;
    transaction.put(&start_key(database), &pack::numbers(&[first]))?;
    transaction.commit(Durability::Buffered)?;
    Ok(engine.drop_range(&log_before(database, first))?)
}
