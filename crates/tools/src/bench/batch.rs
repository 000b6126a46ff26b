//! Operations packed into one request to `/_api/batch`.
//!
//! The body is `multipart/form-data`, and each part is an HTTP request.

use std::fmt::Write;

use client::Request;

use super::operation::Operation;

/// The content type. Bodies are JSON without line breaks, so the boundary cannot begin a line in
/// them.
const CONTENT_TYPE: &str = "multipart/form-data; boundary=PerseaBenchmarkPart";
const BEGIN: &str = "--PerseaBenchmarkPart\r\nContent-Type: application/x-arango-batchpart\r\n\r\n";
const END: &str = "--PerseaBenchmarkPart--\r\n";

/// Returns one request with all of the operations.
pub(super) fn request(operations: impl Iterator<Item = Operation>) -> Request {
    let mut body = String::new();
    for Operation { method, path, body: part } in operations {
        body.push_str(BEGIN);
        // Writes to a String do not fail.
        let _ = write!(body, "{} {path} HTTP/1.1\r\n\r\n", method.name());
        body.push_str(&part);
        body.push_str("\r\n");
    }
    body.push_str(END);
    Request::post("/_api/batch").body(CONTENT_TYPE, body)
}
