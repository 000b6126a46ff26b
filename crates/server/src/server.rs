//! What all connections share.

use std::sync::Arc;
use std::time::{Duration, Instant};

use hyper::header::{
    CACHE_CONTROL, CONTENT_SECURITY_POLICY, EXPIRES, HeaderMap, HeaderName, HeaderValue, PRAGMA, SERVER,
    STRICT_TRANSPORT_SECURITY, X_CONTENT_TYPE_OPTIONS,
};
use hyper_util::rt::TokioExecutor;
use hyper_util::server::conn::auto;
use tokio::sync::{Semaphore, SemaphorePermit};

use crate::error::{ApiError, Result};
use crate::error_number::number;
use crate::http::body_memory::BodyMemory;
use crate::http::connection::{self, Connections};
use crate::http::cors::TrustedOrigins;
use crate::http::metrics::Metrics;
use crate::http::router::{Route, Router};
use crate::http::tls::Tls;
use crate::lifecycle::Shutdown;
use crate::placement::permits::InlineTurns;
use crate::placement::pool::{PoolLimits, WorkerPool};
use crate::route;
use crate::service::authentication::{Authentication, AuthenticationOptions};
use crate::service::jobs::Jobs;
use crate::service::log::{Log, LogOptions};
use crate::service::recording::Recording;
use crate::session::Session;
use database::Instance;
use velocypack::Slice;

/// The ArangoDB version that is reported where drivers look for it.
pub const ARANGODB_VERSION: &str = "3.12.5";

/// The edition that is reported: what needs none of ArangoDB's licences.
pub const LICENSE: &str = "community";

/// This software's own version.
pub const PERSEA_VERSION: &str = env!("CARGO_PKG_VERSION");

const QUEUE_TIME: HeaderName = HeaderName::from_static("x-arango-queue-time-seconds");

/// How HTTP is spoken.
#[derive(Clone, Debug)]
pub struct HttpOptions {
    /// Most bytes of a request's body, also when it is decompressed.
    pub max_body_bytes: usize,
    /// Bytes that all long requests together may take; more wait.
    pub request_memory_bytes: usize,
    /// How long a connection without a request is kept.
    pub keep_alive: Duration,
    /// Bytes from which a reply's body is compressed for clients that accept it; 0 is never.
    pub compress_response_threshold_bytes: usize,
    /// Most connections at once; more wait to be accepted.
    pub max_connections: usize,
    /// Whether replies say how long requests wait for a thread.
    pub return_queue_time_header: bool,
    /// Pages from elsewhere that may send credentials.
    pub trusted_origins: TrustedOrigins,
}

impl Default for HttpOptions {
    fn default() -> Self {
        HttpOptions {
            // ArangoDB's 1 GB.
            max_body_bytes: 1 << 30,
            request_memory_bytes: 1 << 30,
            keep_alive: Duration::from_secs(300),
            compress_response_threshold_bytes: 0,
            max_connections: 16_384,
            return_queue_time_header: true,
            trusted_origins: TrustedOrigins::default(),
        }
    }
}

/// What the configuration sets.
#[derive(Clone)]
pub struct ServerOptions {
    /// How HTTP is spoken.
    pub http: HttpOptions,
    /// The threads for work that takes longer.
    pub pool: PoolLimits,
    /// Who may make requests.
    pub authentication: AuthenticationOptions,
    /// The log that `/_admin/log` shows.
    pub log: Arc<Log>,
    /// Who may use `/_admin/log*`.
    pub log_api: ApiAccess,
    /// Who may use `/_admin/options*`.
    pub options_api: ApiAccess,
    /// Who may use `/_admin/support-info`.
    pub support_info_api: ApiAccess,
    /// Who may use `/_admin/server/api-calls` and `/_admin/server/aql-queries`.
    pub recording_api: ApiAccess,
    /// Bytes of requests that the former shows; 0 is none.
    pub recorded_calls_max_bytes: usize,
    /// Bytes of queries that the latter shows; 0 is none.
    pub recorded_queries_max_bytes: usize,
    /// Whether `/_admin/metrics*` are there.
    pub metrics_api: bool,
    /// The addresses that the server listens on, as ArangoDB writes them.
    pub endpoints: Vec<String>,
    /// The configuration that `/_admin/options` shows: a VelocyPack object without secrets.
    pub configuration: Vec<u8>,
    /// What can be configured, that `/_admin/options-description` shows: a VelocyPack object.
    pub configuration_description: Vec<u8>,
    /// Bytes that the whole process is meant to stay within.
    pub memory_limit_bytes: u64,
    /// Certificate and key of the encrypted addresses, if there are any.
    pub tls: Option<Tls>,
}

