//! Graph analytics engines as ArangoDB's interface knows them: what a user starts, and what was
//! loaded and computed through it.

use std::sync::Arc;

use errors::{Error, ErrorCode, Result};

use crate::session::Session;
use crate::state::analytics::{Engine, Job, JobOrigin, Projection, ProjectionInfo};

impl Session {
    /// Returns a session of the same user in another database.
    ///
    /// Errors: 11, 1228.
    pub fn in_database(&self, name: &str) -> Result<Session> {
        Session::open(Arc::clone(self.instance()), name, self.identity().clone())
    }

    /// Starts an engine. Errors: 30 while the server stops, 32 if there are too many.
    pub fn start_engine(&self, size: &str) -> Result<Engine> {
        self.check_running()?;
        let id = self.instance().next_local_id()?;
        let engine = Engine::new(id, self.user().cloned(), size.to_owned());
        self.instance().analytics().engines.add(engine.clone())?;
        Ok(engine)
    }

    /// Returns the engines that the user may use, the oldest first.
    pub fn engines(&self) -> Vec<Engine> {
        let all = self.instance().analytics().engines.all();
        all.into_iter().filter(|engine| self.may_use_engine(engine)).collect()
    }

    /// Returns an engine that the user may use. Errors: 404 for an unknown one.
    pub fn engine(&self, name: &str) -> Result<Engine> {
        let found = name.parse().ok().and_then(|id| self.instance().analytics().engines.find(id));
        found.filter(|engine| self.may_use_engine(engine)).ok_or_else(|| {
            Error::new(ErrorCode::HttpNotFound, format!("there is no engine '{name}'; start one first"))
        })
    }

    /// Removes an engine with its jobs and graphs. Errors: 404 for an unknown one.
    pub fn remove_engine(&self, name: &str) -> Result<Engine> {
        let engine = self.engine(name)?;
        let analytics = self.instance().analytics();
        analytics.engines.remove(engine.id);
        for job in self.engine_jobs(engine.id) {
            job.cancel();
            analytics.jobs.remove(&job.owner().database, job.id());
        }
        for projection in self.engine_projections(engine.id) {
            analytics.projections.remove(projection.id);
        }
        Ok(engine)
    }

    /// Returns the jobs of an engine that the user may use, the oldest first.
    pub fn engine_jobs(&self, engine: u64) -> Vec<Arc<Job>> {
        let all = self.instance().analytics().jobs.all();
        let is_its = |job: &Arc<Job>| job.origin() == JobOrigin::Engine(engine) && self.may_use_job(job);
        all.into_iter().filter(is_its).collect()
    }

    /// Returns a job of an engine. Errors: 404 for an unknown one.
    pub fn engine_job(&self, engine: u64, id: u64) -> Result<Arc<Job>> {
        let job = self.instance().analytics().jobs.get(id);
        let job = job.filter(|job| job.origin() == JobOrigin::Engine(engine) && self.may_use_job(job));
        job.ok_or_else(|| Error::new(ErrorCode::HttpNotFound, format!("the engine has no job {id}")))
    }

    /// Ends a job of an engine, and forgets it with its result. Errors: 404 for an unknown one.
    pub fn remove_engine_job(&self, engine: u64, id: u64) -> Result<Arc<Job>> {
        let job = self.engine_job(engine, id)?;
        job.cancel();
        self.instance().analytics().jobs.remove(&job.owner().database, id);
        Ok(job)
    }

    /// Returns the graphs of an engine that the user may use, the oldest first.
    pub fn engine_graphs(&self, engine: u64) -> Vec<ProjectionInfo> {
        self.engine_projections(engine).iter().map(|projection| projection.info()).collect()
    }

    /// Returns a graph of an engine, with a session in its database.
    ///
    /// Errors: 404 for an unknown one, 11 without the right to read one of its collections.
    pub fn engine_graph(&self, engine: u64, id: u64) -> Result<(Session, ProjectionInfo)> {
        let found = self.engine_projections(engine).into_iter().find(|projection| projection.id == id);
        let projection = found
            .ok_or_else(|| Error::new(ErrorCode::HttpNotFound, format!("the engine has no graph {id}")))?;
        let session = self.in_database(&projection.owner.database)?;
        let info = session.projection(&id.to_string())?;
        Ok((session, info))
    }

    /// Removes a graph of an engine from memory. Work that uses it continues.
    ///
    /// Errors: 404 for an unknown one.
    pub fn remove_engine_graph(&self, engine: u64, id: u64) -> Result<()> {
        let (session, _) = self.engine_graph(engine, id)?;
        session.remove_projection(&id.to_string()).map(drop)
    }

    fn engine_projections(&self, engine: u64) -> Vec<Arc<Projection>> {
        let all = self.instance().analytics().projections.all();
        let is_its = |projection: &Arc<Projection>| {
            projection.origin == JobOrigin::Engine(engine) && self.may_use_projection(projection)
        };
        all.into_iter().filter(is_its).collect()
    }

    fn may_use_engine(&self, engine: &Engine) -> bool {
        engine.user.as_ref() == self.user() || self.require_administrator().is_ok()
    }
}
