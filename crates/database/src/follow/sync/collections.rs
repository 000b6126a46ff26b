//! The collections of a database, copied by several threads.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use catalog::CollectionChanges;
use client::Client;
use errors::{Error, Result};
use replication_client::schedule;
use replication_client::{Documents, FetchOptions, Fetched, Position, Snapshot};
use storage::Collection;
use velocypack::Slice;

use super::super::described::Described;
use super::super::failure::of_source;
use super::super::{fetching, restored_indexes, users};
use super::differences::Both;
use super::synchronization::{SyncedCollection, Synchronization};
use crate::base::user_documents::USERS_COLLECTION;
use crate::session::Session;
use crate::transfer::restore::RestoreBody;

/// The collections of one database.
pub(super) struct Collections<'c> {
    work: &'c Synchronization<'c>,
    session: &'c Session,
    client: &'c Client,
    snapshot: &'c Snapshot,
    fetch: FetchOptions,
}

/// A collection that is being copied.
pub(super) struct Job<'c> {
    collection: Described<'c>,
    transfer: Transfer,
}

/// The way in which the documents come.
enum Transfer {
    /// All, into a collection without documents. The number is that of the next batch.
    Whole(Documents, AtomicU64),
    /// Those that differ from those of the collection here.
    Differences(Arc<Collection>),
}

impl<'c> Collections<'c> {
    pub(super) fn new(
        work: &'c Synchronization<'c>,
        session: &'c Session,
        client: &'c Client,
        snapshot: &'c Snapshot,
    ) -> Self {
        let fetch = fetching::options(&work.source, work.threads);
        Collections { work, session, client, snapshot, fetch }
    }

    /// Copies collections with their indexes.
    ///
    /// Errors: those of requests and writes; the message names the collection.
    pub(super) fn copy(&self, collections: Vec<Described<'c>>) -> Result<()> {
        match schedule::run(self, collections, self.work.threads, false).into_iter().next() {
            // The end of the work may have ended a request before a check saw it.
            Some(error) => Err(self.work.check().err().unwrap_or(error)),
            None => Ok(()),
        }
    }

    /// Returns the collection here whose documents are kept as far as they are equal.
    fn kept(&self, collection: &Described<'_>) -> Result<Option<Arc<Collection>>> {
        if !self.work.options.is_incremental || collection.name == USERS_COLLECTION {
            return Ok(None);
        }
        let parameters = collection.definition.get("parameters").unwrap_or(Slice::EMPTY_OBJECT);
        let is_edge = parameters.get("type").and_then(Slice::as_u64) == Some(EDGE_COLLECTION);
        let catalog = self.session.catalog();
        let here = self.session.database_in(&catalog)?.collection(collection.name);
        let here = here.filter(|here| here.name() == collection.name && here.is_edge() == is_edge);
        let Some(here) = here.filter(|here| here.count_now() > 0) else { return Ok(None) };
        restored_indexes::drop_others(self.session, here, collection.definition)?;
        let store = self.session.instance().store();
        store.change_properties(here, CollectionChanges::parse(parameters)?).map(Some)
    }

    /// Replaces the collection here by an empty one, and opens the documents of the other server.
    fn replace(&self, collection: &Described<'_>) -> Result<Documents> {
        self.session.restore_collection(collection.definition, true, true)?;
        let documents = Documents::open(self.client, self.snapshot, collection.name, &self.fetch);
        documents.map_err(|error| of_source(&error))
    }

    fn fetch_all(
        &self,
        name: &str,
        (documents, next): (&Documents, &AtomicU64),
        should_continue: &dyn Fn() -> bool,
    ) -> Result<()> {
        let mut position = Position::default();
        while should_continue() {
            self.work.check()?;
            let number = next.fetch_add(1, Ordering::Relaxed);
            let fetched =
                documents.fetch(self.client, self.snapshot, name, &self.fetch, number, &mut position);
            match fetched.map_err(|error| of_source(&error))? {
                None => return Ok(()),
                Some(Fetched::Plain(batch)) => self.store(name, &batch)?,
                Some(Fetched::Packed { .. }) => {
                    return Err(Error::internal("a packed batch came, which nobody asked for"));
                }
            }
        }
        Ok(())
    }

    fn store(&self, name: &str, batch: &[u8]) -> Result<()> {
        let is_velocypack = self.fetch.velocypack;
        if name == USERS_COLLECTION && self.session.is_system_database() && !is_velocypack {
            users::note_keys(self.session.instance().store(), batch)?;
        }
        let body = if is_velocypack { RestoreBody::VelocyPack(batch) } else { RestoreBody::Lines(batch) };
        self.session.restore_data(name, body)
    }

    /// Transfers the differences, or everything if they are many.
    fn transfer(
        &self,
        collection: &Described<'_>,
        here: &Collection,
        should_continue: &dyn Fn() -> bool,
    ) -> Result<()> {
        let (work, session, client, name) = (self.work, self.session, self.client, collection.name);
        if (Both { work, session, client, name, here }).transfer_differences()? {
            return Ok(());
        }
        let documents = self.replace(collection)?;
        let fetched = self.fetch_all(name, (&documents, &AtomicU64::new(1)), should_continue);
        documents.close(client);
        fetched
    }
}

/// The type of edge collections.
const EDGE_COLLECTION: u64 = 3;

impl<'c> schedule::Work for Collections<'c> {
    type Failure = Error;
    type Collection = Described<'c>;
    type Job = Job<'c>;
    type Own = ();

    fn name<'n>(collection: &'n Described<'c>) -> &'n str {
        collection.name
    }

    fn within(failure: Error, collection: &str) -> Error {
        let message = format!("collection '{collection}': {}", failure.message());
        failure.with_message(message)
    }

    fn own(&self) {}

    fn open(&self, collection: Described<'c>) -> Result<Job<'c>> {
        self.work.check()?;
        let transfer = match self.kept(&collection)? {
            Some(here) => Transfer::Differences(here),
            None => Transfer::Whole(self.replace(&collection)?, AtomicU64::new(1)),
        };
        Ok(Job { collection, transfer })
    }

    fn is_shared(&self, job: &Job<'c>) -> bool {
        matches!(&job.transfer, Transfer::Whole(documents, _) if documents.is_parallel())
    }

    fn work_on(&self, job: &Job<'c>, _own: &mut (), should_continue: &dyn Fn() -> bool) -> Result<()> {
        match &job.transfer {
            Transfer::Whole(documents, next) => {
                self.fetch_all(job.collection.name, (documents, next), should_continue)
            }
            Transfer::Differences(here) => self.transfer(&job.collection, here, should_continue),
        }
    }

    fn close(&self, job: &Job<'c>, is_whole: bool) -> Result<()> {
        if let Transfer::Whole(documents, _) = &job.transfer {
            documents.close(self.client);
        }
        if !is_whole {
            return Ok(());
        }
        restored_indexes::restore(self.session, &job.collection, &|problem| self.work.report(problem))?;
        let catalog = self.session.catalog();
        let here = self.session.database_in(&catalog)?.require_collection(job.collection.name)?;
        self.work.note(SyncedCollection {
            database: self.session.database_name().to_string(),
            id: here.definition().id.to_string(),
            name: here.name().to_owned(),
        });
        Ok(())
    }
}
