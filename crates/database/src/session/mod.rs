//! Sessions: one database seen by one user. Every request works through a session, which checks all
//! rights.

mod identity;
mod cursors;
mod edge_indexes;
mod listed_work;
mod restrictions;

use std::sync::Arc;

use aql_value::{Interrupt, MemoryAccount};
use catalog::{AccessLevel, SYSTEM_DATABASE};
use errors::{Error, ErrorCode, Result};
use storage::{Catalog, Collection, CollectionUsage, Database, UsageCounts};
use traces::Trace;

use crate::base::Owner;
use crate::instance::Instance;

pub use self::identity::{ExternalIdentity, Identity};
pub(crate) use self::listed_work::ListedWork;

/// The collections with the programs of services, which see all documents.
const SERVICE_COLLECTIONS: [&str; 2] = ["_apps", "_appbundles"];

/// One database seen by one user.
#[derive(Clone)]
pub struct Session {
    instance: Arc<Instance>,
    database: Arc<str>,
    identity: Identity,
    /// The name that the client gives while authentication is off.
    claimed_name: Option<Arc<str>>,
    /// The interrupt that ends all queries of this session.
    interrupt: Option<Interrupt>,
    /// The number of the stream transaction that the session works in.
    transaction: Option<u64>,
    /// Reads outside of stream transactions may be answered by any replica of the data.
    reads_replicas: bool,
    /// The traced request that the session works for.
    trace: Option<Trace>,
}

impl Session {
    /// Opens a database for a user.
    ///
    /// Errors: 11 if the user may not see the database, 1228 if it does not exist. A user who may
    /// not see a database cannot find out whether it exists.
    pub fn open(instance: Arc<Instance>, database: &str, identity: Identity) -> Result<Self> {
        let session = Session {
            instance,
            database: database.into(),
            identity,
            claimed_name: None,
            interrupt: None,
            transaction: None,
            reads_replicas: false,
            trace: None,
        };
        session.require_database(AccessLevel::ReadOnly)?;
        let catalog = session.catalog();
        session.database_in(&catalog)?;
        Ok(session)
    }

    /// Opens `_system` for a user who may have no right to it, for operations that need none.
    pub fn of_system(instance: Arc<Instance>, identity: Identity) -> Self {
        Session {
            instance,
            database: SYSTEM_DATABASE.into(),
            identity,
            claimed_name: None,
            interrupt: None,
            transaction: None,
            reads_replicas: false,
            trace: None,
        }
    }

    /// Returns the session with queries that end when `interrupt` is killed.
    pub fn ended_by(self, interrupt: Interrupt) -> Self {
        Session { interrupt: Some(interrupt), ..self }
    }

    /// Returns the session with the rights of the server itself.
    pub fn as_server(self) -> Self {
        Session { identity: Identity::Superuser, ..self }
    }

    /// Returns a session whose reads and writes of documents are a part of a stream transaction.
    ///
    /// The transaction is looked up when it is first used.
    pub fn within(self, transaction: u64) -> Self {
        Session { transaction: Some(transaction), ..self }
    }

    /// Returns a session whose reads may be answered by any replica of the data, and may miss the
    /// last commits. It has no effect on writes, nor within a stream transaction, which has settled
    /// that at its beginning.
    pub fn reading_replicas(self) -> Self {
        Session { reads_replicas: true, ..self }
    }

    /// Returns true if reads outside of stream transactions may be answered by any replica.
    pub(crate) fn reads_replicas(&self) -> bool {
        self.reads_replicas
    }

    /// Returns the session with the name that its client gives while authentication is off. It has
    /// no rights and owns nothing.
    pub fn claimed_by(self, claimed_name: Option<Arc<str>>) -> Self {
        Session { claimed_name, ..self }
    }

    /// Returns the result of `CURRENT_USER()`: the user, or without authentication the name that
    /// the client gives.
    pub(crate) fn current_user(&self) -> Option<&Arc<str>> {
        self.identity.person().or(self.claimed_name.as_ref())
    }

