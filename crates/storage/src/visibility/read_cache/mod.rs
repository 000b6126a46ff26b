//! The read cache: recently read documents by key, the edges of a vertex, and the entries of an
//! index with `cacheEnabled` that have one value. All readers share it. It corresponds to
//! ArangoDB's in-memory hash caches.
//!
//! Readers have snapshots of different moments. So each entry has a moment from which on it is
//! valid (`since`), and it stays only until a commit changes its content. The commit number is the
//! clock (see [`CommitOrder`]):
//!
//! - A snapshot knows `as_of`: it includes all commits up to this one, and perhaps later ones. It
//!   may use entries that are valid since then or earlier.
//! - A commit takes a number, writes it to the watches of its collections, and removes the entries
//!   that it changes. Only then does it become visible.
//! - After a miss, a reader reserves a place for the entry and then looks at the watch. If it finds
//!   a commit after its `as_of`, it caches nothing. A commit that comes later finds the reserved
//!   place and removes it, so that nothing can be inserted there any longer.
//!
//! So no commit has changed the content of an entry between `since` and now. A truncation gives the
//! collection new object ids, which are parts of the keys.
//!
//! The edges of a vertex also record the commit as of which all vertices at their other ends
//! existed, once a reader has found that out: see [`crate::visibility::edge_ends`].

mod admission;
mod commit_order;
mod encoded_edges;
mod encoded_pairs;
mod entry;

use std::ops::AddAssign;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

use allocation_meter::Uncounted;
use catalog::ObjectId;
use errors::{Error, Result};
use kv::{BLOCK_BYTES_MAX, Block, LOOKUP_BYTES, Values};
use quick_cache::sync::{Cache, GuardResult, PlaceholderGuard};
use quick_cache::{DefaultHashBuilder, OptionsBuilder, Weighter};

use self::admission::Doorkeeper;
use self::commit_order::CommitOrder;
use crate::metrics::ReadCacheStatistics;

pub(crate) use commit_order::CommitNumber;
pub(crate) use encoded_edges::EncodedEdges;
pub(crate) use entry::{CachedEdges, CachedValue};

/// The largest entry: a larger one would evict too many others.
const ENTRY_BYTES_MAX: usize = 16 << 10;

/// Bytes of an entry besides its key and value: the overhead of both allocations, its place, and
/// its share of the table.
const ENTRY_OVERHEAD_BYTES: u64 = 160;

/// The size of a typical entry, to estimate the initial number of places.
const ENTRY_BYTES_USUAL: u64 = 512;

/// The smallest cache: a smaller one is not worth the bookkeeping.
const CACHE_BYTES_MIN: u64 = 1 << 20;

/// From this many keys in one lookup on, a document is admitted on its second read. Caching a
/// document takes half as long as reading it, and most documents of a large range are not read
/// again.
const MANY_KEYS: usize = 256;

type Entries = Cache<Vec<u8>, Entry, EntryWeight>;
type Guard<'a> = PlaceholderGuard<
    'a,
    Vec<u8>,
    Entry,
    EntryWeight,
    DefaultHashBuilder,
    quick_cache::sync::DefaultLifecycle<Vec<u8>, Entry>,
>;

/// The read cache of a store.
pub(crate) struct ReadCache {
    /// Entries by the engine key of a document or of an entry in a unique index, or by the prefix
    /// that the entries of a vertex or a value share in an index. `None` if the cache is off.
    entries: Option<Entries>,
    /// Documents that were read among many and not admitted.
    doorkeeper: Doorkeeper,
    order: CommitOrder,
    hits: AtomicU64,
    misses: AtomicU64,
}

#[derive(Clone)]
struct Entry {
    since: CommitNumber,
    value: CachedValue,
}

#[derive(Clone)]
struct EntryWeight;

impl Weighter<Vec<u8>, Entry> for EntryWeight {
    fn weight(&self, key: &Vec<u8>, entry: &Entry) -> u64 {
        (key.len() + entry.value.size_bytes()) as u64 + ENTRY_OVERHEAD_BYTES
    }
}

