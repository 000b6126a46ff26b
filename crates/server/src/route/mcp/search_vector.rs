//! The tool that finds the nearest neighbours of a vector.

use mcp::{Arguments, Effect, Parameter, Tool};

use super::context::{Context, Entry, Presence};
use super::failure::ToolResult;
use super::search::{BIND_VARS, LIMIT, RETURN_FIELDS, Search};
use super::vector_source::{COLLECTION, FIELD, VECTOR, VectorSource};

pub(super) const ENTRY: Entry = Entry { tool: TOOL, call, presence: Presence::Always };

const TOOL: Tool = Tool {
    name: "search_vector",
    title: "Search by vector",
    description: "Finds the documents whose vectors are nearest to a vector, or to the vector of a document. \
                  It uses the collection's vector index with its metric; without one it compares all \
                  documents by cosine similarity.",
    parameters: &[
        COLLECTION,
        FIELD,
        VECTOR,
        Parameter::optional(
            "document",
            r#"{"type": "string", "description": "The _id of the document whose neighbours are wanted, instead of vector"}"#,
        ),
        Parameter::optional(
            "filter",
            r#"{"type": "string", "description": "A condition in AQL on the document d, for example: d.year >= @year"}"#,
        ),
        BIND_VARS,
        RETURN_FIELDS,
        LIMIT,
    ],
    effect: Effect::Reads,
};

fn call(context: Context<'_>, arguments: &Arguments<'_>) -> ToolResult {
    let source = VectorSource::of(context, arguments)?;
    let search = Search::of(arguments)?;
    let aql = format!(
        "{}RETURN {{value: {}, document: {}}}",
        source.statements(&search.condition(), "@mcp_limit"),
        source.value(),
        search.returned.expression("d")
    );
    search.run(context, &aql, |fields| source.bind(fields), |object| source.describe(object))
}
