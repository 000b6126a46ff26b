//! `/_api/version`: the first request of nearly every driver.

use database::Session;
use errors::Result;
use hyper::StatusCode;

use crate::http::Cost::Constant;
use crate::http::api_version::ApiVersion;
use crate::http::{Fields, Request, Response, Route, Verb};
use crate::service::machine;
use crate::version::{ARANGODB_VERSION, COMMIT, COMPILER, LIBRARIES, LICENSE, PERSEA_VERSION, build_date};

// Every method is accepted, as in ArangoDB.
pub(super) const ROUTES: &[Route] = &[
    Route::new(Verb::Get, "/_api/version", Constant, version)
        .about("Returns the version of the server.")
        .with_query(&["details"]),
    Route::new(Verb::Post, "/_api/version", Constant, version)
        .about("Returns the version of the server.")
        .with_query(&["details"]),
    Route::new(Verb::Put, "/_api/version", Constant, version)
        .about("Returns the version of the server.")
        .with_query(&["details"]),
    Route::new(Verb::Patch, "/_api/version", Constant, version)
        .about("Returns the version of the server.")
        .with_query(&["details"]),
    Route::new(Verb::Delete, "/_api/version", Constant, version)
        .about("Returns the version of the server.")
        .with_query(&["details"]),
    Route::new(Verb::Get, "/_admin/version", Constant, version)
        .about("Returns the version of the server.")
        .with_query(&["details"]),
];

fn version(session: &Session, request: &Request) -> Result<Response> {
    let details = request.flag("details", false)? && session.require_insight().is_ok();
    Response::object(StatusCode::OK, |fields| {
        fields.text("server", "arango").text("license", LICENSE).text("version", ARANGODB_VERSION);
        fields.list("apiVersions", |names| {
            ApiVersion::STABLE.iter().for_each(|name| {
                names.text_element(name);
            });
        });
        fields.list("deprecatedApiVersions", |_| {});
        fields.text("requestedApiVersion", request.api_version().name());
        fields.text("persea-version", PERSEA_VERSION);
        if details {
            fields.child("details", |fields| print_details(session, fields));
        }
    })
}

/// Writes the details. All values are strings.
fn print_details(session: &Session, fields: &mut Fields<'_>) {
    let flag = |value: bool| if value { "true" } else { "false" };
    let javascript = session.instance().options().javascript;
    let full = format!("Persea {PERSEA_VERSION}, compatible with ArangoDB {ARANGODB_VERSION}");
    fields
        .text("architecture", if cfg!(target_pointer_width = "64") { "64bit" } else { "32bit" })
        .text("arm", flag(cfg!(target_arch = "aarch64")))
        .text("assertions", flag(cfg!(debug_assertions)))
        .text("asan", "false")
        .text("avx", flag(cfg!(target_feature = "avx")))
        .text("avx2", flag(cfg!(target_feature = "avx2")))
        .text("build-date", &build_date())
        .text("build-repository", COMMIT)
        .text("compiler", COMPILER)
        .text("coverage", "false")
        .text("debug", flag(cfg!(debug_assertions)))
        .text("endianness", if cfg!(target_endian = "little") { "little" } else { "big" })
        .text("full-version-string", &full)
        .text("host", &machine::host_name())
        .text("license", LICENSE)
        .text("failure-tests", "false")
        .text("jemalloc", "false")
        .text("maintainer-mode", "false")
        .text("memory-profiler", "false")
        .text("ndebug", flag(!cfg!(debug_assertions)))
        .text("openmp", "false")
        .text("mode", "server")
        .text("persea-engine", session.engine_name())
        .text("persea-version", PERSEA_VERSION)
        .text("platform", std::env::consts::OS)
        .text("reactor-type", "epoll")
        .text("replication2-enabled", "false")
        .text("role", "SINGLE")
        .text("server-version", ARANGODB_VERSION)
        .text("sizeof int", "4")
        .text("sizeof long", "8")
        .text("sizeof void*", "8")
        .text("sse42", flag(cfg!(target_feature = "sse4.2")))
        .text("tsan", "false")
        .text("unaligned-access", "true")
        // With the value "none", drivers' tests skip parts that need JavaScript on the server.
        .text("v8-version", if javascript.is_enabled() { "quickjs-ng" } else { "none" });
    for (name, version) in LIBRARIES {
        fields.text(name, version);
    }
}
