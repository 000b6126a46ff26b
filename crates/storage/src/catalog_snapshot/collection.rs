//! A collection.

use std::fmt;
use std::sync::Arc;

use catalog::index::INDEXES_MAX;
use catalog::{CollectionDefinition, CollectionId, DatabaseDefinition, IndexId, ObjectId, Record};
use errors::{Error, ErrorCode, Result};

use crate::base::computed_values::ComputedValues;
use crate::base::longest_document::LongestDocument;
use crate::base::schema::Schema;
use crate::base::search_options::SearchOptions;
use crate::encoding::change::Origin;
use crate::ids::key_generator::KeyGenerator;
use crate::locks::collection_lock::CollectionLock;
use crate::locks::running_loads::RunningLoads;
use crate::sharing::Coordination;
use crate::visibility::counters::{Counters, Totals};
use crate::visibility::edge_ends::CollectionCommits;
use crate::visibility::estimate::EstimateChange;
use crate::visibility::read_cache::{CommitNumber, CommitWatch, Removes};
use crate::visibility::{Change, LastLoad};
use crate::{Index, Revision, encoding};

/// A collection: its definition and indexes, and the parts that all its versions share (counters,
/// key generator, lock).
#[derive(Clone)]
pub struct Collection {
    pub(crate) definition: CollectionDefinition,
    pub(crate) name: Arc<str>,
    pub(crate) database: Arc<str>,
    pub(crate) database_id: catalog::DatabaseId,
    pub(crate) indexes: Vec<Arc<Index>>,
    pub(crate) lock: Arc<CollectionLock>,
    pub(crate) running_loads: Arc<RunningLoads>,
    pub(crate) last_load: Arc<LastLoad>,
    pub(crate) counters: Arc<Counters>,
    pub(crate) keys: Arc<KeyGenerator>,
    pub(crate) commit_watch: Arc<CommitWatch>,
    pub(crate) longest_document: Arc<LongestDocument>,
    /// The commit that put this version into the catalog; 0 if it was there when the store opened.
    pub(crate) defined_since: CommitNumber,
    pub(crate) schema: Option<Arc<Schema>>,
    pub(crate) computed_values: Option<Arc<dyn ComputedValues>>,
}

impl Collection {
    /// Waits while writers are too far ahead of the collection's text indexes, for a few seconds at
    /// most. Returns false if it had to wait and `may_wait` is false.
    ///
    /// Errors: that of `check`, which is called from time to time.
    pub fn wait_for_text_indexes(&self, may_wait: bool, check: &dyn Fn() -> Result<()>) -> Result<bool> {
        let mut late =
            self.indexes.iter().filter_map(|index| index.text()).filter(|text| text.pace.is_late());
        if !may_wait {
            return Ok(late.next().is_none());
        }
        late.try_for_each(|text| text.pace.wait(check))?;
        Ok(true)
    }

    /// Returns the definition.
    pub fn definition(&self) -> &CollectionDefinition {
        &self.definition
    }

    /// Returns the id, which never changes.
    pub fn id(&self) -> CollectionId {
        self.definition.id
    }

    /// Returns the name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns the name as blocks of documents carry it.
    pub fn shared_name(&self) -> &Arc<str> {
        &self.name
    }

    /// Returns the name of its database.
    pub fn database(&self) -> &str {
        &self.database
    }

