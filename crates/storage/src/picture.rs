//! The catalog as it stands at one moment: immutable, shared, swapped as a whole when something changes.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use catalog::{CollectionDefinition, CollectionId, DatabaseDefinition, IndexId, ObjectId, UserDefinition};

use crate::computed_values::ComputedValues;
use crate::edge_ends::CollectionCommits;
use crate::gate::Gate;
use crate::key_generator::KeyGenerator;
use crate::load::RunningLoads;
use crate::schema::Schema;
use crate::visibility::LastLoad;
use crate::visibility::counters::Counters;
use crate::visibility::read_cache::{CommitNumber, CommitWatch};
use crate::{Error, Index, Result, Revision, encoding};

/// All databases, collections, indexes and users.
#[derive(Clone, Debug, Default)]
pub struct Catalog {
    pub(crate) version: u64,
    pub(crate) databases: BTreeMap<String, Arc<Database>>,
    pub(crate) users: BTreeMap<String, Arc<UserDefinition>>,
}

impl Catalog {
    /// Greater after every change; for caches of what was derived from the catalog.
    pub fn version(&self) -> u64 {
        self.version
    }

    /// The database of a name.
    pub fn database(&self, name: &str) -> Option<&Arc<Database>> {
        self.databases.get(name)
    }

    /// All databases by name.
    pub fn databases(&self) -> impl ExactSizeIterator<Item = &Arc<Database>> {
        self.databases.values()
    }

    /// The user of a name.
    pub fn user(&self, name: &str) -> Option<&Arc<UserDefinition>> {
        self.users.get(name)
    }

    /// All users by name.
    pub fn users(&self) -> impl ExactSizeIterator<Item = &Arc<UserDefinition>> {
        self.users.values()
    }

    /// The same collection in this picture: renamed or changed perhaps, `None` if it was dropped.
    pub(crate) fn same_collection(&self, collection: &Collection) -> Option<&Arc<Collection>> {
        let database = self.databases.get(&*collection.database)?;
        if database.definition.id != collection.database_id {
            return None;
        }
        database.collections.get(&collection.id())
    }
}

/// A database and its collections.
#[derive(Clone, Debug)]
pub struct Database {
    pub(crate) definition: DatabaseDefinition,
    pub(crate) collections: BTreeMap<CollectionId, Arc<Collection>>,
    pub(crate) names: BTreeMap<String, CollectionId>,
}

impl Database {
    pub(crate) fn new(definition: DatabaseDefinition) -> Self {
        Database { definition, collections: BTreeMap::new(), names: BTreeMap::new() }
    }

    /// Its id and name.
    pub fn definition(&self) -> &DatabaseDefinition {
        &self.definition
    }

    /// Its name.
    pub fn name(&self) -> &str {
        &self.definition.name
    }

    /// The collection of a name, or of a number written as text.
    pub fn collection(&self, name_or_id: &str) -> Option<&Arc<Collection>> {
        let id = match self.names.get(name_or_id) {
            Some(id) => *id,
            None => name_or_id.parse().ok()?,
        };
        self.collections.get(&id)
    }

    /// As [`Database::collection`].
    ///
    /// Errors: 1203.
    pub fn require_collection(&self, name_or_id: &str) -> Result<&Arc<Collection>> {
        self.collection(name_or_id).ok_or_else(|| Error::collection_not_found(name_or_id))
    }

    /// The collection of a number.
    pub fn collection_by_id(&self, id: CollectionId) -> Option<&Arc<Collection>> {
        self.collections.get(&id)
    }

    /// All collections by name.
    pub fn collections(&self) -> impl Iterator<Item = &Arc<Collection>> {
        self.names.values().filter_map(|id| self.collections.get(id))
    }

    /// The same database, in which of the collections that `is_hidden` names nothing can be told but that they are there:
    /// no documents, indexes or schema. For a reader who must not see them; nothing may be written to those.
    ///
    /// Errors: 9 for an index of a type that this version does not have.
    pub fn hiding(&self, is_hidden: impl Fn(&Collection) -> bool) -> Result<Database> {
        let mut database = self.clone();
        for collection in database.collections.values_mut().filter(|collection| is_hidden(collection)) {
            *collection = Arc::new(collection.hidden()?);
        }
        Ok(database)
    }

    pub(crate) fn put_collection(&mut self, collection: Arc<Collection>) {
        self.remove_collection(collection.id());
        self.names.insert(collection.name().to_owned(), collection.id());
        self.collections.insert(collection.id(), collection);
    }

    pub(crate) fn remove_collection(&mut self, id: CollectionId) {
        if let Some(old) = self.collections.remove(&id) {
            self.names.remove(old.name());
        }
    }
}

/// A collection: its definition, its indexes, and what all pictures of it share (counters, key generator, gate).
#[derive(Clone)]
pub struct Collection {
    pub(crate) definition: CollectionDefinition,
    pub(crate) name: Arc<str>,
    pub(crate) database: Arc<str>,
    pub(crate) database_id: catalog::DatabaseId,
    pub(crate) indexes: Vec<Arc<Index>>,
    pub(crate) gate: Arc<Gate>,
    pub(crate) running_loads: Arc<RunningLoads>,
    pub(crate) last_load: Arc<LastLoad>,
    pub(crate) counters: Arc<Counters>,
    pub(crate) keys: Arc<KeyGenerator>,
    pub(crate) commit_watch: Arc<CommitWatch>,
    /// The commit that put this picture of it into the catalog; 0 if it was there when the store was opened.
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
    fn hidden(&self) -> Result<Collection> {
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
