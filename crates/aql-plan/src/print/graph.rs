//! Nodes of graph queries and WINDOW as text.

use super::{Printer, flag, listed};
use crate::index_search::text;
use crate::node::{
    EdgeAccess, EdgeDirection, EdgeLookup, EnumeratePaths, EnumeratePathsKind, GraphAccess, IndexLookup,
    PathElement, PathOutput, PathSearchOptions, Prune, ShortestPath, StepCondition, Traversal,
    TraversalOptions, TraversalOrder, Uniqueness, Window, WindowBound,
};
use crate::variable::VariableId;

impl Printer<'_> {
    pub(super) fn traversal(&self, node: &Traversal) -> String {
        let mut text = String::from("Traversal");
        text += &self.output(" vertex ", node.vertex_out);
        text += &self.projections(" vertex projections", &node.vertex_projections);
        text += &self.output(" edge ", node.edge_out);
        text += &self.projections(" edge projections", &node.edge_projections);
        text += &node.path.map(|path| format!(" path {}", self.path(path))).unwrap_or_default();
        text += &format!(" IN {}..{} FROM {}", node.min_depth, node.max_depth, self.name(node.start));
        text += &self.graph(&node.graph);
        text += &node.prune.as_ref().map(|prune| self.prune(prune)).unwrap_or_default();
        text += &self.conditions(&node.conditions);
        text += &self.part(" FILTER ", node.output_filter.as_ref());
        text + &traversal_options(&node.options)
    }

    pub(super) fn shortest_path(&self, node: &ShortestPath) -> String {
        format!(
            "ShortestPath{}{} FROM {} TO {}{}{}",
            self.output(" vertex ", node.vertex_out),
            self.output(" edge ", node.edge_out),
            self.name(node.start),
            self.name(node.target),
            self.graph(&node.graph),
            path_search_options(&node.options)
        )
    }

    pub(super) fn enumerate_paths(&self, node: &EnumeratePaths) -> String {
        let name = match node.kind {
            EnumeratePathsKind::KShortestPaths => "KShortestPaths",
            EnumeratePathsKind::KPaths => "KPaths",
            EnumeratePathsKind::AllShortestPaths => "AllShortestPaths",
        };
        let depth = match node.kind {
            EnumeratePathsKind::KPaths => format!(" IN {}..{}", node.min_depth, node.max_depth),
            _ => String::new(),
        };
        format!(
            "{name} path {}{depth} FROM {} TO {}{}{}{}",
            self.path(node.path),
            self.name(node.start),
            self.name(node.target),
            self.graph(&node.graph),
            self.conditions(&node.conditions),
            path_search_options(&node.options)
        )
    }

    pub(super) fn window(&self, window: &Window) -> String {
        let range = window.range.map(|range| format!(" BY {}", self.name(range))).unwrap_or_default();
        let aggregates = window.aggregates.iter().map(|aggregate| self.aggregate(aggregate));
        format!(
            "Window{range} preceding {} following {}{}",
            bound(&window.preceding),
            bound(&window.following),
            listed(" aggregates ", aggregates)
        )
    }

    fn output(&self, title: &str, id: Option<VariableId>) -> String {
        id.map(|id| format!("{title}{}", self.name(id))).unwrap_or_default()
    }

    fn path(&self, path: PathOutput) -> String {
        let parts = [("vertices", path.vertices), ("edges", path.edges), ("weights", path.weights)];
        let parts: Vec<&str> =
            parts.into_iter().filter(|(_, is_read)| *is_read).map(|(name, _)| name).collect();
        format!("{} ({})", self.name(path.out), parts.join(", "))
    }

    fn graph(&self, graph: &GraphAccess) -> String {
        let name = graph.graph.as_ref().map(|name| format!(" GRAPH {name}")).unwrap_or_default();
        let edges: Vec<String> = graph.edges.iter().map(|edges| self.edge_access(edges)).collect();
        format!("{name} EDGES {}", edges.join(", "))
    }

    fn edge_access(&self, edges: &EdgeAccess) -> String {
        let direction = match edges.direction {
            EdgeDirection::Outbound => "OUTBOUND",
            EdgeDirection::Inbound => "INBOUND",
        };
        let base = self.lookup(edges.direction, &edges.lookup);
        let levels = edges
            .at_depth
            .iter()
            .map(|(depth, lookup)| format!(" at {depth} {}", self.lookup(edges.direction, lookup)));
        format!("{direction} {} USING {base}{}", edges.collection.name, levels.collect::<String>())
    }

    fn lookup(&self, direction: EdgeDirection, lookup: &EdgeLookup) -> String {
        let mut fields = lookup.index.fields.iter().skip(1);
        let mut conditions = vec![direction.vertex_field().to_owned()];
        for (condition, field) in lookup.lookups.iter().zip(&mut fields) {
            let symbol = if matches!(condition, IndexLookup::Equal(_)) { "==" } else { "IN" };
            conditions.push(format!("{} {symbol} {}", field.to_text(), self.text(condition.expression())));
        }
        if let Some(field) = fields.next() {
            conditions.extend(self.bounds(field, &lookup.lower, &lookup.upper));
        }
        let search = lookup.search.iter();
        conditions.extend(search.flat_map(|search| text(search, &lookup.index, &|value| self.text(value))));
        format!("{}({})", lookup.index.name, conditions.join(", "))
    }

    fn prune(&self, prune: &Prune) -> String {
        let mut text = String::from(" PRUNE ");
        text += &prune.out.map(|out| format!("{} = ", self.name(out))).unwrap_or_default();
        text += &self.text(&prune.condition);
        let inputs: Vec<String> = [
            prune.vertex.map(|id| self.name(id)),
            prune.edge.map(|id| self.name(id)),
            prune.path.map(|path| self.path(path)),
        ]
        .into_iter()
        .flatten()
        .collect();
        if inputs.is_empty() { text } else { format!("{text} WITH {}", inputs.join(", ")) }
    }

    fn conditions(&self, conditions: &[StepCondition]) -> String {
        let list = conditions.iter().map(|condition| {
            let element = match condition.element {
                PathElement::Vertex => "vertices",
                PathElement::Edge => "edges",
            };
            let depth = condition.depth.map_or("*".into(), |depth| depth.to_string());
            format!(
                "{element}[{depth}] AS {}: {}",
                self.name(condition.input),
                self.text(&condition.condition)
            )
        });
        listed(" WHERE ", list)
    }
}

