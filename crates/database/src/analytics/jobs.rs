//! Jobs: loads, algorithms and writes that no request waits for, each on a thread of its own.

use std::sync::Arc;
use std::thread;
use std::time::Duration;

use aql_value::{Interrupt, Owner};
use errors::{Error, ErrorCode, Result};
use graph_analytics::{Algorithm, Column, Parameters, Table, Work};
use velocypack::Slice;

use super::projections::ProjectionRequest;
use super::queries::QuerySource;
use super::rows::Named;
use super::run::algorithm;
use super::source::StoredSource;
use super::store::{Insertion, StoreRequest, attribute_names};
use super::summary::Computed;
use crate::session::Session;
use crate::state::analytics::{Job, JobOrigin, JobState, Projection};

/// The time for which a result is kept where the caller does not say.
const TIME_TO_LIVE: Duration = Duration::from_secs(3_600);

/// A request for a job.
#[derive(Clone, Debug)]
pub struct JobRequest {
    /// The name under which it is listed.
    pub title: String,
    /// The work.
    pub work: JobWork,
    /// The time after its end for which its result is kept; `None` for the default.
    pub time_to_live: Option<Duration>,
    /// The interface by which it is started.
    pub origin: JobOrigin,
    /// The value of a result where a count or a number is missing or infinite; null otherwise.
    pub missing: Option<i64>,
}

impl JobRequest {
    /// Makes a request with the defaults of the server's own interface.
    pub fn new(title: &str, work: JobWork) -> Self {
        let (time_to_live, missing) = (None, None);
        JobRequest { title: title.to_owned(), work, time_to_live, origin: JobOrigin::Own, missing }
    }
}

/// The work of a job.
#[derive(Clone, Debug)]
pub enum JobWork {
    /// Loads a projection.
    Load {
        /// The description of the graph in VelocyPack, as [`Session::create_projection`] takes it.
        graph: Vec<u8>,
    },
    /// Computes an algorithm on a projection.
    Compute {
        /// The projection's name or number.
        projection: String,
        /// The algorithm's name.
        algorithm: String,
        /// Its parameters in VelocyPack.
        parameters: Vec<u8>,
    },
    /// Loads a graph, computes an algorithm, and may write its result into the vertices.
    Whole {
        /// The description of the graph in VelocyPack.
        graph: Vec<u8>,
        /// The algorithm's name.
        algorithm: String,
        /// Its parameters in VelocyPack.
        parameters: Vec<u8>,
        /// The columns that its client wants, each with the name of its attribute.
        columns: Vec<(String, String)>,
        /// True if they are written into the vertices.
        is_stored: bool,
    },
    /// Writes results of other jobs, which must be about vertices of one projection.
    Store {
        /// The jobs.
        jobs: Vec<u64>,
        /// The attribute for each job.
        attributes: Vec<String>,
        /// The collection that gets a document for each vertex; `None` writes into the vertices.
        collection: Option<String>,
        /// The documents that one transaction writes.
        batch: usize,
    },
}

/// Checks the names of attributes that results get. Documents of their own have the vertex in `id`.
///
/// Errors: 10 for a name that cannot be written, or is there twice.
fn check_attributes(names: &[String], has_id: bool) -> Result<()> {
    for (i, name) in names.iter().enumerate() {
        let is_own = name.is_empty() || name.starts_with('_') || (has_id && name == "id");
        if is_own || names.iter().take(i).any(|other| other == name) {
            return Err(Error::bad_parameter(format!(
                "the attribute name '{name}' must be there once, not be 'id', and not begin with an underscore"
            )));
        }
    }
    Ok(())
}

/// Checks the types and ranges of an algorithm's parameters. Errors: 10.
fn check_parameters(
    algorithm: &Algorithm,
    parameters: &[u8],
    find: &dyn Fn(&str) -> Option<u32>,
) -> Result<()> {
    let resolve = |value: Slice<'_>| value.as_str().and_then(find);
    Parameters::parse(algorithm.parameters, Slice::new(parameters), &resolve).map(drop)
}

impl Session {
    /// Starts a job, and returns it at once.
    ///
    /// Errors: those that can be told at once: 10, 1202 for an unknown projection or job, 1924,
    /// 1203, 11, 32 if too many jobs run.
    pub fn start_analytics(&self, request: JobRequest) -> Result<Arc<Job>> {
        self.check_running()?;
        self.check_work(&request.work)?;
        let instance = self.instance();
        let interrupt = Interrupt::new();
        let work = Work::new(Owner { interrupt: interrupt.clone(), memory: self.work_memory() });
        let id = instance.next_local_id()?;
        let makes = match &request.work {
            JobWork::Load { .. } => Some(instance.next_local_id()?),
            _ => None,
        };
        let time_to_live = request.time_to_live.unwrap_or(TIME_TO_LIVE);
        let columns = match &request.work {
            JobWork::Whole { columns, .. } => columns.clone(),
            _ => Vec::new(),
        };
        let title = (request.title, columns);
        let job = Job::new(id, self.owner(), title, interrupt.clone(), work, time_to_live);
        let job = Arc::new(job.of_origin(request.origin).making(makes));
        instance.analytics().jobs.add(Arc::clone(&job))?;
        let (session, of_thread) = (self.clone().ended_by(interrupt), Arc::clone(&job));
        let run = move || {
            let ended = session.run_job(&of_thread, request.work, request.missing);
            of_thread.enter(ended.map_or_else(JobState::Failed, |()| JobState::Done));
            session.record_run(&of_thread);
        };
        thread::Builder::new().name("graph job".to_owned()).spawn(run).map_err(|error| {
            instance.analytics().jobs.remove(self.database_name(), id);
            Error::new(ErrorCode::ResourceLimit, format!("no thread for the job: {error}"))
        })?;
        Ok(job)
    }

