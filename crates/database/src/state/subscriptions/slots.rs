//! Readers that share a subscription by keys.
//!
//! Keys are divided among [`SLOTS`] slots by their hash. Each slot has a position of its own, and
//! belongs to at most one reader, which reads the changes of its keys in order. A reader has at
//! most one batch that it has not acknowledged. A slot changes hands only while its reader has no
//! such batch, or after the reader has been silent for too long.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::{Duration, Instant, SystemTime};

use errors::{Error, ErrorCode, Result};

/// The number of slots, and the greatest number of readers. It is part of the storage format.
pub(crate) const SLOTS: usize = 32;

/// The positions of the slots that a reader has; `None` for those of others.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Share(pub(crate) [Option<u64>; SLOTS]);

/// The slots of a subscription and its readers.
pub(crate) struct Slots {
    positions: [u64; SLOTS],
    owners: [Option<Arc<str>>; SLOTS],
    readers: BTreeMap<Arc<str>, Reader>,
    /// The time after which a silent reader loses its slots.
    patience: Duration,
}

struct Reader {
    heard: Instant,
    seen: SystemTime,
    /// Requests that wait for changes.
    waiting: usize,
    batch: Option<Batch>,
}

struct Batch {
    id: u64,
    /// The position up to which the slots are read once the batch is acknowledged.
    end: u64,
    changes: u64,
}

/// A reader of a subscription.
#[derive(Clone, Debug)]
pub struct SubscriptionReader {
    /// Its name.
    pub name: String,
    /// The number of its slots.
    pub slots: usize,
    /// The changes that it has not acknowledged.
    pub pending: u64,
    /// The time of its last request.
    pub seen: SystemTime,
}

impl Share {
    /// Returns the position from which all slots of the share can be read; `None` without slots.
    pub(crate) fn lowest(&self) -> Option<u64> {
        self.0.iter().flatten().min().copied()
    }

    /// Notes that everything up to `end` was read.
    fn advance(&mut self, end: u64) {
        for position in self.0.iter_mut().flatten() {
            *position = end.max(*position);
        }
    }
}

impl Slots {
    /// Returns the slots without readers.
    pub(crate) fn new(positions: [u64; SLOTS], patience: Duration) -> Self {
        Slots { positions, owners: Default::default(), readers: BTreeMap::new(), patience }
    }

    /// Returns the positions of all slots.
    pub(crate) fn positions(&self) -> &[u64; SLOTS] {
        &self.positions
    }

    /// Returns the position below which all changes are acknowledged.
    pub(crate) fn lowest(&self) -> u64 {
        self.positions.iter().min().copied().unwrap_or_default()
    }

    /// Begins a request of a reader, which gets its fair share of slots as far as they are free. A
    /// batch that it has not acknowledged is forgotten: the reader gets its changes again.
    ///
    /// Errors: 32 if there are too many readers.
    pub(crate) fn join(&mut self, name: &str, now: Instant) -> Result<Share> {
        self.forget_silent(now);
        if self.readers.len() >= SLOTS && !self.readers.contains_key(name) {
            let message = format!("a subscription has at most {SLOTS} readers");
            return Err(Error::new(ErrorCode::ResourceLimit, message));
        }
        let key: Arc<str> =
            self.readers.get_key_value(name).map_or_else(|| name.into(), |(key, _)| Arc::clone(key));
        let reader = self.readers.entry(Arc::clone(&key)).or_insert_with(|| Reader {
            heard: now,
            seen: SystemTime::now(),
            waiting: 0,
            batch: None,
        });
        (reader.heard, reader.seen, reader.batch) = (now, SystemTime::now(), None);
        reader.waiting += 1;
        self.divide(&key);
        Ok(self.share(&key))
    }

    /// Ends a request of a reader.
    pub(crate) fn leave(&mut self, name: &str, now: Instant) {
        if let Some(reader) = self.readers.get_mut(name) {
            reader.waiting = reader.waiting.saturating_sub(1);
            reader.heard = now;
        }
    }

