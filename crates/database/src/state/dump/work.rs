//! The work of a dump context: the unread ranges of keys, the batches that are ready, and the
//! batches that clients may request again.

use std::collections::{BTreeMap, HashMap, HashSet, VecDeque};
use std::sync::Arc;

use aql_value::{Charge, MemoryAccount};
use errors::{Error, ErrorCode, Result};
use gzip_members::Packer;

use super::range::Range;
use super::reader::Form;

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
    pub(super) fn maker_bytes(&self) -> u64 {
        self.batch_bytes as u64 * if self.is_packed { 2 } else { 1 }
    }
}

/// The number of a collection, and the number of a range in it.
pub(super) type Place = (usize, usize);

pub(super) struct Work {
    pub(super) limits: Limits,
    /// Ranges that no thread works on, in order.
    pub(super) waiting: BTreeMap<Place, Range>,
    /// Number of ranges that are being read.
    pub(super) reading: usize,
    /// Number of batches that are being packed. Other threads may read on in their ranges.
    pub(super) packing: usize,
    /// Number of requests that wait for a batch.
    pub(super) callers: usize,
    /// Batches in the order in which they were read.
    ready: VecDeque<Slot>,
    ready_bytes: usize,
    next_slot: u64,
    handed_out: HashMap<u64, Made>,
    /// Numbers in `handed_out`, oldest first.
    handed_out_order: VecDeque<u64>,
    /// Numbers of delivered batches that were not given back and are not kept.
    not_kept: HashSet<u64>,
    pub(super) charge: Charge,
    /// Buffers of batches that were given back or packed, to be used again.
    pub(super) spare: Vec<Vec<u8>>,
    pub(super) packers: Vec<Packer>,
    /// Jobs that were ordered to make batches ahead and have not begun.
    pub(super) ordered: usize,
    pub(super) error: Option<Error>,
}

/// The place of a batch in the order of reading; `made` is `None` while the batch is being packed.
struct Slot {
    number: u64,
    made: Option<Made>,
}

pub(super) struct Made {
    collection: Arc<str>,
    bytes: Arc<Vec<u8>>,
    /// True if the bytes are charged to `Work::charge`.
    is_charged: bool,
}

impl Work {
    pub(super) fn new(ranges: Vec<Range>, limits: Limits, account: &Arc<MemoryAccount>) -> Self {
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
    pub(super) fn clients(&self) -> usize {
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
    pub(super) fn spare(&mut self, memory: Vec<u8>, packer: Option<Packer>) {
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
    pub(super) fn again(&mut self, number: u64, last: Option<u64>) -> Result<Option<DumpBatch>> {
        if let Some(last) = last {
            self.forget(last);
        }
        if let Some(made) = self.handed_out.get(&number) {
            return Ok(Some(self.batch(made)));
        }
        if self.not_kept.contains(&number) {
            let message = format!("cursor not found: batch {number} was delivered and is no longer kept");
            return Err(Error::new(ErrorCode::CursorNotFound, message));
        }
        Ok(None)
    }

    /// Takes a batch that is ready. A single client gets batches in order.
    pub(super) fn take_ready(&mut self) -> Option<Made> {
        let first = self.ready.iter().position(|slot| slot.made.is_some())?;
        if first > 0 && self.clients() <= 1 {
            return None;
        }
        let made = self.ready.remove(first)?.made?;
        debug_assert!(
            self.ready_bytes >= made.bytes.len(),
            "the bytes of every batch that is ready are counted"
        );
        self.ready_bytes -= made.bytes.len();
        Some(made)
    }

    /// Reserves the place of a batch that was just read, and returns the number of the place.
    pub(super) fn open_slot(&mut self) -> u64 {
        let number = self.next_slot;
        self.next_slot += 1;
        self.ready.push_back(Slot { number, made: None });
        number
    }

    pub(super) fn fill_slot(&mut self, number: u64, collection: Arc<str>, bytes: Vec<u8>) {
        let is_charged = self.charge.grow(bytes.len() as u64).is_ok();
        if let Some(slot) = self.ready.iter_mut().find(|slot| slot.number == number) {
            self.ready_bytes += bytes.len();
            slot.made = Some(Made { collection, bytes: Arc::new(bytes), is_charged });
        }
    }

    /// Gives up the place of a batch that could not be packed.
    pub(super) fn close_slot(&mut self, number: u64) {
        self.ready.retain(|waiting| waiting.number != number);
    }

    /// Returns the number of batches that are ready or in progress.
    pub(super) fn ahead(&self) -> usize {
        self.ready.len() + self.reading
    }

    /// Returns true if a request that waits may make a batch itself.
    pub(super) fn has_room(&self) -> bool {
        self.ready.is_empty() || self.ahead() < self.limits.prefetch
    }

    /// Returns true if one more batch may be made before it is requested.
    pub(super) fn has_room_ahead(&self) -> bool {
        let makers = self.reading + self.packing + 1;
        self.ahead() < self.limits.prefetch
            && self.ready_bytes + self.limits.batch_bytes * makers <= READ_AHEAD_BYTES
    }

    /// Keeps a batch until the client confirms that it has it.
    ///
    /// Without memory to keep it, the client cannot request it again.
    pub(super) fn hand_out(&mut self, number: u64, mut made: Made) -> DumpBatch {
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
