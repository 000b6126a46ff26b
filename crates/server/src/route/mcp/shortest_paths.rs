//! The tool that finds shortest paths.

use mcp::{Arguments, Effect, Object, Parameter, Printer, Tool};

use super::context::{Context, Entry, Presence};
use super::failure::ToolResult;
use super::graph_source::{DIRECTION, EDGE_COLLECTIONS, GRAPH, GraphSource, id};
use super::limits::Limits;
use super::names::Returned;
use super::run::{bind, run};

pub(super) const ENTRY: Entry = Entry { tool: TOOL, call, presence: Presence::Always };

/// The most paths.
const PATHS_MAX: u64 = 100;

const TOOL: Tool = Tool {
    name: "shortest_paths",
    title: "Find shortest paths",
    description: "Finds the k shortest paths between two vertices, the shortest first, by the number of edges \
                  or by a weight. Without a path the rows are empty.",
    parameters: &[
        Parameter::required("from", r#"{"type": "string", "description": "The _id of the first vertex"}"#),
        Parameter::required("to", r#"{"type": "string", "description": "The _id of the last vertex"}"#),
        GRAPH,
        EDGE_COLLECTIONS,
        DIRECTION,
        Parameter::optional(
            "k",
            r#"{"type": "integer", "minimum": 1, "maximum": 100, "default": 1, "description": "The number of paths"}"#,
        ),
        Parameter::optional(
            "weight",
            r#"{"type": "string", "description": "The attribute of edges that is their length; by default each edge has length 1"}"#,
        ),
        Parameter::optional(
            "return_fields",
            r#"{"type": "array", "items": {"type": "string"}, "description": "The top-level attributes of vertices to return; by default all"}"#,
        ),
    ],
    effect: Effect::Reads,
};

fn call(context: Context<'_>, arguments: &Arguments<'_>) -> ToolResult {
    let (from, to) = (id(arguments, "from")?, id(arguments, "to")?);
    let source = GraphSource::of(arguments)?;
    let count = arguments.count("k", 1, 1..=PATHS_MAX)?;
    let weight = arguments.text("weight")?;
    let returned = Returned::of(arguments)?;
    let options = match weight {
        Some(_) => "OPTIONS {weightAttribute: @mcp_weight, defaultWeight: 1}\n",
        None => "",
    };
    let aql = format!(
        "FOR p IN {} K_SHORTEST_PATHS @mcp_from TO @mcp_to {}\n{options}LIMIT @mcp_count\n\
         RETURN {{edge_count: LENGTH(p.edges), weight: p.weight, vertices: p.vertices[* RETURN {}], \
         edges: p.edges}}",
        source.direction,
        source.text(),
        returned.expression("CURRENT")
    );
    let bind_vars = bind(|fields| {
        fields.text("mcp_from", from).text("mcp_to", to).number("mcp_count", count);
        weight.into_iter().for_each(|weight| {
            fields.text("mcp_weight", weight);
        });
        source.bind(fields);
        returned.bind(fields);
    })?;
    let rows = run(context, &aql, &bind_vars, Limits::default())?;
    Ok(Object::whole(|object| {
        rows.print(Printer::default(), object);
        object.text("aql", &aql);
    }))
}