    /// Returns the session with queries that are parts of a traced request.
    pub fn traced(self, trace: Option<Trace>) -> Self {
        Session { trace, ..self }
    }

    /// Returns the traced request that the session works for.
    pub fn trace(&self) -> Option<&Trace> {
        self.trace.as_ref()
    }

    /// Returns the number of the stream transaction that the session works in.
    pub fn transaction_id(&self) -> Option<u64> {
        self.transaction
    }

    /// Returns the interrupt that ends the queries of this session, if there is one.
    pub fn interrupt(&self) -> Option<&Interrupt> {
        self.interrupt.as_ref()
    }

    /// Returns a new interrupt for a part of the session's work.
    pub fn part_interrupt(&self) -> Interrupt {
        match &self.interrupt {
            Some(whole) => Interrupt::new().part_of(whole),
            None => Interrupt::new(),
        }
    }

    /// Returns the server's shared state.
    pub fn instance(&self) -> &Arc<Instance> {
        &self.instance
    }

    /// Checks that the server accepts work. Errors: 30 while it stops.
    pub(crate) fn check_running(&self) -> Result<()> {
        if self.instance.is_stopping() { Err(Error::of(ErrorCode::ShuttingDown)) } else { Ok(()) }
    }

    /// Returns the database's name.
    pub fn database_name(&self) -> &Arc<str> {
        &self.database
    }

    /// Returns true if the database is `_system`.
    pub fn is_system_database(&self) -> bool {
        *self.database == *SYSTEM_DATABASE
    }

    /// Returns the identity of the client.
    pub fn identity(&self) -> &Identity {
        &self.identity
    }

    /// Returns the user's name, or the one that stands for services; `None` for a superuser.
    pub fn user(&self) -> Option<&Arc<str>> {
        self.identity.name()
    }

    /// Returns the account that the work of this session's user is charged to.
    pub fn work_memory(&self) -> Arc<MemoryAccount> {
        self.instance.memory_of(self.user())
    }

    /// Returns the counts that the requests of this session add to; `None` if nothing is counted,
    /// and for the server's own work.
    pub(crate) fn usage(&self) -> Option<Arc<dyn UsageCounts>> {
        let user = self.identity.name().or(self.claimed_name.as_ref())?;
        self.instance.usage.of_user(&self.database, user)
    }

    /// Returns the counts of this session's requests on a collection; `None` if nothing is counted.
    pub(crate) fn usage_of(&self, collection: &Collection) -> Option<Arc<CollectionUsage>> {
        Some(self.usage()?.of(collection.id(), collection.shared_name()))
    }

    /// Returns the owner of the cursors and transactions of this session.
    pub fn owner(&self) -> Owner {
        Owner { database: Arc::clone(&self.database), user: self.user().cloned() }
    }

    /// Returns the current catalog.
    pub fn catalog(&self) -> Arc<Catalog> {
        self.instance.store.catalog()
    }

