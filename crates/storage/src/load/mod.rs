//! Bulk loads of new documents, without the cost of a transaction for each document. A load has no
//! buffer that can be read and claims no keys. It looks up no single key if it falls into free gaps
//! between stored keys.
//!
//! Restores and imports use loads batch by batch. A batch is assembled in memory, sorted, and
//! becomes visible in one atomic step with its index entries and counts. A crash leaves all of it
//! or none of it. Batches of several threads run concurrently, even in one collection. A load
//! refuses keys that exist and unique indexes before it writes anything; the caller then uses a
//! transaction.
//!
//! The collection's lock makes its writers wait for the load. A transaction that began before a
//! load and first writes to the collection after it gets a retryable 1200, as it does after a
//! truncation. Its snapshot lacks the loaded documents, and nobody claimed their keys
//! ([`crate::visibility`]).
//!
//! Where several servers share the store, the engine checks at the end of a load that its keys are
//! absent, and finds conflicts with transactions of all servers. So a load runs beside writers
//! there, and looks nothing up.

mod gaps;
mod pairs;

use std::ops::Range;
use std::sync::Arc;
use std::time::Instant;

use catalog::ObjectId;
use errors::{Error, Result};
use kv::{BulkLoad, Durability, LoadHint, LoadKind, Snapshot, WaitPolicy};
use velocypack::Slice;

use crate::encoding::change::ChangeKind;
use crate::index::entries::Entries;
use crate::locks::collection_lock::{CollectionLockGuard, LockMode};
use crate::locks::running_loads;
use crate::metrics::DocumentOperation;
use crate::store_core::StoreCore;
use crate::transaction::AssembledDocument;
use crate::visibility::counters::Totals;
use crate::visibility::estimate::EstimateChange;
use crate::visibility::read_cache::Removes;
use crate::visibility::{LoggedChanges, PreparedChanges};
use crate::{Collection, Index, Store, WriteOptions, encoding};
use pairs::Pairs;

/// Keys in one batch of lookups.
const CHUNK_KEYS: usize = 1000;
/// The minimum number of documents that makes a gap worth its own run: an engine may write one file
/// for each run.
const RUN_DOCUMENTS_MIN: usize = 2_000;

/// The outcome of a load.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LoadOutcome {
    /// All documents are stored.
    Loaded,
    /// Nothing was stored: a key exists already, or occurs twice in the load.
    KeysTaken,
}

/// The position of a load's keys relative to the stored keys.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Keys {
    /// No stored key lies between them.
    Alone,
    /// They lie between stored keys, and none of them is stored.
    Between,
    /// One of them is stored.
    Taken,
}

/// How a load makes sure that nobody else writes its keys.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Claims {
    /// It holds writers off, and looks its keys up.
    Lock,
    /// The engine checks them at the end.
    Engine,
}

/// New documents of one collection that become visible together. A load that is dropped stores
/// nothing.
pub struct DocumentLoad {
    core: Arc<StoreCore>,
    collection: Arc<Collection>,
    options: WriteOptions,
    documents: Pairs,
    indexes: Vec<IndexPairs>,
    /// By position in the collection's indexes.
    estimates: Vec<EstimateChange>,
    totals: Totals,
    document: AssembledDocument,
    entries: Entries,
    claims: Claims,
    /// The beginning, if the time of each document is measured.
    began: Option<Instant>,
    _lock: CollectionLockGuard,
}

/// The entries of one index.
struct IndexPairs {
    index: Arc<Index>,
    /// The index's position in the collection's indexes.
    position: usize,
    object: ObjectId,
    pairs: Pairs,
}

