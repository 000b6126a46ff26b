//! The scripts of services, and the description of their routes.

use database::Session;
use errors::{Error, ErrorCode, Result};
use hyper::StatusCode;
use velocypack::Slice;

use super::runner::{Callee, ServiceCall};
use super::{Services, mount_of};
use crate::http::fields::Fields;
use crate::http::request::Request;
use crate::http::response::Response;
use crate::route::javascript::origin::Origin;

pub(super) fn list(services: &Services, session: &Session, request: &Request) -> Result<Response> {
    let service = session.service(mount_of(services, request)?.as_str())?;
    let manifest = service.manifest()?;
    Response::object(StatusCode::OK, |fields| {
        for (name, _) in manifest.scripts() {
            fields.text(name, &foxx::title_of(name));
        }
    })
}

pub(super) fn run(services: &Services, session: &Session, request: &Request) -> Result<Response> {
    let service = session.service(mount_of(services, request)?.as_str())?;
    let name = request.parameter("name");
    if service.manifest()?.script(name).is_none() {
        let message = format!("the service at '{}' has no script '{name}'", service.mount());
        return Err(Error::new(ErrorCode::ServiceUnknownScript, message));
    }
    let body = request.body_value()?;
    let arguments = Fields::array(|fields| {
        if !body.slice().is_none() {
            fields.element(body.slice());
        }
    })?;
    let origin = Origin::of_request(services.runner.parts(), session, request);
    let call = ServiceCall::script(service.mount(), name, Slice::new(&arguments))?;
    let callee = Callee { services: &session.services()?, service: &service, origin: &origin };
    services.runner.call(callee, call, |result, _| Ok(value(result)))
}

pub(super) fn api_description(services: &Services, session: &Session, request: &Request) -> Result<Response> {
    let service = session.service(mount_of(services, request)?.as_str())?;
    let origin = Origin::of_request(services.runner.parts(), session, request);
    let call = ServiceCall::new("apiDescription", vec![database::javascript::text(service.mount())?]);
    let callee = Callee { services: &session.services()?, service: &service, origin: &origin };
    services.runner.call(callee, call, |result, _| Ok(value(result)))
}

/// Returns the result of a call as the reply.
fn value(result: Slice<'_>) -> Response {
    let bytes = result.bytes().get(..result.byte_len()).unwrap_or_default();
    Response::value(StatusCode::OK, bytes.to_vec())
}
