//! `/_admin/server/*`: role, availability, mode, secrets and certificates of the server.

use std::sync::Arc;

use database::{Instance, Session};
use errors::{Error, ErrorCode, Result};
use hyper::StatusCode;

use super::status::mode;
use crate::http::Cost::{Blocking, Constant};
use crate::http::audit::Audit;
use crate::http::route::AllServers;
use crate::http::tls::{FileSummary, Tls, digest};
use crate::http::{Fields, Request, Response, Route, Verb};
use crate::placement::pool::WorkerPool;
use crate::service::authentication::Authentication;
use crate::service::encryption::EncryptionKeys;
use crate::service::shutdown::Shutdown;

/// The services of this family.
pub(crate) struct Services {
    pub(crate) instance: Arc<Instance>,
    pub(crate) pool: Arc<WorkerPool>,
    pub(crate) shutdown: Arc<Shutdown>,
    pub(crate) authentication: Arc<Authentication>,
    pub(crate) tls: Option<Tls>,
    pub(crate) encryption_keys: Option<Arc<dyn EncryptionKeys>>,
}

pub(crate) const ROUTES: &[Route<Services>] = &[
    Route::open(Verb::Get, "/_admin/server/availability", Constant, availability)
        .about("Returns 200 if the server accepts requests; requires no authentication."),
    Route::new(Verb::Get, "/_admin/server/id", Constant, id).about("Returns the answer of a single server."),
    Route::new(Verb::Get, "/_admin/server/mode", Constant, get_mode)
        .about("Returns the mode of the server, `default` or `readonly`."),
    Route::new(Verb::Put, "/_admin/server/mode", Constant, set_mode)
        .of_all_servers(AllServers::Change)
        .audited(Audit::Service)
        .for_administrators()
        .about("Enables or disables the read-only mode.")
        .with_body(r#"{"mode": "readonly"}"#),
    Route::new(Verb::Get, "/_admin/server/role", Constant, role)
        .about("Returns the role of the server in a cluster: a single server."),
    Route::with(Verb::Get, "/_admin/server/jwt", Constant, secrets)
        .about("Returns digests of the token secrets."),
    Route::with(Verb::Post, "/_admin/server/jwt", Blocking, reload_secrets)
        .audited(Audit::Service)
        .about("Reloads the token secrets."),
    Route::with(Verb::Get, "/_admin/server/tls", Constant, tls).about("Describes the TLS certificates."),
    Route::with(Verb::Post, "/_admin/server/tls", Blocking, reload_tls)
        .audited(Audit::Service)
        .about("Reloads the TLS certificates."),
    Route::with(Verb::Post, "/_admin/server/encryption", Blocking, rotate_encryption_key)
        .audited(Audit::Service)
        .about("Reloads the secrets that protect the key of the encrypted data."),
];

/// Returns 503 if the server stops, its queue is three quarters full, another member leads its
/// group, or the shared store does not answer it, so that other servers get the requests.
fn availability(services: &Services, _request: &Request) -> Result<Response> {
    let is_full = services.pool.queue_length() * 4 >= services.pool.queue_capacity() * 3;
    if services.shutdown.is_requested() || is_full {
        let message = if is_full { "server is overloaded" } else { "server is stopping" };
        return Err(Error::new(ErrorCode::HttpServiceUnavailable, message));
    }
    let is_read_only = services.instance.is_read_only();
    if services.instance.is_group_member_without_requests() {
        let message = "server is a follower in its group";
        return Err(Error::new(ErrorCode::HttpServiceUnavailable, message));
    }
    services.instance.store().check_reachable()?;
    Response::success(StatusCode::OK, |fields| {
        fields.text("mode", if is_read_only { "readonly" } else { "default" });
    })
}

fn id(_session: &Session, _request: &Request) -> Result<Response> {
    Err(Error::internal("only the servers of a cluster have ids"))
}

fn role(session: &Session, _request: &Request) -> Result<Response> {
    Response::success(StatusCode::OK, |fields| {
        fields.text("role", "SINGLE").text("mode", mode(session));
    })
}

fn get_mode(session: &Session, _request: &Request) -> Result<Response> {
    Response::success(StatusCode::OK, |fields| {
        fields.text("mode", mode(session));
    })
}

fn set_mode(session: &Session, request: &Request) -> Result<Response> {
    let body = request.body_object()?;
    let is_read_only = match body.slice().get("mode").and_then(|mode| mode.as_str()) {
        Some("readonly") => true,
        Some("default") => false,
        _ => return Err(Error::bad_parameter("expecting 'mode' to be 'readonly' or 'default'")),
    };
    session.set_read_only(is_read_only);
    get_mode(session, request)
}

/// Returns the digests of the secrets that may sign tokens. Only a client that knows one of them
/// may read them.
fn secrets(services: &Services, session: &Session, _request: &Request) -> Result<Response> {
    require_superuser(session)?;
    let secrets = services.authentication.secrets();
    let digests: Vec<String> = secrets.iter().map(|secret| digest(secret)).collect();
    let print = |fields: &mut Fields<'_>, digest: &str| {
        fields.text("sha256", digest);
    };
    Response::success(StatusCode::OK, |fields| {
        fields.child("result", |fields| {
            if let Some(active) = digests.first() {
                fields.child("active", |fields| print(fields, active));
            }
            fields.list("passive", |list| {
                digests.iter().skip(1).for_each(|digest| {
                    list.child_element(|fields| print(fields, digest));
                });
            });
        });
    })
}

