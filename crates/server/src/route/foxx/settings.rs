//! The configuration and the dependencies of services.

use database::Session;
use database::foxx::{InstalledService, ServiceRecord};
use errors::Result;
use foxx::{Changed, Manifest, configuration, dependency};
use hyper::StatusCode;
use velocypack::Slice;

use super::{Services, mount_of};
use crate::http::request::Request;
use crate::http::response::Response;

/// The names of values that were not taken, and the reasons.
type Warnings = [(String, String)];

/// A kind of settings: where a service keeps them, and what may be done with them.
struct Kind {
    stored: fn(&ServiceRecord) -> &Vec<u8>,
    with: fn(ServiceRecord, Vec<u8>) -> ServiceRecord,
    change: fn(&Manifest, Slice<'_>, Slice<'_>, bool) -> Result<Changed>,
    describe: fn(&Manifest, Slice<'_>, &Warnings) -> Result<Vec<u8>>,
    values: fn(&Manifest, Slice<'_>) -> Result<Vec<u8>>,
    short_reply: fn(&Manifest, &Changed) -> Result<Vec<u8>>,
}

const CONFIGURATION: Kind = Kind {
    stored: |record| &record.configuration,
    with: |record, configuration| ServiceRecord { configuration, ..record },
    change: configuration::change,
    describe: configuration::describe,
    values: configuration::shown_values,
    short_reply: configuration::short_reply,
};

const DEPENDENCIES: Kind = Kind {
    stored: |record| &record.dependencies,
    with: |record, dependencies| ServiceRecord { dependencies, ..record },
    change: dependency::change,
    describe: dependency::describe,
    values: dependency::shown_values,
    short_reply: dependency::short_reply,
};

pub(super) fn configuration(services: &Services, session: &Session, request: &Request) -> Result<Response> {
    show(&CONFIGURATION, services, session, request)
}

pub(super) fn update_configuration(
    services: &Services,
    session: &Session,
    request: &Request,
) -> Result<Response> {
    change(&CONFIGURATION, true, services, session, request)
}

pub(super) fn replace_configuration(
    services: &Services,
    session: &Session,
    request: &Request,
) -> Result<Response> {
    change(&CONFIGURATION, false, services, session, request)
}

pub(super) fn dependencies(services: &Services, session: &Session, request: &Request) -> Result<Response> {
    show(&DEPENDENCIES, services, session, request)
}

pub(super) fn update_dependencies(
    services: &Services,
    session: &Session,
    request: &Request,
) -> Result<Response> {
    change(&DEPENDENCIES, true, services, session, request)
}

pub(super) fn replace_dependencies(
    services: &Services,
    session: &Session,
    request: &Request,
) -> Result<Response> {
    change(&DEPENDENCIES, false, services, session, request)
}

fn show(kind: &Kind, services: &Services, session: &Session, request: &Request) -> Result<Response> {
    let service = session.service(mount_of(services, request)?.as_str())?;
    let (manifest, stored) = (service.manifest()?, (kind.stored)(service.record()));
    let stored = Slice::new(stored);
    let reply = match request.flag("minimal", false)? {
        true => (kind.values)(&manifest, stored)?,
        false => (kind.describe)(&manifest, stored, &[])?,
    };
    Ok(Response::value(StatusCode::OK, reply))
}

/// Changes settings. The reply has the definitions only if the client asks for them, by
/// `minimal=false`.
fn change(
    kind: &Kind,
    keeps: bool,
    services: &Services,
    session: &Session,
    request: &Request,
) -> Result<Response> {
    let mount = mount_of(services, request)?;
    let is_minimal = request.flag("minimal", true)?;
    let body = request.body_object()?;
    let mut changed = None;
    let service = session.change_service(&mount, |service: &InstalledService| {
        let (record, manifest) = (service.record(), service.manifest()?);
        let stored = Slice::new((kind.stored)(record));
        let change = (kind.change)(&manifest, stored, body.slice(), keeps)?;
        let record = (kind.with)(record.clone(), change.values.clone());
        changed = Some(change);
        Ok(record)
    })?;
    let (manifest, changed) = (service.manifest()?, changed.unwrap_or_default());
    let reply = match is_minimal {
        true => (kind.short_reply)(&manifest, &changed)?,
        false => (kind.describe)(&manifest, Slice::new(&changed.values), &changed.warnings)?,
    };
    Ok(Response::value(StatusCode::OK, reply))
}