/// Returns the part of an index entry's key under which the cache holds the entry; `None` if the
/// bytes cannot be an entry.
pub(crate) type CacheKey = fn(&[u8]) -> Option<&[u8]>;

/// The kind of a commit: whether it removes documents of a collection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Removes {
    /// The commit only adds and replaces documents.
    Nothing,
    Some,
}

/// A collection that a commit writes.
pub(in crate::visibility) struct CommittedCollection<'a> {
    pub(in crate::visibility) watch: &'a CommitWatch,
    /// The object that prefixes the keys of its documents.
    pub(in crate::visibility) documents: ObjectId,
    /// The objects that prefix the entries of its cached indexes, and the functions from the key
    /// of such an entry to that of the cache.
    pub(in crate::visibility) indexes: &'a [(ObjectId, CacheKey)],
    pub(in crate::visibility) removes: Removes,
}

/// The state through which commits to a collection and its readers notice each other.
#[derive(Debug, Default)]
pub(crate) struct CommitWatch {
    /// The last commit that has begun.
    last_commit: AtomicU64,
    /// The last commit that has begun and removes documents.
    last_removal: AtomicU64,
    /// True once the cache has held anything of the collection.
    is_kept: AtomicBool,
}

/// The cache as one snapshot may use it.
#[derive(Clone)]
pub(crate) struct ReadCacheView {
    cache: Arc<ReadCache>,
    as_of: CommitNumber,
}

/// The cache as one snapshot may use it for the edges or the entries of a collection.
#[derive(Clone)]
pub(crate) struct CollectionCache {
    view: ReadCacheView,
    watch: Arc<CommitWatch>,
}

/// A commit in progress. It is dropped when its outcome is known, and leaked if that never happens.
pub(crate) struct Commit<'a> {
    order: &'a CommitOrder,
    number: CommitNumber,
}

/// A commit in progress that changes definitions. It is dropped when its outcome is known.
pub(crate) struct DefinitionCommit {
    cache: Arc<ReadCache>,
    number: CommitNumber,
}

/// The result of a lookup.
pub(crate) enum Found<'a> {
    /// An entry that is valid for the snapshot.
    Cached(CachedValue),
    /// No valid entry. The reader may cache what it reads instead if there is a place.
    Missing(Option<Place<'a>>),
}

/// A reserved place for an entry.
pub(crate) struct Place<'a> {
    guard: Guard<'a>,
    since: CommitNumber,
}

/// The use that a query makes of the entries of indexes in the cache.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CacheUse {
    /// Index entries that came from the cache.
    pub hits: u64,
    /// Lookups that the cache could not serve.
    pub misses: u64,
}

impl AddAssign for CacheUse {
    fn add_assign(&mut self, other: Self) {
        self.hits += other.hits;
        self.misses += other.misses;
    }
}

impl ReadCache {
    /// Makes a cache of `limit_bytes`; with less than a mebibyte it caches nothing.
    pub(crate) fn new(limit_bytes: u64) -> Self {
        let options = OptionsBuilder::new()
            .estimated_items_capacity(usize::try_from(limit_bytes / ENTRY_BYTES_USUAL).unwrap_or(usize::MAX))
            .weight_capacity(limit_bytes)
            .build()
            .ok()
            .filter(|_| limit_bytes >= CACHE_BYTES_MIN);
        let entries = options.map(|options| {
            Cache::with_options(
                options,
                EntryWeight,
                DefaultHashBuilder::default(),
                quick_cache::sync::DefaultLifecycle::default(),
            )
        });
        let (hits, misses) = (AtomicU64::new(0), AtomicU64::new(0));
        let doorkeeper = Doorkeeper::new(limit_bytes / ENTRY_BYTES_USUAL);
        ReadCache { entries, doorkeeper, order: CommitOrder::default(), hits, misses }
    }

