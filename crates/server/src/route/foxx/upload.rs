//! `/_api/upload`: files that wait on the server to be installed as services.
//!
//! Its answer names the file, which a later request gives as the source of a service.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use bytes::Bytes;
use database::Session;
use errors::{Error, ErrorCode, Result};
use foxx::Limits;
use hyper::StatusCode;
use hyper::header::CONTENT_TYPE;

use super::{Services, check_api};
use crate::http::multipart;
use crate::http::request::Request;
use crate::http::response::Response;

/// The folder of uploaded files in that of services, and the beginning of their names.
const FOLDER: &str = "uploads";

/// The time after which a file that nobody has installed is removed.
const KEPT: Duration = Duration::from_secs(3_600);

/// Maximum number of files that wait.
const FILES_MAX: usize = 16;

/// Stores the body, or the first file of a form. Errors: 1753 if it is too large, or if too many
/// files wait.
pub(super) fn upload(services: &Services, session: &Session, request: &Request) -> Result<Response> {
    check_api(services)?;
    let content = content(request)?;
    let most = Limits::default().packed_bytes;
    if content.is_empty() || content.len() > most {
        return Err(failed(format!("a file has at least one byte and at most {most}")));
    }
    let folder = services.instance.options().foxx.folder.join(FOLDER);
    let unwritable = |error: std::io::Error| failed(format!("cannot write the file: {error}"));
    fs::create_dir_all(&folder).map_err(unwritable)?;
    if waiting(&folder).map_err(unwritable)? >= FILES_MAX {
        return Err(failed(format!("{FILES_MAX} files wait to be installed; install one, or wait an hour")));
    }
    let name = format!("{}.zip", session.next_tick()?);
    fs::write(folder.join(&name), &content).map_err(unwritable)?;
    Response::object(StatusCode::CREATED, |fields| {
        fields.text("filename", &format!("{FOLDER}/{name}"));
    })
}

/// Returns the file that an answer has named, and removes it; `None` if the text is no such name.
///
/// Errors: 3014 if there is no such file.
pub(super) fn take(services: &Services, text: &str) -> Result<Option<Vec<u8>>> {
    let Some(name) = text.strip_prefix(FOLDER).and_then(|rest| rest.strip_prefix('/')) else {
        return Ok(None);
    };
    let is_ours =
        name.strip_suffix(".zip").is_some_and(|digits| digits.bytes().all(|byte| byte.is_ascii_digit()));
    let path: PathBuf = services.instance.options().foxx.folder.join(FOLDER).join(name);
    let content = match is_ours {
        true => fs::read(&path).ok(),
        false => None,
    };
    let content = content.ok_or_else(|| {
        let message = format!("there is no uploaded file '{text}'; it may have been removed after an hour");
        Error::new(ErrorCode::ServiceSourceNotFound, message)
    })?;
    // A file that stays is removed after a while.
    let _ = fs::remove_file(path);
    Ok(Some(content))
}

fn failed(message: String) -> Error {
    Error::new(ErrorCode::ServiceUploadFailed, message)
}

/// Returns the body, or the content of the first part of a form.
fn content(request: &Request) -> Result<Bytes> {
    let kind = request.header(CONTENT_TYPE).unwrap_or_default();
    if !kind.to_ascii_lowercase().starts_with("multipart/") {
        return Ok(request.body().clone());
    }
    let wrong = |error: multipart::MultipartError| failed(error.to_string());
    let boundary = multipart::boundary(Some(kind), request.body()).map_err(wrong)?;
    let parts = multipart::split(request.body(), &boundary).map_err(wrong)?;
    Ok(parts.into_iter().next().map(|part| part.body).unwrap_or_default())
}

/// Removes old files, and returns the number of the others.
fn waiting(folder: &Path) -> std::io::Result<usize> {
    let mut count = 0;
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        let written = entry.metadata()?.modified()?;
        if SystemTime::now().duration_since(written).is_ok_and(|age| age >= KEPT) {
            fs::remove_file(entry.path())?;
        } else {
            count += 1;
        }
    }
    Ok(count)
}
