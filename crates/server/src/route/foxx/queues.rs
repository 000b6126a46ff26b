//! The workers of queues: they run jobs that are due, each on a thread of its own.

use std::collections::HashSet;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Weak};
use std::time::{SystemTime, UNIX_EPOCH};

use database::foxx::{InstalledService, Job, JobEnd, JobOutcome};
use database::{Instance, Session};
use errors::{Error, ErrorCode, Result};
use velocypack::Slice;

use super::Services;
use super::runner::{Callee, ServiceCall};
use crate::http::fields::Fields;
use crate::route::javascript::origin::Origin;

/// Maximum number of jobs that run at once.
const RUNS_MAX: usize = 16;

/// Runs the jobs of queues until it is dropped.
pub(crate) struct QueueWorkers {
    /// Ends the thread when it is dropped.
    _stop: Sender<()>,
}

impl QueueWorkers {
    /// Starts the thread that looks for jobs. Errors: 4 if there is none.
    pub(crate) fn start(services: &Arc<Services>) -> Result<Self> {
        let (stop, stopped) = channel();
        let interval = services.instance.options().foxx.queue_poll_interval;
        let services = Arc::downgrade(services);
        let mut queues = Queues::default();
        let serve = move || {
            while stopped.recv_timeout(interval) == Err(RecvTimeoutError::Timeout) {
                let Some(services) = services.upgrade() else { return };
                queues.look(&services);
            }
        };
        let thread = std::thread::Builder::new().name("queues".to_owned());
        thread.spawn(serve).map_err(Error::internal)?;
        Ok(QueueWorkers { _stop: stop })
    }
}

#[derive(Default)]
struct Queues {
    /// The databases whose jobs were prepared since this server began to run them.
    prepared: HashSet<String>,
    running: Arc<AtomicUsize>,
}

impl Queues {
    /// Begins the jobs that are due in any database.
    fn look(&mut self, services: &Arc<Services>) {
        let instance = &services.instance;
        // A copy leaves the jobs to the server that it follows.
        if instance.store().is_following() || instance.is_stopping() {
            self.prepared.clear();
            return;
        }
        for name in instance.databases_with_jobs() {
            if let Err(error) = self.look_in(services, &name) {
                tracing::warn!(target: "v8", database = %name, "cannot look for jobs of queues: {error}");
            }
        }
    }

    fn look_in(&mut self, services: &Arc<Services>, database: &str) -> Result<()> {
        let session = Session::of_jobs(Arc::clone(&services.instance), database)?;
        if !self.prepared.contains(database) {
            session.prepare_jobs()?;
            self.prepared.insert(database.to_owned());
        }
        let room = RUNS_MAX.saturating_sub(self.running.load(Ordering::Relaxed));
        if room == 0 {
            return Ok(());
        }
        for job in session.due_jobs(now(), room)? {
            if !session.begin_job(&job, now())? {
                continue;
            }
            let (services, session, running) =
                (Arc::downgrade(services), session.clone(), Running::of(&self.running));
            let thread = std::thread::Builder::new().name("job".to_owned());
            let run = move || {
                run(&services, &session, &job);
                drop(running);
            };
            thread.spawn(run).map_err(Error::internal)?;
        }
        Ok(())
    }
}

/// A job that runs, as long as this exists.
struct Running(Arc<AtomicUsize>);

impl Running {
    fn of(count: &Arc<AtomicUsize>) -> Self {
        count.fetch_add(1, Ordering::Relaxed);
        Running(Arc::clone(count))
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

/// Runs a job, and notes its end.
fn run(services: &Weak<Services>, session: &Session, job: &Job) {
    let Some(services) = services.upgrade() else { return };
    let run = JobRun::begin(&services, session, job);
    if let Err(error) = run.run() {
        let (database, id) = (run.origin.session.database_name(), job.id());
        tracing::warn!(target: "v8", %database, "the job {id} was left as it is: {error}");
    }
}

struct JobRun<'a> {
    services: &'a Services,
    origin: Origin,
    job: &'a Job,
}

impl<'a> JobRun<'a> {
    fn begin(services: &'a Services, session: &Session, job: &'a Job) -> Self {
        let session = session.clone().ended_by(session.part_interrupt());
        let parts = Arc::clone(services.runner.parts());
        JobRun { services, origin: Origin::of_work(parts, session), job }
    }

