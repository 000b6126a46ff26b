//! The server's own records: reads them when the store opens, and writes changes of definitions.

use std::sync::Arc;

use catalog::{
    CollectionDefinition, DatabaseDefinition, DatabaseId, IndexDefinition, ObjectId, Record, UserDefinition,
    ViewDefinition, ViewId,
};
use errors::{Error, Result};
use kv::{
    BlockLimits, Durability, Engine, KeyRange, ScanSpec, Snapshot, TransactionOptions, WriteTransaction,
};

use crate::base::computed_values;
use crate::base::error;
use crate::base::options::StoreOptions;
use crate::base::schema::Schema;
use crate::catalog_snapshot::definition_changes::DefinitionChanges;
use crate::catalog_snapshot::{Catalog, Collection, Database};
use crate::encoding::change::ChangeKind;
use crate::encoding::metadata::{
    CounterRecord, Kind, collection_key, counter_key, database_key, database_of_key, estimate_key,
    key_counter_key, kind_range, pending_deletion_key, server_key, user_key, view_key,
};
use crate::encoding::pack;
use crate::ids::key_generator::KeyGenerator;
use crate::locks::collection_lock::CollectionLock;
use crate::sharing::Coordination;
use crate::visibility::counters::{Counters, Totals};
use crate::visibility::estimate::Estimate;
use crate::visibility::read_cache::CommitNumber;
use crate::{Index, Revision};

/// The limits of one block of records that the store reads while it opens.
const READ_LIMITS: BlockLimits = BlockLimits { rows: 1000, bytes: 4 << 20 };
/// Bits of the server's id. ArangoDB's ids have 48 bits.
const SERVER_ID_BITS: u32 = 48;

/// Reads the server's id; `None` for an empty engine.
///
/// Errors: 35 if a newer version wrote the contents of the engine.
pub(crate) fn read_server(engine: &dyn Engine) -> Result<Option<u64>> {
    let values = engine.snapshot()?.get_many(&[&server_key()])?;
    let Some(bytes) = values.iter().next().flatten() else { return Ok(None) };
    let [server_id] = pack::read_numbers::<1>(bytes, "server")?;
    Ok(Some(server_id))
}

/// Chooses the server's id at random and stores it together with the format.
pub(crate) fn initialize_server(engine: &dyn Engine) -> Result<u64> {
    let random = getrandom::u64().map_err(|error| {
        Error::internal(format!("cannot get random bytes from the operating system: {error}"))
    })?;
    let server_id = random >> (u64::BITS - SERVER_ID_BITS);
    let mut transaction = engine.begin(TransactionOptions::default())?;
    let inserted = transaction.insert_unique(&server_key(), &pack::numbers(&[server_id]));
    match inserted.and_then(|()| transaction.commit(Durability::Synced)) {
        // Another server that shares the store was faster.
        Err(kv::Error::Conflict | kv::Error::Exists) if engine.sharing().is_some() => {
            read_server(engine)?.ok_or_else(|| Error::internal("the id of the deployment is missing"))
        }
        outcome => Ok(outcome.map(|()| server_id)?),
    }
}

