//! `optimize-paths`: a path search makes only those parts of its paths that are read.

use aql_plan::{NodeKind, PathOutput, Plan};
use errors::Result;

use super::{Rule, RuleContext};
use crate::analysis::path::parts_read_by;
use crate::analysis::pipeline::for_each_pipeline;

pub(super) struct OptimizePaths;

impl Rule for OptimizePaths {
    fn name(&self) -> &'static str {
        "optimize-paths"
    }

    fn description(&self) -> &'static str {
        "Makes only those parts of the paths of a path search that are used, which may save fetching vertices."
    }

    fn apply(&self, plan: &mut Plan, context: &mut RuleContext<'_>) -> Result<bool> {
        for_each_pipeline(plan, context.interrupt, &mut |nodes, _| {
            let mut changed = false;
            for position in 0..nodes.len() {
                context.interrupt.check()?;
                let (before, after) = nodes.split_at_mut(position + 1);
                if let Some(NodeKind::EnumeratePaths(node)) = before.last_mut().map(|node| &mut node.kind) {
                    let out = node.path.out;
                    let read = parts_read_by(after, out);
                    let (vertices, edges, weights) = (read.vertices, read.edges, read.weights);
                    let path = PathOutput { out, vertices, edges, weights };
                    changed |= path != node.path;
                    node.path = path;
                }
            }
            Ok(changed)
        })
    }
}
