//! Random traversals and path searches over the test database.

use super::generator::Generator;

/// Returns the query of a seed.
pub(crate) fn query(seed: u64) -> String {
    let mut generator = Generator::new(seed);
    match generator.below(8) {
        0 => generator.path_search(),
        1 | 2 => generator.reachable(),
        _ => generator.traversal(),
    }
}

const ATTRIBUTES: &[&str] =
    &["a", "b", "x", "label", "type", "since", "weight", "name", "_key", "_id", "age"];
const VALUES: &[&str] = &[
    "1",
    "2",
    "3",
    "'x'",
    "'friend'",
    "'a'",
    "null",
    "2001",
    "true",
    "u.x",
    "u.name",
    "[1, 2, 'x']",
    "'users/2'",
];
const OPERATORS: &[&str] = &["==", "==", "!=", "<", "<=", ">", ">=", "IN", "NOT IN"];
const DIRECTIONS: &[&str] = &["OUTBOUND", "INBOUND", "ANY"];
const STARTS: &[&str] = &["u", "u", "u._id", "'users/1'", "'users/2'", "'cities/2'", "u.name"];
const EDGES: &[&str] = &["knows", "likes", "knows, likes", "INBOUND knows, likes", "GRAPH social"];

impl Generator {
    fn traversal(&mut self) -> String {
        let min = self.below(3);
        let max = min + self.below(3);
        let outer = self.pick(&["users", "cities", "[{x: 1, name: 'x', _id: 'users/1'}]"]);
        let (direction, start, edges) = (self.pick(DIRECTIONS), self.pick(STARTS), self.pick(EDGES));
        let prune = match self.below(4) {
            0 => format!(" PRUNE stop = {}", self.path_condition()),
            _ => String::new(),
        };
        let options = self.pick(&[
            "",
            "",
            "",
            " OPTIONS {uniqueVertices: 'path'}",
            " OPTIONS {order: 'bfs', uniqueVertices: 'global'}",
            " OPTIONS {uniqueVertices: 'path', uniqueEdges: 'none'}",
            " OPTIONS {vertexCollections: 'users'}",
            " OPTIONS {indexHint: {likes: {'outbound': {base: 'edge', '1': 'fromWeight'}}}}",
        ]);
        let filters = self.filters();
        let result = self.pick(&[
            "[v._key, e._key]",
            "v",
            "e._to",
            "p.vertices[*]._key",
            "[p.edges[*]._key, v.name]",
            "p",
            "[p.vertices[-1]._id, p.edges[-1].x]",
            "LENGTH(p.edges)",
            "DISTINCT v._key",
            "DISTINCT [u._key, v._id]",
            "(FOR w IN p.vertices FILTER w.x != e.x RETURN w._key)",
        ]);
        format!(
            "FOR u IN {outer} FOR v, e, p IN {min}..{max} {direction} {start} {edges}{prune}{options}{filters} \
             RETURN {result}"
        )
    }

    /// Writes a query for the distinct vertices, with conditions that do not read the path.
    fn reachable(&mut self) -> String {
        let (min, max) = (self.below(2), 1 + self.below(4));
        let (direction, start, edges) = (self.pick(DIRECTIONS), self.pick(STARTS), self.pick(EDGES));
        let options = self.pick(&[
            "",
            " OPTIONS {uniqueVertices: 'path'}",
            " OPTIONS {uniqueEdges: 'none'}",
            " OPTIONS {vertexCollections: 'users'}",
        ]);
        let filter = match self.below(4) {
            0 => format!(" FILTER {}", self.quantified()),
            1 => {
                format!(" FILTER v.{} {} {}", self.pick(ATTRIBUTES), self.pick(OPERATORS), self.pick(VALUES))
            }
            _ => String::new(),
        };
        let result = self.pick(&[
            "RETURN DISTINCT v._id",
            "RETURN DISTINCT v",
            "COLLECT k = v._id RETURN k",
            "COLLECT AGGREGATE n = MAX(v._key) RETURN n",
            "COLLECT k = v._id WITH COUNT INTO n RETURN [k, n]",
        ]);
        format!(
            "FOR u IN users FOR v, e, p IN {min}..{max} {direction} {start} {edges}{options}{filter} {result}"
        )
    }

    fn path_search(&mut self) -> String {
        let kind =
            self.pick(&["1..3 OUTBOUND K_PATHS", "OUTBOUND K_SHORTEST_PATHS", "ANY ALL_SHORTEST_PATHS"]);
        let edges = self.pick(&["knows", "likes"]);
        let (start, target) = (self.pick(STARTS), self.pick(&["'users/3'", "'users/6'", "'cities/1'"]));
        let mut filters = String::new();
        for _ in 0..=self.below(2) {
            filters += &format!(" FILTER {}", self.quantified());
        }
        let result = self.pick(&["p.edges[*]._key", "p.vertices[*]._key", "p", "p.weight", "1"]);
        format!("FOR u IN cities FOR p IN {kind} {start} TO {target} {edges}{filters} RETURN {result}")
    }

    fn filters(&mut self) -> String {
        let count = 1 + self.below(2);
        (0..count).map(|_| format!(" FILTER {}", self.path_condition())).collect()
    }

    fn path_condition(&mut self) -> String {
        match self.below(9) {
            0 => format!("({} OR {})", self.comparison(), self.comparison()),
            1 => format!("NOT ({})", self.comparison()),
            2 => format!("{} AND {}", self.comparison(), self.comparison()),
            3 | 4 => self.quantified(),
            _ => self.comparison(),
        }
    }

    fn comparison(&mut self) -> String {
        let base = self.pick(&[
            "v",
            "e",
            "p.edges[0]",
            "p.edges[0]",
            "p.edges[1]",
            "p.edges[3]",
            "p.vertices[0]",
            "p.vertices[1]",
            "p.vertices[2]",
            "p.edges[-1]",
            "p.vertices[-1]",
            "p.vertices[-2]",
            "u",
        ]);
        format!("{base}.{} {} {}", self.pick(ATTRIBUTES), self.pick(OPERATORS), self.pick(VALUES))
    }

    fn quantified(&mut self) -> String {
        let base = self.pick(&["p.edges", "p.edges", "p.vertices"]);
        let quantifier =
            self.pick(&["ALL", "ALL", "NONE", "ANY", "AT LEAST (1)", "AT LEAST (2)", "AT LEAST (0)"]);
        let (name, operator, value) = (self.pick(ATTRIBUTES), self.pick(OPERATORS), self.pick(VALUES));
        match self.below(3) {
            0 => format!("{base}[? {quantifier} FILTER CURRENT.{name} {operator} {value}]"),
            _ => format!("{base}[*].{name} {quantifier} {operator} {value}"),
        }
    }
}
