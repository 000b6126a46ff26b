//! A consistent state to read from.

mod capture;
mod rehearsal;
pub(crate) mod split;

use std::sync::{Arc, Weak};
use std::time::Instant;

use catalog::{CollectionId, ObjectId};
use errors::{Error, ErrorCode, Result};
use kv::{BlockLimits, Engine};

use crate::base::documents::Documents;
use crate::base::error;
use crate::base::fork_join::ForkJoin;
use crate::base::restriction::{Restriction, Restrictions, RestrictionsElsewhere};
use crate::base::usage::UsageCounts;
use crate::catalog_snapshot::Catalog;
use crate::encoding;
use crate::index::bounds::{IndexBounds, IndexRange};
use crate::index::edge::{EdgeDirection, EdgeReader, EdgeScan, EdgeWalk};
use crate::index::found::UniqueEntries;
use crate::index::persistent::{self, IndexScan, IndexWalk};
use crate::index::scan::{EntryScan, ScanOptions, ScanSource};
use crate::index::text::pins::{SearchPins, SearchState};
use crate::index::value::IndexValue;
use crate::index::vector::NearScan;
use crate::metrics::{DocumentOperation, DocumentTimes};
use crate::scan::{DocumentScan, DocumentScanSpec};
use crate::visibility::counters::{self, Totals};
use crate::visibility::edge_ends::LastLoss;
use crate::visibility::read_cache::{CollectionCache, CommitNumber, ReadCacheView};
use crate::{Collection, Index};

/// All documents and the catalog as of one moment. It is cheap to clone, and many threads can read
/// it immediately.
///
/// Collections and indexes that callers pass in must come from [`Snapshot::catalog`], because an
/// index that was created later has no entries here.
#[derive(Clone)]
pub struct Snapshot {
    engine: Arc<dyn kv::Snapshot>,
    catalog: Arc<Catalog>,
    /// Changes of collections' counts by an open transaction.
    changes: Arc<[(ObjectId, i64)]>,
    /// `None` if the store has no read cache, or if the snapshot includes writes of an open
    /// transaction.
    read_cache: Option<ReadCacheView>,
    fork_join: Arc<ForkJoin>,
    /// `None` if there are no text indexes.
    search: Option<Arc<SearchPins>>,
    document_times: Option<Arc<DocumentTimes>>,
    changes_below: u64,
    /// `None` if nothing is counted.
    usage: Option<Arc<dyn UsageCounts>>,
    /// `None` if everything may be read.
    restrictions: Option<Arc<dyn Restrictions>>,
    /// The engine of the store, which may be closed before the snapshot is dropped.
    store: Weak<dyn Engine>,
}

/// Limits of one step of [`Snapshot::count_shown`].
const COUNT_LIMITS: BlockLimits = BlockLimits { rows: 1_000, bytes: 1 << 20 };

/// The parts of a snapshot.
pub(crate) struct SnapshotParts {
    pub(crate) engine: Arc<dyn kv::Snapshot>,
    pub(crate) catalog: Arc<Catalog>,
    /// Changes of collections' counts by an open transaction.
    pub(crate) changes: Vec<(ObjectId, i64)>,
    pub(crate) read_cache: Option<ReadCacheView>,
    pub(crate) fork_join: Arc<ForkJoin>,
    pub(crate) search: Option<Arc<SearchPins>>,
    pub(crate) document_times: Option<Arc<DocumentTimes>>,
    /// A position of the change log below which the engine's snapshot shows all commits.
    pub(crate) changes_below: u64,
    pub(crate) store: Weak<dyn Engine>,
}

/// Keys of documents as the engine stores them.
struct DocumentKeys {
    bytes: Vec<u8>,
    ends: Vec<usize>,
}

impl DocumentKeys {
    fn new(collection: &Collection, keys: &[&str]) -> Self {
        let object = collection.object_id();
        let mut bytes =
            Vec::with_capacity(keys.iter().map(|key| encoding::OBJECT_ID_BYTES + key.len()).sum());
        let mut ends = Vec::with_capacity(keys.len());
        for key in keys {
            encoding::append_document_key(object, key, &mut bytes);
            ends.push(bytes.len());
        }
        DocumentKeys { bytes, ends }
    }

