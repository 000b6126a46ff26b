//! Indexes: the entries that each type stores for a document, and the searches in them.
//!
//! Each type is a folder with an [`IndexMethod`], and a line in [`method`]. The modules next to
//! the folders serve all types:
//!
//! - for writes: [`field`] finds field values, [`entries`] collects entries, [`maintain`] writes
//!   them, [`build`] builds an index over existing documents, [`estimate`] estimates its
//!   selectivity;
//! - for queries: [`bounds`] and [`value`] describe a search, [`scan`] is the interface of scans,
//!   [`found`] holds their results.

pub(crate) mod bounds;
pub(crate) mod edge;
pub(crate) mod entries;
pub(crate) mod field;
pub(crate) mod found;
mod fulltext;
mod geo;
pub(crate) mod maintain;
mod mdi;
pub(crate) mod next_scans;
pub(crate) mod persistent;
mod primary;
pub(crate) mod scan;
pub(crate) mod text;
mod ttl;
pub(crate) mod value;
pub(crate) mod vector;

use std::fmt;
use std::num::NonZero;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread::available_parallelism;

use catalog::index::Capabilities;
use catalog::{FieldPath, IndexDefinition, IndexId, IndexType, ViewId};
use errors::{Error, ErrorCode, Result};
use kv::KeyRange;
use velocypack::Slice;

use crate::base::search_options::SearchOptions;
use crate::encoding::object_of;
use crate::index::text::text_index::TextIndex;
use crate::visibility::estimate::Estimate;
use crate::visibility::read_cache::CacheKey;
use bounds::{IndexBounds, IndexRange};
use entries::Entries;
use scan::{EntryScan, ScanOptions, ScanSource};
use vector::{Trained, TrainingState};

/// The entries that one type of index stores for a document, and its scans.
pub(crate) trait IndexMethod: Sync {
    /// Appends the index's entries for a document in its stored form, with `_key` and all other
    /// attributes.
    ///
    /// Errors: 32 if a document has too many entries, 10 if its value cannot be indexed.
    fn entries(&self, index: &Index, document: Slice<'_>, key: &str, entries: &mut Entries) -> Result<()>;

    /// Returns true if two versions of a document certainly have the same entries. It is for
    /// indexes whose entries take long to compute.
    fn is_unaffected(&self, _index: &Index, _old: Slice<'_>, _new: Slice<'_>) -> bool {
        false
    }

    /// Returns what the index learns from documents before it has entries, if it learns anything.
    ///
    /// Errors: 10 for a document that cannot be indexed, that of the source's check.
    fn train(&self, _index: &Index, _source: &dyn TrainingSource) -> Result<Option<Trained>> {
        Ok(None)
    }

    /// Reads the outcome of [`IndexMethod::train`], which [`IndexMethod::own_entries`] has stored.
    ///
    /// Errors: 1102 if it is damaged.
    fn read_training(&self, _index: &Index, _engine: &dyn kv::Snapshot) -> Result<Option<Trained>> {
        Ok(None)
    }

    /// Appends the entries that belong to no document.
    fn own_entries(&self, _index: &Index, _entries: &mut Entries) {}

    /// Returns true if a sketch maintains [`Index::selectivity_estimate`].
    fn is_estimated(&self, _index: &Index) -> bool {
        false
    }

    /// Starts a scan of the entries within one or more ranges.
    ///
    /// Errors: 4 for a search that the type does not know.
    fn open(
        &self,
        index: &Arc<Index>,
        _source: ScanSource,
        _ranges: Vec<IndexRange>,
        _options: &ScanOptions,
    ) -> Result<Box<dyn EntryScan>> {
        let name = index.definition().properties.type_name();
        Err(Error::internal(format!("an index of type '{name}' cannot be searched")))
    }

    /// Returns the key under which the read cache may hold an entry; `None` if it holds none.
    fn cache_key(&self, _index: &Index) -> Option<CacheKey> {
        None
    }

    /// Returns the key range of the entries between bounds; `None` unless the sort keys of values
    /// order the entries.
    fn key_range(&self, _index: &Index, _bounds: &IndexBounds) -> Option<KeyRange> {
        None
    }
}

/// Returns the implementation of a type, if there is one.
fn method(index_type: IndexType) -> Option<&'static dyn IndexMethod> {
    match index_type {
        IndexType::Primary => Some(&primary::Primary),
        IndexType::Edge => Some(&edge::Edge),
        IndexType::Persistent => Some(&persistent::Persistent),
        IndexType::Ttl => Some(&ttl::Ttl),
        IndexType::Geo => Some(&geo::Geo),
        IndexType::Fulltext => Some(&fulltext::Fulltext),
        IndexType::Mdi | IndexType::MdiPrefixed => Some(&mdi::Mdi),
        IndexType::Vector => Some(&vector::Vector),
        IndexType::Inverted | IndexType::Link => Some(&text::Text),
    }
}

