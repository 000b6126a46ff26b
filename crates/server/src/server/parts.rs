//! The services of a server, and their distribution to the families of routes.

use std::sync::Arc;
use std::time::Instant;

use database::Instance;
use errors::Result;
use metrics::{Registry, Section};

use super::upcalls::Upcalls;
use crate::http::activities::Activities;
use crate::http::connections::Connections;
use crate::http::metrics::Metrics;
use crate::http::route::{BoundRoute, bind};
use crate::options::ServerOptions;
use crate::placement::Placement;
use crate::placement::logins::Logins;
use crate::placement::pool::WorkerPool;
use crate::route::foxx::runner::ServiceRunner;
use crate::service::authentication::Authentication;
use crate::service::backups::Transfers;
use crate::service::change_news::ChangeNews;
use crate::service::foxx_network::ServiceNetwork;
use crate::service::jobs::Jobs;
use crate::service::log::Log;
use crate::service::recording::Recording;
use crate::service::shutdown::Shutdown;
use crate::{http, route, service};

/// The services of a server while it is assembled.
pub(super) struct Parts {
    pub(super) instance: Arc<Instance>,
    pub(super) pool: Arc<WorkerPool>,
    pub(super) placement: Arc<Placement>,
    pub(super) connections: Arc<Connections>,
    pub(super) metrics: Arc<Metrics>,
    pub(super) logins: Arc<Logins>,
    news: Arc<ChangeNews>,
    jobs: Arc<Jobs>,
    log: Arc<Log>,
    pub(super) authentication: Arc<Authentication>,
    activities: Arc<Activities>,
    /// Method, path and database of requests.
    calls: Arc<Recording<3>>,
    /// Text, bind variables (VelocyPack) and database of queries.
    queries: Arc<Recording<3>>,
    pub(super) shutdown: Arc<Shutdown>,
    tool_calls: Arc<route::mcp::CallCounts>,
    started: Instant,
}

impl Parts {
    pub(super) fn new(
        instance: Arc<Instance>,
        placement: Arc<Placement>,
        options: &ServerOptions,
    ) -> Result<Self> {
        Ok(Parts {
            jobs: Arc::new(Jobs::new(instance.local_ids().clone(), Arc::clone(instance.result_memory()))),
            news: Arc::new(ChangeNews::new(Arc::clone(&instance))),
            instance,
            pool: Arc::new(WorkerPool::new(options.pool)),
            placement,
            connections: Arc::new(Connections::new(options.http.unread_max_bytes)),
            metrics: Arc::default(),
            logins: Arc::new(Logins::new(options.http.failed_login_max_delay)),
            log: Arc::clone(&options.log),
            authentication: Arc::new(Authentication::new(options.authentication.clone())?),
            activities: Arc::default(),
            calls: Arc::new(Recording::new(options.recorded_calls_max_bytes)),
            queries: Arc::new(Recording::new(options.recorded_queries_max_bytes)),
            shutdown: Arc::default(),
            tool_calls: Arc::new(route::mcp::CallCounts::of_all_tools()),
            started: Instant::now(),
        })
    }

    pub(super) fn upcalls(&self) -> Upcalls {
        Upcalls {
            instance: Arc::clone(&self.instance),
            authentication: Arc::clone(&self.authentication),
            activities: Arc::clone(&self.activities),
            calls: Arc::clone(&self.calls),
            jobs: Arc::clone(&self.jobs),
            pool: Arc::clone(&self.pool),
            log: Arc::clone(&self.log),
        }
    }

    /// Returns what runs the services in JavaScript, whose requests go to the routes in `within`.
    pub(super) fn foxx(
        &self,
        within: &Arc<route::batch::PartServices>,
        network: Option<ServiceNetwork>,
    ) -> Arc<route::foxx::Services> {
        let options = &self.instance.options().foxx;
        Arc::new(route::foxx::Services {
            instance: Arc::clone(&self.instance),
            runner: Arc::new(ServiceRunner::new(options.isolates, network, Arc::clone(within))),
            is_enabled: options.is_enabled,
        })
    }

    /// Returns all families of routes except that of batches, each with its services.
    pub(super) fn routes(&self, options: &ServerOptions) -> Vec<BoundRoute> {
        let mut routes: Vec<BoundRoute> =
            route::DATABASE_FAMILIES.iter().flat_map(|family| bind(family, ())).collect();
        routes.extend(self.routes_of_requests());
        routes.extend(self.routes_of_models(options));
        routes.extend(self.routes_of_statistics(options));
        routes.extend(self.routes_of_administration(options));
        routes
    }