impl Store {
    /// Starts a load, or returns `None` if the collection has a unique index or still has writers.
    /// Where several servers share the store, it starts in both cases.
    ///
    /// `options` says how documents are made ([`WriteOptions::is_restore`]); options about stored
    /// documents have no effect. `wait` limits the wait for transactions that write to the
    /// collection. The caller waits for the collection's text indexes before
    /// ([`Collection::wait_for_text_indexes`]).
    ///
    /// Errors: 1203, 1004.
    pub fn load_documents(
        &self,
        collection: &Collection,
        options: &WriteOptions,
        wait: WaitPolicy,
    ) -> Result<Option<DocumentLoad>> {
        let core = &self.core;
        core.check_writable()?;
        let (claims, mode) = match core.coordination.is_alone() {
            true => (Claims::Lock, LockMode::Load),
            false => (Claims::Engine, LockMode::Shared),
        };
        let (began, since) = (core.began(), Instant::now());
        let lock = collection.lock.acquire(mode, wait);
        core.lock_counts.note(mode, since, true);
        let Some(lock) = lock else { return Ok(None) };
        let catalog = core.catalog();
        let present = catalog.same_collection(collection);
        let present = Arc::clone(present.ok_or_else(|| Error::collection_not_found(collection.name()))?);
        let indexes = present.indexes().iter().enumerate().skip(1);
        let is_unique = claims == Claims::Lock && indexes.clone().any(|(_, index)| index.is_unique());
        if is_unique || catalog::has_definitions(present.name()) {
            return Ok(None);
        }
        let indexes = indexes.map(|(position, index)| IndexPairs {
            index: Arc::clone(index),
            position,
            object: index.definition().object_id,
            pairs: Pairs::default(),
        });
        Ok(Some(DocumentLoad {
            core: Arc::clone(core),
            indexes: indexes.collect(),
            estimates: present.indexes().iter().map(|_| EstimateChange::default()).collect(),
            collection: present,
            options: options.clone(),
            documents: Pairs::default(),
            totals: Totals::default(),
            document: AssembledDocument::default(),
            entries: Entries::default(),
            claims,
            began,
            _lock: lock,
        }))
    }
}

impl DocumentLoad {
    /// Reserves memory for documents of `bytes` in total.
    pub fn reserve(&mut self, bytes: usize) {
        self.documents.reserve(bytes);
    }

    /// Adds a document.
    ///
    /// Errors: 1216, 1221, 1222, 1225, 1227, 1233, 1620, those of computed values, 10 for a value
    /// that cannot be indexed. The load then omits the document and can continue.
    pub fn add(&mut self, body: Slice<'_>) -> Result<()> {
        self.document.assemble(&self.core, &self.collection, body, &self.options)?;
        let lengths: Vec<usize> = self.indexes.iter().map(|index| index.pairs.len()).collect();
        if let Err(error) = self.add_entries() {
            self.indexes.iter_mut().zip(lengths).for_each(|(index, length)| index.pairs.truncate(length));
            self.estimates.iter_mut().for_each(EstimateChange::take_back);
            return Err(error);
        }
        self.estimates.iter_mut().for_each(EstimateChange::keep);
        let document = &self.document;
        let (key, bytes) = (document.key.key.as_str(), document.bytes.as_slice());
        self.collection.longest_document.note(bytes.len());
        let object = self.collection.object_id();
        self.documents.push(|engine_key| encoding::append_document_key(object, key, engine_key), bytes);
        self.totals.count += 1;
        self.totals.revision = self.totals.revision.max(document.revision);
        self.totals.key_value = self.totals.key_value.max(document.key.value);
        Ok(())
    }

    /// Adds the index entries of the document.
    fn add_entries(&mut self) -> Result<()> {
        let (key, bytes) = (self.document.key.key.as_str(), self.document.bytes.as_slice());
        for index in &mut self.indexes {
            self.entries.clear();
            index.index.entries(Slice::new(bytes), key, &mut self.entries)?;
            for entry in self.entries.iter() {
                index.pairs.push(|bytes| bytes.extend_from_slice(entry.key), entry.value);
                if let Some(sketch) = index.index.estimate()
                    && let Some(change) = self.estimates.get_mut(index.position)
                {
                    sketch.note(entry.hash, true, change);
                }
            }
        }
        Ok(())
    }

    /// Returns the number of documents.
    pub fn len(&self) -> usize {
        self.documents.len()
    }

    /// Returns true if there are no documents.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Makes all documents visible atomically, unless one of their keys exists already.
    ///
    /// Errors: those of the engine. Nothing was stored then, unless the error is 1650.
    pub fn finish(mut self) -> Result<LoadOutcome> {
        if !self.documents.sort() {
            return Ok(LoadOutcome::KeysTaken);
        }
        if self.is_empty() {
            return Ok(LoadOutcome::Loaded);
        }
        // Only those of unique indexes can be equal: others carry the keys of their documents.
        if !self.indexes.iter_mut().all(|index| index.pairs.sort()) {
            return Ok(LoadOutcome::KeysTaken);
        }
        self.indexes.sort_by_key(|index| index.object);
        let outcome = match self.claims {
            Claims::Lock => self.look_and_write()?,
            Claims::Engine => {
                let all = 0..self.documents.len();
                self.write(LoadHint::Scattered, std::slice::from_ref(&all))?
            }
        };
        if outcome == LoadOutcome::Loaded {
            self.core.note_operations(DocumentOperation::Insert, self.len(), self.began);
        }
        Ok(outcome)
    }

