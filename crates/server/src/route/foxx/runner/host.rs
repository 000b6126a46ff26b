//! The surroundings of a service: its requests, its files, and the services beside it.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use database::foxx::ServiceSet;
use database::javascript::LogAllowance;
use errors::Error;
use javascript::{CompiledScripts, Files, Host, HostResult, LogLevel, Network, Reply, Request, Services};

use super::files::ServiceFiles;
use crate::http::dispatch::TRANSACTION;
use crate::route::javascript::activity::Activity;
use crate::route::javascript::host::RouterHost;
use crate::route::javascript::origin::Origin;
use crate::service::foxx_network::ServiceNetwork;

/// The documents of queues. No user may write them, but services define their queues by them,
/// whoever calls.
const QUEUES: &str = "/_api/document/_queues";

/// The part of an isolate's surroundings that its callers see.
pub(super) struct World {
    /// The call that runs: its origin, and what it may still write into the log.
    present: Mutex<Option<(Origin, LogAllowance)>>,
    pub(super) activity: Arc<Activity>,
}

impl World {
    pub(super) fn new() -> Self {
        World { present: Mutex::default(), activity: Arc::default() }
    }

    /// Begins a call.
    pub(super) fn begin(&self, origin: &Origin) {
        *self.present() = Some((origin.clone(), LogAllowance::default()));
        self.activity.begin();
    }

    /// Ends a call.
    pub(super) fn end(&self) {
        *self.present() = None;
    }

    fn present(&self) -> MutexGuard<'_, Option<(Origin, LogAllowance)>> {
        self.present.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The host of an isolate that runs a service.
pub(super) struct ServiceHost {
    pub(super) world: Arc<World>,
    /// The services of the database, as long as the isolate lives.
    pub(super) services: Arc<ServiceSet>,
    pub(super) database: String,
    pub(super) mount: String,
    pub(super) files: ServiceFiles,
    pub(super) network: Option<ServiceNetwork>,
    pub(super) scripts: Arc<CompiledScripts>,
}

impl Host for ServiceHost {
    fn request(&self, request: Request<'_>) -> HostResult<Reply> {
        // The call has been given up if it has no origin any more.
        let origin = self.world.present().as_ref().map(|(origin, _)| origin.clone());
        let origin = origin.ok_or_else(Error::killed)?;
        let activity = Arc::clone(&self.world.activity);
        let is_queue = request.path.starts_with(QUEUES) && request.database == self.database;
        if !is_queue {
            return RouterHost { origin, activity, log: LogAllowance::default() }.request(request);
        }
        // The server is no owner of the transaction that the service may have begun.
        let origin = Origin { session: origin.session.clone().as_server(), ..origin };
        let is_kept = |(name, _): &&(String, String)| name.as_str() != TRANSACTION.as_str();
        let headers: Vec<_> = request.headers.iter().filter(is_kept).cloned().collect();
        let request = Request { headers: &headers, ..request };
        RouterHost { origin, activity, log: LogAllowance::default() }.request(request)
    }

    fn database(&self) -> String {
        self.database.clone()
    }

    fn print(&self, text: &str) -> HostResult<()> {
        self.log(LogLevel::Info, text.trim_end());
        Ok(())
    }

    fn log(&self, level: LogLevel, text: &str) {
        if !self.world.present().as_ref().is_some_and(|(_, log)| log.take(text)) {
            return;
        }
        let (database, mount) = (&self.database, &self.mount);
        match level {
            LogLevel::Debug => tracing::debug!(target: "v8", %database, "{mount}: {text}"),
            LogLevel::Info => tracing::info!(target: "v8", %database, "{mount}: {text}"),
            LogLevel::Warning => tracing::warn!(target: "v8", %database, "{mount}: {text}"),
            LogLevel::Error => tracing::error!(target: "v8", %database, "{mount}: {text}"),
        }
    }

    fn files(&self) -> Option<&dyn Files> {
        Some(&self.files)
    }

    fn network(&self) -> Option<&dyn Network> {
        self.network.as_ref().map(|network| network as &dyn Network)
    }

    fn compiled_scripts(&self) -> Option<&CompiledScripts> {
        Some(&self.scripts)
    }

    fn services(&self) -> Option<&dyn Services> {
        Some(self)
    }
}

impl Services for ServiceHost {
    fn service(&self, mount: &str) -> HostResult<Option<Vec<u8>>> {
        let Some(service) = self.services.get(mount) else { return Ok(None) };
        self.files.open(service.folder());
        Ok(Some(service.description()?))
    }
}