fn reload_secrets(services: &Services, session: &Session, request: &Request) -> Result<Response> {
    require_superuser(session)?;
    services.authentication.reload_secrets()?;
    secrets(services, session, request)
}

/// Returns a summary of certificates and keys.
///
/// Server names have no files of their own, and clients need no certificate.
fn tls(services: &Services, _session: &Session, _request: &Request) -> Result<Response> {
    let summary = services.tls.as_ref().map(Tls::summary);
    Response::success(StatusCode::OK, |fields| {
        fields.child("result", |fields| {
            fields.child("keyfile", |fields| {
                if let Some(summary) = &summary {
                    print_file(fields, &summary.keyfile);
                }
            });
            let named = summary.as_ref().map_or(&[][..], |summary| &summary.named);
            if !named.is_empty() {
                fields.child("SNI", |fields| {
                    named.iter().for_each(|(name, file)| {
                        fields.child(name, |fields| print_file(fields, file));
                    });
                });
            }
            fields.child("clientCA", |fields| {
                if let Some(file) = summary.as_ref().and_then(|summary| summary.client_authorities.as_ref()) {
                    print_file(fields, file);
                }
            });
        });
    })
}

fn print_file(fields: &mut Fields<'_>, summary: &FileSummary) {
    fields.text("sha256", &summary.sha256);
    fields.list("certificates", |list| {
        summary.certificates.iter().for_each(|certificate| {
            list.text_element(certificate);
        });
    });
    if let Some(digest) = &summary.key_sha256 {
        fields.text("privateKeySha256", digest);
    }
}

fn reload_tls(services: &Services, session: &Session, request: &Request) -> Result<Response> {
    require_superuser(session)?;
    if let Some(tls) = &services.tls {
        tls.reload().map_err(Error::internal)?;
    }
    tls(services, session, request)
}

/// Reloads the secrets of the encrypted data. Errors: 403, 404 if they are fixed or there are none.
fn rotate_encryption_key(services: &Services, session: &Session, _request: &Request) -> Result<Response> {
    require_superuser(session)?;
    let disabled = || Error::new(ErrorCode::HttpNotFound, "encryption key rotation is disabled");
    let digests = services.encryption_keys.as_ref().ok_or_else(disabled)?.reload()?;
    Response::success(StatusCode::OK, |fields| {
        fields.child("result", |fields| {
            fields.list("encryption-keys", |fields| {
                for digest in &digests {
                    fields.child_element(|fields| {
                        fields.text("sha256", digest);
                    });
                }
            });
        });
    })
}

/// Checks that the client knows a secret of the server, or that authentication is off.
fn require_superuser(session: &Session) -> Result<()> {
    match session.user() {
        None => Ok(()),
        Some(_) => Err(Error::of(ErrorCode::HttpForbidden)),
    }
}