    /// Returns true if a request with this share must be begun again.
    pub(crate) fn is_stale(&self, name: &str, share: &Share, now: Instant) -> bool {
        let lacks_slots = share.lowest().is_none() && self.owners.iter().any(Option::is_none);
        let is_silent = |reader: &Reader| self.is_silent(reader, now);
        lacks_slots || self.readers.values().any(is_silent) || self.share(name) != *share
    }

    /// Notes a batch up to `end` that the reader gets, unless its share has changed since it
    /// joined. Returns true if the batch counts.
    pub(crate) fn begin_batch(&mut self, name: &str, share: &Share, batch: (u64, u64, u64)) -> bool {
        if self.share(name) != *share {
            return false;
        }
        let (id, end, changes) = batch;
        if let Some(reader) = self.readers.get_mut(name) {
            reader.batch = Some(Batch { id, end, changes });
        }
        true
    }

    /// Notes that there is nothing for the reader up to `end`, unless its share has changed.
    /// Returns true if it counts.
    pub(crate) fn advance(&mut self, name: &str, share: &mut Share, end: u64) -> bool {
        if self.share(name) != *share {
            return false;
        }
        self.advance_slots_of(name, end);
        share.advance(end);
        true
    }

    /// Acknowledges a batch. Returns false if it is not known, or its changes were given to another
    /// reader.
    pub(crate) fn acknowledge(&mut self, id: u64, now: Instant) -> bool {
        let is_it = |reader: &Reader| reader.batch.as_ref().is_some_and(|batch| batch.id == id);
        let Some((name, reader)) = self.readers.iter_mut().find(|(_, reader)| is_it(reader)) else {
            return false;
        };
        let (name, batch) = (Arc::clone(name), reader.batch.take());
        (reader.heard, reader.seen) = (now, SystemTime::now());
        self.advance_slots_of(&name, batch.map_or(0, |batch| batch.end));
        true
    }

    /// Moves all slots to a position. Batches are forgotten.
    pub(crate) fn move_to(&mut self, position: u64) {
        self.positions = [position; SLOTS];
        self.readers.values_mut().for_each(|reader| reader.batch = None);
    }

    /// Returns the readers by name.
    pub(crate) fn readers(&self, now: Instant) -> Vec<SubscriptionReader> {
        let present = self.readers.iter().filter(|(_, reader)| !self.is_silent(reader, now));
        present
            .map(|(name, reader)| SubscriptionReader {
                name: name.to_string(),
                slots: self.count_of(name),
                pending: reader.batch.as_ref().map_or(0, |batch| batch.changes),
                seen: reader.seen,
            })
            .collect()
    }

    /// Takes slots for a reader until it has its fair share: first free ones, then those that
    /// others have beyond theirs. A reader beyond its own share gives up the rest.
    fn divide(&mut self, name: &Arc<str>) {
        let fair = SLOTS.div_ceil(self.readers.len().max(1));
        let owned: Vec<usize> = (0..SLOTS).filter(|slot| self.is_owner(*slot, name)).collect();
        for slot in owned.iter().skip(fair) {
            self.owners[*slot] = None;
        }
        let mut lacking = fair.saturating_sub(owned.len());
        for slot in 0..SLOTS {
            if lacking == 0 {
                break;
            }
            let is_free = match &self.owners[slot] {
                None => true,
                Some(owner) => {
                    owner != name
                        && self.readers.get(owner).is_none_or(|reader| reader.batch.is_none())
                        && self.count_of(owner) > fair
                }
            };
            if is_free {
                self.owners[slot] = Some(Arc::clone(name));
                lacking -= 1;
            }
        }
    }

    fn forget_silent(&mut self, now: Instant) {
        let silent: Vec<Arc<str>> = self
            .readers
            .iter()
            .filter(|(_, reader)| self.is_silent(reader, now))
            .map(|(name, _)| Arc::clone(name))
            .collect();
        for name in silent {
            self.readers.remove(&name);
            self.owners
                .iter_mut()
                .filter(|owner| owner.as_ref() == Some(&name))
                .for_each(|owner| *owner = None);
        }
    }

