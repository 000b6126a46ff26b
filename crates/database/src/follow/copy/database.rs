//! The copy of one database.

use errors::{ErrorCode, Result};
use replication_client::Snapshot;
use velocypack::Slice;

use super::super::described::{described, take_analyzers};
use super::super::failure::of_source;
use super::super::restored_views;
use super::{Copy, documents, leftovers};

impl Copy<'_> {
    /// Copies a database. One that is dropped there before it is read is passed over.
    ///
    /// Errors: those of requests and writes.
    pub(super) fn database(&self, name: &str) -> Result<()> {
        self.work.check()?;
        let failed = |error: client::Error| of_source(&error);
        let client = self.work.source.client().with_database(name).map_err(failed)?;
        let warn = |error: &client::Error| {
            tracing::warn!(target: "replication", "the snapshot could not be kept alive: {error}");
        };
        let snapshot = match Snapshot::open(&client, warn) {
            // The log says so too.
            Err(error) if error.number() == Some(u64::from(ErrorCode::DatabaseNotFound.number())) => {
                return Ok(());
            }
            opened => opened.map_err(failed)?,
        };
        let inventory = snapshot.inventory().map_err(failed)?;
        let inventory = Slice::new(&inventory);
        let store = self.work.instance.store();
        if store.catalog().database(name).is_none() {
            store.create_database(name)?;
        }
        let session = self.work.session(name)?;
        let mut collections = described(inventory)?;
        self.work.following().update(|view| view.copy.collections += collections.len() as u64);
        if self.has_leftovers {
            leftovers::drop_collections(self.work, &session, &collections, inventory)?;
        }
        let analyzers = take_analyzers(&mut collections);
        documents::copy(self, &session, &client, &snapshot, analyzers)?;
        documents::copy(self, &session, &client, &snapshot, collections)?;
        for view in inventory.get("views").into_iter().flat_map(Slice::elements) {
            self.work.check()?;
            restored_views::restore(&session, view, &|problem| self.work.report(problem))?;
        }
        Ok(())
    }
}