    fn run(&self) -> Result<()> {
        let session = &self.origin.session;
        match self.script() {
            Ok(result) => {
                if session.end_job(self.job, &JobOutcome::Success, now())? == JobEnd::Succeeded {
                    self.tell("success", Slice::new(&result));
                }
            }
            Err(error) if is_postponed(&error, &self.services.instance) => {
                session.end_job(self.job, &JobOutcome::Postponed, now())?;
            }
            Err(error) => {
                let printed = printed(&error)?;
                let outcome = JobOutcome::Failure { error: printed, pause: self.pause() };
                if session.end_job(self.job, &outcome, now())? == JobEnd::Failed {
                    let (database, id, mount) = (session.database_name(), self.job.id(), self.job.mount());
                    tracing::warn!(target: "v8", %database, "the job {id} of the service at {mount} has failed: {error}");
                    self.tell("failure", Slice::NULL);
                }
            }
        }
        Ok(())
    }

    /// Runs the script. Returns its result.
    fn script(&self) -> Result<Vec<u8>> {
        let service = self.service()?;
        let (name, job) = (self.job.script(), self.job);
        if service.manifest()?.script(name).is_none() {
            let message = format!("the service at '{}' has no script '{name}'", job.mount());
            return Err(Error::new(ErrorCode::ServiceUnknownScript, message));
        }
        let arguments = Fields::array(|fields| {
            fields.with(|builder| job.write_arguments(builder));
        })?;
        let call = ServiceCall::script(service.mount(), name, Slice::new(&arguments))?;
        self.call(&service, call)
    }

    /// Calls a function of the service. Returns its result.
    fn call(&self, service: &InstalledService, call: ServiceCall) -> Result<Vec<u8>> {
        let services = &self.origin.session.services()?;
        let callee = Callee { services, service, origin: &self.origin };
        self.services.runner.call(callee, call, |result, _| {
            Ok(result.bytes().get(..result.byte_len()).unwrap_or_default().to_vec())
        })
    }

    fn service(&self) -> Result<Arc<InstalledService>> {
        self.origin.session.service(self.job.mount())
    }

    /// Calls a function that the client has given. Its own failure changes nothing.
    fn tell(&self, name: &str, result: Slice<'_>) {
        let Some(source) = self.job.function(name) else { return };
        let present = self.origin.session.present_job(self.job).ok().flatten();
        let document = present.as_ref().unwrap_or(self.job).document();
        let arguments = Fields::array(|fields| {
            fields.element(result).element(self.job.data()).element(document);
        });
        if let Err(error) = arguments.and_then(|arguments| self.callback(source, arguments)) {
            let (database, id) = (self.origin.session.database_name(), self.job.id());
            tracing::warn!(target: "v8", %database, "the function `{name}` of the job {id} failed: {error}");
        }
    }

    /// Returns the pause before the next attempt, in milliseconds.
    fn pause(&self) -> f64 {
        let given = self.job.function("backOff").and_then(|source| {
            let arguments = Fields::array(|fields| {
                fields.number_element(self.job.failures() + 1);
            });
            let pause = arguments.and_then(|arguments| self.callback(source, arguments)).ok()?;
            Slice::new(&pause).as_f64().filter(|pause| *pause >= 0.0)
        });
        given.unwrap_or_else(|| self.job.back_off(random()))
    }

    fn callback(&self, source: &str, arguments: Vec<u8>) -> Result<Vec<u8>> {
        let service = self.service()?;
        let text = database::javascript::text;
        let call = ServiceCall::new("callback", vec![text(service.mount())?, text(source)?, arguments]);
        self.call(&service, call)
    }
}

/// Returns true for a run that could not begin, or that the stop of the server has ended.
fn is_postponed(error: &Error, instance: &Instance) -> bool {
    instance.is_stopping()
        || matches!(
            error.code(),
            ErrorCode::HttpServiceUnavailable | ErrorCode::ResourceLimit | ErrorCode::ShuttingDown
        )
}

/// Returns an error as the object that jobs keep.
fn printed(error: &Error) -> Result<Vec<u8>> {
    Fields::object(|fields| {
        fields
            .bool("error", true)
            .number("errorNum", error.number())
            .text("errorMessage", error.message())
            .text("message", error.message());
    })
}

/// Returns the present time in milliseconds since 1970.
fn now() -> f64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0.0, |time| time.as_secs_f64() * 1_000.0)
}

/// Returns a random number from 0 to 1; a half without random numbers.
fn random() -> f64 {
    let mut bytes = [0; 4];
    getrandom::fill(&mut bytes).map_or(0.5, |()| f64::from(u32::from_le_bytes(bytes)) / f64::from(u32::MAX))
}
