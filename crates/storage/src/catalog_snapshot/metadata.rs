//! Reading the server's own records: all of them when the store opens, and those that another
//! server has changed.

use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

use catalog::{
    CollectionDefinition, DatabaseDefinition, DatabaseId, IndexDefinition, ObjectId, Record, UserDefinition,
    ViewDefinition,
};
use errors::{Error, Result};
use kv::{BlockLimits, Durability, Engine, KeyRange, ScanSpec, Snapshot, TransactionOptions};

use crate::base::computed_values;
use crate::base::options::StoreOptions;
use crate::base::schema::Schema;
use crate::catalog_snapshot::{Catalog, Collection, Database};
use crate::encoding::metadata::{
    DefinitionKey, Kind, definition_of_key, estimate_key, kind_range, server_key,
};
use crate::encoding::pack;
use crate::ids::key_generator::KeyGenerator;
use crate::locks::collection_lock::CollectionLock;
use crate::sharing::Coordination;
use crate::visibility::counters::{self, Counters, Records, Totals};
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
///
/// Errors: 1102 for damaged records, 35 for those of a newer version, those of the engine.
pub(crate) fn load(
    snapshot: &dyn Snapshot,
    opening: &Opening<'_>,
    known: Option<&Catalog>,
) -> Result<(Catalog, Revision)> {
    let has_text_indexes = known.is_some_and(Catalog::has_text_indexes);
    let has_access_rules = known.is_some_and(Catalog::has_access_rules);
    let catalog = Catalog { version: 1, has_text_indexes, has_access_rules, ..Catalog::default() };
    let mut reader = Reader::new(snapshot, opening, known, catalog);
    for kind in [Kind::Database, Kind::Collection, Kind::View, Kind::User] {
        let mut scan = snapshot.scan(ScanSpec::forward(kind_range(kind)))?;
        while let Some(block) = scan.next_block(READ_LIMITS)? {
            reader.put_all(block.iter())?;
        }
    }
    Ok((reader.catalog, reader.last_revision))
}

/// Reads the definitions whose records have these keys, which ascend, and takes all others from
/// `known`. Returns the same as [`load`].
///
/// Errors: as [`load`].
pub(crate) fn load_changed(
    snapshot: &dyn Snapshot,
    opening: &Opening<'_>,
    known: &Catalog,
    keys: &BTreeSet<Vec<u8>>,
) -> Result<(Catalog, Revision)> {
    let mut reader = Reader::new(snapshot, opening, Some(known), known.clone());
    // The previous versions go first: two definitions may have exchanged their names.
    keys.iter().try_for_each(|key| reader.remove_previous(key))?;
    let keys: Vec<&[u8]> = keys.iter().map(Vec::as_slice).collect();
    let mut rest = keys.as_slice();
    while !rest.is_empty() {
        let values = snapshot.get_many(rest)?;
        let found = || rest.iter().zip(values.iter());
        let mut removed = found().filter(|(_, value)| value.is_none());
        removed.try_for_each(|(key, _)| reader.remove_database(key))?;
        // Databases come before their collections, because keys are ordered by kind.
        reader.put_all(found().filter_map(|(key, value)| Some((*key, value?))))?;
        rest = rest.get(values.iter().len().max(1)..).unwrap_or_default();
    }
    Ok((reader.catalog, reader.last_revision))
}

/// A catalog into which records are read.
struct Reader<'a> {
    snapshot: &'a dyn Snapshot,
    opening: &'a Opening<'a>,
    known: Option<&'a Catalog>,
    catalog: Catalog,
    /// The greatest revision of the collections that were opened.
    last_revision: Revision,
    /// The parts of the collections that are opened next.
    opened: OpenedParts,
}

/// Parts of collections that are about to be opened. They were read for many at once.
#[derive(Default)]
struct OpenedParts {
    counters: HashMap<ObjectId, Records>,
    /// The estimate of each index; `None` for one without.
    estimates: HashMap<ObjectId, Option<Arc<Estimate>>>,
}

impl<'a> Reader<'a> {
    fn new(
        snapshot: &'a dyn Snapshot,
        opening: &'a Opening<'a>,
        known: Option<&'a Catalog>,
        catalog: Catalog,
    ) -> Self {
        let opened = OpenedParts::default();
        Reader { snapshot, opening, known, catalog, last_revision: Revision::default(), opened }
    }

    /// Removes the known definition of a record, unless others belong to it.
    fn remove_previous(&mut self, key: &[u8]) -> Result<()> {
        match definition_of_key(key).ok_or_else(unknown_key)? {
            DefinitionKey::Database(_) => {}
            DefinitionKey::Collection(database, id) => {
                let database = self.catalog.database_by_id_mut(database);
                database.into_iter().for_each(|database| database.remove_collection(id));
            }
            DefinitionKey::View(database, id) => {
                let database = self.catalog.database_by_id_mut(database);
                database.into_iter().for_each(|database| database.remove_view(id));
            }
            DefinitionKey::User(name) => {
                self.catalog.users.remove(name);
            }
        }
        Ok(())
    }

    /// Removes a database whose record is gone, and does nothing for another key.
    fn remove_database(&mut self, key: &[u8]) -> Result<()> {
        if let DefinitionKey::Database(id) = definition_of_key(key).ok_or_else(unknown_key)? {
            self.catalog.databases.retain(|_, database| database.definition.id != id);
        }
        Ok(())
    }

