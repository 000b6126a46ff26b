//! Calls of services: an isolate for each call, with the services of its database, as a user.

mod files;
mod host;
mod pool;

use std::sync::Arc;
use std::time::{Duration, Instant};

use database::MemoryAccount;
use database::foxx::{InstalledService, IsolateLimits, ServiceSet};
use database::javascript::{Call, IsolateThread, ended, text};
use errors::{Error, ErrorCode, Result};
use javascript::Failure;
use velocypack::Slice;

use self::files::ServiceFiles;
use self::host::{ServiceHost, World};
use self::pool::{Place, Pool, Warm};
use crate::route::batch::PartServices;
use crate::route::javascript::activity::Watcher;
use crate::route::javascript::origin::Origin;
use crate::service::foxx_network::ServiceNetwork;

/// The module that calls services.
const MODULE: &str = "persea/foxx/entry";

/// The time of a call from which it leaves the processors to others, and after which its isolate
/// is not used again.
const LONG_CALL: Duration = Duration::from_secs(1);

/// Runs services.
pub(crate) struct ServiceRunner {
    pool: Pool,
    limits: IsolateLimits,
    network: Option<ServiceNetwork>,
    /// The routes for the requests of services.
    parts: Arc<PartServices>,
}

/// A service that is called, and for whom.
#[derive(Clone, Copy)]
pub(in crate::route) struct Callee<'a> {
    /// The services of its database.
    pub(in crate::route) services: &'a Arc<ServiceSet>,
    pub(in crate::route) service: &'a InstalledService,
    pub(in crate::route) origin: &'a Origin,
}

/// A function of a service, and the arguments for it.
pub(crate) struct ServiceCall {
    /// The function of the runtime.
    pub(crate) function: &'static str,
    /// Its arguments, as VelocyPack.
    pub(crate) arguments: Vec<Vec<u8>>,
    /// The bytes of the request that it answers.
    pub(crate) body: Vec<u8>,
}

impl ServiceCall {
    /// Returns the call of a script of a service. `arguments` is a list.
    pub(crate) fn script(mount: &str, name: &str, arguments: Slice<'_>) -> Result<Self> {
        let arguments = arguments.bytes().get(..arguments.byte_len()).unwrap_or_default().to_vec();
        Ok(Self::new("script", vec![text(mount)?, text(name)?, arguments]))
    }

    /// Returns a call without bytes.
    pub(crate) fn new(function: &'static str, arguments: Vec<Vec<u8>>) -> Self {
        ServiceCall { function, arguments, body: Vec::new() }
    }
}

impl ServiceRunner {
    pub(crate) fn new(
        limits: IsolateLimits,
        network: Option<ServiceNetwork>,
        parts: Arc<PartServices>,
    ) -> Self {
        ServiceRunner { pool: Pool::new(limits), limits, network, parts }
    }

    /// Returns the routes for the requests of services.
    pub(crate) fn parts(&self) -> &Arc<PartServices> {
        &self.parts
    }