/// Who may use calls that tell much about the server.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ApiAccess {
    /// Nobody.
    Disabled,
    /// Those who know the secret that tokens are signed with.
    Superuser,
    /// Those who may administer the server.
    Administrator,
    /// All users.
    Public,
}

impl ApiAccess {
    /// Error 403 (404 when disabled) if the session's user may not.
    pub(crate) fn check(self, session: &Session, path: &str) -> Result<()> {
        match self {
            ApiAccess::Disabled => {
                Err(ApiError::new(number::HTTP_NOT_FOUND, format!("'{path}' is switched off")))
            }
            ApiAccess::Superuser if session.user().is_some() => {
                Err(ApiError::new(number::HTTP_FORBIDDEN, format!("'{path}' needs a superuser's token")))
            }
            ApiAccess::Administrator => Ok(session.require_administrator()?),
            ApiAccess::Superuser | ApiAccess::Public => Ok(()),
        }
    }
}

impl Default for ServerOptions {
    fn default() -> Self {
        ServerOptions {
            http: HttpOptions::default(),
            pool: PoolLimits::of_this_machine(),
            authentication: AuthenticationOptions::default(),
            log: Log::new(LogOptions::default()),
            log_api: ApiAccess::Administrator,
            options_api: ApiAccess::Superuser,
            support_info_api: ApiAccess::Administrator,
            recording_api: ApiAccess::Administrator,
            recorded_calls_max_bytes: 4 << 20,
            recorded_queries_max_bytes: 4 << 20,
            metrics_api: true,
            endpoints: Vec::new(),
            configuration: Slice::EMPTY_OBJECT.bytes().to_vec(),
            configuration_description: Slice::EMPTY_OBJECT.bytes().to_vec(),
            memory_limit_bytes: 0,
            tls: None,
        }
    }
}

/// What all connections share.
pub struct Server {
    instance: Arc<Instance>,
    options: ServerOptions,
    router: Router,
    pool: Arc<WorkerPool>,
    inline_turns: InlineTurns,
    connections: Connections,
    metrics: Metrics,
    jobs: Jobs,
    /// Method, path and database of requests.
    recorded_calls: Recording<3>,
    /// Text, bind variables (VelocyPack) and database of queries.
    recorded_queries: Recording<3>,
    authentication: Authentication,
    password_turn: Semaphore,
    body_memory: BodyMemory,
    base_headers: HeaderMap,
    http_builder: auto::Builder<TokioExecutor>,
    started: Instant,
    shutdown: Shutdown,
}

impl Server {
    /// A server over an open database. Fails only when two routes contradict each other, or without random numbers.
    pub fn new(instance: Arc<Instance>, options: ServerOptions) -> Result<Arc<Self>> {
        Self::with_routes(instance, options, &[])
    }

    /// A server with further routes.
    pub fn with_routes(
        instance: Arc<Instance>,
        options: ServerOptions,
        further: &[&[Route]],
    ) -> Result<Arc<Self>> {
        let families: Vec<&[Route]> = route::FAMILIES.iter().chain(further).copied().collect();
        Ok(Arc::new(Server {
            instance,
            router: Router::new(&families).map_err(ApiError::internal)?,
            pool: Arc::new(WorkerPool::new(options.pool)),
            inline_turns: InlineTurns::default(),
            connections: Connections::default(),
            metrics: Metrics::default(),
            jobs: Jobs::new(),
            recorded_calls: Recording::new(options.recorded_calls_max_bytes),
            recorded_queries: Recording::new(options.recorded_queries_max_bytes),
            authentication: Authentication::new(options.authentication.clone())?,
            password_turn: Semaphore::new(1),
            body_memory: BodyMemory::new(options.http.request_memory_bytes),
            base_headers: base_headers(),
            http_builder: connection::builder(),
            started: Instant::now(),
            shutdown: Shutdown::default(),
            options,
        }))
    }

