//! Reads from a snapshot: the layers of committed writes over a version of the tables.

use std::sync::Arc;

use kv::{
    BLOCK_BYTES_MAX, ClosedFlag, Error, LivingSnapshot, PrefixScan, Result, Scan, ScanSpec, Snapshot, Values,
};

use crate::scan::{VersionPrefixScan, VersionScan};
use crate::version::VersionHandle;

impl Snapshot for VersionHandle {
    fn get_many(&self, keys: &[&[u8]]) -> Result<Values> {
        self.closed.check()?;
        self.version.read(|reader| {
            let mut values = Values::with_capacity(keys.len(), 0);
            for key in keys {
                if !reader.get(key, |value| values.push(value))? {
                    return Err(Error::TooLarge { limit_bytes: BLOCK_BYTES_MAX });
                }
                if values.is_full() {
                    break;
                }
            }
            Ok(values)
        })
    }

    fn scan(&self, spec: ScanSpec) -> Result<Box<dyn Scan>> {
        self.closed.check()?;
        Ok(Box::new(VersionScan::new(self.clone(), spec)))
    }

    fn prefix_scan(&self) -> Result<Box<dyn PrefixScan>> {
        self.closed.check()?;
        Ok(Box::new(VersionPrefixScan::new(self.clone())))
    }
}

/// A snapshot of the store, which the statistics count while it lives.
pub(crate) struct StoreSnapshot {
    pub(crate) layers: Arc<dyn Snapshot>,
    pub(crate) closed: ClosedFlag,
    pub(crate) _living: LivingSnapshot,
}

impl Snapshot for StoreSnapshot {
    fn get_many(&self, keys: &[&[u8]]) -> Result<Values> {
        self.closed.check()?;
        self.layers.get_many(keys)
    }

    fn scan(&self, spec: ScanSpec) -> Result<Box<dyn Scan>> {
        self.closed.check()?;
        self.layers.scan(spec)
    }

    fn prefix_scan(&self) -> Result<Box<dyn PrefixScan>> {
        self.closed.check()?;
        self.layers.prefix_scan()
    }
}
