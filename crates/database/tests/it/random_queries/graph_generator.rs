//! Random traversals and path searches over the edges `e`.

use super::generator::{Generator, Scope, Type};

const DIRECTIONS: &[&str] = &["OUTBOUND", "INBOUND", "ANY"];
const OPTIONS: &[&str] = &[
    "",
    "",
    "OPTIONS {order: 'bfs'} ",
    "OPTIONS {uniqueVertices: 'path'} ",
    "OPTIONS {order: 'bfs', uniqueVertices: 'path'} ",
    "OPTIONS {uniqueEdges: 'none'} ",
];

impl Generator<'_, '_> {
    /// Returns a loop over paths, and the expression that distinguishes them.
    pub(super) fn paths(&mut self, scope: &mut Scope) -> (String, String) {
        if self.choices.percent(30) { self.path_search(scope) } else { self.traversal(scope) }
    }

    fn traversal(&mut self, scope: &mut Scope) -> (String, String) {
        let (low, direction) = (self.choices.below(2), self.choices.pick(DIRECTIONS));
        let high = low + self.choices.below(3);
        let documents = scope.of_kind(&[Type::Document]);
        let start = match documents.is_empty() || self.choices.percent(30) {
            true => format!("'{}'", self.vertex("c")),
            false => documents[self.choices.below(documents.len())].name.clone(),
        };
        let [vertex, edge, path] = [self.name(), self.name(), self.name()];
        let mut prune = String::new();
        if self.choices.percent(20) {
            let mut inner = Scope::default();
            inner.add(&vertex, Type::Vertex);
            inner.add(&edge, Type::Edge);
            prune = format!("PRUNE {} ", self.condition(&inner, 1));
        }
        let options = self.choices.pick(OPTIONS);
        let text =
            format!("FOR {vertex}, {edge}, {path} IN {low}..{high} {direction} {start} e {prune}{options}");
        scope.add(&vertex, Type::Vertex);
        scope.add(&edge, Type::Edge);
        scope.add(&path, Type::Path);
        (text, format!("{path}.edges[*]._key"))
    }

    /// Returns a path search between two vertices that are never equal, since paths without edges
    /// would exist otherwise.
    fn path_search(&mut self, scope: &mut Scope) -> (String, String) {
        let path = self.name();
        let (from, to) = (self.vertex("c"), self.vertex("d"));
        let direction = self.choices.pick(DIRECTIONS);
        let ends = format!("'{from}' TO '{to}' e ");
        let text = match self.choices.below(2) {
            0 => format!("FOR {path} IN {direction} ALL_SHORTEST_PATHS {ends}"),
            _ => {
                let low = 1 + self.choices.below(2);
                let high = low + self.choices.below(3);
                format!("FOR {path} IN {low}..{high} {direction} K_PATHS {ends}")
            }
        };
        scope.add(&path, Type::Path);
        (text, format!("{path}.edges[*]._key"))
    }

    /// Returns the number of vertices on a shortest path. Several shortest paths may exist.
    pub(super) fn distance(&mut self) -> String {
        let (from, to) = (self.vertex("c"), self.vertex("d"));
        let direction = self.choices.pick(DIRECTIONS);
        format!("LENGTH((FOR w IN {direction} SHORTEST_PATH '{from}' TO '{to}' e RETURN 1))")
    }

    fn vertex(&mut self, collection: &str) -> String {
        format!("{collection}/k{}", self.choices.below(6))
    }

    pub(super) fn path_attribute(&mut self, path: &str) -> String {
        let attribute = self.choices.pick(&[
            "edges[0].w",
            "edges[1].w",
            "edges[-1].n",
            "edges[0]._to",
            "vertices[0].n",
            "vertices[1].a",
            "vertices[-1].n",
            "vertices[1].s",
        ]);
        format!("{path}.{attribute}")
    }

    /// Returns a condition on all elements of a path.
    pub(super) fn path_condition(&mut self, path: &str) -> String {
        let list = self.choices.pick(&["edges[*].w", "edges[*].n", "vertices[*].n", "vertices[*].a"]);
        let quantifier = self.choices.pick(&["ALL", "ANY", "NONE"]);
        let operator = self.choices.pick(&["==", "!=", "<", ">="]);
        format!("{path}.{list} {quantifier} {operator} {}", self.choices.below(4))
    }
}