/// Reads all definitions, and returns the greatest revision of all collections with them.
///
/// Collections that `known` has with the same definition stay as they are. Changed ones keep the
/// parts that all versions of a collection share.
pub(crate) fn load(
    snapshot: &dyn Snapshot,
    opening: &Opening<'_>,
    known: Option<&Catalog>,
) -> Result<(Catalog, Revision)> {
    let has_text_indexes = known.is_some_and(Catalog::has_text_indexes);
    let has_access_rules = known.is_some_and(Catalog::has_access_rules);
    let mut catalog = Catalog { version: 1, has_text_indexes, has_access_rules, ..Catalog::default() };
    let mut names: Vec<(DatabaseId, String)> = Vec::new();
    for_each(snapshot, kind_range(Kind::Database), |_, value| {
        let definition = DatabaseDefinition::from_record(value)?;
        names.push((definition.id, definition.name.clone()));
        catalog.databases.insert(definition.name.clone(), Arc::new(Database::new(definition)));
        Ok(())
    })?;
    let mut last_revision = Revision::default();
    let name_of = |key: &[u8]| {
        let id = database_of_key(key);
        names.iter().find(|(database, _)| Some(*database) == id).map(|(_, name)| name)
    };
    for_each(snapshot, kind_range(Kind::Collection), |key, value| {
        let database = name_of(key).and_then(|name| catalog.databases.get_mut(name));
        let database = database.ok_or_else(|| Error::corrupt("a collection of an unknown database"))?;
        let definition = CollectionDefinition::from_record(value)?;
        let present = known.and_then(|known| known.same_definition(&database.definition, definition.id));
        let collection = match present {
            Some(present) if present.has_record(&database.definition, value)? => Arc::clone(present),
            present => {
                let (collection, totals) =
                    open_collection(snapshot, &database.definition, definition, opening, present)?;
                last_revision = last_revision.max(totals.revision);
                Arc::new(collection)
            }
        };
        catalog.has_text_indexes |= collection.has_text_index();
        catalog.has_access_rules |= collection.has_access_rules();
        collection.share_text_indexes(opening.coordination);
        Arc::make_mut(database).put_collection(collection);
        Ok(())
    })?;
    for_each(snapshot, kind_range(Kind::View), |key, value| {
        let database = name_of(key).and_then(|name| catalog.databases.get_mut(name));
        let database = database.ok_or_else(|| Error::corrupt("a view of an unknown database"))?;
        Arc::make_mut(database).put_view(Arc::new(ViewDefinition::from_record(value)?));
        Ok(())
    })?;
    for_each(snapshot, kind_range(Kind::User), |_, value| {
        let user = UserDefinition::from_record(value)?;
        catalog.users.insert(user.name.clone(), Arc::new(user));
        Ok(())
    })?;
    Ok((catalog, last_revision))
}

/// Visits all pairs in a range.
pub(crate) fn for_each(
    snapshot: &dyn Snapshot,
    range: KeyRange,
    mut visit: impl FnMut(&[u8], &[u8]) -> Result<()>,
) -> Result<()> {
    let mut scan = snapshot.scan(ScanSpec::forward(range))?;
    while let Some(block) = scan.next_block(READ_LIMITS)? {
        block.iter().try_for_each(|(key, value)| visit(key, value))?;
    }
    Ok(())
}

/// The circumstances in which a collection is opened.
pub(crate) struct Opening<'a> {
    pub(crate) options: &'a StoreOptions,
    pub(crate) coordination: &'a Coordination,
    /// The commit that puts the collection into the catalog; 0 while the store opens.
    pub(crate) number: CommitNumber,
}

/// Opens a collection. `before` is its previous version, if it has one in memory.
fn open_collection(
    snapshot: &dyn Snapshot,
    database: &DatabaseDefinition,
    definition: CollectionDefinition,
    opening: &Opening<'_>,
    before: Option<&Arc<Collection>>,
) -> Result<(Collection, Totals)> {
    let Opening { options, coordination, number } = *opening;
    let (counters, totals) = Counters::open(snapshot, definition.object_id, coordination)?;
    let mut indexes = Vec::with_capacity(definition.indexes.len());
    for index in &definition.indexes {
        // Not all that a client has said is stored.
        if let Some(same) = before.and_then(|before| before.index(index.id))
            && same.definition().to_record()? == index.to_record()?
        {
            indexes.push(Arc::clone(same));
            continue;
        }
        let estimate = read_estimate(snapshot, index)?;
        indexes.push(Arc::new(Index::open_stored(index.clone(), estimate, snapshot, &options.search)?));
    }
    let properties = &definition.properties;
    let collection = Collection {
        name: definition.name().into(),
        database: database.name.as_str().into(),
        database_id: database.id,
        indexes,
        lock: Arc::new(CollectionLock::default()),
        running_loads: Arc::default(),
        last_load: Arc::default(),
        counters: Arc::new(counters),
        keys: Arc::new(
            KeyGenerator::new(properties.key_options, totals.key_value)
                .shared_by(coordination, definition.id),
        ),
        commit_watch: Arc::default(),
        longest_document: Arc::default(),
        defined_since: number,
        schema: properties.schema.as_ref().map(|rule| Arc::new(Schema::compile_or_refuse(rule))),
        computed_values: computed_values::compile_or_refuse(properties, options.computed_values.as_deref()),
        definition,
    };
    let collection = match before {
        Some(before) => collection.continuing(before),
        None => collection,
    };
    Ok((collection, totals))
}

