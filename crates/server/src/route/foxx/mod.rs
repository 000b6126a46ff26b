//! `/_api/foxx`: services in JavaScript, and the paths that they answer.
//!
//! `services`: listing, installing, removing. `source`: the body that brings a service. `settings`:
//! configuration and dependencies. `scripts`, `tests`: code of a service that runs on demand.
//! `files`: what a service's folder has, and its development. `runner`: the isolates that services
//! run in. `requests`: requests to services. `upload`: files that wait to be installed.
//!
//! Sources: ArangoDB 3.12 documentation, "HTTP interface for Foxx"; the messages of foxx-cli and
//! the drivers.

mod files;
pub(crate) mod queues;
pub(crate) mod requests;
pub(crate) mod runner;
mod scripts;
mod services;
mod settings;
mod source;
mod tests;
mod upload;

use std::sync::Arc;

use database::{Instance, Session};
use errors::{Error, ErrorCode, Result};
use foxx::Mount;

use self::runner::ServiceRunner;
use crate::http::Cost::Blocking;
use crate::http::audit::Audit;
use crate::http::request::Request;
use crate::http::response::Response;
use crate::http::route::{Route, Verb};

/// The services of this family.
pub(crate) struct Services {
    pub(crate) instance: Arc<Instance>,
    pub(crate) runner: Arc<ServiceRunner>,
    /// True if services answer requests.
    pub(crate) is_enabled: bool,
}

/// A body for the description of the routes.
const SOURCE: &str = r#"{"source": "/path/to/service.zip", "configuration": {}, "dependencies": {}}"#;

const ONE: &str = "/_api/foxx/service";
const CONFIGURATION: &str = "/_api/foxx/configuration";
const DEPENDENCIES: &str = "/_api/foxx/dependencies";
const DEVELOPMENT: &str = "/_api/foxx/development";

type Handler = fn(&Services, &Session, &Request) -> Result<Response>;

/// Returns a route that reads a service, for users who may write the database.
const fn read(verb: Verb, pattern: &'static str, handler: Handler) -> Route<Services> {
    Route::with(verb, pattern, Blocking, handler).for_writers().not_in_scripts()
}

/// Returns a route that changes a service.
const fn change(verb: Verb, pattern: &'static str, handler: Handler) -> Route<Services> {
    read(verb, pattern, handler).audited(Audit::Service)
}

pub(crate) const ROUTES: &[Route<Services>] =
    &[
        Route::with(Verb::Get, "/_api/foxx", Blocking, services::list)
            .about("Lists the services of the database.")
            .with_query(&["excludeSystem"]),
        change(Verb::Post, "/_api/foxx", services::install)
            .about("Installs a service: a ZIP archive, a JavaScript file, or a description of its source.")
            .with_query(&["mount", "development", "setup", "legacy"])
            .with_body(SOURCE),
        read(Verb::Get, ONE, services::get).about("Returns a service.").with_query(&["mount"]),
        change(Verb::Patch, ONE, services::upgrade)
            .about("Puts another version in the place of a service, and keeps what was set for it.")
            .with_query(&["mount", "teardown", "setup", "legacy", "force", "development"])
            .with_body(SOURCE),
        change(Verb::Put, ONE, services::replace)
            .about("Puts another service in the place of a service.")
            .with_query(&["mount", "teardown", "setup", "legacy", "force", "development"])
            .with_body(SOURCE),
        change(Verb::Delete, ONE, services::uninstall)
            .about("Removes a service.")
            .with_query(&["mount", "teardown", "force"]),
        read(Verb::Get, CONFIGURATION, settings::configuration)
            .about("Returns the configuration of a service.")
            .with_query(&["mount", "minimal"]),
        change(Verb::Patch, CONFIGURATION, settings::update_configuration)
            .about("Changes values of a service's configuration.")
            .with_query(&["mount", "minimal"])
            .with_body(r#"{"currency": "EUR"}"#),
        change(Verb::Put, CONFIGURATION, settings::replace_configuration)
            .about("Replaces all values of a service's configuration.")
            .with_query(&["mount", "minimal"])
            .with_body(r#"{"currency": "EUR"}"#),
        read(Verb::Get, DEPENDENCIES, settings::dependencies)
            .about("Returns the dependencies of a service.")
            .with_query(&["mount", "minimal"]),
        change(Verb::Patch, DEPENDENCIES, settings::update_dependencies)
            .about("Changes dependencies of a service.")
            .with_query(&["mount", "minimal"])
            .with_body(r#"{"mailer": "/mailer"}"#),
        change(Verb::Put, DEPENDENCIES, settings::replace_dependencies)
            .about("Replaces all dependencies of a service.")
            .with_query(&["mount", "minimal"])
            .with_body(r#"{"mailer": "/mailer"}"#),
        read(Verb::Get, "/_api/foxx/scripts", scripts::list)
            .about("Lists the scripts of a service.")
            .with_query(&["mount"]),
        change(Verb::Post, "/_api/foxx/scripts/{name}", scripts::run)
            .about("Runs a script of a service.")
            .with_query(&["mount"])
            .with_body(r#"{"name": "value"}"#),
        change(Verb::Post, "/_api/foxx/tests", tests::run)
            .about("Runs the tests of a service.")
            .with_query(&["mount", "reporter", "idiomatic", "filter"]),
        change(Verb::Post, DEVELOPMENT, files::begin_development)
            .about("Begins the development of a service: its files are read again for each request.")
            .with_query(&["mount"]),
        change(Verb::Delete, DEVELOPMENT, files::end_development)
            .about("Ends the development of a service.")
            .with_query(&["mount"]),
        read(Verb::Get, "/_api/foxx/readme", files::readme)
            .about("Returns the README of a service.")
            .with_query(&["mount"]),
        read(Verb::Get, "/_api/foxx/swagger", scripts::api_description)
            .about("Returns the description of a service's routes.")
            .with_query(&["mount"]),
        read(Verb::Post, "/_api/foxx/download", files::download)
            .about("Returns the files of a service as a ZIP archive.")
            .with_query(&["mount"]),
        read(Verb::Get, "/_api/foxx/bundle", files::download)
            .about("Returns the files of a service as a ZIP archive.")
            .with_query(&["mount"]),
        change(Verb::Post, "/_api/foxx/commit", files::commit)
            .about("Stores the files of services, as they are on this server, for all servers.")
            .with_query(&["replace"]),
        change(Verb::Post, "/_api/upload", upload::upload)
            .about("Keeps a file for an hour, to be named as the source of a service."),
        change(Verb::Post, "/_api/foxx/_local/heal", files::heal)
            .about("Makes the files of services that are missing on this server."),
    ];

/// Checks that clients may manage services. Errors: 3099.
fn check_api(services: &Services) -> Result<()> {
    match services.instance.options().foxx.has_api {
        true => Ok(()),
        false => {
            let message = "services cannot be managed here (--foxx.api)";
            Err(Error::new(ErrorCode::ServiceApiDisabled, message))
        }
    }
}

/// Returns the mount point that a request names. Errors: 3099, 10 without one, 3007.
fn mount_of(services: &Services, request: &Request) -> Result<Mount> {
    check_api(services)?;
    let mount = request.text("mount")?;
    let mount = mount.ok_or_else(|| Error::bad_parameter("the query parameter 'mount' is missing"))?;
    Mount::parse(&mount)
}
