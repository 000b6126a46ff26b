//! The server's identity and state: `/_admin/status`, `/_admin/time`, `/_admin/support-info` and
//! similar routes.

use std::sync::Arc;
use std::time::{Instant, SystemTime, UNIX_EPOCH};

use database::Session;
use errors::{Error, ErrorCode, Result};
use hyper::StatusCode;
use sha2::{Digest, Sha256};

use super::engine;
use crate::http::Cost::{Blocking, Constant};
use crate::http::{Fields, Request, Response, Route, Verb};
use crate::options::ApiAccess;
use crate::service::machine::{self, Process, Processor};
use crate::service::shutdown::Shutdown;
use crate::version::{ARANGODB_VERSION, LICENSE, PERSEA_VERSION};

/// The services of this family.
pub(crate) struct Services {
    pub(crate) shutdown: Arc<Shutdown>,
    pub(crate) support_info_access: ApiAccess,
    pub(crate) endpoints: Vec<String>,
    pub(crate) started: Instant,
}

pub(crate) const ROUTES: &[Route<Services>] = &[
    Route::with(Verb::Get, "/_admin/status", Constant, status)
        .for_inspectors()
        .about("Returns the state of the server.")
        .with_query(&["overview"]),
    Route::with(Verb::Post, "/_admin/status", Constant, status)
        .for_inspectors()
        .about("Returns the state of the server.")
        .with_query(&["overview"]),
    Route::new(Verb::Get, "/_admin/time", Constant, time)
        .about("Returns the time of the server in seconds since 1970."),
    Route::new(Verb::Post, "/_admin/time", Constant, time)
        .about("Returns the time of the server in seconds since 1970."),
    Route::new(Verb::Put, "/_admin/time", Constant, time)
        .about("Returns the time of the server in seconds since 1970."),
    Route::with(Verb::Get, "/_admin/support-info", Blocking, support_info)
        .in_system_database()
        .about("Returns information for a support request."),
    Route::new(Verb::Get, "/_admin/deployment/id", Constant, deployment_id)
        .about("Returns the ID of this deployment."),
    Route::new(Verb::Get, "/_admin/license", Blocking, license)
        .for_inspectors()
        .about("Returns the license."),
    Route::new(Verb::Put, "/_admin/license", Constant, set_license)
        .for_administrators()
        .about("Rejects a license: none is needed.")
        .with_query(&["force"]),
    Route::new(Verb::Get, "/_admin/database/target-version", Constant, target_version)
        .about("Returns the version of the data."),
    Route::with(Verb::Get, "/_api/endpoint", Constant, endpoints)
        .in_system_database()
        .about("Lists the addresses that the server listens on."),
];

/// Returns `readonly` or `default`.
pub(super) fn mode(session: &Session) -> &'static str {
    if session.is_read_only() { "readonly" } else { "default" }
}

fn status(services: &Services, session: &Session, _request: &Request) -> Result<Response> {
    let is_read_only = session.is_read_only();
    let stopping = services.shutdown.is_requested();
    Response::object(StatusCode::OK, |fields| {
        fields.text("server", "arango").text("version", ARANGODB_VERSION).text("license", LICENSE);
        fields.text("persea-version", PERSEA_VERSION);
        fields.number("pid", std::process::id());
        fields
            .text("mode", "server")
            .text("operationMode", "server")
            .bool("foxxApi", session.instance().options().foxx.has_api);
        fields.text("host", &machine::host_name()).text("hostname", &machine::host_name());
        fields.child("serverInfo", |fields| {
            fields.child("progress", |fields| {
                fields.text("phase", if stopping { "in stop" } else { "in wait" });
                fields.text("feature", "").number("recoveryTick", 0_u8);
            });
            fields.bool("maintenance", false).text("role", "SINGLE");
            fields.bool("writeOpsEnabled", !is_read_only).bool("readOnly", is_read_only);
        });
    })
}

/// Returns the seconds since 1970.
pub(super) fn now_seconds() -> f64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0.0, |time| time.as_secs_f64())
}

fn time(_session: &Session, _request: &Request) -> Result<Response> {
    Response::success(StatusCode::OK, |fields| {
        fields.double("time", now_seconds());
    })
}

fn support_info(services: &Services, session: &Session, _request: &Request) -> Result<Response> {
    services.support_info_access.check(session, "/_admin/support-info")?;
    let date = jiff::Timestamp::now().strftime("%Y-%m-%dT%H:%M:%SZ").to_string();
    Response::object(StatusCode::OK, |fields| {
        fields.child("deployment", |fields| {
            fields.text("type", "single");
        });
        fields.child("host", |fields| print_host(services, session, fields));
        fields.text("date", &date);
    })
}