    fn parts(&self) -> Vec<&[u8]> {
        let starts = std::iter::once(0).chain(self.ends.iter().copied());
        starts.zip(&self.ends).map(|(start, end)| self.bytes.get(start..*end).unwrap_or_default()).collect()
    }
}

impl Snapshot {
    pub(crate) fn new(parts: SnapshotParts) -> Self {
        Snapshot {
            engine: parts.engine,
            catalog: parts.catalog,
            changes: parts.changes.into(),
            read_cache: parts.read_cache,
            fork_join: parts.fork_join,
            search: parts.search,
            document_times: parts.document_times,
            changes_below: parts.changes_below,
            usage: None,
            restrictions: None,
            store: parts.store,
        }
    }

    /// Returns the snapshot with counts of the bytes that are read from it.
    #[must_use]
    pub fn counted(self, usage: Option<Arc<dyn UsageCounts>>) -> Self {
        Snapshot { usage, ..self }
    }

    /// Returns the snapshot with limits of what its reader sees.
    ///
    /// Lookups and scans of documents then hide and mask. Whatever reads entries of an index of a
    /// restricted collection fails, because entries cannot be hidden. A reader that applies the
    /// limits itself uses [`Snapshot::seeing_all_of`].
    #[must_use]
    pub fn restricted(self, restrictions: Option<Arc<dyn Restrictions>>) -> Self {
        Snapshot { restrictions, ..self }
    }

    /// Returns the snapshot with no limits in some collections, for a plan that contains their
    /// rules.
    #[must_use]
    pub fn seeing_all_of(self, collections: &Arc<[CollectionId]>) -> Self {
        let restrictions = self.restrictions.clone().map(|inner| -> Arc<dyn Restrictions> {
            Arc::new(RestrictionsElsewhere { inner, collections: Arc::clone(collections) })
        });
        self.restricted(restrictions)
    }

    /// Returns the limits of the reader in a collection; `None` if there are none.
    ///
    /// Errors: 11 if its rules cannot be understood.
    pub fn restriction(&self, collection: &Collection) -> Result<Option<Arc<dyn Restriction>>> {
        match &self.restrictions {
            None => Ok(None),
            Some(restrictions) => restrictions.of(collection.definition()),
        }
    }

    /// Checks that the reader sees all of a collection. Errors: 11.
    fn check_sees_all(&self, collection: &Collection) -> Result<()> {
        match self.restriction(collection)? {
            None => Ok(()),
            Some(_) => Err(error::restricted(collection.name())),
        }
    }

    /// Returns the position of the change log below which the snapshot shows all commits. It may
    /// show later ones.
    pub fn changes_below(&self) -> u64 {
        self.changes_below
    }

    /// Returns the engine's version of the state ([`kv::Snapshot::version`]).
    pub fn version(&self) -> u64 {
        self.engine.version()
    }

    /// Returns the catalog as of the snapshot's moment.
    pub fn catalog(&self) -> &Arc<Catalog> {
        &self.catalog
    }

    /// Looks documents up by their keys, in one batch. Returns one result for each key, in the
    /// order of the keys.
    ///
    /// It ends early, after at least one key, where the documents have [`kv::LOOKUP_BYTES`] or may
    /// have more.
    pub fn get(&self, collection: &Collection, keys: &[&str]) -> Result<Documents> {
        let began = self.document_times.as_ref().map(|times| (times, Instant::now()));
        let longest = &collection.longest_document;
        let keys = keys.get(..longest.keys_per_lookup()).unwrap_or(keys);
        let keys = DocumentKeys::new(collection, keys);
        let keys = keys.parts();
        let values = match &self.read_cache {
            Some(cache) => cache.get_many(&collection.commit_watch, &keys, |keys| self.look_up(keys))?,
            None => self.look_up(&keys)?,
        };
        values.iter().flatten().for_each(|value| longest.note(value.len()));
        if let Some(usage) = &self.usage {
            let bytes: usize = values.iter().flatten().map(<[u8]>::len).sum();
            usage.of(collection.id(), collection.shared_name()).read_bytes.add(bytes as u64);
        }
        let mut documents = Documents::of_values(values, collection.shared_name());
        if let Some(restriction) = self.restriction(collection)? {
            documents = restriction.shown(documents)?;
        }
        if let Some((times, began)) = began {
            times.note(DocumentOperation::Read, documents.len(), began);
        }
        Ok(documents)
    }

