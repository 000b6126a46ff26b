//! The methods of sessions for dumps: batches, chunks and contexts.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use catalog::AccessLevel;
use errors::{Error, Result};
use storage::{Collection, DocumentScanSpec, KeyBound, Snapshot};

use crate::base::user_documents::{self as users, USERS_COLLECTION};
use crate::session::Session;
use crate::state::dump::batches::{Batch, Held};
use crate::state::dump::context::Context;
use crate::state::dump::range::{Divider, Range};
use crate::state::dump::reader::{Reader, Written};
use crate::state::dump::registry::InUse;
use crate::state::dump::{Chunk, ChunkRequest, DumpBatch, DumpReadAhead, DumpRequest, Form, Limits};

/// The default time to live of a batch.
const DEFAULT_TTL: Duration = Duration::from_secs(300);
/// The maximum time to live of a batch. No client needs more.
const TTL_MAX: Duration = Duration::from_secs(7 * 86_400);

/// Bounds of a chunk's size in bytes.
const CHUNK_BYTES: (usize, usize) = (1 << 10, 64 << 20);

/// The idle time after which a context expires.
const CONTEXT_TTL: Duration = Duration::from_secs(600);
/// Bounds of a batch's size in bytes.
///
/// Larger batches leave the processor's caches while they are copied, and client and server wait
/// for each other. In a measurement, batches of 4 MiB took a tenth less processor time than batches
/// of 16 MiB and of 1 MiB.
const BATCH_BYTES: (usize, usize) = (4 << 10, 4 << 20);
/// Upper bounds of the threads that work for a context, and of the batches that it makes ahead.
const PARALLELISM_MAX: u64 = 64;
const PREFETCH_MAX: u64 = 64;
/// Maximum number of collections of one context.
const COLLECTIONS_MAX: usize = 10_000;

impl Session {
    /// Opens a batch over a new snapshot. Errors: 10 for the time to live, 32.
    pub fn open_batch(&self, ttl_seconds: Option<f64>) -> Result<Batch> {
        let ttl = ttl(ttl_seconds)?;
        let store = self.instance().store();
        // The position comes first: what the snapshot shows beyond it is in the log too.
        let tick = self.log_position()?;
        let snapshot = store.snapshot()?.restricted(self.document_restrictions());
        let held = Held { snapshot, tick, chunks: Mutex::default() };
        let batches = self.instance().batches();
        let batch = batches.registry.insert(self.instance().next_local_id()?, self.owner(), ttl, held)?;
        Ok(Batch { id: batch.id(), tick })
    }

    /// Gives a batch a new time to live, counted from now. Errors: 1600, 10.
    pub fn extend_batch(&self, id: u64, ttl_seconds: Option<f64>) -> Result<()> {
        self.instance().batches().registry.extend(id, &self.owner(), ttl(ttl_seconds)?)
    }

    /// Closes a batch. Errors: 1600.
    pub fn close_batch(&self, id: u64) -> Result<()> {
        self.instance().batches().registry.remove(id, &self.owner())
    }

    pub(super) fn batch(&self, id: u64) -> Result<InUse<Held>> {
        self.instance().batches().registry.find(id, &self.owner())
    }

    /// Returns the next chunk of a collection. Errors: 1600, 1203, 11, 10.
    pub fn dump_chunk(&self, request: &ChunkRequest) -> Result<Chunk> {
        let batch = self.batch(request.batch)?;
        let collection = &self.dumped_collection(&batch.snapshot, &request.collection)?;
        let chunks = batch.chunks(collection.id());
        let mut chunks = chunks.lock().unwrap_or_else(PoisonError::into_inner);
        chunks.seek(request.from)?;
        let start = (chunks.sent, chunks.last_key.clone());
        let mut reader = match chunks.reader.take() {
            Some(reader) => reader,
            None => {
                let after = chunks.last_key.as_ref();
                let after = after.map(|key| KeyBound { key: key.clone(), inclusive: false });
                self.reader(&batch.snapshot, collection, after)?
            }
        };
        let bytes = request.bytes.clamp(CHUNK_BYTES.0, CHUNK_BYTES.1);
        let Written { bytes, documents, last_key, has_more } =
            reader.write(request.form, bytes, Vec::new())?;
        chunks.before = Some(start);
        chunks.reader = Some(reader);
        chunks.sent += documents;
        chunks.last_key = last_key.or_else(|| chunks.last_key.take());
        Ok(Chunk { bytes, last_included: chunks.sent, has_more })
    }

    /// Returns the user's newest batch if it has all of these collections.
    ///
    /// A context on a collection that is newer than the batch needs a snapshot of its own.
    fn newest_batch_of(&self, collections: &[String]) -> Result<Option<InUse<Held>>> {
        let Some(batch) = self.instance().batches().registry.newest(&self.owner()) else { return Ok(None) };
        let database = self.database_in(batch.snapshot.catalog())?;
        let has_all = collections.iter().all(|name| database.collection(name).is_some());
        Ok(has_all.then_some(batch))
    }

