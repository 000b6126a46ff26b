//! Before the work of a request: is its client known, and is there room for it?

use database::Identity;
use errors::{Error, ErrorCode, Result};
use hyper::header::{AUTHORIZATION, HeaderMap};
use hyper::http::request::Parts;

use super::audit;
use super::connections::Connection;
use super::dispatch::{Job, open_job};
use super::foreign_page;
use super::observed::Observed;
use super::path::Path;
use super::reply::QUEUE_TIME;
use super::route::BoundRoute;
use super::service::HttpService;
use super::services::Identified;
use crate::placement::Lane;
use crate::placement::logins::Attempt;

impl HttpService {
    /// Checks the user and the database before the body is read.
    pub(super) async fn prepare(
        &self,
        connection: &Connection,
        route: BoundRoute,
        path: &Path,
        head: &mut Parts,
        observed: &mut Observed,
    ) -> Result<Job> {
        self.check_queue_time(&head.headers)?;
        if let Some(job) = open_job(&route) {
            // A stranger does not learn which databases exist.
            if path.database() != catalog::SYSTEM_DATABASE && head.headers.contains_key(AUTHORIZATION) {
                let identity = self.authenticate(connection, head).await?;
                self.dispatcher.check_database(path.database(), identity)?;
            }
            return Ok(job);
        }
        let by_certificate = self.by_certificate(connection, head)?;
        let has_certificate = by_certificate.is_some();
        let identity = match by_certificate {
            Some(identity) => identity,
            None if self.is_anonymous(&route, path, head) => Identity::of_services(path.database()),
            None => self.authenticate_by_header(connection, head).await?,
        };
        let of_certificate = has_certificate.then(|| identity.clone());
        let user = identity.name().cloned();
        let job = self.dispatcher.user_job(route, path.database(), identity, &head.headers);
        let job = job.inspect_err(|error| {
            if matches!(error.status(), 401 | 403) {
                let action = format!("{} {}", head.method, head.uri.path());
                let user = user.as_deref().unwrap_or_default();
                audit::denied(user, connection.client, path.database(), &action);
            }
        })?;
        if let Some(user) = job.user() {
            observed.note("user.name", user);
        }
        // Another server of the store, which may have to answer, does not see the certificate.
        if let Some(identity) = of_certificate
            && let Some(header) = self.dispatcher.services().authorization_elsewhere(&identity)?
        {
            head.headers.insert(AUTHORIZATION, header);
        }
        observed.set_user(job.user());
        Ok(job)
    }

    /// Returns true if the client names no user, and the route needs none.
    fn is_anonymous(&self, route: &BoundRoute, path: &Path, head: &Parts) -> bool {
        let is_of_system = path.segment(0).is_some_and(|first| first.starts_with('_'));
        route.is_public
            && self.options.authenticates_system_only
            && !is_of_system
            && !head.headers.contains_key(AUTHORIZATION)
    }

    /// Identifies the client.
    pub(super) async fn authenticate(&self, connection: &Connection, head: &Parts) -> Result<Identity> {
        match self.by_certificate(connection, head)? {
            Some(identity) => Ok(identity),
            None => self.authenticate_by_header(connection, head).await,
        }
    }

    /// Identifies the client by the header of the request. A password that was not seen before is
    /// checked on threads of its own, which no other work occupies.
    async fn authenticate_by_header(&self, connection: &Connection, head: &Parts) -> Result<Identity> {
        foreign_page::refuse(head, false, &self.options.trusted_origins)?;
        match self.dispatcher.services().identify(&head.headers, head.uri.path())? {
            Identified::Known(identity) => Ok(identity),
            Identified::AfterKeys { fetched, check } => {
                fetched.await;
                check()
            }
            Identified::ByPassword { user, check } => self.log_in(connection, user, check).await,
        }
    }

    /// Returns the user of the connection's certificate, unless the request names one itself.
    ///
    /// The user is looked up for each request, so that a change of it has an effect at once.
    /// Errors: 403 for a request that a foreign page may have caused: a browser shows its
    /// certificate whichever page causes a request.
    fn by_certificate(&self, connection: &Connection, head: &Parts) -> Result<Option<Identity>> {
        let Some(certificate) = &connection.certificate else { return Ok(None) };
        if head.headers.contains_key(AUTHORIZATION) {
            return Ok(None);
        }
        let Some(name) = certificate.user() else { return Ok(None) };
        let identity = self.dispatcher.services().identify_by_name(name);
        if certificate.begin_audit() {
            audit::shown_certificate(name, connection.client, identity.is_some());
        }
        if identity.is_some() {
            foreign_page::refuse(head, true, &self.options.trusted_origins)?;
        }
        Ok(identity)
    }

    /// Checks a password once it is admitted.
    ///
    /// Errors: 401 if it is wrong, 503 with 21003 if too many checks wait.
    pub(super) async fn log_in<T: Send + 'static>(
        &self,
        connection: &Connection,
        user: Box<str>,
        check: impl FnOnce() -> Result<T> + Send + 'static,
    ) -> Result<T> {
        let attempt = Attempt { user, address: connection.client.map(|client| client.ip()) };
        let admission = self.logins.admit(&attempt).await?;
        let checked = self.lanes.pool(Lane::Control).run(&None, check).await;
        drop(admission);
        match &checked {
            Ok(_) => self.logins.record(&attempt, true),
            Err(error) if error.status() == 401 => self.logins.record(&attempt, false),
            Err(_) => {}
        }
        checked
    }

    /// Refuses the request if requests wait for longer than its client accepts.
    fn check_queue_time(&self, headers: &HeaderMap) -> Result<()> {
        let Some(limit) = headers.get(QUEUE_TIME).and_then(|value| value.to_str().ok()) else {
            return Ok(());
        };
        let limit_seconds: f64 = limit.trim().parse().unwrap_or(0.0);
        let wait_seconds = self.lanes.requests.last_wait_us() as f64 / 1e6;
        if limit_seconds > 0.0 && wait_seconds > limit_seconds && self.lanes.requests.queue_length() > 0 {
            self.metrics.record_too_slow_queue();
            return Err(Error::of(ErrorCode::QueueTimeRequirementViolated));
        }
        Ok(())
    }
}
