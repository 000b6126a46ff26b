//! Jobs: loads and algorithms that no request waits for.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant, SystemTime};

use aql_value::Interrupt;
use errors::{Error, ErrorCode, Result};
use graph_analytics::{Table, Work};

use super::projection::Projection;
use crate::base::Owner;

/// The phase of a job.
#[derive(Clone, Debug)]
pub enum JobState {
    /// Its graph is loaded.
    Loading,
    /// Its algorithm computes.
    Running,
    /// Its results are written into documents.
    Storing,
    /// It has ended well.
    Done,
    /// A client has ended it.
    Canceled,
    /// It has failed.
    Failed(Error),
}

impl JobState {
    /// Returns true once nothing will change any more.
    pub fn is_final(&self) -> bool {
        matches!(self, JobState::Done | JobState::Canceled | JobState::Failed(_))
    }
}

/// The times that the phases of a job have taken so far.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct PhaseTimes {
    pub(crate) loading: Duration,
    pub(crate) running: Duration,
    pub(crate) storing: Duration,
}

/// A job.
#[derive(Debug)]
pub struct Job {
    id: u64,
    owner: Owner,
    /// The algorithm, or the name of another kind of work.
    title: String,
    /// The columns of the result that its client wants, each with the name of its attribute.
    columns: Vec<(String, String)>,
    interrupt: Interrupt,
    work: Work,
    created: SystemTime,
    time_to_live: Duration,
    state: Mutex<Inner>,
}

#[derive(Debug)]
struct Inner {
    state: JobState,
    phase_began: Instant,
    times: PhaseTimes,
    ended: Option<Instant>,
    projection: Option<Arc<Projection>>,
    result: Option<Arc<Table>>,
    written: u64,
}

/// The facts about a job.
#[derive(Clone, Debug)]
pub struct JobStatus {
    /// Its number.
    pub id: u64,
    /// The algorithm, or the name of another kind of work.
    pub title: String,
    /// The user that started it; empty without authentication.
    pub user: String,
    /// Its phase.
    pub state: JobState,
    /// The steps that its algorithm has done, and their total; 0 while that is not known.
    pub progress: (u64, u64),
    /// The projection that it reads or has made.
    pub projection: Option<u64>,
    /// The numbers of vertices and edges of its graph.
    pub size: (u64, u64),
    /// The bytes that its result takes.
    pub result_bytes: u64,
    /// The documents that it has written.
    pub written: u64,
    /// The time at which it began.
    pub created: SystemTime,
    /// The times that it has loaded, computed and stored.
    pub times: (Duration, Duration, Duration),
    /// The time after its end for which its result is kept.
    pub time_to_live: Duration,
    /// The statistics of its algorithm.
    pub statistics: Vec<(&'static str, graph_analytics::Statistic)>,
}

impl Job {
    pub(crate) fn new(
        id: u64,
        owner: Owner,
        (title, columns): (String, Vec<(String, String)>),
        interrupt: Interrupt,
        work: Work,
        time_to_live: Duration,
    ) -> Self {
        let state = Inner {
            state: JobState::Loading,
            phase_began: Instant::now(),
            times: PhaseTimes::default(),
            ended: None,
            projection: None,
            result: None,
            written: 0,
        };
        let created = SystemTime::now();
        Job { id, owner, title, columns, interrupt, work, created, time_to_live, state: Mutex::new(state) }
    }

    /// Returns its number.
    pub fn id(&self) -> u64 {
        self.id
    }

    pub(crate) fn owner(&self) -> &Owner {
        &self.owner
    }

    /// Returns the algorithm, or the name of another kind of work.
    pub fn title(&self) -> &str {
        &self.title
    }

    pub(crate) fn columns(&self) -> &[(String, String)] {
        &self.columns
    }

    pub(crate) fn work(&self) -> &Work {
        &self.work
    }

    /// Begins a phase, or ends the job. A job that has ended stays as it is.
    pub(crate) fn enter(&self, state: JobState) {
        let mut inner = self.lock();
        if inner.state.is_final() {
            return;
        }
        inner.note_time();
        inner.ended = state.is_final().then(Instant::now);
        inner.state = state;
    }

    /// Ends the job for a client.
    pub(crate) fn cancel(&self) {
        self.enter(JobState::Canceled);
        self.interrupt.kill();
    }

    pub(crate) fn set_projection(&self, projection: Arc<Projection>) {
        self.lock().projection = Some(projection);
    }

    pub(crate) fn set_result(&self, result: Arc<Table>) {
        self.lock().result = Some(result);
    }

