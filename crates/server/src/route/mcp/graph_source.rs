//! The edges that a traversal follows: a named graph, or collections of edges.

use mcp::{Arguments, Parameter};

use super::failure::ToolError;
use crate::http::Fields;
use crate::route::query_parts::quoted;

/// The graph of the edges.
pub(super) const GRAPH: Parameter =
    Parameter::optional("graph", r#"{"type": "string", "description": "The name of a graph"}"#);

/// The edges, where no graph is named.
pub(super) const EDGE_COLLECTIONS: Parameter = Parameter::optional(
    "edge_collections",
    r#"{"type": "array", "items": {"type": "string"}, "description": "Collections of edges, instead of graph"}"#,
);

/// The direction in which edges are followed.
pub(super) const DIRECTION: Parameter = Parameter::optional(
    "direction",
    r#"{"type": "string", "enum": ["outbound", "inbound", "any"], "default": "outbound"}"#,
);

/// The most collections of edges of a call.
const COLLECTIONS_MAX: usize = 50;

/// The edges that a traversal follows.
pub(super) struct GraphSource<'g> {
    graph: Option<&'g str>,
    edges: Vec<String>,
    /// The direction, as AQL has it.
    pub(super) direction: &'static str,
}

impl<'g> GraphSource<'g> {
    /// Reads the arguments `graph`, or `edge_collections`, and `direction`.
    pub(super) fn of(arguments: &Arguments<'g>) -> Result<Self, ToolError> {
        let graph = arguments.text("graph")?;
        let edges = arguments.texts("edge_collections", COLLECTIONS_MAX)?;
        if graph.is_some() != edges.is_empty() {
            let message = "one of 'graph' and 'edge_collections' must be given".to_owned();
            return Err(ToolError::Argument(message));
        }
        let edges = edges.into_iter().map(quoted).collect::<Result<_, _>>()?;
        let direction = match arguments.word("direction", &["outbound", "inbound", "any"])? {
            "inbound" => "INBOUND",
            "any" => "ANY",
            _ => "OUTBOUND",
        };
        Ok(GraphSource { graph, edges, direction })
    }

    /// Returns the edges as AQL has them behind the start.
    pub(super) fn text(&self) -> String {
        match self.graph {
            Some(_) => "GRAPH @mcp_graph".to_owned(),
            None => self.edges.join(", "),
        }
    }

    /// Adds the value of the parameter.
    pub(super) fn bind(&self, fields: &mut Fields<'_>) {
        if let Some(graph) = self.graph {
            fields.text("mcp_graph", graph);
        }
    }
}

/// Returns an argument that is an `_id`.
pub(super) fn id<'a>(arguments: &Arguments<'a>, name: &str) -> Result<&'a str, ToolError> {
    let id = arguments.required_text(name)?;
    match id.split_once('/') {
        Some((collection, key)) if !collection.is_empty() && !key.is_empty() => Ok(id),
        _ => {
            let message = format!("'{name}' is not an _id, which has the form \"collection/key\"");
            Err(ToolError::Argument(message))
        }
    }
}
