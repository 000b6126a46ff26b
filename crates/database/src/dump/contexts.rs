//! Dump contexts: collections that many requests fetch at once, in batches of any order.
//!
//! A collection is divided into ranges of keys when a second client comes. Whoever makes a batch takes the first
//! range that nobody else has, reads on in it, and puts it back; so batches come nearly in the order of keys, and a
//! context that one client reads gives them in that order exactly. While a client takes in a batch, the next ones are
//! made ahead, within bounds of number and bytes.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use storage::Snapshot;

use super::context::{Context, Limits};
use super::range::{Divider, Range};
use super::reader::Form;
use super::registry::{InUse, Registry};
use crate::session::Session;
use crate::{Error, Result};

/// Most contexts at one time.
const CONTEXTS_MAX: usize = 1_024;
/// How long a context may be idle.
const TTL: Duration = Duration::from_secs(600);
/// Bounds of a batch's size. Larger ones leave the processor's caches while they are copied, and keep client and
/// server waiting for each other; measured, 4 MiB take a tenth less processor time than 16 and than 1.
const BATCH_BYTES: (usize, usize) = (4 << 10, 4 << 20);
/// Bounds of how many threads work for a context, and how many batches are made ahead.
const PARALLELISM_MAX: u64 = 64;
const PREFETCH_MAX: u64 = 64;
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
    /// Whether batches are packed, each as one member of gzip that says how long it is ([`gzip_members`]).
    pub packed: bool,
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
    /// Lines or an array, or these packed.
    pub bytes: Arc<Vec<u8>>,
    /// Lines, or an array.
    pub form: Form,
    /// Whether they are a member of gzip.
    pub is_packed: bool,
    /// Batches that are ready now.
    pub ready: usize,
}

/// Batches that are about to be made ahead. Dropped before it is run, it leaves them to others.
pub struct DumpReadAhead {
    context: InUse<Arc<Context>>,
    has_begun: bool,
}

impl Drop for DumpReadAhead {
    fn drop(&mut self) {
        if !self.has_begun {
            self.context.cancel_job();
        }
    }
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
        let bytes = AtomicU64::new(0);
        self.registry.for_each(|context| {
            bytes.fetch_add(context.memory_bytes(), Ordering::Relaxed);
        });
        bytes.into_inner()
    }

    pub(crate) fn remove_database(&self, database: &str) {
        self.registry.remove_database(database);
    }

    /// Called by the housekeeping thread.
    pub(crate) fn look_after(&self) {
        self.registry.expire();
        self.registry.for_each(|context| context.release_idle());
    }
}

impl Session {
    /// Opens a context; answers its number. Errors: 1203, 11, 10, 1600 for the batch, 32.
    pub fn start_dump(&self, request: &DumpRequest) -> Result<u64> {
        if request.collections.is_empty() || request.collections.len() > COLLECTIONS_MAX {
            let message = format!("'shards' must name 1 to {COLLECTIONS_MAX} collections");
            return Err(Error::bad_parameter(message));
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
        let mut ranges = Vec::new();
        for name in &request.collections {
            ranges.push(self.range(&snapshot, name, parallelism)?);
        }
        let batch_bytes = usize::try_from(request.batch_bytes).unwrap_or(usize::MAX);
        let limits = Limits {
            form: if request.velocypack { Form::VelocyPack } else { Form::Lines },
            is_packed: request.packed,
            batch_bytes: batch_bytes.clamp(BATCH_BYTES.0, BATCH_BYTES.1),
            prefetch: request.prefetch.clamp(1, PREFETCH_MAX) as usize,
            parallelism,
        };
        let context = Context::new(ranges, limits, batch, &self.instance().result_memory);
        let id = self.instance().store().next_id()?;
        Ok(contexts.registry.insert(id, self.cursor_owner(), TTL, Arc::new(context))?.id())
    }

    fn range(&self, snapshot: &Snapshot, name: &str, parallelism: usize) -> Result<Range> {
        let database = self.database_in(snapshot.catalog())?;
        let collection = database.require_collection(name)?;
        self.require_dumpable(collection.name())?;
        let reader = self.reader(snapshot, collection, None)?;
        let store = self.instance().store();
        let divider = (parallelism > 1 && reader.is_scan())
            .then(|| Divider::new(store, snapshot, collection, parallelism));
        Ok(Range { collection: Arc::clone(collection.shared_name()), reader, divider })
    }

    /// The batch that the client calls `number`: a new one, or the same again if it was not given back. `last` is one
    /// that the client has stored. `None` when there are no more. `more` is called when more jobs could make batches
    /// ahead ([`Session::dump_read_ahead`]). Errors: 1600.
    pub fn next_dump_batch(
        &self,
        id: u64,
        number: u64,
        last: Option<u64>,
        more: &dyn Fn(),
    ) -> Result<Option<DumpBatch>> {
        let context = self.instance().dump_contexts().registry.find(id, &self.cursor_owner())?;
        context.next(number, last, more)
    }

    /// The same without waiting: `None` when the batch is yet to be made, or there are no more.
    pub fn ready_dump_batch(&self, id: u64, number: u64, last: Option<u64>) -> Result<Option<DumpBatch>> {
        let context = self.instance().dump_contexts().registry.find(id, &self.cursor_owner())?;
        context.next_ready(number, last)
    }

    /// Jobs that should make batches ahead now; they are run on other threads.
    pub fn dump_read_ahead(&self, id: u64) -> Vec<DumpReadAhead> {
        let Ok(context) = self.instance().dump_contexts().registry.find(id, &self.cursor_owner()) else {
            return Vec::new();
        };
        let jobs = context.order_jobs();
        (0..jobs).map(|_| DumpReadAhead { context: context.clone(), has_begun: false }).collect()
    }

    /// Closes a context. Errors: 1600.
    pub fn close_dump(&self, id: u64) -> Result<()> {
        self.instance().dump_contexts().registry.remove(id, &self.cursor_owner())
    }
}

impl DumpReadAhead {
    /// Makes batches until enough are ready. `more` is called when more jobs could do the same.
    pub fn run(mut self, more: &dyn Fn()) {
        self.has_begun = true;
        self.context.make_ahead(more);
    }
}
