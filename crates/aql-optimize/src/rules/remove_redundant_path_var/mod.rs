//! `remove-redundant-path-var`: traversals and shortest paths set only the variables that are read,
//! and make only the parts of a path that are read.
//!
//! If only distinct vertices are needed, they do not follow every path.

mod reachable;

use aql_plan::{Node, NodeKind, PathOutput, Plan, ShortestPath, Traversal, VariableId, reads_of_pipeline};
use errors::Result;

use super::{Rule, RuleContext};
use crate::analysis::path::{parts_read_by, parts_read_in};
use crate::analysis::pipeline::for_each_pipeline;

pub(super) struct RemoveRedundantPathVar;

impl Rule for RemoveRedundantPathVar {
    fn name(&self) -> &'static str {
        "remove-redundant-path-var"
    }

    fn description(&self) -> &'static str {
        "Leaves out the variables of a traversal, and parts of its path, that are not used."
    }

    fn apply(&self, plan: &mut Plan, context: &mut RuleContext<'_>) -> Result<bool> {
        for_each_pipeline(plan, context.interrupt, &mut |nodes, _| {
            let mut changed = false;
            for position in 0..nodes.len() {
                context.interrupt.check()?;
                let (before, after) = nodes.split_at_mut(position + 1);
                changed |= match before.last_mut().map(|node| &mut node.kind) {
                    Some(NodeKind::Traversal(node)) => {
                        reduce_traversal(node, after) | reachable::visit_once(node, after)
                    }
                    Some(NodeKind::ShortestPath(node)) => reduce_shortest_path(node, after),
                    _ => false,
                };
            }
            Ok(changed)
        })
    }
}

fn reduce_traversal(node: &mut Traversal, after: &[Node]) -> bool {
    let reads = reads_of_pipeline(after);
    let filter = &node.output_filter;
    let is_read =
        |id: &VariableId| reads.contains(*id) || filter.as_ref().is_some_and(|filter| filter.reads(*id));
    let outputs = (node.vertex_out.filter(is_read), node.edge_out.filter(is_read));
    let path = node.path.and_then(|path| {
        let read = parts_read_by(after, path.out);
        let (vertices, edges, weights) = (read.vertices, read.edges, read.weights);
        read.any.then_some(PathOutput { out: path.out, vertices, edges, weights })
    });
    let mut changed = (node.vertex_out, node.edge_out) != outputs || node.path != path;
    (node.vertex_out, node.edge_out) = outputs;
    node.path = path;
    if let Some(prune) = &mut node.prune {
        changed |= prune.out.is_some_and(|out| !reads.contains(out));
        prune.out = prune.out.filter(|out| reads.contains(*out));
        if let Some(path) = &mut prune.path {
            let read = parts_read_in(&prune.condition, path.out);
            let (vertices, edges, weights) = (read.vertices, read.edges, read.weights);
            let reduced = PathOutput { out: path.out, vertices, edges, weights };
            changed |= reduced != *path;
            *path = reduced;
        }
    }
    changed
}

fn reduce_shortest_path(node: &mut ShortestPath, after: &[Node]) -> bool {
    let reads = reads_of_pipeline(after);
    let is_read = |id: &VariableId| reads.contains(*id);
    let outputs = (node.vertex_out.filter(is_read), node.edge_out.filter(is_read));
    let changed = (node.vertex_out, node.edge_out) != outputs;
    (node.vertex_out, node.edge_out) = outputs;
    changed
}
