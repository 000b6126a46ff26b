//! Management of users, with checks of rights. The layer above hashes the passwords.

use std::sync::Arc;

use catalog::{AccessLevel, UserDefinition};
use errors::{Error, ErrorCode, Result};
use velocypack::{MergeOptions, Slice};

use crate::session::{Identity, Session};

/// Maximum number of grants of one user. A longer list is a mistake or an attack.
const GRANTS_MAX: usize = 100_000;
/// The user that always has all rights.
const ROOT: &str = "root";

/// The changes of a user; `None` leaves a value as it is.
#[derive(Debug, Default)]
pub struct UserChanges<'a> {
    /// The new password's hash.
    pub password_hash: Option<String>,
    /// True if the user may log in.
    pub active: Option<bool>,
    /// An object for the use of clients only.
    pub extra: Option<Slice<'a>>,
    /// The names of roles, an array. Only administrators may set them.
    pub roles: Option<Slice<'a>>,
}

impl UserChanges<'_> {
    /// Returns a new user with these properties. Errors: 10.
    pub fn into_user(self, name: &str) -> Result<UserDefinition> {
        let mut user = UserDefinition::new(name, self.password_hash.unwrap_or_default());
        user.active = self.active.unwrap_or(true);
        self.extra.map(|extra| user.set_extra(extra)).transpose()?;
        self.roles.map(|roles| user.set_roles(roles)).transpose()?;
        Ok(user)
    }
}

/// The object of a grant: a database or a collection.
#[derive(Clone, Copy, Debug)]
pub struct Grant<'a> {
    /// The database, or the wildcard.
    pub database: &'a str,
    /// A collection of the database, or the wildcard; `None` for the database itself.
    pub collection: Option<&'a str>,
}

impl Session {
    /// Returns the users that the user may see: all of them, or only the user's own entry.
    pub fn users(&self) -> Vec<Arc<UserDefinition>> {
        let catalog = self.catalog();
        match (self.user(), self.require_administrator()) {
            (Some(own), Err(_)) if let Some(user) = self.external_user(own) => vec![user],
            (Some(own), Err(_)) => catalog.user(own).into_iter().cloned().collect(),
            _ => catalog.users().cloned().collect(),
        }
    }

    /// Returns a user, also one of an issuer if it is the session's own.
    ///
    /// Errors: 1703, and 11 for anyone but an administrator and the user.
    pub fn find_user(&self, name: &str) -> Result<Arc<UserDefinition>> {
        self.require_self_or_administrator(name)?;
        let user = self.external_user(name).or_else(|| self.catalog().user(name).cloned());
        user.ok_or_else(user_not_found)
    }

    /// Returns a description of the session's own user, if an issuer of OpenID Connect identifies
    /// it.
    fn external_user(&self, name: &str) -> Option<Arc<UserDefinition>> {
        match self.identity() {
            Identity::External(user) if *user.name == *name => user.described().ok().map(Arc::new),
            _ => None,
        }
    }

    /// Creates a user without rights. Errors: 1700, 1702, 10, 11.
    pub fn create_user(&self, name: &str, changes: UserChanges<'_>) -> Result<Arc<UserDefinition>> {
        self.require_administrator()?;
        self.instance().store().create_user(changes.into_user(name)?)?;
        self.find_user(name)
    }

    /// Gives an existing user the right to administer a database. Errors: 1703.
    pub fn grant_database(&self, user: &str, database: &str) -> Result<()> {
        self.require_administrator()?;
        let store = self.instance().store();
        store.change_user(user, |user| {
            user.rights.grant_database(database, AccessLevel::ReadWrite);
            Ok(())
        })
    }

    /// Creates a user who may administer a database. An existing user with this name is kept and
    /// gets the right.
    pub fn create_user_of(&self, database: &str, mut user: UserDefinition) -> Result<()> {
        self.require_administrator()?;
        let name = user.name.clone();
        user.rights.grant_database(database, AccessLevel::ReadWrite);
        match self.instance().store().create_user(user) {
            Err(error) if error.code() == ErrorCode::UserDuplicate => self.grant_database(&name, database),
            created => created,
        }
    }

