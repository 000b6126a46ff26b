//! Services: listing, installing, upgrading, removing.

use database::Session;
use database::foxx::{InstalledService, ServiceChange, ServiceRecord};
use database::javascript::text;
use errors::{Error, ErrorCode, Result};
use foxx::configuration::PASSWORD_MASK;
use foxx::{Manifest, Mount, ParameterType, Version};
use hyper::StatusCode;
use velocypack::Slice;

use super::runner::{Callee, ServiceCall};
use super::source::Source;
use super::{Services, check_api, mount_of};
use crate::http::fields::Fields;
use crate::http::request::Request;
use crate::http::response::Response;
use crate::route::javascript::origin::Origin;

/// The services that ArangoDB has itself. Here the server answers their paths.
const OF_SYSTEM: [(&str, &str); 2] = [("/_admin/aardvark", "aardvark"), ("/_api/foxx", "foxx-manager")];

pub(super) fn list(services: &Services, session: &Session, request: &Request) -> Result<Response> {
    check_api(services)?;
    let excludes_system = request.flag("excludeSystem", false)?;
    let installed = session.services()?;
    let listed = Fields::array(|fields| {
        for (mount, name) in OF_SYSTEM.iter().filter(|_| !excludes_system) {
            fields.child_element(|fields| print_of_system(mount, name, fields));
        }
        for service in installed.iter() {
            fields.child_element(|fields| print_summary(service, fields));
        }
    });
    Ok(Response::value(StatusCode::OK, listed?))
}

pub(super) fn get(services: &Services, session: &Session, request: &Request) -> Result<Response> {
    let mount = mount_of(services, request)?;
    if let Some((mount, name)) = OF_SYSTEM.iter().find(|(of_system, _)| *of_system == mount.as_str()) {
        return Response::object(StatusCode::OK, |fields| {
            print_of_system(mount, name, fields);
            // They have no files.
            fields.text("path", "").child("manifest", |fields| {
                fields.text("name", name).text("version", crate::version::ARANGODB_VERSION);
            });
        });
    }
    let service = session.service(mount.as_str())?;
    Response::object(StatusCode::OK, |fields| print(&service, fields))
}

fn print_of_system(mount: &str, name: &str, fields: &mut Fields<'_>) {
    fields.text("mount", mount).text("name", name).text("version", crate::version::ARANGODB_VERSION);
    fields.child("provides", |_| {}).bool("development", false).bool("legacy", false);
}

pub(super) fn install(services: &Services, session: &Session, request: &Request) -> Result<Response> {
    let steps = Steps::of(services, session, request)?;
    let service = steps.install(&Place::Free, false)?;
    Response::object(StatusCode::CREATED, |fields| print(&service, fields))
}

pub(super) fn upgrade(services: &Services, session: &Session, request: &Request) -> Result<Response> {
    let force = request.flag("force", false)?;
    let steps = Steps::of(services, session, request)?;
    let service =
        steps.install(&Place::Taken { keeps_settings: true, force }, request.flag("teardown", false)?)?;
    Response::object(StatusCode::OK, |fields| print(&service, fields))
}

pub(super) fn replace(services: &Services, session: &Session, request: &Request) -> Result<Response> {
    let force = request.flag("force", false)?;
    let steps = Steps::of(services, session, request)?;
    let service =
        steps.install(&Place::Taken { keeps_settings: false, force }, request.flag("teardown", true)?)?;
    Response::object(StatusCode::OK, |fields| print(&service, fields))
}

pub(super) fn uninstall(services: &Services, session: &Session, request: &Request) -> Result<Response> {
    let mount = mount_of(services, request)?;
    let is_missing = |error: &Error| error.code() == ErrorCode::ServiceNotFound;
    let service = match session.service(mount.as_str()) {
        Err(error) if is_missing(&error) && request.flag("force", false)? => {
            return Ok(Response::empty(StatusCode::NO_CONTENT));
        }
        service => service?,
    };
    if request.flag("teardown", true)? {
        tear_down(services, session, request, &service);
    }
    session.remove_service(&mount)?;
    Ok(Response::empty(StatusCode::NO_CONTENT))
}

