//! The documents of collections, copied by several threads.

use std::sync::atomic::AtomicU64;

use catalog::CollectionChanges;
use client::Client;
use errors::{Error, Result};
use replication_client::schedule;
use replication_client::{Documents, Snapshot};
use storage::WritePermit;
use velocypack::Slice;

use super::super::described::Described;
use super::super::fetching::{self, Fetching};
use super::super::{compare, restored_indexes};
use super::Copy;
use crate::base::user_documents::USERS_COLLECTION;
use crate::session::Session;

/// The copy of some collections of one database.
struct Collections<'c, 'k> {
    copy: &'c Copy<'k>,
    fetching: Fetching<'c>,
}

/// A collection that is being copied.
struct Job<'c> {
    collection: Described<'c>,
    /// `None` if it is here already.
    documents: Option<Documents>,
    /// The number of the next batch.
    next: AtomicU64,
}

/// Copies collections with their indexes.
///
/// Errors: those of requests and writes; the message names the collection.
pub(super) fn copy<'c>(
    copy: &'c Copy<'_>,
    session: &'c Session,
    client: &'c Client,
    snapshot: &'c Snapshot,
    collections: Vec<Described<'c>>,
) -> Result<()> {
    let options = fetching::options(&copy.work.source, copy.threads);
    let work = Collections { copy, fetching: Fetching { session, client, snapshot, options } };
    match schedule::run(&work, collections, copy.threads, false).into_iter().next() {
        // The interrupt may have ended a request before a check saw it.
        Some(error) => Err(copy.work.check().err().unwrap_or(error)),
        None => Ok(()),
    }
}

impl<'c> schedule::Work for Collections<'c, '_> {
    type Failure = Error;
    type Collection = Described<'c>;
    type Job = Job<'c>;
    type Own = WritePermit;

    fn name<'n>(collection: &'n Described<'c>) -> &'n str {
        collection.name
    }

    fn within(failure: Error, collection: &str) -> Error {
        let message = format!("collection '{collection}': {}", failure.message());
        failure.with_message(message)
    }

    fn own(&self) -> WritePermit {
        self.copy.work.instance.store().permit_writes()
    }

    fn open(&self, collection: Described<'c>) -> Result<Job<'c>> {
        let is_here = self.is_here(&collection)?;
        if !is_here {
            self.fetching.session.restore_collection(collection.definition, true, true)?;
        }
        let documents = (!is_here).then(|| self.fetching.open(collection.name)).transpose()?;
        Ok(Job { collection, documents, next: AtomicU64::new(1) })
    }

    fn is_shared(&self, job: &Job<'c>) -> bool {
        job.documents.as_ref().is_some_and(Documents::is_parallel)
    }

    fn work_on(
        &self,
        job: &Job<'c>,
        _own: &mut WritePermit,
        should_continue: &dyn Fn() -> bool,
    ) -> Result<()> {
        let Some(documents) = &job.documents else { return Ok(()) };
        let goes_on = || Ok(should_continue() && self.copy.work.check().map(|()| true)?);
        let note_stored = |batch: &[u8]| {
            let documents = self.fetching.count(batch);
            self.copy.work.following().update(|view| {
                view.copy.documents += documents;
                view.copy.bytes += batch.len() as u64;
            });
        };
        self.fetching.store_all(job.collection.name, (documents, &job.next), &goes_on, &note_stored)
    }

    fn close(&self, job: &Job<'c>, is_whole: bool) -> Result<()> {
        if let Some(documents) = &job.documents {
            documents.close(self.fetching.client);
        }
        if is_whole {
            let _permit = self.own();
            let report = |problem| self.copy.work.report(problem);
            restored_indexes::restore(self.fetching.session, &job.collection, &report)?;
            self.copy.note_copied(self.fetching.session.database_name(), job.collection.unique_id)?;
        }
        Ok(())
    }
}

impl Collections<'_, '_> {
    /// Returns true if a collection was copied before the last interruption, or is equal to an
    /// earlier copy.
    fn is_here(&self, collection: &Described<'_>) -> Result<bool> {
        let database = self.fetching.session.database_name();
        let catalog = self.fetching.session.catalog();
        let here = self.fetching.session.database_in(&catalog)?.collection(collection.name);
        let here = here.filter(|here| here.definition().globally_unique_id == collection.unique_id);
        let Some(here) = here else { return Ok(false) };
        if self.copy.is_copied(database, collection.unique_id) {
            return Ok(true);
        }
        if !self.copy.is_repeated || collection.name == USERS_COLLECTION {
            return Ok(false);
        }
        let there = compare::at_source(&self.copy.work.source, database, collection.name)?;
        if there != compare::here(self.fetching.session, here, &|| self.copy.work.check())? {
            return Ok(false);
        }
        let parameters = collection.definition.get("parameters").unwrap_or(Slice::EMPTY_OBJECT);
        let changes = CollectionChanges::parse(parameters)?;
        self.fetching.session.instance().store().change_properties(here, changes)?;
        Ok(true)
    }
}
