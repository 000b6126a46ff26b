//! The implementation of HTTP's calls to the server.

use std::sync::Arc;

use database::{Identity, Instance, MemoryAccount};
use errors::{Error, Result};
use hyper::header::{HeaderMap, HeaderValue};

use crate::http::activities::Activities;
use crate::http::forward::HomeServer;
use crate::http::response::Response;
use crate::http::services::{AsyncMode, Identified, LaterWork, Services};
use crate::placement::pool::WorkerPool;
use crate::service::authentication::{Authentication, Look, keys_fetched, keys_unavailable, not_authorized};
use crate::service::jobs::{Jobs, Owner};
use crate::service::log::Log;
use crate::service::recording::Recording;

/// The services that answer HTTP's calls to the server.
pub(super) struct Upcalls {
    pub(super) instance: Arc<Instance>,
    pub(super) authentication: Arc<Authentication>,
    pub(super) activities: Arc<Activities>,
    pub(super) calls: Arc<Recording<3>>,
    pub(super) jobs: Arc<Jobs>,
    pub(super) pool: Arc<WorkerPool>,
    pub(super) log: Arc<Log>,
}

impl Services for Upcalls {
    fn identify(&self, headers: &HeaderMap, path: &str) -> Result<Identified> {
        let catalog = self.instance.catalog();
        match self.authentication.look(&catalog, headers, path)? {
            Look::Known(identity) => Ok(Identified::Known(identity)),
            Look::AfterKeys(fetch) => {
                let authentication = Arc::clone(&self.authentication);
                let (instance, headers) = (Arc::clone(&self.instance), headers.clone());
                let path = path.to_owned();
                Ok(Identified::AfterKeys {
                    fetched: keys_fetched(&fetch),
                    check: Box::new(move || {
                        match authentication.look(&instance.catalog(), &headers, &path)? {
                            Look::Known(identity) => Ok(identity),
                            _ => Err(keys_unavailable()),
                        }
                    }),
                })
            }
            Look::Password(credentials) => {
                let authentication = Arc::clone(&self.authentication);
                let wrong = not_authorized(headers);
                Ok(Identified::ByPassword {
                    user: credentials.user().into(),
                    check: Box::new(move || authentication.check(&catalog, &credentials).ok_or(wrong)),
                })
            }
        }
    }

    fn identify_by_name(&self, name: &str) -> Option<Identity> {
        self.authentication.identify_by_name(&self.instance.catalog(), name)
    }

    fn authorization_elsewhere(&self, identity: &Identity) -> Result<Option<HeaderValue>> {
        if self.instance.local_ids().member().is_none() || !self.authentication.is_enabled() {
            return Ok(None);
        }
        let token = self.authentication.sign_elsewhere(identity)?;
        HeaderValue::try_from(format!("bearer {token}")).map(Some).map_err(Error::internal)
    }

    fn allows(&self, headers: &HeaderMap, path: &str) -> bool {
        self.authentication.allows(&self.instance.catalog(), headers, path)
    }

    fn activities(&self) -> &Arc<Activities> {
        &self.activities
    }

    fn record(&self, call: [&str; 3]) {
        self.calls.add(call.map(str::as_bytes));
    }

    fn home_server(&self, object: u64) -> HomeServer {
        let ids = self.instance.local_ids();
        match (ids.other_owner(object), ids.member()) {
            (Some(other), Some(this)) => {
                let instance = Arc::clone(&self.instance);
                let address = move || match instance.local_ids().address(other)? {
                    Some(address) => Ok(Some(address)),
                    // The server is gone. Another one may have taken over a cursor of it.
                    None => instance.server_of_cursor(object),
                };
                HomeServer::Other { this: this.to_string(), address: Box::new(address) }
            }
            _ => HomeServer::This,
        }
    }

    fn first_server(&self) -> HomeServer {
        let ids = self.instance.local_ids();
        let Some(this) = ids.member() else { return HomeServer::This };
        let ids = ids.clone();
        HomeServer::Other { this: this.to_string(), address: Box::new(move || ids.address_of_first()) }
    }

    fn claimed_name(&self, headers: &HeaderMap) -> Option<Arc<str>> {
        self.authentication.claimed_name(headers)
    }

    fn logs_requests(&self) -> bool {
        self.log.shows_any()
    }

    fn work_memory(&self) -> &Arc<MemoryAccount> {
        self.instance.work_memory()
    }

    fn run_later(&self, user: Owner, mode: AsyncMode, work: LaterWork) -> Result<Response> {
        self.jobs.run_later(&self.pool, user, mode, work)
    }
}
