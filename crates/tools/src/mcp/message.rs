//! Lines as messages, and the headers with which they are sent.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use velocypack::{Builder, Limits, Slice, json};

/// The deepest nesting of a message.
const DEPTH_MAX: usize = 100;

const META_VERSION: &str = "io.modelcontextprotocol/protocolVersion";

/// A message from the client.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Message {
    /// A call that wants a reply.
    Call(Call),
    /// The client gives a call up, by its identifier in JSON.
    Cancelled(String),
    /// A message without a reply, about which the server needs not know.
    Other,
}

/// A call, and what a transport must know about it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Call {
    /// The identifier, in JSON.
    pub(super) id: String,
    pub(super) method: String,
    /// The tool, the prompt or the resource that is called.
    pub(super) name: Option<String>,
    /// The revision, if the call stands alone.
    pub(super) version: Option<String>,
}

impl Message {
    /// Reads a line. `None` if it is not a message.
    pub(super) fn read(line: &[u8]) -> Option<Self> {
        let mut builder = Builder::new();
        let limits = Limits { max_depth: DEPTH_MAX, ..Limits::default() };
        json::parse(line, &limits, &mut builder).ok()?;
        let value = builder.as_slice();
        let text = |path: &[&str]| value.get_path(path).and_then(Slice::as_str).map(str::to_owned);
        let Some(method) = text(&["method"]) else {
            // An array is a batch of the first revision, whose replies come together.
            return match value.is_array() {
                true => Some(Message::Call(Call { id: "null".to_owned(), ..Call::default() })),
                false => value.is_object().then_some(Message::Other),
            };
        };
        let id = value.get("id").filter(|id| !id.is_null());
        let Some(id) = id else {
            let cancelled = value.get_path(&["params", "requestId"]);
            let cancelled = cancelled.filter(|_| method == "notifications/cancelled");
            return Some(cancelled.map_or(Message::Other, |id| Message::Cancelled(id.to_json_string())));
        };
        let name = match method.as_str() {
            "tools/call" | "prompts/get" => text(&["params", "name"]),
            "resources/read" => text(&["params", "uri"]),
            _ => None,
        };
        let version = text(&["params", "_meta", META_VERSION]);
        Some(Message::Call(Call { id: id.to_json_string(), method, name, version }))
    }
}

/// Returns the revision that a server chose in its reply to a handshake.
pub(super) fn negotiated(reply: &[u8]) -> Option<String> {
    let mut builder = Builder::new();
    json::parse(reply, &Limits::default(), &mut builder).ok()?;
    let version = builder.as_slice().get_path(&["result", "protocolVersion"])?.as_str()?;
    Some(version.to_owned())
}

/// Returns a value for a header: as it is if it is visible ASCII, encoded otherwise.
pub(super) fn header_value(text: &str) -> String {
    let is_plain = text.bytes().all(|byte| byte == b' ' || byte.is_ascii_graphic())
        && text.trim() == text
        && !text.starts_with("=?base64?");
    match is_plain {
        true => text.to_owned(),
        false => format!("=?base64?{}?=", STANDARD.encode(text)),
    }
}

/// Returns the reply to a call that no server answered.
pub(super) fn error(id: &str, code: i32, message: &str) -> Vec<u8> {
    let mut reply = format!(r#"{{"jsonrpc":"2.0","id":{id},"error":{{"code":{code},"message":"#).into_bytes();
    json::write_str(message, &mut reply);
    reply.extend_from_slice(b"}}");
    reply
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_say_how_they_are_sent() {
        let line = br#"{"jsonrpc":"2.0","id":"a","method":"tools/call","params":{"name":"query",
            "_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}}}"#;
        let call = Call {
            id: "\"a\"".to_owned(),
            method: "tools/call".to_owned(),
            name: Some("query".to_owned()),
            version: Some("2026-07-28".to_owned()),
        };
        assert_eq!(Message::read(line), Some(Message::Call(call)));
        let line = br#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":3}}"#;
        assert_eq!(Message::read(line), Some(Message::Cancelled("3".to_owned())));
        let line = br#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#;
        assert_eq!(Message::read(line), Some(Message::Other));
        assert_eq!(Message::read(b"{"), None);
        assert_eq!(Message::read(b"3"), None);
    }

    #[test]
    fn values_of_headers_are_visible() {
        assert_eq!(header_value("persea://a/schema"), "persea://a/schema");
        assert_eq!(header_value("né"), "=?base64?bsOp?=");
        assert_eq!(header_value(" a"), "=?base64?IGE=?=");
        assert_eq!(header_value("=?base64?x?="), "=?base64?PT9iYXNlNjQ/eD89?=");
    }
}
