//! The tools that create collections, indexes and graphs.

use mcp::{Arguments, Effect, Object, Parameter, Printer, Tool};
use storage::Durability;
use velocypack::Slice;

use super::context::{Context, Entry, Presence};
use super::failure::{ToolError, ToolResult};
use super::run::bind;
use crate::route::query_parts::definitions;

pub(super) const COLLECTION: Entry =
    Entry { tool: COLLECTION_TOOL, call: collection, presence: Presence::WhereWritten };
pub(super) const INDEX: Entry = Entry { tool: INDEX_TOOL, call: index, presence: Presence::WhereWritten };
pub(super) const GRAPH: Entry = Entry { tool: GRAPH_TOOL, call: graph, presence: Presence::WhereWritten };

/// The number of the type of collections of edges.
const EDGES: u64 = 3;
const DOCUMENTS: u64 = 2;

const COLLECTION_TOOL: Tool = Tool {
    name: "create_collection",
    title: "Create a collection",
    description: "Creates a collection of documents, or of edges.",
    parameters: &[
        Parameter::required("name", r#"{"type": "string", "description": "The name"}"#),
        Parameter::optional(
            "type",
            r#"{"type": "string", "enum": ["document", "edge"], "default": "document"}"#,
        ),
        Parameter::optional(
            "schema",
            r#"{"type": "object", "description": "A JSON Schema that its documents must have"}"#,
        ),
    ],
    effect: Effect::Adds,
};

const INDEX_TOOL: Tool = Tool {
    name: "create_index",
    title: "Create an index",
    description: "Creates an index, or finds an equal one. The definition is that of ArangoDB's interface, \
                  for example {\"type\": \"persistent\", \"fields\": [\"age\"]}, {\"type\": \"inverted\", \"fields\": \
                  [{\"name\": \"text\", \"analyzer\": \"text_en\"}]}, {\"type\": \"geo\", \"fields\": [\"location\"], \
                  \"geoJson\": true}, {\"type\": \"vector\", \"fields\": [\"v\"], \"params\": {\"metric\": \"cosine\", \
                  \"dimension\": 384}}.",
    parameters: &[
        Parameter::required("collection", r#"{"type": "string", "description": "The collection"}"#),
        Parameter::required(
            "definition",
            r#"{"type": "object", "required": ["type", "fields"], "description": "The index: type, fields, and options such as unique and sparse"}"#,
        ),
    ],
    effect: Effect::Adds,
};

const GRAPH_TOOL: Tool = Tool {
    name: "create_graph",
    title: "Create a named graph",
    description: "Creates a named graph over collections. Collections that do not exist are created.",
    parameters: &[
        Parameter::required("name", r#"{"type": "string", "description": "The name"}"#),
        Parameter::required(
            "edge_definitions",
            r#"{"type": "array", "minItems": 1, "items": {"type": "object", "properties": {"collection": {"type": "string"}, "from": {"type": "array", "items": {"type": "string"}}, "to": {"type": "array", "items": {"type": "string"}}}, "required": ["collection", "from", "to"]}, "description": "The collections of edges with the collections of vertices that they join"}"#,
        ),
        Parameter::optional(
            "orphan_collections",
            r#"{"type": "array", "items": {"type": "string"}, "description": "Collections of vertices without edges"}"#,
        ),
    ],
    effect: Effect::Adds,
};

fn collection(context: Context<'_>, arguments: &Arguments<'_>) -> ToolResult {
    let name = arguments.required_text("name")?;
    let is_edge = arguments.word("type", &["document", "edge"])? == "edge";
    let schema = arguments.object("schema")?;
    let body = bind(|fields| {
        fields.text("name", name).number("type", if is_edge { EDGES } else { DOCUMENTS });
        if !schema.is_empty() {
            fields.child("schema", |fields| {
                fields.value("rule", schema).text("level", "strict").text("message", "wrong document");
            });
        }
    })?;
    let created = context.session.create_collection(Slice::new(&body))?;
    Ok(Object::whole(|object| {
        object.text("created", created.name());
        object.text("type", if created.is_edge() { "edge" } else { "document" });
    }))
}

fn index(context: Context<'_>, arguments: &Arguments<'_>) -> ToolResult {
    let name = arguments.required_text("collection")?;
    let definition = arguments.object("definition")?;
    let (collection, index, is_new) = context.session.create_index(name, definition)?;
    let definition = definitions::of_index(&collection, &index)?;
    let mut printed = Vec::new();
    Printer::default().print(definition.as_slice(), &mut printed);
    Ok(Object::whole(|object| {
        object.bool("is_new", is_new).raw("index", &printed);
    }))
}

fn graph(context: Context<'_>, arguments: &Arguments<'_>) -> ToolResult {
    let name = arguments.required_text("name")?;
    let definitions = arguments.value("edge_definitions").filter(|value| value.is_array());
    let definitions = definitions
        .ok_or_else(|| ToolError::Argument("'edge_definitions' must be an array of objects".to_owned()))?;
    let orphans = arguments.value("orphan_collections").unwrap_or(Slice::EMPTY_ARRAY);
    let body = bind(|fields| {
        fields.text("name", name).value("edgeDefinitions", definitions).value("orphanCollections", orphans);
    })?;
    let graph = context.session.create_graph(Slice::new(&body), Durability::Buffered)?;
    Ok(Object::whole(|object| {
        object.text("created", name);
        if let Some(definitions) = graph.document.slice().get("edgeDefinitions") {
            object.value("edge_definitions", definitions);
        }
    }))
}
