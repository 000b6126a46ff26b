//! `/_admin/backup/*`: local backups of all databases, their restore, and their transfer
//! to and from repositories.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use backups::{BackupId, Backups, Location, LogId, LogPosition, Manifest, Repository, Written};
use database::Session;
use errors::{Error, ErrorCode, Result};
use hyper::StatusCode;
use storage::PartialWait;
use velocypack::Slice;

use crate::http::Cost::Blocking;
use crate::http::audit::Audit;
use crate::http::{Fields, Request, Response, Route, Verb};
use crate::options::ApiAccess;
use crate::service::backups::{BackupOptions, Direction, Transfer, TransferState, Transfers, location};
use crate::service::shutdown::Shutdown;

/// The services of this family.
pub(crate) struct Services {
    pub(crate) access: ApiAccess,
    pub(crate) options: BackupOptions,
    pub(crate) transfers: Transfers,
    pub(crate) shutdown: Arc<Shutdown>,
}

pub(crate) const ROUTES: &[Route<Services>] = &[
    Route::with(Verb::Post, "/_admin/backup/create", Blocking, create)
        .audited(Audit::Backup)
        .for_administrators()
        .not_in_scripts()
        .about("Creates a backup.")
        .with_body(r#"{"label": "daily"}"#),
    Route::with(Verb::Post, "/_admin/backup/list", Blocking, list)
        .for_administrators()
        .about("Lists the backups."),
    Route::with(Verb::Post, "/_admin/backup/delete", Blocking, delete)
        .audited(Audit::Backup)
        .for_administrators()
        .not_in_scripts()
        .about("Deletes a backup.")
        .with_body(r#"{"id": "2026-11-24T18.00.00Z_daily"}"#),
    Route::with(Verb::Post, "/_admin/backup/restore", Blocking, restore)
        .audited(Audit::Backup)
        .for_administrators()
        .not_in_scripts()
        .about("Restores a backup; the server restarts.")
        .with_body(r#"{"id": "2026-11-24T18.00.00Z_daily"}"#),
    Route::with(Verb::Post, "/_admin/backup/upload", Blocking, upload)
        .audited(Audit::Backup)
        .for_administrators()
        .about("Uploads a backup to a repository, or returns the progress of an upload.")
        .with_body(r#"{"id": "2026-11-24T18.00.00Z_daily", "remoteRepository": "local:/backups"}"#),
    Route::with(Verb::Post, "/_admin/backup/download", Blocking, download)
        .audited(Audit::Backup)
        .for_administrators()
        .about("Downloads a backup from a repository, or returns the progress of a download.")
        .with_body(r#"{"id": "2026-11-24T18.00.00Z_daily", "remoteRepository": "local:/backups"}"#),
];

/// The name of a single server where ArangoDB lists servers.
const SINGLE_SERVER: &str = "SNGL";

/// Seconds of the default wait for transactions that commit in parts.
const TIMEOUT_SECONDS: f64 = 120.0;

/// The name of a backup that is being made, among the readers of the change log.
const LOG_READER: &str = "server:backup";

/// The longest such wait.
const TIMEOUT_SECONDS_MAX: f64 = 24.0 * 3_600.0;

fn backups<'a>(services: &'a Services, session: &Session, request: &Request) -> Result<&'a Arc<Backups>> {
    services.access.check(session, request.uri().path())?;
    services
        .options
        .backups
        .as_ref()
        .ok_or_else(|| Error::not_implemented(format!("backups of the engine '{}'", session.engine_name())))
}

fn create(services: &Services, session: &Session, request: &Request) -> Result<Response> {
    let backups = backups(services, session, request)?;
    let body = request.body_object()?;
    let body = body.slice();
    let label = text(body, "label")?.unwrap_or_default();
    let wait = PartialWait {
        timeout: timeout(body)?,
        aborts: flag(body, "force")?,
        accepts_halves: flag(body, "allowInconsistent")?,
    };
    let manifest = backups.create(label, |folder| write(session, folder, &wait))?;
    tracing::info!(target: "backup", user = session.user().map(display), "created backup '{}'", manifest.id);
    Response::success(StatusCode::CREATED, |fields| {
        fields.child("result", |fields| {
            fields
                .text("id", manifest.id.as_str())
                .bool("potentiallyInconsistent", manifest.is_inconsistent)
                .number("sizeInBytes", manifest.size_bytes())
                .text("datetime", &manifest.time())
                .number("nrDBServers", 1_u64)
                .number("nrFiles", manifest.files.len() as u64);
        });
    })
}

/// Writes the files of a backup, and notes between which positions of the change log they are.
fn write(session: &Session, folder: &Path, wait: &PartialWait) -> Result<Written> {
    let before = session.log_moment();
    if let Some(before) = &before {
        // The log in the backup says which of the commits from here on the backup has.
        session.register_log_reader(LOG_READER, "backup", before.resolved.saturating_sub(1))?;
    }
    let is_consistent = session.checkpoint(folder, wait).map_err(|error| match error.code() {
        ErrorCode::LockTimeout => error.with_status(StatusCode::REQUEST_TIMEOUT.as_u16()),
        _ => error,
    });
    session.forget_log_reader(LOG_READER);
    let is_consistent = is_consistent?;
    let both = before.zip(session.log_moment()).filter(|(before, after)| before.log == after.log);
    let log = both.map(|(before, after)| LogPosition {
        id: LogId { server: after.server, log: after.log },
        complete: before.resolved,
        end: after.next,
        time: after.time,
    });
    Ok(Written { is_consistent, log })
}

fn list(services: &Services, session: &Session, request: &Request) -> Result<Response> {
    let backups = backups(services, session, request)?;
    let body = request.body_object()?;
    let listed = match ids(body.slice())? {
        None => backups.list()?,
        Some(ids) => {
            ids.into_iter().map(|id| Ok((id.clone(), Ok(backups.get(&id)?)))).collect::<Result<_>>()?
        }
    };
    Response::success(StatusCode::OK, |fields| {
        fields.child("result", |fields| {
            fields.text("server", SINGLE_SERVER);
            fields.child("list", |fields| {
                for (id, manifest) in &listed {
                    fields.child(id.as_str(), |fields| print(id, manifest.as_ref().ok(), fields));
                }
            });
        });
    })
}

/// Prints a backup of the list. One without a readable manifest is not available.
fn print(id: &BackupId, manifest: Option<&Manifest>, fields: &mut Fields<'_>) {
    fields.text("id", id.as_str());
    if let Some(manifest) = manifest {
        fields
            .text("version", &manifest.versions.compatible)
            .text("persea-version", &manifest.versions.own)
            .text("datetime", &manifest.time())
            .number("sizeInBytes", manifest.size_bytes())
            .number("nrFiles", manifest.files.len() as u64)
            .bool("potentiallyInconsistent", manifest.is_inconsistent);
    }
    fields
        .list("keys", |_| {})
        .number("nrDBServers", 1_u64)
        .number("nrPiecesPresent", 1_u64)
        .bool("available", manifest.is_some())
        .bool("countIncludesFilesOnly", true);
}

/// Reads the ids that a list is limited to: one text, or an array of them.
fn ids(body: Slice<'_>) -> Result<Option<Vec<BackupId>>> {
    let wrong = || Error::bad_parameter("'id' must be a string or an array of strings");
    match given(body, "id") {
        None => Ok(None),
        Some(id) if id.is_array() => {
            let ids = id.elements().map(|id| BackupId::parse(id.as_str().ok_or_else(wrong)?));
            ids.collect::<Result<_>>().map(Some)
        }
        Some(id) => Ok(Some(vec![BackupId::parse(id.as_str().ok_or_else(wrong)?)?])),
    }
}

fn delete(services: &Services, session: &Session, request: &Request) -> Result<Response> {
    let backups = backups(services, session, request)?;
    let id = id(request.body_object()?.slice())?;
    backups.delete(&id)?;
    tracing::info!(target: "backup", user = session.user().map(display), "deleted backup '{id}'");
    Response::success(StatusCode::OK, |fields| {
        fields.child("result", |_| {});
    })
}

/// Prepares the restore, and makes the server start again: the start carries it out.
fn restore(services: &Services, session: &Session, request: &Request) -> Result<Response> {
    let backups = backups(services, session, request)?;
    let id = id(request.body_object()?.slice())?;
    let previous = backups.prepare_restore(&id, |folder| services.options.verify.check(folder))?;
    tracing::info!(
        target: "backup", user = session.user().map(display),
        "restoring backup '{id}'; the current data become backup '{previous}'"
    );
    services.shutdown.request_restart();
    Response::success(StatusCode::OK, |fields| {
        fields.child("result", |fields| {
            fields.text("previous", previous.as_str());
        });
    })
}

fn upload(services: &Services, session: &Session, request: &Request) -> Result<Response> {
    transfer(services, session, request, Direction::Upload)
}

fn download(services: &Services, session: &Session, request: &Request) -> Result<Response> {
    transfer(services, session, request, Direction::Download)
}

/// Begins a transfer, reports its progress, or ends it, as the body says.
fn transfer(
    services: &Services,
    session: &Session,
    request: &Request,
    direction: Direction,
) -> Result<Response> {
    let backups = backups(services, session, request)?;
    let name = match direction {
        Direction::Upload => "uploadId",
        Direction::Download => "downloadId",
    };
    let body = request.body_object()?;
    let body = body.slice();
    if let Some(number) = text(body, name)? {
        let transfer = services.transfers.find(number, direction).ok_or_else(|| {
            Error::new(ErrorCode::HttpNotFound, format!("there is no transfer with the '{name}' {number:?}"))
        })?;
        if flag(body, "abort")? {
            transfer.cancel();
        }
        return report(name, number, &transfer);
    }
    let id = id(body)?;
    let place = place(services, body)?;
    let repository = match direction {
        Direction::Upload => {
            backups.get(&id)?;
            Repository::create(&place)?
        }
        Direction::Download => {
            let repository = Repository::open(&place)?;
            repository.get(&id)?;
            repository
        }
    };
    let number = services.transfers.begin(backups, repository, direction, id)?;
    Response::success(StatusCode::ACCEPTED, |fields| {
        fields.child("result", |fields| {
            fields.text(name, &number.to_string());
        });
    })
}

fn place(services: &Services, body: Slice<'_>) -> Result<Location> {
    let remote = text(body, "remoteRepository")?
        .ok_or_else(|| Error::bad_parameter("'remoteRepository' is missing; it must be a string"))?;
    let config = body
        .get("config")
        .filter(|config| config.is_object())
        .ok_or_else(|| Error::bad_parameter("'config' must be an object"))?;
    location(remote, config, &services.options.path_prefix)
}

fn report(name: &str, number: &str, transfer: &Transfer) -> Result<Response> {
    let time = jiff::Timestamp::from_second(transfer.started_seconds).unwrap_or_default();
    let count = |count: &std::sync::atomic::AtomicU64| count.load(Ordering::Relaxed);
    let progress = &transfer.progress;
    let is_cancelled = progress.is_cancelled.load(Ordering::Relaxed);
    let number_name = if name == "uploadId" { "UploadId" } else { "DownloadId" };
    Response::success(StatusCode::OK, |fields| {
        fields.child("result", |fields| {
            fields
                .text("Timestamp", &time.strftime("%Y-%m-%dT%H:%M:%SZ").to_string())
                .text(number_name, number)
                .bool("Cancelled", is_cancelled)
                .text("BackupId", transfer.backup.as_str());
            fields.child("DBServers", |fields| {
                fields.child(SINGLE_SERVER, |fields| {
                    match transfer.state() {
                        TransferState::Started => fields.text("Status", "STARTED"),
                        TransferState::Completed => fields.text("Status", "COMPLETED"),
                        TransferState::Failed(_) if is_cancelled => fields.text("Status", "CANCELLED"),
                        TransferState::Failed(error) => fields
                            .text("Status", "FAILED")
                            .number("Error", error.number())
                            .text("ErrorMessage", error.message()),
                    };
                    fields.child("Progress", |fields| {
                        fields
                            .number("Total", count(&progress.total_files))
                            .number("Done", count(&progress.done_files))
                            .number("CopiedBytes", count(&progress.copied_bytes));
                    });
                });
            });
        });
    })
}

fn id(body: Slice<'_>) -> Result<BackupId> {
    let id = text(body, "id")?.ok_or_else(|| Error::bad_parameter("'id' is missing; it must be a string"))?;
    BackupId::parse(id)
}

/// Returns an attribute of the body. Drivers send null for one that their caller has omitted.
fn given<'a>(body: Slice<'a>, name: &str) -> Option<Slice<'a>> {
    body.get(name).filter(|value| !value.is_null())
}

fn text<'a>(body: Slice<'a>, name: &str) -> Result<Option<&'a str>> {
    let wrong = || Error::bad_parameter(format!("'{name}' must be a string"));
    given(body, name).map(|value| value.as_str().ok_or_else(wrong)).transpose()
}

fn flag(body: Slice<'_>, name: &str) -> Result<bool> {
    let wrong = || Error::bad_parameter(format!("'{name}' must be a bool"));
    Ok(given(body, name).map(|value| value.as_bool().ok_or_else(wrong)).transpose()?.unwrap_or(false))
}

fn timeout(body: Slice<'_>) -> Result<Duration> {
    let seconds = match given(body, "timeout") {
        None => Some(TIMEOUT_SECONDS),
        Some(value) => value.as_f64().filter(|seconds| *seconds >= 0.0),
    };
    let seconds = seconds.ok_or_else(|| Error::bad_parameter("'timeout' must be a number of seconds"))?;
    Ok(Duration::from_secs_f64(seconds.min(TIMEOUT_SECONDS_MAX)))
}
