//! The choice of the indexes that find the edges of a traversal.

use std::collections::BTreeSet;
use std::rc::Rc;

use aql_plan::{
    EdgeAccess, EdgeDirection, EdgeIndexHint, EdgeLookup, Expression, GraphAccess, IndexField, IndexInfo,
    IndexLookup, IndexRange, PathElement, StepCondition, VariableSet,
};
use aql_value::Value;
use errors::Result;

use crate::RuleContext;
use crate::analysis::condition::{
    Atom, AtomOperator, Branch, MAX_BRANCHES, implied_atoms, match_index, normalize,
};
use crate::cost::index::range_items;

/// Sets the lookups of all edges. Returns, for each condition, whether the lookups guarantee it.
pub(super) fn choose(
    graph: &mut GraphAccess,
    conditions: &[StepCondition],
    hints: &[EdgeIndexHint],
    context: &RuleContext<'_>,
) -> Result<Vec<bool>> {
    let conditions = conditions.iter().map(|condition| EdgeCondition::new(condition, context));
    let conditions = conditions.collect::<Result<Vec<EdgeCondition>>>()?;
    let depths: BTreeSet<u64> = conditions.iter().filter_map(|condition| condition.depth).collect();
    for edges in &mut graph.edges {
        let Some(info) = context.catalog.collection(&edges.collection.name) else { continue };
        let chooser = Chooser { edges, hints, indexes: &info.indexes, count: info.count_estimate };
        let base = chooser.choose(None, &conditions);
        let mut at_depth = Vec::new();
        for depth in &depths {
            context.interrupt.check()?;
            at_depth.extend(chooser.choose(Some(*depth), &conditions).map(|lookup| (*depth, lookup)));
        }
        edges.at_depth = at_depth;
        if let Some(base) = base {
            edges.lookup = base;
        }
    }
    let guaranteed = conditions.iter().map(|condition| {
        context.interrupt.check()?;
        Ok(condition.is_guaranteed(graph))
    });
    guaranteed.collect()
}

/// A condition on edges in a form that can be matched against indexes.
struct EdgeCondition {
    depth: Option<u64>,
    /// The atoms that the condition implies; `None` if it is not about edges, or implies no atoms.
    branch: Option<Branch>,
}

impl EdgeCondition {
    fn new(condition: &StepCondition, context: &RuleContext<'_>) -> Result<Self> {
        if condition.element != PathElement::Edge {
            return Ok(Self { depth: None, branch: None });
        }
        let input = VariableSet::from_iter([condition.input]);
        let form = normalize([&condition.condition], condition.input, &input, MAX_BRANCHES, context)?;
        let branch = match form.branches.as_slice() {
            [branch] if !branch.atoms.is_empty() => Some(branch.clone()),
            _ => None,
        };
        Ok(Self { depth: condition.depth, branch })
    }

    /// Returns true if all edges that are found at the condition's depths satisfy it.
    fn is_guaranteed(&self, graph: &GraphAccess) -> bool {
        let Some(branch) = self.branch.as_ref().filter(|branch| branch.is_exact) else { return false };
        graph.edges.iter().all(|edges| {
            let is_implied = |lookup: &EdgeLookup| {
                let known = implied_atoms(&lookup.index, &as_range(edges.direction, lookup));
                // The first atom says which vertex the edges leave, with a placeholder as its
                // value.
                branch.atoms.iter().all(|atom| known.iter().skip(1).any(|known| known.is_same(atom)))
            };
            match self.depth {
                Some(depth) => is_implied(edges.lookup_at(depth)),
                None => {
                    is_implied(&edges.lookup) && edges.at_depth.iter().all(|(_, lookup)| is_implied(lookup))
                }
            }
        })
    }
}

/// The choice for the edges of one collection in one direction.
struct Chooser<'a> {
    edges: &'a EdgeAccess,
    hints: &'a [EdgeIndexHint],
    indexes: &'a [IndexInfo],
    count: u64,
}

impl Chooser<'_> {
    /// Returns the lookup for a depth, or for all depths without their own; `None` if it is no
    /// better than an existing one.
    fn choose(&self, depth: Option<u64>, conditions: &[EdgeCondition]) -> Option<EdgeLookup> {
        let mut atoms = vec![Rc::new(vertex_atom(self.edges.direction))];
        for condition in conditions {
            let applies = condition.depth.is_none() || condition.depth == depth;
            if let Some(branch) = condition.branch.as_ref().filter(|_| applies) {
                atoms.extend(branch.atoms.iter().cloned());
            }
        }
        if atoms.len() == 1 {
            return None;
        }
        let edge_index = EdgeLookup::by_edge_index(self.edges.lookup.index.clone());
        for name in self.hinted(depth) {
            if *name == edge_index.index.name {
                return Some(edge_index);
            }
            let hinted = self.indexes.iter().filter(|index| index.name == *name);
            if let Some(range) = hinted.filter_map(|index| self.lookup(index, &atoms)).next() {
                return Some(range.1);
            }
        }
        let candidates = self.indexes.iter().filter_map(|index| self.lookup(index, &atoms));
        let best = candidates.reduce(|best, next| if next.0 < best.0 { next } else { best });
        best.map(|(_, lookup)| lookup)
    }

    fn hinted(&self, depth: Option<u64>) -> &[Box<str>] {
        let applies = |hint: &&EdgeIndexHint, depth: Option<u64>| {
            hint.collection == self.edges.collection.name
                && hint.direction == self.edges.direction
                && hint.depth == depth
        };
        let own = self.hints.iter().find(|hint| applies(hint, depth));
        let hint = own.or_else(|| self.hints.iter().find(|hint| applies(hint, None)));
        hint.map_or(&[], |hint| &hint.names)
    }

    /// Returns the lookup by a vertex-centric index and its expected number of edges. The index
    /// must have a condition besides the one on the vertex.
    fn lookup(&self, index: &IndexInfo, atoms: &[Rc<Atom>]) -> Option<(f64, EdgeLookup)> {
        let is_suitable = (index.has_leading_fields() || index.prefix_fields() > 0)
            && index.fields.first() == Some(&vertex_field(self.edges.direction))
            && index.has_plain_fields();
        let range = match_index(index, 0, atoms).filter(|_| is_suitable)?;
        let items = range_items(index, &range, self.count);
        let mut lookups = range.lookups.into_iter();
        lookups.next()?;
        let lookups: Vec<IndexLookup> = lookups.collect();
        let IndexRange { lower, upper, search, .. } = range;
        let lookup = EdgeLookup { index: index.clone(), lookups, lower, upper, search };
        (lookup.conditions() > 0).then_some((items, lookup))
    }
}

fn vertex_field(direction: EdgeDirection) -> IndexField {
    IndexField::new(&[direction.vertex_field()], None)
}

/// Returns a placeholder for the condition that the edge leaves the vertex. Its value is not null.
fn vertex_atom(direction: EdgeDirection) -> Atom {
    let value = Expression::Constant(Value::from_str(""));
    Atom { field: vertex_field(direction), operator: AtomOperator::Equal, value }
}

/// Returns the range of edges that the lookup guarantees. A search finds edges beyond its bounds,
/// so it is omitted.
fn as_range(direction: EdgeDirection, lookup: &EdgeLookup) -> IndexRange {
    let vertex = IndexLookup::Equal(vertex_atom(direction).value);
    IndexRange {
        index: 0,
        first_field: 0,
        lookups: std::iter::once(vertex).chain(lookup.lookups.iter().cloned()).collect(),
        lower: lookup.lower.clone(),
        upper: lookup.upper.clone(),
        search: None,
    }
}
