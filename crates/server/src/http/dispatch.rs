//! From an address to a route and its answer, for requests of connections and parts of batches
//! alike.

use std::num::NonZeroU64;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, OnceLock};

use database::{Identity, Instance, Interrupt, Session, activity};
use errors::{Error, ErrorCode, Result};
use hyper::header::{HeaderMap, HeaderName};
use hyper::{Method, Uri};
use traces::Trace;

use super::activities::Listed;
use super::audit::{self, Audit};
use super::following;
use super::forward::{FORWARDED_BY, HomeServer};
use super::log_context::{self, LogContext};
use super::path::{Path, PathError};
use super::pattern::Match;
use super::query::Query;
use super::request::Request;
use super::response::{Response, Rest};
use super::route::{Access, BoundRoute, Call, Verb};
use super::router::{Found, Router};
use super::services::{AsyncMode, Services};
use crate::placement::{Cost, Place, Placement};

/// Maximum size in bytes of an address; ArangoDB's 16K.
const MAX_URI_BYTES: usize = 16 << 10;

/// Bytes of the longest body that a client without a user may send, before and after decompression.
///
/// A name, a password and an access token fit in.
const OPEN_MAX_BODY_BYTES: usize = 8 << 10;

/// The header that names the transaction of a request.
pub(crate) const TRANSACTION: HeaderName = HeaderName::from_static("x-arango-trx-id");

/// Parses an address. Errors: 414, 400.
pub(crate) fn parse_path(uri: &Uri) -> Result<Path> {
    if uri.path_and_query().is_some_and(|target| target.as_str().len() > MAX_URI_BYTES) {
        return Err(
            Error::new(ErrorCode::HttpBadParameter, "the address is longer than 16 KiB").with_status(414)
        );
    }
    Path::parse(uri.clone()).map_err(|error| {
        let reason = match error {
            PathError::Malformed => "is not well-formed",
            PathError::TooLong => "has too many parts",
        };
        Error::new(ErrorCode::HttpBadParameter, format!("the path '{}' {reason}", uri.path()))
    })
}

fn method_not_allowed(method: &Method) -> Error {
    let known =
        matches!(*method, Method::OPTIONS | Method::TRACE | Method::CONNECT) || Verb::of(method).is_some();
    let message = if known { "method not supported" } else { "unknown method" };
    Error::new(ErrorCode::HttpMethodNotAllowed, message)
}

/// A route, and the user that it runs for.
#[derive(Clone)]
pub(crate) struct Job {
    call: Call,
    cost: Cost,
    /// `None` for a route that needs no user.
    session: Option<Session>,
    audit: Option<Audit>,
}

impl Job {
    /// Returns the user that the route runs for; `None` without authentication.
    pub(crate) fn user(&self) -> Option<&Arc<str>> {
        self.session.as_ref().and_then(Session::user)
    }

    /// Returns true for a route that needs no user.
    ///
    /// Its requests never run in the background: places in that queue are for users.
    pub(crate) fn is_open(&self) -> bool {
        self.session.is_none()
    }

    /// Returns the length of the longest body that the route accepts, at most `longest`.
    ///
    /// Routes without a user accept short bodies only.
    pub(crate) fn max_body_bytes(&self, longest: usize) -> usize {
        match self.call {
            Call::Open(_) => longest.min(OPEN_MAX_BODY_BYTES),
            Call::User(_) => longest,
        }
    }

    /// Returns the job with queries that end when `interrupt` is killed.
    pub(crate) fn ended_by(self, interrupt: &Interrupt) -> Self {
        Job { session: self.session.map(|session| session.ended_by(interrupt.clone())), ..self }
    }

    /// Returns the job with queries that are parts of a traced request.
    pub(crate) fn traced(self, trace: Option<Trace>) -> Self {
        Job { session: self.session.map(|session| session.traced(trace)), ..self }
    }

    /// Calls the route, and logs what the audit wants to know.
    fn call(&self, request: &Request) -> Result<Response> {
        let outcome = self.call_route(request);
        let error = outcome.as_ref().err();
        if let Some(audit) = self.audit {
            audit::changed(audit, self.user().map_or("", |user| user), request, error);
        }
        if error.is_some_and(|error| error.status() == 403) {
            let action = format!("{} {}", request.method(), request.uri().path());
            let user = self.user().map_or("", |user| user);
            audit::denied(user, request.client(), request.database(), &action);
        }
        outcome
    }

    fn call_route(&self, request: &Request) -> Result<Response> {
        match (&self.call, &self.session) {
            (Call::Open(call), _) => call(request),
            (Call::User(call), Some(session)) => call(session, request),
            (Call::User(_), None) => Err(Error::internal("a route for users was called without one")),
        }
    }
}

/// The route of paths that no other route has.
#[derive(Clone)]
pub(crate) struct Fallback {
    pub(crate) route: BoundRoute,
    /// Returns true for a path that it may answer. It is asked on a connection's task.
    pub(crate) answers: Arc<dyn Fn(&Path) -> bool + Send + Sync>,
}