    /// Returns the result with the projection to whose vertices it belongs, once the job is done.
    ///
    /// Errors: 28 while it runs; its own error; 10 for a job without a result.
    pub(crate) fn result(&self) -> Result<(Arc<Projection>, Arc<Table>)> {
        let inner = self.lock();
        match &inner.state {
            JobState::Done => inner.projection.clone().zip(inner.result.clone()).ok_or_else(|| {
                Error::bad_parameter(format!("job {} ('{}') has no result", self.id, self.title))
            }),
            JobState::Failed(error) => Err(error.clone()),
            JobState::Canceled => Err(Error::of(ErrorCode::QueryKilled)),
            _ => Err(Error::new(
                ErrorCode::Locked,
                format!("job {} ('{}') has not ended", self.id, self.title),
            )),
        }
    }

    pub(crate) fn note_written(&self, documents: u64) {
        self.lock().written += documents;
    }

    /// Returns the facts about it.
    pub fn status(&self) -> JobStatus {
        let inner = self.lock();
        let mut times = inner.times;
        if !inner.state.is_final() {
            times.add(&inner.state, inner.phase_began.elapsed());
        }
        let graph = inner.projection.as_ref().map(|projection| &projection.loaded);
        JobStatus {
            id: self.id,
            title: self.title.clone(),
            user: self.owner.user.as_deref().unwrap_or_default().to_owned(),
            state: inner.state.clone(),
            progress: self.work.progress(),
            projection: inner.projection.as_ref().map(|projection| projection.id),
            size: graph.map_or((0, 0), |loaded| (loaded.vertices.len() as u64, loaded.graph.edge_count())),
            result_bytes: inner.result.as_ref().map_or(0, |table| table.bytes()),
            written: inner.written,
            created: self.created,
            times: (times.loading, times.running, times.storing),
            time_to_live: self.time_to_live,
            statistics: inner.result.as_ref().map_or_else(Vec::new, |table| table.statistics().to_vec()),
        }
    }

    fn is_expired(&self) -> bool {
        self.lock().ended.is_some_and(|ended| ended.elapsed() > self.time_to_live)
    }

    fn lock(&self) -> MutexGuard<'_, Inner> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Inner {
    fn note_time(&mut self) {
        let now = Instant::now();
        self.times.add(&self.state, now - self.phase_began);
        self.phase_began = now;
    }
}

impl PhaseTimes {
    fn add(&mut self, state: &JobState, time: Duration) {
        match state {
            JobState::Loading => self.loading += time,
            JobState::Running => self.running += time,
            JobState::Storing => self.storing += time,
            _ => {}
        }
    }
}

/// The jobs of all databases.
#[derive(Debug)]
pub(crate) struct Jobs {
    max: usize,
    all: Mutex<BTreeMap<u64, Arc<Job>>>,
}

impl Jobs {
    pub(super) fn new(max: usize) -> Self {
        Jobs { max, all: Mutex::default() }
    }

    /// Adds a job. The oldest ones that have ended make room.
    ///
    /// Errors: 32 if too many run.
    pub(crate) fn add(&self, job: Arc<Job>) -> Result<()> {
        let mut all = self.lock();
        while all.len() >= self.max {
            let ended = all.iter().find(|(_, job)| job.lock().state.is_final()).map(|(id, _)| *id);
            let Some(id) = ended else {
                return Err(Error::new(
                    ErrorCode::ResourceLimit,
                    format!("{} jobs of graph analytics run; at most {} are accepted", all.len(), self.max),
                ));
            };
            all.remove(&id);
        }
        all.insert(job.id, job);
        Ok(())
    }

    /// Returns a job of a database.
    pub(crate) fn find(&self, database: &str, id: u64) -> Option<Arc<Job>> {
        self.lock().get(&id).filter(|job| *job.owner.database == *database).cloned()
    }

    /// Returns the jobs of a database, in the order in which they began.
    pub(crate) fn of(&self, database: &str) -> Vec<Arc<Job>> {
        self.lock().values().filter(|job| *job.owner.database == *database).cloned().collect()
    }

    /// Removes a job of a database.
    pub(crate) fn remove(&self, database: &str, id: u64) -> Option<Arc<Job>> {
        let mut all = self.lock();
        all.get(&id).filter(|job| *job.owner.database == *database)?;
        all.remove(&id)
    }

    /// Returns the number of jobs that have not ended.
    pub(super) fn running(&self) -> u64 {
        self.lock().values().filter(|job| !job.lock().state.is_final()).count() as u64
    }

    /// Ends all jobs, before the server stops.
    pub(crate) fn stop(&self) {
        self.lock().values().for_each(|job| job.cancel());
    }

    pub(super) fn expire(&self) {
        self.lock().retain(|_, job| !job.is_expired());
    }

    fn lock(&self) -> MutexGuard<'_, BTreeMap<u64, Arc<Job>>> {
        self.all.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
