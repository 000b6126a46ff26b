//! Records of runs that have ended, in documents that stay until a client removes them.

use std::sync::Arc;

use errors::{ErrorCode, Result};
use storage::WriteOptions;
use velocypack::{Builder, Slice};

use super::status;
use crate::changes::{OWN_WRITES, own_session, provide_collections};
use crate::query_request::QueryRequest;
use crate::session::{Identity, Session};
use crate::state::analytics::{Job, JobOrigin};

/// The collection of the documents, in the database of the runs. Their key is the run's number.
const HISTORY: &str = "_pregel_queries";
/// The beginning of queries over the documents that the user may see.
const FILTERED: &str = "FOR run IN _pregel_queries FILTER @user == null OR run.user == @user \
                        FILTER @id == null OR run._key == @id";
/// Documents that one transaction removes.
const REMOVED_AT_ONCE: usize = 1_000;
/// Maximum number of documents that a list has: the newest.
const LISTED_MAX: u64 = 10_000;

impl Session {
    /// Writes a document about a run that has ended.
    pub(in crate::analytics) fn record_run(&self, job: &Arc<Job>) {
        if job.origin() != JobOrigin::Pregel || job.is_forgotten() {
            return;
        }
        if let Err(error) = self.insert_run(job) {
            // A store that follows another server takes no document of its own.
            tracing::debug!("the history of Pregel run {}: {error}", job.id());
        }
    }

    fn insert_run(&self, job: &Job) -> Result<()> {
        let session = own_session(self.instance(), self.database_name())?;
        provide_collections(&session, &[HISTORY])?;
        let mut document = Builder::new();
        document.open_object()?;
        document.key("_key")?;
        document.add_str(&job.id().to_string())?;
        let threads = self.instance().analytics().pool.threads();
        status::write_members(&job.status(), threads, &mut document)?;
        document.close()?;
        session.write(HISTORY, OWN_WRITES, |transaction, history| {
            transaction.insert(history, document.as_slice(), &WriteOptions::default())
        })?;
        if job.is_forgotten() {
            self.remove_documents(Some(&job.id().to_string()))?;
        }
        Ok(())
    }

    /// Writes all runs that the user may see, those that run and those that have ended, as elements
    /// of an open array: the oldest first, and at most 10,000 that have ended.
    ///
    /// Errors: those of reading.
    pub fn write_pregel_history(&self, out: &mut Builder) -> Result<()> {
        let jobs: Vec<Arc<Job>> = self.pregel_jobs().into_iter().filter(|job| !job.is_forgotten()).collect();
        let is_listed = |row: Slice<'_>| {
            let id = row.get("id").and_then(Slice::as_str).and_then(|id| id.parse::<u64>().ok());
            jobs.iter().any(|job| Some(job.id()) == id)
        };
        self.for_each_document(None, &mut |row| {
            if is_listed(row) { Ok(()) } else { Ok(out.add_slice(row)?) }
        })?;
        let threads = self.instance().analytics().pool.threads();
        jobs.iter().try_for_each(|job| status::write(&job.status(), threads, out))
    }

    /// Writes a run that runs or has ended, as an object. Errors: 1600 for an unknown one.
    pub fn write_pregel_history_of(&self, id: &str, out: &mut Builder) -> Result<()> {
        if let Some(job) = self.find_pregel_job(id).filter(|job| !job.is_forgotten()) {
            return status::write(&job.status(), self.instance().analytics().pool.threads(), out);
        }
        let mut is_found = false;
        self.for_each_document(Some(id), &mut |row| {
            is_found = true;
            Ok(out.add_slice(row)?)
        })?;
        if is_found { Ok(()) } else { Err(super::unknown(id)) }
    }

    /// Removes the record of a run, or those of all runs that the user may see.
    ///
    /// Errors: 1600 for an unknown run; those of the write.
    pub fn remove_pregel_history(&self, id: Option<&str>) -> Result<()> {
        let jobs = match id {
            Some(id) => self.find_pregel_job(id).into_iter().collect(),
            None => self.pregel_jobs(),
        };
        let in_memory = jobs.iter().filter(|job| !job.is_forgotten()).count();
        jobs.iter().for_each(|job| job.forget());
        let removed = self.remove_documents(id)?;
        match id {
            Some(id) if in_memory == 0 && removed == 0 => Err(super::unknown(id)),
            _ => Ok(()),
        }
    }

    /// Removes documents that the user may see, and returns their number.
    fn remove_documents(&self, id: Option<&str>) -> Result<u64> {
        let mut keys: Vec<String> = Vec::new();
        self.for_each_of(&format!("{FILTERED} RETURN run._key"), id, &mut |key| {
            keys.extend(key.as_str().map(str::to_owned));
            Ok(())
        })?;
        let session = own_session(self.instance(), self.database_name())?;
        let mut removed = 0;
        for keys in keys.chunks(REMOVED_AT_ONCE) {
            session.write(HISTORY, OWN_WRITES, |transaction, history| {
                for key in keys {
                    match transaction.remove(history, key, Slice::NONE, &WriteOptions::default()) {
                        // Another request was faster.
                        Err(error) if error.code() == ErrorCode::DocumentNotFound => {}
                        done => {
                            done?;
                            removed += 1;
                        }
                    }
                }
                Ok(())
            })?;
        }
        Ok(removed)
    }

    fn for_each_document(
        &self,
        id: Option<&str>,
        take: &mut dyn FnMut(Slice<'_>) -> Result<()>,
    ) -> Result<()> {
        let text = format!(
            "FOR newest IN ({FILTERED} SORT TO_NUMBER(run._key) DESC LIMIT {LISTED_MAX} RETURN run) \
             SORT TO_NUMBER(newest._key) RETURN UNSET(newest, '_key', '_id', '_rev')"
        );
        self.for_each_of(&text, id, take)
    }

    /// Runs a query over the documents with the rights of the server itself, in which `@user` and
    /// `@id` limit what the user sees. Without the collection there are no rows.
    fn for_each_of(
        &self,
        text: &str,
        id: Option<&str>,
        take: &mut dyn FnMut(Slice<'_>) -> Result<()>,
    ) -> Result<()> {
        let session = own_session(self.instance(), self.database_name())?;
        let sees_all = self.identity() == &Identity::Superuser || self.require_administrator().is_ok();
        let mut variables = Builder::new();
        variables.open_object()?;
        for (name, value) in [("user", self.user().filter(|_| !sees_all).map(|user| &**user)), ("id", id)] {
            variables.key(name)?;
            match value {
                Some(value) => variables.add_str(value)?,
                None => variables.add_null()?,
            }
        }
        variables.close()?;
        let query =
            QueryRequest { bind_variables: variables.into_vec(), ..QueryRequest::new(text.to_owned()) };
        match session.for_each_row(&query, take) {
            Err(error) if error.code() == ErrorCode::DataSourceNotFound => Ok(()),
            ended => ended.map(drop),
        }
    }
}