    fn is_silent(&self, reader: &Reader, now: Instant) -> bool {
        reader.waiting == 0 && now.saturating_duration_since(reader.heard) >= self.patience
    }

    fn share(&self, name: &str) -> Share {
        Share(std::array::from_fn(|slot| self.is_owner(slot, name).then_some(self.positions[slot])))
    }

    fn advance_slots_of(&mut self, name: &str, end: u64) {
        for slot in 0..SLOTS {
            if self.is_owner(slot, name) {
                self.positions[slot] = self.positions[slot].max(end);
            }
        }
    }

    fn is_owner(&self, slot: usize, name: &str) -> bool {
        self.owners[slot].as_deref() == Some(name)
    }

    fn count_of(&self, name: &str) -> usize {
        (0..SLOTS).filter(|slot| self.is_owner(*slot, name)).count()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PATIENCE: Duration = Duration::from_secs(10);

    fn slots() -> Slots {
        Slots::new([5; SLOTS], PATIENCE)
    }

    fn count(share: &Share) -> usize {
        share.0.iter().flatten().count()
    }

    #[test]
    fn a_reader_alone_has_all_slots_and_two_share_them() {
        let (mut slots, now) = (slots(), Instant::now());
        let one = slots.join("one", now).unwrap();
        assert_eq!((count(&one), one.lowest()), (SLOTS, Some(5)));
        let two = slots.join("two", now).unwrap();
        assert_eq!(count(&two), SLOTS / 2);
        assert!(slots.is_stale("one", &one, now));
        let one = slots.join("one", now).unwrap();
        assert_eq!(count(&one), SLOTS / 2);
        assert!(one.0.iter().zip(&two.0).all(|(one, two)| one.is_some() != two.is_some()));
        assert!(!slots.is_stale("one", &one, now));
    }

    #[test]
    fn slots_with_a_batch_stay_until_it_is_acknowledged() {
        let (mut slots, now) = (slots(), Instant::now());
        let one = slots.join("one", now).unwrap();
        assert!(slots.begin_batch("one", &one, (1, 9, 3)));
        slots.leave("one", now);
        assert_eq!(slots.readers(now)[0].pending, 3);
        assert_eq!(count(&slots.join("two", now).unwrap()), 0);
        assert!(slots.acknowledge(1, now));
        assert!(!slots.acknowledge(1, now), "it was acknowledged already");
        let two = slots.join("two", now).unwrap();
        assert_eq!((count(&two), two.lowest()), (SLOTS / 2, Some(9)));
        assert_eq!(slots.lowest(), 9);
    }

    #[test]
    fn a_silent_reader_loses_its_slots_and_its_batch() {
        let (mut slots, now) = (slots(), Instant::now());
        let one = slots.join("one", now).unwrap();
        assert!(slots.begin_batch("one", &one, (1, 9, 3)));
        // It waits, so it is not silent.
        let later = now + PATIENCE;
        assert_eq!(slots.readers(later).len(), 1);
        slots.leave("one", now);
        let mut two = slots.join("two", later).unwrap();
        assert_eq!((count(&two), two.lowest()), (SLOTS, Some(5)));
        assert!(!slots.acknowledge(1, later));
        assert!(slots.advance("two", &mut two, 7));
        assert_eq!((two.lowest(), slots.lowest()), (Some(7), 7));
    }

    #[test]
    fn what_was_read_before_a_move_does_not_count() {
        let (mut slots, now) = (slots(), Instant::now());
        let mut share = slots.join("one", now).unwrap();
        slots.move_to(2);
        assert!(slots.is_stale("one", &share, now));
        assert!(!slots.begin_batch("one", &share, (1, 9, 1)));
        assert!(!slots.advance("one", &mut share, 9));
        assert_eq!(slots.lowest(), 2);
    }

    #[test]
    fn there_are_no_more_readers_than_slots() {
        let (mut slots, now) = (slots(), Instant::now());
        for reader in 0..SLOTS {
            slots.join(&reader.to_string(), now).unwrap();
        }
        assert_eq!(slots.join("one more", now).unwrap_err().number(), 32);
    }
}
