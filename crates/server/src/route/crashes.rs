//! `/_admin/crashes`: the dumps of crashes, and the state of the server that they hold.
//!
//! Source: ArangoDB 3.12 documentation, "Crash dump management".

use std::sync::Arc;
use std::time::SystemTime;

use database::Session;
use errors::{Error, ErrorCode, Result};
use hyper::StatusCode;
use velocypack::Slice;

use super::{activities, recording};
use crate::http::Cost::Blocking;
use crate::http::date::iso_date;
use crate::http::{Fields, Request, Response, Route, Verb};
use crate::service::crashes::{CrashDumps, DumpFile};
use crate::service::log::{Log, Query};
use crate::service::machine::{self, Process};
use crate::service::recording::Recording;
use crate::version::{ARANGODB_VERSION, COMMIT, PERSEA_VERSION};

/// Number of entries of the log in a dump.
const LOG_ENTRIES: usize = 1_000;

/// The services of this family.
pub(crate) struct Services {
    /// The dumps; `None` if none are written.
    pub(crate) dumps: Option<Arc<CrashDumps>>,
}

pub(crate) const ROUTES: &[Route<Services>] = &[
    Route::with(Verb::Get, "/_admin/crashes", Blocking, list)
        .for_administrators()
        .about("Lists the dumps of crashes."),
    Route::with(Verb::Get, "/_admin/crashes/{id}", Blocking, contents)
        .for_administrators()
        .about("Returns the files of the dump of a crash."),
    Route::with(Verb::Delete, "/_admin/crashes/{id}", Blocking, remove)
        .for_operators()
        .about("Removes the dump of a crash."),
];

impl Services {
    fn dumps(&self) -> Result<&CrashDumps> {
        self.dumps.as_deref().ok_or_else(|| {
            let message = "crash dumps are off: --crash-handler.enable-dumps is false, or the data is encrypted or in memory";
            Error::new(ErrorCode::HttpServiceUnavailable, message)
        })
    }
}

fn list(services: &Services, _session: &Session, _request: &Request) -> Result<Response> {
    let names = services.dumps()?.list().map_err(Error::internal)?;
    Response::success(StatusCode::OK, |fields| {
        fields.list("result", |list| {
            for name in &names {
                list.text_element(name);
            }
        });
    })
}

fn contents(services: &Services, _session: &Session, request: &Request) -> Result<Response> {
    let id = request.parameter("id");
    let files = services.dumps()?.read(id).map_err(Error::internal)?.ok_or_else(|| unknown(id))?;
    Response::success(StatusCode::OK, |fields| {
        fields.child("result", |fields| {
            fields.text("crashId", id).child("files", |fields| {
                for (name, contents) in &files {
                    fields.text(name, contents);
                }
            });
        });
    })
}

fn remove(services: &Services, _session: &Session, request: &Request) -> Result<Response> {
    let id = request.parameter("id");
    if !services.dumps()?.remove(id).map_err(Error::internal)? {
        return Err(unknown(id));
    }
    Response::success(StatusCode::OK, |fields| {
        fields.child("result", |fields| {
            fields.bool("deleted", true).text("crashId", id);
        });
    })
}

fn unknown(id: &str) -> Error {
    Error::new(ErrorCode::HttpNotFound, format!("there is no crash dump '{id}'"))
}

/// The parts of a server that its dumps describe.
pub(crate) struct Diagnosis {
    pub(crate) activities: activities::Services,
    pub(crate) calls: Arc<Recording<3>>,
    pub(crate) queries: Arc<Recording<3>>,
    pub(crate) log: Arc<Log>,
}

impl Diagnosis {
    /// Returns the files that describe the present state. A part that cannot be described is empty.
    pub(crate) fn files(&self) -> Vec<DumpFile> {
        let json = |object: Result<Vec<u8>>| object.map(|bytes| Slice::new(&bytes).to_json_string());
        let activities = json(activities::describe(&self.activities)).unwrap_or_default();
        let recording = Fields::object(|fields| {
            fields.list("calls", |list| recording::print_calls(list, &self.calls.entries()));
            fields.list("queries", |list| recording::print_queries(list, &self.queries.entries()));
        });
        let files = [
            ("system_info.txt", system_info()),
            ("Activities.json", activities),
            ("ApiRecording.json", json(recording).unwrap_or_default()),
            ("log.txt", self.log_text()),
        ];
        files.map(|(name, contents)| (name.to_owned(), contents)).to_vec()
    }

    fn log_text(&self) -> String {
        let wanted = Query { descending: true, size: LOG_ENTRIES, ..Query::default() };
        let (entries, _) = self.log.entries(&wanted);
        let line = |entry: &Arc<crate::service::log::Entry>| {
            format!("{} {} {{{}}} {}\n", entry.date(), entry.level.name(), entry.topic, entry.text)
        };
        entries.iter().rev().map(line).collect()
    }
}

/// Returns the state of the process and its machine, a value a line.
pub fn system_info() -> String {
    let process = Process::now();
    let values = [
        ("time", iso_date(SystemTime::now())),
        ("version", format!("{PERSEA_VERSION} (compatible with ArangoDB {ARANGODB_VERSION})")),
        ("commit", COMMIT.to_owned()),
        ("process", std::process::id().to_string()),
        ("host", machine::host_name()),
        ("platform", format!("{} {}", std::env::consts::OS, std::env::consts::ARCH)),
        ("cores", machine::cores().to_string()),
        ("memory of the machine in bytes", machine::physical_memory_bytes().to_string()),
        ("memory for the process in bytes", machine::available_memory_bytes().to_string()),
        ("resident memory in bytes", process.resident_bytes.to_string()),
        ("virtual memory in bytes", process.virtual_bytes.to_string()),
        ("threads", process.threads.to_string()),
        ("open files", process.file_descriptors.to_string()),
        ("limit of open files", process.file_descriptors_limit.to_string()),
    ];
    values.iter().map(|(name, value)| format!("{name}: {value}\n")).collect()
}