    /// Returns a collection by name or number as of the batch's moment.
    ///
    /// A collection that was created or renamed afterwards is found as well, as in ArangoDB.
    /// The snapshot then has its documents of that moment; a new collection has none there.
    /// Errors: 1203, 11.
    pub(super) fn dumped_collection(&self, snapshot: &Snapshot, name_or_id: &str) -> Result<Arc<Collection>> {
        let then = self.database_in(snapshot.catalog())?;
        let collection = match then.collection(name_or_id) {
            Some(collection) => Arc::clone(collection),
            None => {
                let now = self.catalog();
                let collection = self.database_in(&now)?.require_collection(name_or_id)?;
                self.require_dumpable(collection.name())?;
                Arc::clone(then.collection_by_id(collection.id()).unwrap_or(collection))
            }
        };
        self.require_dumpable(collection.name())?;
        Ok(collection)
    }

    /// Checks that the user may dump the collection.
    ///
    /// Users with their password hashes are for administrators of the server. Errors: 11.
    pub(super) fn require_dumpable(&self, collection: &str) -> Result<()> {
        if self.is_system_database() && collection == USERS_COLLECTION {
            return self.require_administrator();
        }
        self.require_collection(collection, AccessLevel::ReadOnly)
    }

    /// Opens a reader of the documents with keys after `after`.
    pub(super) fn reader(
        &self,
        snapshot: &Snapshot,
        collection: &Collection,
        after: Option<KeyBound>,
    ) -> Result<Reader> {
        if self.is_system_database() && collection.name() == USERS_COLLECTION {
            let documents = users::documents(snapshot.catalog(), after.as_ref().map(|after| &*after.key))?;
            return Ok(Reader::made(documents, collection.shared_name()));
        }
        let spec = DocumentScanSpec { from_key: after, sequential: true, ..DocumentScanSpec::default() };
        Ok(Reader::scan(snapshot.scan(collection, &spec)?, collection.shared_name()))
    }

    /// Opens a context and returns its number. Errors: 1203, 11, 10, 1600 for the batch, 32.
    pub fn start_dump(&self, request: &DumpRequest) -> Result<u64> {
        if request.collections.is_empty() || request.collections.len() > COLLECTIONS_MAX {
            let message = format!("'shards' must name 1 to {COLLECTIONS_MAX} collections");
            return Err(Error::bad_parameter(message));
        }
        let contexts = self.instance().dump_contexts();
        let batch = match request.batch {
            Some(id) => Some(self.batch(id)?),
            None => self.newest_batch_of(&request.collections)?,
        };
        let snapshot = match &batch {
            Some(batch) => batch.snapshot.clone(),
            None => self.instance().store().snapshot()?.restricted(self.document_restrictions()),
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
        let id = self.instance().next_local_id()?;
        Ok(contexts.registry.insert(id, self.owner(), CONTEXT_TTL, Arc::new(context))?.id())
    }

    fn range(&self, snapshot: &Snapshot, name: &str, parallelism: usize) -> Result<Range> {
        let collection = &self.dumped_collection(snapshot, name)?;
        let reader = self.reader(snapshot, collection, None)?;
        let store = self.instance().store();
        let divider = (parallelism > 1 && reader.is_scan())
            .then(|| Divider::new(store, snapshot, collection, parallelism));
        Ok(Range { collection: Arc::clone(collection.shared_name()), reader, divider })
    }

    /// Returns the batch that the client calls `number`, or `None` if no more follow.
    ///
    /// It is a new batch, or the same one again if it was not returned. `last` is a batch that
    /// the client has stored. `more` is called when more jobs could make batches ahead
    /// ([`Session::dump_read_ahead`]). Errors: 1600.
    pub fn next_dump_batch(
        &self,
        id: u64,
        number: u64,
        last: Option<u64>,
        more: &dyn Fn(),
    ) -> Result<Option<DumpBatch>> {
        let context = self.instance().dump_contexts().registry.find(id, &self.owner())?;
        context.next(number, last, more)
    }

    /// Returns the batch without waiting: `None` if it is not ready, or no more follow.
    pub fn ready_dump_batch(&self, id: u64, number: u64, last: Option<u64>) -> Result<Option<DumpBatch>> {
        let context = self.instance().dump_contexts().registry.find(id, &self.owner())?;
        context.next_ready(number, last)
    }

    /// Returns the jobs that should make batches ahead now. The caller runs them on other threads.
    pub fn dump_read_ahead(&self, id: u64) -> Vec<DumpReadAhead> {
        let Ok(context) = self.instance().dump_contexts().registry.find(id, &self.owner()) else {
            return Vec::new();
        };
        let jobs = context.order_jobs();
        (0..jobs).map(|_| DumpReadAhead { context: context.clone(), has_begun: false }).collect()
    }

    /// Closes a context. Errors: 1600.
    pub fn close_dump(&self, id: u64) -> Result<()> {
        self.instance().dump_contexts().registry.remove(id, &self.owner())
    }
}

fn ttl(seconds: Option<f64>) -> Result<Duration> {
    match seconds {
        None => Ok(DEFAULT_TTL),
        Some(seconds) if seconds > 0.0 && seconds.is_finite() => {
            Ok(Duration::try_from_secs_f64(seconds).unwrap_or(TTL_MAX).min(TTL_MAX))
        }
        Some(_) => Err(Error::bad_parameter("'ttl' must be a positive number of seconds")),
    }
}
