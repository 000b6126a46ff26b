//! Access levels of users on databases and collections, and how they are resolved.
//!
//! Source of the rules: ArangoDB 3.12 documentation, "Managing Users", section "Permission
//! Resolution".

use std::collections::BTreeMap;

use crate::{READER_COLLECTIONS, SYSTEM_DATABASE};

/// The name that stands for every database or collection without a grant of its own.
pub const WILDCARD: &str = "*";

/// The level of access of a user.
///
/// ArangoDB calls the levels of a database Administrate, Access and No access, and those of a
/// collection Read/Write, Read Only and No access.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum AccessLevel {
    /// No access (`none`).
    None,
    /// Use of a database, or reads of a collection (`ro`).
    ReadOnly,
    /// Administration of a database, or writes to a collection (`rw`).
    ReadWrite,
}

impl AccessLevel {
    /// Returns the level's name in requests and replies.
    pub fn name(self) -> &'static str {
        match self {
            AccessLevel::None => "none",
            AccessLevel::ReadOnly => "ro",
            AccessLevel::ReadWrite => "rw",
        }
    }

    /// Returns the level of a name; `None` for any other text.
    pub fn from_name(name: &str) -> Option<Self> {
        match name {
            "none" => Some(AccessLevel::None),
            "ro" => Some(AccessLevel::ReadOnly),
            "rw" => Some(AccessLevel::ReadWrite),
            _ => None,
        }
    }
}

/// The grants of a user on one database, or on [`WILDCARD`].
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DatabaseRights {
    /// The grant on the database itself, if there is one.
    pub level: Option<AccessLevel>,
    /// The grants on its collections by name, [`WILDCARD`] among them.
    pub collections: BTreeMap<String, AccessLevel>,
}

/// All grants of a user, by database.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Rights {
    /// Grants by database name, [`WILDCARD`] among them.
    pub databases: BTreeMap<String, DatabaseRights>,
}

impl Rights {
    /// Returns the rights of the user `root`: administration and write access everywhere.
    pub fn all() -> Self {
        let mut rights = Rights::default();
        rights.grant_database(WILDCARD, AccessLevel::ReadWrite);
        rights.grant_collection(WILDCARD, WILDCARD, AccessLevel::ReadWrite);
        rights
    }

    /// Adds the grants of other rights. Of two grants on the same name the higher one counts.
    pub fn add(&mut self, other: &Rights) {
        for (name, rights) in &other.databases {
            let own = self.databases.entry(name.clone()).or_default();
            own.level = own.level.max(rights.level);
            for (collection, level) in &rights.collections {
                let known = own.collections.entry(collection.clone()).or_insert(*level);
                *known = (*known).max(*level);
            }
        }
    }

    /// Sets the grant on a database.
    pub fn grant_database(&mut self, database: &str, level: AccessLevel) {
        self.databases.entry(database.to_owned()).or_default().level = Some(level);
    }

    /// Sets the grant on a collection.
    pub fn grant_collection(&mut self, database: &str, collection: &str, level: AccessLevel) {
        let rights = self.databases.entry(database.to_owned()).or_default();
        rights.collections.insert(collection.to_owned(), level);
    }

    /// Revokes the grant on a database and returns true if there was one.
    ///
    /// Grants on its collections stay.
    pub fn revoke_database(&mut self, database: &str) -> bool {
        let Some(rights) = self.databases.get_mut(database) else { return false };
        let had = rights.level.take().is_some();
        self.forget_if_empty(database);
        had
    }

    /// Revokes the grant on a collection and returns true if there was one.
    pub fn revoke_collection(&mut self, database: &str, collection: &str) -> bool {
        let Some(rights) = self.databases.get_mut(database) else { return false };
        let had = rights.collections.remove(collection).is_some();
        self.forget_if_empty(database);
        had
    }

    /// Removes all grants on a database and its collections, for example when the database is
    /// dropped.
    pub fn forget_database(&mut self, database: &str) -> bool {
        self.databases.remove(database).is_some()
    }

    fn forget_if_empty(&mut self, database: &str) {
        let empty =
            self.databases.get(database).is_some_and(|r| r.level.is_none() && r.collections.is_empty());
        if empty {
            self.databases.remove(database);
        }
    }

    fn granted_database(&self, database: &str) -> Option<AccessLevel> {
        self.databases.get(database).and_then(|rights| rights.level)
    }

    fn granted_collection(&self, database: &str, collection: &str) -> Option<AccessLevel> {
        self.databases.get(database).and_then(|rights| rights.collections.get(collection).copied())
    }

    /// Returns the effective level on a database.
    ///
    /// It is the database's own grant, else the higher of the wildcard's and `_system`'s.
    pub fn database_level(&self, database: &str) -> AccessLevel {
        let wildcard = self.granted_database(WILDCARD);
        let system = self.granted_database(SYSTEM_DATABASE);
        self.granted_database(database).or(wildcard.max(system)).unwrap_or(AccessLevel::None)
    }

    /// Returns the effective level on a collection.
    ///
    /// It is the collection's own grant, or else the highest of the grants that cover it. System
    /// collections follow their database, with the exceptions that ArangoDB names.
    pub fn collection_level(&self, database: &str, collection: &str) -> AccessLevel {
        let database_level = self.database_level(database);
        if database_level == AccessLevel::None {
            return AccessLevel::None;
        }
        if READER_COLLECTIONS.contains(&collection) {
            let is_administrator = self.database_level(SYSTEM_DATABASE) == AccessLevel::ReadWrite;
            return if is_administrator { database_level } else { AccessLevel::None };
        }
        if collection.starts_with('_') {
            return system_collection_level(database, collection, database_level);
        }
        if let Some(level) = self.granted_collection(database, collection) {
            return level;
        }
        let covering = [
            self.granted_collection(database, WILDCARD),
            self.granted_collection(WILDCARD, WILDCARD),
            self.granted_database(WILDCARD),
            self.granted_database(SYSTEM_DATABASE),
            Some(database_level),
        ];
        covering.into_iter().flatten().max().unwrap_or(AccessLevel::None)
    }
}

