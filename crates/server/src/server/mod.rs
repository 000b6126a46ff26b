//! The composition root: it creates the services, passes each family of routes the services that it
//! needs, and starts and stops the server.

mod parts;
mod upcalls;

use std::sync::Arc;
use std::time::Duration;

use database::Instance;
use database::group::GroupOptions;
use errors::{Error, Result};

use self::parts::Parts;
use crate::http::all_servers;
use crate::http::connection_threads::ConnectionThreads;
use crate::http::connections::Connections;
use crate::http::dispatch::Dispatcher;
use crate::http::elsewhere::Elsewhere;
use crate::http::forward::Forwarder;
use crate::http::listener::{self, Listener};
use crate::http::metrics::Metrics;
use crate::http::route::{BoundRoute, Route, bind};
use crate::http::router::Router;
use crate::http::service::{HttpService, SharedParts};
use crate::http::services::Services;
use crate::options::ServerOptions;
use crate::placement::{Lanes, Placement};
use crate::route;
use crate::route::foxx::queues::QueueWorkers;
use crate::route::javascript::TaskRunner;
use crate::route::javascript::shell::ShellSessions;
use crate::service::authentication::Authentication;
use crate::service::crashes::DumpFile;
use crate::service::shutdown::Shutdown;

/// Time limit for requests in progress when the server stops.
pub const STOP_TIMEOUT: Duration = Duration::from_secs(30);

/// Time limit for another member of the group to take over when the server stops.
const HAND_OVER_TIMEOUT: Duration = Duration::from_secs(5);

/// Time limit for the worker pool after the last connection has ended.
const POOL_TIMEOUT: Duration = Duration::from_secs(10);

/// Time that running queries have to finish once the server stops. Then they fail with error 1500.
const QUERY_GRACE: Duration = Duration::from_secs(1);

/// The times of a stop.
#[derive(Clone, Copy, Debug)]
pub struct StopTimes {
    /// The time for which the server goes on serving if others share its store, so that load
    /// balancers notice that it is not available any more.
    pub drain: Duration,
    /// The maximum time for which the requests in progress may go on after that. Queries have
    /// [`QUERY_GRACE`].
    pub requests: Duration,
}

/// A server over an open database.
pub struct Server {
    instance: Arc<Instance>,
    http: Arc<HttpService>,
    lanes: Arc<Lanes>,
    connections: Arc<Connections>,
    metrics: Arc<Metrics>,
    shutdown: Arc<Shutdown>,
    shells: Arc<ShellSessions>,
    foxx: Arc<route::foxx::Services>,
    elsewhere: Arc<Elsewhere>,
    authentication: Arc<Authentication>,
    diagnosis: route::crashes::Diagnosis,
    _tasks: TaskRunner,
    _queues: Option<QueueWorkers>,
}

impl Server {
    /// Creates a server over an open database.
    ///
    /// Fails only if two routes contradict each other, or if there are no random numbers.
    pub fn new(instance: Arc<Instance>, options: ServerOptions) -> Result<Arc<Self>> {
        Self::with_routes(instance, options, &[])
    }

