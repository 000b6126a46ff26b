//! The tool that reads documents by their identifiers.

use mcp::{Arguments, Effect, Object, Parameter, Printer, Tool};

use super::context::{Context, Entry, Presence};
use super::failure::{ToolError, ToolResult};
use super::limits::Limits;
use super::run::{bind, run};

pub(super) const ENTRY: Entry = Entry { tool: TOOL, call, presence: Presence::Always };

/// The most documents of one call.
const IDS_MAX: usize = 100;

const AQL: &str = "FOR id IN @ids LET document = DOCUMENT(id) RETURN document == null ? {_id: id, missing: true} : document";

const TOOL: Tool = Tool {
    name: "get_documents",
    title: "Read documents",
    description: "Reads documents by their _id (\"collection/key\"), in the given order. A document that \
                  does not exist is {_id, missing: true}.",
    parameters: &[
        Parameter::required(
            "ids",
            r#"{"type": "array", "items": {"type": "string"}, "minItems": 1, "maxItems": 100, "description": "The _ids of the documents"}"#,
        ),
        Parameter::optional(
            "max_bytes",
            r#"{"type": "integer", "minimum": 1000, "maximum": 1048576, "default": 65536, "description": "The most bytes of documents to return"}"#,
        ),
        Parameter::optional(
            "full_values",
            r#"{"type": "boolean", "default": false, "description": "Return long texts, vectors and revisions completely"}"#,
        ),
    ],
    effect: Effect::Reads,
};

fn call(context: Context<'_>, arguments: &Arguments<'_>) -> ToolResult {
    let ids = arguments.texts("ids", IDS_MAX)?;
    if ids.is_empty() {
        return Err(ToolError::Argument("'ids' is missing; it must be an array of _ids".to_owned()));
    }
    if let Some(id) = ids.iter().find(|id| !id.contains('/')) {
        let message = format!("'{id}' is not an _id, which has the form \"collection/key\"");
        return Err(ToolError::Argument(message));
    }
    let printer = if arguments.flag("full_values", false)? { Printer::COMPLETE } else { Printer::default() };
    let limits = Limits { rows: IDS_MAX as u64, ..Limits::of(arguments)? };
    let bind_vars = bind(|fields| {
        fields.list("ids", |fields| {
            for id in &ids {
                fields.text_element(id);
            }
        });
    })?;
    let rows = run(context, AQL, &bind_vars, limits)?;
    Ok(Object::whole(|object| rows.print(printer, object)))
}
