//! From an address to a route, and to what the route answers: the same for requests of a connection and parts of a
//! batch.

use std::num::NonZeroU64;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use database::{Identity, Interrupt};
use hyper::header::{HeaderMap, HeaderName};
use hyper::{Method, StatusCode, Uri};

use super::path::{Path, PathError};
use super::request::Request;
use super::response::Response;
use super::router::{Access, Action, Found, Match, OpenHandler, Outcome, Route, Verb};
use crate::error::{ApiError, Result};
use crate::error_number::number;
use crate::server::Server;
use crate::service::jobs;
use crate::service::log;
use crate::session::Session;

/// Most bytes of an address; ArangoDB's 16K.
const MAX_URI_BYTES: usize = 16 << 10;

/// `true`: run the request later and forget its reply; `store`: keep the reply until it is fetched.
const ASYNC: HeaderName = HeaderName::from_static("x-arango-async");

/// The transaction that a request is to be a part of.
const TRANSACTION: HeaderName = HeaderName::from_static("x-arango-trx-id");

/// Takes an address apart. Errors: 414, 400.
pub(crate) fn parse_path(uri: &Uri) -> Result<Path> {
    if uri.path_and_query().is_some_and(|target| target.as_str().len() > MAX_URI_BYTES) {
        return Err(ApiError::with_status(
            414,
            number::HTTP_BAD_PARAMETER,
            "the address is longer than 16 KiB",
        ));
    }
    Path::parse(uri.clone()).map_err(|error| {
        let reason = match error {
            PathError::Malformed => "is not well-formed",
            PathError::TooLong => "has too many parts",
        };
        ApiError::new(number::HTTP_BAD_PARAMETER, format!("the path '{}' {reason}", uri.path()))
    })
}

/// The route of a request. Errors: 400, 404, 405.
pub(crate) fn find_route(server: &Server, method: &Method, path: &Path) -> Result<(Route, Match)> {
    let verb = Verb::of(method).ok_or_else(|| method_not_allowed(method))?;
    match server.router().find(verb, path) {
        Found::Route(route, matched) => Ok((*route, matched)),
        Found::PartMissing(route) => {
            let pattern = route.pattern.replace('{', "<").replace('}', ">");
            Err(ApiError::new(number::HTTP_BAD_PARAMETER, format!("expecting {method} {pattern}")))
        }
        Found::OtherMethods => Err(ApiError::of(number::HTTP_METHOD_NOT_ALLOWED)),
        Found::Nothing => Err(ApiError::new(number::HTTP_NOT_FOUND, format!("unknown path '{path}'"))),
    }
}

fn method_not_allowed(method: &Method) -> ApiError {
    let known =
        matches!(*method, Method::OPTIONS | Method::TRACE | Method::CONNECT) || Verb::of(method).is_some();
    let message = if known { "method not supported" } else { "unknown method" };
    ApiError::new(number::HTTP_METHOD_NOT_ALLOWED, message)
}

/// A route with whom it runs for.
#[derive(Clone)]
pub(crate) enum Job {
    /// For anybody; and whether it has to run on the worker pool.
    Open(OpenHandler, bool),
    /// For a user, who may.
    User(Action, Session),
}

impl Job {
    /// The same, with queries that end when `interrupt` is killed.
    fn ended_by(self, interrupt: &Interrupt) -> Self {
        match self {
            Job::User(action, session) => Job::User(action, session.ended_by(interrupt.clone())),
            open => open,
        }
    }
}

/// A route that needs no user.
pub(crate) fn open_job(route: &Route) -> Option<Job> {
    match route.action {
        Action::Open(handler) => Some(Job::Open(handler, false)),
        Action::OpenPool(handler) => Some(Job::Open(handler, true)),
        _ => None,
    }
}

/// A route for a user, if the user may. Errors: 401, 403, 1228, 1230, 1655.
pub(crate) fn user_job(
    server: &Arc<Server>,
    route: &Route,
    database: &str,
    identity: Identity,
    headers: &HeaderMap,
) -> Result<Job> {
    let instance = Arc::clone(server.instance());
    let inner = match route.access {
        Access::Nothing if database == catalog::SYSTEM_DATABASE => {
            database::Session::of_system(instance, identity)
        }
        _ => database::Session::open(instance, database, identity).map_err(hide_forbidden)?,
    };
    if route.system_only && !inner.is_system_database() {
        return Err(ApiError::of(number::USE_SYSTEM_DATABASE));
    }
    match route.access {
        Access::Use | Access::Nothing => {}
        Access::Write => inner.require_database(catalog::AccessLevel::ReadWrite)?,
        Access::Administer => inner.require_administrator()?,
    }
    refuse_transaction(headers)?;
    Ok(Job::User(route.action, Session::new(Arc::clone(server), inner)))
}

/// No transaction spans requests here, so that each that is named is unknown: who was served all the same would take
/// for a part of it what was written for good. Errors: 10, 1655.
fn refuse_transaction(headers: &HeaderMap) -> Result<()> {
    let Some(id) = headers.get(TRANSACTION) else { return Ok(()) };
    let id: Option<NonZeroU64> = id.to_str().ok().and_then(|id| id.trim().parse().ok());
    let id = id.ok_or_else(|| {
        ApiError::bad_parameter(format!("the header '{TRANSACTION}' must be the number of a transaction"))
    })?;
    Err(ApiError::new(number::TRANSACTION_NOT_FOUND, format!("transaction '{id}' not found")))
}

