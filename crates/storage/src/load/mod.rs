//! Loading many new documents at once, without what a transaction keeps a document: no buffer that can be read, no
//! claims of keys, no look-up of each key where the gaps between stored keys that they fall into are free.
//!
//! Restores and imports use it batch by batch. A batch is assembled in memory, sorted, and becomes visible in one
//! atomic step with the entries of its indexes and its counts; a crash leaves all of it or nothing. Batches of
//! several threads run beside each other, also into one collection. What a load cannot do (keys that are taken,
//! unique indexes) it says before it has written anything: the caller then takes a transaction.
//!
//! Writers of the collection wait for the load, by its lock. A transaction that began before a load and comes to the
//! collection after it is refused with a retryable 1200, as one that meets a truncated collection: its snapshot lacks
//! what was loaded, and nobody claimed those keys ([`crate::visibility`]).

mod gaps;
mod pairs;
mod ranges;

use std::ops::Range;
use std::sync::Arc;

use catalog::ObjectId;
use kv::{BulkLoad, Durability, LoadHint, LoadKind, Snapshot, WaitPolicy};
use velocypack::Slice;

pub(crate) use ranges::RunningLoads;

use crate::collection_lock::{CollectionLockGuard, LockMode};
use crate::index::entries::Entries;
use crate::index::estimate::EstimateChange;
use crate::shared::Shared;
use crate::transaction::AssembledDocument;
use crate::visibility::counters::Totals;
use crate::visibility::read_cache::Removes;
use crate::visibility::{Change, PreparedChanges};
use crate::{Collection, Error, Index, Result, Store, WriteOptions, encoding};
use pairs::Pairs;

/// Keys that are looked up together.
const CHUNK_KEYS: usize = 1000;
/// Documents that make a gap worth a run of its own: an engine may write a file a run.
const RUN_DOCUMENTS_MIN: usize = 2_000;

/// What became of a load.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LoadOutcome {
    /// All documents are stored.
    Loaded,
    /// Nothing was stored: a key is taken, or twice in the load.
    KeysTaken,
}

/// Where the keys of a load lie.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Keys {
    /// No stored key is between them.
    Alone,
    /// Between stored keys, but none is one of those.
    Between,
    /// One of them is stored.
    Taken,
}

/// New documents of one collection that become visible together. Dropped, it has done nothing.
pub struct DocumentLoad {
    shared: Arc<Shared>,
    collection: Arc<Collection>,
    options: WriteOptions,
    documents: Pairs,
    indexes: Vec<IndexPairs>,
    /// By position in the collection's indexes.
    estimates: Vec<EstimateChange>,
    totals: Totals,
    document: AssembledDocument,
    entries: Entries,
    _lock: CollectionLockGuard,
}

/// The entries of one index.
struct IndexPairs {
    index: Arc<Index>,
    /// In the collection's indexes.
    position: usize,
    object: ObjectId,
    pairs: Pairs,
}

impl Store {
    /// Starts a load. `options` say how documents are made ([`WriteOptions::is_restore`]); all that concerns stored
    /// documents has no meaning. `wait` says how long it waits for transactions that write the collection.
    /// `None` where a load is not possible: the collection has a unique index, or is still being written then.
    ///
    /// Errors: 1203, 1004.
    pub fn load_documents(
        &self,
        collection: &Collection,
        options: &WriteOptions,
        wait: WaitPolicy,
    ) -> Result<Option<DocumentLoad>> {
        let shared = &self.shared;
        shared.check_writable()?;
        let Some(lock) = collection.lock.acquire(LockMode::Load, wait) else { return Ok(None) };
        let catalog = shared.catalog();
        let present = catalog.same_collection(collection);
        let present = Arc::clone(present.ok_or_else(|| Error::collection_not_found(collection.name()))?);
        let indexes = present.indexes().iter().enumerate().skip(1);
        if indexes.clone().any(|(_, index)| index.is_unique()) || present.name() == catalog::GRAPHS_COLLECTION
        {
            return Ok(None);
        }
        let indexes = indexes.map(|(position, index)| IndexPairs {
            index: Arc::clone(index),
            position,
            object: index.definition().object_id,
            pairs: Pairs::default(),
        });
        Ok(Some(DocumentLoad {
            shared: Arc::clone(shared),
            indexes: indexes.collect(),
            estimates: present.indexes().iter().map(|_| EstimateChange::default()).collect(),
            collection: present,
            options: options.clone(),
            documents: Pairs::default(),
            totals: Totals::default(),
            document: AssembledDocument::default(),
            entries: Entries::default(),
            _lock: lock,
        }))
    }
}