    /// Checks what can be known before the work begins.
    fn check_work(&self, work: &JobWork) -> Result<()> {
        match work {
            JobWork::Load { graph } => {
                let graph = Slice::new(graph);
                ProjectionRequest::parse(graph)?;
                self.instance().analytics().projections.check_room()?;
                self.check_source(graph)
            }
            JobWork::Compute { projection, algorithm: name, parameters } => {
                let algorithm = algorithm(name)?;
                let projection = self.find_projection(projection, None)?;
                let vertices = &projection.loaded.vertices;
                check_parameters(algorithm, parameters, &|id| vertices.find(id))
            }
            JobWork::Whole { graph, algorithm: name, parameters, columns, is_stored } => {
                let algorithm = algorithm(name)?;
                // The vertices are not known yet.
                check_parameters(algorithm, parameters, &|id| id.contains('/').then_some(0))?;
                let columns: Vec<String> = columns.iter().map(|(column, _)| column.clone()).collect();
                if !columns.is_empty() {
                    attribute_names(algorithm, None, &columns)?;
                }
                self.check_source(Slice::new(graph))?;
                if *is_stored { self.check_vertices_writable(Slice::new(graph)) } else { Ok(()) }
            }
            JobWork::Store { jobs, attributes, collection, .. } => {
                if jobs.is_empty() || jobs.len() != attributes.len() {
                    return Err(Error::bad_parameter(
                        "there must be one attribute name for each job, and one job",
                    ));
                }
                let mut graph = None;
                for id in jobs {
                    let (projection, table) = self.any_analytics_job(*id)?.result()?;
                    if !table.is_by_vertex() {
                        return Err(Error::bad_parameter(format!(
                            "the result of job {id} is not about single vertices"
                        )));
                    }
                    if *graph.get_or_insert(projection.id) != projection.id {
                        return Err(Error::bad_parameter("the jobs computed on different graphs"));
                    }
                }
                check_attributes(attributes, collection.is_some())?;
                collection.iter().try_for_each(|name| self.writable_collection(name).map(drop))
            }
        }
    }

    fn check_source(&self, graph: Slice<'_>) -> Result<()> {
        if QuerySource::parse(graph)?.is_some() {
            return Ok(());
        }
        StoredSource::parse(graph)?.collections(self, &self.snapshot()?, None).map(drop)
    }

    /// Checks that results can be written into the vertices. Errors: 11, 1004, 1203.
    fn check_vertices_writable(&self, graph: Slice<'_>) -> Result<()> {
        let collections = StoredSource::parse(graph)?.collections(self, &self.snapshot()?, None)?;
        collections.vertices.iter().try_for_each(|vertices| self.require_writable(vertices.name()))
    }

    fn run_job(&self, job: &Arc<Job>, work: JobWork, missing: Option<i64>) -> Result<()> {
        match work {
            JobWork::Load { graph } => {
                let request = ProjectionRequest::parse(Slice::new(&graph))?;
                let loaded = self.load_graph(Slice::new(&graph), job.work())?;
                job.work().check()?;
                let id = job.made_projection().map_or_else(|| self.instance().next_local_id(), Ok)?;
                job.set_projection(self.add_projection((id, job.origin()), request, loaded)?);
                Ok(())
            }
            JobWork::Compute { projection, algorithm, parameters } => {
                let projection = self.find_projection(&projection, None)?;
                let named = Named::Projection(projection);
                self.compute_for(job, &named, &algorithm, &parameters, missing).map(drop)
            }
            JobWork::Whole { graph, algorithm, parameters, columns, is_stored } => {
                let loaded = self.load_graph(Slice::new(&graph), job.work())?;
                let (id, name) = (self.instance().next_local_id()?, String::new());
                // Only the job keeps it.
                let projection =
                    Projection::new((id, name), self.owner(), String::new(), loaded, TIME_TO_LIVE);
                let named = Named::Projection(Arc::new(projection));
                let table = self.compute_for(job, &named, &algorithm, &parameters, missing)?;
                let column = |(column, name): &(String, String)| {
                    table.column(column).map(|values| (name.clone(), values.clone()))
                };
                let columns: Vec<(String, Column)> =
                    columns.iter().filter(|_| is_stored).filter_map(column).collect();
                self.store_for(job, &named, &columns, StoreRequest::BATCH)?;
                if is_stored {
                    // The documents have the result now.
                    job.release();
                }
                Ok(())
            }
            JobWork::Store { jobs, attributes, collection, batch } => {
                let mut columns = Vec::new();
                let mut named = None;
                for (id, attribute) in jobs.iter().zip(attributes) {
                    let (projection, table) = self.any_analytics_job(*id)?.result()?;
                    if let Some((_, column)) = table.columns().first() {
                        columns.push((attribute, column.clone()));
                    }
                    named = Some(Named::Projection(projection));
                }
                let Some(named) = named else { return Ok(()) };
                match collection {
                    None => self.store_for(job, &named, &columns, batch),
                    Some(collection) => self.store_into(job, &collection, &named, &columns, batch),
                }
            }
        }
    }

