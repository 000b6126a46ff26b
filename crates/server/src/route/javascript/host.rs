//! The host of scripts that work with data: their requests go to the server's own routes.

use std::sync::Arc;

use bytes::Bytes;
use database::javascript::LogAllowance;
use database::{Budget, Session};
use errors::{Error, ErrorCode, Result};
use hyper::header::{ACCEPT, AUTHORIZATION, HeaderMap, HeaderName, HeaderValue};
use hyper::{Method, Uri};
use javascript::{CompiledScripts, Host, HostResult, LogLevel};

use super::activity::Activity;
use super::origin::Origin;
use crate::http::api_version::{self, ApiVersion};
use crate::http::connections::ServerEnd;
use crate::http::dispatch;
use crate::http::elsewhere::{Passed, Way};
use crate::http::format::{self, Format};
use crate::http::forward::HomeServer;
use crate::http::percent::encode_segment;
use crate::http::request::Request;
use crate::http::response::Response;
use crate::route::batch::Answer;

/// The headers that scripts may send to routes. Others could name another user.
const HEADERS: &[&str] =
    &["if-match", "if-none-match", "content-type", "accept", "x-arango-allow-dirty-read"];

/// The path at which a stream transaction begins, which would be nested in that of an action.
const BEGIN_TRANSACTION: &str = "/_api/transaction/begin";

/// A host whose requests run as the user of a script, within its transaction.
pub(in crate::route) struct RouterHost {
    pub(in crate::route) origin: Origin,
    pub(in crate::route) activity: Arc<Activity>,
    pub(in crate::route) log: LogAllowance,
}

impl RouterHost {
    fn answer(&self, request: &javascript::Request<'_>) -> Result<Response> {
        let method = Method::from_bytes(request.method.as_bytes()).map_err(malformed)?;
        let (api_version, path) =
            api_version::split(request.path).unwrap_or((ApiVersion::default(), request.path));
        let uri = format!("/_db/{}{path}", encode_segment(request.database));
        let uri = Uri::from_maybe_shared(Bytes::from(uri)).map_err(malformed)?;
        let mut headers = self.headers(request.path, request.headers)?;
        let path = dispatch::parse_path(&uri)?;
        let dispatcher = &self.origin.parts.dispatcher;
        let (route, matched) = dispatcher.find_route(&method, &path)?;
        let is_within = self.origin.transaction.is_some() || headers.contains_key(dispatch::TRANSACTION);
        if is_within && !route.in_scripts {
            return Err(Error::of(match route.pattern {
                BEGIN_TRANSACTION if method == Method::POST => ErrorCode::TransactionNested,
                _ => ErrorCode::TransactionDisallowedOperation,
            }));
        }
        let home = dispatcher.home_server(&route, matched, &path, (&uri, &headers));
        // The transaction of an action is on this server, and objects of others have no part in it.
        let passed = matches!(home, HomeServer::Other { .. }).then(|| headers.clone());
        if let Some(transaction) = self.origin.transaction {
            headers.insert(dispatch::TRANSACTION, HeaderValue::from(transaction));
        }
        let job = match dispatch::open_job(&route) {
            Some(job) => job,
            None => {
                let identity = self.session().identity().clone();
                let job = dispatcher.user_job(route, path.database(), identity, &headers)?;
                match self.session().interrupt() {
                    Some(interrupt) => job.ended_by(interrupt),
                    None => job,
                }
            }
        };
        if let (HomeServer::Other { this, address }, Some(headers)) = (home, passed)
            && let Some(address) = address()?
        {
            let passed = self.passed(request, (&method, &uri), headers)?;
            let way = Way { address: &address, this: &this, interrupt: &self.origin.interrupt() };
            return self.origin.parts.elsewhere.run(&passed, &way, self.session().request_memory());
        }
        let request = Request {
            method,
            uri,
            path,
            matched,
            headers,
            body: Bytes::copy_from_slice(request.body),
            accepted: format_of(request),
            client: self.origin.client,
            server: ServerEnd::default(),
            api_version,
            budget: Budget::UNLIMITED,
            memory: self.origin.memory.clone(),
        };
        dispatcher.run(&job, &request)
    }