/// The state that the mount point of a new service must be in.
enum Place {
    /// There is no service.
    Free,
    /// There is one; with `force`, there may be none.
    Taken { keeps_settings: bool, force: bool },
}

impl Place {
    /// Returns the record whose settings the new service keeps. Errors: 3009, 3011.
    fn check<'r>(
        &self,
        mount: &Mount,
        previous: Option<&'r ServiceRecord>,
    ) -> Result<Option<&'r ServiceRecord>> {
        match (self, previous) {
            (Place::Free, Some(_)) => {
                let message = format!("there is a service at '{mount}' already");
                Err(Error::new(ErrorCode::ServiceMountPointConflict, message))
            }
            (Place::Taken { force: false, .. }, None) => {
                let message = format!("no service is installed at '{mount}'");
                Err(Error::new(ErrorCode::ServiceNotFound, message))
            }
            (Place::Taken { keeps_settings: true, .. }, previous) => Ok(previous),
            _ => Ok(None),
        }
    }
}

/// The steps of an installation, and what they need.
struct Steps<'a> {
    services: &'a Services,
    session: &'a Session,
    request: &'a Request,
    mount: Mount,
    sets_up: bool,
    is_legacy: bool,
    is_development: bool,
}

impl<'a> Steps<'a> {
    fn of(services: &'a Services, session: &'a Session, request: &'a Request) -> Result<Self> {
        let mount = mount_of(services, request)?;
        if mount.is_system() {
            let message =
                format!("the mount point '{mount}' begins with '/_', as only those of the system do");
            return Err(Error::new(ErrorCode::InvalidMountPoint, message));
        }
        Ok(Steps {
            services,
            session,
            request,
            mount,
            sets_up: request.flag("setup", true)?,
            is_legacy: request.flag("legacy", false)?,
            is_development: request.flag("development", false)?,
        })
    }

    /// Installs the service that the request brings. The present one answers until the new one has
    /// been set up and has loaded, and stays if that fails.
    fn install(&self, place: &Place, tears_down: bool) -> Result<std::sync::Arc<InstalledService>> {
        // Nothing is read for a request that cannot succeed.
        let present = self.session.services()?.get(self.mount.as_str()).cloned();
        place.check(&self.mount, present.as_ref().map(|present| present.record()))?;
        let source = Source::read(self.services, self.session, self.request)?;
        let checksum = source.bundle.checksum();
        let (configuration, dependencies) = (source.configuration, source.dependencies);
        let change = self.session.stage_service(&self.mount, source.bundle, |previous| {
            let kept = place.check(&self.mount, previous)?;
            let merged = |kept: Option<&Vec<u8>>, given: &Option<Vec<u8>>| {
                let given = given.as_deref().map_or(Slice::EMPTY_OBJECT, Slice::new);
                merge(kept.map_or(Slice::EMPTY_OBJECT, |kept| Slice::new(kept)), given)
            };
            Ok(ServiceRecord {
                mount: self.mount.clone(),
                checksum,
                is_development: self.is_development,
                is_legacy: self.is_legacy,
                configuration: merged(kept.map(|kept| &kept.configuration), &configuration)?,
                dependencies: merged(kept.map(|kept| &kept.dependencies), &dependencies)?,
            })
        })?;
        self.check_engine(&*change.service().manifest()?)?;
        let of_service = |function| -> Result<ServiceCall> {
            Ok(ServiceCall::new(function, vec![text(self.mount.as_str())?]))
        };
        self.call(&change, of_service("check")?)?;
        if let Some(previous) = change.previous().filter(|_| tears_down) {
            tear_down(self.services, self.session, self.request, previous);
        }
        if self.sets_up && change.service().manifest()?.script("setup").is_some() {
            self.call(&change, ServiceCall::script(self.mount.as_str(), "setup", Slice::EMPTY_ARRAY)?)?;
        }
        match self.call(&change, of_service("load")?) {
            // It answers requests once it has been configured.
            Err(error) if error.code() == ErrorCode::ServiceNeedsConfiguration => {}
            loaded => loaded?,
        }
        change.finish()
    }

