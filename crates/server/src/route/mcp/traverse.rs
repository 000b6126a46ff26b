//! The tool that follows edges from a vertex.

use mcp::{Arguments, Effect, Parameter, Tool};

use super::context::{Context, Entry, Presence};
use super::failure::{ToolError, ToolResult};
use super::graph_source::{DIRECTION, EDGE_COLLECTIONS, GRAPH, GraphSource, id};
use super::search::{BIND_VARS, Search};
use crate::http::Fields;

pub(super) const ENTRY: Entry = Entry { tool: TOOL, call, presence: Presence::Always };

/// The greatest depth.
const DEPTH_MAX: u64 = 20;

const TOOL: Tool = Tool {
    name: "traverse",
    title: "Follow edges",
    description: "Follows the edges of a graph from a vertex, breadth first. It returns each vertex once \
                  with its depth and the edge that led to it, or all paths. In filter, v is the vertex, e \
                  its edge and p the path (p.vertices, p.edges).",
    parameters: &[
        Parameter::required("start", r#"{"type": "string", "description": "The _id of the start vertex"}"#),
        GRAPH,
        EDGE_COLLECTIONS,
        DIRECTION,
        Parameter::optional("min_depth", r#"{"type": "integer", "minimum": 0, "maximum": 20, "default": 1}"#),
        Parameter::optional("max_depth", r#"{"type": "integer", "minimum": 0, "maximum": 20, "default": 2}"#),
        Parameter::optional(
            "result",
            r#"{"type": "string", "enum": ["vertices", "paths"], "default": "vertices"}"#,
        ),
        Parameter::optional(
            "filter",
            r#"{"type": "string", "description": "A condition in AQL on v, e and p, for example: v.age >= @age"}"#,
        ),
        BIND_VARS,
        Parameter::optional(
            "return_fields",
            r#"{"type": "array", "items": {"type": "string"}, "description": "The top-level attributes of vertices to return; by default all"}"#,
        ),
        Parameter::optional(
            "limit",
            r#"{"type": "integer", "minimum": 1, "maximum": 1000, "default": 10, "description": "The most vertices or paths to return"}"#,
        ),
    ],
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
    let search = Search::of(arguments)?;
    let (once, result) = match is_paths {
        true => (
            "path",
            format!(
                "{{vertices: p.vertices[* RETURN {}], edges: p.edges}}",
                search.returned.expression("CURRENT")
            ),
        ),
        false => (
            "global",
            format!("{{depth: LENGTH(p.edges), vertex: {}, edge: e}}", search.returned.expression("v")),
        ),
    };
    let aql = format!(
        "FOR v, e, p IN {min}..{max} {} @mcp_start {}\n\
         OPTIONS {{order: \"bfs\", uniqueVertices: \"{once}\"}}\n{}LIMIT @mcp_limit\nRETURN {result}",
        source.direction,
        source.text(),
        search.condition()
    );
    let bind_own = |fields: &mut Fields<'_>| {
        fields.text("mcp_start", start);
        source.bind(fields);
    };
    search.run(context, &aql, bind_own, |_| {})
}