    /// The databases.
    pub fn instance(&self) -> &Arc<Instance> {
        &self.instance
    }

    /// The configuration.
    pub fn options(&self) -> &ServerOptions {
        &self.options
    }

    /// All routes.
    pub fn router(&self) -> &Router {
        &self.router
    }

    /// The threads for work that takes longer.
    pub fn pool(&self) -> &Arc<WorkerPool> {
        &self.pool
    }

    /// Turns to compute on a connection's own task.
    pub(crate) fn inline_turns(&self) -> &InlineTurns {
        &self.inline_turns
    }

    /// The open connections.
    pub fn connections(&self) -> &Connections {
        &self.connections
    }

    /// Figures about requests and connections.
    pub fn metrics(&self) -> &Metrics {
        &self.metrics
    }

    /// Replies that wait to be fetched.
    pub fn jobs(&self) -> &Jobs {
        &self.jobs
    }

    /// The last requests: method, path and database.
    pub fn recorded_calls(&self) -> &Recording<3> {
        &self.recorded_calls
    }

    /// The last queries: text, bind variables (VelocyPack) and database.
    pub fn recorded_queries(&self) -> &Recording<3> {
        &self.recorded_queries
    }

    /// Who makes a request.
    pub fn authentication(&self) -> &Authentication {
        &self.authentication
    }

    /// The log.
    pub fn log(&self) -> &Arc<Log> {
        &self.options.log
    }

    /// Whether the server is asked to stop.
    pub fn shutdown(&self) -> &Shutdown {
        &self.shutdown
    }

    /// Waits until nobody else has a password checked.
    pub(crate) async fn password_turn(&self) -> Option<SemaphorePermit<'_>> {
        self.password_turn.acquire().await.ok()
    }

    /// The memory that long requests share.
    pub(crate) fn body_memory(&self) -> &BodyMemory {
        &self.body_memory
    }

    /// How long the server has been up.
    pub fn uptime(&self) -> Duration {
        self.started.elapsed()
    }

    pub(crate) fn trusted_origins(&self) -> &TrustedOrigins {
        &self.options.http.trusted_origins
    }

    pub(crate) fn base_headers(&self) -> &HeaderMap {
        &self.base_headers
    }

    pub(crate) fn http_builder(&self) -> &auto::Builder<TokioExecutor> {
        &self.http_builder
    }

    pub(crate) fn compresses(&self) -> bool {
        self.options.http.compress_response_threshold_bytes > 0
    }

    /// Adds the time that requests wait for a thread, in seconds to the millisecond.
    pub(crate) fn add_queue_time(&self, headers: &mut HeaderMap) {
        if !self.options.http.return_queue_time_header {
            return;
        }
        let milliseconds = self.pool.last_wait_us() / 1_000;
        if milliseconds == 0 {
            headers.insert(QUEUE_TIME, HeaderValue::from_static("0.000"));
        } else if let Ok(value) =
            HeaderValue::try_from(format!("{}.{:03}", milliseconds / 1_000, milliseconds % 1_000))
        {
            headers.insert(QUEUE_TIME, value);
        }
    }
}

/// The headers of every reply, which ArangoDB's clients and browsers expect.
fn base_headers() -> HeaderMap {
    let headers = [
        (SERVER, "ArangoDB"),
        (X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (
            CACHE_CONTROL,
            "no-cache, no-store, must-revalidate, pre-check=0, post-check=0, max-age=0, s-maxage=0",
        ),
        (PRAGMA, "no-cache"),
        (EXPIRES, "0"),
        (CONTENT_SECURITY_POLICY, "frame-ancestors 'self'; form-action 'self';"),
        (STRICT_TRANSPORT_SECURITY, "max-age=31536000 ; includeSubDomains"),
    ];
    // Room for what every reply adds, so that its copy does not grow.
    let mut all = HeaderMap::with_capacity(16);
    for (name, value) in headers {
        all.insert(name, HeaderValue::from_static(value));
    }
    all
}
