//! What was read lately, shared by all readers: documents by key, and the edges of a vertex. (ArangoDB's in-memory hash
//! caches.)
//!
//! Readers have snapshots of different moments, so an entry says from which moment on it holds (`since`), and it is
//! there only as long as no commit has changed what it says. Moments are counted in commits (see [`CommitOrder`]):
//!
//! - A snapshot knows `as_of`: it has all commits up to this one, and perhaps some after it. It may use what holds
//!   since then or earlier.
//! - A commit takes a number, writes it to the watches of its collections, removes the entries of what it changes, and
//!   only then becomes visible.
//! - A reader that found nothing reserves the place of an entry and then looks at the watch. If a commit after its
//!   `as_of` is there, it keeps nothing. If one comes later, that commit finds the reserved place and removes it, and
//!   nothing can be put there any more.
//!
//! So between `since` and now no commit has changed what an entry says. Objects of truncated and bulk-loaded
//! collections get new numbers, which are parts of the keys.
//!
//! The edges of a vertex also say as of which commit all vertices at their other ends existed, once a reader has
//! found out: see [`crate::edge_ends`].

mod admission;
mod commit_order;
mod encoded_edges;
mod entry;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

use catalog::ObjectId;
use kv::{BLOCK_BYTES_MAX, Values};
use quick_cache::sync::{Cache, GuardResult, PlaceholderGuard};
use quick_cache::{DefaultHashBuilder, OptionsBuilder, Weighter};

use self::admission::Doorkeeper;
use self::commit_order::CommitOrder;
use crate::index::edge::encoding as edge;
use crate::{Error, Result};

pub(crate) use commit_order::CommitNumber;
pub(crate) use encoded_edges::EncodedEdges;
pub(crate) use entry::{CachedEdges, CachedValue};

/// Larger ones would push out too many others.
const ENTRY_BYTES_MAX: usize = 16 << 10;

/// What an entry takes beside its key and its value: both allocations' own bytes, its place and its part of the table.
const ENTRY_OVERHEAD_BYTES: u64 = 160;

/// An entry of usual size, for the number of places to begin with.
const ENTRY_BYTES_USUAL: u64 = 512;

/// Less is not worth the bookkeeping.
const CACHE_BYTES_MIN: u64 = 1 << 20;

/// Documents that are read among so many are kept when they are read for the second time: keeping a document takes half
/// as long as reading it, and most of a large range are not read again.
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

/// The cache of a store.
pub(crate) struct ReadCache {
    /// By key of a document in the engine, or by what the entries of a vertex in an edge index begin with. `None`: off.
    entries: Option<Entries>,
    /// Documents that were read among many and not kept.
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

/// Whether a commit removes documents of a collection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Removes {
    /// It only adds and replaces them.
    Nothing,
    Some,
}

/// A collection that a commit writes.
pub(in crate::visibility) struct CommittedCollection<'a> {
    pub(in crate::visibility) watch: &'a CommitWatch,
    /// What the keys of its documents start with.
    pub(in crate::visibility) documents: ObjectId,
    /// What the entries of its edge index start with.
    pub(in crate::visibility) edges: Option<ObjectId>,
    pub(in crate::visibility) removes: Removes,
}

/// What commits to a collection and readers of it tell each other.
#[derive(Debug, Default)]
pub(crate) struct CommitWatch {
    /// The last commit that has begun.
    last_commit: AtomicU64,
    /// The last one of them that removes documents.
    last_removal: AtomicU64,
    /// Something of the collection was kept.
    is_kept: AtomicBool,
}

/// The cache as a snapshot may use it.
#[derive(Clone)]
pub(crate) struct ReadCacheView {
    cache: Arc<ReadCache>,
    as_of: CommitNumber,
}

/// A commit in progress. Dropped when its outcome is known, or leaked if it never will be.
pub(crate) struct Commit<'a> {
    order: &'a CommitOrder,
    number: CommitNumber,
}

/// What a look-up found.
pub(crate) enum Found<'a> {
    /// An entry that holds for the snapshot.
    Cached(CachedValue),
    /// None, and what is read instead may be kept if there is a place.
    Missing(Option<Place<'a>>),
}

/// A reserved place for an entry.
pub(crate) struct Place<'a> {
    guard: Guard<'a>,
    since: CommitNumber,
}

/// Figures of the cache.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ReadCacheStatistics {
    /// Most bytes that entries may take.
    pub limit_bytes: u64,
    /// Bytes that they take.
    pub used_bytes: u64,
    /// Look-ups that found an entry.
    pub hits: u64,
    /// Look-ups that found none.
    pub misses: u64,
}

impl ReadCache {
    /// A cache of so many bytes; with less than a megabyte it keeps nothing.
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

    /// How a snapshot that is taken after this may use the cache; `None` if it is off.
    pub(crate) fn view(self: &Arc<Self>) -> Option<ReadCacheView> {
        let is_on = self.entries.is_some();
        is_on.then(|| ReadCacheView { cache: Arc::clone(self), as_of: self.order.finished() })
    }

