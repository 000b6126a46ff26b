//! One dump context: the unread ranges of keys, the batches that are ready, and the batches that
//! clients may request again.

use std::collections::{BTreeMap, HashMap, HashSet, VecDeque};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

use aql_value::{Charge, MemoryAccount};
use gzip_members::Packer;

use super::batches::Held;
use super::range::Range;
use super::reader::{Form, Written};
use super::registry::InUse;
use errors::{Error, ErrorCode, Result};

/// A piece of a collection.
#[derive(Clone, Debug)]
pub struct DumpBatch {
    /// The collection's name.
    pub collection: Arc<str>,
    /// Lines or an array, packed if `is_packed`.
    pub bytes: Arc<Vec<u8>>,
    /// The form of the documents: lines or an array.
    pub form: Form,
    /// True if the bytes are packed as one gzip member.
    pub is_packed: bool,
    /// The number of batches that are ready now.
    pub ready: usize,
}

/// Bytes that may be ready and wait for the clients of one context.
const READ_AHEAD_BYTES: usize = 64 << 20;
/// Buffers and packers that are kept for later batches.
const SPARE_MAX: usize = 2;
/// Delivered batches that are kept in case a client requests them again; the oldest go first.
const HANDED_OUT_MAX: usize = 16;

/// The form, the size and the read-ahead of a context's batches.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Limits {
    pub(crate) form: Form,
    /// True if batches are gzip members.
    pub(crate) is_packed: bool,
    /// Bytes after which a batch ends, before packing.
    pub(crate) batch_bytes: usize,
    /// Batches that are made ahead.
    pub(crate) prefetch: usize,
    /// Threads that make batches.
    pub(crate) parallelism: usize,
}

impl Limits {
    /// Returns the bytes that making a batch takes: its text, and as much room for packing it.
    fn maker_bytes(&self) -> u64 {
        self.batch_bytes as u64 * if self.is_packed { 2 } else { 1 }
    }
}

pub(crate) struct Context {
    work: Mutex<Work>,
    changed: Condvar,
    /// The snapshot's batch, which must not expire before the context.
    _batch: Option<InUse<Held>>,
}

/// The number of a collection, and the number of a range in it.
type Place = (usize, usize);

struct Work {
    limits: Limits,
    /// Ranges that no thread works on, in order.
    waiting: BTreeMap<Place, Range>,
    /// Number of ranges that are being read.
    reading: usize,
    /// Number of batches that are being packed. Other threads may read on in their ranges.
    packing: usize,
    /// Number of requests that wait for a batch.
    callers: usize,
    /// Batches in the order in which they were read.
    ready: VecDeque<Slot>,
    ready_bytes: usize,
    next_slot: u64,
    handed_out: HashMap<u64, Made>,
    /// Numbers in `handed_out`, oldest first.
    handed_out_order: VecDeque<u64>,
    /// Numbers of delivered batches that were not given back and are not kept.
    not_kept: HashSet<u64>,
    charge: Charge,
    /// Buffers of batches that were given back or packed, to be used again.
    spare: Vec<Vec<u8>>,
    packers: Vec<Packer>,
    /// Jobs that were ordered to make batches ahead and have not begun.
    ordered: usize,
    error: Option<Error>,
}

/// The place of a batch in the order of reading; `made` is `None` while the batch is being packed.
struct Slot {
    number: u64,
    made: Option<Made>,
}

struct Made {
    collection: Arc<str>,
    bytes: Arc<Vec<u8>>,
    /// True if the bytes are charged to `Work::charge`.
    is_charged: bool,
}

impl Work {
    fn new(ranges: Vec<Range>, limits: Limits, account: &Arc<MemoryAccount>) -> Self {
        Work {
            limits,
            waiting: (0..).map(|collection| (collection, 0)).zip(ranges).collect(),
            reading: 0,
            packing: 0,
            callers: 0,
            ready: VecDeque::new(),
            ready_bytes: 0,
            next_slot: 0,
            handed_out: HashMap::new(),
            handed_out_order: VecDeque::new(),
            not_kept: HashSet::new(),
            charge: Charge::new(Arc::clone(account)),
            spare: Vec::new(),
            packers: Vec::new(),
            ordered: 0,
            error: None,
        }
    }

    /// Estimates the number of clients: those that wait, and those that have not given their last
    /// batch back.
    fn clients(&self) -> usize {
        self.callers + self.handed_out.len() + self.not_kept.len()
    }

