//! The tools that insert, update and remove documents. Each call is one query, and so one
//! transaction: it has all effects or none.

use mcp::{Arguments, Effect, Object, Parameter, Printer, Tool};
use velocypack::Slice;

use super::context::{Context, Entry, Presence};
use super::failure::{ToolError, ToolResult};
use super::limits::Limits;
use super::run::{bind, run};

pub(super) const INSERT: Entry = Entry { tool: INSERT_TOOL, call: insert, presence: Presence::WhereWritten };
pub(super) const UPDATE: Entry = Entry { tool: UPDATE_TOOL, call: update, presence: Presence::WhereWritten };
pub(super) const REMOVE: Entry = Entry { tool: REMOVE_TOOL, call: remove, presence: Presence::WhereWritten };

/// The most documents of a call.
const DOCUMENTS_MAX: usize = 1_000;

const INSERT_TOOL: Tool = Tool {
    name: "insert_documents",
    title: "Insert documents",
    description: "Inserts documents into a collection, all or none. Edges need _from and _to. Returns the \
                  _ids.",
    parameters: &[
        Parameter::required("collection", r#"{"type": "string", "description": "The collection"}"#),
        Parameter::required(
            "documents",
            r#"{"type": "array", "items": {"type": "object"}, "minItems": 1, "maxItems": 1000, "description": "The documents; without _key they get one"}"#,
        ),
        Parameter::optional(
            "on_conflict",
            r#"{"type": "string", "enum": ["fail", "ignore", "update", "replace"], "default": "fail", "description": "What to do if the _key exists"}"#,
        ),
    ],
    effect: Effect::Adds,
};

const UPDATE_TOOL: Tool = Tool {
    name: "update_documents",
    title: "Update documents",
    description: "Changes attributes of documents, all or none. Each document names its _key; other \
                  attributes are merged into the stored document. An attribute that is null is removed.",
    parameters: &[
        Parameter::required("collection", r#"{"type": "string", "description": "The collection"}"#),
        Parameter::required(
            "documents",
            r#"{"type": "array", "items": {"type": "object", "required": ["_key"]}, "minItems": 1, "maxItems": 1000, "description": "The changes, each with the _key of its document"}"#,
        ),
    ],
    effect: Effect::Changes,
};

const REMOVE_TOOL: Tool = Tool {
    name: "remove_documents",
    title: "Remove documents",
    description: "Removes documents by their _keys, all or none.",
    parameters: &[
        Parameter::required("collection", r#"{"type": "string", "description": "The collection"}"#),
        Parameter::required(
            "keys",
            r#"{"type": "array", "items": {"type": "string"}, "minItems": 1, "maxItems": 1000, "description": "The _keys of the documents"}"#,
        ),
    ],
    effect: Effect::Changes,
};

fn insert(context: Context<'_>, arguments: &Arguments<'_>) -> ToolResult {
    let documents = documents(arguments)?;
    let mode = match arguments.word("on_conflict", &["fail", "ignore", "update", "replace"])? {
        "fail" => "conflict",
        mode => mode,
    };
    let aql = format!(
        "FOR document IN @documents INSERT document INTO @@collection OPTIONS {{overwriteMode: \"{mode}\"}} \
         RETURN NEW._id"
    );
    write(context, arguments, &aql, documents)
}

fn update(context: Context<'_>, arguments: &Arguments<'_>) -> ToolResult {
    let documents = documents(arguments)?;
    if documents.elements().any(|document| document.get("_key").is_none()) {
        return Err(ToolError::Argument("each of 'documents' must have a '_key'".to_owned()));
    }
    let aql = "FOR document IN @documents UPDATE document IN @@collection OPTIONS {keepNull: false} \
               RETURN NEW._id";
    write(context, arguments, aql, documents)
}

fn remove(context: Context<'_>, arguments: &Arguments<'_>) -> ToolResult {
    let keys = arguments.texts("keys", DOCUMENTS_MAX)?;
    if keys.is_empty() {
        return Err(ToolError::Argument("'keys' is missing; it must be an array of _keys".to_owned()));
    }
    let keys = crate::http::Fields::array(|fields| {
        for key in &keys {
            fields.text_element(key);
        }
    })?;
    let aql = "FOR key IN @documents REMOVE key IN @@collection RETURN OLD._id";
    write(context, arguments, aql, Slice::new(&keys))
}

/// Returns the argument `documents`.
fn documents<'a>(arguments: &Arguments<'a>) -> Result<Slice<'a>, ToolError> {
    let documents = arguments.value("documents").filter(|documents| {
        documents.is_array()
            && (1..=DOCUMENTS_MAX).contains(&documents.len())
            && documents.elements().all(Slice::is_object)
    });
    let message = || format!("'documents' must be an array of 1 to {DOCUMENTS_MAX} objects");
    documents.ok_or_else(|| ToolError::Argument(message()))
}

fn write(context: Context<'_>, arguments: &Arguments<'_>, aql: &str, documents: Slice<'_>) -> ToolResult {
    let collection = arguments.required_text("collection")?;
    let bind_vars = bind(|fields| {
        fields.text("@collection", collection).value("documents", documents);
    })?;
    let limits = Limits { rows: DOCUMENTS_MAX as u64, ..Limits::default() };
    let rows = run(context, aql, &bind_vars, limits)?;
    Ok(Object::whole(|object| rows.print(Printer::default(), object)))
}