    /// Begins a commit that changes what names of collections mean.
    pub(crate) fn begin_definition(&self) -> Commit<'_> {
        Commit { order: &self.order, number: self.order.begin() }
    }

    /// Begins a commit that writes some collections: forgets what it changes. `written` hands over its keys.
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
                let object = crate::encoding::object_of(key);
                if kept.iter().any(|collection| Some(collection.documents) == object) {
                    entries.remove(key);
                } else if object.is_some()
                    && kept.iter().any(|collection| collection.edges == object)
                    && let Some(prefix) = edge::prefix_of_entry(key)
                {
                    entries.remove(prefix);
                }
            });
        }
        commit
    }

    /// Figures of now.
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
    /// A commit begins; true if it has to remove what it changes.
    fn begin_commit(&self, number: CommitNumber, removes: Removes) -> bool {
        if removes == Removes::Some {
            self.last_removal.fetch_max(number, Ordering::SeqCst);
        }
        // In this order, as readers do it the other way round: one of the two sees the other.
        self.last_commit.fetch_max(number, Ordering::SeqCst);
        self.is_kept.load(Ordering::SeqCst)
    }

    /// Something is about to be kept.
    fn keep(&self) {
        if !self.is_kept.load(Ordering::Relaxed) {
            self.is_kept.store(true, Ordering::SeqCst);
        }
    }

    /// The last commit that has begun and removes documents.
    pub(crate) fn last_removal(&self) -> CommitNumber {
        self.last_removal.load(Ordering::SeqCst)
    }

    /// Whether no commit after a moment has begun.
    pub(crate) fn is_unchanged_since(&self, moment: CommitNumber) -> bool {
        self.last_commit.load(Ordering::SeqCst) <= moment
    }
}

impl Commit<'_> {
    pub(crate) fn number(&self) -> CommitNumber {
        self.number
    }

    /// It will never be known whether the commit took place: nothing that comes after it is kept any more.
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
    /// The last commit that the snapshot has for certain, as all those before it.
    pub(crate) fn as_of(&self) -> CommitNumber {
        self.as_of
    }

    /// Looks an entry of a collection up.
    pub(crate) fn find(&self, watch: &CommitWatch, key: &[u8]) -> Found<'_> {
        let found = self.find_or_reserve(watch, key);
        self.count(std::slice::from_ref(&found));
        found
    }

    /// Counts what was found and what was not.
    fn count(&self, found: &[Found<'_>]) {
        let hits = found.iter().filter(|found| matches!(found, Found::Cached(_))).count() as u64;
        self.cache.hits.fetch_add(hits, Ordering::Relaxed);
        self.cache.misses.fetch_add(found.len() as u64 - hits, Ordering::Relaxed);
    }

    /// An entry, or a place for it.
    fn find_or_reserve(&self, watch: &CommitWatch, key: &[u8]) -> Found<'_> {
        let Some(entries) = &self.cache.entries else { return Found::Missing(None) };
        // Without waiting: whoever has reserved the place is about to read the same.
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

    /// An entry of a document that is read among many others, or a place for it.
    fn find_among_many(&self, watch: &CommitWatch, key: &[u8]) -> Found<'_> {
        let Some(entries) = &self.cache.entries else { return Found::Missing(None) };
        match entries.get(key) {
            Some(entry) if entry.since <= self.as_of => Found::Cached(entry.value),
            None if self.cache.doorkeeper.note(key) => self.find_or_reserve(watch, key),
            Some(_) | None => Found::Missing(None),
        }
    }

    /// What there is for each key, and the values of those for which nothing was kept.
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

    /// Whether there are documents, those that are not kept with `read`; one answer a key, in the order asked.
    pub(crate) fn contains_many(
        &self,
        watch: &CommitWatch,
        keys: &[&[u8]],
        read: impl FnOnce(&[&[u8]]) -> kv::Result<Values>,
    ) -> Result<Vec<bool>> {
        let (found, were_read) = self.find_or_read(watch, keys, read)?;
        let mut were_read = were_read.iter();
        let exists = found.into_iter().map(|found| match found {
            Found::Cached(kept) => kept.document().is_some(),
            Found::Missing(_) => {
                let value = were_read.next().flatten();
                found.keep_document(value);
                value.is_some()
            }
        });
        Ok(exists.collect())
    }

    /// Looks documents up, those that are not kept with `read`; one value a key, in the order asked.
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
        let kept_bytes: usize = kept_bytes.sum();
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
                    let value = were_read.next().flatten();
                    found.keep_document(value);
                    values.push(value)
                }
            };
            if !fits {
                return Err(Error::from(kv::Error::TooLarge { limit_bytes: BLOCK_BYTES_MAX }));
            }
        }
        Ok(values)
    }
}

impl Found<'_> {
    /// Keeps the document that was read, if there is a place for it.
    fn keep_document(self, document: Option<&[u8]>) {
        if let Found::Missing(Some(place)) = self
            && document.is_none_or(|document| document.len() <= ENTRY_BYTES_MAX)
        {
            place.keep(
                document.map_or(CachedValue::Nothing, |document| CachedValue::Document(document.into())),
            );
        }
    }

    /// Keeps the edges that were read, if there is a place for them. Answers them if they are kept.
    pub(crate) fn keep_edges(self, edges: &[u8]) -> Option<Arc<CachedEdges>> {
        let Found::Missing(Some(place)) = self else { return None };
        if edges.len() > ENTRY_BYTES_MAX {
            return None;
        }
        let edges = Arc::new(CachedEdges::new(edges));
        place.keep(CachedValue::Edges(Arc::clone(&edges))).then_some(edges)
    }
}

impl Place<'_> {
    /// Keeps what was read; false if a commit has changed it meanwhile, and removed the place.
    fn keep(self, value: CachedValue) -> bool {
        self.guard.insert(Entry { since: self.since, value }).is_ok()
    }
}
