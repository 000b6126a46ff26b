//! Restored collections and their indexes.

use std::sync::Arc;

use catalog::collection::CollectionProperties;
use catalog::{AccessLevel, AccessRules, IndexProperties};
use errors::{Error, ErrorCode, Result};
use storage::{Collection, Index};
use velocypack::Slice;

use crate::base::user_documents::USERS_COLLECTION;
use crate::session::Session;

/// An index type that bounded the number of documents. It has no successor.
const CAP_INDEX: &str = "cap";
/// Indexes that every collection has without a definition.
const OWN_INDEXES: [&str; 2] = ["primary", "edge"];

impl Session {
    /// Creates a collection from `parameters` of a dump. It keeps its globally unique identifier
    /// if no other collection has it, so that the log of the dumped server can be applied to it.
    ///
    /// With `overwrite` an existing collection is dropped first; a system collection is emptied
    /// instead. With `defer_edge_index` the client promises to call [`Session::restore_indexes`]
    /// after the documents. Errors: 10, 11, 18, 1207, 1208, 1621.
    pub fn restore_collection(&self, body: Slice<'_>, overwrite: bool, defer_edge_index: bool) -> Result<()> {
        self.require_database(AccessLevel::ReadWrite)?;
        let parameters = parameters(body)?;
        if parameters.get("deleted").and_then(Slice::as_bool) == Some(true) {
            return Ok(());
        }
        let default_wait_for_sync = self.instance().options().default_wait_for_sync;
        let mut properties = CollectionProperties::parse(parameters, default_wait_for_sync)?;
        // Dumps before 3.0 lack the attribute.
        properties.is_system = properties.name.starts_with('_');
        if !properties.access_rules.is_empty() {
            let rules = AccessRules::clone(&properties.access_rules);
            properties.access_rules = Arc::new(self.checked_rules(rules, None)?);
        }
        let catalog = self.catalog();
        let existing = self.database_in(&catalog)?.collection(&properties.name);
        let store = self.instance().store();
        match existing.filter(|existing| existing.name() == properties.name) {
            None => {}
            // Users live in the catalog. Users that the dump does not have stay.
            Some(users) if self.is_system_database() && users.name() == USERS_COLLECTION => {
                return self.require_administrator();
            }
            Some(existing) if !overwrite => {
                let message = format!("duplicate name: collection '{}' exists", existing.name());
                return Err(Error::new(ErrorCode::DuplicateName, message));
            }
            Some(existing) => {
                self.require_collection(existing.name(), AccessLevel::ReadWrite)?;
                self.require_unrestricted(existing, "a restore")?;
                if existing.definition().properties.is_system {
                    return self.empty(existing);
                }
                // Graphs name the collection and will find the new one.
                let _changes = self.instance().graph_changes();
                store.drop_collection(existing, true)?;
            }
        }
        let unique_id = parameters.get("globallyUniqueId").and_then(Slice::as_str);
        let unique_id = unique_id.filter(|id| !properties.is_system && !self.is_unique_id_in_use(id));
        store.restore_collection(self.database_name(), properties, unique_id, defer_edge_index)?;
        Ok(())
    }

    /// Returns true if a collection of any database has this globally unique identifier, or if it
    /// is too long for one.
    fn is_unique_id_in_use(&self, id: &str) -> bool {
        let catalog = self.catalog();
        let mut collections = catalog.databases().flat_map(|database| database.collections());
        id.is_empty()
            || id.len() > usize::from(u8::MAX)
            || collections.any(|collection| collection.definition().globally_unique_id == id)
    }

    fn empty(&self, collection: &Arc<Collection>) -> Result<()> {
        let store = self.instance().store();
        for index in collection.indexes().iter().filter(|index| index.is_user_defined()) {
            store.drop_index(collection, index.id())?;
        }
        store.truncate(collection)
    }

    /// Creates the `indexes` of a dump that a collection lacks, and a deferred edge index.
    ///
    /// With `force`, indexes of unknown types are skipped, and returned. Errors: 9, 10, 11, 18,
    /// 1203, 1210.
    pub fn restore_indexes(&self, body: Slice<'_>, force: bool) -> Result<Vec<SkippedIndex>> {
        self.require_database(AccessLevel::ReadWrite)?;
        let parameters = parameters(body)?;
        let name = parameters.get("name").and_then(Slice::as_str);
        let name =
            name.ok_or_else(|| Error::bad_parameter("'parameters' must have the collection's 'name'"))?;
        // The oldest dumps have the indexes among the parameters.
        let indexes = body.get("indexes").or_else(|| parameters.get("indexes")).unwrap_or(Slice::EMPTY_ARRAY);
        if !indexes.is_array() {
            return Err(Error::bad_parameter("'indexes' must be an array"));
        }
        let collection = self.collection(name, AccessLevel::ReadWrite)?;
        self.require_unrestricted(&collection, "a restore")?;
        self.build_edge_index(&collection, &|| Ok(()))?;
        let mut skipped = Vec::new();
        for (position, index) in indexes.elements().enumerate() {
            let kind = index.get("type").and_then(Slice::as_str).unwrap_or_default();
            if kind == CAP_INDEX || OWN_INDEXES.contains(&kind) {
                continue;
            }
            if let Some(unknown) = SkippedIndex::of_unknown(index).filter(|_| force) {
                tracing::warn!(
                    target: "replication",
                    "collection '{name}' is restored without an index of type '{kind}', which this version does not support"
                );
                skipped.push(unknown);
                continue;
            }
            self.restore_index(name, index).map_err(|error| {
                let message = format!("index {position} of collection '{name}': {}", error.message());
                error.with_message(message)
            })?;
        }
        Ok(skipped)
    }

    fn restore_index(&self, collection: &str, index: Slice<'_>) -> Result<Arc<Index>> {
        let collection = self.collection(collection, AccessLevel::ReadWrite)?;
        let properties = self.index_properties(index)?;
        let (index, _) = self.instance().store().create_index(&collection, properties)?;
        Ok(index)
    }
}

/// An index of a type that this version does not have.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SkippedIndex {
    /// Its name.
    pub name: String,
    /// Its type.
    pub kind: String,
}

impl SkippedIndex {
    /// Returns the index of a definition if this version does not have its type.
    pub(crate) fn of_unknown(definition: Slice<'_>) -> Option<Self> {
        let text = |name| definition.get(name).and_then(Slice::as_str).unwrap_or_default().to_owned();
        let kind = text("type");
        let is_unknown = !kind.is_empty() && !IndexProperties::has_type(&kind);
        is_unknown.then(|| SkippedIndex { name: text("name"), kind })
    }
}

fn parameters(body: Slice<'_>) -> Result<Slice<'_>> {
    let parameters = body.get("parameters").filter(|parameters| parameters.is_object());
    parameters.ok_or_else(|| {
        Error::bad_parameter("collection declaration is invalid: 'parameters' must be an object")
    })
}
