//! Liveness: the variables that are read after each node.

use aql_plan::{Node, VariableSet};

use super::fuse::Fused;

/// Returns for each node of a pipeline the variables that later nodes read.
///
/// Variables that the node sets itself are among them.
pub(super) fn live_after(nodes: &[Node], fused: &[Fused<'_>]) -> Vec<VariableSet> {
    let mut live = VariableSet::default();
    let mut after = Vec::with_capacity(nodes.len());
    for (node, fused) in nodes.iter().zip(fused).rev() {
        after.push(live.clone());
        if matches!(fused, Fused::Skip) {
            continue;
        }
        node.kind.sets().into_iter().for_each(|id| {
            live.remove(id);
        });
        node.kind.collect_reads(&mut live);
        match fused {
            Fused::Filter { condition, .. } => condition.collect_variables(&mut live),
            Fused::Range { first, last, .. } => {
                first.collect_variables(&mut live);
                last.collect_variables(&mut live);
            }
            Fused::Rows { arguments, .. } => {
                arguments.iter().for_each(|argument| argument.collect_variables(&mut live));
            }
            Fused::CountedScan { count } => {
                live.remove(*count);
            }
            Fused::Node | Fused::Skip => {}
        }
    }
    after.reverse();
    after
}
