//! The jobs of queues: scripts of services that run later, once or again, until they succeed.
//!
//! A job is a document of `_jobs`, as ArangoDB writes them. Its status goes from `pending` to
//! `progress`, and from there to `complete`, `failed`, or back to `pending`. Times are in
//! milliseconds since 1970.
//!
//! Source: ArangoDB 3.12 documentation, "Scripts and queued jobs in Foxx".

use std::sync::Arc;

use catalog::{AccessLevel, FieldPath, IndexProperties, IndexType};
use errors::{Error, ErrorCode, Result};
use storage::WriteOptions;
use velocypack::{Builder, Slice};

use super::files::MODE;
use crate::instance::Instance;
use crate::query_request::QueryRequest;
use crate::session::{Identity, Session};

/// The collection of jobs.
const JOBS: &str = "_jobs";

/// The pause before a job is tried again, if it names none.
const BACK_OFF: f64 = 1_000.0;

/// The longest pause before a job is tried again: a day.
const BACK_OFF_MAX: f64 = 86_400_000.0;

/// The number of failures whose errors a job keeps.
const FAILURES_KEPT: usize = 64;

/// The jobs that are due, of the queues that have workers to spare.
///
/// The queue `default` needs no document.
const DUE: &str = "LET named = (FOR queue IN _queues RETURN KEEP(queue, '_key', 'maxWorkers'))
  LET queues = 'default' IN named[*]._key ? named : PUSH(named, { _key: 'default', maxWorkers: 1 })
  FOR queue IN queues
  LET working = LENGTH(FOR job IN _jobs
    FILTER job.queue == queue._key AND job.status == 'progress' RETURN 1)
  LET due = (FOR job IN _jobs
    FILTER job.queue == queue._key AND job.status == 'pending' AND job.delayUntil <= @now
    SORT job.delayUntil LIMIT @most RETURN job)
  FOR job IN SLICE(due, 0, MAX([(queue.maxWorkers || 1) - working, 0]))
    LIMIT @most RETURN job";

/// The attributes of the index on jobs. ArangoDB has the same one.
const INDEXED: [&str; 3] = ["queue", "status", "delayUntil"];

/// The jobs that a stop of the server has interrupted.
const INTERRUPTED: &str = "FOR job IN _jobs FILTER job.status == 'progress' RETURN job";

/// A job.
#[derive(Clone, Debug)]
pub struct Job {
    document: Vec<u8>,
}

/// The end of a run of a job.
#[derive(Debug)]
pub enum JobOutcome {
    /// It has a result.
    Success,
    /// It has failed. It is tried again if it may fail so often.
    Failure {
        /// The error: a VelocyPack object.
        error: Vec<u8>,
        /// The pause before the next attempt, in milliseconds.
        pause: f64,
    },
    /// It has not begun.
    Postponed,
}

/// The state of a job after a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum JobEnd {
    /// It has succeeded, and may run again later.
    Succeeded,
    /// It has failed for good.
    Failed,
    /// It is tried again, or is not there any more.
    Unfinished,
}

impl Job {
    /// Returns the document.
    pub fn document(&self) -> Slice<'_> {
        Slice::new(&self.document)
    }

    fn text(&self, name: &str) -> &str {
        self.document().get(name).and_then(Slice::as_str).unwrap_or_default()
    }

    fn type_member(&self, name: &str) -> Option<Slice<'_>> {
        let kind = self.document().get("type")?;
        // Old clients name only the script.
        if kind.is_string() { (name == "name").then_some(kind) } else { kind.get(name) }
    }

    /// Returns the `_id`.
    pub fn id(&self) -> String {
        format!("{JOBS}/{}", self.text("_key"))
    }

    /// Returns the mount point of the job's service.
    pub fn mount(&self) -> &str {
        self.type_member("mount").and_then(Slice::as_str).unwrap_or_default()
    }

    /// Returns the name of the script.
    pub fn script(&self) -> &str {
        self.type_member("name").and_then(Slice::as_str).unwrap_or_default()
    }

    /// Writes the arguments of the script into an open array: the data, and the `_id`. A list is
    /// one argument for each element.
    pub fn write_arguments(&self, builder: &mut Builder) -> velocypack::Result<()> {
        match self.document().get("data") {
            Some(list) if list.is_array() => {
                for element in list.elements() {
                    builder.add_slice(element)?;
                }
            }
            Some(data) => builder.add_slice(data)?,
            None => {}
        }
        builder.add_str(&self.id())
    }

    /// Returns the data for the script.
    pub fn data(&self) -> Slice<'_> {
        self.document().get("data").unwrap_or(Slice::NULL)
    }

    /// Returns the text of a function that a client has given: `success`, `failure`, `backOff`.
    pub fn function(&self, name: &str) -> Option<&str> {
        self.option(name).and_then(Slice::as_str)
    }

    /// Returns how often the job has failed since it last succeeded.
    pub fn failures(&self) -> u64 {
        let failures = self.document().get("runFailures").and_then(Slice::as_f64);
        failures.filter(|failures| *failures >= 0.0).map_or(0, |failures| failures as u64)
    }

    /// Returns an option of the job, or of its type.
    fn option(&self, name: &str) -> Option<Slice<'_>> {
        let own = self.document().get(name).filter(|value| !value.is_null());
        own.or_else(|| self.type_member(name))
    }

    fn number(&self, name: &str) -> Option<f64> {
        self.option(name).and_then(Slice::as_f64)
    }

    /// Returns the pause before the next attempt, after a failure that the job does not count yet:
    /// a random number of slots, whose maximum doubles with each failure, so that jobs which failed
    /// together are not tried together. `random` is from 0 to 1.
    pub fn back_off(&self, random: f64) -> f64 {
        let base = self.number("backOff").unwrap_or(BACK_OFF).max(0.0);
        let slots = 2.0_f64.powi((self.failures() + 1).min(30) as i32) - 1.0;
        (base * (1.0 + (random * slots).floor())).min(BACK_OFF_MAX.max(base))
    }
}