    /// Returns the view for a snapshot that is taken after this call; `None` if the cache is off.
    pub(crate) fn view(self: &Arc<Self>) -> Option<ReadCacheView> {
        let is_on = self.entries.is_some();
        is_on.then(|| ReadCacheView { cache: Arc::clone(self), as_of: self.order.finished() })
    }

    /// Begins a commit that changes the meaning of collection names.
    pub(crate) fn begin_definition(self: &Arc<Self>) -> DefinitionCommit {
        DefinitionCommit { cache: Arc::clone(self), number: self.order.begin() }
    }

    /// Begins a commit that writes to some collections, and removes the entries that it changes.
    /// `written` passes on its keys.
    pub(in crate::visibility) fn begin_commit<'a>(
        &self,
        collections: impl Iterator<Item = CommittedCollection<'a>>,
        written: impl FnOnce(&mut dyn FnMut(&[u8])),
    ) -> Commit<'_> {
        let number = self.order.begin();
        let commit = Commit { order: &self.order, number };
        let Some(entries) = &self.entries else { return commit };
        let kept: Vec<CommittedCollection<'_>> = collections
            .filter(|collection| collection.watch.begin_commit(number, collection.removes))
            .collect();
        if !kept.is_empty() {
            written(&mut |key| {
                let Some(object) = crate::encoding::object_of(key) else { return };
                if kept.iter().any(|collection| collection.documents == object) {
                    entries.remove(key);
                    return;
                }
                let mut indexes = kept.iter().flat_map(|collection| collection.indexes);
                let index = indexes.find(|(entries, _)| *entries == object);
                if let Some(key) = index.and_then(|(_, cache_key)| cache_key(key)) {
                    entries.remove(key);
                }
            });
        }
        commit
    }

    /// Returns the current statistics.
    pub(crate) fn statistics(&self) -> ReadCacheStatistics {
        ReadCacheStatistics {
            limit_bytes: self.entries.as_ref().map_or(0, Cache::capacity),
            used_bytes: self.entries.as_ref().map_or(0, Cache::weight),
            hits: self.hits.load(Ordering::Relaxed),
            misses: self.misses.load(Ordering::Relaxed),
        }
    }
}

impl CommitWatch {
    /// Registers a commit. Returns true if it must remove the entries that it changes.
    fn begin_commit(&self, number: CommitNumber, removes: Removes) -> bool {
        if removes == Removes::Some {
            self.last_removal.fetch_max(number, Ordering::SeqCst);
        }
        // The order matters, because readers use the opposite one: at least one of the two sees the
        // other.
        self.last_commit.fetch_max(number, Ordering::SeqCst);
        self.is_kept.load(Ordering::SeqCst)
    }

    /// Records that an entry of the collection is about to be cached.
    fn keep(&self) {
        if !self.is_kept.load(Ordering::Relaxed) {
            self.is_kept.store(true, Ordering::SeqCst);
        }
    }

    /// Returns the last commit that has begun and removes documents.
    pub(crate) fn last_removal(&self) -> CommitNumber {
        self.last_removal.load(Ordering::SeqCst)
    }

    /// Returns true if no commit after `moment` has begun.
    pub(crate) fn is_unchanged_since(&self, moment: CommitNumber) -> bool {
        self.last_commit.load(Ordering::SeqCst) <= moment
    }
}

impl DefinitionCommit {
    pub(crate) fn number(&self) -> CommitNumber {
        self.number
    }
}

impl Drop for DefinitionCommit {
    fn drop(&mut self) {
        self.cache.order.end(self.number);
    }
}

impl Commit<'_> {
    /// Leaves the commit open because its outcome will never be known. Nothing that comes after it
    /// is cached any more.
    pub(in crate::visibility) fn leave_open(self) {
        std::mem::forget(self);
    }
}

impl Drop for Commit<'_> {
    fn drop(&mut self) {
        self.order.end(self.number);
    }
}

