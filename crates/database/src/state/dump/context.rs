//! One dump context: the work that clients and jobs share, and the steps in which they do it.

use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

use aql_value::{MemoryAccount, Waiting};
use errors::{Error, Result};
use gzip_members::Packer;

use super::batches::Held;
use super::range::Range;
use super::reader::Written;
use super::registry::InUse;
use super::work::{DumpBatch, Limits, Made, Place, Work};

pub(crate) struct Context {
    work: Mutex<Work>,
    changed: Condvar,
    /// The snapshot's batch, which must not expire before the context.
    _batch: Option<InUse<Held>>,
}

impl Context {
    pub(crate) fn new(
        ranges: Vec<Range>,
        limits: Limits,
        batch: Option<InUse<Held>>,
        account: &Arc<MemoryAccount>,
    ) -> Self {
        debug_assert!(
            batch.as_ref().is_none_or(|batch| ranges.iter().all(|range| range.may_be_of(&batch.snapshot))),
            "a dump reads one snapshot"
        );
        let work = Mutex::new(Work::new(ranges, limits, account));
        Context { work, changed: Condvar::new(), _batch: batch }
    }

    /// Returns the bytes of batches that are kept or ready.
    pub(crate) fn memory_bytes(&self) -> u64 {
        self.lock().charge.bytes()
    }

    /// Releases the memory that idle ranges pin in the storage engine.
    pub(crate) fn release_idle(&self) {
        self.lock().waiting.values_mut().for_each(|range| range.reader.release());
    }

    /// Returns the batch that the client calls `number`, and makes it if necessary.
    ///
    /// `more` is called when another thread could read on.
    pub(crate) fn next(&self, number: u64, last: Option<u64>, more: &dyn Fn()) -> Result<Option<DumpBatch>> {
        let mut work = self.lock();
        if let Some(batch) = work.again(number, last)? {
            return Ok(Some(batch));
        }
        work.callers += 1;
        let (mut work, made) = self.wait_for_batch(work, more);
        work.callers -= 1;
        Ok(made?.map(|made| work.hand_out(number, made)))
    }

    /// Returns the batch like [`Context::next`], but only if it is ready.
    pub(crate) fn next_ready(&self, number: u64, last: Option<u64>) -> Result<Option<DumpBatch>> {
        let mut work = self.lock();
        if let Some(batch) = work.again(number, last)? {
            return Ok(Some(batch));
        }
        Ok(work.take_ready().map(|made| work.hand_out(number, made)))
    }

    fn wait_for_batch<'a>(
        &'a self,
        mut work: MutexGuard<'a, Work>,
        more: &dyn Fn(),
    ) -> (MutexGuard<'a, Work>, Result<Option<Made>>) {
        loop {
            if let Some(made) = work.take_ready() {
                return (work, Ok(Some(made)));
            }
            if let Some(error) = work.error.clone() {
                return (work, Err(error));
            }
            if work.has_room()
                && let Some((place, range)) = work.waiting.pop_first()
            {
                work = self.make(work, place, range, more);
                continue;
            }
            if work.reading + work.packing == 0 {
                return (work, Ok(None));
            }
            // The thread that works on a range may put its rest back, or finish a batch.
            let _waiting = Waiting::begin();
            work = self.changed.wait(work).unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// Makes a batch from a range, and puts the rest of the range back. An error is kept for the
    /// next client that asks.
    fn make<'a>(
        &'a self,
        mut work: MutexGuard<'a, Work>,
        place: Place,
        mut range: Range,
        more: &dyn Fn(),
    ) -> MutexGuard<'a, Work> {
        work.reading += 1;
        let Limits { form, is_packed, batch_bytes, .. } = work.limits;
        let memory = work.spare.pop().unwrap_or_default();
        let packer = is_packed.then(|| work.packers.pop().unwrap_or_default());
        drop(work);
        let collection = Arc::clone(&range.collection);
        let read = range.reader.write(form, batch_bytes, memory).and_then(|written| {
            let rest =
                if written.has_more { self.divide(range, written.last_key.as_deref())? } else { Vec::new() };
            Ok((written, rest))
        });
        let mut work = self.lock();
        work.reading -= 1;
        self.changed.notify_all();
        let (Written { bytes, documents, .. }, rest) = match read {
            Ok(read) => read,
            Err(error) => {
                work.error = Some(error);
                return work;
            }
        };
        let (collection_number, first) = place;
        work.waiting.extend((first..).map(|number| (collection_number, number)).zip(rest));
        if documents == 0 {
            work.spare(bytes, packer);
            return work;
        }
        let slot = work.open_slot();
        let Some(packer) = packer else {
            work.fill_slot(slot, collection, bytes);
            return work;
        };
        self.pack(work, slot, collection, bytes, packer, more)
    }

    /// Packs a batch for its place while other threads read on.
    fn pack<'a>(
        &'a self,
        mut work: MutexGuard<'a, Work>,
        slot: u64,
        collection: Arc<str>,
        bytes: Vec<u8>,
        mut packer: Packer,
        more: &dyn Fn(),
    ) -> MutexGuard<'a, Work> {
        work.packing += 1;
        drop(work);
        more();
        let packed = packer.pack(&bytes).map(<[u8]>::to_vec);
        let mut work = self.lock();
        work.packing -= 1;
        self.changed.notify_all();
        work.spare(bytes, Some(packer));
        match packed {
            Ok(packed) => work.fill_slot(slot, collection, packed),
            Err(error) => {
                work.close_slot(slot);
                work.error = Some(Error::internal(error));
            }
        }
        work
    }

    /// Returns the rest of a range, divided if several clients wait and no other range is left.
    fn divide(&self, range: Range, last_key: Option<&str>) -> Result<Vec<Range>> {
        let is_wanted = {
            let work = self.lock();
            work.waiting.is_empty() && work.clients() > 1
        };
        match (&range.divider, last_key) {
            (Some(divider), Some(last_key)) if is_wanted => divider.divide(last_key),
            _ => Ok(vec![range]),
        }
    }

    /// Returns the number of further jobs that should make batches ahead. Each counts as ordered
    /// until it begins.
    pub(crate) fn order_jobs(&self) -> usize {
        let mut work = self.lock();
        let Limits { prefetch, parallelism, .. } = work.limits;
        let idle = parallelism.saturating_sub(work.reading + work.packing + work.ordered);
        let free = work.waiting.len().saturating_sub(work.ordered);
        let wanted = prefetch.saturating_sub(work.ahead() + work.ordered);
        let jobs = idle.min(free).min(wanted);
        work.ordered += jobs;
        jobs
    }

    /// Withdraws a job that was ordered and will not begin.
    pub(crate) fn cancel_job(&self) {
        let mut work = self.lock();
        work.ordered = work.ordered.saturating_sub(1);
    }

    /// Makes batches until enough are ready. `more` is called when another thread could read on.
    pub(crate) fn make_ahead(&self, more: &dyn Fn()) {
        let mut work = self.lock();
        work.ordered = work.ordered.saturating_sub(1);
        let room = work.limits.maker_bytes();
        while work.has_room_ahead() && work.error.is_none() {
            // The memory is charged before use, and the charge is returned after each batch.
            if work.charge.grow(room).is_err() {
                return;
            }
            let range = work.waiting.pop_first();
            let Some((place, range)) = range else {
                work.charge.shrink(room);
                return;
            };
            work = self.make(work, place, range, more);
            work.charge.shrink(room);
        }
    }

    fn lock(&self) -> MutexGuard<'_, Work> {
        self.work.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