    /// Calls a function of a service in a new isolate, which ends with the call.
    ///
    /// `read` and the errors are those of [`ServiceRunner::call`].
    pub(in crate::route) fn call_once<T>(
        &self,
        callee: Callee<'_>,
        call: ServiceCall,
        read: impl FnOnce(Slice<'_>, &[u8]) -> Result<T>,
    ) -> Result<T> {
        let mut place = self.place(callee)?;
        place.discard();
        let result = self.call_in(&mut place, callee, call, read);
        place.discard();
        result
    }

    /// Calls a function of a service, in an isolate that has it loaded if there is one.
    ///
    /// `read` sees the result and the bytes beside it. A service in development gets a new isolate
    /// for each call. Errors: those of `read`; the exception of the service; 503 if all isolates
    /// are busy; 32 without memory; 1500 if the call is ended, or sends no request for the idle
    /// time of transactions.
    pub(in crate::route) fn call<T>(
        &self,
        callee: Callee<'_>,
        call: ServiceCall,
        read: impl FnOnce(Slice<'_>, &[u8]) -> Result<T>,
    ) -> Result<T> {
        if callee.service.is_development() {
            return self.call_once(callee, call, read);
        }
        let mut place = self.place(callee)?;
        self.call_in(&mut place, callee, call, read)
    }

    fn place(&self, callee: Callee<'_>) -> Result<Place<'_>> {
        let Callee { services, service, origin } = callee;
        let key = (Arc::clone(origin.session.database_name()), service.mount().into());
        self.pool.take(key, services, &origin.session)
    }

    fn call_in<T>(
        &self,
        place: &mut Place<'_>,
        callee: Callee<'_>,
        call: ServiceCall,
        read: impl FnOnce(Slice<'_>, &[u8]) -> Result<T>,
    ) -> Result<T> {
        let warm = place.warm(|| self.isolate(callee))?;
        let origin = callee.origin;
        let session = &origin.session;
        let timeout = session.instance().transactions().limits().idle_timeout;
        let world = Arc::clone(&warm.world);
        world.begin(origin);
        let watcher = Watcher::of(&world.activity);
        let (begun, life) = (Instant::now(), warm.thread.life());
        let may_continue = || {
            if begun.elapsed() >= LONG_CALL {
                life.yield_processors();
            }
            let checked = session.check_interrupt().and_then(|()| watcher.check(timeout));
            // The request that the service waits for ends as well.
            checked.inspect_err(|_| origin.interrupt().kill())
        };
        let ServiceCall { function, arguments, body } = call;
        let call = Call { module: MODULE, function, arguments, body: Some(body) };
        let mut outcome = None;
        let called = warm.thread.exchange(call, may_continue, |value, body| {
            // An error of the reader leaves the isolate as good as it was.
            outcome = Some(result(value).and_then(|value| read(value, body)));
            Ok(())
        });
        world.end();
        if begun.elapsed() >= LONG_CALL || !matches!(called, Ok(Ok(()))) {
            place.discard();
        }
        match called? {
            Ok(()) => outcome.unwrap_or_else(|| Err(Error::internal("a service gave no result"))),
            Err(Failure::Exception(exception)) => Err(failed(ErrorCode::ModuleFailure, exception.message)),
            Err(failure) => Err(ended(&failure)),
        }
    }

    /// Makes an isolate for a service. It loads the service at its first call.
    fn isolate(&self, callee: Callee<'_>) -> Result<Warm> {
        let Callee { services, service, origin } = callee;
        let world = Arc::new(World::new());
        let (network, set, own) = (self.network.clone(), Arc::clone(services), Arc::clone(&world));
        let (database, mount) = (origin.session.database_name().to_string(), service.mount().to_owned());
        let folder = service.folder().to_path_buf();
        let instance = origin.session.instance();
        let scripts = Arc::clone(instance.compiled_scripts());
        let host = move || -> Box<dyn javascript::Host> {
            let files = ServiceFiles::default();
            files.open(&folder);
            Box::new(ServiceHost { world: own, services: set, database, mount, files, network, scripts })
        };
        let memory = Arc::new(MemoryAccount::new(None, Some(Arc::clone(instance.work_memory()))));
        let thread = IsolateThread::start_within(host, &memory, self.limits.heap_bytes)?;
        Ok(Warm::new(thread, world, Arc::clone(services)))
    }

    /// Ends the isolates that nobody has used for a while. It is called once a second.
    pub(crate) fn expire(&self) {
        self.pool.expire();
    }
}

/// Returns the result in what the runtime returned. Errors: the exception of the service.
fn result(outcome: Slice<'_>) -> Result<Slice<'_>> {
    let Some(exception) = outcome.get("exception") else {
        return Ok(outcome.get("result").unwrap_or(Slice::NULL));
    };
    let member = |name: &str| exception.get(name);
    let message = member("message").and_then(Slice::as_str).unwrap_or_default();
    let number = member("errorNum").and_then(Slice::as_f64);
    let error = Error::of_exception(number, ErrorCode::ModuleFailure, message.to_owned());
    let status = member("code").and_then(Slice::as_f64).filter(|status| (400.0..=599.0).contains(status));
    Err(match status {
        Some(status) => error.with_status(status as u16),
        None => error,
    })
}

/// Returns an error of a service that is no fault of its client.
fn failed(code: ErrorCode, message: String) -> Error {
    Error::new(code, message).with_status(500)
}