impl ReadCacheView {
    /// Returns the last commit that the snapshot is certain to include, with all commits before it.
    pub(crate) fn as_of(&self) -> CommitNumber {
        self.as_of
    }

    /// Returns the cache for the edges or the entries of one collection.
    pub(crate) fn of_collection(&self, watch: &Arc<CommitWatch>) -> CollectionCache {
        CollectionCache { view: self.clone(), watch: Arc::clone(watch) }
    }

    /// Counts hits and misses.
    fn count(&self, found: &[Found<'_>]) {
        let hits = found.iter().filter(|found| matches!(found, Found::Cached(_))).count() as u64;
        self.cache.hits.fetch_add(hits, Ordering::Relaxed);
        self.cache.misses.fetch_add(found.len() as u64 - hits, Ordering::Relaxed);
    }

    /// Returns an entry, or reserves a place for it.
    fn find_or_reserve(&self, watch: &CommitWatch, key: &[u8]) -> Found<'_> {
        let Some(entries) = &self.cache.entries else { return Found::Missing(None) };
        let _shared = Uncounted::begin();
        // Without waiting: the reader that holds the place is about to read the same data.
        let place = match entries.get_value_or_guard(key, Some(Duration::ZERO)) {
            GuardResult::Value(entry) if entry.since <= self.as_of => return Found::Cached(entry.value),
            GuardResult::Value(_) | GuardResult::Timeout => None,
            GuardResult::Guard(guard) => {
                watch.keep();
                Some(guard).filter(|_| watch.is_unchanged_since(self.as_of))
            }
        };
        Found::Missing(place.map(|guard| Place { guard, since: self.as_of }))
    }

    /// Returns an entry of a document that is read among many others, or reserves a place if the
    /// document is admitted.
    fn find_among_many(&self, watch: &CommitWatch, key: &[u8]) -> Found<'_> {
        let Some(entries) = &self.cache.entries else { return Found::Missing(None) };
        match entries.get(key) {
            Some(entry) if entry.since <= self.as_of => Found::Cached(entry.value),
            None if self.cache.doorkeeper.note(key) => self.find_or_reserve(watch, key),
            Some(_) | None => Found::Missing(None),
        }
    }

    /// Returns the cached entry for each key, and reads the values of the keys that have none.
    fn find_or_read(
        &self,
        watch: &CommitWatch,
        keys: &[&[u8]],
        read: impl FnOnce(&[&[u8]]) -> kv::Result<Values>,
    ) -> Result<(Vec<Found<'_>>, Values)> {
        let find = if keys.len() < MANY_KEYS { Self::find_or_reserve } else { Self::find_among_many };
        let found: Vec<Found<'_>> = keys.iter().map(|key| find(self, watch, key)).collect();
        self.count(&found);
        let is_missing = |found: &Found<'_>| matches!(found, Found::Missing(_));
        let missing: Vec<&[u8]> =
            keys.iter().zip(&found).filter(|(_, found)| is_missing(found)).map(|(key, _)| *key).collect();
        let were_read = if missing.is_empty() { Values::new() } else { read(&missing)? };
        Ok((found, were_read))
    }

    /// Checks whether documents exist; uses `read` for those that are not cached. Returns one
    /// result for each key, in the order of the keys, and ends where `read` does.
    pub(crate) fn contains_many(
        &self,
        watch: &CommitWatch,
        keys: &[&[u8]],
        read: impl FnOnce(&[&[u8]]) -> kv::Result<Values>,
    ) -> Result<Vec<bool>> {
        let (found, were_read) = self.find_or_read(watch, keys, read)?;
        let mut were_read = were_read.iter();
        let exists = found.into_iter().map_while(|found| match found {
            Found::Cached(kept) => Some(kept.document().is_some()),
            Found::Missing(_) => {
                let value = were_read.next()?;
                found.keep_document(value);
                Some(value.is_some())
            }
        });
        Ok(exists.collect())
    }

    /// Looks documents up; uses `read` for those that are not cached. Returns one value for each
    /// key, in the order of the keys. Ends early as [`kv::Snapshot::get_many`] does.
    pub(crate) fn get_many(
        &self,
        watch: &CommitWatch,
        keys: &[&[u8]],
        read: impl FnOnce(&[&[u8]]) -> kv::Result<Values>,
    ) -> Result<Values> {
        let (found, were_read) = self.find_or_read(watch, keys, read)?;
        let kept_bytes = found.iter().map(|found| match found {
            Found::Cached(kept) => kept.document().map_or(0, <[u8]>::len),
            Found::Missing(_) => 0,
        });
        let kept_bytes: usize = kept_bytes.sum::<usize>().min(LOOKUP_BYTES);
        if kept_bytes == 0 && were_read.len() == keys.len() {
            for (found, value) in found.into_iter().zip(were_read.iter()) {
                found.keep_document(value);
            }
            return Ok(were_read);
        }
        let mut values = Values::with_capacity(keys.len(), kept_bytes + were_read.bytes().len());
        let mut were_read = were_read.iter();
        for found in found {
            let fits = match found {
                Found::Cached(kept) => values.push(kept.document()),
                Found::Missing(_) => {
                    let Some(value) = were_read.next() else { break };
                    found.keep_document(value);
                    values.push(value)
                }
            };
            if !fits {
                return Err(Error::from(kv::Error::TooLarge { limit_bytes: BLOCK_BYTES_MAX }));
            }
            if values.is_full() {
                break;
            }
        }
        Ok(values)
    }
}

