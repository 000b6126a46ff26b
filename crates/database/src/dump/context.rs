//! One dump context: the ranges of keys that are not read yet, the batches that are ready, and those that clients may
//! ask for again.

use std::collections::{BTreeMap, HashMap, HashSet, VecDeque};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

use aql_value::{Charge, MemoryAccount};

use super::batches::Held;
use super::contexts::DumpBatch;
use super::range::Range;
use super::reader::Form;
use super::registry::InUse;
use crate::error::{Error, Result, number};

/// Bytes that wait for the client of one context.
const READ_AHEAD_BYTES: usize = 64 << 20;
/// Buffers that are kept for the next batches.
const SPARE_MAX: usize = 2;
/// Batches that are kept for a client that asks for them again; the oldest go first.
const HANDED_OUT_MAX: usize = 16;

/// How batches of a context are made.
#[derive(Clone, Copy, Debug)]
pub(super) struct Limits {
    pub(super) form: Form,
    /// Bytes after which a batch ends.
    pub(super) batch_bytes: usize,
    /// Batches that are made ahead.
    pub(super) prefetch: usize,
    /// Threads that make them.
    pub(super) parallelism: usize,
}

pub(super) struct Context {
    limits: Limits,
    work: Mutex<Work>,
    changed: Condvar,
    /// Keeps the batch from expiring.
    _batch: Option<InUse<Held>>,
}

/// The number of a collection, and that of a range of it.
type Place = (usize, usize);

struct Work {
    /// Ranges that nobody works on, in order.
    waiting: BTreeMap<Place, Range>,
    /// Ranges that somebody works on.
    running: usize,
    /// Requests for a batch that wait for it.
    callers: usize,
    ready: VecDeque<Made>,
    ready_bytes: usize,
    handed_out: HashMap<u64, Made>,
    /// Numbers in `handed_out`, oldest first.
    handed_out_order: VecDeque<u64>,
    /// Numbers of batches that were handed out, not given back, and are not kept.
    not_kept: HashSet<u64>,
    charge: Charge,
    /// Memory of batches that clients have given back, for new ones.
    spare: Vec<Vec<u8>>,
    /// Jobs that are to make batches ahead and have not begun.
    ordered: usize,
    error: Option<Error>,
}

#[derive(Clone)]
struct Made {
    collection: Arc<str>,
    bytes: Arc<Vec<u8>>,
    /// Whether `Work::charge` has the bytes.
    is_charged: bool,
}

impl Work {
    fn new(ranges: Vec<Range>, account: &Arc<MemoryAccount>) -> Self {
        Work {
            waiting: (0..).map(|collection| (collection, 0)).zip(ranges).collect(),
            running: 0,
            callers: 0,
            ready: VecDeque::new(),
            ready_bytes: 0,
            handed_out: HashMap::new(),
            handed_out_order: VecDeque::new(),
            not_kept: HashSet::new(),
            charge: Charge::new(Arc::clone(account)),
            spare: Vec::new(),
            ordered: 0,
            error: None,
        }
    }

    /// How many clients there seem to be: those who wait, and those who have not given their last batch back.
    fn clients(&self) -> usize {
        self.callers + self.handed_out.len() + self.not_kept.len()
    }

    fn forget(&mut self, number: u64) {
        self.not_kept.remove(&number);
        if let Some(made) = self.handed_out.remove(&number) {
            self.uncharge(&made);
            self.handed_out_order.retain(|known| *known != number);
            // Unless the reply is still being sent.
            if let Ok(memory) = Arc::try_unwrap(made.bytes)
                && self.spare.len() < SPARE_MAX
            {
                self.spare.push(memory);
            }
        }
    }

    fn uncharge(&mut self, made: &Made) {
        if made.is_charged {
            self.charge.shrink(made.bytes.len() as u64);
        }
    }

    /// Takes back the batch `last`, and gives the batch `number` again if it was handed out before.
    fn again(&mut self, number: u64, last: Option<u64>) -> Result<Option<DumpBatch>> {
        if let Some(last) = last {
            self.forget(last);
        }
        if let Some(made) = self.handed_out.get(&number).cloned() {
            let ready = self.ready.len();
            return Ok(Some(DumpBatch { collection: made.collection, bytes: made.bytes, ready }));
        }
        if self.not_kept.contains(&number) {
            let message =
                format!("cursor not found: batch {number} was handed out, and is not kept any more");
            return Err(Error::new(number::CURSOR_NOT_FOUND, message));
        }
        Ok(None)
    }

    fn take_ready(&mut self) -> Option<Made> {
        let made = self.ready.pop_front()?;
        self.ready_bytes -= made.bytes.len();
        Some(made)
    }

    /// Keeps a batch until the client says that it has it. Without memory for that, the client cannot ask again.
    fn hand_out(&mut self, number: u64, mut made: Made) -> DumpBatch {
        let batch = DumpBatch {
            collection: Arc::clone(&made.collection),
            bytes: Arc::clone(&made.bytes),
            ready: self.ready.len(),
        };
        if !made.is_charged {
            made.is_charged = self.charge.grow(made.bytes.len() as u64).is_ok();
        }
        if made.is_charged {
            self.handed_out.insert(number, made);
            self.handed_out_order.push_back(number);
            if self.handed_out_order.len() > HANDED_OUT_MAX
                && let Some(oldest) = self.handed_out_order.front().copied()
            {
                self.forget(oldest);
                self.not_kept.insert(oldest);
            }
        } else {
            self.not_kept.insert(number);
        }
        batch
    }
}

