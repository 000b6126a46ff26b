//! The tool that finds the nearest neighbours of a vector.

use mcp::{Arguments, Effect, Object, Printer, Tool};

use super::context::{Context, Entry, Presence};
use super::failure::ToolResult;
use super::limits::Limits;
use super::names::{Condition, Returned};
use super::run::{bind, run};
use super::vector_source::VectorSource;

pub(super) const ENTRY: Entry = Entry { tool: TOOL, call, presence: Presence::Always };

const TOOL: Tool = Tool {
    name: "search_vector",
    title: "Search by vector",
    description: "Finds the documents whose vectors are nearest to a vector, or to the vector of a document. \
                  It uses the collection's vector index with its metric; without one it compares all \
                  documents by cosine similarity.",
    input_schema: r#"{
        "type": "object",
        "properties": {
            "collection": {"type": "string", "description": "The collection"},
            "field": {"type": "string", "description": "The attribute with the vector; by default that of the vector index"},
            "vector": {"type": "array", "items": {"type": "number"}, "description": "The vector to compare with"},
            "document": {"type": "string", "description": "The _id of the document whose neighbours are wanted, instead of vector"},
            "filter": {"type": "string", "description": "A condition in AQL on the document d, for example: d.year >= @year"},
            "bind_vars": {"type": "object", "description": "The values of the bind parameters of filter"},
            "return_fields": {"type": "array", "items": {"type": "string"}, "description": "The top-level attributes to return; by default all"},
            "limit": {"type": "integer", "minimum": 1, "maximum": 1000, "default": 10, "description": "The most documents to return"}
        },
        "required": ["collection"],
        "additionalProperties": false
    }"#,
    effect: Effect::Reads,
};

fn call(context: Context<'_>, arguments: &Arguments<'_>) -> ToolResult {
    let source = VectorSource::of(context, arguments)?;
    let (condition, returned) = (Condition::of(arguments)?, Returned::of(arguments)?);
    let limits = Limits::of_search(arguments)?;
    let aql = format!(
        "{}RETURN {{value: {}, document: {}}}",
        source.statements(&condition.statement(), "@mcp_limit"),
        source.value(),
        returned.expression("d")
    );
    let bind_vars = bind(|fields| {
        fields.number("mcp_limit", limits.row_to_see_more());
        source.bind(fields);
        condition.bind(fields);
        returned.bind(fields);
    })?;
    let rows = run(context, &aql, &bind_vars, limits)?;
    Ok(Object::whole(|object| {
        rows.print(Printer::default(), object);
        object.text("function", source.function()).bool("uses_index", source.is_indexed).text("aql", &aql);
    }))
}
