//! Dump contexts: collections that many requests fetch at once, in batches of any order.
//!
//! A collection is divided into ranges of keys. Whoever makes a batch takes the first range that nobody else has, reads on
//! in it, and puts it back; so batches come nearly in the order of keys, and a context that one client reads gives them in
//! that order exactly. While a client takes in a batch, the next ones are made ahead, within bounds of number and bytes.

use std::collections::{BTreeMap, HashMap, VecDeque};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use aql_value::Charge;
use storage::{Collection, KeyBound, Snapshot};

use super::batches::Held;
use super::reader::{Form, Reader};
use super::registry::{InUse, Registry};
use crate::error::{Error, Result, number};
use crate::instance::Instance;
use crate::session::Session;

/// Most contexts at one time.
const CONTEXTS_MAX: usize = 1_024;
/// How long a context may be idle.
const TTL: Duration = Duration::from_secs(600);
/// Bounds of a batch's size. More than the upper one serves nobody, and each takes as much memory.
const BATCH_BYTES: (usize, usize) = (4 << 10, 16 << 20);
/// Bounds of how many threads work for a context, and how many batches are made ahead.
const PARALLELISM_MAX: u64 = 64;
const PREFETCH_MAX: u64 = 64;
/// Bytes that wait for the client of one context.
const READ_AHEAD_BYTES: usize = 64 << 20;
/// Batches that are kept for a client that asks for them again; the oldest go first.
const HANDED_OUT_MAX: usize = 16;
/// Collections with fewer documents are not divided.
const DIVIDED_DOCUMENTS_MIN: u64 = 20_000;
/// Ranges of a collection for each thread: so that all end at about the same time.
const RANGES_PER_THREAD: usize = 4;
const RANGES_MAX: usize = 64;
/// Most collections of one context.
const COLLECTIONS_MAX: usize = 10_000;

/// What a client asks for.
#[derive(Clone, Debug)]
pub struct DumpRequest {
    /// Names of collections.
    pub collections: Vec<String>,
    /// Bytes after which a batch ends.
    pub batch_bytes: u64,
    /// Batches that are made ahead.
    pub prefetch: u64,
    /// Threads that make them.
    pub parallelism: u64,
    /// Whether batches are VelocyPack arrays rather than lines of JSON.
    pub velocypack: bool,
    /// The batch whose snapshot is read. Without one, that of the newest batch that the same user has open in the
    /// database, so that all contexts of a dump that began with one show the same moment; without any, a new snapshot.
    pub batch: Option<u64>,
}

/// All contexts of the server.
pub struct DumpContexts {
    registry: Registry<Arc<Context>>,
}

/// A piece of a collection.
#[derive(Clone, Debug)]
pub struct DumpBatch {
    /// The collection's name.
    pub collection: Arc<str>,
    /// Lines or an array.
    pub bytes: Arc<Vec<u8>>,
    /// Batches that are ready now.
    pub ready: usize,
}

struct Context {
    form: Form,
    batch_bytes: usize,
    prefetch: usize,
    parallelism: usize,
    work: Mutex<Work>,
    changed: Condvar,
    /// Keeps the batch from expiring.
    _batch: Option<InUse<Held>>,
}

struct Work {
    /// Ranges that nobody works on, in order.
    waiting: BTreeMap<usize, Range>,
    /// Ranges that somebody works on.
    running: usize,
    ready: VecDeque<Made>,
    ready_bytes: usize,
    handed_out: HashMap<u64, Made>,
    /// Numbers in `handed_out`, oldest first.
    handed_out_order: VecDeque<u64>,
    charge: Charge,
    /// Jobs that are to make batches ahead and have not begun.
    ordered: usize,
    error: Option<Error>,
}

struct Range {
    collection: Arc<str>,
    reader: Reader,
}

#[derive(Clone)]
struct Made {
    collection: Arc<str>,
    bytes: Arc<Vec<u8>>,
    /// Whether `Work::charge` has the bytes.
    is_charged: bool,
}

/// Batches that are about to be made ahead.
pub struct DumpReadAhead {
    context: InUse<Arc<Context>>,
}

impl Default for DumpContexts {
    fn default() -> Self {
        DumpContexts { registry: Registry::new("dump context", CONTEXTS_MAX) }
    }
}

