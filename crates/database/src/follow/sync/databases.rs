//! The databases of a synchronization, one after another.

use std::sync::Arc;

use errors::{Error, ErrorCode, Result};
use replication_client::Snapshot;
use storage::Database;
use velocypack::Slice;

use super::super::described::{Described, described, take_analyzers};
use super::super::failure::of_source;
use super::super::restored_views;
use super::collections::Collections;
use super::options::Restriction;
use super::synchronization::Synchronization;
use crate::session::{Identity, Session};

impl Synchronization<'_> {
    /// Copies all databases of the other server, or the one that the options name to the session's.
    /// Returns true if nothing here is not there, so that the log can be applied.
    ///
    /// Errors: those of requests and writes.
    pub(super) fn run(&self) -> Result<bool> {
        if let [there] = self.options.source.databases.as_slice() {
            let own = self.session.database_name().to_string();
            return Ok(self.database(there, &own)? && *there == own);
        }
        let mut names = self.source.databases().map_err(|error| of_source(&error))?;
        // Its users and Analyzers come first.
        names.sort_by_key(|name| name != catalog::SYSTEM_DATABASE);
        let mut is_equal = true;
        for name in &names {
            is_equal &= self.database(name, name)?;
        }
        let own = self.session.catalog();
        Ok(is_equal && own.databases().all(|database| names.iter().any(|name| name == database.name())))
    }

    /// Copies a database. Returns true if it has nothing that is not there.
    fn database(&self, there: &str, here: &str) -> Result<bool> {
        self.check()?;
        let failed = |error: client::Error| of_source(&error);
        let client = self.source.client().with_database(there).map_err(failed)?;
        let warn = |error: &client::Error| {
            tracing::warn!(target: "replication", "the snapshot could not be kept alive: {error}");
        };
        let snapshot = match Snapshot::open(&client, warn) {
            // It was dropped since it was listed.
            Err(error)
                if self.options.is_global()
                    && error.number() == Some(u64::from(ErrorCode::DatabaseNotFound.number())) =>
            {
                return Ok(true);
            }
            opened => opened.map_err(failed)?,
        };
        let inventory = snapshot.inventory().map_err(failed)?;
        let inventory = Slice::new(&inventory);
        let all = described(inventory)?;
        let mut wanted = described(inventory)?;
        wanted.retain(|collection| self.options.includes(collection.name));
        self.check_names(there, &wanted)?;
        let session = self.open(here)?;
        let work = Collections::new(self, &session, &client, &snapshot);
        work.copy(take_analyzers(&mut wanted))?;
        work.copy(wanted)?;
        for view in inventory.get("views").into_iter().flat_map(Slice::elements) {
            self.check()?;
            if self.includes_view(view) {
                restored_views::restore(&session, view, &|problem| self.report(problem))?;
            }
        }
        let catalog = session.catalog();
        Ok(has_nothing_else(session.database_in(&catalog)?, &all, inventory))
    }

    /// Checks that the collections that were asked for by name exist there.
    ///
    /// Errors: 1203.
    fn check_names(&self, database: &str, there: &[Described<'_>]) -> Result<()> {
        let Restriction::Include(names) = &self.options.restriction else { return Ok(()) };
        let is_missing =
            |name: &&String| !there.iter().any(|found| found.name == **name) && self.options.includes(name);
        match names.iter().find(is_missing).filter(|_| !self.options.is_global()) {
            None => Ok(()),
            Some(name) => {
                let message = format!("the database '{database}' of the server has no collection '{name}'");
                Err(Error::new(ErrorCode::DataSourceNotFound, message))
            }
        }
    }

    /// Opens a database here, which is created if it does not exist.
    fn open(&self, name: &str) -> Result<Session> {
        let instance = self.session.instance();
        if instance.store().catalog().database(name).is_none() {
            instance.store().create_database(name)?;
        }
        let session = Session::open(Arc::clone(instance), name, Identity::Superuser)?;
        Ok(match self.session.interrupt() {
            Some(interrupt) => session.ended_by(interrupt.clone()),
            None => session,
        })
    }

    /// Returns true if all collections that a view names are copied.
    fn includes_view(&self, view: Slice<'_>) -> bool {
        let links = view.get("links").filter(|links| links.is_object());
        let linked = links.into_iter().flat_map(Slice::entries).map(|(name, _)| name);
        let indexes = view.get("indexes").into_iter().flat_map(Slice::elements);
        let aliased = indexes.filter_map(|index| index.get("collection")?.as_str());
        linked.chain(aliased).all(|name| self.options.includes(name))
    }
}

/// Returns true if a database has no collections and views but those of the other server.
fn has_nothing_else(database: &Database, there: &[Described<'_>], inventory: Slice<'_>) -> bool {
    let is_there = |name: &str, unique_id: &str| {
        there.iter().any(|found| found.name == name && found.unique_id == unique_id)
    };
    let views = || inventory.get("views").into_iter().flat_map(Slice::elements);
    let has_view = |name: &str| views().any(|view| view.get("name").and_then(Slice::as_str) == Some(name));
    let mut collections = database.collections();
    collections.all(|own| {
        let definition = own.definition();
        definition.properties.is_system || is_there(own.name(), &definition.globally_unique_id)
    }) && database.views().all(|view| has_view(&view.name))
}