    /// Creates a server with further routes.
    pub fn with_routes(
        instance: Arc<Instance>,
        mut options: ServerOptions,
        further: &[&[Route]],
    ) -> Result<Arc<Self>> {
        let placement = Arc::new(Placement::new(instance.store().sharing().is_some(), options.writes_wait));
        options.pool = placement.limits(options.pool);
        let parts = Parts::new(instance, placement, &options)?;
        let services: Arc<dyn Services> = Arc::new(parts.upcalls());
        let forwarder = Arc::<Forwarder>::default();
        let elsewhere =
            Elsewhere::new(Arc::clone(&forwarder), Arc::clone(&services), options.pool.max_threads);
        let router = |routes: Vec<BoundRoute>| {
            let routes = routes.into_iter().map(|route| all_servers::asking(route, &elsewhere));
            let further = further.iter().flat_map(|family| bind(family, ()));
            Router::new(routes.chain(further)).map_err(Error::internal)
        };
        let dispatcher = |router| {
            let (instance, placement) = (Arc::clone(&parts.instance), Arc::clone(&parts.placement));
            Dispatcher::new(router, instance, Arc::clone(&services), placement)
        };
        let part_services = |routes| -> Result<_> {
            Ok(Arc::new(route::batch::PartServices {
                dispatcher: dispatcher(router(routes)?),
                logins: Arc::clone(&parts.logins),
                elsewhere: Arc::clone(&elsewhere),
                max_body_bytes: options.http.max_body_bytes.min(options.http.request_memory_bytes / 2),
            }))
        };
        // No request can contain one of its own kind. Transactions cannot start further scripts,
        // tasks and programs can start transactions, and the parts of a batch can start all of
        // them.
        let mut routes = parts.routes(&options);
        let tasks = route::tasks::Services { elsewhere: Arc::clone(&elsewhere) };
        routes.extend(bind(route::tasks::ROUTES, tasks));
        let openapi = route::openapi::Services::default();
        routes.extend(bind(route::openapi::ROUTES, openapi.clone()));
        let without_batches: Vec<_> = bind(route::batch::WITHIN_BATCH, ());
        let without_transactions = bind(route::javascript::transaction::WITHIN_TRANSACTION, ());
        let within_transaction = [&routes[..], &without_batches, &without_transactions].concat();
        let transaction =
            route::javascript::transaction::Services { parts: part_services(within_transaction)? };
        routes.extend(bind(route::javascript::transaction::ROUTES, transaction));
        let within_task = part_services([&routes[..], &without_batches].concat())?;
        let tasks = TaskRunner::start(Arc::clone(&within_task), &parts.instance)?;
        let shells = Arc::new(ShellSessions::new(parts.instance.local_ids().clone()));
        let foxx = parts.foxx(&within_task, options.services_network.clone());
        routes.extend(route::foxx::ROUTES.iter().map(|route| route.bind(&foxx)));
        let fallback = route::foxx::requests::fallback(&foxx);
        within_task.dispatcher.set_fallback(fallback.clone());
        let queues = match parts.instance.options().foxx.runs_queues {
            true => Some(QueueWorkers::start(&foxx)?),
            false => None,
        };
        if parts.instance.options().javascript.admin_execute {
            let execute = route::javascript::execute::Services { parts: Arc::clone(&within_task) };
            routes.extend(bind(route::javascript::execute::ROUTES, execute));
            let shell =
                route::javascript::shell::Services { parts: within_task, sessions: Arc::clone(&shells) };
            routes.extend(bind(route::javascript::shell::ROUTES, shell));
        }
        let within_batch = part_services([&routes[..], &without_batches].concat())?;
        within_batch.dispatcher.set_fallback(fallback.clone());
        routes.extend(bind(route::batch::ROUTES, route::batch::Services { parts: within_batch }));
        openapi.describe(&routes)?;
        let diagnosis = parts.diagnosis(&options);
        let lanes = Arc::new(Lanes::new(Arc::clone(&parts.pool), options.pool));
        let shared = SharedParts {
            lanes: Arc::clone(&lanes),
            connections: Arc::clone(&parts.connections),
            metrics: Arc::clone(&parts.metrics),
            logins: Arc::clone(&parts.logins),
            tracer: options.tracer,
            forwarder,
        };
        let dispatcher = dispatcher(router(routes)?);
        dispatcher.set_fallback(fallback);
        let http = HttpService::new(options.http, dispatcher, shared);
        let Parts { instance, connections, metrics, shutdown, authentication, .. } = parts;
        Ok(Arc::new(Server {
            instance,
            http: Arc::new(http),
            lanes,
            connections,
            metrics,
            shutdown,
            shells,
            foxx,
            elsewhere,
            authentication,
            diagnosis,
            _tasks: tasks,
            _queues: queues,
        }))
    }

    /// Returns the databases.
    pub fn instance(&self) -> &Arc<Instance> {
        &self.instance
    }

    /// Makes this server a member of a group, whose servers sign in at each other by the secret of
    /// their tokens.
    ///
    /// Errors: those of [`database::group::join`].
    pub fn join_group(&self, options: &GroupOptions) -> Result<()> {
        let authentication = Arc::clone(&self.authentication);
        database::group::join(&self.instance, options, Arc::new(move || authentication.server_token()))
    }

    /// Returns files for a dump of a crash: what the server does and did lately, and its log.
    ///
    /// It waits for locks, so the thread that crashes must not call it.
    pub fn diagnosis(&self) -> Vec<DumpFile> {
        self.diagnosis.files()
    }

