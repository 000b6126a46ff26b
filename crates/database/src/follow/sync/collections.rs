//! The collections of a database, copied by several threads.

use std::sync::Arc;
use std::sync::atomic::AtomicU64;

use catalog::CollectionChanges;
use client::Client;
use errors::{Error, Result};
use replication_client::schedule;
use replication_client::{Documents, Snapshot};
use storage::Collection;
use velocypack::Slice;

use super::super::described::Described;
use super::super::fetching::{self, Fetching};
use super::super::restored_indexes;
use super::differences::Both;
use super::synchronization::{SyncedCollection, Synchronization};
use crate::base::user_documents::USERS_COLLECTION;
use crate::session::Session;

/// The collections of one database.
pub(super) struct Collections<'c> {
    work: &'c Synchronization<'c>,
    fetching: Fetching<'c>,
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
        let options = fetching::options(&work.source, work.threads);
        Collections { work, fetching: Fetching { session, client, snapshot, options } }
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
        let catalog = self.fetching.session.catalog();
        let here = self.fetching.session.database_in(&catalog)?.collection(collection.name);
        let here = here.filter(|here| here.name() == collection.name && here.is_edge() == is_edge);
        let Some(here) = here.filter(|here| here.count_now() > 0) else { return Ok(None) };
        restored_indexes::drop_others(self.fetching.session, here, collection.definition)?;
        let store = self.fetching.session.instance().store();
        store.change_properties(here, CollectionChanges::parse(parameters)?).map(Some)
    }

    /// Replaces the collection here by an empty one, and opens the documents of the other server.
    fn replace(&self, collection: &Described<'_>) -> Result<Documents> {
        self.fetching.session.restore_collection(collection.definition, true, true)?;
        self.fetching.open(collection.name)
    }

    fn fetch_all(
        &self,
        name: &str,
        batches: (&Documents, &AtomicU64),
        should_continue: &dyn Fn() -> bool,
    ) -> Result<()> {
        let goes_on = || Ok(should_continue() && self.work.check().map(|()| true)?);
        self.fetching.store_all(name, batches, &goes_on, &|_| {})
    }

    /// Transfers the differences, or everything if they are many.
    fn transfer(
        &self,
        collection: &Described<'_>,
        here: &Collection,
        should_continue: &dyn Fn() -> bool,
    ) -> Result<()> {
        let (work, name) = (self.work, collection.name);
        let Fetching { session, client, .. } = self.fetching;
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
            documents.close(self.fetching.client);
        }
        if !is_whole {
            return Ok(());
        }
        restored_indexes::restore(self.fetching.session, &job.collection, &|problem| {
            self.work.report(problem)
        })?;
        let catalog = self.fetching.session.catalog();
        let here = self.fetching.session.database_in(&catalog)?.require_collection(job.collection.name)?;
        self.work.note(SyncedCollection {
            database: self.fetching.session.database_name().to_string(),
            id: here.definition().id.to_string(),
            name: here.name().to_owned(),
        });
        Ok(())
    }
}
