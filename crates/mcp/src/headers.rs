//! The headers of a request over HTTP, and their agreement with its body.
//!
//! The stateless revision repeats parts of the body in headers, so that a proxy can route by them.
//! A request whose headers say something else than its body is refused.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use velocypack::Slice;

use crate::message::{Called, Failure};
use crate::revision::Revision;

const VERSION: &str = "mcp-protocol-version";
const METHOD: &str = "mcp-method";
const NAME: &str = "mcp-name";

/// The member of `_meta` that names the revision of a request.
const META_VERSION: &str = "io.modelcontextprotocol/protocolVersion";
const META_CAPABILITIES: &str = "io.modelcontextprotocol/clientCapabilities";

/// Bytes of the longest name of a revision that an error repeats.
const SHOWN_VERSION_MAX_BYTES: usize = 64;

/// The headers of a request, by their names in lower case.
pub(crate) type Headers<'h> = dyn Fn(&str) -> Option<&'h str> + 'h;

/// Returns the revision that the header names, or the first one, which had no header. Errors:
/// -32022.
pub(crate) fn revision_of(headers: &Headers<'_>) -> Result<Revision, Failure> {
    match headers(VERSION) {
        None => Ok(Revision::March2025),
        Some(name) => Revision::of(name).ok_or_else(|| unsupported(name)),
    }
}

/// Returns the revision of a call, and checks the headers of a call that stands alone.
///
/// Errors: -32020, -32022, -32602.
pub(crate) fn check(headers: &Headers<'_>, call: Called<'_>) -> Result<Revision, Failure> {
    let meta = call.params.get("_meta");
    let within = meta.and_then(|meta| meta.get(META_VERSION));
    let Some(within) = within else {
        let revision = revision_of(headers)?;
        return match revision.is_stateless() {
            true => Err(mismatch(&format!("the body has no '{META_VERSION}' in '_meta'"))),
            false => Ok(revision),
        };
    };
    let within = within.as_str();
    let within =
        within.ok_or_else(|| Failure::invalid_params(format!("'{META_VERSION}' must be a string")))?;
    equal(headers, VERSION, within, false)?;
    let revision = Revision::of(within).ok_or_else(|| unsupported(within))?;
    if !revision.is_stateless() {
        return Ok(revision);
    }
    equal(headers, METHOD, call.method, false)?;
    let named = match call.method {
        "tools/call" | "prompts/get" => call.params.get("name"),
        "resources/read" => call.params.get("uri"),
        _ => None,
    };
    if let Some(name) = named.and_then(Slice::as_str) {
        equal(headers, NAME, name, true)?;
    }
    let has_capabilities =
        meta.and_then(|meta| meta.get(META_CAPABILITIES)).is_some_and(|value| value.is_object());
    match has_capabilities {
        true => Ok(revision),
        false => Err(Failure::invalid_params(format!("'_meta' must have the object '{META_CAPABILITIES}'"))),
    }
}

/// Compares a header with a part of the body. Errors: -32020.
fn equal(headers: &Headers<'_>, header: &str, body: &str, may_be_encoded: bool) -> Result<(), Failure> {
    let Some(value) = headers(header) else {
        return Err(mismatch(&format!("the header '{header}' is missing")));
    };
    let decoded = if may_be_encoded { decoded(value)? } else { None };
    let value = decoded.as_deref().unwrap_or(value);
    match value == body {
        true => Ok(()),
        false => Err(mismatch(&format!("the header '{header}' does not equal the value in the body"))),
    }
}

/// Returns the text of a value that is encoded as `=?base64?...?=`. Errors: -32020.
fn decoded(value: &str) -> Result<Option<String>, Failure> {
    let Some(encoded) = value.strip_prefix("=?base64?").and_then(|rest| rest.strip_suffix("?=")) else {
        return Ok(None);
    };
    let bytes = STANDARD.decode(encoded).ok();
    let text = bytes.and_then(|bytes| String::from_utf8(bytes).ok());
    text.map(Some).ok_or_else(|| mismatch("a header is not well-formed Base64 of UTF-8"))
}

fn mismatch(message: &str) -> Failure {
    Failure::new(Failure::HEADER_MISMATCH, format!("Header mismatch: {message}"))
}

fn unsupported(name: &str) -> Failure {
    Revision::unsupported(name.get(..name.floor_char_boundary(SHOWN_VERSION_MAX_BYTES)).unwrap_or_default())
}