impl EdgeDirection {
    /// The attribute of an edge that has the vertex it is followed from.
    pub fn vertex_field(self) -> &'static str {
        match self {
            Self::Outbound => "_from",
            Self::Inbound => "_to",
        }
    }
}

/// Options that differ from the defaults.
fn traversal_options(options: &TraversalOptions) -> String {
    let mut text = String::new();
    text += match options.order {
        TraversalOrder::Dfs => "",
        TraversalOrder::Bfs => " bfs",
        TraversalOrder::Weighted => " weighted",
    };
    text += match options.unique_vertices {
        Uniqueness::None => "",
        Uniqueness::Path => " unique vertices in path",
        Uniqueness::Global if options.revisit_start => " unique vertices, start again",
        Uniqueness::Global => " unique vertices",
    };
    text += flag(" any edges", options.unique_edges == Uniqueness::None);
    text += &weight(options.weight_attribute.as_deref(), options.default_weight);
    if let Some(collections) = &options.vertex_collections {
        text += &listed(" vertices of ", collections.iter().map(|collection| collection.name.to_string()));
    }
    text
}

fn path_search_options(options: &PathSearchOptions) -> String {
    weight(options.weight_attribute.as_deref(), options.default_weight)
}

fn weight(attribute: Option<&str>, default: f64) -> String {
    attribute.map(|name| format!(" weight {name} or {default}")).unwrap_or_default()
}

fn bound(bound: &WindowBound) -> String {
    match bound {
        WindowBound::Unbounded => "all".into(),
        WindowBound::Rows(rows) => format!("{rows} rows"),
        WindowBound::Distance(distance) => distance.to_string(),
        WindowBound::Duration(duration) => duration.to_string(),
    }
}