/// All routes, and the services to call them.
pub(crate) struct Dispatcher {
    router: Router,
    fallback: OnceLock<Fallback>,
    instance: Arc<Instance>,
    services: Arc<dyn Services>,
    placement: Arc<Placement>,
}

impl Dispatcher {
    pub(crate) fn new(
        router: Router,
        instance: Arc<Instance>,
        services: Arc<dyn Services>,
        placement: Arc<Placement>,
    ) -> Self {
        Dispatcher { router, fallback: OnceLock::new(), instance, services, placement }
    }

    /// Sets the route of paths that have none. The first one counts.
    pub(crate) fn set_fallback(&self, fallback: Fallback) {
        let _ = self.fallback.set(fallback);
    }

    /// Returns the server's shared state.
    pub(crate) fn instance(&self) -> &Instance {
        &self.instance
    }

    /// Returns the server's services for HTTP.
    pub(crate) fn services(&self) -> &dyn Services {
        self.services.as_ref()
    }

    /// Finds the route of a request. Errors: 400, 404, 405.
    pub(crate) fn find_route(&self, method: &Method, path: &Path) -> Result<(BoundRoute, Match)> {
        let verb = Verb::of(method).ok_or_else(|| method_not_allowed(method))?;
        match self.router.find(verb, path) {
            Found::Route(route, matched) => Ok((route.clone(), matched)),
            Found::PartMissing(route) => {
                let pattern = route.pattern.replace('{', "<").replace('}', ">");
                Err(Error::new(ErrorCode::HttpBadParameter, format!("expecting {method} {pattern}")))
            }
            Found::OtherMethods => Err(Error::of(ErrorCode::HttpMethodNotAllowed)),
            Found::Nothing if let Some(fallback) = self.fallback_of(path) => {
                Ok((fallback.route.clone(), Match { pattern: fallback.route.pattern }))
            }
            Found::Nothing => Err(Error::new(ErrorCode::HttpNotFound, format!("unknown path '{path}'"))),
        }
    }

    fn fallback_of(&self, path: &Path) -> Option<&Fallback> {
        self.fallback.get().filter(|fallback| (fallback.answers)(path))
    }

    /// Returns the server that must answer a request: the one that has its transaction, or the
    /// object that it names, or the first one for some routes.
    pub(crate) fn home_server(
        &self,
        route: &BoundRoute,
        matched: Match,
        path: &Path,
        (uri, headers): (&Uri, &HeaderMap),
    ) -> HomeServer {
        if headers.contains_key(FORWARDED_BY) {
            return HomeServer::This;
        }
        // A malformed number is an error here as well as there.
        let transaction = transaction_of(headers).ok().flatten();
        let object = transaction.or_else(|| named_object(route.local_object?, matched, path, uri));
        match object {
            Some(object) => self.services.home_server(object),
            None if route.of_first_server => self.services.first_server(),
            None => HomeServer::This,
        }
    }

    /// Returns a job of a route for a user, after a check of the user's rights.
    ///
    /// Errors: 401, 403, 1228, 1230, 10.
    pub(crate) fn user_job(
        &self,
        route: BoundRoute,
        database: &str,
        identity: Identity,
        headers: &HeaderMap,
    ) -> Result<Job> {
        let instance = Arc::clone(&self.instance);
        let session = match route.access {
            Access::Nothing if database == catalog::SYSTEM_DATABASE => Session::of_system(instance, identity),
            _ => Session::open(instance, database, identity).map_err(hide_forbidden)?,
        };
        let session = session.claimed_by(self.services.claimed_name(headers));
        following::check(&self.instance, route.pattern, headers, route.local_object.is_some())?;
        if route.system_only && !session.is_system_database() {
            return Err(Error::of(ErrorCode::UseSystemDatabase));
        }
        match route.access {
            Access::Use | Access::Nothing => {}
            Access::Write => session.require_database(catalog::AccessLevel::ReadWrite)?,
            Access::Inspect => session.require_insight()?,
            Access::Administer => session.require_administrator()?,
        }
        match transaction_of(headers)? {
            None => {
                let reads_replicas = route.reads_replicas && following::allows_dirty_read(headers);
                let session = if reads_replicas { session.reading_replicas() } else { session };
                let (cost, audit) = (route.cost, route.audit);
                Ok(Job { call: route.call, cost, session: Some(session), audit })
            }
            Some(id) => {
                let (session, audit) = (Some(session.within(id)), route.audit);
                Ok(Job { call: route.call, cost: Cost::Transaction, session, audit })
            }
        }
    }

    /// Checks that a database exists and that the user may use it. Errors: 401, 1228.
    ///
    /// `_system` always exists, and some of its routes are public.
    pub(crate) fn check_database(&self, database: &str, identity: Identity) -> Result<()> {
        if database != catalog::SYSTEM_DATABASE {
            Session::open(Arc::clone(&self.instance), database, identity).map_err(hide_forbidden)?;
        }
        Ok(())
    }

