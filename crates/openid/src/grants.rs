//! The grants of an issuer's rules.

use std::collections::{BTreeMap, BTreeSet};

/// The level of access to a database or a collection.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Level {
    /// No access, whatever the wildcard grants.
    None,
    /// Use of a database, or reads of a collection.
    ReadOnly,
    /// Administration of a database, or writes to a collection.
    ReadWrite,
}

impl Level {
    /// Returns the level with a name: `none`, `ro` or `rw`.
    pub fn from_name(name: &str) -> Option<Self> {
        match name {
            "none" => Some(Level::None),
            "ro" => Some(Level::ReadOnly),
            "rw" => Some(Level::ReadWrite),
            _ => None,
        }
    }
}

/// The grants on one database, or on `*`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DatabaseGrant {
    /// The grant on the database itself, if there is one.
    pub level: Option<Level>,
    /// The grants on its collections by name, `*` among them.
    pub collections: BTreeMap<String, Level>,
}

/// Everything that a token's owner gets.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Grants {
    /// Grants by the name of the database, `*` among them.
    pub databases: BTreeMap<String, DatabaseGrant>,
    /// Names of roles.
    pub roles: BTreeSet<String>,
    /// Local users, whose rights are added.
    pub users: BTreeSet<String>,
}

impl Grants {
    /// Adds other grants. Of two grants on the same name the higher one counts.
    pub(crate) fn add(&mut self, other: &Grants) {
        for (name, grant) in &other.databases {
            let own = self.databases.entry(name.clone()).or_default();
            own.level = own.level.max(grant.level);
            for (collection, level) in &grant.collections {
                let known = own.collections.entry(collection.clone()).or_insert(*level);
                *known = (*known).max(*level);
            }
        }
        self.roles.extend(other.roles.iter().cloned());
        self.users.extend(other.users.iter().cloned());
    }
}
