//! The copy of one database.

use errors::{ErrorCode, Result};
use replication_client::Snapshot;
use velocypack::Slice;

use super::super::failure::of_source;
use super::super::names;
use super::described::described;
use super::{Copy, documents, leftovers};
use crate::session::Session;
use crate::state::following::Problem;

/// The collection of Analyzers, on which indexes and views depend.
const ANALYZERS: &str = "_analyzers";

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
        let rest = match collections.iter().position(|collection| collection.name == ANALYZERS) {
            Some(analyzers) => {
                let rest = collections.split_off(analyzers + 1);
                let first = collections.pop().into_iter().collect();
                collections.extend(rest);
                documents::copy(self, &session, &client, &snapshot, first)?;
                collections
            }
            None => collections,
        };
        documents::copy(self, &session, &client, &snapshot, rest)?;
        self.views(&session, inventory)
    }

    fn views(&self, session: &Session, inventory: Slice<'_>) -> Result<()> {
        for view in inventory.get("views").into_iter().flat_map(Slice::elements) {
            self.work.check()?;
            names::note_view(self.work.instance.store(), view)?;
            let name = view.get("name").and_then(Slice::as_str).unwrap_or_default();
            let restored = match session.view(name) {
                Ok(_) => session.change_view(name, view, false).map(drop),
                Err(_) => session.restore_view(view, true),
            };
            match restored {
                Err(error) if error.is_retryable() => return Err(error),
                Err(error) => self.work.report(Problem {
                    what: format!("view '{name}'"),
                    place: session.database_name().to_string(),
                    effect: format!("it is not here: {error}"),
                }),
                Ok(()) => {}
            }
        }
        Ok(())
    }
}
