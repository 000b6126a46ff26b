use super::*;
use crate::definition::{Effect, Tool};
use crate::host::Outcome;

const ECHO: Tool = Tool {
    name: "echo",
    title: "Echo",
    description: "Returns its argument.",
    input_schema: r#"{"type": "object", "properties": {"text": {"type": "string"}}}"#,
    effect: Effect::Reads,
};

struct Echo;

impl Host for Echo {
    fn version(&self) -> &str {
        "1.0"
    }

    fn instructions(&self) -> String {
        "Say it.".to_owned()
    }

    fn tools(&self) -> Vec<&'static Tool> {
        vec![&ECHO]
    }

    fn call(&self, call: Call<'_>) -> Option<Outcome> {
        (call.name == "echo").then(|| Outcome {
            json: Object::whole(|object| {
                object.value("given", call.arguments);
            }),
            is_error: call.arguments.is_empty(),
        })
    }
}

fn ask(headers: &[(&str, &str)], body: &str) -> (u16, String) {
    let find = |name: &str| headers.iter().find(|(known, _)| *known == name).map(|(_, value)| *value);
    let answer = answer(body.as_bytes(), &find, &Echo);
    (answer.status, String::from_utf8(answer.body.unwrap_or_default()).unwrap())
}

fn stateless(method: &str, name: Option<&str>, more: &str) -> (u16, String) {
    let mut headers = vec![("mcp-protocol-version", "2026-07-28"), ("mcp-method", method)];
    headers.extend(name.map(|name| ("mcp-name", name)));
    ask(&headers, &modern(method, more))
}

fn modern(method: &str, more: &str) -> String {
    format!(
        r#"{{"jsonrpc":"2.0","id":7,"method":"{method}","params":{{{more}"_meta":{{
        "io.modelcontextprotocol/protocolVersion":"2026-07-28",
        "io.modelcontextprotocol/clientCapabilities":{{}}}}}}}}"#
    )
}