    /// Changes a user; `extra` is merged with the stored object. Errors: 1703, 10, 11.
    pub fn update_user(&self, name: &str, changes: UserChanges<'_>) -> Result<Arc<UserDefinition>> {
        self.require_self_or_administrator(name)?;
        self.check_may_set_roles(&changes)?;
        self.instance().store().change_user(name, move |user| {
            changes.roles.map(|roles| user.set_roles(roles)).transpose()?;
            if let Some(extra) = changes.extra {
                let options = MergeOptions { keep_null: true, merge_objects: true };
                let mut merged = Vec::new();
                velocypack::merge(Slice::new(&user.extra), extra, options, &mut merged)?;
                user.set_extra(Slice::new(&merged))?;
            }
            user.active = changes.active.unwrap_or(user.active);
            if let Some(hash) = &changes.password_hash {
                user.password_hash.clone_from(hash);
            }
            Ok(())
        })?;
        self.find_user(name)
    }

    /// Replaces a user's data.
    ///
    /// Rights are reset, as in ArangoDB. Roles stay unless they are given. The rights of `root`
    /// stay, because otherwise no one could administer the server. Errors: 1703, 10, 11.
    pub fn replace_user(&self, name: &str, changes: UserChanges<'_>) -> Result<Arc<UserDefinition>> {
        self.require_self_or_administrator(name)?;
        self.check_may_set_roles(&changes)?;
        self.instance().store().change_user(name, move |user| {
            let mut new = UserDefinition::new(name, changes.password_hash.clone().unwrap_or_default());
            new.active = changes.active.unwrap_or(true);
            changes.extra.map(|extra| new.set_extra(extra)).transpose()?;
            if name == ROOT {
                new.rights = user.rights.clone();
            }
            new.roles = user.roles.clone();
            changes.roles.map(|roles| new.set_roles(roles)).transpose()?;
            new.tokens = user.tokens.clone();
            new.sessions = user.sessions.clone();
            *user = new;
            Ok(())
        })?;
        self.catalog().user(name).cloned().ok_or_else(user_not_found)
    }

    /// Checks that changes with roles come from an administrator. Errors: 11.
    fn check_may_set_roles(&self, changes: &UserChanges<'_>) -> Result<()> {
        if changes.roles.is_some() { self.require_administrator() } else { Ok(()) }
    }

    /// Removes a user. Errors: 1703, 11 also for `root`.
    pub fn remove_user(&self, name: &str) -> Result<()> {
        self.require_administrator()?;
        if name == ROOT {
            return Err(Error::new(ErrorCode::Forbidden, "forbidden: the user 'root' cannot be removed"));
        }
        self.instance().store().remove_user(name)
    }

    /// Gives a user a level on a database or collection; `None` revokes the grant. Errors: 1703,
    /// 32, 11.
    pub fn grant(&self, name: &str, grant: Grant<'_>, level: Option<AccessLevel>) -> Result<()> {
        self.require_administrator()?;
        let Grant { database, collection } = grant;
        self.instance().store().change_user(name, |user| {
            let rights = &mut user.rights;
            match (collection, level) {
                (None, Some(level)) => rights.grant_database(database, level),
                (Some(collection), Some(level)) => rights.grant_collection(database, collection, level),
                (None, None) => drop(rights.revoke_database(database)),
                (Some(collection), None) => drop(rights.revoke_collection(database, collection)),
            }
            let grants: usize = rights.databases.values().map(|rights| 1 + rights.collections.len()).sum();
            if grants > GRANTS_MAX {
                let message = format!("resource limit exceeded: a user can have at most {GRANTS_MAX} grants");
                return Err(Error::new(ErrorCode::ResourceLimit, message));
            }
            Ok(())
        })
    }

    /// Returns the value that clients stored for a user under a key, if any. Errors: 1703, 11.
    pub fn user_setting(&self, name: &str, key: &str) -> Result<Option<Vec<u8>>> {
        let user = self.find_user(name)?;
        Ok(Slice::new(&user.config).get(key).map(|value| value.bytes().to_vec()))
    }

    /// Stores a value for clients under a key, or removes it (`None`). Without a key, removes all
    /// values.
    ///
    /// Errors: 1703, 10, 11.
    pub fn set_user_setting(&self, name: &str, key: Option<&str>, value: Option<Slice<'_>>) -> Result<()> {
        self.require_self_or_administrator(name)?;
        self.instance().store().change_user(name, |user| user.set_config(key, value))
    }

    fn require_self_or_administrator(&self, name: &str) -> Result<()> {
        match self.user() {
            Some(own) if **own == *name => Ok(()),
            _ => self.require_administrator(),
        }
    }
}

fn user_not_found() -> Error {
    Error::of(ErrorCode::UserNotFound)
}