    fn forget(&mut self, number: u64) {
        self.not_kept.remove(&number);
        if let Some(made) = self.handed_out.remove(&number) {
            self.uncharge(&made);
            self.handed_out_order.retain(|known| *known != number);
            // The buffer cannot be used again while the reply is still being sent.
            if !self.limits.is_packed
                && let Ok(memory) = Arc::try_unwrap(made.bytes)
            {
                self.spare(memory, None);
            }
        }
    }

    /// Keeps a buffer and a packer for the next batch, if another one follows.
    fn spare(&mut self, memory: Vec<u8>, packer: Option<Packer>) {
        if self.waiting.is_empty() && self.reading == 0 {
            self.spare.clear();
            self.packers.clear();
            return;
        }
        if self.spare.len() < SPARE_MAX {
            self.spare.push(memory);
        }
        if self.packers.len() < SPARE_MAX {
            self.packers.extend(packer);
        }
    }

    fn batch(&self, made: &Made) -> DumpBatch {
        let Limits { form, is_packed, .. } = self.limits;
        let (collection, bytes) = (Arc::clone(&made.collection), Arc::clone(&made.bytes));
        let ready = self.ready.iter().filter(|slot| slot.made.is_some()).count();
        DumpBatch { collection, bytes, form, is_packed, ready }
    }

    fn uncharge(&mut self, made: &Made) {
        if made.is_charged {
            self.charge.shrink(made.bytes.len() as u64);
        }
    }

    /// Takes back the batch `last`, and returns the batch `number` if it was delivered before.
    fn again(&mut self, number: u64, last: Option<u64>) -> Result<Option<DumpBatch>> {
        if let Some(last) = last {
            self.forget(last);
        }
        if let Some(made) = self.handed_out.get(&number) {
            return Ok(Some(self.batch(made)));
        }
        if self.not_kept.contains(&number) {
            let message =
                format!("cursor not found: batch {number} was handed out, and is not kept any more");
            return Err(Error::new(ErrorCode::CursorNotFound, message));
        }
        Ok(None)
    }

    /// Takes a batch that is ready. A single client gets batches in order.
    fn take_ready(&mut self) -> Option<Made> {
        let first = self.ready.iter().position(|slot| slot.made.is_some())?;
        if first > 0 && self.clients() <= 1 {
            return None;
        }
        let made = self.ready.remove(first)?.made?;
        self.ready_bytes -= made.bytes.len();
        Some(made)
    }

    /// Reserves the place of a batch that was just read, and returns the number of the place.
    fn open_slot(&mut self) -> u64 {
        let number = self.next_slot;
        self.next_slot += 1;
        self.ready.push_back(Slot { number, made: None });
        number
    }

    fn fill_slot(&mut self, number: u64, collection: Arc<str>, bytes: Vec<u8>) {
        let is_charged = self.charge.grow(bytes.len() as u64).is_ok();
        if let Some(slot) = self.ready.iter_mut().find(|slot| slot.number == number) {
            self.ready_bytes += bytes.len();
            slot.made = Some(Made { collection, bytes: Arc::new(bytes), is_charged });
        }
    }

    /// Returns the number of batches that are ready or in progress.
    fn ahead(&self) -> usize {
        self.ready.len() + self.reading
    }

    /// Returns true if one more batch may be made before it is requested.
    fn has_room_ahead(&self) -> bool {
        let makers = self.reading + self.packing + 1;
        self.ahead() < self.limits.prefetch
            && self.ready_bytes + self.limits.batch_bytes * makers <= READ_AHEAD_BYTES
    }

    /// Keeps a batch until the client confirms that it has it.
    ///
    /// Without memory to keep it, the client cannot request it again.
    fn hand_out(&mut self, number: u64, mut made: Made) -> DumpBatch {
        let batch = self.batch(&made);
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
    pub(crate) fn new(
        ranges: Vec<Range>,
        limits: Limits,
        batch: Option<InUse<Held>>,
        account: &Arc<MemoryAccount>,
    ) -> Self {
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
            let has_room = work.ready.is_empty() || work.ahead() < work.limits.prefetch;
            if has_room && let Some((place, range)) = work.waiting.pop_first() {
                work = self.make(work, place, range, more);
                continue;
            }
            if work.reading + work.packing == 0 {
                return (work, Ok(None));
            }
            // The thread that works on a range may put its rest back, or finish a batch.
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
                work.ready.retain(|waiting| waiting.number != slot);
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
