//! Users, and the collections that the server keeps for itself.

use serde_json::{Value, json};
use sha2::{Digest, Sha256};

use super::{Model, SYSTEM};

/// The system collections of every database.
pub(super) const COLLECTIONS: &[&str] =
    &["_analyzers", "_appbundles", "_apps", "_aqlfunctions", "_frontend", "_graphs", "_jobs", "_queues"];

/// The system collections of `_system` alone.
pub(super) const COLLECTIONS_OF_SYSTEM: &[&str] =
    &["_statistics", "_statistics15", "_statisticsRaw", "_users"];

impl Model {
    /// Creates a user with rights on databases: `rw`, `ro` or `none`; `*` names all others.
    ///
    /// The form of the document is that in the documentation of 3.8, "Returns log entries".
    pub fn create_user(&mut self, name: &str, password: &str, rights: &[(&str, &str)]) {
        let salt = format!("{:08x}", self.new_id());
        let digest = Sha256::digest(format!("{salt}{password}"));
        let hash: String = digest.iter().map(|byte| format!("{byte:02x}")).collect();
        let databases: serde_json::Map<String, Value> =
            rights.iter().map(|(database, level)| ((*database).to_owned(), permissions(level))).collect();
        let user = json!({
            "user": name,
            "source": "LOCAL",
            "authData": {"active": true, "simple": {"hash": hash, "salt": salt, "method": "sha256"}},
            "databases": databases,
            "userData": {},
            "configData": {},
        });
        self.passwords.insert(name.to_owned(), password.to_owned());
        self.put(SYSTEM, "_users", user);
    }

    /// Defines a graph of one edge collection between two collections, which must be there.
    pub fn create_graph(&mut self, database: &str, name: &str, edges: &str, from: &str, to: &str) {
        let graph = json!({
            "_key": name,
            "edgeDefinitions": [{"collection": edges, "from": [from], "to": [to]}],
            "orphanCollections": [],
            "numberOfShards": 1,
            "replicationFactor": 1,
            "minReplicationFactor": 1,
        });
        self.put(database, "_graphs", graph);
    }

    /// Defines an Analyzer.
    ///
    /// The form of the document: docs of 3.12, "Analyzers", and dumps of `_analyzers`.
    pub fn create_analyzer(&mut self, database: &str, name: &str, kind: &str, properties: Value) {
        let analyzer = json!({
            "_key": name,
            "name": name,
            "type": kind,
            "properties": properties,
            "revision": 1,
            "features": ["frequency", "norm", "position"],
        });
        self.put(database, "_analyzers", analyzer);
    }

    /// Defines a function of AQL in JavaScript.
    pub fn create_function(&mut self, database: &str, name: &str, code: &str) {
        let function =
            json!({"_key": name.to_uppercase(), "name": name, "code": code, "isDeterministic": true});
        self.put(database, "_aqlfunctions", function);
    }

    /// Returns true if the user may administer the server: `rw` on `_system`.
    pub(crate) fn is_administrator(&self, user: &str) -> bool {
        let users = self.databases.get(SYSTEM).and_then(|system| system.collections.get("_users"));
        let mut documents = users.into_iter().flat_map(|users| users.documents.values());
        documents.any(|document| {
            let may_write = |database: &str| document["databases"][database]["permissions"]["write"] == true;
            let names_system = document["databases"][SYSTEM].is_object();
            document["user"] == user && may_write(if names_system { SYSTEM } else { "*" })
        })
    }
}

fn permissions(level: &str) -> Value {
    let (read, write) = (level != "none", level == "rw");
    let permissions = json!({"read": read, "write": write});
    json!({"permissions": permissions, "collections": {"*": {"permissions": permissions}}})
}