#[test]
fn a_handshake_negotiates_a_revision() {
    for (asked, negotiated) in [
        ("2025-03-26", "2025-03-26"),
        ("2025-06-18", "2025-06-18"),
        ("2025-11-25", "2025-11-25"),
        ("2026-07-28", "2025-11-25"),
        ("1999-01-01", "2025-11-25"),
    ] {
        let body = format!(
            r#"{{"jsonrpc":"2.0","id":"a","method":"initialize","params":{{"protocolVersion":"{asked}"}}}}"#
        );
        let (status, reply) = ask(&[], &body);
        assert_eq!(status, 200);
        assert!(
            reply.contains(&format!(r#""id":"a","result":{{"protocolVersion":"{negotiated}""#)),
            "{reply}"
        );
        assert!(reply.contains(r#""capabilities":{"tools":{}}"#), "{reply}");
    }
    let (status, reply) = ask(&[], r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#);
    assert_eq!((status, reply.as_str()), (202, ""));
}

#[test]
fn a_stateless_request_names_its_revision_and_method() {
    let (status, reply) = stateless("server/discover", None, "");
    assert_eq!(status, 200);
    assert!(reply.contains(r#""supportedVersions":["2026-07-28","2025-11-25","2025-06-18","2025-03-26"]"#));
    assert!(reply.contains(r#""resultType":"complete""#) && reply.contains(r#""cacheScope":"private""#));
    let (status, reply) = stateless("tools/call", Some("echo"), r#""name":"echo","arguments":{"text":"x"},"#);
    assert_eq!(status, 200);
    assert!(reply.contains(r#""structuredContent":{"given":{"text":"x"}},"isError":false"#), "{reply}");
}

#[test]
fn headers_must_agree_with_the_body() {
    let call = r#""name":"echo","#;
    let body = modern("tools/call", call);
    let version = ("mcp-protocol-version", "2026-07-28");
    for headers in [
        vec![version, ("mcp-method", "tools/call")],
        vec![version, ("mcp-method", "tools/call"), ("mcp-name", "other")],
        vec![version, ("mcp-method", "tools/list"), ("mcp-name", "echo")],
        vec![version, ("mcp-name", "echo")],
        vec![("mcp-method", "tools/call"), ("mcp-name", "echo")],
        vec![("mcp-protocol-version", "2025-11-25"), ("mcp-method", "tools/call"), ("mcp-name", "echo")],
        vec![version, ("mcp-method", "tools/call"), ("mcp-name", "=?base64?!?=")],
    ] {
        let (status, reply) = ask(&headers, &body);
        assert!(status == 400 && reply.contains("-32020"), "{headers:?}: {status} {reply}");
    }
    let encoded = ask(&[version, ("mcp-method", "tools/call"), ("mcp-name", "=?base64?ZWNobw==?=")], &body);
    assert_eq!(encoded.0, 200, "{}", encoded.1);
    let plain = r#"{"jsonrpc":"2.0","id":1,"method":"tools/list"}"#;
    let (status, reply) = ask(&[version], plain);
    assert!(status == 400 && reply.contains("-32020"), "{reply}");
}

#[test]
fn an_unknown_revision_lists_the_known_ones() {
    let body = modern("tools/list", "").replace("2026-07-28", "1900-01-01");
    let (status, reply) = ask(&[("mcp-protocol-version", "1900-01-01"), ("mcp-method", "tools/list")], &body);
    assert_eq!(status, 400);
    assert!(reply.contains(r#""code":-32022"#) && reply.contains(r#""requested":"1900-01-01""#), "{reply}");
    let plain = r#"{"jsonrpc":"2.0","id":1,"method":"tools/list"}"#;
    assert_eq!(ask(&[("mcp-protocol-version", "2024-11-05")], plain).0, 400);
}

#[test]
fn unknown_methods_and_tools_are_errors_of_the_protocol() {
    assert_eq!(stateless("what/ever", None, "").0, 404);
    let (status, reply) = ask(&[], r#"{"jsonrpc":"2.0","id":1,"method":"what/ever"}"#);
    assert!(status == 200 && reply.contains("-32601"), "{reply}");
    let (status, reply) = ask(&[], r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"x"}}"#);
    assert!(status == 200 && reply.contains("-32602") && reply.contains("echo"), "{reply}");
}

#[test]
fn an_error_of_a_tool_is_a_result() {
    let (status, reply) =
        ask(&[], r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo"}}"#);
    assert_eq!(status, 200);
    assert!(reply.contains(r#""isError":true"#) && reply.contains("result"), "{reply}");
    assert!(!reply.contains("structuredContent"), "2025-03-26 has none: {reply}");
}

#[test]
fn batches_belong_to_one_revision() {
    let batch = r#"[{"jsonrpc":"2.0","id":1,"method":"ping"},{"jsonrpc":"2.0","method":"n"},{"jsonrpc":"2.0","id":2,"method":"x"}]"#;
    let (status, reply) = ask(&[], batch);
    assert_eq!(status, 200);
    assert!(
        reply.starts_with(r#"[{"jsonrpc":"2.0","id":1,"result":{}},{"#) && reply.ends_with("}]"),
        "{reply}"
    );
    assert_eq!(ask(&[("mcp-protocol-version", "2025-06-18")], batch).0, 400);
    assert_eq!(ask(&[], "[]").0, 400);
    let many = format!("[{}]", vec![r#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#; 51].join(","));
    assert_eq!(ask(&[], &many).0, 400);
    assert_eq!(ask(&[], r#"[{"jsonrpc":"2.0","method":"n"}]"#), (202, String::new()));
}

#[test]
fn hostile_bodies_are_refused() {
    let deep = format!("{}{}", "[".repeat(100_000), "]".repeat(100_000));
    for body in ["", "{", "null", "3", "{}", r#"{"jsonrpc":"2.0","id":null,"method":"ping"}"#, deep.as_str()]
    {
        assert_eq!(ask(&[], body).0, 400, "{}", body.get(..20).unwrap_or(body));
    }
    for body in [
        r#"{"jsonrpc":"2.0","id":1,"method":7}"#,
        r#"{"jsonrpc":"2.0","id":1,"method":"ping","params":[]}"#,
        r#"{"jsonrpc":"2.0","id":{},"method":"ping"}"#,
        r#"{"jsonrpc":"2.0","id":1.5,"method":"ping"}"#,
    ] {
        let (status, reply) = ask(&[], body);
        assert!(status == 400 && reply.contains("-32600"), "{reply}");
    }
    let long = "x".repeat(2_000);
    assert_eq!(ask(&[], &format!(r#"{{"jsonrpc":"2.0","id":"{long}","method":"ping"}}"#)).0, 400);
    assert_eq!(answer(&vec![b' '; BODY_MAX_BYTES + 1], &|_| None, &Echo).status, 400);
}