impl DumpContexts {
    /// How many there are.
    pub fn len(&self) -> usize {
        self.registry.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Bytes of batches that wait for clients.
    pub fn memory_bytes(&self) -> u64 {
        let bytes = std::sync::atomic::AtomicU64::new(0);
        self.registry.for_each(|context| {
            bytes.fetch_add(context.lock().charge.bytes(), std::sync::atomic::Ordering::Relaxed);
        });
        bytes.into_inner()
    }

    pub(crate) fn remove_database(&self, database: &str) {
        self.registry.remove_database(database);
    }

    /// Called by the housekeeping thread.
    pub(crate) fn look_after(&self) {
        self.registry.expire();
        self.registry.for_each(|context| {
            context.lock().waiting.values_mut().for_each(|range| range.reader.release());
        });
    }
}

impl Session {
    /// Opens a context; answers its number. Errors: 1203, 11, 10, 1600 for the batch, 32.
    pub fn start_dump(&self, request: &DumpRequest) -> Result<u64> {
        if request.collections.is_empty() || request.collections.len() > COLLECTIONS_MAX {
            let message = format!("'shards' must name 1 to {COLLECTIONS_MAX} collections");
            return Err(Error::new(number::BAD_PARAMETER, message));
        }
        let contexts = self.instance().dump_contexts();
        let batch = match request.batch {
            Some(id) => Some(self.batch(id)?),
            None => self.instance().batches().registry.newest(&self.cursor_owner()),
        };
        let snapshot = match &batch {
            Some(batch) => batch.snapshot.clone(),
            None => self.instance().store().snapshot()?,
        };
        let parallelism = request.parallelism.clamp(1, PARALLELISM_MAX) as usize;
        let mut waiting = BTreeMap::new();
        for name in &request.collections {
            for range in self.ranges(&snapshot, name, parallelism)? {
                waiting.insert(waiting.len(), range);
            }
        }
        let batch_bytes = usize::try_from(request.batch_bytes).unwrap_or(usize::MAX);
        let context = Context {
            form: if request.velocypack { Form::VelocyPack } else { Form::Lines },
            batch_bytes: batch_bytes.clamp(BATCH_BYTES.0, BATCH_BYTES.1),
            prefetch: request.prefetch.clamp(1, PREFETCH_MAX) as usize,
            parallelism,
            work: Mutex::new(Work::new(waiting, self.instance())),
            changed: Condvar::new(),
            _batch: batch,
        };
        let id = self.instance().store().next_tick()?;
        Ok(contexts.registry.insert(id, self.cursor_owner(), TTL, Arc::new(context))?.id())
    }

    /// The documents of a collection in ranges of keys of about the same size.
    fn ranges(&self, snapshot: &Snapshot, name: &str, parallelism: usize) -> Result<Vec<Range>> {
        let database = self.database_in(snapshot.catalog())?;
        let collection = database.require_collection(name)?;
        self.require_dumpable(collection.name())?;
        let points = self.points(snapshot, collection, parallelism)?;
        let starts = std::iter::once(None).chain(points.iter().cloned().map(Some));
        let ends = points.iter().cloned().map(Some).chain(std::iter::once(None));
        let mut ranges = Vec::with_capacity(points.len() + 1);
        for (start, end) in starts.zip(ends) {
            let start = start.map(|key| KeyBound { key, inclusive: true });
            let end = end.map(|key| KeyBound { key, inclusive: false });
            let reader = self.reader(snapshot, collection, start, end)?;
            ranges.push(Range { collection: Arc::clone(collection.shared_name()), reader });
        }
        Ok(ranges)
    }

    fn points(
        &self,
        snapshot: &Snapshot,
        collection: &Collection,
        parallelism: usize,
    ) -> Result<Vec<String>> {
        if parallelism == 1 || snapshot.count(collection)? < DIVIDED_DOCUMENTS_MIN {
            return Ok(Vec::new());
        }
        let parts = (parallelism * RANGES_PER_THREAD).min(RANGES_MAX);
        // The points are those of now, which is as good: any points divide the snapshot.
        Ok(self.instance().store().split_points(collection, parts)?)
    }

    /// The batch that the client calls `number`: a new one, or the same again if it was not given back. `last` is one that
    /// the client has stored. `None` when there are no more. Errors: 1600.
    pub fn next_dump_batch(&self, id: u64, number: u64, last: Option<u64>) -> Result<Option<DumpBatch>> {
        let context = self.instance().dump_contexts().registry.find(id, &self.cursor_owner())?;
        context.next(number, last)
    }

