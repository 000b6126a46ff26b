//! The composition root: it creates the services, passes each family of routes the services that it
//! needs, and starts and stops the server.

mod parts;
mod upcalls;

use std::sync::Arc;
use std::time::Duration;

use database::Instance;
use errors::{Error, Result};

use self::parts::Parts;
use crate::http::connections::Connections;
use crate::http::dispatch::Dispatcher;
use crate::http::listener::{self, Listener};
use crate::http::metrics::Metrics;
use crate::http::route::{BoundRoute, Route, bind};
use crate::http::router::Router;
use crate::http::service::HttpService;
use crate::http::services::Services;
use crate::options::ServerOptions;
use crate::placement::Lanes;
use crate::route;
use crate::service::shutdown::Shutdown;

/// Time limit for requests in progress when the server stops.
pub const STOP_TIMEOUT: Duration = Duration::from_secs(30);

/// Time limit for the worker pool after the last connection has ended.
const POOL_TIMEOUT: Duration = Duration::from_secs(10);

/// A server over an open database.
pub struct Server {
    instance: Arc<Instance>,
    http: Arc<HttpService>,
    lanes: Arc<Lanes>,
    connections: Arc<Connections>,
    metrics: Arc<Metrics>,
    shutdown: Arc<Shutdown>,
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
        options: ServerOptions,
        further: &[&[Route]],
    ) -> Result<Arc<Self>> {
        let parts = Parts::new(instance, &options)?;
        let services: Arc<dyn Services> = Arc::new(parts.upcalls());
        let router = |routes: Vec<BoundRoute>| {
            let further = further.iter().flat_map(|family| bind(family, ()));
            Router::new(routes.into_iter().chain(further)).map_err(Error::internal)
        };
        let dispatcher = |router| {
            let (instance, permits) = (Arc::clone(&parts.instance), Arc::clone(&parts.permits));
            Dispatcher::new(router, instance, Arc::clone(&services), permits)
        };
        let part_services = |routes| -> Result<_> {
            Ok(Arc::new(route::batch::PartServices {
                dispatcher: dispatcher(router(routes)?),
                logins: Arc::clone(&parts.logins),
                max_body_bytes: options.http.max_body_bytes.min(options.http.request_memory_bytes / 2),
            }))
        };
        // Scripts may use all routes except those of scripts and batches, and the parts of a batch
        // all except that of batches.
        let mut routes = parts.routes(&options);
        let without_batches: Vec<_> = bind(route::batch::WITHIN_BATCH, ());
        let within_script =
            [&routes[..], &without_batches, &bind(route::javascript::WITHIN_SCRIPT, ())].concat();
        let scripts = route::javascript::Services { parts: part_services(within_script)? };
        routes.extend(bind(route::javascript::ROUTES, scripts));
        let within_batch = [&routes[..], &without_batches].concat();
        let batch = route::batch::Services { parts: part_services(within_batch)? };
        routes.extend(bind(route::batch::ROUTES, batch));
        let lanes = Arc::new(Lanes::new(Arc::clone(&parts.pool), options.pool));
        let http = HttpService::new(
            options.http,
            dispatcher(router(routes)?),
            Arc::clone(&lanes),
            Arc::clone(&parts.connections),
            Arc::clone(&parts.metrics),
            Arc::clone(&parts.logins),
        );
        let Parts { instance, connections, metrics, shutdown, .. } = parts;
        Ok(Arc::new(Server { instance, http: Arc::new(http), lanes, connections, metrics, shutdown }))
    }

    /// Returns the databases.
    pub fn instance(&self) -> &Arc<Instance> {
        &self.instance
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
    /// The requests in progress then have at most `timeout` to finish. Returns true if all of them
    /// did.
    pub async fn serve(
        self: Arc<Self>,
        listeners: Vec<Listener>,
        timeout: Duration,
    ) -> std::io::Result<bool> {
        let mut tasks = Vec::new();
        for listener in listeners {
            tasks.push(tokio::spawn(listener::accept(Arc::clone(&self.http), listener)?));
        }
        let watch = tokio::spawn(Arc::clone(&self).watch());
        self.shutdown.requested().await;
        tasks.iter().for_each(tokio::task::JoinHandle::abort);
        let ended = self.connections.close(timeout).await;
        watch.abort();
        if !ended {
            // Their clients are gone, so the queries end as well.
            self.instance.stop();
        }
        let lanes = Arc::clone(&self.lanes);
        let idle = tokio::task::spawn_blocking(move || lanes.stop(POOL_TIMEOUT)).await.unwrap_or(false);
        // Open transactions end before the store does.
        self.instance.stop();
        Ok(ended && idle)
    }

    /// Checks the connections once a second.
    async fn watch(self: Arc<Self>) {
        let mut seconds = tokio::time::interval(Duration::from_secs(1));
        seconds.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Skip);
        loop {
            seconds.tick().await;
            let (received, sent) = self.http.tick();
            self.metrics.add_traffic(received, sent);
        }
    }
}