impl DocumentLoad {
    /// Makes room for documents of so many bytes together.
    pub fn reserve(&mut self, bytes: usize) {
        self.documents.reserve(bytes);
    }

    /// Adds a document.
    ///
    /// Errors: 1216, 1221, 1222, 1225, 1227, 1233, 1620, those of computed values; the document is then left out and
    /// the load can go on.
    pub fn add(&mut self, body: Slice<'_>) -> Result<()> {
        let document = &mut self.document;
        document.assemble(&self.shared, &self.collection, body, &self.options)?;
        let (key, bytes) = (document.key.key.as_str(), document.bytes.as_slice());
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
        let object = self.collection.object_id();
        self.documents.push(|engine_key| encoding::append_document_key(object, key, engine_key), bytes);
        self.totals.count += 1;
        self.totals.revision = self.totals.revision.max(document.revision);
        self.totals.key_value = self.totals.key_value.max(document.key.value);
        Ok(())
    }

    /// Number of documents.
    pub fn len(&self) -> usize {
        self.documents.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Makes all documents visible at once, unless one of their keys is taken.
    ///
    /// Errors: those of the engine; unless it is 1650, nothing was stored then.
    pub fn finish(mut self) -> Result<LoadOutcome> {
        if !self.documents.sort() {
            return Ok(LoadOutcome::KeysTaken);
        }
        if self.is_empty() {
            return Ok(LoadOutcome::Loaded);
        }
        // Entries of one document cannot be equal, and those of two documents carry their keys.
        self.indexes.iter_mut().for_each(|index| {
            index.pairs.sort();
        });
        self.indexes.sort_by_key(|index| index.object);
        let gaps = gaps::find(&self.documents, self.shared.engine.snapshot()?.as_ref(), RUN_DOCUMENTS_MIN)?;
        let bounds = gaps.iter().filter_map(|gap| self.documents.bounds(gap.clone()));
        let ranges = bounds.map(|(first, last)| ranges::Range::new(first, last)).collect();
        let _ranges = self.collection.running_loads.enter(ranges);
        let keys = self.look(&gaps)?;
        if keys == Keys::Taken {
            return Ok(LoadOutcome::KeysTaken);
        }
        self.write(self.hint(keys), &gaps)?;
        Ok(LoadOutcome::Loaded)
    }

    /// Whether a document has one of the keys. Where none lies in their gaps, as when batches of sorted documents are
    /// loaded, a look at each gap tells it.
    fn look(&self, gaps: &[Range<usize>]) -> Result<Keys> {
        let snapshot = self.shared.engine.snapshot()?;
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
            if snapshot.get_many(chunk)?.iter().any(|value| value.is_some()) {
                return Ok(Keys::Taken);
            }
        }
        Ok(Keys::Between)
    }

    /// How the load's pairs lie in the engine. Entries of indexes always lie between those of other documents.
    fn hint(&self, keys: Keys) -> LoadHint {
        match keys {
            Keys::Alone if self.indexes.is_empty() => LoadHint::Sorted { pairs: self.len() },
            _ => LoadHint::Scattered,
        }
    }

    fn write(&self, hint: LoadHint, gaps: &[Range<usize>]) -> Result<()> {
        let mut load = self.shared.engine.load(LoadKind::Visible, hint)?;
        let change = Change {
            collection: &self.collection,
            totals: self.totals,
            removes: Removes::Nothing,
            estimates: &self.estimates,
        };
        let prepared = PreparedChanges::of_load(&self.shared, change, hint, load.as_mut())?;
        self.add_pairs(gaps, load.as_mut())?;
        let publication = prepared.begin(|visit| {
            let indexes = self.indexes.iter().flat_map(|index| index.pairs.iter());
            self.documents.iter().chain(indexes).for_each(|(key, _)| visit(key));
        });
        let must_sync = self.collection.definition().properties.wait_for_sync;
        let durability = if must_sync { Durability::Synced } else { Durability::Buffered };
        publication.end(load.finish(durability))
    }

    /// Adds documents and entries of indexes in the order of their keys, which are those of their objects.
    fn add_pairs(&self, gaps: &[Range<usize>], load: &mut dyn BulkLoad) -> Result<()> {
        let documents = gaps.iter().map(|gap| (self.collection.object_id(), &self.documents, gap.clone()));
        let indexes = self.indexes.iter().map(|index| (index.object, &index.pairs, 0..index.pairs.len()));
        let mut parts: Vec<_> = documents.chain(indexes).collect();
        parts.sort_by_key(|(object, _, part)| (*object, part.start));
        for (_, pairs, part) in parts {
            load.begin_run()?;
            pairs.iter_part(part).try_for_each(|(key, value)| load.add(key, value))?;
        }
        Ok(())
    }
}
