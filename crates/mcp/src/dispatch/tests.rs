use super::*;
use crate::definition::{Effect, Parameter, Tool};
use crate::definition::{Prompt, PromptArgument, Resource, Template};
use crate::host::{Completion, Contents, Outcome};

const ECHO: Tool = Tool {
    name: "echo",
    title: "Echo",
    description: "Returns its argument.",
    parameters: &[Parameter::optional("text", r#"{"type": "string"}"#)],
    effect: Effect::Reads,
};

const GREET: Prompt = Prompt {
    name: "greet",
    title: "Greet",
    description: "Greets someone.",
    arguments: &[PromptArgument { name: "who", description: "Someone", is_required: true }],
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

    fn resources(&self) -> Vec<Resource> {
        let (uri, name) = ("x://one".to_owned(), "one".to_owned());
        vec![Resource { uri, name, description: "First.".to_owned(), mime_type: "text/plain" }]
    }

    fn templates(&self) -> Vec<Template> {
        let uri_template = "x://{number}".to_owned();
        vec![Template { uri_template, name: "number", description: "All.", mime_type: "text/plain" }]
    }

    fn read(&self, uri: &str) -> Result<Option<Contents>, Failure> {
        Ok((uri == "x://one").then(|| Contents { mime_type: "text/plain", text: "1".to_owned() }))
    }

    fn prompts(&self) -> &'static [Prompt] {
        &[GREET]
    }

    fn prompt(&self, _prompt: &Prompt, argument: &dyn Fn(&str) -> Option<String>) -> String {
        format!("Greet {}.", argument("who").unwrap_or_default())
    }

    fn complete(&self, completion: Completion<'_>) -> Vec<String> {
        (0..200).map(|number| format!("{}{number}", completion.value)).collect()
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
        assert!(reply.contains(r#""capabilities":{"tools":{},"resources":{}"#), "{reply}");
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

#[test]
fn resources_are_listed_and_read() {
    let (_, reply) = stateless("resources/list", None, "");
    assert!(reply.contains(r#""resources":[{"uri":"x://one","name":"one""#), "{reply}");
    let (_, reply) = stateless("resources/templates/list", None, "");
    assert!(reply.contains(r#""resourceTemplates":[{"uriTemplate":"x://{number}""#), "{reply}");
    let (_, reply) = stateless("resources/read", Some("x://one"), r#""uri":"x://one","#);
    let contents = r#""contents":[{"uri":"x://one","mimeType":"text/plain","text":"1"}],"ttlMs":0"#;
    assert!(reply.contains(contents), "{reply}");
    let (status, reply) = stateless("resources/read", Some("x://two"), r#""uri":"x://two","#);
    assert!(status == 200 && reply.contains("-32602"), "{status} {reply}");
    let old = r#"{"jsonrpc":"2.0","id":1,"method":"resources/read","params":{"uri":"x://two"}}"#;
    assert!(ask(&[], old).1.contains("-32002"));
}

#[test]
fn prompts_need_their_arguments() {
    let (_, reply) = stateless("prompts/list", None, "");
    assert!(reply.contains(r#""arguments":[{"name":"who","description":"Someone","required":true}]"#));
    let get = r#""name":"greet","arguments":{"who":"Ann"},"#;
    let (_, reply) = stateless("prompts/get", Some("greet"), get);
    assert!(reply.contains(r#""content":{"type":"text","text":"Greet Ann."}"#), "{reply}");
    for wrong in [r#""name":"greet","#, r#""name":"greet","arguments":{"who":3},"#] {
        let (_, reply) = stateless("prompts/get", Some("greet"), wrong);
        assert!(reply.contains("-32602"), "{reply}");
    }
}

#[test]
fn a_completion_has_a_hundred_values() {
    let params = r#""ref":{"type":"ref/prompt","name":"greet"},"argument":{"name":"who","value":"a"},"#;
    let (_, reply) = stateless("completion/complete", None, params);
    assert!(reply.contains(r#""values":["a0","a1","#) && reply.contains(r#""total":200,"hasMore":true"#));
    assert!(stateless("completion/complete", None, r#""ref":{},"#).1.contains("-32602"));
}