impl Instance {
    /// Returns the names of the databases that have jobs in any status.
    pub fn databases_with_jobs(&self) -> Vec<String> {
        let catalog = self.catalog();
        let with_jobs = catalog
            .databases()
            .filter(|database| database.collection(JOBS).is_some_and(|jobs| jobs.count_now() > 0));
        with_jobs.map(|database| database.name().to_owned()).collect()
    }
}

impl Session {
    /// Opens a database for the jobs of its queues. Errors: 1228.
    pub fn of_jobs(instance: Arc<Instance>, database: &str) -> Result<Self> {
        Session::open(instance, database, Identity::of_services(database))
    }

    /// Returns the jobs that are due at a moment, at most so many.
    pub fn due_jobs(&self, now: f64, most: usize) -> Result<Vec<Job>> {
        let mut variables = Builder::new();
        variables.open_object()?;
        variables.key("now")?;
        variables.add_f64(now)?;
        variables.key("most")?;
        variables.add_u64(most as u64)?;
        variables.close()?;
        self.jobs(&QueryRequest { bind_variables: variables.into_vec(), ..QueryRequest::new(DUE.to_owned()) })
    }

    fn jobs(&self, query: &QueryRequest) -> Result<Vec<Job>> {
        let mut jobs = Vec::new();
        let taken = self.for_each_row(query, &mut |row| {
            jobs.push(Job { document: row.bytes().get(..row.byte_len()).unwrap_or_default().to_vec() });
            Ok(())
        });
        match taken {
            Err(error) if error.code() != ErrorCode::DataSourceNotFound => Err(error),
            _ => Ok(jobs),
        }
    }

    /// Returns a job as it is now; `None` if it was removed.
    pub fn present_job(&self, job: &Job) -> Result<Option<Job>> {
        let mut variables = Builder::new();
        variables.open_object()?;
        variables.key("key")?;
        variables.add_str(job.text("_key"))?;
        variables.close()?;
        let query = QueryRequest::new("FOR job IN _jobs FILTER job._key == @key RETURN job".to_owned());
        Ok(self.jobs(&QueryRequest { bind_variables: variables.into_vec(), ..query })?.pop())
    }

    /// Makes the jobs that a stop of the server has interrupted pending again, and the index by
    /// which jobs that are due are found among many.
    ///
    /// Errors: those of writes.
    pub fn prepare_jobs(&self) -> Result<()> {
        let jobs = self.collection(JOBS, AccessLevel::ReadWrite)?;
        let fields = INDEXED.iter().map(|name| FieldPath::parse(name)).collect::<Result<_>>()?;
        self.instance().store().create_index(&jobs, IndexProperties::new(IndexType::Persistent, fields))?;
        for job in self.jobs(&QueryRequest::new(INTERRUPTED.to_owned()))? {
            self.change_job(&job, "progress", |_, patch| set_text(patch, "status", "pending"))?;
        }
        Ok(())
    }

    /// Begins a run of a job. Returns false if the job has changed since it was read.
    pub fn begin_job(&self, job: &Job, now: f64) -> Result<bool> {
        self.change_job(job, "pending", |_, patch| {
            set_text(patch, "status", "progress")?;
            set_number(patch, "modified", now)
        })
    }