fn print_host(services: &Services, session: &Session, fields: &mut Fields<'_>) {
    let (process, processor) = (Process::now(), Processor::now());
    let build = format!("Persea {PERSEA_VERSION}");
    fields.text("role", "SINGLE").bool("maintenance", false);
    fields.bool("readOnly", session.is_read_only());
    fields.text("version", ARANGODB_VERSION).text("build", &build).text("license", LICENSE);
    fields.text("os", &machine::operating_system()).text("platform", std::env::consts::OS);
    let overridable = |fields: &mut Fields<'_>, name: &str, value: u64| {
        fields.child(name, |fields| {
            fields.number("value", value).bool("overridden", false);
        });
    };
    overridable(fields, "physicalMemory", machine::physical_memory_bytes());
    overridable(fields, "numberOfCores", machine::cores());
    fields.child("processStats", |fields| {
        fields
            .double("processUptime", services.started.elapsed().as_secs_f64())
            .number("numberOfThreads", process.threads)
            .number("virtualSize", process.virtual_bytes)
            .number("residentSetSize", process.resident_bytes)
            // ArangoDB's spelling.
            .number("fileDescrtors", process.file_descriptors)
            .number("fileDescrtorsLimit", process.file_descriptors_limit);
    });
    fields.child("cpuStats", |fields| {
        fields
            .double("userPercent", processor.user_percent)
            .double("systemPercent", processor.system_percent)
            .double("idlePercent", processor.idle_percent)
            .double("iowaitPercent", processor.wait_percent);
    });
    fields.child("engineStats", |fields| engine::print_statistics(session, fields));
}

fn deployment_id(session: &Session, _request: &Request) -> Result<Response> {
    let id = deployment_uuid(session.server_id());
    Response::object(StatusCode::OK, |fields| {
        fields.text("id", &id);
    })
}

/// Returns the id of a single server's deployment as a UUID (version 8, RFC 9562).
///
/// It depends only on the server's id.
fn deployment_uuid(server_id: u64) -> String {
    let digest = Sha256::new().chain_update(b"deployment").chain_update(server_id.to_be_bytes()).finalize();
    let bits = digest.iter().take(16).fold(0_u128, |bits, byte| bits << 8 | u128::from(*byte));
    let bits = bits & !(0xf << 76) & !(0x3 << 62) | 0x8 << 76 | 0x2 << 62;
    format!(
        "{:08x}-{:04x}-{:04x}-{:04x}-{:012x}",
        bits >> 96,
        bits >> 80 & 0xffff,
        bits >> 64 & 0xffff,
        bits >> 48 & 0xffff,
        bits & 0xffff_ffff_ffff
    )
}

/// Reports that the size of the data is not limited, as a license of ArangoDB may do. The reported
/// limit is the largest integer that a double represents exactly.
const NO_LIMIT_BYTES: u64 = (1 << 53) - 1;

fn license(session: &Session, _request: &Request) -> Result<Response> {
    let disk_bytes = session.engine_statistics().disk_bytes;
    Response::object(StatusCode::OK, |fields| {
        fields.bool("upgrading", false).child("diskUsage", |fields| {
            fields.number("bytesUsed", disk_bytes).number("bytesLimit", NO_LIMIT_BYTES);
            fields.bool("limitReached", false).number("secondsUntilReadOnly", 0_u8);
            fields.number("secondsUntilShutDown", 0_u8).text("status", "good");
        });
    })
}

fn set_license(_session: &Session, _request: &Request) -> Result<Response> {
    let message = "no license is needed: all features are available without one";
    Err(Error::new(ErrorCode::OnlyEnterprise, message))
}

/// Returns the version as a number with two digits each for minor and patch version.
fn target_version(_session: &Session, _request: &Request) -> Result<Response> {
    let version: String = ARANGODB_VERSION
        .split('.')
        .enumerate()
        .map(|(index, part)| if index == 0 { part.to_owned() } else { format!("{part:0>2}") })
        .collect();
    Response::success(StatusCode::OK, |fields| {
        fields.text("version", &version);
    })
}

fn endpoints(services: &Services, _session: &Session, _request: &Request) -> Result<Response> {
    let endpoints = Fields::array(|list| {
        for endpoint in &services.endpoints {
            list.child_element(|fields| {
                fields.text("endpoint", endpoint);
            });
        }
    })?;
    Ok(Response::value(StatusCode::OK, endpoints))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_deployment_has_one_id_of_the_form_of_a_uuid() {
        let id = deployment_uuid(77);
        let lengths: Vec<usize> = id.split('-').map(str::len).collect();
        assert_eq!(lengths, [8, 4, 4, 4, 12], "{id}");
        assert!(
            id[14..].starts_with('8') && ['8', '9', 'a', 'b'].contains(&id.chars().nth(19).unwrap()),
            "{id}"
        );
        assert_eq!(id, deployment_uuid(77));
        assert_ne!(id, deployment_uuid(78));
    }
}
