//! A job: a load or an algorithm that no request waits for.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant, SystemTime};

use aql_value::Interrupt;
use errors::{Error, ErrorCode, Result};
use graph_analytics::{Table, Work};

use super::origin::JobOrigin;
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
    origin: JobOrigin,
    /// The algorithm, or the name of another kind of work.
    title: String,
    /// The number of the projection that it will make.
    makes: Option<u64>,
    /// The columns of the result that its client wants, each with the name of its attribute.
    columns: Vec<(String, String)>,
    interrupt: Interrupt,
    work: Work,
    created: SystemTime,
    time_to_live: Duration,
    /// True once its client wants no record of it.
    is_forgotten: AtomicBool,
    state: Mutex<Inner>,
}

#[derive(Debug)]
struct Inner {
    state: JobState,
    phase_began: Instant,
    times: PhaseTimes,
    ended: Option<(Instant, SystemTime)>,
    projection: Option<Arc<Projection>>,
    /// The number, the vertices, the edges and the bytes of the projection, also when it is gone.
    graph: Option<(u64, (u64, u64), u64)>,
    result: Option<Arc<Table>>,
    statistics: Vec<(&'static str, graph_analytics::Statistic)>,
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
    /// Its database.
    pub database: Arc<str>,
    /// Its phase.
    pub state: JobState,
    /// The steps that its algorithm has done, and their total; 0 while that is not known.
    pub progress: (u64, u64),
    /// The projection that it reads or has made.
    pub projection: Option<u64>,
    /// The numbers of vertices and edges of its graph.
    pub size: (u64, u64),
    /// The bytes that its graph takes or took.
    pub graph_bytes: u64,
    /// The bytes that its result takes.
    pub result_bytes: u64,
    /// The documents that it has written.
    pub written: u64,
    /// The time at which it began.
    pub created: SystemTime,
    /// The time at which it ended.
    pub ended: Option<SystemTime>,
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
            graph: None,
            result: None,
            statistics: Vec::new(),
            written: 0,
        };
        Job {
            id,
            owner,
            origin: JobOrigin::Own,
            title,
            makes: None,
            columns,
            interrupt,
            work,
            created: SystemTime::now(),
            time_to_live,
            is_forgotten: AtomicBool::new(false),
            state: Mutex::new(state),
        }
    }

    /// Returns the job as one of an interface.
    pub(crate) fn of_origin(self, origin: JobOrigin) -> Self {
        Job { origin, ..self }
    }

    /// Returns the job with the number of the projection that it will make.
    pub(crate) fn making(self, projection: Option<u64>) -> Self {
        Job { makes: projection, ..self }
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

    /// Returns the interface by which it was started.
    pub fn origin(&self) -> JobOrigin {
        self.origin
    }

    /// Returns the number of the projection that it has made or will make.
    pub fn made_projection(&self) -> Option<u64> {
        self.makes
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
        inner.ended = state.is_final().then(|| (Instant::now(), SystemTime::now()));
        inner.state = state;
    }

    /// Notes that its client wants no record of it.
    pub(crate) fn forget(&self) {
        self.is_forgotten.store(true, Ordering::SeqCst);
    }

    /// Returns true once its client wants no record of it.
    pub(crate) fn is_forgotten(&self) -> bool {
        self.is_forgotten.load(Ordering::SeqCst)
    }

    /// Ends the job for a client. The memory of a job that runs is freed.
    pub(crate) fn cancel(&self) {
        let was_running = !self.is_final();
        self.enter(JobState::Canceled);
        self.interrupt.kill();
        if was_running {
            self.release();
        }
    }

    /// Lets go of the graph and the result.
    pub(crate) fn release(&self) {
        let (projection, result) = {
            let mut inner = self.lock();
            (inner.projection.take(), inner.result.take())
        };
        // Outside of the lock, because they may free much memory.
        drop((projection, result));
    }

    pub(crate) fn set_projection(&self, projection: Arc<Projection>) {
        let loaded = &projection.loaded;
        let size = (loaded.vertices.len() as u64, loaded.graph.edge_count());
        let graph = (projection.id, size, loaded.charge.bytes() + loaded.vertices.bytes());
        let mut inner = self.lock();
        inner.graph = Some(graph);
        if !inner.state.is_final() {
            inner.projection = Some(projection);
        }
    }

    pub(crate) fn set_result(&self, result: Arc<Table>) {
        let mut inner = self.lock();
        inner.statistics = result.statistics().to_vec();
        if !inner.state.is_final() {
            inner.result = Some(result);
        }
    }

    /// Returns the result with the projection to whose vertices it belongs, once the job is done.
    ///
    /// Errors: 28 (with status 409) while it runs; its own error; 10 for a job without a result.
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
            )
            .with_status(409)),
        }
    }

    pub(crate) fn note_written(&self, documents: u64) {
        self.lock().written += documents;
    }

    /// Returns true once nothing will change any more.
    pub fn is_final(&self) -> bool {
        self.lock().state.is_final()
    }

    /// Returns the facts about it.
    pub fn status(&self) -> JobStatus {
        let inner = self.lock();
        let mut times = inner.times;
        if !inner.state.is_final() {
            times.add(&inner.state, inner.phase_began.elapsed());
        }
        JobStatus {
            id: self.id,
            title: self.title.clone(),
            user: self.owner.user.as_deref().unwrap_or_default().to_owned(),
            database: Arc::clone(&self.owner.database),
            state: inner.state.clone(),
            progress: self.work.progress(),
            projection: inner.graph.map(|(id, ..)| id).or(self.makes),
            size: inner.graph.map(|(_, size, _)| size).unwrap_or_default(),
            graph_bytes: inner.graph.map(|(.., bytes)| bytes).unwrap_or_default(),
            result_bytes: inner.result.as_ref().map_or(0, |table| table.bytes()),
            written: inner.written,
            created: self.created,
            ended: inner.ended.map(|(_, time)| time),
            times: (times.loading, times.running, times.storing),
            time_to_live: self.time_to_live,
            statistics: inner.statistics.clone(),
        }
    }

    pub(super) fn is_expired(&self) -> bool {
        self.lock().ended.is_some_and(|(ended, _)| ended.elapsed() > self.time_to_live)
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