    /// Ends a run of a job.
    pub fn end_job(&self, job: &Job, outcome: &JobOutcome, now: f64) -> Result<JobEnd> {
        let mut end = JobEnd::Unfinished;
        let is_there = self.change_job(job, "progress", |present, patch| {
            set_number(patch, "modified", now)?;
            match outcome {
                JobOutcome::Postponed => set_text(patch, "status", "pending"),
                JobOutcome::Success => {
                    end = JobEnd::Succeeded;
                    finish(present, patch, now, "complete")
                }
                JobOutcome::Failure { error, pause } => {
                    let failures = job.failures() + 1;
                    let most = job.number("maxFailures").unwrap_or(0.0);
                    add_failure(present, patch, Slice::new(error))?;
                    if most < 0.0 || failures as f64 <= most {
                        set_number(patch, "runFailures", failures as f64)?;
                        set_number(patch, "delayUntil", now + pause)?;
                        return set_text(patch, "status", "pending");
                    }
                    end = JobEnd::Failed;
                    finish(present, patch, now, "failed")
                }
            }
        })?;
        Ok(if is_there { end } else { JobEnd::Unfinished })
    }

    /// Changes a job that is still in a status. Returns false if it is not, or is not there.
    fn change_job(
        &self,
        job: &Job,
        status: &str,
        change: impl FnOnce(Slice<'_>, &mut Builder) -> Result<()>,
    ) -> Result<bool> {
        let key = job.text("_key");
        let changed = self.write(JOBS, MODE, |transaction, jobs| {
            let view = transaction.view();
            let documents = view.get(jobs, &[key])?;
            let offset = documents.offsets.first().copied().flatten();
            let present = offset.map(|offset| documents.block.slice(offset as usize));
            let is_in_status =
                |present: &Slice<'_>| present.get("status").and_then(Slice::as_str) == Some(status);
            let Some(present) = present.filter(is_in_status) else { return Ok(false) };
            let mut patch = Builder::new();
            patch.open_object()?;
            change(present, &mut patch)?;
            patch.close()?;
            let patch = patch.into_vec();
            drop(view);
            transaction.update(jobs, key, Slice::new(&patch), &WriteOptions::default())?;
            Ok(true)
        });
        match changed {
            Ok((_, is_changed)) => Ok(is_changed),
            // Somebody else has changed or removed it.
            Err(error) if is_lost(&error) => Ok(false),
            Err(error) => Err(error),
        }
    }
}

fn is_lost(error: &Error) -> bool {
    matches!(error.code(), ErrorCode::DocumentNotFound | ErrorCode::Conflict | ErrorCode::DataSourceNotFound)
}

/// Ends the attempts of a run with a status, unless the job runs again later.
fn finish(present: Slice<'_>, patch: &mut Builder, now: f64, status: &str) -> Result<()> {
    let (runs, times) = (number(present, "runs") + 1.0, number(present, "repeatTimes"));
    let (until, next) = (number(present, "repeatUntil"), now + number(present, "repeatDelay"));
    set_number(patch, "runs", runs)?;
    if (times >= 0.0 && runs > times) || (until > 0.0 && next > until) {
        return set_text(patch, "status", status);
    }
    set_number(patch, "runFailures", 0.0)?;
    set_number(patch, "delayUntil", next)?;
    set_text(patch, "status", "pending")
}

/// Adds an error to those that a job keeps.
fn add_failure(present: Slice<'_>, patch: &mut Builder, error: Slice<'_>) -> Result<()> {
    patch.key("failures")?;
    patch.open_array()?;
    let known: Vec<Slice<'_>> =
        present.get("failures").map(|known| known.elements().collect()).unwrap_or_default();
    for failure in known.iter().skip((known.len() + 1).saturating_sub(FAILURES_KEPT)) {
        patch.add_slice(*failure)?;
    }
    patch.add_slice(error)?;
    Ok(patch.close()?)
}

fn number(document: Slice<'_>, name: &str) -> f64 {
    document.get(name).and_then(Slice::as_f64).unwrap_or(0.0)
}

fn set_number(patch: &mut Builder, name: &str, value: f64) -> Result<()> {
    patch.key(name)?;
    match value.fract() == 0.0 && value.abs() < 9e15 {
        true => patch.add_i64(value as i64)?,
        false => patch.add_f64(value)?,
    }
    Ok(())
}

fn set_text(patch: &mut Builder, name: &str, value: &str) -> Result<()> {
    patch.key(name)?;
    Ok(patch.add_str(value)?)
}