    /// Runs a route as far as possible on a connection's task. The rest is deferred.
    pub(crate) fn begin(&self, job: Job, mut request: Request) -> Result<Response> {
        let context = self.log_context(&job, &request);
        let id = activity::next_id();
        match self.placement.place(job.cost, request.body.len()) {
            Place::Pool(lane) => {
                let interrupt = Interrupt::new();
                let job = job.ended_by(&interrupt);
                let listed = self.services.activities().begin(id, &request);
                let work = move || run(context, &listed, || job.call(&request)?.finish());
                Ok(Response::rest(Rest::interruptible(interrupt, work).on(lane)))
            }
            Place::Connection(budget) => {
                request.budget = budget;
                let begun = activity::within(id, || run_part(context.clone(), || job.call(&request)));
                match begun?.finished() {
                    Ok(response) => Ok(response),
                    Err(rest) => {
                        let listed = self.services.activities().begin(id, &request);
                        Ok(Response::rest(rest.within(move |work| run(context, &listed, work))))
                    }
                }
            }
        }
    }

    /// Runs a route to its end.
    pub(crate) fn run(&self, job: &Job, request: &Request) -> Result<Response> {
        let listed = self.services.activities().begin(activity::next_id(), request);
        run(self.log_context(job, request), &listed, || job.call(request)?.finish())
    }

    /// Starts a request in the background and replies immediately.
    pub(crate) fn run_later(&self, job: Job, request: Request, mode: AsyncMode) -> Result<Response> {
        let (context, user) = (self.log_context(&job, &request), job.user().cloned());
        let listed = self.services.activities().begin(activity::next_id(), &request);
        let work = move |interrupt: Option<&Interrupt>| {
            let job = match interrupt {
                Some(interrupt) => job.ended_by(interrupt),
                None => job,
            };
            let response = run(context, &listed, || job.call(&request)?.finish())?;
            Ok(if request.method() == Method::HEAD { response.without_body() } else { response })
        };
        self.services.run_later(user, mode, Box::new(work))
    }

    /// Starts a background job for a request without a route. The error becomes the job's reply.
    pub(crate) fn fail_later(&self, identity: &Identity, error: Error, mode: AsyncMode) -> Result<Response> {
        let user = identity.name().cloned();
        self.services.run_later(user, mode, Box::new(move |_| Err(error)))
    }

    /// Returns the log's context of the request, if log entries name requests.
    fn log_context(&self, job: &Job, request: &Request) -> Option<LogContext> {
        self.services.logs_requests().then(|| {
            let user = job.user().map_or_else(String::new, |user| user.to_string());
            LogContext { values: [request.database().to_owned(), user, request.uri().to_string()] }
        })
    }
}

/// Returns the job of a route that needs no user.
pub(crate) fn open_job(route: &BoundRoute) -> Option<Job> {
    match &route.call {
        Call::Open(_) => Some(Job { call: route.call.clone(), cost: route.cost, session: None, audit: None }),
        Call::User(_) => None,
    }
}

/// Returns the number of the stream transaction that a request names. Errors: 10.
fn transaction_of(headers: &HeaderMap) -> Result<Option<u64>> {
    let Some(id) = headers.get(TRANSACTION) else { return Ok(None) };
    let id: Option<NonZeroU64> = id.to_str().ok().and_then(|id| id.trim().parse().ok());
    let id = id.ok_or_else(|| {
        Error::bad_parameter(format!("the header '{TRANSACTION}' must be the number of a transaction"))
    })?;
    Ok(Some(id.get()))
}

/// Returns the number of the object that a segment of the path, or a parameter of the query string,
/// names.
fn named_object(name: &str, matched: Match, path: &Path, uri: &Uri) -> Option<u64> {
    match matched.position(name) {
        Some(position) => path.segment(position)?.parse().ok(),
        None => Query::new(uri.query().unwrap_or_default()).number(name).ok()?,
    }
}

/// Turns 403 into 401, as ArangoDB does for a user without any right to the database.
fn hide_forbidden(error: Error) -> Error {
    if error.code() == ErrorCode::Forbidden {
        return Error::new(ErrorCode::Forbidden, "not authorized to execute this request").with_status(401);
    }
    error
}

/// Runs a part of a listed request's work.
fn run<T>(context: Option<LogContext>, listed: &Listed, work: impl FnOnce() -> Result<T>) -> Result<T> {
    activity::within(listed.id(), || run_part(context, work))
}

/// Runs a part of a request's work.
fn run_part<T>(context: Option<LogContext>, work: impl FnOnce() -> Result<T>) -> Result<T> {
    log_context::within(context, || guarded(work))
}

/// Runs a route, and turns a panic into an error of this request only.
fn guarded<T>(run: impl FnOnce() -> Result<T>) -> Result<T> {
    catch_unwind(AssertUnwindSafe(run)).unwrap_or_else(|panic| {
        let text = panic.downcast_ref::<String>().map(String::as_str);
        let text = text.or_else(|| panic.downcast_ref::<&str>().copied()).unwrap_or("unknown");
        tracing::error!(target: "crash", "a request panicked: {text}");
        Err(Error::internal("a panic; see the log"))
    })
}