    /// Checks for which versions of ArangoDB the service is. Errors: 3001.
    fn check_engine(&self, manifest: &Manifest) -> Result<()> {
        let version = Version::parse(crate::version::ARANGODB_VERSION);
        let warning = version.map(|version| manifest.check_engine(&version)).transpose()?.flatten();
        if let Some(warning) = warning {
            let (database, mount) = (self.session.database_name(), &self.mount);
            tracing::warn!(target: "v8", %database, "the service at {mount}: {warning}");
        }
        Ok(())
    }

    /// Calls a function of the runtime for the new service, in an isolate of its own.
    fn call(&self, change: &ServiceChange<'_>, call: ServiceCall) -> Result<()> {
        let origin = Origin::of_request(self.services.runner.parts(), self.session, self.request);
        let callee = Callee { services: &change.services()?, service: change.service(), origin: &origin };
        self.services.runner.call_once(callee, call, |_, _| Ok(()))
    }
}

/// Runs the teardown script of a service, if it has one. Its errors do not keep the service.
fn tear_down(services: &Services, session: &Session, request: &Request, service: &InstalledService) {
    let run = || -> Result<()> {
        if service.manifest()?.script("teardown").is_none() {
            return Ok(());
        }
        let origin = Origin::of_request(services.runner.parts(), session, request);
        let call = ServiceCall::script(service.mount(), "teardown", Slice::EMPTY_ARRAY)?;
        let callee = Callee { services: &session.services()?, service, origin: &origin };
        services.runner.call(callee, call, |_, _| Ok(()))
    };
    if let Err(error) = run() {
        let (database, mount) = (session.database_name(), service.mount());
        tracing::warn!(target: "v8", %database, "the teardown script of the service at {mount} failed: {error}");
    }
}

/// Returns an object with the attributes of two; those of the second one count.
pub(super) fn merge(first: Slice<'_>, second: Slice<'_>) -> Result<Vec<u8>> {
    Fields::object(|fields| {
        for (name, value) in first.entries().filter(|(name, _)| second.get(name).is_none()) {
            fields.value(name, value);
        }
        for (name, value) in second.entries() {
            fields.value(name, value);
        }
    })
}

/// Prints a service as the list has it.
fn print_summary(service: &InstalledService, fields: &mut Fields<'_>) {
    let record = service.record();
    fields.text("mount", service.mount());
    let manifest = service.manifest().ok();
    if let Some(name) = manifest.as_ref().and_then(|manifest| manifest.name()) {
        fields.text("name", name);
    }
    if let Some(version) = manifest.as_ref().and_then(|manifest| manifest.version()) {
        fields.text("version", version);
    }
    let provides = manifest.as_ref().and_then(|manifest| manifest.to_velocypack().ok());
    let provides = provides.as_deref().and_then(|manifest| Slice::new(manifest).get("provides"));
    fields
        .value("provides", provides.unwrap_or(Slice::EMPTY_OBJECT))
        .bool("development", record.is_development)
        .bool("legacy", record.is_legacy);
}

/// Prints a service with all that is known about it.
pub(super) fn print(service: &InstalledService, fields: &mut Fields<'_>) {
    let record = service.record();
    print_summary(service, fields);
    fields.text("path", &service.folder().to_string_lossy()).text("checksum", &record.checksum);
    if let Ok(manifest) = service.manifest().and_then(|manifest| manifest.to_velocypack()) {
        fields.value("manifest", Slice::new(&manifest));
    }
    let manifest = service.manifest().ok();
    fields.child("options", |fields| {
        fields.child("configuration", |fields| {
            for (name, value) in Slice::new(&record.configuration).entries() {
                match manifest.as_ref().is_some_and(|manifest| is_password(manifest, name)) {
                    true => fields.text(name, PASSWORD_MASK),
                    false => fields.value(name, value),
                };
            }
        });
        fields.value("dependencies", Slice::new(&record.dependencies));
    });
}

fn is_password(manifest: &Manifest, name: &str) -> bool {
    let parameters = manifest.configuration();
    parameters.iter().any(|(known, parameter)| known == name && parameter.kind == ParameterType::Password)
}