impl Context {
    pub(super) fn new(
        ranges: Vec<Range>,
        limits: Limits,
        batch: Option<InUse<Held>>,
        account: &Arc<MemoryAccount>,
    ) -> Self {
        let work = Mutex::new(Work::new(ranges, account));
        Context { limits, work, changed: Condvar::new(), _batch: batch }
    }

    /// Bytes of batches that are kept or wait.
    pub(super) fn memory_bytes(&self) -> u64 {
        self.lock().charge.bytes()
    }

    /// Lets go of what ranges pin in the storage engine that nobody reads just now.
    pub(super) fn release_idle(&self) {
        self.lock().waiting.values_mut().for_each(|range| range.reader.release());
    }

    pub(super) fn next(&self, number: u64, last: Option<u64>) -> Result<Option<DumpBatch>> {
        let mut work = self.lock();
        if let Some(batch) = work.again(number, last)? {
            return Ok(Some(batch));
        }
        work.callers += 1;
        let (mut work, made) = self.wait_for_batch(work);
        work.callers -= 1;
        Ok(made?.map(|made| work.hand_out(number, made)))
    }

    /// As [`Context::next`], but only what is there already.
    pub(super) fn next_ready(&self, number: u64, last: Option<u64>) -> Result<Option<DumpBatch>> {
        let mut work = self.lock();
        if let Some(batch) = work.again(number, last)? {
            return Ok(Some(batch));
        }
        Ok(work.take_ready().map(|made| work.hand_out(number, made)))
    }

    fn wait_for_batch<'a>(
        &'a self,
        mut work: MutexGuard<'a, Work>,
    ) -> (MutexGuard<'a, Work>, Result<Option<Made>>) {
        loop {
            if let Some(made) = work.take_ready() {
                return (work, Ok(Some(made)));
            }
            if let Some(error) = work.error.clone() {
                return (work, Err(error));
            }
            if let Some((place, range)) = work.waiting.pop_first() {
                work.running += 1;
                let made;
                (work, made) = self.make(work, place, range);
                match made {
                    Ok(None) => continue,
                    made => return (work, made),
                }
            }
            if work.running == 0 {
                return (work, Ok(None));
            }
            // Who works on a range may leave a rest of it, or have a batch.
            work = self.changed.wait(work).unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// Makes a batch of a range that was taken, and puts back what is left of it.
    fn make<'a>(
        &'a self,
        mut work: MutexGuard<'a, Work>,
        place: Place,
        mut range: Range,
    ) -> (MutexGuard<'a, Work>, Result<Option<Made>>) {
        let reuse = work.spare.pop().unwrap_or_default();
        drop(work);
        let collection = Arc::clone(&range.collection);
        let made = range.reader.write(self.limits.form, self.limits.batch_bytes, reuse).and_then(|written| {
            let rest =
                if written.has_more { self.divide(range, written.last_key.as_deref())? } else { Vec::new() };
            let bytes = Arc::new(written.bytes);
            Ok(((written.documents > 0).then_some(Made { collection, bytes, is_charged: false }), rest))
        });
        let mut work = self.lock();
        work.running -= 1;
        let made = match made {
            Ok((made, rest)) => {
                let (collection, first) = place;
                work.waiting.extend((first..).map(|number| (collection, number)).zip(rest));
                Ok(made)
            }
            Err(error) => {
                work.error = Some(error.clone());
                Err(error)
            }
        };
        self.changed.notify_all();
        (work, made)
    }

    /// What is left of a range; in pieces if there are several clients and nothing else to give them.
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

    /// How many more jobs should make batches ahead. Each is counted until it begins.
    pub(super) fn order_jobs(&self) -> usize {
        let mut work = self.lock();
        let busy = work.running + work.ordered;
        let wanted = self
            .limits
            .parallelism
            .min(self.limits.prefetch.saturating_sub(work.ready.len()))
            .min(work.waiting.len());
        let jobs = wanted.saturating_sub(busy);
        work.ordered += jobs;
        jobs
    }

    pub(super) fn make_ahead(&self) {
        let mut work = self.lock();
        work.ordered = work.ordered.saturating_sub(1);
        while work.ready.len() + work.running < self.limits.prefetch
            && work.ready_bytes + self.limits.batch_bytes * (work.running + 1) <= READ_AHEAD_BYTES
            && work.error.is_none()
        {
            // Drawn before the memory is used, and given back if the batch is smaller.
            let room = self.limits.batch_bytes as u64;
            if work.charge.grow(room).is_err() {
                return;
            }
            let Some((place, range)) = work.waiting.pop_first() else {
                work.charge.shrink(room);
                return;
            };
            work.running += 1;
            let made;
            (work, made) = self.make(work, place, range);
            work.charge.shrink(room);
            // An error stays for the client that asks next.
            let Ok(Some(mut made)) = made else { continue };
            made.is_charged = work.charge.grow(made.bytes.len() as u64).is_ok();
            work.ready_bytes += made.bytes.len();
            work.ready.push_back(made);
            self.changed.notify_all();
        }
    }

    fn lock(&self) -> MutexGuard<'_, Work> {
        self.work.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