impl CollectionCache {
    /// Returns the last commit that the snapshot is certain to include, with all commits before it.
    pub(crate) fn as_of(&self) -> CommitNumber {
        self.view.as_of()
    }

    /// Looks an entry up.
    pub(crate) fn find(&self, key: &[u8]) -> Found<'_> {
        let found = self.view.find_or_reserve(&self.watch, key);
        self.view.count(std::slice::from_ref(&found));
        found
    }
}

impl Found<'_> {
    /// Caches the document that was read, if there is a place for it.
    fn keep_document(self, document: Option<&[u8]>) {
        let _shared = Uncounted::begin();
        if let Found::Missing(Some(place)) = self
            && document.is_none_or(|document| document.len() <= ENTRY_BYTES_MAX)
        {
            place.keep(
                document.map_or(CachedValue::Nothing, |document| CachedValue::Document(document.into())),
            );
        }
    }

    /// Caches the edges that were read, if there is a place for them. Returns them if they are
    /// cached.
    pub(crate) fn keep_edges(self, edges: &[u8]) -> Option<Arc<CachedEdges>> {
        let Found::Missing(Some(place)) = self else { return None };
        if edges.len() > ENTRY_BYTES_MAX {
            return None;
        }
        let _shared = Uncounted::begin();
        let edges = Arc::new(CachedEdges::new(edges));
        place.keep(CachedValue::Edges(Arc::clone(&edges))).then_some(edges)
    }

    /// Caches the entries of an index that were read, if there is a place for them. Their keys
    /// share a prefix of `prefix_bytes`.
    pub(crate) fn keep_pairs(self, block: &Block, prefix_bytes: usize) {
        let Found::Missing(Some(place)) = self else { return };
        if block.size_bytes() > ENTRY_BYTES_MAX {
            return;
        }
        let _shared = Uncounted::begin();
        let mut bytes = Vec::new();
        encoded_pairs::encode(block, prefix_bytes, &mut bytes);
        place.keep(CachedValue::Entries(bytes.into()));
    }
}

impl Place<'_> {
    /// Inserts what was read. Returns false if a commit has changed it in the meantime and removed
    /// the place.
    fn keep(self, value: CachedValue) -> bool {
        self.guard.insert(Entry { since: self.since, value }).is_ok()
    }
}