    /// Returns a request of the script for another server, which its user sends.
    fn passed(
        &self,
        request: &javascript::Request<'_>,
        (method, uri): (&Method, &Uri),
        mut headers: HeaderMap,
    ) -> Result<Passed> {
        headers.insert(ACCEPT, format::content_type(format_of(request)));
        self.origin.parts.elsewhere.identify(self.session(), &mut headers)?;
        Passed::new(method, uri, headers, Bytes::copy_from_slice(request.body))
    }

    fn session(&self) -> &Session {
        &self.origin.session
    }

    /// Returns the headers of a request, without the transaction of an action.
    fn headers(&self, path: &str, given: &[(String, String)]) -> Result<HeaderMap> {
        let mut headers = HeaderMap::new();
        // A service sees all headers, and those of the server have no meaning for it.
        let is_of_service = !path.starts_with("/_");
        let may_send =
            |name: &str| HEADERS.contains(&name) || (is_of_service && !name.starts_with("x-arango-"));
        for (name, value) in given.iter().filter(|(name, _)| may_send(name)) {
            let name = HeaderName::from_bytes(name.as_bytes()).map_err(malformed)?;
            headers.insert(name, HeaderValue::from_str(value).map_err(malformed)?);
        }
        // A service need not see it.
        if let Some(token) = self.origin.token.as_ref().filter(|_| !is_of_service) {
            headers.insert(AUTHORIZATION, token.clone());
        }
        let named = given.iter().find(|(name, _)| name == dispatch::TRANSACTION.as_str());
        if let Some((_, transaction)) = named.filter(|_| self.origin.transaction.is_none()) {
            // One that the script has begun: it cannot use those of other users.
            headers.insert(dispatch::TRANSACTION, HeaderValue::from_str(transaction).map_err(malformed)?);
        }
        Ok(headers)
    }
}

/// Returns the format of a reply: a script that sees headers also sees the bytes of the body.
fn format_of(request: &javascript::Request<'_>) -> Format {
    if request.wants_headers { Format::Json } else { Format::VelocyPack }
}

fn malformed(error: impl std::fmt::Display) -> Error {
    Error::bad_parameter(format!("a script sent a malformed request: {error}"))
}

impl Host for RouterHost {
    fn request(&self, request: javascript::Request<'_>) -> HostResult<javascript::Reply> {
        let answer = self.activity.request(|| {
            let interrupt = self.origin.interrupt();
            let answered = self.answer(&request).and_then(|response| response.whole(&interrupt));
            let response = answered.unwrap_or_else(Response::from);
            Answer::of(response, format_of(&request), &self.session().request_memory())
        })?;
        let text = |value: &HeaderValue| String::from_utf8_lossy(value.as_bytes()).into_owned();
        let mut headers: Vec<_> =
            answer.headers.iter().map(|(name, value)| (name.as_str().to_owned(), text(value))).collect();
        headers.extend(answer.body.content_type.iter().map(|kind| ("content-type".to_owned(), text(kind))));
        Ok(javascript::Reply { status: answer.status.as_u16(), headers, body: answer.body.bytes.to_vec() })
    }

    fn database(&self) -> String {
        self.session().database_name().to_string()
    }

    fn compiled_scripts(&self) -> Option<&CompiledScripts> {
        Some(self.session().instance().compiled_scripts())
    }

    fn print(&self, text: &str) -> HostResult<()> {
        self.log(LogLevel::Info, text.trim_end());
        Ok(())
    }

    fn log(&self, level: LogLevel, text: &str) {
        if !self.log.take(text) {
            return;
        }
        let database = self.session().database_name();
        match level {
            LogLevel::Debug => tracing::debug!(%database, "script: {text}"),
            LogLevel::Info => tracing::info!(%database, "script: {text}"),
            LogLevel::Warning => tracing::warn!(%database, "script: {text}"),
            LogLevel::Error => tracing::error!(%database, "script: {text}"),
        }
    }
}
