//! Operations on whole ranges of keys: drop, estimate the size, divide, compact, copy.

use std::path::Path;

use kv::{BlockLimits, Error, KeyRange, LocalStore, Result, ScanSpec, Snapshot, Tree};

use crate::error::map_open_io;
use crate::format;
use crate::layers::Layers;
use crate::samples::{self, Sample};
use crate::store::Store;

/// The size up to which a range is read whole to estimate its size, which takes a millisecond.
const MEASURED_WHOLE: BlockLimits = BlockLimits { rows: 4_096, bytes: 4 << 20 };

/// The size up to which a range is read whole to divide it, which takes 20 ms.
const DIVIDED_WHOLE: BlockLimits = BlockLimits { rows: 1 << 16, bytes: 16 << 20 };

/// The number of entries of each layer that an estimate reads at most. In a larger one, the rest is
/// taken to be like them.
const LAYER_ENTRIES_MAX: usize = 50_000;

/// The share of free pages from which a compaction of a part of the keys is worth a copy, as a
/// divisor.
const FREE_SHARE: u64 = 4;

/// The size in pages from which a file is compacted when less than everything is asked for.
const COMPACTED_PAGES_MIN: u64 = 1_024;

impl Store {
    /// Drops a range: a record in the log, then one step in the tables.
    pub(crate) fn drop_range(&self, range: &KeyRange) -> Result<()> {
        self.check_open()?;
        let environment = self.lock_tables();
        if self.is_range_empty(range)? {
            return Ok(());
        }
        self.flush_locked(&environment, Some(range), |_| Ok(()))
    }

    fn is_range_empty(&self, range: &KeyRange) -> Result<bool> {
        let mut scan = self.snapshot()?.scan(ScanSpec::forward(range.clone()).keys_only())?;
        Ok(range.is_empty() || scan.next_block(BlockLimits { rows: 1, bytes: 1 })?.is_none())
    }

    /// Estimates the bytes of a range's pairs.
    pub(crate) fn approximate_size_bytes(&self, range: &KeyRange) -> Result<u64> {
        Ok(self.samples(range, MEASURED_WHOLE)?.iter().map(|(_, bytes)| bytes).sum())
    }

    /// Returns keys that divide a range into pieces of similar size.
    pub(crate) fn split_points(&self, range: &KeyRange, parts: usize) -> Result<Vec<Vec<u8>>> {
        let samples = self.samples(range, DIVIDED_WHOLE)?;
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

    /// Returns samples of a range in ascending order: all pairs if they are below `whole`.
    fn samples(&self, range: &KeyRange, whole: BlockLimits) -> Result<Vec<Sample>> {
        self.check_open()?;
        if range.is_empty() {
            return Ok(Vec::new());
        }
        let layers = self.layers().clone();
        if let Some(pairs) = read_whole(&*layers.clone().snapshot(), range, whole)? {
            return Ok(pairs);
        }
        let Layers { active, frozen, base } = layers;
        let version = &base.version;
        let mut samples =
            version.read(|transaction| samples::of_range(version.tables().samples, transaction, range))?;
        samples_of_layer(&active.writes, range, &mut samples);
        if let Some(frozen) = frozen {
            samples_of_layer(&frozen.layer.writes, range, &mut samples);
        }
        samples.sort_unstable();
        Ok(samples)
    }

    /// Copies the mapped file without its free pages, if that is worth it.
    pub(crate) fn compact(&self, range: &KeyRange) -> Result<()> {
        self.check_open()?;
        let mut environment = self.lock_tables();
        self.flush_locked(&environment, None, |_| Ok(()))?;
        let (pages, free) = (environment.pages(), self.layers().base.version.free_pages());
        let is_worth_it = pages >= COMPACTED_PAGES_MIN && free >= pages / FREE_SHARE;
        if *range != KeyRange::all() && !is_worth_it {
            return Ok(());
        }
        let compacted = environment.replace(&self.folder, self.options.map_size())?;
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
        let environment = self.lock_tables();
        self.flush_locked(&environment, None, |_| Ok(()))?;
        std::fs::create_dir_all(folder).map_err(|error| map_open_io("creating", folder, &error))?;
        let copied = environment.copy_into(folder).and_then(|()| format::write(folder));
        if copied.is_err() {
            let _ = std::fs::remove_dir_all(folder);
        }
        copied
    }
}

/// Returns all pairs of a range and their sizes, or `None` if there are many.
fn read_whole(snapshot: &dyn Snapshot, range: &KeyRange, limits: BlockLimits) -> Result<Option<Vec<Sample>>> {
    let mut scan = snapshot.scan(ScanSpec::forward(range.clone()))?;
    let block = scan.next_block(limits)?.unwrap_or_default();
    if limits.is_reached_by(&block) {
        return Ok(None);
    }
    Ok(Some(block.iter().map(|(key, value)| (key.to_vec(), (key.len() + value.len()) as u64)).collect()))
}

/// Adds the writes of a layer in a range.
fn samples_of_layer(writes: &Tree, range: &KeyRange, samples: &mut Vec<Sample>) {
    let first = samples.len();
    let mut entries = writes.iter_from(&range.start).take_while(|entry| range.is_before_end(entry.key()));
    for entry in entries.by_ref().take(LAYER_ENTRIES_MAX) {
        if entry.value().is_some() {
            samples.push((entry.key().to_vec(), entry.size_bytes() as u64));
        }
    }
    if entries.next().is_some() {
        let factor = (writes.len() / LAYER_ENTRIES_MAX).max(1) as u64;
        samples.iter_mut().skip(first).for_each(|(_, bytes)| *bytes *= factor);
    }
}