    /// Looks documents up by their keys. Calls `take` with one result after the other for all keys,
    /// each for as many keys as [`Snapshot::get`] gives.
    pub fn get_all(
        &self,
        collection: &Collection,
        keys: &[&str],
        mut take: impl FnMut(&Documents) -> Result<()>,
    ) -> Result<()> {
        let mut rest = keys;
        while !rest.is_empty() {
            let documents = self.get(collection, rest)?;
            take(&documents)?;
            rest = rest.get(documents.len()..).unwrap_or_default();
        }
        Ok(())
    }

    /// Returns the values of keys. Two threads share the work if there are many keys.
    fn look_up(&self, keys: &[&[u8]]) -> kv::Result<kv::Values> {
        self.fork_join.look_up(keys, &|keys: &[&[u8]]| self.engine.get_many(keys))
    }

    /// Checks whether documents exist. Returns one result for each key, in the order of the keys.
    pub fn contains(&self, collection: &Collection, keys: &[&str]) -> Result<Vec<bool>> {
        if self.restriction(collection)?.is_some() {
            let mut exist = Vec::with_capacity(keys.len());
            self.get_all(collection, keys, |documents| {
                exist.extend(documents.offsets.iter().map(Option::is_some));
                Ok(())
            })?;
            return Ok(exist);
        }
        let keys = DocumentKeys::new(collection, keys);
        let keys = keys.parts();
        let Some(cache) = &self.read_cache else { return Ok(self.engine.contains_many(&keys)?) };
        let mut exist = Vec::with_capacity(keys.len());
        while let Some(rest) = keys.get(exist.len()..).filter(|rest| !rest.is_empty()) {
            exist.extend(cache.contains_many(&collection.commit_watch, rest, |keys| self.look_up(keys))?);
        }
        Ok(exist)
    }

    /// Starts a scan over documents in byte order of their keys.
    pub fn scan(&self, collection: &Collection, spec: &DocumentScanSpec) -> Result<DocumentScan> {
        let (object, name) = (collection.object_id(), collection.shared_name());
        let restriction = self.restriction(collection)?;
        let scan =
            DocumentScan::start(self.engine.as_ref(), object, name, spec, &self.fork_join, restriction)?;
        Ok(scan.counted(self.usage.as_ref().map(|usage| usage.of(collection.id(), name))))
    }

    /// Starts a scan of index entries within one or more ranges, for an index of any type.
    ///
    /// Errors: 4 for a search that the index does not know.
    pub fn open_index(
        &self,
        collection: &Collection,
        index: &Arc<Index>,
        ranges: Vec<IndexRange>,
        options: &ScanOptions,
    ) -> Result<Box<dyn EntryScan>> {
        self.check_sees_all(collection)?;
        index.open(self.scan_source(collection), ranges, options)
    }

    /// Starts a search for the vectors nearest to `vector`. Without `n_probe` it reads as many
    /// lists as the index's definition says.
    ///
    /// It is separate from [`Snapshot::open_index`] because the caller decides while it reads how
    /// many lists it needs, and gets the score of each entry.
    ///
    /// Errors: 10 for any other value than a vector of the index's dimension, 4 for an index of
    /// another type.
    pub fn near(
        &self,
        collection: &Collection,
        index: &Arc<Index>,
        vector: &IndexValue,
        n_probe: Option<u64>,
    ) -> Result<NearScan> {
        self.check_sees_all(collection)?;
        NearScan::start(self.scan_source(collection), index, vector, n_probe)
    }

    /// Returns the union of the states of text indexes, for a search. A snapshot always gives the
    /// same state of an index.
    ///
    /// A state may have documents that this snapshot lacks, or has in another version: the caller
    /// compares the revisions of hits. An index without a state makes its first step here, and
    /// calls `check` from time to time.
    ///
    /// Errors: 10 for an index without terms, those of an index that cannot be opened, that of
    /// `check`, 30 if the store is closed.
    pub fn search_state(
        &self,
        indexes: &[Arc<Index>],
        check: &dyn Fn() -> Result<()>,
    ) -> Result<Arc<SearchState>> {
        let pins = self.search.as_ref();
        let pins = pins.ok_or_else(|| Error::bad_parameter("there is no index to search"))?;
        pins.state(indexes, check)
    }

