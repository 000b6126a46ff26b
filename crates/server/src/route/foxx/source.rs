//! The body that brings a service: an archive, a script, or a description of where it is.

use std::path::Path;
use std::time::Duration;

use bytes::Bytes;
use client::download;
use database::Session;
use database::foxx::ChargedBundle;
use errors::{Error, ErrorCode, Result};
use hyper::header::CONTENT_TYPE;
use velocypack::{Builder, Slice, json};

use super::{Services, upload};
use crate::http::multipart::{self, Part};
use crate::http::request::Request;

/// The first bytes of every ZIP archive.
const ZIP_BEGINS: &[u8] = b"PK";

/// Maximum number of fields of a form.
const FIELDS_MAX: usize = 16;

/// The time for the archive of a URL.
const FETCH_TIMEOUT: Duration = Duration::from_secs(60);

/// The bundle that a request brings, and the settings with it.
pub(super) struct Source {
    pub(super) bundle: ChargedBundle,
    /// The values of its configuration: an object.
    pub(super) configuration: Option<Vec<u8>>,
    /// The mount points of its dependencies: an object.
    pub(super) dependencies: Option<Vec<u8>>,
}

/// The parts of a description, in a form or in JSON.
#[derive(Default)]
struct Description {
    bytes: Option<Bytes>,
    text: Option<String>,
    configuration: Option<Vec<u8>>,
    dependencies: Option<Vec<u8>>,
}

impl Source {
    /// Reads the body of a request.
    ///
    /// Errors: 3013 if it describes no source; 3014 and 3015 if the source cannot be read; those of
    /// a bundle.
    pub(super) fn read(services: &Services, session: &Session, request: &Request) -> Result<Self> {
        let kind = request.header(CONTENT_TYPE).unwrap_or_default();
        let kind = kind.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
        let description = match kind.as_str() {
            "multipart/form-data" => of_form(request)?,
            "application/json" | "application/x-velocypack" => of_value(request)?,
            // Many clients name no type, or a wrong one. No script is a JSON object.
            "application/javascript" | "application/zip" => of_body(request),
            _ if request.body().trim_ascii_start().starts_with(b"{") => of_value(request)?,
            _ => of_body(request),
        };
        let Description { bytes, text, configuration, dependencies } = description;
        let bundle = match (bytes, text) {
            (Some(bytes), _) => of_bytes(session, bytes)?,
            (None, Some(text)) => of_text(services, session, &text)?,
            (None, None) => {
                return Err(malformed("there is no `source`: an archive, a script, a URL or a path"));
            }
        };
        Ok(Source { bundle, configuration, dependencies })
    }
}

fn malformed(message: impl Into<String>) -> Error {
    Error::new(ErrorCode::ServiceOptionsMalformed, message.into())
}

/// Takes the body as the bundle itself: its bytes tell what it is.
fn of_body(request: &Request) -> Description {
    Description { bytes: Some(request.body().clone()), ..Description::default() }
}

/// Reads a description in JSON.
fn of_value(request: &Request) -> Result<Description> {
    let body = request.body_object()?;
    let object = |name: &str| match body.slice().get(name).filter(|value| !value.is_null()) {
        None => Ok(None),
        Some(value) if value.is_object() => {
            Ok(Some(value.bytes().get(..value.byte_len()).unwrap_or_default().to_vec()))
        }
        Some(_) => Err(malformed(format!("`{name}` must be an object"))),
    };
    Ok(Description {
        bytes: None,
        text: body.slice().get("source").and_then(Slice::as_str).map(str::to_owned),
        configuration: object("configuration")?,
        dependencies: object("dependencies")?,
    })
}

/// Reads a form whose fields are `source`, a file or a text, and objects as JSON.
fn of_form(request: &Request) -> Result<Description> {
    let wrong = |error: multipart::MultipartError| malformed(error.to_string());
    let boundary = multipart::boundary(request.header(CONTENT_TYPE), request.body()).map_err(wrong)?;
    let parts = multipart::split(request.body(), &boundary).map_err(wrong)?;
    if parts.len() > FIELDS_MAX {
        return Err(malformed(format!("the form has more than {FIELDS_MAX} fields")));
    }
    let mut description = Description::default();
    for part in parts {
        let (name, is_file) = field(&part);
        match name.as_str() {
            "source" if is_file || part.body.starts_with(ZIP_BEGINS) => description.bytes = Some(part.body),
            "source" => description.text = Some(text(&part.body)),
            "configuration" => description.configuration = Some(object(&name, &part.body)?),
            "dependencies" => description.dependencies = Some(object(&name, &part.body)?),
            _ => {}
        }
    }
    Ok(description)
}

