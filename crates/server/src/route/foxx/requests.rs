//! Requests to services: the paths below their mount points.

use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::sync::{Arc, Weak};

use bytes::Bytes;
use database::Session;
use database::foxx::InstalledService;
use errors::{Error, ErrorCode, Result};
use hyper::StatusCode;
use hyper::header::{CONTENT_LENGTH, CONTENT_TYPE, HeaderName, HeaderValue, TRANSFER_ENCODING};
use velocypack::Slice;

use super::Services;
use super::runner::{Callee, ServiceCall};
use crate::http::Cost::Blocking;
use crate::http::dispatch::Fallback;
use crate::http::fields::Fields;
use crate::http::path::{Path, path_in_database};
use crate::http::request::Request;
use crate::http::response::Response;
use crate::http::route::{Route, Verb};
use crate::route::javascript::origin::Origin;

/// The type of a body whose service names none. Browsers never guess.
const BYTES: HeaderValue = HeaderValue::from_static("application/octet-stream");

/// The services of the route below. Scripts of services reach the route as well, so it must not
/// keep the services alive.
struct Mounted(Weak<Services>);

/// The route of all paths that no other route has. It answers every method.
const ROUTE: Route<Mounted> =
    Route::with(Verb::Get, "/{*}", Blocking, answer).for_the_public().not_in_scripts();

/// Returns what answers the paths that have no other route.
///
/// A path that no service answers may be found out later, where its database can be read.
pub(crate) fn fallback(services: &Arc<Services>) -> Fallback {
    let known = Arc::downgrade(services);
    let answers = move |path: &Path| {
        let may_answer = |services: Arc<Services>| {
            services.is_enabled
                && services.instance.may_have_service(path.database(), &path.without_database())
        };
        known.upgrade().is_some_and(may_answer)
    };
    let mounted = Arc::new(Mounted(Arc::downgrade(services)));
    Fallback { route: ROUTE.bind(&mounted), answers: Arc::new(answers) }
}

fn answer(mounted: &Mounted, session: &Session, request: &Request) -> Result<Response> {
    let services = mounted.0.upgrade().ok_or_else(|| Error::of(ErrorCode::ShuttingDown))?;
    let installed = session.services()?;
    let path = request.path().without_database();
    let Some(service) = installed.at(&path) else {
        return Err(Error::new(ErrorCode::HttpNotFound, format!("unknown path '{}'", request.path())));
    };
    let origin = Origin::of_request(services.runner.parts(), session, request);
    let callee = Callee { services: &installed, service, origin: &origin };
    if service.is_development() && service.manifest()?.script("setup").is_some() {
        let setup = ServiceCall::script(service.mount(), "setup", Slice::EMPTY_ARRAY)?;
        services.runner.call_once(callee, setup, |_, _| Ok(()))?;
    }
    let call = ServiceCall {
        function: "handle",
        arguments: vec![description(service, session, request)?],
        body: request.body().to_vec(),
    };
    services.runner.call(callee, call, reply)
}

/// Returns the request as the runtime sees it.
fn description(service: &InstalledService, session: &Session, request: &Request) -> Result<Vec<u8>> {
    let uri = request.uri();
    let is_database_in_path = uri.path().starts_with("/_db/");
    let path = path_in_database(uri);
    let mut headers = BTreeMap::<&str, String>::new();
    for (name, value) in request.headers() {
        let value = String::from_utf8_lossy(value.as_bytes());
        let all = headers.entry(name.as_str()).or_default();
        if !all.is_empty() {
            all.push_str(if name == hyper::header::COOKIE { "; " } else { ", " });
        }
        all.push_str(&value);
    }
    Fields::object(|fields| {
        fields
            .text("mount", service.mount())
            .text("method", request.method().as_str())
            .text("database", request.database())
            .text("path", path)
            .text("query", uri.query().unwrap_or_default())
            .bool("isDatabaseInPath", is_database_in_path)
            .text("protocol", if request.server().is_encrypted { "https" } else { "http" })
            .text("version", crate::version::ARANGODB_VERSION);
        fields.child("headers", |fields| {
            for (name, value) in &headers {
                fields.text(name, value);
            }
        });
        match session.identity().person() {
            Some(user) => fields.text("user", user),
            None => fields.null("user"),
        };
        add_address(fields, "client", request.client());
        add_address(fields, "server", request.server().address);
    })
}

fn add_address(fields: &mut Fields<'_>, name: &str, address: Option<SocketAddr>) {
    match address {
        Some(address) => {
            fields.child(name, |fields| {
                fields.text("address", &address.ip().to_string()).number("port", address.port());
            });
        }
        None => {
            fields.null(name);
        }
    }
}

/// Returns the reply that the runtime describes. Errors: 3103 if that is not one.
fn reply(head: Slice<'_>, body: &[u8]) -> Result<Response> {
    let wrong = |what: &str| {
        let error = Error::new(ErrorCode::ModuleFailure, format!("the reply of the service has {what}"));
        error.with_status(StatusCode::INTERNAL_SERVER_ERROR.as_u16())
    };
    let status = head.get("status").and_then(Slice::as_f64).filter(|status| (200.0..=599.0).contains(status));
    let status = status.and_then(|status| StatusCode::from_u16(status as u16).ok());
    let status = status.ok_or_else(|| wrong("no status from 200 to 599"))?;
    let (mut content_type, mut headers) = (None, Vec::new());
    for header in head.get("headers").map(Slice::elements).into_iter().flatten() {
        let text = |index| header.at(index).and_then(Slice::as_str).unwrap_or_default();
        let name = HeaderName::from_bytes(text(0).as_bytes());
        let value = HeaderValue::from_str(text(1));
        let (Ok(name), Ok(value)) = (name, value) else {
            return Err(wrong(&format!("a header {:?} that is not well-formed", text(0))));
        };
        match name {
            // The server frames the body.
            CONTENT_LENGTH | TRANSFER_ENCODING => {}
            CONTENT_TYPE => content_type = Some(value),
            name => headers.push((name, value)),
        }
    }
    let response = match (content_type, body.is_empty()) {
        (None, true) => Response::empty(status),
        (content_type, _) => {
            Response::bytes(status, content_type.unwrap_or(BYTES), Bytes::copy_from_slice(body))
        }
    };
    Ok(headers.into_iter().fold(response, |response, (name, value)| response.header(name, value)))
}
