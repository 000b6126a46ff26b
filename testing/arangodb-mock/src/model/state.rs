//! Databases, collections and views.

use std::collections::BTreeMap;

use serde_json::{Value, json};

/// A database.
#[derive(Clone, Debug)]
pub(crate) struct Database {
    pub(crate) id: u64,
    pub(crate) collections: BTreeMap<String, Collection>,
    pub(crate) views: BTreeMap<String, View>,
}

/// A collection with its documents.
#[derive(Clone, Debug)]
pub(crate) struct Collection {
    pub(crate) id: u64,
    pub(crate) unique_id: String,
    /// 2 for documents, 3 for edges.
    pub(crate) kind: u64,
    /// Properties beside those that every collection has.
    pub(crate) properties: serde_json::Map<String, Value>,
    /// The definitions of indexes beside the primary and the edge index, by number.
    pub(crate) indexes: BTreeMap<u64, Value>,
    pub(crate) documents: BTreeMap<String, Value>,
}

/// A view.
#[derive(Clone, Debug)]
pub(crate) struct View {
    pub(crate) id: u64,
    pub(crate) unique_id: String,
    /// The definition, with `links` of an `arangosearch` view.
    pub(crate) definition: Value,
}

impl Collection {
    /// Returns the parameters, in the form of inventories and of the log.
    pub(crate) fn parameters(&self, name: &str) -> Value {
        let mut parameters = json!({
            "allowUserKeys": true,
            "cacheEnabled": false,
            "cid": self.id.to_string(),
            "computedValues": null,
            "deleted": false,
            "globallyUniqueId": self.unique_id,
            "id": self.id.to_string(),
            "isDisjoint": false,
            "isSmart": false,
            "isSmartChild": false,
            "isSystem": name.starts_with('_'),
            "keyOptions": {"allowUserKeys": true, "type": "traditional", "lastValue": 0},
            "minReplicationFactor": 1,
            "name": name,
            "numberOfShards": 1,
            "planId": self.id.to_string(),
            "replicationFactor": 1,
            "schema": null,
            "shardKeys": ["_key"],
            "shards": {},
            "status": 3,
            "syncByRevision": true,
            "type": self.kind,
            "usesRevisionsAsDocumentIds": true,
            "version": 9,
            "waitForSync": false,
            "writeConcern": 1,
        });
        if let Some(object) = parameters.as_object_mut() {
            object.extend(self.properties.clone());
        }
        parameters
    }

    /// Returns the definitions of its own indexes.
    pub(crate) fn index_definitions(&self) -> Vec<Value> {
        self.indexes.values().cloned().collect()
    }
}