    /// Adds the definitions of records.
    fn put_all<'r>(&mut self, records: impl Iterator<Item = (&'r [u8], &'r [u8])>) -> Result<()> {
        let records: Vec<_> = records.collect();
        self.opened = self.read_ahead(&records)?;
        records.into_iter().try_for_each(|(key, record)| self.put(key, record))
    }

    /// Reads what the collections of some records need to be opened, if they are new or changed.
    fn read_ahead(&self, records: &[(&[u8], &[u8])]) -> Result<OpenedParts> {
        let (mut objects, mut indexes) = (Vec::new(), Vec::new());
        for (key, record) in records {
            let Some(DefinitionKey::Collection(..)) = definition_of_key(key) else { continue };
            let definition = CollectionDefinition::from_record(record)?;
            let before = self.known.and_then(|known| known.collection_by_id(definition.id));
            if before.is_none_or(|before| before.object_id() != definition.object_id) {
                objects.push(definition.object_id);
            }
            let is_new =
                |index: &&IndexDefinition| before.is_none_or(|before| before.index(index.id).is_none());
            indexes.extend(definition.indexes.iter().filter(is_new).map(|index| index.object_id));
        }
        let counters = counters::read_many(self.snapshot, &objects)?;
        Ok(OpenedParts {
            counters: objects.into_iter().zip(counters).collect(),
            estimates: read_estimates(self.snapshot, &indexes)?,
        })
    }

    /// Adds the definition of a record.
    fn put(&mut self, key: &[u8], record: &[u8]) -> Result<()> {
        match definition_of_key(key).ok_or_else(unknown_key)? {
            DefinitionKey::Database(_) => self.put_database(record),
            DefinitionKey::Collection(database, _) => self.put_collection(database, record),
            DefinitionKey::View(database, _) => {
                let database = self.catalog.database_by_id_mut(database);
                let database = database.ok_or_else(|| Error::corrupt("a view of an unknown database"))?;
                database.put_view(Arc::new(ViewDefinition::from_record(record)?));
                Ok(())
            }
            DefinitionKey::User(_) => {
                let user = UserDefinition::from_record(record)?;
                self.catalog.users.insert(user.name.clone(), Arc::new(user));
                Ok(())
            }
        }
    }

    fn put_database(&mut self, record: &[u8]) -> Result<()> {
        let definition = DatabaseDefinition::from_record(record)?;
        if let Some(present) = self.catalog.database_by_id_mut(definition.id) {
            present.definition = definition;
        } else {
            self.catalog.databases.insert(definition.name.clone(), Arc::new(Database::new(definition)));
        }
        Ok(())
    }

    fn put_collection(&mut self, database: DatabaseId, record: &[u8]) -> Result<()> {
        let definition = CollectionDefinition::from_record(record)?;
        let database = self.catalog.database_by_id_mut(database);
        let database = database.ok_or_else(|| Error::corrupt("a collection of an unknown database"))?;
        let before = self.known.and_then(|known| known.same_definition(&database.definition, definition.id));
        let collection = match before {
            Some(before) if before.has_record(&database.definition, record)? => Arc::clone(before),
            before => {
                let (snapshot, opening, parts) = (self.snapshot, self.opening, &mut self.opened);
                let (collection, totals) =
                    open_collection(snapshot, &database.definition, definition, opening, parts, before)?;
                self.last_revision = self.last_revision.max(totals.revision);
                Arc::new(collection)
            }
        };
        let (has_text_index, has_access_rules) = (collection.has_text_index(), collection.has_access_rules());
        collection.share_text_indexes(self.opening.coordination);
        database.put_collection(collection);
        self.catalog.has_text_indexes |= has_text_index;
        self.catalog.has_access_rules |= has_access_rules;
        Ok(())
    }
}

fn unknown_key() -> Error {
    Error::corrupt("a definition has an unknown key")
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
    parts: &mut OpenedParts,
    before: Option<&Arc<Collection>>,
) -> Result<(Collection, Totals)> {
    let Opening { options, coordination, number } = *opening;
    let object = definition.object_id;
    let (counters, totals) = match parts.counters.remove(&object) {
        Some(records) => Counters::of_records(records, object, coordination),
        // The collection continues with the counters of its previous version.
        None if before.is_some_and(|before| before.object_id() == object) => {
            (Counters::empty(object), Totals::default())
        }
        None => Counters::open(snapshot, object, coordination)?,
    };
    let mut indexes = Vec::with_capacity(definition.indexes.len());
    for index in &definition.indexes {
        // Not all that a client has said is stored.
        if let Some(same) = before.and_then(|before| before.index(index.id))
            && same.definition().to_record()? == index.to_record()?
        {
            indexes.push(Arc::clone(same));
            continue;
        }
        let estimate = match parts.estimates.remove(&index.object_id) {
            Some(estimate) => estimate,
            None => read_estimates(snapshot, &[index.object_id])?.into_values().next().flatten(),
        };
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

/// Reads the estimates of indexes, by their objects.
fn read_estimates(
    snapshot: &dyn Snapshot,
    indexes: &[ObjectId],
) -> Result<HashMap<ObjectId, Option<Arc<Estimate>>>> {
    let keys: Vec<Vec<u8>> = indexes.iter().map(|object| estimate_key(*object)).collect();
    let keys: Vec<&[u8]> = keys.iter().map(Vec::as_slice).collect();
    let mut estimates = HashMap::with_capacity(indexes.len());
    let mut rest = keys.as_slice();
    let mut objects = indexes.iter();
    while !rest.is_empty() {
        let values = snapshot.get_many(rest)?;
        for (bytes, object) in values.iter().zip(objects.by_ref()) {
            // A damaged estimate does not prevent opening: the index then starts without one.
            let estimate = bytes.and_then(|bytes| Estimate::from_record(bytes).ok());
            estimates.insert(*object, estimate.map(Arc::new));
        }
        rest = rest.get(values.iter().len().max(1)..).unwrap_or_default();
    }
    Ok(estimates)
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
