//! Changes of definitions.

use serde_json::{Value, json};

use super::log::kind;
use super::state::{Collection, Database, View};
use super::system::{COLLECTIONS, COLLECTIONS_OF_SYSTEM};
use super::{Model, SYSTEM};

impl Model {
    /// Adds a database with its system collections, which the log does not show one by one.
    pub(super) fn add_database(&mut self, name: &str) {
        let id = self.new_id();
        let database = Database { id, collections: Default::default(), views: Default::default() };
        self.databases.insert(name.to_owned(), database);
        let own = if name == SYSTEM { COLLECTIONS_OF_SYSTEM } else { &[] };
        for collection in COLLECTIONS.iter().chain(own) {
            self.add_collection(name, collection, 2, json!({}));
        }
    }

    /// Creates a database.
    pub fn create_database(&mut self, name: &str) {
        let id = self.last_id + 3;
        let data = json!({"database": id, "id": id.to_string(), "name": name});
        self.log.append(kind::DATABASE_CREATED, name, json!({"data": data}));
        self.add_database(name);
        for collection in COLLECTIONS {
            self.log_creation(name, collection);
        }
    }

    /// Drops a database.
    pub fn drop_database(&mut self, name: &str) {
        self.databases.remove(name);
        self.log.append(kind::DATABASE_DROPPED, name, json!({}));
    }

    /// Creates a collection: `kind` 2 of documents, 3 of edges; `properties` beside the defaults.
    pub fn create_collection(&mut self, database: &str, name: &str, kind: u64, properties: Value) {
        self.add_collection(database, name, kind, properties);
        self.log_creation(database, name);
    }

    fn add_collection(&mut self, database: &str, name: &str, kind: u64, properties: Value) {
        let id = self.new_id();
        // The documentation of `GET /_api/collection` shows `_statisticsRaw` with its name as the
        // identifier: system collections have the same one in every database.
        let unique_id = if name.starts_with('_') { name.to_owned() } else { self.unique_id(id) };
        let collection = Collection {
            id,
            unique_id,
            kind,
            properties: properties.as_object().cloned().unwrap_or_default(),
            indexes: Default::default(),
            documents: Default::default(),
        };
        if let Some(database) = self.databases.get_mut(database) {
            database.collections.insert(name.to_owned(), collection);
        }
    }

    fn log_creation(&mut self, database: &str, name: &str) {
        let Some(collection) = self.collection(database, name) else { return };
        let mut data = collection.parameters(name);
        if let Some(data) = data.as_object_mut() {
            data.insert("indexes".to_owned(), json!(collection.index_definitions()));
        }
        let fields = json!({"cuid": collection.unique_id, "data": data});
        self.log.append(kind::COLLECTION_CREATED, database, fields);
    }

    /// Drops a collection.
    pub fn drop_collection(&mut self, database: &str, name: &str) {
        let dropped = self.databases.get_mut(database).and_then(|found| found.collections.remove(name));
        if let Some(dropped) = dropped {
            self.log.append(kind::COLLECTION_DROPPED, database, json!({"cuid": dropped.unique_id}));
        }
    }

    /// Renames a collection.
    pub fn rename_collection(&mut self, database: &str, name: &str, new_name: &str) {
        let Some(found) = self.databases.get_mut(database) else { return };
        let Some(mut collection) = found.collections.remove(name) else { return };
        for (key, document) in &mut collection.documents {
            document["_id"] = json!(format!("{new_name}/{key}"));
        }
        let fields = json!({"cuid": collection.unique_id, "data": {"name": new_name}});
        found.collections.insert(new_name.to_owned(), collection);
        self.log.append(kind::COLLECTION_RENAMED, database, fields);
    }

    /// Changes properties of a collection.
    pub fn change_collection(&mut self, database: &str, name: &str, properties: Value) {
        let Some(collection) = self.collection_mut(database, name) else { return };
        if let Value::Object(properties) = properties {
            collection.properties.extend(properties);
        }
        let fields = json!({"cuid": collection.unique_id, "data": collection.parameters(name)});
        self.log.append(kind::COLLECTION_CHANGED, database, fields);
    }

