//! From the body of a request to the reply.

use velocypack::{Builder, Limits, Slice, json};

use crate::headers::{self, Headers};
use crate::host::{Call, Host};
use crate::message::{self, Called, Failure, Message};
use crate::results::{FIXED_TTL_MS, check_cursor, complete, print_caching};
use crate::revision::{REVISIONS, Revision};
use crate::writer::{Array, Object};
use crate::{prompting, reading};

/// Bytes of the longest body.
pub const BODY_MAX_BYTES: usize = 8 << 20;

/// The deepest nesting of a body.
const BODY_MAX_DEPTH: usize = 100;

/// The most messages of a batch.
const BATCH_MAX: usize = 50;

/// The member of `_meta` that names the program.
const META_SERVER: &str = "io.modelcontextprotocol/serverInfo";

/// The reply to a request over HTTP.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Answer {
    /// The status.
    pub status: u16,
    /// The body, which is JSON; none if the request needs no answer.
    pub body: Option<Vec<u8>>,
}

impl Answer {
    fn failed(id: Option<Slice<'_>>, failure: &Failure, is_stateless: bool) -> Self {
        Answer { status: failure.status(is_stateless), body: Some(message::error(id, failure)) }
    }
}

/// Answers the body of a request. `headers` returns the value of a header by its name in lower
/// case.
pub fn answer(body: &[u8], headers: &Headers<'_>, host: &dyn Host) -> Answer {
    let limits = Limits { max_depth: BODY_MAX_DEPTH, max_bytes: BODY_MAX_BYTES };
    let mut builder = Builder::with_capacity(body.len().min(BODY_MAX_BYTES) + 16);
    if body.len() > BODY_MAX_BYTES {
        let text = format!("the message is longer than {BODY_MAX_BYTES} bytes");
        return Answer::failed(None, &Failure::new(Failure::INVALID_REQUEST, text), false);
    }
    if let Err(error) = json::parse_strict(body, &limits, &mut builder) {
        let failure = Failure::new(Failure::PARSE_ERROR, format!("the message is not JSON: {error}"));
        return Answer::failed(None, &failure, false);
    }
    let value = builder.as_slice();
    match value.is_array() {
        true => answer_batch(value, headers, host),
        false => answer_one(value, headers, host),
    }
}

/// Answers an array of messages, which only one revision has.
fn answer_batch(messages: Slice<'_>, headers: &Headers<'_>, host: &dyn Host) -> Answer {
    let refuse = |text: String| Answer::failed(None, &Failure::new(Failure::INVALID_REQUEST, text), false);
    match headers::revision_of(headers) {
        Ok(revision) if revision.has_batches() => {}
        Ok(revision) => return refuse(format!("revision {} has no batches", revision.name())),
        Err(failure) => return Answer::failed(None, &failure, false),
    }
    if messages.is_empty() || messages.len() > BATCH_MAX {
        return refuse(format!("a batch must have 1 to {BATCH_MAX} messages"));
    }
    let replies: Vec<Vec<u8>> =
        messages.elements().filter_map(|message| answer_one(message, headers, host).body).collect();
    if replies.is_empty() {
        return Answer { status: 202, body: None };
    }
    let body = Array::whole(|array| {
        replies.iter().for_each(|reply| {
            array.raw(reply);
        })
    });
    Answer { status: 200, body: Some(body) }
}

fn answer_one(value: Slice<'_>, headers: &Headers<'_>, host: &dyn Host) -> Answer {
    let (id, call) = match Message::read(value) {
        Ok(Message::Request { id, call }) => (id, call),
        Ok(Message::Notification | Message::Response) => return Answer { status: 202, body: None },
        Err(failure) => return Answer::failed(message::id_of(value), &failure, false),
    };
    let revision = match headers::check(headers, call) {
        Ok(revision) => revision,
        // A reply with 400 tells a client that speaks several revisions to choose another.
        Err(failure) => {
            let status = failure.status(true).max(400);
            return Answer { status, body: Some(message::error(Some(id), &failure)) };
        }
    };
    match run(revision, call, host) {
        Ok(result) => Answer { status: 200, body: Some(message::result(id, &result)) },
        Err(failure) => Answer::failed(Some(id), &failure, revision.is_stateless()),
    }
}

