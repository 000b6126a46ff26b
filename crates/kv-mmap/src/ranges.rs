//! Operations on whole ranges of keys: drop, estimate the size, divide, compact, copy.

use std::path::Path;

use encryption::Keyring;
use kv::{BlockLimits, Error, KeyRange, Result, ScanSpec, Tree};

use crate::error::map_open_io;
use crate::format;
use crate::layers::Layers;
use crate::samples::{self, Sample};
use crate::store::Store;

/// The number of pairs of a short range, and of entries of each layer, that an estimate reads at
/// most: a few milliseconds.
const READ_MAX: usize = 1 << 16;

/// The share of free bytes from which a compaction of a part of the keys is worth a copy, as a
/// divisor.
const FREE_SHARE: u64 = 4;

/// The size in bytes from which a file is compacted when only a part is requested.
const COMPACTED_BYTES_MIN: u64 = 4 << 20;

impl Store {
    /// Drops a range: a record in the log, then one step in the tables.
    pub(crate) fn drop_range(&self, range: &KeyRange) -> Result<()> {
        self.check_open()?;
        let mut environment = self.lock_tables();
        if self.is_range_empty(range)? {
            return Ok(());
        }
        self.flush_locked(&mut environment, Some(range), |_| Ok(()))
    }

    fn is_range_empty(&self, range: &KeyRange) -> Result<bool> {
        let mut scan = self.layers().clone().snapshot().scan(ScanSpec::forward(range.clone()).keys_only())?;
        Ok(range.is_empty() || scan.next_block(BlockLimits { rows: 1, bytes: 1 })?.is_none())
    }

    /// Estimates the bytes of a range's pairs.
    pub(crate) fn approximate_size_bytes(&self, range: &KeyRange) -> Result<u64> {
        let mut total = 0;
        self.visit_samples(range, &mut |_, bytes| total += bytes)?;
        Ok(total)
    }

    /// Returns keys that divide a range into pieces of similar size.
    pub(crate) fn split_points(&self, range: &KeyRange, parts: usize) -> Result<Vec<Vec<u8>>> {
        let mut samples: Vec<Sample> = Vec::new();
        self.visit_samples(range, &mut |key, bytes| samples.push((key.to_vec(), bytes)))?;
        samples.sort_unstable();
        let total: u64 = samples.iter().map(|(_, bytes)| bytes).sum();
        let piece = total / parts.max(1) as u64;
        let mut points: Vec<Vec<u8>> = Vec::new();
        let mut before = 0;
        for (key, bytes) in samples {
            let is_due = before >= piece * (points.len() as u64 + 1);
            let is_inside = key > range.start && range.contains(&key) && points.last() < Some(&key);
            if is_due && is_inside && points.len() + 1 < parts {
                points.push(key);
            }
            before += bytes;
        }
        Ok(points)
    }

    /// Passes samples of a range, in no order, to `visit`: keys, and the bytes that each
    /// represents. All pairs of a short range are samples.
    fn visit_samples(&self, range: &KeyRange, visit: &mut dyn FnMut(&[u8], u64)) -> Result<()> {
        self.check_open()?;
        if range.is_empty() {
            return Ok(());
        }
        let Layers { active, frozen, base } = self.readable_layers();
        visit_layer(&active.writes, range, visit);
        if let Some(frozen) = frozen {
            visit_layer(&frozen.layer.writes, range, visit);
        }
        base.version.read(|reader| {
            let samples = reader.samples(range)?;
            if samples.len() >= samples::ENOUGH {
                samples.iter().for_each(|(key, bytes)| visit(key, *bytes));
                return Ok(());
            }
            let mut left = READ_MAX;
            let mut visit_pair = |key: &[u8], value: &[u8]| {
                visit(key, (key.len() + value.len()) as u64);
                left -= 1;
                left > 0
            };
            reader.walk(range, false, &mut visit_pair).map(|_| ())
        })
    }

    /// Copies the tables without their free pages, if that is worth it.
    pub(crate) fn compact(&self, range: &KeyRange) -> Result<()> {
        self.check_open()?;
        let mut environment = self.lock_tables();
        self.flush_locked(&mut environment, None, |_| Ok(()))?;
        let (total, free) = (environment.total_bytes(), self.layers().base.version.free_bytes());
        let is_worth_it = total >= COMPACTED_BYTES_MIN && free >= total / FREE_SHARE;
        if *range != KeyRange::all() && !is_worth_it {
            return Ok(());
        }
        let compacted = environment.replace(&self.folder, &self.options)?;
        *environment = compacted;
        self.old_versions.clear();
        self.publish(&environment)
    }

    /// Writes a copy of the store into a new folder.
    pub(crate) fn checkpoint(&self, folder: &Path) -> Result<()> {
        self.check_open()?;
        if folder.exists() {
            let reason = format!("a checkpoint needs a new folder, but {} exists", folder.display());
            return Err(Error::Misuse { reason });
        }
        let mut environment = self.lock_tables();
        self.flush_locked(&mut environment, None, |_| Ok(()))?;
        std::fs::create_dir_all(folder).map_err(|error| map_open_io("creating", folder, &error))?;
        let copied = environment.copy_into(folder).and_then(|()| {
            Keyring::copy(&self.folder, folder).map_err(|error| {
                let (path, reason) = (folder.to_owned(), error.to_string());
                Error::NotWritable { path, reason }
            })?;
            format::write(folder, self.options.encryption.is_some())
        });
        if copied.is_err() {
            let _ = std::fs::remove_dir_all(folder);
        }
        copied
    }
}

/// Passes the writes of a layer in a range to `visit`. Of a long layer it visits the first ones.
fn visit_layer(writes: &Tree, range: &KeyRange, visit: &mut dyn FnMut(&[u8], u64)) {
    let entries = writes.iter_from(&range.start).take_while(|entry| range.is_before_end(entry.key()));
    for entry in entries.take(READ_MAX).filter(|entry| entry.value().is_some()) {
        visit(entry.key(), entry.size_bytes() as u64);
    }
}