    /// Returns true if a state of text indexes has exactly the documents of this snapshot, in its
    /// versions. `collections` are those of the indexes.
    ///
    /// False if that is not known, as in a transaction with writes.
    pub fn is_state_exact<'c>(
        &self,
        state: &SearchState,
        collections: impl IntoIterator<Item = &'c Arc<Collection>>,
    ) -> bool {
        let (Some(own), Some(of_state)) = (self.as_of(), state.as_of()) else { return false };
        let moment = own.min(of_state);
        // Both have all commits up to that moment. Later ones may be in one of them only.
        collections.into_iter().all(|collection| collection.commit_watch.is_unchanged_since(moment))
    }

    /// Returns the last commit that the snapshot is certain to include, with all commits before it.
    ///
    /// `None` without a read cache, and in a transaction with writes.
    pub(crate) fn as_of(&self) -> Option<CommitNumber> {
        self.read_cache.as_ref().map(ReadCacheView::as_of)
    }

    fn scan_source(&self, collection: &Collection) -> ScanSource {
        ScanSource {
            engine: Arc::clone(&self.engine),
            collection: Arc::clone(collection.shared_name()),
            fork_join: Arc::clone(&self.fork_join),
            cache: self.cache_of(collection),
        }
    }

    /// Starts a scan over a sorted index, in AQL's order of the indexed values, or over a
    /// time-to-live index, in order of the dates as seconds.
    ///
    /// It is separate from [`Snapshot::open_index`] for callers that have bounds of their own and
    /// no query.
    ///
    /// Errors: 4 for an index of another type.
    pub fn index_scan(
        &self,
        collection: &Collection,
        index: &Index,
        bounds: &IndexBounds,
        reverse: bool,
    ) -> Result<IndexScan> {
        self.check_sees_all(collection)?;
        IndexScan::start(self.engine.as_ref(), collection.shared_name(), index, bounds, reverse)
    }

    /// Starts a series of lookups in a sorted index that ascend in its order.
    ///
    /// It is separate from [`Snapshot::open_index`] because it keeps its place from one lookup to
    /// the next.
    ///
    /// Errors: 4 for an index of another type.
    pub fn index_walk(&self, collection: &Collection, index: &Arc<Index>) -> Result<IndexWalk> {
        self.check_sees_all(collection)?;
        if !index.capabilities().ordered {
            let name = index.definition().properties.type_name();
            return Err(Error::internal(format!("an index of type '{name}' has no order to follow")));
        }
        Ok(IndexWalk::new(Arc::clone(&self.engine), collection.shared_name(), index))
    }

    /// Looks up entries of a unique index in one batch; each lookup compares all fields for
    /// equality.
    ///
    /// It ends early, after at least one lookup, where the entries have [`kv::LOOKUP_BYTES`]. It
    /// is separate from [`Snapshot::open_index`] because one call serves many rows.
    ///
    /// Errors: 4 for an index that is not unique, or a lookup that does not give all fields; 1102
    /// for a damaged entry.
    pub fn unique_entries(
        &self,
        collection: &Collection,
        index: &Index,
        lookups: &[IndexBounds],
    ) -> Result<UniqueEntries> {
        self.check_sees_all(collection)?;
        let cache = self.read_cache.as_ref().map(|cache| (cache, &*collection.commit_watch));
        persistent::look_up(|keys| self.look_up(keys), cache, collection.shared_name(), index, lookups)
    }

    /// Scans the edges of some vertices (document identifiers), through the edge index.
    ///
    /// Errors: 1218 unless the collection holds edges, 1200 if its edge index was not built at the
    /// snapshot's time.
    pub fn edges(
        &self,
        collection: &Collection,
        direction: EdgeDirection,
        vertices: &[&str],
    ) -> Result<EdgeScan> {
        self.check_sees_all(collection)?;
        let vertices = vertices.iter().map(|vertex| (*vertex).to_owned()).collect();
        Ok(EdgeScan::start(&self.engine, edge_index(collection)?, direction, vertices))
    }

    /// Walks over all edges of a collection in the byte order of their vertices in one direction,
    /// through the edge index. It begins at the vertex `from` and ends before `to`.
    ///
    /// Errors: 1218 unless the collection holds edges, 1200 if its edge index was not built at the
    /// snapshot's time.
    pub fn edge_walk(
        &self,
        collection: &Collection,
        direction: EdgeDirection,
        from: Option<&str>,
        to: Option<&str>,
    ) -> Result<EdgeWalk> {
        self.check_sees_all(collection)?;
        EdgeWalk::start(self.engine.as_ref(), edge_index(collection)?, direction, from, to)
    }

    /// Opens a reader of the edges of vertices in one direction, through the edge index.
    ///
    /// It is separate from [`Snapshot::open_index`] because traversals call it once for each
    /// vertex, and it reads from memory where it can. In a restricted collection it also returns
    /// edges that the reader does not see, so the caller looks their documents up.
    ///
    /// Errors: 1218 unless the collection holds edges, 1200 if its edge index was not built at the
    /// snapshot's time.
    pub fn edge_reader(&self, collection: &Collection, direction: EdgeDirection) -> Result<EdgeReader> {
        let cache = self.cache_of(collection);
        Ok(EdgeReader::start(Arc::clone(&self.engine), cache, edge_index(collection)?, direction))
    }

    /// Returns the number of reads that a caller should run concurrently, if it knows them
    /// before it needs them. It is more than 1 where a read waits for a message.
    pub fn concurrent_reads(&self) -> usize {
        self.engine.concurrent_reads()
    }

    fn cache_of(&self, collection: &Collection) -> Option<CollectionCache> {
        self.read_cache.as_ref().map(|cache| cache.of_collection(&collection.commit_watch))
    }

    /// Returns the last commit that may have removed documents of the collection from this
    /// snapshot: see [`crate::VertexEdges::ends_exist`].
    pub fn last_loss(&self, collection: &Collection) -> LastLoss {
        collection.commits().last_loss()
    }

    /// Returns the number of documents.
    ///
    /// Errors: 11 if the reader does not see all of them.
    pub fn count(&self, collection: &Collection) -> Result<u64> {
        self.check_sees_all(collection)?;
        let object = collection.object_id();
        let mut totals = counters::read(self.engine.as_ref(), object)?;
        for (changed, change) in self.changes.iter() {
            if *changed == object {
                totals.count = totals.count.saturating_add(*change);
            }
        }
        Ok(totals.documents())
    }

    /// Returns the number of documents that the reader sees. If rules hide some, it reads all of
    /// them, and calls `check` from time to time.
    ///
    /// Errors: that of `check`, those of the rules.
    pub fn count_shown(&self, collection: &Collection, check: &dyn Fn() -> Result<()>) -> Result<u64> {
        if self.restriction(collection)?.is_none() {
            return self.count(collection);
        }
        let spec = DocumentScanSpec { sequential: true, ..DocumentScanSpec::default() };
        let (mut scan, mut count) = (self.scan(collection, &spec)?, 0);
        while let Some(documents) = scan.next_block(COUNT_LIMITS)? {
            check()?;
            count += documents.len() as u64;
        }
        Ok(count)
    }

    /// Returns the greatest revision that was committed to the collection.
    pub fn revision(&self, collection: &Collection) -> Result<crate::Revision> {
        let Totals { revision, .. } = counters::read(self.engine.as_ref(), collection.object_id())?;
        Ok(revision)
    }

    pub(crate) fn engine(&self) -> &Arc<dyn kv::Snapshot> {
        &self.engine
    }
}

fn edge_index(collection: &Collection) -> Result<&Arc<Index>> {
    collection.edge_index().ok_or_else(|| match collection.is_edge() {
        true => error::lacks_edge_index(collection.name()),
        false => {
            let message =
                format!("collection type invalid: '{}' is not an edge collection", collection.name());
            Error::new(ErrorCode::CollectionTypeInvalid, message)
        }
    })
}
