//! Any bytes as a message of the Model Context Protocol: the reply is JSON, whatever the message
//! is, and so is what a tool prints of its arguments.
//!
//! The first byte selects the headers, the others are the body.

use mcp::{
    Arguments, Call, Completion, Contents, Effect, Failure, Host, Inference, Object, Outcome, Parameter,
    Printer, Prompt, Resource, Template, Tool,
};
use velocypack::{Builder, Limits, Slice, json};

const TOOL: Tool = Tool {
    name: "t",
    title: "T",
    description: "Prints its arguments.",
    parameters: &[Parameter::optional("a", "{}"), Parameter::optional("b", "{}")],
    effect: Effect::Reads,
};

struct Printing;

impl Host for Printing {
    fn version(&self) -> &str {
        "1"
    }

    fn instructions(&self) -> String {
        String::new()
    }

    fn tools(&self) -> Vec<&'static Tool> {
        vec![&TOOL]
    }

    fn call(&self, call: Call<'_>) -> Option<Outcome> {
        let is_error = Arguments::new(&TOOL, call.arguments).is_err();
        let mut inference = Inference::default();
        inference.add(call.arguments);
        let mut printed = Vec::new();
        Printer { text_max_bytes: 10, drops_revisions: true }.print(call.arguments, &mut printed);
        let text = call.arguments.get("a").and_then(Slice::as_str).unwrap_or_default();
        let hint = mcp::hint(Some(text), 1501, text).unwrap_or_default();
        let closest = mcp::closest(text, ["airports", "users"].into_iter()).join(",");
        let json = Object::whole(|object| {
            inference.print(object);
            object.raw("printed", &printed).text("hint", hint).text("closest", &closest);
        });
        Some(Outcome { json, is_error })
    }

    fn resources(&self) -> Vec<Resource> {
        Vec::new()
    }

    fn templates(&self) -> Vec<Template> {
        Vec::new()
    }

    fn read(&self, uri: &str) -> Result<Option<Contents>, Failure> {
        Ok(Some(Contents { mime_type: "text/plain", text: uri.to_owned() }))
    }

    fn prompts(&self) -> &'static [Prompt] {
        &[]
    }

    fn prompt(&self, _prompt: &Prompt, _argument: &dyn Fn(&str) -> Option<String>) -> String {
        String::new()
    }

    fn complete(&self, completion: Completion<'_>) -> Vec<String> {
        vec![completion.value.to_owned()]
    }
}

pub(crate) fn run(bytes: &[u8]) {
    let Some((first, body)) = bytes.split_first() else { return };
    let version = match first % 4 {
        0 => None,
        1 => Some("2025-06-18"),
        2 => Some("2026-07-28"),
        _ => Some("=?base64?x?="),
    };
    let headers = |name: &str| match name {
        "mcp-protocol-version" => version,
        "mcp-method" => Some("tools/call"),
        _ => Some("t"),
    };
    let answer = mcp::answer(body, &headers, &Printing);
    assert!(matches!(answer.status, 200 | 202 | 400 | 404), "status {}", answer.status);
    if let Some(body) = answer.body {
        let parsed = json::parse(&body, &Limits::default(), &mut Builder::new());
        assert!(parsed.is_ok(), "the reply is no JSON: {}", String::from_utf8_lossy(&body));
    }
}
