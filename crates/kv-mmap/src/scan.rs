//! Scans of a version of the tables.
//!
//! A scan holds no read transaction between two blocks. Each block begins with a lookup of the
//! place where the last one ended, which takes a microsecond.

use kv::{BLOCK_BYTES_MAX, Block, BlockLimits, Error, KeyRange, PrefixScan, Result, Scan, ScanSpec};

use crate::version::VersionHandle;

/// A scan of one range.
pub(crate) struct VersionScan {
    snapshot: VersionHandle,
    /// The scan; its range holds only the keys that were not returned yet.
    spec: ScanSpec,
    last_rows: usize,
    last_bytes: usize,
}

impl VersionScan {
    pub(crate) fn new(snapshot: VersionHandle, spec: ScanSpec) -> Self {
        VersionScan { snapshot, spec, last_rows: 0, last_bytes: 0 }
    }
}

impl Scan for VersionScan {
    fn next_block(&mut self, limits: BlockLimits) -> Result<Option<Block>> {
        self.snapshot.closed.check()?;
        let limits = limits.bounded();
        let ScanSpec { range, reverse, keys_only, .. } = &self.spec;
        // A block is likely to be as large as the one before.
        let mut block = Block::with_capacity(self.last_rows.min(limits.rows), self.last_bytes);
        let version = &self.snapshot.version;
        version.read(|reader| {
            reader.walk(range, *reverse, &mut |key, value| {
                let value = if *keys_only { &[] } else { value };
                block.push(key, value) && !limits.is_reached_by(&block)
            })
        })?;
        let Some(last) = block.last_key() else { return Ok(None) };
        self.spec.range = range.remainder(last, *reverse);
        (self.last_rows, self.last_bytes) = (block.len(), block.size_bytes());
        Ok(Some(block))
    }

    fn release(&mut self) {}

    fn rewind(&mut self, key: &[u8]) {
        self.spec.begin_at(key);
    }
}

/// A reader of many short ranges.
pub(crate) struct VersionPrefixScan {
    snapshot: VersionHandle,
}

impl VersionPrefixScan {
    pub(crate) fn new(snapshot: VersionHandle) -> Self {
        VersionPrefixScan { snapshot }
    }
}

impl PrefixScan for VersionPrefixScan {
    fn read(
        &mut self,
        prefix: &[u8],
        after: Option<&[u8]>,
        limits: BlockLimits,
        block: &mut Block,
    ) -> Result<bool> {
        self.snapshot.closed.check()?;
        let limits = limits.bounded();
        let mut range = KeyRange::prefix(prefix);
        if let Some(after) = after {
            range = range.remainder(after, false);
        }
        let version = &self.snapshot.version;
        let mut is_too_large = false;
        let ended = version.read(|reader| {
            reader.walk(&range, false, &mut |key, value| {
                is_too_large = !block.push(key, value);
                !is_too_large && !limits.is_reached_by(block)
            })
        })?;
        if is_too_large { Err(Error::TooLarge { limit_bytes: BLOCK_BYTES_MAX }) } else { Ok(!ended) }
    }

    fn release(&mut self) {}
}