    /// Removes all documents of a collection.
    pub fn truncate(&mut self, database: &str, name: &str) {
        let Some(collection) = self.collection_mut(database, name) else { return };
        collection.documents.clear();
        let fields = json!({"cuid": collection.unique_id});
        self.log.append(kind::TRUNCATED, database, fields);
    }

    /// Creates an index, and returns its number. `definition` has `type`, `fields` and so on.
    pub fn create_index(&mut self, database: &str, name: &str, definition: Value) -> u64 {
        let id = self.new_id();
        let mut data =
            json!({"id": id.to_string(), "name": format!("idx_{id}"), "sparse": false, "unique": false});
        if let (Some(data), Value::Object(definition)) = (data.as_object_mut(), definition) {
            data.extend(definition);
        }
        let Some(collection) = self.collection_mut(database, name) else { return id };
        collection.indexes.insert(id, data.clone());
        let fields = json!({"cuid": collection.unique_id, "data": data});
        self.log.append(kind::INDEX_CREATED, database, fields);
        id
    }

    /// Drops an index. Its entry has only the number, as in the documentation.
    pub fn drop_index(&mut self, database: &str, name: &str, id: u64) {
        let Some(collection) = self.collection_mut(database, name) else { return };
        collection.indexes.remove(&id);
        let fields = json!({"cuid": collection.unique_id, "data": {"id": id.to_string()}});
        self.log.append(kind::INDEX_DROPPED, database, fields);
    }

    /// Creates a view of a type, `arangosearch` or `search-alias`.
    ///
    /// In the documentation's entry a new view has no links: they come as changes.
    pub fn create_view(&mut self, database: &str, name: &str, definition: Value) {
        let id = self.new_id();
        let unique_id = self.unique_id(id);
        let mut whole = json!({
            "name": name, "id": id.to_string(), "globallyUniqueId": unique_id,
            "deleted": false, "isSystem": false,
        });
        if let (Some(whole), Value::Object(definition)) = (whole.as_object_mut(), definition) {
            whole.extend(definition);
        }
        let fields = json!({"cuid": unique_id, "data": whole});
        if let Some(found) = self.databases.get_mut(database) {
            found.views.insert(name.to_owned(), View { id, unique_id, definition: whole });
        }
        self.log.append(kind::VIEW_CREATED, database, fields);
    }

    /// Changes attributes of a view, also its name.
    pub fn change_view(&mut self, database: &str, name: &str, changes: Value) {
        let Some(found) = self.databases.get_mut(database) else { return };
        let Some(mut view) = found.views.remove(name) else { return };
        if let (Some(definition), Value::Object(changes)) = (view.definition.as_object_mut(), changes) {
            definition.extend(changes);
        }
        let fields = json!({"cuid": view.unique_id, "data": view.definition});
        let new_name = view.definition["name"].as_str().unwrap_or(name).to_owned();
        found.views.insert(new_name, view);
        self.log.append(kind::VIEW_CHANGED, database, fields);
    }

    /// Drops a view. Its entry has only the unique identifier, as in the documentation.
    pub fn drop_view(&mut self, database: &str, name: &str) {
        let dropped = self.databases.get_mut(database).and_then(|found| found.views.remove(name));
        if let Some(dropped) = dropped {
            self.log.append(kind::VIEW_DROPPED, database, json!({"cuid": dropped.unique_id}));
        }
    }

    pub(super) fn collection(&self, database: &str, name: &str) -> Option<&Collection> {
        self.databases.get(database)?.collections.get(name)
    }

    pub(super) fn collection_mut(&mut self, database: &str, name: &str) -> Option<&mut Collection> {
        self.databases.get_mut(database)?.collections.get_mut(name)
    }
}