/// ArangoDB answers 401, not 403, to a user who may not use the database at all.
fn hide_forbidden(error: impl Into<ApiError>) -> ApiError {
    let error = error.into();
    if error.number() == number::FORBIDDEN {
        return ApiError::with_status(401, number::FORBIDDEN, "not authorized to execute this request");
    }
    error
}

/// Runs a route as far as it may go on a connection's own task.
pub(crate) fn begin(server: &Arc<Server>, job: Job, request: Request) -> Result<Outcome> {
    if let Job::User(Action::Start(handler), session) = &job {
        let context = log_context(server, &job, &request);
        let begun = log::within(context.clone(), || guarded(|| handler(session, &request)))?;
        return Ok(match begun {
            Outcome::Done(response) => Outcome::Done(response),
            Outcome::Continue(rest) => {
                Outcome::Continue(Box::new(move || log::within(context, || guarded(rest))))
            }
        });
    }
    if matches!(job, Job::Open(_, false) | Job::User(Action::Inline(_), _)) {
        return Ok(Outcome::Done(run_blocking(server, &job, &request)?));
    }
    let server = Arc::clone(server);
    Ok(Outcome::Continue(Box::new(move || run_blocking(&server, &job, &request))))
}

/// Runs a route to its end on the thread that calls.
fn run_blocking(server: &Arc<Server>, job: &Job, request: &Request) -> Result<Response> {
    log::within(log_context(server, job, request), || guarded(|| run_route(server, job, request)))
}

/// What the log says about the request, if it is to say anything.
fn log_context(server: &Server, job: &Job, request: &Request) -> Option<log::Context> {
    server.log().shows_any().then(|| {
        let user = match job {
            Job::Open(..) => None,
            Job::User(_, session) => session.user(),
        };
        let user = user.map_or_else(String::new, |user| user.to_string());
        log::Context { values: [request.database().to_owned(), user, request.uri().to_string()] }
    })
}

fn run_route(server: &Arc<Server>, job: &Job, request: &Request) -> Result<Response> {
    match job {
        Job::Open(handler, _) => handler(server, request),
        Job::User(action, session) => match action {
            Action::Inline(handler) | Action::Pool(handler) => handler(session, request),
            Action::Start(handler) => match handler(session, request)? {
                Outcome::Done(response) => Ok(response),
                Outcome::Continue(rest) => rest(),
            },
            Action::Open(handler) | Action::OpenPool(handler) => handler(server, request),
        },
    }
}

/// What `x-arango-async` asks for.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum AsyncMode {
    /// Run the request later and forget its reply.
    Forget,
    /// Run it later and keep the reply until it is fetched.
    Store,
}

impl AsyncMode {
    /// What the request's header says.
    pub(crate) fn of(headers: &HeaderMap) -> Option<Self> {
        match headers.get(ASYNC)?.as_bytes() {
            b"true" => Some(AsyncMode::Forget),
            b"store" => Some(AsyncMode::Store),
            // ArangoDB takes every other text for "no".
            _ => None,
        }
    }
}

/// Puts a request aside and answers at once.
pub(crate) fn run_later(
    server: &Arc<Server>,
    job: Job,
    request: Request,
    mode: AsyncMode,
) -> Result<Response> {
    let user = match &job {
        Job::Open(..) => None,
        Job::User(_, session) => session.user().cloned(),
    };
    let own = Arc::clone(server);
    put_aside(server, user, mode, move |interrupt| {
        let job = match interrupt {
            Some(interrupt) => job.ended_by(interrupt),
            None => job,
        };
        run_blocking(&own, &job, &request)
    })
}

/// The same for a request that no route answers: that is what its job comes to.
pub(crate) fn fail_later(
    server: &Arc<Server>,
    identity: Identity,
    error: ApiError,
    mode: AsyncMode,
) -> Result<Response> {
    let user = match identity {
        Identity::Superuser => None,
        Identity::User(name) => Some(name),
    };
    put_aside(server, user, mode, move |_| Err(error))
}

/// Has work done on the worker pool. Where its reply is kept, the work gets what is killed when the job is cancelled.
fn put_aside(
    server: &Arc<Server>,
    user: jobs::Owner,
    mode: AsyncMode,
    run: impl FnOnce(Option<&Interrupt>) -> Result<Response> + Send + 'static,
) -> Result<Response> {
    let accepted = Response::empty(StatusCode::ACCEPTED);
    let (work, accepted): (crate::placement::pool::Job, _) = match mode {
        AsyncMode::Forget => (Box::new(move || drop(run(None))), accepted),
        AsyncMode::Store => {
            let pending = server.jobs().start(user)?;
            let accepted = accepted.header(jobs::ASYNC_ID, pending.header());
            let interrupt = pending.interrupt().clone();
            let reply = move || run(Some(&interrupt)).unwrap_or_else(ApiError::into_response);
            (Box::new(move || pending.run(reply)), accepted)
        }
    };
    server.pool().submit(work).map_err(|_| queue_full())?;
    Ok(accepted)
}

/// A panic in a route costs the request and nothing else.
fn guarded<T>(run: impl FnOnce() -> Result<T>) -> Result<T> {
    catch_unwind(AssertUnwindSafe(run)).unwrap_or_else(|panic| {
        let text = panic.downcast_ref::<String>().map(String::as_str);
        let text = text.or_else(|| panic.downcast_ref::<&str>().copied()).unwrap_or("unknown");
        tracing::error!(target: "crash", "a request ended with a panic: {text}");
        Err(ApiError::internal("a panic; the log says more"))
    })
}

pub(crate) fn queue_full() -> ApiError {
    ApiError::of(number::QUEUE_FULL).status(503)
}