    fn look_and_write(&self) -> Result<LoadOutcome> {
        let gaps = gaps::find(&self.documents, self.core.engine.snapshot()?.as_ref(), RUN_DOCUMENTS_MIN)?;
        let bounds = gaps.iter().filter_map(|gap| self.documents.bounds(gap.clone()));
        let ranges = bounds.map(|(first, last)| running_loads::Range::new(first, last)).collect();
        let _ranges = self.collection.running_loads.enter(ranges);
        let keys = self.look(&gaps)?;
        if keys == Keys::Taken {
            return Ok(LoadOutcome::KeysTaken);
        }
        self.write(self.hint(keys), &gaps)
    }

    /// Checks whether a stored document has one of the keys. One look at each gap suffices if the
    /// gaps are free, as when batches of sorted documents are loaded.
    fn look(&self, gaps: &[Range<usize>]) -> Result<Keys> {
        let snapshot = self.core.engine.snapshot()?;
        for gap in gaps {
            if !gaps::is_free(&self.documents, gap, snapshot.as_ref())? {
                return self.look_each_up(snapshot.as_ref());
            }
        }
        Ok(Keys::Alone)
    }

    fn look_each_up(&self, snapshot: &dyn Snapshot) -> Result<Keys> {
        let keys: Vec<&[u8]> = self.documents.iter().map(|(key, _)| key).collect();
        for chunk in keys.chunks(CHUNK_KEYS) {
            if snapshot.contains_many(chunk)?.contains(&true) {
                return Ok(Keys::Taken);
            }
        }
        Ok(Keys::Between)
    }

    /// Tells the engine how the load's pairs lie. Index entries always lie between those of other
    /// documents.
    fn hint(&self, keys: Keys) -> LoadHint {
        match keys {
            Keys::Alone if self.indexes.is_empty() => LoadHint::Sorted { pairs: self.len() },
            _ => LoadHint::Scattered,
        }
    }

    fn write(&self, hint: LoadHint, gaps: &[Range<usize>]) -> Result<LoadOutcome> {
        let mut load = self.core.engine.load(LoadKind::Visible, hint)?;
        let change = self.collection.change(self.totals, Removes::Nothing, &self.estimates);
        let mut recorder = self.core.change_log.recorder();
        let origin = self.collection.origin();
        self.documents.iter().for_each(|(_, document)| {
            recorder.note_document(ChangeKind::Inserted, origin, Slice::new(document), None);
        });
        let logged = LoggedChanges { database: self.collection.database_id, entries: recorder.take() };
        let manner = (hint, self.claims == Claims::Lock);
        let prepared =
            PreparedChanges::of_load(self.core.publisher(), change, logged, manner, load.as_mut())?;
        self.add_pairs(gaps, load.as_mut())?;
        self.core.write_gate.check_leading()?;
        let publication = prepared.begin(|visit| {
            let indexes = self.indexes.iter().flat_map(|index| index.pairs.iter());
            self.documents.iter().chain(indexes).for_each(|(key, _)| visit(key));
        });
        let must_sync = self.collection.definition().properties.wait_for_sync;
        let durability = if must_sync { Durability::Synced } else { Durability::Buffered };
        let finished = load.finish(durability);
        let is_taken = self.claims == Claims::Engine && finished == Err(kv::Error::Conflict);
        match publication.end(finished) {
            Err(_) if is_taken => return Ok(LoadOutcome::KeysTaken),
            published => published?,
        }
        self.core.wait_for_members()?;
        Ok(LoadOutcome::Loaded)
    }

    /// Adds documents and index entries in key order, which is the order of their objects.
    fn add_pairs(&self, gaps: &[Range<usize>], load: &mut dyn BulkLoad) -> Result<()> {
        let documents =
            gaps.iter().map(|gap| (self.collection.object_id(), &self.documents, gap.clone(), true));
        let indexes = self
            .indexes
            .iter()
            .map(|index| (index.object, &index.pairs, 0..index.pairs.len(), index.index.is_unique()));
        let mut parts: Vec<_> = documents.chain(indexes).collect();
        parts.sort_by_key(|(object, _, part, _)| (*object, part.start));
        for (_, pairs, part, claims) in parts {
            load.begin_run()?;
            for (key, value) in pairs.iter_part(part) {
                if claims { load.add_absent(key, value)? } else { load.add(key, value)? }
            }
        }
        Ok(())
    }
}
