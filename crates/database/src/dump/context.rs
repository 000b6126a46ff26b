//! One dump context: the ranges of keys that are not read yet, the batches that are ready, and those that clients may
//! ask for again.

use std::collections::{BTreeMap, HashMap, HashSet, VecDeque};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

use aql_value::{Charge, MemoryAccount};
use gzip_members::Packer;

use super::batches::Held;
use super::range::Range;
use super::reader::{Form, Written};
use super::registry::InUse;
use crate::{Error, ErrorCode, Result};

/// A piece of a collection.
#[derive(Clone, Debug)]
pub struct DumpBatch {
    /// The collection's name.
    pub collection: Arc<str>,
    /// Lines or an array, or these packed.
    pub bytes: Arc<Vec<u8>>,
    /// Lines, or an array.
    pub form: Form,
    /// Whether they are a member of gzip.
    pub is_packed: bool,
    /// Batches that are ready now.
    pub ready: usize,
}

/// Bytes that wait for the client of one context.
const READ_AHEAD_BYTES: usize = 64 << 20;
/// Buffers and packers that are kept for the next batches.
const SPARE_MAX: usize = 2;
/// Batches that are kept for a client that asks for them again; the oldest go first.
const HANDED_OUT_MAX: usize = 16;

/// How batches of a context are made.
#[derive(Clone, Copy, Debug)]
pub(super) struct Limits {
    pub(super) form: Form,
    /// Whether batches are members of gzip.
    pub(super) is_packed: bool,
    /// Bytes after which a batch ends, before it is packed.
    pub(super) batch_bytes: usize,
    /// Batches that are made ahead.
    pub(super) prefetch: usize,
    /// Threads that make them.
    pub(super) parallelism: usize,
}

impl Limits {
    /// What making a batch takes: its text, and as much room for packing it.
    fn maker_bytes(&self) -> u64 {
        self.batch_bytes as u64 * if self.is_packed { 2 } else { 1 }
    }
}

pub(super) struct Context {
    work: Mutex<Work>,
    changed: Condvar,
    /// Keeps the batch from expiring.
    _batch: Option<InUse<Held>>,
}

/// The number of a collection, and that of a range of it.
type Place = (usize, usize);

struct Work {
    limits: Limits,
    /// Ranges that nobody works on, in order.
    waiting: BTreeMap<Place, Range>,
    /// Ranges that somebody reads.
    reading: usize,
    /// Batches that somebody packs, whose ranges others may read on.
    packing: usize,
    /// Requests for a batch that wait for it.
    callers: usize,
    /// In the order in which they were read.
    ready: VecDeque<Slot>,
    ready_bytes: usize,
    next_slot: u64,
    handed_out: HashMap<u64, Made>,
    /// Numbers in `handed_out`, oldest first.
    handed_out_order: VecDeque<u64>,
    /// Numbers of batches that were handed out, not given back, and are not kept.
    not_kept: HashSet<u64>,
    charge: Charge,
    /// Memory of batches that clients have given back or that were packed, for new ones.
    spare: Vec<Vec<u8>>,
    packers: Vec<Packer>,
    /// Jobs that are to make batches ahead and have not begun.
    ordered: usize,
    error: Option<Error>,
}

/// A batch's place in the order; without it while it is being packed.
struct Slot {
    number: u64,
    made: Option<Made>,
}

struct Made {
    collection: Arc<str>,
    bytes: Arc<Vec<u8>>,
    /// Whether `Work::charge` has the bytes.
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
            if !self.limits.is_packed
                && let Ok(memory) = Arc::try_unwrap(made.bytes)
            {
                self.spare(memory, None);
            }
        }
    }

    /// Keeps memory for the next batch, if there is one to come.
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

    /// Takes back the batch `last`, and gives the batch `number` again if it was handed out before.
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

    /// A single client gets batches in their order.
    fn take_ready(&mut self) -> Option<Made> {
        let first = self.ready.iter().position(|slot| slot.made.is_some())?;
        if first > 0 && self.clients() <= 1 {
            return None;
        }
        let made = self.ready.remove(first)?.made?;
        self.ready_bytes -= made.bytes.len();
        Some(made)
    }

    /// The place of a batch that was read just now.
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

    /// Batches that are ready or about to be.
    fn ahead(&self) -> usize {
        self.ready.len() + self.reading
    }

    /// Whether one more batch may be made before it is asked for.
    fn has_room_ahead(&self) -> bool {
        let makers = self.reading + self.packing + 1;
        self.ahead() < self.limits.prefetch
            && self.ready_bytes + self.limits.batch_bytes * makers <= READ_AHEAD_BYTES
    }

    /// Keeps a batch until the client says that it has it. Without memory for that, the client cannot ask again.
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
    pub(super) fn new(
        ranges: Vec<Range>,
        limits: Limits,
        batch: Option<InUse<Held>>,
        account: &Arc<MemoryAccount>,
    ) -> Self {
        let work = Mutex::new(Work::new(ranges, limits, account));
        Context { work, changed: Condvar::new(), _batch: batch }
    }

    /// Bytes of batches that are kept or wait.
    pub(super) fn memory_bytes(&self) -> u64 {
        self.lock().charge.bytes()
    }

    /// Lets go of what ranges pin in the storage engine that nobody reads just now.
    pub(super) fn release_idle(&self) {
        self.lock().waiting.values_mut().for_each(|range| range.reader.release());
    }

    /// `more` is called when somebody else could read on.
    pub(super) fn next(&self, number: u64, last: Option<u64>, more: &dyn Fn()) -> Result<Option<DumpBatch>> {
        let mut work = self.lock();
        if let Some(batch) = work.again(number, last)? {
            return Ok(Some(batch));
        }
        work.callers += 1;
        let (mut work, made) = self.wait_for_batch(work, more);
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
            // Who works on a range may leave a rest of it, or have a batch.
            work = self.changed.wait(work).unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// Makes a batch of a range that was taken, and puts back what is left of it. An error stays for the client that asks
    /// next.
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

    /// Packs a batch for its place while others read on.
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
        let Limits { prefetch, parallelism, .. } = work.limits;
        let idle = parallelism.saturating_sub(work.reading + work.packing + work.ordered);
        let free = work.waiting.len().saturating_sub(work.ordered);
        let wanted = prefetch.saturating_sub(work.ahead() + work.ordered);
        let jobs = idle.min(free).min(wanted);
        work.ordered += jobs;
        jobs
    }

    /// A job that was ordered will not begin.
    pub(super) fn cancel_job(&self) {
        let mut work = self.lock();
        work.ordered = work.ordered.saturating_sub(1);
    }

    /// Makes batches until enough are ready. `more` is called when somebody else could read on.
    pub(super) fn make_ahead(&self, more: &dyn Fn()) {
        let mut work = self.lock();
        work.ordered = work.ordered.saturating_sub(1);
        let room = work.limits.maker_bytes();
        while work.has_room_ahead() && work.error.is_none() {
            // Drawn before the memory is used, and given back if the batch is smaller.
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
