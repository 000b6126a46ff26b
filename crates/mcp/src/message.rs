//! Messages of JSON-RPC 2.0: requests and notifications in, results and errors out.

use velocypack::{Kind, Slice, json};

use crate::writer::Object;

/// Bytes of the longest text that identifies a request.
const ID_MAX_BYTES: usize = 1_024;

/// An error of the protocol. A tool that fails has an [`Outcome`](crate::Outcome) instead.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failure {
    /// The number, which JSON-RPC or MCP defines.
    pub code: i32,
    /// The text for people.
    pub message: String,
    /// More about the error, as JSON.
    pub data: Option<Vec<u8>>,
}

impl Failure {
    pub(crate) const PARSE_ERROR: i32 = -32_700;
    pub(crate) const INVALID_REQUEST: i32 = -32_600;
    pub(crate) const METHOD_NOT_FOUND: i32 = -32_601;
    pub(crate) const INVALID_PARAMS: i32 = -32_602;
    /// The number of an unknown resource before the stateless revision.
    pub(crate) const RESOURCE_NOT_FOUND: i32 = -32_002;
    const INTERNAL_ERROR: i32 = -32_603;
    pub(crate) const HEADER_MISMATCH: i32 = -32_020;
    pub(crate) const UNSUPPORTED_VERSION: i32 = -32_022;

    pub(crate) fn new(code: i32, message: impl Into<String>) -> Self {
        Failure { code, message: message.into(), data: None }
    }

    /// Returns the error of a parameter that is missing or wrong.
    pub fn invalid_params(message: impl Into<String>) -> Self {
        Failure::new(Self::INVALID_PARAMS, message)
    }

    /// Returns the error of a server that cannot answer.
    pub fn internal(message: impl Into<String>) -> Self {
        Failure::new(Self::INTERNAL_ERROR, message)
    }

    /// Returns the status of the reply over HTTP. Errors of a request that was understood are
    /// replies like others; the stateless revision has 404 for unknown methods.
    pub(crate) fn status(&self, is_stateless: bool) -> u16 {
        match self.code {
            Self::METHOD_NOT_FOUND if is_stateless => 404,
            Self::METHOD_NOT_FOUND
            | Self::INVALID_PARAMS
            | Self::INTERNAL_ERROR
            | Self::RESOURCE_NOT_FOUND => 200,
            _ => 400,
        }
    }
}

/// A message from a client.
#[derive(Debug)]
pub(crate) enum Message<'m> {
    /// A call, which has an answer.
    Request { id: Slice<'m>, call: Called<'m> },
    /// A call without an answer.
    Notification,
    /// An answer to a question that this program never asks.
    Response,
}

/// A method and its parameters.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Called<'m> {
    pub(crate) method: &'m str,
    /// An object; empty if there are none.
    pub(crate) params: Slice<'m>,
}

impl<'m> Message<'m> {
    /// Reads a message. Errors: -32600.
    pub(crate) fn read(value: Slice<'m>) -> Result<Self, Failure> {
        let invalid = |message: &str| Failure::new(Failure::INVALID_REQUEST, message);
        if value.get("jsonrpc").and_then(Slice::as_str) != Some("2.0") {
            return Err(invalid("a message must be an object with \"jsonrpc\": \"2.0\""));
        }
        if value.get("result").is_some() || value.get("error").is_some() {
            return Ok(Message::Response);
        }
        let method = value.get("method").and_then(Slice::as_str);
        let method = method.ok_or_else(|| invalid("'method' is missing or not a string"))?;
        let params = value.get("params").unwrap_or(Slice::EMPTY_OBJECT);
        if !params.is_object() {
            return Err(invalid("'params' must be an object"));
        }
        let Some(id) = value.get("id") else { return Ok(Message::Notification) };
        match id.kind() {
            Kind::Int | Kind::UInt => {}
            Kind::String if id.byte_len() <= ID_MAX_BYTES => {}
            _ => return Err(invalid("'id' must be an integer or a string of at most 1,024 bytes")),
        }
        Ok(Message::Request { id, call: Called { method, params } })
    }
}

/// Returns the identifier of a value that may be a message, so that an error can name it.
pub(crate) fn id_of(value: Slice<'_>) -> Option<Slice<'_>> {
    let id = value.get("id")?;
    (id.is_integer() || (id.is_string() && id.byte_len() <= ID_MAX_BYTES)).then_some(id)
}

/// Returns the reply with a result, which is JSON.
pub(crate) fn result(id: Slice<'_>, result: &[u8]) -> Vec<u8> {
    Object::whole(|object| {
        object.text("jsonrpc", "2.0").value("id", id).raw("result", result);
    })
}

/// Returns the reply with an error.
pub(crate) fn error(id: Option<Slice<'_>>, failure: &Failure) -> Vec<u8> {
    Object::whole(|object| {
        object.text("jsonrpc", "2.0");
        match id {
            Some(id) => object.value("id", id),
            None => object.null("id"),
        };
        let mut code = Vec::new();
        json::write_f64(f64::from(failure.code), &mut code);
        object.child("error", |error| {
            error.raw("code", &code).text("message", &failure.message);
            if let Some(data) = &failure.data {
                error.raw("data", data);
            }
        });
    })
}