    /// Returns how the change log names the collection.
    pub(crate) fn origin(&self) -> Origin<'_> {
        let globally_unique_id = &self.definition.globally_unique_id;
        Origin { id: self.id(), globally_unique_id, name: self.name() }
    }

    /// Returns true if a write may compute for long: it has computed values or a schema.
    pub fn computes_on_write(&self) -> bool {
        self.computed_values.is_some() || self.schema.is_some()
    }

    /// Returns true if it holds edges.
    pub fn is_edge(&self) -> bool {
        self.definition.is_edge()
    }

    /// Returns the object that prefixes the keys of its documents.
    pub(crate) fn object_id(&self) -> ObjectId {
        self.definition.object_id
    }

    /// Returns all indexes, the primary one first.
    pub fn indexes(&self) -> &[Arc<Index>] {
        &self.indexes
    }

    /// Returns an index by its id.
    pub fn index(&self, id: IndexId) -> Option<&Arc<Index>> {
        self.indexes.iter().find(|index| index.id() == id)
    }

    /// Checks that it may have one more index once `removed` of them are gone. Errors: 1235.
    pub(crate) fn check_room_for_index(&self, removed: usize) -> Result<()> {
        if self.indexes.len().saturating_sub(removed) < INDEXES_MAX {
            return Ok(());
        }
        let name = &self.name;
        let message =
            format!("index creation failed: collection '{name}' can have at most {INDEXES_MAX} indexes");
        Err(Error::new(ErrorCode::IndexCreationFailed, message))
    }

    /// Returns true if it has rules that restrict users.
    pub fn has_access_rules(&self) -> bool {
        self.definition.has_access_rules()
    }

    /// Returns true if it has an inverted index or a link of a view.
    pub fn has_text_index(&self) -> bool {
        self.indexes.iter().any(|index| index.text().is_some())
    }

    /// Tells the text indexes which servers share the store, if there are some.
    pub(crate) fn share_text_indexes(&self, coordination: &Coordination) {
        let Some(members) = coordination.members() else { return };
        self.indexes.iter().filter_map(|index| index.text()).for_each(|text| text.share(members));
    }

    /// Returns the changes of a commit to the collection. `estimates` are those of its indexes, by
    /// position; there may be fewer.
    pub(crate) fn change<'a>(
        &'a self,
        totals: Totals,
        removes: Removes,
        estimates: &'a [EstimateChange],
    ) -> Change<'a> {
        let cached = |index: &Arc<Index>| Some((index.definition().object_id, index.cache_key()?));
        let estimated = self.indexes.iter().zip(estimates);
        Change {
            documents: self.object_id(),
            counters: &self.counters,
            commit_watch: &self.commit_watch,
            last_load: &self.last_load,
            cached_indexes: self.indexes.iter().filter_map(cached).collect(),
            totals,
            removes,
            estimates: estimated.filter_map(|(index, change)| Some((&**index.estimate()?, change))).collect(),
        }
    }

    /// Returns the index that a client names by `number`, `collection/number`, `name` or
    /// `collection/name`.
    pub fn find_index(&self, text: &str) -> Option<&Arc<Index>> {
        let text = match text.split_once('/') {
            Some((collection, rest)) if collection == self.name() => rest,
            Some(_) => return None,
            None => text,
        };
        match text.parse() {
            Ok(id) => self.index(id),
            Err(_) => self.indexes.iter().find(|index| index.name() == text),
        }
    }

    /// Returns the edge index of an edge collection; `None` also while it is still to be built.
    pub fn edge_index(&self) -> Option<&Arc<Index>> {
        self.index(IndexId::EDGE)
    }

    /// Returns true if it holds edges and its edge index is still to be built: see
    /// [`crate::Store::create_collection_to_load`].
    pub fn lacks_edge_index(&self) -> bool {
        self.is_edge() && self.edge_index().is_none()
    }

    /// Returns the number of the last load that became visible since the store opened; 0 if there
    /// was none.
    pub fn last_load(&self) -> u64 {
        self.last_load.number()
    }

    /// Returns the number of documents that are committed now. A snapshot's own count is
    /// [`crate::Snapshot::count`].
    ///
    /// On a store that several servers share this reads the store. If the store does not answer,
    /// the number may lack commits of others.
    pub fn count_now(&self) -> u64 {
        self.counters.documents()
    }

    /// Returns the number of documents for estimates. On a store that several servers share, the
    /// number may lack what others have committed in the last seconds.
    pub fn count_about(&self) -> u64 {
        self.counters.documents_about()
    }

    /// Returns the greatest revision that is committed now; on a store that several servers share
    /// as [`Collection::count_now`] does.
    pub fn revision_now(&self) -> Revision {
        self.counters.revision()
    }

    /// Returns the commits that changed it, for [`crate::EdgeEnds::note_existing`].
    pub fn commits(&self) -> CollectionCommits<'_> {
        CollectionCommits { defined_since: self.defined_since, watch: &self.commit_watch }
    }

    /// Returns the collection with empty objects, and with only those indexes that every collection
    /// of its type has.
    pub(super) fn hidden(&self) -> Result<Collection> {
        let mut hidden = self.clone();
        hidden.definition.indexes.retain(|index| matches!(index.id, IndexId::PRIMARY | IndexId::EDGE));
        hidden.definition.properties.schema = None;
        hidden.schema = None;
        hidden.renew_objects(|| Ok(encoding::EMPTY), &SearchOptions::default())?;
        hidden.counters = Arc::new(Counters::empty(encoding::EMPTY));
        // Facts that others know about the documents, such as existing ends of cached edges, do not
        // hold here.
        hidden.defined_since = CommitNumber::MAX;
        Ok(hidden)
    }

    /// Returns true if a record holds this version's definition.
    pub(crate) fn has_record(&self, database: &DatabaseDefinition, record: &[u8]) -> Result<bool> {
        Ok(*self.database == *database.name && self.definition.to_record()? == record)
    }

    /// Returns this version, which was opened anew, with the parts that it shares with an earlier
    /// one.
    pub(crate) fn continuing(self, before: &Collection) -> Collection {
        let has_same_documents = self.object_id() == before.object_id();
        Collection {
            lock: Arc::clone(&before.lock),
            running_loads: Arc::clone(&before.running_loads),
            last_load: Arc::clone(&before.last_load),
            counters: if has_same_documents { Arc::clone(&before.counters) } else { self.counters },
            keys: Arc::clone(&before.keys),
            commit_watch: Arc::clone(&before.commit_watch),
            longest_document: Arc::clone(&before.longest_document),
            ..self
        }
    }

    /// Gives the collection and its indexes new, empty objects.
    pub(crate) fn renew_objects(
        &mut self,
        next: impl Fn() -> Result<ObjectId>,
        search: &SearchOptions,
    ) -> Result<()> {
        let old = self.definition.object_id;
        let new = next()?;
        self.definition.object_id = new;
        for definition in &mut self.definition.indexes {
            definition.object_id = if definition.object_id == old { new } else { next()? };
        }
        let definitions = self.definition.indexes.iter();
        let opened: Result<Vec<_>> =
            definitions.map(|index| Index::new(index.clone(), None, search).map(Arc::new)).collect();
        self.indexes = opened?;
        Ok(())
    }

    /// Returns the last value of the key generator.
    pub fn last_key_value(&self) -> u64 {
        self.keys.last_value()
    }

    /// Returns the compiled schema, for `SCHEMA_VALIDATE` and similar functions.
    pub fn schema(&self) -> Option<&Arc<Schema>> {
        self.schema.as_ref()
    }
}

impl fmt::Debug for Collection {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Collection")
            .field("database", &self.database)
            .field("definition", &self.definition)
            .finish()
    }
}
