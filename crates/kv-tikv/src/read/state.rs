//! The state at a timestamp, which a snapshot and its scans read.

use std::sync::Arc;

use kv::{Error, LivingSnapshot, Result, Values};

use crate::fetch::Found;
use crate::read::remembered::Remembered;
use crate::replica_reads::ReadAt;
use crate::shared::Shared;
use crate::values;
use crate::versions::Held;

/// The number of keys of the first lookup, and of the greatest one.
const LOOK_UP_KEYS_FIRST: usize = 256;
const LOOK_UP_KEYS_MAX: usize = 4096;

/// The state at a timestamp.
pub(crate) struct State {
    pub(crate) store: Arc<Shared>,
    pub(crate) read: ReadAt,
    /// The reads that were rehearsed, of all views of the snapshot.
    pub(crate) remembered: Arc<Remembered>,
    /// Reads are remembered.
    pub(crate) rehearses: bool,
    _held: Held,
    _living: LivingSnapshot,
}

impl State {
    pub(crate) fn new(store: Arc<Shared>, read: ReadAt) -> Self {
        let (held, living) = (store.versions.hold(read.at), store.snapshots.enter());
        let (remembered, rehearses) = (Arc::default(), false);
        State { store, read, remembered, rehearses, _held: held, _living: living }
    }

    /// Returns a view whose reads are remembered for the others.
    pub(crate) fn rehearsal(&self) -> State {
        self.remembered.begin();
        let remembered = Arc::clone(&self.remembered);
        State { remembered, rehearses: true, ..State::new(Arc::clone(&self.store), self.read) }
    }

    /// Checks that the cluster still keeps this state, and that the store is open.
    pub(crate) fn check(&self) -> Result<()> {
        self.store.check_open()?;
        self.store.versions.check(self.read.at)
    }

    /// Looks up keys. Fewer keys than asked for have a result if their values are long.
    pub(crate) fn look_up(&self, keys: &[&[u8]]) -> Result<Values> {
        let mut values = Values::with_capacity(keys.len(), 0);
        let mut count = LOOK_UP_KEYS_FIRST;
        while values.len() < keys.len() && !values.is_full() {
            let asked = keys.get(values.len()..).unwrap_or_default();
            let asked = asked.get(..count.min(asked.len())).unwrap_or_default();
            let names: Vec<Vec<u8>> = asked.iter().map(|key| self.store.keys.data(key)).collect();
            let found = self.find(&names)?;
            for name in &names {
                if values.is_full() {
                    break;
                }
                if !values.push(found.get(name).map(|value| values::decode(value))) {
                    return Err(Error::TooLarge { limit_bytes: kv::BLOCK_BYTES_MAX });
                }
            }
            let average = values.bytes().len() / values.len().max(1) + 1;
            count = (kv::LOOKUP_BYTES / average).clamp(16, LOOK_UP_KEYS_MAX);
        }
        Ok(values)
    }

    fn find(&self, names: &[Vec<u8>]) -> Result<Found> {
        let (mut names, mut found) = (names.to_vec(), Found::new());
        names.sort_unstable();
        names.dedup();
        self.remembered.take_values(&mut names, &mut found);
        if names.is_empty() {
            return Ok(found);
        }
        let (client, read) = (Arc::clone(&self.store.client), self.read);
        let asked = if self.rehearses { names.clone() } else { Vec::new() };
        let fetched: Found = self.store.wait(async move {
            match names.as_slice() {
                [name] => {
                    let value = client.get(name, read).await?;
                    Ok(value.into_iter().map(|value| (name.clone(), value)).collect())
                }
                _ => client.get_many(names, read).await,
            }
        })?;
        if self.rehearses {
            self.remembered.add_values(&asked, &fetched);
        }
        found.extend(fetched);
        Ok(found)
    }
}
