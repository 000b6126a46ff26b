//! What the server is and how it is: `/_admin/status`, `/_admin/time`, `/_admin/support-info` and their like.

use std::time::{SystemTime, UNIX_EPOCH};

use hyper::StatusCode;

use super::engine;
use crate::error::{ApiError, Result};
use crate::error_number::number;
use crate::http::{Fields, Request, Response, Route, Verb};
use crate::machine::{self, Process, Processor};
use crate::server::{ARANGODB_VERSION, LICENSE, PERSEA_VERSION};
use crate::session::Session;

pub(super) const ROUTES: &[Route] = &[
    Route::inline(Verb::Get, "/_admin/status", status),
    Route::inline(Verb::Post, "/_admin/status", status),
    Route::inline(Verb::Get, "/_admin/time", time),
    Route::inline(Verb::Post, "/_admin/time", time),
    Route::inline(Verb::Put, "/_admin/time", time),
    Route::pool(Verb::Get, "/_admin/support-info", support_info).in_system_database(),
    Route::inline(Verb::Get, "/_admin/deployment/id", deployment_id),
    Route::inline(Verb::Get, "/_admin/license", license),
    Route::inline(Verb::Put, "/_admin/license", set_license).for_administrators(),
    Route::inline(Verb::Get, "/_admin/database/target-version", target_version),
    Route::inline(Verb::Get, "/_api/endpoint", endpoints).in_system_database(),
];

/// `readonly` or `default`.
pub(super) fn mode(session: &Session) -> &'static str {
    if session.instance().store().is_read_only() { "readonly" } else { "default" }
}

fn status(session: &Session, _request: &Request) -> Result<Response> {
    let is_read_only = session.instance().store().is_read_only();
    let stopping = session.server().shutdown().is_requested();
    Response::object(StatusCode::OK, |fields| {
        fields.text("server", "arango").text("version", ARANGODB_VERSION).text("license", LICENSE);
        fields.text("persea-version", PERSEA_VERSION);
        fields.number("pid", std::process::id());
        fields.text("mode", "server").text("operationMode", "server").bool("foxxApi", false);
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

/// Seconds since 1970.
pub(super) fn now_seconds() -> f64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0.0, |time| time.as_secs_f64())
}

fn time(_session: &Session, _request: &Request) -> Result<Response> {
    Response::success(StatusCode::OK, |fields| {
        fields.double("time", now_seconds());
    })
}

fn support_info(session: &Session, _request: &Request) -> Result<Response> {
    session.server().options().support_info_api.check(session, "/_admin/support-info")?;
    let date = jiff::Timestamp::now().to_string();
    Response::object(StatusCode::OK, |fields| {
        fields.child("deployment", |fields| {
            fields.text("type", "single");
        });
        fields.child("host", |fields| print_host(session, fields));
        fields.text("date", &date);
    })
}

fn print_host(session: &Session, fields: &mut Fields<'_>) {
    let (process, processor) = (Process::now(), Processor::now());
    let build = format!("Persea {PERSEA_VERSION}");
    fields.text("role", "SINGLE").bool("maintenance", false);
    fields.bool("readOnly", session.instance().store().is_read_only());
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
            .double("processUptime", session.server().uptime().as_secs_f64())
            .number("numberOfThreads", process.threads)
            .number("virtualSize", process.virtual_bytes)
            .number("residentSetSize", process.resident_bytes)
            // Spelled so by ArangoDB.
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
    let id = session.instance().store().server_id().to_string();
    Response::object(StatusCode::OK, |fields| {
        fields.text("id", &id);
    })
}

fn license(_session: &Session, _request: &Request) -> Result<Response> {
    Response::object(StatusCode::OK, |fields| {
        fields.text("license", "none");
    })
}

fn set_license(_session: &Session, _request: &Request) -> Result<Response> {
    let message = "there is nothing to be licensed: all features are there without one";
    Err(ApiError::new(number::ONLY_ENTERPRISE, message))
}

/// The version as a number: two digits each for minor and sub version.
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

fn endpoints(session: &Session, _request: &Request) -> Result<Response> {
    let endpoints = Fields::array(|list| {
        for endpoint in &session.server().options().endpoints {
            list.child_element(|fields| {
                fields.text("endpoint", endpoint);
            });
        }
    })?;
    Ok(Response::value(StatusCode::OK, endpoints))
}
