//! The data of the server, and the log of what changed them.

mod log;
mod revision;
mod state;
mod system;
mod definitions;
mod documents;

use std::collections::BTreeMap;

use serde_json::Value;

use log::Log;
use revision::Clock;

pub(crate) use documents::OpenTransaction;
pub use documents::TransactionId;
pub(crate) use log::Part;
pub(crate) use state::{Collection, Database};

/// The database that is always there.
pub(crate) const SYSTEM: &str = "_system";

/// The version that the server says.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Version {
    /// A version that is older than those which a reader knows.
    V39,
    /// ArangoDB 3.10.
    V310,
    /// ArangoDB 3.11.
    V311,
    /// ArangoDB 3.12.
    V312,
    /// A version that is newer than those which a reader knows.
    V40,
}

impl Version {
    /// Returns the number that the server answers.
    pub fn number(self) -> &'static str {
        match self {
            Version::V39 => "3.9.12",
            Version::V310 => "3.10.14",
            Version::V311 => "3.11.14",
            Version::V312 => "3.12.4",
            Version::V40 => "4.0.1",
        }
    }
}

/// The role of the server.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// A single server.
    Single,
    /// A Coordinator of a cluster, which has no log.
    Coordinator,
}

/// All databases and the log.
#[derive(Clone, Debug)]
pub struct Model {
    pub(crate) version: Version,
    pub(crate) role: Role,
    pub(crate) is_read_only: bool,
    pub(crate) server_id: u64,
    pub(crate) databases: BTreeMap<String, Database>,
    pub(crate) log: Log,
    /// Maximum bytes of a part of the log, whatever the reader asks for.
    pub(crate) max_part_bytes: u64,
    /// Transactions that have begun and not ended.
    open: BTreeMap<u64, OpenTransaction>,
    /// The passwords of users, whose documents have only hashes.
    pub(crate) passwords: BTreeMap<String, String>,
    clock: Clock,
    last_id: u64,
}

impl Model {
    /// Returns a server with the database `_system` and the user `root`, whose password is
    /// `secret`.
    pub(crate) fn new(version: Version) -> Self {
        let mut model = Model {
            version,
            role: Role::Single,
            is_read_only: false,
            server_id: 212_083_120_612_276,
            databases: BTreeMap::new(),
            log: Log::default(),
            max_part_bytes: u64::MAX,
            open: BTreeMap::new(),
            passwords: BTreeMap::new(),
            clock: Clock::default(),
            last_id: 100,
        };
        model.add_database(SYSTEM);
        model.create_user("root", "secret", &[("*", "rw")]);
        model
    }

    /// Makes the server a Coordinator, or a single server again.
    pub fn set_role(&mut self, role: Role) {
        self.role = role;
    }

    /// Sets the mode, as `PUT /_admin/server/mode` does.
    pub fn set_read_only(&mut self, is_read_only: bool) {
        self.is_read_only = is_read_only;
    }

    /// Returns true in read-only mode.
    pub fn is_read_only(&self) -> bool {
        self.is_read_only
    }

    /// Removes the log up to now: a reader that was further behind finds a gap.
    pub fn forget_log(&mut self) {
        self.log.forget();
    }

    /// Limits the parts of the log, whatever the reader asks for: it may then end anywhere.
    pub fn limit_parts(&mut self, bytes: u64) {
        self.max_part_bytes = bytes;
    }

    /// Returns the last tick of the log.
    pub fn last_tick(&self) -> u64 {
        self.log.last()
    }

    /// Appends an entry of any form to the log.
    pub fn log_entry(&mut self, kind: u64, database: &str, fields: Value) {
        self.log.append(kind, database, fields);
    }

    /// Returns the names of databases.
    pub fn databases(&self) -> Vec<String> {
        self.databases.keys().cloned().collect()
    }

    /// Returns a new number of an object. They are not the ticks of the log.
    fn new_id(&mut self) -> u64 {
        self.last_id += 3;
        self.last_id
    }

    fn unique_id(&self, id: u64) -> String {
        format!("h{:X}/{id}", self.server_id)
    }
}
