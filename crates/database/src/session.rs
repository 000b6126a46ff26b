//! A session: one database seen by one user. Every request works through one; rights are checked here and nowhere else.

use std::sync::Arc;

use aql_value::Interrupt;
use catalog::{AccessLevel, SYSTEM_DATABASE};
use storage::{Catalog, Collection, Database};

use crate::cursor::CursorOwner;
use crate::instance::Instance;
use crate::{Error, ErrorCode, Result};

/// Who makes a request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Identity {
    /// Authentication is off, or the request carries a token signed for the server itself: everything is allowed.
    Superuser,
    /// A user of the catalog.
    User(Arc<str>),
}

/// One database seen by one user.
#[derive(Clone)]
pub struct Session {
    instance: Arc<Instance>,
    database: Arc<str>,
    identity: Identity,
    /// Ends the queries of this session, all at once.
    interrupt: Option<Interrupt>,
}

impl Session {
    /// Opens a database for a user. Errors: 11 when the user may not see it (whether or not it is there: who may not
    /// see databases is not told which there are), 1228 when there is no such database.
    pub fn open(instance: Arc<Instance>, database: &str, identity: Identity) -> Result<Self> {
        let session = Session { instance, database: database.into(), identity, interrupt: None };
        session.require_database(AccessLevel::ReadOnly)?;
        let catalog = session.catalog();
        session.database_in(&catalog)?;
        Ok(session)
    }

    /// Opens `_system` for a user who may have no right to it, for what the user may do all the same.
    pub fn of_system(instance: Arc<Instance>, identity: Identity) -> Self {
        Session { instance, database: SYSTEM_DATABASE.into(), identity, interrupt: None }
    }

    /// The same session, whose queries end when `interrupt` is killed.
    pub fn ended_by(self, interrupt: Interrupt) -> Self {
        Session { interrupt: Some(interrupt), ..self }
    }

    /// What ends the queries of this session from outside, if anything does.
    pub(crate) fn interrupt(&self) -> Option<&Interrupt> {
        self.interrupt.as_ref()
    }

    /// The server's shared state.
    pub fn instance(&self) -> &Arc<Instance> {
        &self.instance
    }

    /// The database's name.
    pub fn database_name(&self) -> &Arc<str> {
        &self.database
    }

    /// Whether the database is `_system`.
    pub fn is_system_database(&self) -> bool {
        *self.database == *SYSTEM_DATABASE
    }

    /// Who works through it.
    pub fn identity(&self) -> &Identity {
        &self.identity
    }

    /// The user's name; `None` for a superuser.
    pub fn user(&self) -> Option<&Arc<str>> {
        match &self.identity {
            Identity::Superuser => None,
            Identity::User(name) => Some(name),
        }
    }

    /// Who the cursors of this session belong to.
    pub fn cursor_owner(&self) -> CursorOwner {
        CursorOwner { database: Arc::clone(&self.database), user: self.user().cloned() }
    }

    /// The catalog as it is now.
    pub fn catalog(&self) -> Arc<Catalog> {
        self.instance.store.catalog()
    }

    /// This session's database in a catalog. Error 1228 when it was dropped.
    pub fn database_in<'a>(&self, catalog: &'a Catalog) -> Result<&'a Arc<Database>> {
        catalog.database(&self.database).ok_or_else(|| {
            Error::new(ErrorCode::DatabaseNotFound, format!("database not found: {}", self.database))
        })
    }

    /// The session's database as a query may see it that skips what its user may not read: that is hidden. Errors: 1228.
    pub(crate) fn readable_database_in(&self, catalog: &Catalog) -> Result<Arc<Database>> {
        let is_hidden = |collection: &Collection| {
            self.require_collection(collection.name(), AccessLevel::ReadOnly).is_err()
        };
        Ok(Arc::new(self.database_in(catalog)?.hiding(is_hidden)?))
    }

    /// A collection by name or number, if the user may do with it what `level` says. Errors: 1203, 11, 1228.
    pub fn collection(&self, name_or_id: &str, level: AccessLevel) -> Result<Arc<Collection>> {
        let catalog = self.catalog();
        let collection = self.database_in(&catalog)?.require_collection(name_or_id)?;
        self.require_collection(collection.name(), level)?;
        Ok(Arc::clone(collection))
    }

    /// A collection by name or number, if the user may write its documents. Errors: 1203, 11, 1004, 1228.
    pub fn writable_collection(&self, name_or_id: &str) -> Result<Arc<Collection>> {
        let catalog = self.catalog();
        let collection = self.database_in(&catalog)?.require_collection(name_or_id)?;
        self.require_writable(collection.name())?;
        Ok(Arc::clone(collection))
    }

    /// Error 11 unless the user's right to the database is at least `level`.
    pub fn require_database(&self, level: AccessLevel) -> Result<()> {
        if self.level(|rights| rights.database_level(&self.database)) >= level {
            return Ok(());
        }
        Err(Error::new(
            ErrorCode::Forbidden,
            format!("forbidden: no {} access to database '{}'", level.name(), self.database),
        ))
    }

    /// Error 11 unless the user's right to a collection of the database is at least `level`.
    pub fn require_collection(&self, name: &str, level: AccessLevel) -> Result<()> {
        if self.level(|rights| rights.collection_level(&self.database, name)) >= level {
            return Ok(());
        }
        Err(Error::new(
            ErrorCode::Forbidden,
            format!("forbidden: no {} access to collection '{name}'", level.name()),
        ))
    }

    /// Error 1004 if the user may only read the documents of a collection, 11 if not even that.
    pub fn require_writable(&self, name: &str) -> Result<()> {
        match self.level(|rights| rights.collection_level(&self.database, name)) {
            AccessLevel::ReadOnly => Err(Error::new(
                ErrorCode::ReadOnly,
                format!("read only: no rw access to collection '{name}'"),
            )),
            _ => self.require_collection(name, AccessLevel::ReadWrite),
        }
    }

    /// Error 11 unless the user may administer the server: write access to `_system`.
    pub fn require_administrator(&self) -> Result<()> {
        if self.level(|rights| rights.database_level(SYSTEM_DATABASE)) >= AccessLevel::ReadWrite {
            return Ok(());
        }
        Err(Error::new(ErrorCode::Forbidden, "forbidden: this needs write access to the database '_system'"))
    }

    fn level(&self, of: impl Fn(&catalog::Rights) -> AccessLevel) -> AccessLevel {
        match &self.identity {
            Identity::Superuser => AccessLevel::ReadWrite,
            // A user who was removed since has no rights.
            Identity::User(name) => {
                self.catalog().user(name).map_or(AccessLevel::None, |user| of(&user.rights))
            }
        }
    }
}