    /// Returns this session's database in a catalog. Errors: 1228 if it was dropped.
    pub fn database_in<'a>(&self, catalog: &'a Catalog) -> Result<&'a Arc<Database>> {
        catalog.database(&self.database).ok_or_else(|| {
            Error::new(ErrorCode::DatabaseNotFound, format!("database not found: {}", self.database))
        })
    }

    /// Returns the session's database without the collections that its user may not read. Errors:
    /// 1228.
    pub(crate) fn readable_database_in(&self, catalog: &Catalog) -> Result<Arc<Database>> {
        let is_hidden = |collection: &Collection| {
            self.require_collection(collection.name(), AccessLevel::ReadOnly).is_err()
        };
        Ok(Arc::new(self.database_in(catalog)?.hiding(is_hidden)?))
    }

    /// Returns a collection by name or number, if the user has `level` on it.
    ///
    /// Errors: 1203, 11, 1228, those of [`Session::data_catalog`].
    pub fn collection(&self, name_or_id: &str, level: AccessLevel) -> Result<Arc<Collection>> {
        let catalog = self.data_catalog()?;
        let collection = self.database_in(&catalog)?.require_collection(name_or_id)?;
        self.require_collection(collection.name(), level)?;
        Ok(Arc::clone(collection))
    }

    /// Returns a collection by name or number, if the user may write its documents.
    ///
    /// Errors: 1203, 11, 1004, 1228, those of [`Session::data_catalog`].
    pub fn writable_collection(&self, name_or_id: &str) -> Result<Arc<Collection>> {
        let catalog = self.data_catalog()?;
        let collection = self.database_in(&catalog)?.require_collection(name_or_id)?;
        self.require_writable(collection.name())?;
        Ok(Arc::clone(collection))
    }

    /// Checks that the user has at least `level` on the database. Errors: 11.
    pub fn require_database(&self, level: AccessLevel) -> Result<()> {
        if self.level(|rights| rights.database_level(&self.database)) >= level {
            return Ok(());
        }
        Err(Error::new(
            ErrorCode::Forbidden,
            format!("forbidden: no {} access to database '{}'", level.name(), self.database),
        ))
    }

    /// Checks that the user has at least `level` on a collection of the database. Errors: 11.
    pub fn require_collection(&self, name: &str, level: AccessLevel) -> Result<()> {
        if self.level(|rights| rights.collection_level(&self.database, name)) >= level {
            return Ok(());
        }
        Err(Error::new(
            ErrorCode::Forbidden,
            format!("forbidden: no {} access to collection '{name}'", level.name()),
        ))
    }

    /// Checks that the user may write the documents of a collection.
    ///
    /// Errors: 1004 if the user may only read them, 11 if not even that.
    pub fn require_writable(&self, name: &str) -> Result<()> {
        if SERVICE_COLLECTIONS.contains(&name) {
            self.require_unrestricted_database("a service")?;
        }
        match self.level(|rights| rights.collection_level(&self.database, name)) {
            AccessLevel::ReadOnly => Err(Error::new(
                ErrorCode::ReadOnly,
                format!("read only: no rw access to collection '{name}'"),
            )),
            _ => self.require_collection(name, AccessLevel::ReadWrite),
        }
    }

    /// Returns true if the user may use a database.
    pub fn may_use_database(&self, name: &str) -> bool {
        self.level(|rights| rights.database_level(name)) > AccessLevel::None
    }

    /// Checks that the user is one of this server, for work that outlives the token of another
    /// issuer. Errors: 11.
    pub(crate) fn require_local_user(&self, work: &str) -> Result<()> {
        let Identity::External(user) = &self.identity else { return Ok(()) };
        let message = format!(
            "forbidden: {work} outlives the token of '{}', whom {} identifies; a user of this server must \
             make it",
            user.name, user.issuer
        );
        Err(Error::new(ErrorCode::Forbidden, message))
    }

    /// Checks that the user may administer the server, by write access to `_system`. Errors: 11.
    pub fn require_administrator(&self) -> Result<()> {
        if self.level(|rights| rights.database_level(SYSTEM_DATABASE)) >= AccessLevel::ReadWrite {
            return Ok(());
        }
        Err(Error::new(ErrorCode::Forbidden, "forbidden: this needs write access to the database '_system'"))
    }

    /// Checks that the user may see the server's internals, which the option `harden` keeps from
    /// all but administrators. Errors: 11.
    pub fn require_insight(&self) -> Result<()> {
        match self.instance().options().harden {
            true => self.require_administrator(),
            false => Ok(()),
        }
    }

    pub(crate) fn level(&self, of: impl Fn(&catalog::Rights) -> AccessLevel) -> AccessLevel {
        match &self.identity {
            Identity::Superuser => AccessLevel::ReadWrite,
            Identity::Services(services) => of(services.rights()),
            Identity::External(user) => of(&user.rights),
            // A user who was removed since then has no rights.
            Identity::User(name) => {
                self.catalog().user(name).map_or(AccessLevel::None, |user| of(&user.rights))
            }
        }
    }
}