    fn compute_for(
        &self,
        job: &Job,
        named: &Named,
        name: &str,
        parameters: &[u8],
        missing: Option<i64>,
    ) -> Result<Arc<Table>> {
        let algorithm = algorithm(name)?;
        if let Named::Projection(projection) = named {
            job.set_projection(Arc::clone(projection));
        }
        job.enter(JobState::Running);
        job.work().set_progress(0, 0);
        let owner = Owner { interrupt: job.work().interrupt().clone(), memory: self.work_memory() };
        let Computed { mut table, .. } =
            self.graph_runs(&owner).compute(algorithm, named, Slice::new(parameters), job.work())?;
        if let Some(value) = missing {
            table = table.filled(value);
        }
        let table = Arc::new(table);
        job.set_result(Arc::clone(&table));
        Ok(table)
    }

    /// Writes columns into the documents of the vertices.
    fn store_for(&self, job: &Job, named: &Named, columns: &[(String, Column)], batch: usize) -> Result<()> {
        if columns.is_empty() {
            return Ok(());
        }
        job.enter(JobState::Storing);
        let request = StoreRequest {
            session: self,
            interrupt: job.work().interrupt(),
            vertices: named.vertices(),
            columns: columns.iter().map(|(name, column)| (name.as_str(), column)).collect(),
            batch,
            note: &|written| job.note_written(written),
        };
        request.run().map(drop)
    }

    /// Writes a document for each vertex into a collection. Its `id` names the vertex.
    fn store_into(
        &self,
        job: &Job,
        collection: &str,
        named: &Named,
        columns: &[(String, Column)],
        batch: usize,
    ) -> Result<()> {
        job.enter(JobState::Storing);
        let columns: Vec<(&str, &Column)> =
            columns.iter().map(|(name, column)| (name.as_str(), column)).collect();
        let store = Insertion { session: self, collection, vertices: named.vertices(), columns };
        let count = named.vertices().len();
        let mut from = 0;
        while from < count {
            job.work().check()?;
            let to = count.min(from.saturating_add(batch.max(1)));
            let written = store.write(from..to)?;
            job.note_written(written);
            job.work().set_progress(to as u64, count as u64);
            from = to;
        }
        Ok(())
    }

    /// Returns a job of this database that the user may use. Errors: 1202 for an unknown one.
    pub fn analytics_job(&self, id: u64) -> Result<Arc<Job>> {
        let job = self.instance().analytics().jobs.find(self.database_name(), id);
        let job = job.filter(|job| self.may_use_job(job));
        job.ok_or_else(|| Error::new(ErrorCode::DocumentNotFound, format!("there is no job {id}")))
    }

    /// Returns a job of any database that the user may use. Errors: 1202 for an unknown one.
    pub fn any_analytics_job(&self, id: u64) -> Result<Arc<Job>> {
        let job = self.instance().analytics().jobs.get(id).filter(|job| self.may_use_job(job));
        job.ok_or_else(|| Error::new(ErrorCode::DocumentNotFound, format!("there is no job {id}")))
    }

    /// Returns the jobs of this database that the user may use, the oldest first.
    pub fn analytics_jobs(&self) -> Vec<Arc<Job>> {
        let jobs = self.instance().analytics().jobs.of(self.database_name());
        jobs.into_iter().filter(|job| self.may_use_job(job)).collect()
    }

    /// Ends a job that runs. Errors: 1202 for an unknown one.
    pub fn cancel_analytics(&self, id: u64) -> Result<Arc<Job>> {
        let job = self.analytics_job(id)?;
        job.cancel();
        Ok(job)
    }

    /// Ends a job and forgets it with its result. Errors: 1202 for an unknown one.
    pub fn remove_analytics(&self, id: u64) -> Result<Arc<Job>> {
        let job = self.cancel_analytics(id)?;
        self.instance().analytics().jobs.remove(self.database_name(), id);
        Ok(job)
    }

    pub(super) fn may_use_job(&self, job: &Job) -> bool {
        job.owner().user.as_ref() == self.user() || self.require_administrator().is_ok()
    }
}
