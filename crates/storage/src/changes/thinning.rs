//! Removal of the entries of single collections, before those of others.
//!
//! Each collection with a time of its own is a *rule*, and everything else in the database is one
//! more, whose name is empty. A record has the position up to which each rule was applied, so that
//! no reader takes what is left for the whole.

use std::collections::BTreeMap;
use std::time::{Duration, SystemTime};

use catalog::DatabaseId;
use errors::Result;
use kv::{BlockLimits, Durability, Engine, ScanSpec, Snapshot, TransactionOptions};

use crate::base::change_log_options::ChangeLogOptions;
use crate::encoding::change::{ChangePart, OTHERS, Thinned, ThinnedTo, log_from, part_of_key, thinned_key};

const LIMITS: BlockLimits = BlockLimits { rows: 1000, bytes: 1 << 20 };
/// The rules of a database: names of collections with the times of their oldest entries that stay.
struct Rules {
    cutoffs: BTreeMap<String, u64>,
}

impl Rules {
    /// Returns `None` if no collection has a rule of its own.
    fn of(options: &ChangeLogOptions, database: &str, now: SystemTime) -> Option<Rules> {
        let mut cutoffs: BTreeMap<String, u64> = options
            .exceptions_of(database)
            .map(|(name, retain)| (name.to_owned(), cutoff(now, retain)))
            .collect();
        if cutoffs.is_empty() {
            return None;
        }
        cutoffs.insert(OTHERS.to_owned(), cutoff(now, options.retention_of(database)));
        Some(Rules { cutoffs })
    }

    fn rule_of<'a>(&self, collection: Option<&'a str>) -> &'a str {
        collection.filter(|name| self.cutoffs.contains_key(*name)).unwrap_or(OTHERS)
    }

    fn latest(&self) -> u64 {
        self.cutoffs.values().max().copied().unwrap_or_default()
    }
}

/// Returns the time, in microseconds since 1970, of the oldest entries that stay.
pub(super) fn cutoff(now: SystemTime, retain: Duration) -> u64 {
    let since = now.duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
    u64::try_from(since.saturating_sub(retain).as_micros()).unwrap_or(u64::MAX)
}

/// Returns the longest time for which anything of a database is kept.
pub(super) fn longest_retention(options: &ChangeLogOptions, database: &str) -> Duration {
    let of_collections = options.exceptions_of(database).map(|(_, retain)| retain);
    of_collections.fold(options.retention_of(database), Duration::max)
}

/// Removes the entries of collections whose time is over, below `hold`.
///
/// Errors: those of the engine, 1102 for damage.
pub(super) fn thin(
    engine: &dyn Engine,
    options: &ChangeLogOptions,
    (database, name): (DatabaseId, &str),
    now: SystemTime,
    hold: u64,
) -> Result<()> {
    let Some(rules) = Rules::of(options, name, now) else { return Ok(()) };
    let snapshot = engine.snapshot()?;
    let known = ThinnedTo::read(snapshot.as_ref(), database)?;
    let reached = reached(snapshot.as_ref(), database, &rules, &known, hold)?;
    if reached == known {
        return Ok(());
    }
    // The record comes first, so that no reader takes what is left for the whole.
    let mut transaction = engine.begin(TransactionOptions::default())?;
    transaction.put(&thinned_key(database), &reached.encode())?;
    transaction.commit(Durability::Buffered)?;
    remove(engine, snapshot.as_ref(), database, &rules, (&known, &reached))
}

/// Returns how far each rule can be applied now.
fn reached(
    snapshot: &dyn Snapshot,
    database: DatabaseId,
    rules: &Rules,
    known: &ThinnedTo,
    hold: u64,
) -> Result<ThinnedTo> {
    let mut reached = known.clone();
    for name in rules.cutoffs.keys() {
        // Where a rule is new, that of the others has removed entries so far.
        reached.begin(name);
    }
    let from = rules.cutoffs.keys().map(|name| reached.position(name)).min().unwrap_or_default();
    let mut scan = snapshot.scan(ScanSpec::forward(log_from(database, from)))?;
    while let Some(block) = scan.next_block(LIMITS)? {
        for (key, value) in block.iter() {
            let Some((_, first, _)) = part_of_key(key) else { continue };
            let part = ChangePart::read(first, value)?;
            if part.time >= rules.latest() || part.end() > hold {
                reached.follow_others(|name| rules.cutoffs.contains_key(name));
                return Ok(reached);
            }
            for (name, cutoff) in &rules.cutoffs {
                if part.time < *cutoff {
                    reached.advance(name, part.end());
                }
            }
        }
    }
    reached.follow_others(|name| rules.cutoffs.contains_key(name));
    Ok(reached)
}

/// Removes the entries between what was reached before and what is now.
fn remove(
    engine: &dyn Engine,
    snapshot: &dyn Snapshot,
    database: DatabaseId,
    rules: &Rules,
    (known, reached): (&ThinnedTo, &ThinnedTo),
) -> Result<()> {
    let from = rules.cutoffs.keys().map(|name| known.position(name)).min().unwrap_or_default();
    let end = rules.cutoffs.keys().map(|name| reached.position(name)).max().unwrap_or_default();
    let mut scan = snapshot.scan(ScanSpec::forward(log_from(database, from)))?;
    while let Some(block) = scan.next_block(LIMITS)? {
        let mut transaction = engine.begin(TransactionOptions::default())?;
        for (key, value) in block.iter() {
            let Some((_, first, _)) = part_of_key(key) else { continue };
            if first >= end {
                break;
            }
            let part = ChangePart::read(first, value)?;
            let is_expired = |name: Option<&str>| part.end() <= reached.position(rules.rule_of(name));
            match part.thin(value, is_expired)? {
                Thinned::Unchanged => {}
                Thinned::Changed(value) => transaction.put(key, &value)?,
                Thinned::Empty => transaction.delete(key)?,
            }
        }
        transaction.commit(Durability::Buffered)?;
    }
    Ok(())
}
