//! Operations packed into one request to `/_api/batch`: the parts of a `multipart/form-data` body, each a request as
//! HTTP has it.

use std::fmt::Write;

use client::Request;

use super::operation::Operation;

/// Bodies are JSON without line breaks, so that it cannot begin a line in them.
const CONTENT_TYPE: &str = "multipart/form-data; boundary=PerseaBenchmarkPart";
const BEGIN: &str = "--PerseaBenchmarkPart\r\nContent-Type: application/x-arango-batchpart\r\n\r\n";
const END: &str = "--PerseaBenchmarkPart--\r\n";

/// One request with all of the operations.
pub(super) fn request(operations: impl Iterator<Item = Operation>) -> Request {
    let mut body = String::new();
    for Operation { method, path, body: part } in operations {
        body.push_str(BEGIN);
        // Writing to a String does not fail.
        let _ = write!(body, "{} {path} HTTP/1.1\r\n\r\n", method.name());
        body.push_str(&part);
        body.push_str("\r\n");
    }
    body.push_str(END);
    Request::post("/_api/batch").body(CONTENT_TYPE, body)
}
