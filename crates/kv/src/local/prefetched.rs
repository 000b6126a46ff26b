//! Lookups in a transaction's base that were made in a batch, ahead of their use.

use std::collections::HashMap;
use std::sync::Arc;

use crate::{Error, PrefixScan, Result, Scan, ScanSpec, Snapshot, Values};

/// Maximum bytes of values that are kept. The rest is looked up when it is needed.
const BYTES_MAX: usize = 16 << 20;

/// The results of lookups in one snapshot. They stay right as long as the snapshot does.
#[derive(Default)]
pub(super) struct Prefetched {
    values: Vec<Values>,
    /// Each key, the position of its lookup in `values`, and its position there.
    places: HashMap<Box<[u8]>, (usize, usize)>,
}

impl Prefetched {
    /// Looks up keys in a snapshot. Ends early if their values are long.
    pub(super) fn look_up(base: &dyn Snapshot, keys: &[&[u8]]) -> Result<Self> {
        let mut prefetched = Prefetched { values: Vec::new(), places: HashMap::with_capacity(keys.len()) };
        let (mut rest, mut bytes) = (keys, 0);
        while !rest.is_empty() && bytes < BYTES_MAX {
            let found = base.get_many(rest)?;
            let (done, next) = rest.split_at(found.len().min(rest.len()));
            if done.is_empty() {
                break;
            }
            let lookup = prefetched.values.len();
            let places = done.iter().enumerate().map(|(place, key)| ((*key).into(), (lookup, place)));
            prefetched.places.extend(places);
            bytes += found.bytes().len();
            prefetched.values.push(found);
            rest = next;
        }
        Ok(prefetched)
    }

    /// Returns the value of a key, which may be absent; `None` if the key was not looked up.
    pub(super) fn get(&self, key: &[u8]) -> Option<Option<&[u8]>> {
        let (lookup, place) = *self.places.get(key)?;
        self.values.get(lookup).map(|values| values.get(place))
    }

    pub(super) fn is_empty(&self) -> bool {
        self.places.is_empty()
    }

    /// Estimates the bytes of memory that the results take.
    pub(super) fn memory_bytes(&self) -> usize {
        const PLACE_BYTES: usize = 96;
        self.values.iter().map(|values| values.bytes().len()).sum::<usize>() + self.places.len() * PLACE_BYTES
    }
}

/// A snapshot whose lookups need no message if all of their keys were looked up before.
pub(super) struct WithPrefetched<'a> {
    pub(super) base: &'a Arc<dyn Snapshot>,
    pub(super) prefetched: &'a Prefetched,
}

impl Snapshot for WithPrefetched<'_> {
    fn get_many(&self, keys: &[&[u8]]) -> Result<Values> {
        let known: Option<Vec<Option<&[u8]>>> = keys.iter().map(|key| self.prefetched.get(key)).collect();
        let Some(known) = known else { return self.base.get_many(keys) };
        let mut values = Values::with_capacity(keys.len(), 0);
        for value in known {
            if !values.push(value) {
                return Err(Error::TooLarge { limit_bytes: crate::block::BLOCK_BYTES_MAX });
            }
            if values.is_full() {
                break;
            }
        }
        Ok(values)
    }

    fn scan(&self, spec: ScanSpec) -> Result<Box<dyn Scan>> {
        self.base.scan(spec)
    }

    fn prefix_scan(&self) -> Result<Box<dyn PrefixScan>> {
        self.base.prefix_scan()
    }
}