    /// Returns the open connections.
    pub fn connections(&self) -> &Connections {
        &self.connections
    }

    /// Returns the request to stop the server.
    pub fn shutdown(&self) -> &Shutdown {
        &self.shutdown
    }

    /// Serves connections until the server is asked to stop.
    ///
    /// Returns true if all requests in progress have ended in time.
    pub async fn serve(self: Arc<Self>, listeners: Vec<Listener>, times: StopTimes) -> std::io::Result<bool> {
        self.elsewhere.wait_on(tokio::runtime::Handle::current());
        if self.instance.options().foxx.checks_at_start {
            let instance = Arc::clone(&self.instance);
            let _ = tokio::task::spawn_blocking(move || database::foxx::provide_all(&instance)).await;
        }
        let threads = Arc::new(ConnectionThreads::start()?);
        let mut tasks = Vec::new();
        for listener in listeners {
            let accept = listener::accept(Arc::clone(&self.http), Arc::clone(&threads), listener)?;
            tasks.push(tokio::spawn(accept));
        }
        let watch = tokio::spawn(Arc::clone(&self).watch());
        self.shutdown.requested().await;
        if !times.drain.is_zero() && self.has_others().await {
            self.connections.drain();
            tokio::time::sleep(times.drain).await;
        }
        // The other members of a group read the rest of the log through the connections.
        let instance = Arc::clone(&self.instance);
        let hand_over = move || database::group::hand_over(&instance, HAND_OVER_TIMEOUT);
        let _ = tokio::task::spawn_blocking(hand_over).await;
        tasks.iter().for_each(tokio::task::JoinHandle::abort);
        // Nobody waits for tasks and deliveries.
        self.instance.tasks().stop();
        let instance = Arc::clone(&self.instance);
        let end_webhooks = tokio::task::spawn_blocking(move || instance.stop_webhooks());
        let instance = Arc::clone(&self.instance);
        let end_queries = tokio::spawn(async move {
            tokio::time::sleep(QUERY_GRACE).await;
            let end = move || {
                // Those that nobody reads at the moment can go on elsewhere.
                instance.hand_over_cursors();
                instance.end_queries();
            };
            let _ = tokio::task::spawn_blocking(end).await;
        });
        let ended = self.connections.close(times.requests).await;
        end_queries.abort();
        watch.abort();
        if !ended {
            // Their clients are gone, so the queries end as well.
            self.instance.stop();
        }
        let (lanes, tasks) = (Arc::clone(&self.lanes), Arc::clone(self.instance.tasks()));
        let stop = move || tasks.wait_for_runs(POOL_TIMEOUT) & lanes.stop(POOL_TIMEOUT);
        let idle = tokio::task::spawn_blocking(stop).await.unwrap_or(false);
        // A delivery whose thread has panicked has ended as well.
        let _ = end_webhooks.await;
        // Open cursors and transactions end before the store does.
        let instance = Arc::clone(&self.instance);
        let end = move || {
            instance.hand_over_cursors();
            instance.stop();
        };
        let _ = tokio::task::spawn_blocking(end).await;
        Ok(ended && idle)
    }

    /// Returns true if other servers can take over the clients of this one.
    async fn has_others(&self) -> bool {
        let store = Arc::clone(self.instance.store());
        let has_others = move || {
            // The question would wait for a store that does not answer.
            let is_reachable = !store.has_lost_lease() && store.check_reachable().is_ok();
            let sharing = store.sharing().filter(|_| is_reachable);
            sharing.is_some_and(|sharing| sharing.members().is_ok_and(|members| members.len() > 1))
        };
        tokio::task::spawn_blocking(has_others).await.unwrap_or(false)
    }

    /// Checks the connections and the sessions of shells once a second.
    async fn watch(self: Arc<Self>) {
        let mut seconds = tokio::time::interval(Duration::from_secs(1));
        seconds.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Skip);
        loop {
            seconds.tick().await;
            let (received, sent) = self.http.tick();
            self.metrics.add_traffic(received, sent);
            self.shells.expire();
            self.foxx.runner.expire();
            if self.instance.store().has_lost_lease() && !self.shutdown.is_requested() {
                tracing::error!(
                    target: "cluster",
                    "the lease of this server on the shared store has expired; the server restarts"
                );
                self.shutdown.request_restart();
            }
        }
    }
}