/// Runs a method, and returns its result.
fn run(revision: Revision, call: Called<'_>, host: &dyn Host) -> Result<Vec<u8>, Failure> {
    match (call.method, revision.is_stateless()) {
        ("initialize", false) => initialize(call.params, host),
        ("ping", false) => Ok(b"{}".to_vec()),
        ("server/discover", true) => Ok(discover(revision, host)),
        ("tools/list", _) => list_tools(revision, call.params, host),
        ("tools/call", _) => call_tool(revision, call.params, host),
        ("resources/list", _) => reading::list(revision, call.params, host),
        ("resources/templates/list", _) => reading::list_templates(revision, call.params, host),
        ("resources/read", _) => reading::read(revision, call.params, host),
        ("prompts/list", _) => prompting::list(revision, call.params, host),
        ("prompts/get", _) => prompting::get(revision, call.params, host),
        ("completion/complete", _) => prompting::complete_argument(revision, call.params, host),
        (method, _) => {
            let shown = method.get(..method.floor_char_boundary(128)).unwrap_or_default();
            Err(Failure::new(Failure::METHOD_NOT_FOUND, format!("Method not found: {shown}")))
        }
    }
}

fn initialize(params: Slice<'_>, host: &dyn Host) -> Result<Vec<u8>, Failure> {
    let asked = params.get("protocolVersion").and_then(Slice::as_str);
    let asked =
        asked.ok_or_else(|| Failure::invalid_params("'protocolVersion' is missing or not a string"))?;
    Ok(Object::whole(|object| {
        object.text("protocolVersion", Revision::negotiated(asked).name());
        print_abilities(object);
        object.child("serverInfo", |object| print_program(object, host));
        object.text("instructions", &host.instructions());
    }))
}

fn discover(revision: Revision, host: &dyn Host) -> Vec<u8> {
    complete(revision, |object| {
        object.texts("supportedVersions", REVISIONS.map(Revision::name));
        print_abilities(object);
        object.text("instructions", &host.instructions());
        object.child("_meta", |object| {
            object.child(META_SERVER, |object| print_program(object, host));
        });
        print_caching(revision, FIXED_TTL_MS, object);
    })
}

fn print_abilities(object: &mut Object<'_>) {
    object.child("capabilities", |object| {
        for name in ["tools", "resources", "prompts", "completions"] {
            object.child(name, |_| {});
        }
    });
}

fn print_program(object: &mut Object<'_>, host: &dyn Host) {
    object.text("name", "persea").text("title", "Persea").text("version", host.version());
}

fn list_tools(revision: Revision, params: Slice<'_>, host: &dyn Host) -> Result<Vec<u8>, Failure> {
    check_cursor(params)?;
    let tools = host.tools();
    Ok(complete(revision, |object| {
        object.list("tools", |array| {
            for tool in &tools {
                array.object(|object| tool.print(object));
            }
        });
        print_caching(revision, FIXED_TTL_MS, object);
    }))
}

fn call_tool(revision: Revision, params: Slice<'_>, host: &dyn Host) -> Result<Vec<u8>, Failure> {
    let name = params.get("name").and_then(Slice::as_str);
    let name = name.ok_or_else(|| Failure::invalid_params("'name' is missing or not a string"))?;
    let arguments = params.get("arguments").filter(|given| !given.is_null()).unwrap_or(Slice::EMPTY_OBJECT);
    if !arguments.is_object() {
        return Err(Failure::invalid_params("'arguments' must be an object"));
    }
    let Some(outcome) = host.call(Call { name, arguments }) else {
        let known: Vec<&str> = host.tools().iter().map(|tool| tool.name).collect();
        return Err(Failure::invalid_params(format!("Unknown tool; the tools are: {}", known.join(", "))));
    };
    let text = String::from_utf8_lossy(&outcome.json);
    Ok(complete(revision, |object| {
        object.list("content", |array| {
            array.object(|object| {
                object.text("type", "text").text("text", &text);
            });
        });
        if revision >= Revision::June2025 {
            object.raw("structuredContent", &outcome.json);
        }
        object.bool("isError", outcome.is_error);
    }))
}

#[cfg(test)]
mod tests;
