//! A collection.

use std::fmt;
use std::sync::Arc;

use catalog::{CollectionDefinition, CollectionId, IndexId, ObjectId};

use crate::collection_lock::CollectionLock;
use crate::computed_values::ComputedValues;
use crate::edge_ends::CollectionCommits;
use crate::key_generator::KeyGenerator;
use crate::load::RunningLoads;
use crate::schema::Schema;
use crate::visibility::LastLoad;
use crate::visibility::counters::Counters;
use crate::visibility::read_cache::{CommitNumber, CommitWatch};
use crate::{Index, Result, Revision, encoding};

/// A collection: its definition, its indexes, and what all versions of it share (counters, key generator, lock).
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
    /// The commit that put this version of it into the catalog; 0 if it was there when the store was opened.
    pub(crate) defined_since: CommitNumber,
    pub(crate) schema: Option<Arc<Schema>>,
    pub(crate) computed_values: Option<Arc<dyn ComputedValues>>,
}

impl Collection {
    /// The definition.
    pub fn definition(&self) -> &CollectionDefinition {
        &self.definition
    }

    /// The number, for ever.
    pub fn id(&self) -> CollectionId {
        self.definition.id
    }

    /// The name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The name as blocks of documents carry it.
    pub fn shared_name(&self) -> &Arc<str> {
        &self.name
    }

    /// The name of its database.
    pub fn database(&self) -> &str {
        &self.database
    }

    /// Whether it holds edges.
    pub fn is_edge(&self) -> bool {
        self.definition.is_edge()
    }

    /// What the keys of its documents start with.
    pub(crate) fn object_id(&self) -> ObjectId {
        self.definition.object_id
    }

    /// All indexes, the primary one first.
    pub fn indexes(&self) -> &[Arc<Index>] {
        &self.indexes
    }

    /// The index of a number.
    pub fn index(&self, id: IndexId) -> Option<&Arc<Index>> {
        self.indexes.iter().find(|index| index.id() == id)
    }

    /// The index that a client names by `number`, `collection/number`, `name` or `collection/name`.
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

    /// The edge index of an edge collection. `None` also while it is to be built.
    pub fn edge_index(&self) -> Option<&Arc<Index>> {
        self.index(IndexId::EDGE)
    }

    /// Whether it holds edges and its edge index is still to be built: see [`crate::Store::create_collection_to_load`].
    pub fn lacks_edge_index(&self) -> bool {
        self.is_edge() && self.edge_index().is_none()
    }

    /// The number of the last load that became visible since the store was opened; 0 if there was none.
    pub fn last_load(&self) -> u64 {
        self.last_load.number()
    }

    /// Documents that are committed now. A snapshot's own count is [`crate::Snapshot::count`].
    pub fn count_now(&self) -> u64 {
        self.counters.documents()
    }

    /// The greatest revision that is committed now.
    pub fn revision_now(&self) -> Revision {
        self.counters.revision()
    }

    /// The commits that changed it, for [`crate::EdgeEnds::note_existing`].
    pub fn commits(&self) -> CollectionCommits<'_> {
        CollectionCommits { defined_since: self.defined_since, watch: &self.commit_watch }
    }

    /// Which state of the documents is committed now; `None` while that is about to change.
    ///
    /// What is read from a snapshot that was taken after this was asked is what everybody reads for as long as the same
    /// is answered: so results may be kept.
    pub fn data_version(&self) -> Option<DataVersion> {
        let commits = self.counters.commits()?;
        Some(DataVersion { object: self.object_id(), commits })
    }

    /// The collection with objects that hold nothing, with the indexes that every collection of its type has.
    pub(super) fn hidden(&self) -> Result<Collection> {
        let mut hidden = self.clone();
        hidden.definition.indexes.retain(|index| matches!(index.id, IndexId::PRIMARY | IndexId::EDGE));
        hidden.definition.properties.schema = None;
        hidden.schema = None;
        hidden.renew_objects(|| Ok(encoding::EMPTY))?;
        hidden.counters = Arc::new(Counters::empty(encoding::EMPTY));
        // What others know of the documents, as for the ends of kept edges, does not hold here.
        hidden.defined_since = CommitNumber::MAX;
        Ok(hidden)
    }

    /// Gives the collection and its indexes other objects, which are empty.
    pub(crate) fn renew_objects(&mut self, next: impl Fn() -> Result<ObjectId>) -> Result<()> {
        let old = self.definition.object_id;
        let new = next()?;
        self.definition.object_id = new;
        for definition in &mut self.definition.indexes {
            definition.object_id = if definition.object_id == old { new } else { next()? };
        }
        let definitions = self.definition.indexes.iter();
        let opened: Result<Vec<_>> =
            definitions.map(|index| Index::new(index.clone(), None).map(Arc::new)).collect();
        self.indexes = opened?;
        Ok(())
    }

    /// The last value of the key generator.
    pub fn last_key_value(&self) -> u64 {
        self.keys.last_value()
    }

    /// The compiled schema, for `SCHEMA_VALIDATE` and the like.
    pub fn schema(&self) -> Option<&Arc<Schema>> {
        self.schema.as_ref()
    }
}

/// A state of a collection's documents: see [`Collection::data_version`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DataVersion {
    /// Another one after a truncation or a bulk load.
    object: ObjectId,
    commits: u64,
}

impl fmt::Debug for Collection {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Collection")
            .field("database", &self.database)
            .field("definition", &self.definition)
            .finish()
    }
}