fn system_collection_level(database: &str, collection: &str, database_level: AccessLevel) -> AccessLevel {
    match collection {
        "_users" if database == SYSTEM_DATABASE => AccessLevel::None,
        "_queues" => AccessLevel::ReadOnly,
        "_frontend" => AccessLevel::ReadWrite,
        _ => database_level,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use AccessLevel::{None as NoAccess, ReadOnly, ReadWrite};

    fn database_example() -> Rights {
        let mut rights = Rights::default();
        rights.grant_database("_system", NoAccess);
        rights.grant_database("shop1", ReadWrite);
        rights.grant_database("shop2", NoAccess);
        rights.grant_database(WILDCARD, ReadOnly);
        rights
    }

    #[test]
    fn the_documented_example_of_database_levels() {
        let mut rights = database_example();
        assert_eq!(rights.database_level("_system"), NoAccess);
        assert_eq!(rights.database_level("shop1"), ReadWrite);
        assert_eq!(rights.database_level("shop2"), NoAccess);
        assert_eq!(rights.database_level("something"), ReadOnly);
        rights.grant_database(WILDCARD, NoAccess);
        assert_eq!(rights.database_level("something"), NoAccess);
        rights.grant_database("_system", ReadWrite);
        assert_eq!(rights.database_level("something"), ReadWrite);
        assert_eq!(rights.database_level("shop2"), NoAccess);
    }

    #[test]
    fn the_first_documented_example_of_collection_levels() {
        let mut rights = Rights::default();
        rights.grant_database("_system", NoAccess);
        rights.grant_database(WILDCARD, ReadOnly);
        rights.grant_collection(WILDCARD, WILDCARD, ReadWrite);
        rights.grant_collection("shop1", "products", ReadOnly);
        rights.grant_collection("shop1", WILDCARD, NoAccess);
        rights.grant_collection("shop2", "reviews", NoAccess);
        assert_eq!(rights.collection_level("shop1", "products"), ReadOnly);
        assert_eq!(rights.collection_level("shop1", "customers"), ReadWrite);
        assert_eq!(rights.collection_level("shop2", "reviews"), NoAccess);
    }

    #[test]
    fn the_second_documented_example_of_collection_levels() {
        let mut rights = Rights::default();
        rights.grant_database("_system", ReadOnly);
        rights.grant_database("shop2", ReadWrite);
        rights.grant_database(WILDCARD, NoAccess);
        rights.grant_collection("shop1", "customers", NoAccess);
        rights.grant_collection("shop1", WILDCARD, NoAccess);
        assert_eq!(rights.collection_level("shop1", "products"), ReadOnly);
        assert_eq!(rights.collection_level("shop1", "customers"), NoAccess);
        assert_eq!(rights.collection_level("shop2", "reviews"), ReadWrite);
    }

    #[test]
    fn system_collections_follow_their_database() {
        let rights = Rights::all();
        assert_eq!(rights.collection_level("_system", "_users"), NoAccess);
        assert_eq!(rights.collection_level("shop", "_queues"), ReadOnly);
        assert_eq!(rights.collection_level("shop", "_graphs"), ReadWrite);
        let mut reader = Rights::default();
        reader.grant_database("shop", ReadOnly);
        reader.grant_collection("shop", "_graphs", ReadWrite);
        assert_eq!(reader.collection_level("shop", "_graphs"), ReadOnly);
        assert_eq!(reader.collection_level("shop", "_frontend"), ReadWrite);
        assert_eq!(reader.collection_level("other", "_frontend"), NoAccess);
    }

    #[test]
    fn only_administrators_see_what_belongs_to_single_users() {
        let mut rights = Rights::default();
        rights.grant_database("shop", ReadWrite);
        rights.grant_database(SYSTEM_DATABASE, ReadOnly);
        for name in READER_COLLECTIONS {
            rights.grant_collection("shop", name, ReadWrite);
            assert_eq!(rights.collection_level("shop", name), NoAccess);
        }
        rights.grant_database(SYSTEM_DATABASE, ReadWrite);
        assert_eq!(rights.collection_level("shop", "_webhooks"), ReadWrite);
    }

    #[test]
    fn of_two_grants_on_a_name_the_higher_one_counts() {
        let mut rights = Rights::default();
        rights.grant_database("shop", ReadOnly);
        rights.grant_collection("shop", "a", ReadWrite);
        let mut other = Rights::default();
        other.grant_database("shop", ReadWrite);
        other.grant_collection("shop", "a", NoAccess);
        other.grant_database("hr", NoAccess);
        other.grant_database(WILDCARD, ReadWrite);
        rights.add(&other);
        assert_eq!(rights.database_level("shop"), ReadWrite);
        assert_eq!(rights.collection_level("shop", "a"), ReadWrite);
        assert_eq!(rights.database_level("hr"), NoAccess, "a named grant counts before the wildcard");
    }

    #[test]
    fn a_revoked_grant_leaves_nothing_behind() {
        let mut rights = Rights::default();
        rights.grant_collection("shop", "products", ReadOnly);
        assert!(!rights.revoke_database("shop"));
        assert!(rights.revoke_collection("shop", "products"));
        assert!(!rights.revoke_collection("shop", "products"));
        assert_eq!(rights, Rights::default());
    }
}
