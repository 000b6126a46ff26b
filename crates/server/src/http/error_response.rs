//! Error replies.

use errors::{ConflictingDocument, Error, ErrorCode};
use hyper::StatusCode;
use hyper::header::{ETAG, HeaderValue, RETRY_AFTER, WWW_AUTHENTICATE};
use velocypack::Builder;

use super::response::Response;

/// The supported authentication schemes.
const CHALLENGES: [&str; 2] = ["Bearer, token_type=\"JWT\", realm=\"ArangoDB\"", "Basic, realm=\"ArangoDB\""];

/// The seconds after which a client may ask again while a shared store, or the server that has the
/// object, does not answer. Elections and restarts take some seconds.
const RETRY_AFTER_SECONDS: HeaderValue = HeaderValue::from_static("2");

impl From<Error> for Response {
    fn from(error: Error) -> Self {
        let status = StatusCode::from_u16(error.status()).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
        let mut response = Response::value(status, body(&error, status).unwrap_or_default());
        if error.has_challenge() {
            for challenge in CHALLENGES {
                response = response.header(WWW_AUTHENTICATE, HeaderValue::from_static(challenge));
            }
        }
        if matches!(error.code(), ErrorCode::ClusterBackendUnavailable | ErrorCode::ClusterConnectionLost) {
            response = response.header(RETRY_AFTER, RETRY_AFTER_SECONDS);
        }
        match error.document().and_then(etag) {
            Some(etag) if status == StatusCode::PRECONDITION_FAILED => response.header(ETAG, etag),
            _ => response,
        }
    }
}

/// Adds `error`, `errorNum` and `errorMessage` to an open object: the error of one member in the
/// reply to a bulk request.
///
/// It adds nothing else, because drivers take a member with `_id` for a success.
pub(crate) fn print_member(error: &Error, builder: &mut Builder) -> velocypack::Result<()> {
    builder.key("error")?;
    builder.add_bool(true)?;
    builder.key("errorNum")?;
    builder.add_u64(error.number().into())?;
    builder.key("errorMessage")?;
    builder.add_str(error.message())
}

fn body(error: &Error, status: StatusCode) -> velocypack::Result<Vec<u8>> {
    let mut builder = Builder::with_capacity(128 + error.message().len());
    builder.open_object()?;
    builder.key("code")?;
    builder.add_u64(status.as_u16().into())?;
    print_member(error, &mut builder)?;
    // ArangoDB describes the document only where the client named another revision.
    if status == StatusCode::PRECONDITION_FAILED
        && let Some(document) = error.document()
    {
        print_document(document, &mut builder)?;
    }
    print_details(error, &mut builder)?;
    builder.close()?;
    Ok(builder.into_vec())
}

/// Adds the details of an error.
///
/// They are `position` of an error in a query's text, and `isRetryable` if a retry of the request
/// may succeed.
fn print_details(error: &Error, builder: &mut Builder) -> velocypack::Result<()> {
    if let Some(position) = error.position() {
        builder.key("position")?;
        builder.open_object()?;
        builder.key("line")?;
        builder.add_u64(position.line.into())?;
        builder.key("column")?;
        builder.add_u64(position.column.into())?;
        builder.close()?;
    }
    if error.is_retryable() {
        builder.key("isRetryable")?;
        builder.add_bool(true)?;
    }
    Ok(())
}

fn print_document(document: &ConflictingDocument, builder: &mut Builder) -> velocypack::Result<()> {
    builder.key("_id")?;
    builder.add_str(&document.id())?;
    builder.key("_key")?;
    builder.add_str(&document.key)?;
    if let Some(revision) = &document.revision {
        builder.key("_rev")?;
        builder.add_str(revision)?;
    }
    Ok(())
}

fn etag(document: &ConflictingDocument) -> Option<HeaderValue> {
    HeaderValue::from_str(&format!("\"{}\"", document.revision.as_ref()?)).ok()
}
