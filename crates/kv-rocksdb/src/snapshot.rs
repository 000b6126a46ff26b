//! Reads from a snapshot.

use std::sync::{Arc, OnceLock};

use kv::ClosedFlag;
use kv::{BLOCK_BYTES_MAX, Error, LOOKUP_BYTES, PrefixScan, Result, Scan, ScanSpec, Snapshot, Values};
use rust_rocksdb::{ErrorKind, ReadOptions};

use crate::error::map;
use crate::handle::OwnedSnapshot;
use crate::prefix_scan::RocksPrefixScan;
use crate::scan::RocksScan;

/// The maximum number of keys in one call of RocksDB. Each may pin a block until its value is
/// copied: 4 MiB in total.
const LOOK_UP_KEYS_MAX: usize = 256;

/// A RocksDB snapshot.
pub(crate) struct RocksSnapshot {
    snapshot: Arc<OwnedSnapshot>,
    /// The options of lookups, created at the first one, because many transactions only write.
    options: OnceLock<ReadOptions>,
    /// The bytes that one scan may put into the block cache.
    scan_cache_bytes: usize,
    closed: ClosedFlag,
}

impl RocksSnapshot {
    pub(crate) fn new(snapshot: Arc<OwnedSnapshot>, scan_cache_bytes: usize, closed: ClosedFlag) -> Self {
        RocksSnapshot { snapshot, options: OnceLock::new(), scan_cache_bytes, closed }
    }

    fn options(&self) -> &ReadOptions {
        self.options.get_or_init(|| {
            let mut options = ReadOptions::default();
            self.snapshot.apply_to(&mut options);
            // RocksDB holds the values of a call until they are copied.
            options.set_value_size_soft_limit(LOOKUP_BYTES as u64);
            options
        })
    }

    /// Does the same as [`Snapshot::scan`], without a box.
    pub(crate) fn rocks_scan(&self, spec: ScanSpec) -> RocksScan {
        self.scan_with_cache(spec, self.scan_cache_bytes)
    }

    /// Does the same with another limit for the bytes that enter the block cache.
    pub(crate) fn scan_with_cache(&self, spec: ScanSpec, cache_bytes: usize) -> RocksScan {
        RocksScan::new(Arc::clone(&self.snapshot), spec, cache_bytes, self.closed.clone())
    }

    fn get_one(&self, key: &[u8]) -> Result<Values> {
        let value = self.snapshot.db().get_pinned_opt(key, self.options()).map_err(map("reading"))?;
        let mut values = Values::with_capacity(1, value.as_ref().map_or(0, |value| value.len()));
        push(&mut values, value.as_deref())?;
        Ok(values)
    }

    /// Adds the values of keys, up to the first one that RocksDB omitted because those before it,
    /// in the order of the keys, are long.
    fn get_batch(&self, keys: &[&[u8]], values: &mut Values) -> Result<()> {
        let is_sorted = keys.is_sorted();
        let batch = self.snapshot.db().batched_multi_get_pinned_batch_opt(keys, is_sorted, self.options());
        let batch = batch.map_err(map("reading"))?;
        for value in &batch {
            match value {
                Ok(value) => push(values, value)?,
                Err(error) if error.kind() == ErrorKind::Aborted => return Ok(()),
                Err(error) => return Err(map("reading")(error)),
            }
            if values.is_full() {
                return Ok(());
            }
        }
        Ok(())
    }
}

fn push(values: &mut Values, value: Option<&[u8]>) -> Result<()> {
    if values.push(value) { Ok(()) } else { Err(Error::TooLarge { limit_bytes: BLOCK_BYTES_MAX }) }
}

impl Snapshot for RocksSnapshot {
    fn get_many(&self, keys: &[&[u8]]) -> Result<Values> {
        self.closed.check()?;
        if let [key] = keys {
            return self.get_one(key);
        }
        let mut values = Values::with_capacity(keys.len(), 0);
        for (number, chunk) in keys.chunks(LOOK_UP_KEYS_MAX).enumerate() {
            self.get_batch(chunk, &mut values)?;
            if values.len() < number * LOOK_UP_KEYS_MAX + chunk.len() {
                break;
            }
        }
        match keys.first().filter(|_| values.is_empty()) {
            // Other keys are before it in the order of keys, and their values are long.
            Some(first) => self.get_one(first),
            None => Ok(values),
        }
    }

    fn scan(&self, spec: ScanSpec) -> Result<Box<dyn Scan>> {
        self.closed.check()?;
        Ok(Box::new(self.rocks_scan(spec)))
    }

    fn prefix_scan(&self) -> Result<Box<dyn PrefixScan>> {
        self.closed.check()?;
        Ok(Box::new(RocksPrefixScan::new(Arc::clone(&self.snapshot), self.closed.clone())))
    }
}
