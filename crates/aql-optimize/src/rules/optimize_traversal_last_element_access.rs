//! `optimize-traversal-last-element-access`: reads the vertex and edge variables of a traversal
//! instead of the last elements of its path.

use aql_plan::{Expression, Node, NodeKind, PathElement, Plan, Traversal, VariableId};
use errors::Result;

use super::{Rule, RuleContext};
use crate::analysis::path::replace_elements;
use crate::analysis::pipeline::{Workshop, for_each_pipeline};

pub(super) struct OptimizeTraversalLastElementAccess;

impl Rule for OptimizeTraversalLastElementAccess {
    fn name(&self) -> &'static str {
        "optimize-traversal-last-element-access"
    }

    fn description(&self) -> &'static str {
        "Reads the vertex and edge variables of a traversal instead of the last vertex and edge of its path."
    }

    fn apply(&self, plan: &mut Plan, context: &mut RuleContext<'_>) -> Result<bool> {
        for_each_pipeline(plan, context.interrupt, &mut |nodes, workshop| {
            let mut changed = false;
            for position in 0..nodes.len() {
                context.interrupt.check()?;
                let (before, after) = nodes.split_at_mut(position + 1);
                if let Some(NodeKind::Traversal(node)) = before.last_mut().map(|node| &mut node.kind) {
                    changed |= replace_last_elements(node, after, workshop);
                }
            }
            Ok(changed)
        })
    }
}

fn replace_last_elements(node: &mut Traversal, after: &mut [Node], workshop: &mut Workshop<'_>) -> bool {
    let Some(path) = node.path.map(|path| path.out) else { return false };
    let (mut vertex, mut edge) = (node.vertex_out, node.edge_out);
    let mut last = |element: PathElement, position: i64| {
        let variable = match element {
            PathElement::Vertex => &mut vertex,
            PathElement::Edge => &mut edge,
        };
        let mut variable = || *variable.get_or_insert_with(|| workshop.variables.add_temporary());
        (position == -1).then(|| Expression::Variable(variable()))
    };
    let mut changed = replace_in(after, path, &mut last);
    if let Some(prune) = &mut node.prune
        && replace_elements(&mut prune.condition, path, &mut last)
    {
        changed = true;
        let reads = |id: &VariableId| prune.condition.reads(*id);
        (prune.vertex, prune.edge) = (vertex.filter(reads), edge.filter(reads));
        prune.path = prune.path.filter(|path| reads(&path.out));
    }
    (node.vertex_out, node.edge_out) = (vertex, edge);
    changed
}

fn replace_in(
    nodes: &mut [Node],
    path: VariableId,
    last: &mut dyn FnMut(PathElement, i64) -> Option<Expression>,
) -> bool {
    let mut changed = false;
    for node in nodes {
        node.kind
            .for_each_expression_mut(&mut |expression| changed |= replace_elements(expression, path, last));
        if let NodeKind::Subquery(subquery) = &mut node.kind {
            changed |= replace_in(&mut subquery.nodes, path, last);
        }
    }
    changed
}