/// The documents from which an index learns what its entries need.
pub(crate) trait TrainingSource: Sync {
    /// Returns the number of documents.
    fn count(&self) -> Result<u64>;

    /// Calls `visit` with each document. Checks from time to time whether to continue.
    fn for_each(&self, visit: &mut dyn FnMut(Slice<'_>) -> Result<()>) -> Result<()>;

    /// Returns the bytes of memory that the training may take.
    fn memory_bytes(&self) -> usize;

    /// Returns an error if the training must end.
    fn check(&self) -> Result<()>;
}

/// An index of a collection.
pub struct Index {
    definition: IndexDefinition,
    capabilities: Capabilities,
    method: &'static dyn IndexMethod,
    estimate: Option<Arc<Estimate>>,
    /// The outcome of a training: it never changes.
    trained: Option<Arc<Trained>>,
    /// The terms of an inverted index or a view's link.
    text: Option<Arc<TextIndex>>,
    /// The number of documents at the last training that was without success; 0 if there was none.
    tried_with: AtomicU64,
}

impl Index {
    /// Opens an index.
    ///
    /// Errors: 9 for a type that this version does not have.
    pub(crate) fn new(
        definition: IndexDefinition,
        estimate: Option<Arc<Estimate>>,
        search: &SearchOptions,
    ) -> Result<Self> {
        let Some(method) = method(definition.properties.index_type) else {
            let message = format!("not implemented: indexes of type '{}'", definition.properties.type_name());
            return Err(Error::new(ErrorCode::NotImplemented, message));
        };
        let capabilities = definition.properties.capabilities();
        let text = TextIndex::new(&definition, search);
        let (trained, tried_with) = (None, AtomicU64::default());
        let mut index = Index { definition, capabilities, method, estimate: None, trained, text, tried_with };
        if method.is_estimated(&index) {
            index.estimate = Some(estimate.unwrap_or_default());
        }
        Ok(index)
    }

    /// Opens an index that has entries: reads the outcome of its training.
    ///
    /// Errors: 9 for a type that this version does not have, 1102 for a damaged training.
    pub(crate) fn open_stored(
        definition: IndexDefinition,
        estimate: Option<Arc<Estimate>>,
        engine: &dyn kv::Snapshot,
        search: &SearchOptions,
    ) -> Result<Self> {
        let mut index = Index::new(definition, estimate, search)?;
        if let Some(text) = &index.text {
            text.continue_outbox(engine)?;
        }
        index.trained = index.method.read_training(&index, engine)?.map(Arc::new);
        Ok(index)
    }

    /// Creates an index over existing documents, which learns from them what its entries need.
    ///
    /// Errors: 9, 10 for a document that cannot be indexed, that of the source's check.
    pub(crate) fn train(
        definition: IndexDefinition,
        source: &dyn TrainingSource,
        search: &SearchOptions,
    ) -> Result<Self> {
        let mut index = Index::new(definition, None, search)?;
        index.trained = index.method.train(&index, source)?.map(Arc::new);
        Ok(index)
    }

    /// Returns the definition.
    pub fn definition(&self) -> &IndexDefinition {
        &self.definition
    }

    /// Returns what queries can use the index for.
    pub fn capabilities(&self) -> Capabilities {
        self.capabilities
    }

    /// Returns the id within the collection.
    pub fn id(&self) -> IndexId {
        self.definition.id
    }

    /// Returns the name within the collection.
    pub fn name(&self) -> &str {
        &self.definition.name
    }

    /// Returns the type.
    pub fn index_type(&self) -> IndexType {
        self.definition.properties.index_type
    }

    /// Returns the indexed attributes.
    pub fn fields(&self) -> &[FieldPath] {
        &self.definition.properties.fields
    }

    /// Returns the view that a link belongs to; `None` for another index.
    pub fn view(&self) -> Option<ViewId> {
        self.definition.properties.as_link().map(|link| link.view)
    }

    pub(crate) fn text(&self) -> Option<&Arc<TextIndex>> {
        self.text.as_ref()
    }

    /// Returns true if a client created it. Every collection has its primary index, and edge
    /// collections have their edge index.
    pub fn is_user_defined(&self) -> bool {
        !matches!(self.index_type(), IndexType::Primary | IndexType::Edge)
    }

    /// Returns true if no two documents can have equal values.
    pub fn is_unique(&self) -> bool {
        self.definition.properties.unique
    }

    /// Returns how many threads should index many existing documents: one for each processor,
    /// or fewer if the client has set a bound.
    pub(crate) fn build_threads(&self) -> usize {
        let processors = available_parallelism().map_or(1, NonZero::get);
        self.definition.properties.build_threads(processors)
    }

    /// Returns true if documents that lack a field have no entry.
    pub fn is_sparse(&self) -> bool {
        self.definition.properties.sparse
    }

    /// Returns the number of distinct values per document: near 0 if many documents share a value,
    /// 1 if all differ. `None` if there is no estimate.
    pub fn selectivity_estimate(&self) -> Option<f64> {
        if self.is_unique() {
            return Some(1.0);
        }
        self.estimate.as_ref().map(|estimate| estimate.selectivity())
    }

    /// Returns the position of an attribute in an entry's covered values
    /// ([`crate::IndexEntries::covered`]); `None` if the index does not cover it.
    ///
    /// Expanded arrays are not covered, because an entry holds one element. `_id` is not covered
    /// either, because it follows from the collection's name and the key.
    pub fn covered_position(&self, path: &[impl AsRef<str>]) -> Option<usize> {
        if !self.capabilities.covers {
            return None;
        }
        let properties = &self.definition.properties;
        let fields = properties.searched_fields();
        let uncovered = if self.capabilities.covers_fields() { 0 } else { fields.len() };
        fields.iter().chain(&properties.stored_values).enumerate().position(|(position, covered)| {
            position >= uncovered
                && !covered.is_expanded()
                && !is_id(covered)
                && covered.names.len() == path.len()
                && covered.names.iter().zip(path).all(|(own, asked)| own == asked.as_ref())
        })
    }

    /// Returns the state of the training; `None` for an index that learns nothing.
    pub fn training_state(&self) -> Option<TrainingState> {
        vector::training_state(self)
    }

    /// Returns the similarity or the distance, as AQL's functions have it, of a score of
    /// [`crate::NearEntries`].
    pub fn near_value(&self, score: f32) -> f64 {
        vector::value_of(self, score)
    }

    /// Returns true if a training would improve the index, now that there are this many documents.
    pub(crate) fn needs_training(&self, documents: u64) -> bool {
        let tried_with = self.tried_with.load(Ordering::Relaxed);
        // Many documents may lack what the training needs.
        documents > tried_with + tried_with / 4 && vector::needs_training(self, documents)
    }

    /// Records a training without success.
    pub(crate) fn note_tried(&self, documents: u64) {
        self.tried_with.store(documents, Ordering::Relaxed);
    }

    pub(crate) fn trained(&self) -> Option<&Trained> {
        self.trained.as_deref()
    }

    /// Appends the entries that belong to no document.
    pub(crate) fn own_entries(&self, entries: &mut Entries) {
        self.method.own_entries(self, entries);
    }

    pub(crate) fn estimate(&self) -> Option<&Arc<Estimate>> {
        self.estimate.as_ref()
    }

    /// Appends the index's entries for a document.
    pub(crate) fn entries(&self, document: Slice<'_>, key: &str, entries: &mut Entries) -> Result<()> {
        self.method.entries(self, document, key, entries)?;
        debug_assert!(
            entries.iter().all(|entry| object_of(entry.key) == Some(self.definition.object_id)),
            "an entry lies outside the range of index '{}'",
            self.name()
        );
        Ok(())
    }

    /// Returns the key under which the read cache may hold an entry; `None` if it holds none.
    pub(crate) fn cache_key(&self) -> Option<CacheKey> {
        self.method.cache_key(self)
    }

    /// Returns true if two versions of a document certainly have the same entries.
    pub(crate) fn is_unaffected(&self, old: Slice<'_>, new: Slice<'_>) -> bool {
        self.method.is_unaffected(self, old, new)
    }

    /// Starts a scan: see [`crate::Snapshot::open_index`].
    pub(crate) fn open(
        self: &Arc<Self>,
        source: ScanSource,
        ranges: Vec<IndexRange>,
        options: &ScanOptions,
    ) -> Result<Box<dyn EntryScan>> {
        self.method.open(self, source, ranges, options)
    }

    /// Returns the key range of the entries between bounds; `None` unless the index is sorted.
    pub(crate) fn key_range(&self, bounds: &IndexBounds) -> Option<KeyRange> {
        self.method.key_range(self, bounds)
    }

    /// Returns the fields as messages name them.
    pub(crate) fn fields_text(&self) -> String {
        let fields: Vec<String> = self.fields().iter().map(FieldPath::to_string).collect();
        fields.join(", ")
    }
}

/// Returns true if a path is `_id`, which stored documents hold only as a marker.
pub(crate) fn is_id(path: &FieldPath) -> bool {
    path.names.len() == 1 && path.first() == "_id"
}

impl fmt::Debug for Index {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Index").field(&self.definition).finish()
    }
}