    /// Returns the families whose work continues after a request, or begins before it.
    fn routes_of_requests(&self) -> Vec<BoundRoute> {
        let pool = &self.pool;
        let cursor =
            route::cursor::Services { pool: Arc::clone(pool), recorded_queries: Arc::clone(&self.queries) };
        let authentication = route::authentication::Services {
            authentication: Arc::clone(&self.authentication),
            instance: Arc::clone(&self.instance),
        };
        let openid = route::openid::Services { authentication: Arc::clone(&self.authentication) };
        let sessions = route::user_sessions::Services { authentication: Arc::clone(&self.authentication) };
        let wal = route::wal::Services { news: Arc::clone(&self.news), shutdown: Arc::clone(&self.shutdown) };
        [
            bind(route::authentication::ROUTES, authentication),
            bind(route::openid::ROUTES, openid),
            bind(route::user_sessions::ROUTES, sessions),
            bind(route::cursor::ROUTES, cursor),
            bind(route::changes::ROUTES, route::changes::Services { news: Arc::clone(&self.news) }),
            bind(route::wal::ROUTES, wal),
            bind(route::applied_log::ROUTES, route::applied_log::Services { logs: Arc::default() }),
            bind(route::dump::ROUTES, route::dump::Services { pool: Arc::clone(pool) }),
            bind(route::export::ROUTES, route::export::Services { pool: Arc::clone(pool) }),
            bind(route::job::ROUTES, route::job::Services { jobs: Arc::clone(&self.jobs) }),
        ]
        .concat()
    }

    /// Returns the family of tools for language models.
    fn routes_of_models(&self, options: &ServerOptions) -> Vec<BoundRoute> {
        let services = route::mcp::Services {
            options: options.mcp,
            trusted_origins: options.http.trusted_origins.clone(),
            calls: Arc::clone(&self.tool_calls),
        };
        bind(route::mcp::ROUTES, services)
    }

    /// Returns the registry of all metrics.
    fn registry(&self, options: &ServerOptions) -> Registry {
        let registry = Registry::default();
        self.pool.register_metrics(&registry);
        http::metrics::register(&registry, &self.metrics, &self.connections);
        registry.register(Section::Requests, route::mcp::METRICS, &self.tool_calls);
        registry.register(Section::Requests, route::activities::METRICS, &Arc::new(self.activities(options)));
        let sources = service::metrics::Sources {
            jobs: Arc::clone(&self.jobs),
            log: Arc::clone(&self.log),
            tracer: options.tracer.clone(),
            log_archive: options.log_archive.clone(),
            started: self.started,
            memory_limit_bytes: options.memory_limit_bytes,
        };
        service::metrics::register(&registry, sources);
        self.instance.register_metrics(&registry);
        registry
    }

    /// Returns what dumps of crashes describe.
    pub(super) fn diagnosis(&self, options: &ServerOptions) -> route::crashes::Diagnosis {
        route::crashes::Diagnosis {
            activities: self.activities(options),
            calls: Arc::clone(&self.calls),
            queries: Arc::clone(&self.queries),
            log: Arc::clone(&self.log),
        }
    }

    fn activities(&self, options: &ServerOptions) -> route::activities::Services {
        route::activities::Services {
            access: options.activities_api,
            instance: Arc::clone(&self.instance),
            requests: Arc::clone(&self.activities),
        }
    }

    fn routes_of_statistics(&self, options: &ServerOptions) -> Vec<BoundRoute> {
        let metrics =
            route::metrics::Services { is_enabled: options.metrics_api, registry: self.registry(options) };
        let recording = route::recording::Services {
            access: options.recording_api,
            calls: Arc::clone(&self.calls),
            queries: Arc::clone(&self.queries),
        };
        let statistics = route::statistics::Services {
            metrics: Arc::clone(&self.metrics),
            connections: Arc::clone(&self.connections),
            pool: Arc::clone(&self.pool),
            started: self.started,
        };
        let status = route::status::Services {
            shutdown: Arc::clone(&self.shutdown),
            support_info_access: options.support_info_api,
            endpoints: options.endpoints.clone(),
            started: self.started,
        };
        [
            bind(route::activities::ROUTES, self.activities(options)),
            bind(route::metrics::ROUTES, metrics),
            bind(route::recording::ROUTES, recording),
            bind(route::statistics::ROUTES, statistics),
            bind(route::status::ROUTES, status),
        ]
        .concat()
    }

    fn routes_of_administration(&self, options: &ServerOptions) -> Vec<BoundRoute> {
        let configuration = route::options::Services {
            access: options.options_api,
            configuration: options.configuration.clone(),
            description: options.configuration_description.clone(),
        };
        let server_info = route::server_info::Services {
            instance: Arc::clone(&self.instance),
            pool: Arc::clone(&self.pool),
            shutdown: Arc::clone(&self.shutdown),
            authentication: Arc::clone(&self.authentication),
            tls: options.tls.clone(),
            encryption_keys: options.encryption_keys.clone(),
        };
        let backup = route::backup::Services {
            access: options.backup_api,
            options: options.backup.clone(),
            transfers: Transfers::default(),
            shutdown: Arc::clone(&self.shutdown),
        };
        let crashes = route::crashes::Services { dumps: options.crash_dumps.clone() };
        let log = route::log::Services { access: options.log_api, log: Arc::clone(&self.log) };
        let shutdown = route::shutdown::Services { shutdown: Arc::clone(&self.shutdown) };
        let web = route::web::Services { root_redirect: options.root_redirect.clone() };
        [
            bind(route::backup::ROUTES, backup),
            bind(route::crashes::ROUTES, crashes),
            bind(route::log::ROUTES, log),
            bind(route::options::ROUTES, configuration),
            bind(route::server_info::ROUTES, server_info),
            bind(route::shutdown::ROUTES, shutdown),
            bind(route::web::ROUTES, web),
        ]
        .concat()
    }
}