fn read_estimate(snapshot: &dyn Snapshot, index: &IndexDefinition) -> Result<Option<Arc<Estimate>>> {
    let values = snapshot.get_many(&[&estimate_key(index.object_id)])?;
    // A damaged estimate does not prevent opening: the index then starts without one.
    let estimate = values.iter().next().flatten().and_then(|bytes| Estimate::from_record(bytes).ok());
    Ok(estimate.map(Arc::new))
}

/// Writes the estimates that have changed.
///
/// Servers that share the store write the same records, and the first one wins.
pub(crate) fn write_estimates(engine: &dyn Engine, catalog: &Catalog) -> Result<()> {
    let mut transaction = engine.begin(TransactionOptions::default())?;
    let collections = catalog.databases().flat_map(|database| database.collections());
    for index in collections.flat_map(|collection| collection.indexes()) {
        if let Some(record) = index.estimate().and_then(|estimate| estimate.take_record()) {
            transaction.put(&estimate_key(index.definition().object_id), &record)?;
        }
    }
    match transaction.commit(Durability::Buffered) {
        Err(kv::Error::Conflict) if engine.sharing().is_some() => Ok(()),
        outcome => Ok(outcome?),
    }
}

/// A change of definitions that is being made: the new catalog, and the records that belong to it.
pub(crate) struct Draft {
    catalog: Catalog,
    transaction: Box<dyn WriteTransaction>,
    /// The commit that makes the change visible.
    number: CommitNumber,
    coordination: Coordination,
    changes: DefinitionChanges,
}

impl Draft {
    pub(crate) fn new(
        catalog: Catalog,
        transaction: Box<dyn WriteTransaction>,
        number: CommitNumber,
        coordination: Coordination,
        changes: DefinitionChanges,
    ) -> Self {
        Draft { catalog, transaction, number, coordination, changes }
    }

    pub(crate) fn into_parts(self) -> (Catalog, Box<dyn WriteTransaction>, DefinitionChanges) {
        (self.catalog, self.transaction, self.changes)
    }

    pub(crate) fn catalog(&self) -> &Catalog {
        &self.catalog
    }

    /// Returns a database by name.
    ///
    /// Errors: 1228.
    pub(crate) fn database(&self, name: &str) -> Result<&Arc<Database>> {
        self.catalog.database(name).ok_or_else(error::database_not_found)
    }

    /// Returns the current version of a collection.
    ///
    /// Errors: 1203 if it was dropped.
    pub(crate) fn present(&self, collection: &Collection) -> Result<Arc<Collection>> {
        let present = self.catalog.same_collection(collection);
        present.cloned().ok_or_else(|| Error::collection_not_found(collection.name()))
    }

    pub(crate) fn put_database(&mut self, database: Database) -> Result<()> {
        let definition = &database.definition;
        self.changes.database(ChangeKind::DatabaseCreated, definition)?;
        self.transaction.put(&database_key(definition.id), &definition.to_record()?)?;
        self.catalog.databases.insert(definition.name.clone(), Arc::new(database));
        Ok(())
    }

    pub(crate) fn remove_database(&mut self, name: &str) -> Result<()> {
        if let Some(database) = self.catalog.databases.remove(name) {
            self.changes.database(ChangeKind::DatabaseDropped, &database.definition)?;
            self.transaction.delete(&database_key(database.definition.id))?;
        }
        Ok(())
    }

