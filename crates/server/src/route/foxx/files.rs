//! The files of services: their development, README and archives.

use database::Session;
use errors::{Error, Result};
use hyper::StatusCode;
use hyper::header::{CONTENT_DISPOSITION, HeaderValue};

use super::services::print;
use super::{Services, check_api, mount_of};
use crate::http::request::Request;
use crate::http::response::Response;

const TEXT: HeaderValue = HeaderValue::from_static("text/plain; charset=utf-8");
const ZIP: HeaderValue = HeaderValue::from_static("application/zip");

pub(super) fn begin_development(
    services: &Services,
    session: &Session,
    request: &Request,
) -> Result<Response> {
    develop(services, session, request, true)
}

pub(super) fn end_development(services: &Services, session: &Session, request: &Request) -> Result<Response> {
    develop(services, session, request, false)
}

fn develop(services: &Services, session: &Session, request: &Request, begins: bool) -> Result<Response> {
    let service = session.develop_service(&mount_of(services, request)?, begins)?;
    Response::object(StatusCode::OK, |fields| print(&service, fields))
}

pub(super) fn readme(services: &Services, session: &Session, request: &Request) -> Result<Response> {
    let service = session.service(mount_of(services, request)?.as_str())?;
    let bundle = session.bundle_of_folder(service.folder())?;
    Ok(match bundle.readme() {
        Some(readme) => Response::bytes(StatusCode::OK, TEXT, readme.to_vec()),
        None => Response::empty(StatusCode::NO_CONTENT),
    })
}

pub(super) fn download(services: &Services, session: &Session, request: &Request) -> Result<Response> {
    let service = session.service(mount_of(services, request)?.as_str())?;
    let archive = session.service_archive(&service)?;
    let name = service.mount().trim_start_matches('/').replace('/', "_");
    let disposition = HeaderValue::from_str(&format!("attachment; filename=\"{name}.zip\""));
    let response = Response::bytes(StatusCode::OK, ZIP, archive);
    Ok(response.header(CONTENT_DISPOSITION, disposition.map_err(Error::internal)?))
}

pub(super) fn commit(services: &Services, session: &Session, request: &Request) -> Result<Response> {
    check_api(services)?;
    session.commit_services(request.flag("replace", false)?)?;
    Ok(Response::empty(StatusCode::NO_CONTENT))
}

/// Reading the services makes the files that are missing.
pub(super) fn heal(services: &Services, session: &Session, _request: &Request) -> Result<Response> {
    check_api(services)?;
    session.services()?;
    Response::object(StatusCode::OK, |_| {})
}