    /// Jobs that should make batches ahead now; they are run on other threads.
    pub fn dump_read_ahead(&self, id: u64) -> Vec<DumpReadAhead> {
        let Ok(context) = self.instance().dump_contexts().registry.find(id, &self.cursor_owner()) else {
            return Vec::new();
        };
        let jobs = context.order_jobs();
        (0..jobs).map(|_| DumpReadAhead { context: context.clone() }).collect()
    }

    /// Closes a context. Errors: 1600.
    pub fn close_dump(&self, id: u64) -> Result<()> {
        self.instance().dump_contexts().registry.remove(id, &self.cursor_owner())
    }
}

impl DumpReadAhead {
    /// Makes batches until enough are ready.
    pub fn run(self) {
        self.context.make_ahead();
    }
}

impl Work {
    fn new(waiting: BTreeMap<usize, Range>, instance: &Instance) -> Self {
        Work {
            waiting,
            running: 0,
            ready: VecDeque::new(),
            ready_bytes: 0,
            handed_out: HashMap::new(),
            handed_out_order: VecDeque::new(),
            charge: Charge::new(Arc::clone(&instance.result_memory)),
            ordered: 0,
            error: None,
        }
    }

    fn forget(&mut self, number: u64) {
        if let Some(made) = self.handed_out.remove(&number) {
            self.uncharge(&made);
            self.handed_out_order.retain(|known| *known != number);
        }
    }

    fn uncharge(&mut self, made: &Made) {
        if made.is_charged {
            self.charge.shrink(made.bytes.len() as u64);
        }
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
            }
        }
        batch
    }
}

impl Context {
    fn next(&self, number: u64, last: Option<u64>) -> Result<Option<DumpBatch>> {
        let mut work = self.lock();
        if let Some(last) = last {
            work.forget(last);
        }
        if let Some(made) = work.handed_out.get(&number).cloned() {
            let ready = work.ready.len();
            return Ok(Some(DumpBatch { collection: made.collection, bytes: made.bytes, ready }));
        }
        loop {
            if let Some(made) = work.take_ready() {
                return Ok(Some(work.hand_out(number, made)));
            }
            if let Some(error) = &work.error {
                return Err(error.clone());
            }
            if let Some((position, range)) = work.waiting.pop_first() {
                work.running += 1;
                let made;
                (work, made) = self.make(work, position, range);
                match made? {
                    Some(made) => return Ok(Some(work.hand_out(number, made))),
                    None => continue,
                }
            }
            if work.running == 0 {
                return Ok(None);
            }
            // Who works on a range may leave a rest of it, or have a batch.
            work = self.changed.wait(work).unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// Makes a batch of a range that was taken, and puts back what is left of it.
    fn make<'a>(
        &'a self,
        work: MutexGuard<'a, Work>,
        position: usize,
        mut range: Range,
    ) -> (MutexGuard<'a, Work>, Result<Option<Made>>) {
        drop(work);
        let written = range.reader.write(self.form, self.batch_bytes);
        let mut work = self.lock();
        work.running -= 1;
        let made = match written {
            Ok(written) => {
                let collection = Arc::clone(&range.collection);
                if written.has_more {
                    work.waiting.insert(position, range);
                }
                let bytes = Arc::new(written.bytes);
                Ok((written.documents > 0).then_some(Made { collection, bytes, is_charged: false }))
            }
            Err(error) => {
                work.error = Some(error.clone());
                Err(error)
            }
        };
        self.changed.notify_all();
        (work, made)
    }

    /// How many more jobs should make batches ahead. Each is counted until it begins.
    fn order_jobs(&self) -> usize {
        let mut work = self.lock();
        let busy = work.running + work.ordered;
        let wanted =
            self.parallelism.min(self.prefetch.saturating_sub(work.ready.len())).min(work.waiting.len());
        let jobs = wanted.saturating_sub(busy);
        work.ordered += jobs;
        jobs
    }

    fn make_ahead(&self) {
        let mut work = self.lock();
        work.ordered = work.ordered.saturating_sub(1);
        while work.ready.len() + work.running < self.prefetch
            && work.ready_bytes + self.batch_bytes * (work.running + 1) <= READ_AHEAD_BYTES
            && work.error.is_none()
        {
            // Drawn before the memory is used, and given back if the batch is smaller.
            let room = self.batch_bytes as u64;
            if work.charge.grow(room).is_err() {
                return;
            }
            let Some((position, range)) = work.waiting.pop_first() else {
                work.charge.shrink(room);
                return;
            };
            work.running += 1;
            let made;
            (work, made) = self.make(work, position, range);
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
