//! The tool that follows edges from a vertex.

use mcp::{Arguments, Effect, Object, Printer, Tool};

use super::context::{Context, Entry, Presence};
use super::failure::{ToolError, ToolResult};
use super::graph_source::{GraphSource, id};
use super::limits::Limits;
use super::names::{Condition, Returned};
use super::run::{bind, run};

pub(super) const ENTRY: Entry = Entry { tool: TOOL, call, presence: Presence::Always };

/// The greatest depth.
const DEPTH_MAX: u64 = 20;

const TOOL: Tool = Tool {
    name: "traverse",
    title: "Follow edges",
    description: "Follows the edges of a graph from a vertex, breadth first. It returns each vertex once \
                  with its depth and the edge that led to it, or all paths. In filter, v is the vertex, e \
                  its edge and p the path (p.vertices, p.edges).",
    input_schema: r#"{
        "type": "object",
        "properties": {
            "start": {"type": "string", "description": "The _id of the start vertex"},
            "graph": {"type": "string", "description": "The name of a graph"},
            "edge_collections": {"type": "array", "items": {"type": "string"}, "description": "Collections of edges, instead of graph"},
            "direction": {"type": "string", "enum": ["outbound", "inbound", "any"], "default": "outbound"},
            "min_depth": {"type": "integer", "minimum": 0, "maximum": 20, "default": 1},
            "max_depth": {"type": "integer", "minimum": 0, "maximum": 20, "default": 2},
            "result": {"type": "string", "enum": ["vertices", "paths"], "default": "vertices"},
            "filter": {"type": "string", "description": "A condition in AQL on v, e and p, for example: v.age >= @age"},
            "bind_vars": {"type": "object", "description": "The values of the bind parameters of filter"},
            "return_fields": {"type": "array", "items": {"type": "string"}, "description": "The top-level attributes of vertices to return; by default all"},
            "limit": {"type": "integer", "minimum": 1, "maximum": 1000, "default": 10, "description": "The most vertices or paths to return"}
        },
        "required": ["start"],
        "additionalProperties": false
    }"#,
    effect: Effect::Reads,
};

fn call(context: Context<'_>, arguments: &Arguments<'_>) -> ToolResult {
    let start = id(arguments, "start")?;
    let source = GraphSource::of(arguments)?;
    let min = arguments.count("min_depth", 1, 0..=DEPTH_MAX)?;
    let max = arguments.count("max_depth", min.max(2), 0..=DEPTH_MAX)?;
    if min > max {
        return Err(ToolError::Argument("'min_depth' must not be more than 'max_depth'".to_owned()));
    }
    let is_paths = arguments.word("result", &["vertices", "paths"])? == "paths";
    let (condition, returned) = (Condition::of(arguments)?, Returned::of(arguments)?);
    let limits = Limits::of_search(arguments)?;
    let (once, result) = match is_paths {
        true => (
            "path",
            format!("{{vertices: p.vertices[* RETURN {}], edges: p.edges}}", returned.expression("CURRENT")),
        ),
        false => {
            ("global", format!("{{depth: LENGTH(p.edges), vertex: {}, edge: e}}", returned.expression("v")))
        }
    };
    let aql = format!(
        "FOR v, e, p IN {min}..{max} {} @mcp_start {}\n\
         OPTIONS {{order: \"bfs\", uniqueVertices: \"{once}\"}}\n{}LIMIT @mcp_limit\nRETURN {result}",
        source.direction,
        source.text(),
        condition.statement()
    );
    let bind_vars = bind(|fields| {
        fields.text("mcp_start", start).number("mcp_limit", limits.row_to_see_more());
        source.bind(fields);
        condition.bind(fields);
        returned.bind(fields);
    })?;
    let rows = run(context, &aql, &bind_vars, limits)?;
    Ok(Object::whole(|object| {
        rows.print(Printer::default(), object);
        object.text("aql", &aql);
    }))
}