    /// Adds a collection, or replaces its previous version.
    pub(crate) fn put_collection(&mut self, collection: Collection) -> Result<Arc<Collection>> {
        self.catalog.has_text_indexes |= collection.has_text_index();
        self.catalog.has_access_rules |= collection.has_access_rules();
        collection.share_text_indexes(&self.coordination);
        let database = self.catalog.databases.get_mut(collection.database());
        let database = database.ok_or_else(error::database_not_found)?;
        let before = database.collections.get(&collection.id());
        self.changes.collection(before.map(AsRef::as_ref), &collection)?;
        let key = collection_key(collection.database_id, collection.id());
        self.transaction.put(&key, &collection.definition.to_record()?)?;
        let collection = Arc::new(Collection { defined_since: self.number, ..collection });
        Arc::make_mut(database).put_collection(Arc::clone(&collection));
        Ok(collection)
    }

    pub(crate) fn remove_collection(&mut self, collection: &Collection) -> Result<()> {
        self.changes.dropped_collection(collection)?;
        self.transaction.delete(&collection_key(collection.database_id, collection.id()))?;
        if !self.coordination.is_alone() {
            self.transaction.delete(&key_counter_key(collection.id()))?;
        }
        if let Some(database) = self.catalog.databases.get_mut(collection.database()) {
            Arc::make_mut(database).remove_collection(collection.id());
        }
        Ok(())
    }

    /// Adds a view to a database, or replaces its previous version.
    ///
    /// Errors: 1228.
    pub(crate) fn put_view(&mut self, database: &str, view: ViewDefinition) -> Result<Arc<ViewDefinition>> {
        let database = self.catalog.databases.get_mut(database).ok_or_else(error::database_not_found)?;
        let kind = match database.view_by_id(view.id) {
            Some(_) => ChangeKind::ViewChanged,
            None => ChangeKind::ViewCreated,
        };
        self.changes.view(kind, database, &view)?;
        self.transaction.put(&view_key(database.definition.id, view.id), &view.to_record()?)?;
        let view = Arc::new(view);
        Arc::make_mut(database).put_view(Arc::clone(&view));
        Ok(view)
    }

    /// Removes a view of a database. Errors: 1228.
    pub(crate) fn remove_view(&mut self, database: &str, view: ViewId) -> Result<()> {
        let database = self.catalog.databases.get_mut(database).ok_or_else(error::database_not_found)?;
        if let Some(present) = database.view_by_id(view) {
            self.changes.view(ChangeKind::ViewDropped, database, present)?;
        }
        Arc::make_mut(database).remove_view(view);
        let key = view_key(database.definition.id, view);
        Ok(self.transaction.delete(&key)?)
    }

    pub(crate) fn put_user(&mut self, user: UserDefinition) -> Result<()> {
        self.changes.user(ChangeKind::UserChanged, &user)?;
        self.transaction.put(&user_key(&user.name), &user.to_record()?)?;
        self.catalog.users.insert(user.name.clone(), Arc::new(user));
        Ok(())
    }

    pub(crate) fn remove_user(&mut self, name: &str) -> Result<()> {
        if let Some(user) = self.catalog.users.remove(name) {
            self.changes.user(ChangeKind::UserRemoved, &user)?;
        }
        Ok(self.transaction.delete(&user_key(name))?)
    }

    /// Records that nothing owns an object, or nothing owns it yet. The object is deleted now or
    /// when the store next opens.
    pub(crate) fn pend_deletion(&mut self, object: ObjectId) -> Result<()> {
        let owner = self.coordination.members().map(|members| members.own());
        let owner = owner.map(|owner| [u64::from(owner.number), owner.identity]);
        let record = pack::numbers(owner.as_ref().map_or(&[], |owner| owner.as_slice()));
        Ok(self.transaction.put(&pending_deletion_key(object), &record)?)
    }

    /// Records that an object is owned, so that it is kept.
    pub(crate) fn keep(&mut self, object: ObjectId) -> Result<()> {
        Ok(self.transaction.delete(&pending_deletion_key(object))?)
    }

    /// Sets the counters of a new object.
    pub(crate) fn put_counters(&mut self, object: ObjectId, totals: Totals) -> Result<()> {
        Ok(self.transaction.put(&counter_key(object, CounterRecord::Slot(0)), &totals.to_bytes())?)
    }
}