/// Returns the name of a field, and true if it has a file.
fn field(part: &Part) -> (String, bool) {
    let disposition = part.header("content-disposition").unwrap_or_default();
    let disposition = String::from_utf8_lossy(&disposition).into_owned();
    let value = |wanted: &str| {
        disposition.split(';').skip(1).find_map(|parameter| {
            let (name, value) = parameter.split_once('=')?;
            name.trim().eq_ignore_ascii_case(wanted).then(|| value.trim().trim_matches('"').to_owned())
        })
    };
    (value("name").unwrap_or_default(), value("filename").is_some())
}

/// Returns a text that may be written as JSON.
fn text(bytes: &[u8]) -> String {
    let text = String::from_utf8_lossy(bytes).trim().to_owned();
    let mut builder = Builder::new();
    let parsed = text.starts_with('"')
        && json::parse_strict(text.as_bytes(), &velocypack::Limits::default(), &mut builder).is_ok();
    match parsed {
        true => Slice::new(&builder.into_vec()).as_str().map_or(text, str::to_owned),
        false => text,
    }
}

fn object(name: &str, text: &[u8]) -> Result<Vec<u8>> {
    if text.trim_ascii().is_empty() {
        return Ok(Slice::EMPTY_OBJECT.bytes().to_vec());
    }
    let mut builder = Builder::new();
    json::parse_strict(text, &velocypack::Limits::default(), &mut builder)
        .map_err(|error| malformed(format!("`{name}` is not JSON: {error}")))?;
    let value = builder.into_vec();
    match Slice::new(&value).is_object() {
        true => Ok(value),
        false => Err(malformed(format!("`{name}` must be an object"))),
    }
}

fn of_bytes(session: &Session, bytes: impl AsRef<[u8]> + Into<Vec<u8>>) -> Result<ChargedBundle> {
    match bytes.as_ref().starts_with(ZIP_BEGINS) {
        true => session.bundle_of_archive(bytes.into()),
        false => session.bundle_of_script(bytes.as_ref()),
    }
}

/// Returns the bundle at a URL or a path of the server.
fn of_text(services: &Services, session: &Session, text: &str) -> Result<ChargedBundle> {
    if text.starts_with("http://") || text.starts_with("https://") {
        if !services.instance.options().foxx.allows_remote_sources {
            let message = "services cannot be installed from URLs here (--foxx.allow-install-from-remote)";
            return Err(Error::new(ErrorCode::ServiceSourceError, message));
        }
        let most = foxx::Limits::default().packed_bytes;
        let downloaded = download(text, Some(FETCH_TIMEOUT), most);
        return of_bytes(
            session,
            downloaded.map_err(|reason| Error::new(ErrorCode::ServiceDownloadFailed, reason))?,
        );
    }
    if let Some(content) = upload::take(services, text)? {
        return of_bytes(session, content);
    }
    // Others than administrators see the files of the server as far as the operator allows.
    if !services.instance.options().foxx.allows_paths {
        session.require_administrator()?;
    }
    let path = Path::new(text);
    if !path.is_absolute() {
        let message = format!("the source '{text}' is neither a URL nor an absolute path");
        return Err(Error::new(ErrorCode::ServiceSourceNotFound, message));
    }
    let unreadable = |error: std::io::Error| {
        Error::new(ErrorCode::ServiceSourceNotFound, format!("cannot read '{text}': {error}"))
    };
    let limits = foxx::Limits::default();
    let facts = std::fs::metadata(path).map_err(unreadable)?;
    if facts.is_dir() {
        // No search below: a service is where the client says.
        if !path.join(foxx::MANIFEST_NAME).is_file() {
            let message = format!("the folder '{text}' has no {}", foxx::MANIFEST_NAME);
            return Err(Error::new(ErrorCode::ServiceManifestNotFound, message));
        }
        return session.bundle_of_folder(path);
    }
    let is_script = path.extension().is_some_and(|extension| extension == "js");
    if !is_script && path.extension().is_none_or(|extension| extension != "zip") {
        let message = format!("'{text}' is neither a folder nor a file whose name ends with .zip or .js");
        return Err(Error::new(ErrorCode::ServiceSourceError, message));
    }
    if facts.len() > limits.packed_bytes as u64 {
        let message = format!("'{text}' is longer than {} bytes", limits.packed_bytes);
        return Err(Error::new(ErrorCode::ServiceSourceError, message));
    }
    of_bytes(session, std::fs::read(path).map_err(unreadable)?)
}
