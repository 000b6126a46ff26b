//! `arangosearch-constrained-sort`: a view that is sorted by scores with a limit finds only the
//! best documents.

use aql_plan::{Expression, Node, NodeKind, Plan, ViewOrder};
use errors::Result;

use super::{Rule, RuleContext};
use crate::analysis::condition::resolve;
use crate::analysis::pipeline::for_each_pipeline;
use crate::analysis::sort_order::{following_limit, runs_once};

pub(super) struct ArangosearchConstrainedSort;

impl Rule for ArangosearchConstrainedSort {
    fn name(&self) -> &'static str {
        "arangosearch-constrained-sort"
    }

    fn description(&self) -> &'static str {
        "Lets views find the documents with the best scores, if a sort by score has a limit."
    }

    fn apply(&self, plan: &mut Plan, context: &mut RuleContext<'_>) -> Result<bool> {
        for_each_pipeline(plan, context.interrupt, &mut |nodes, _| {
            let mut changed = false;
            for position in 0..nodes.len() {
                context.interrupt.check()?;
                let Some((sort, order)) = order_by_scores(nodes, position) else { continue };
                let Some(limit) = following_limit(nodes, sort) else { continue };
                let sorts_all = runs_once(nodes, position);
                if let Some(NodeKind::EnumerateView(view)) =
                    nodes.get_mut(position).map(|node| &mut node.kind)
                {
                    (view.order, view.limit) = (order, Some(limit));
                    changed = true;
                }
                // In a loop, the best documents of each round are sorted with those of the others.
                if sorts_all {
                    nodes.remove(sort);
                }
            }
            Ok(changed)
        })
    }
}

/// Returns the sort of a view's rows by its scores alone, and these; only calculations stand
/// between.
fn order_by_scores(nodes: &[Node], position: usize) -> Option<(usize, Vec<ViewOrder>)> {
    let NodeKind::EnumerateView(view) = &nodes.get(position)?.kind else { return None };
    let mut after = nodes.iter().enumerate().skip(position + 1);
    let (sort, node) = after.find(|(_, node)| match &node.kind {
        NodeKind::Calculation(calculation) => !calculation.expression.is_deterministic(),
        _ => true,
    })?;
    let NodeKind::Sort(elements) = &node.kind else { return None };
    let order = elements.elements.iter().map(|element| {
        let input = resolve(&Expression::Variable(element.input), nodes, position, sort).as_variable()?;
        let score = view.scores.iter().position(|score| score.out == input)?;
        Some(ViewOrder { score, ascending: element.ascending })
    });
    Some((sort, order.collect::<Option<_>>()?))
}
