//! `inline-subqueries`: merges a loop over the result of a subquery into the surrounding query, so
//! that the result is never built.

use aql_plan::{Calculation, EnumerateList, Expression, Node, NodeKind, Plan};
use errors::Result;

use super::{Rule, RuleContext};
use crate::analysis::pipeline::{Workshop, for_each_pipeline, read_counts};

pub(super) struct InlineSubqueries;

impl Rule for InlineSubqueries {
    fn name(&self) -> &'static str {
        "inline-subqueries"
    }

    fn description(&self) -> &'static str {
        "Merges subqueries whose result is only looped over into the query around them."
    }

    fn apply(&self, plan: &mut Plan, context: &mut RuleContext<'_>) -> Result<bool> {
        for_each_pipeline(plan, context.interrupt, &mut |nodes, workshop| {
            let mut changed = false;
            while inline_one(nodes, workshop) {
                context.interrupt.check()?;
                changed = true;
            }
            Ok(changed)
        })
    }
}

fn inline_one(nodes: &mut Vec<Node>, workshop: &mut Workshop<'_>) -> bool {
    let Some((subquery_at, loop_at)) = find(nodes) else { return false };
    let enumeration = nodes.remove(loop_at);
    let removed = nodes.remove(subquery_at);
    let (NodeKind::EnumerateList(EnumerateList { out, .. }), NodeKind::Subquery(subquery)) =
        (enumeration.kind, removed.kind)
    else {
        return false;
    };
    let mut inner = subquery.nodes;
    let Some(NodeKind::Return(last)) = inner.pop().map(|node| node.kind) else { return false };
    inner.remove(0);
    let value = Calculation { out, expression: Expression::Variable(last.input) };
    inner.push(workshop.node(NodeKind::Calculation(value)));
    let position = loop_at - 1;
    let outer: Vec<_> = nodes.iter().take(position).flat_map(|node| node.kind.sets()).collect();
    for node in &mut inner {
        // A COLLECT of the subquery does not end the variables of the surrounding query.
        if let NodeKind::Collect(collect) = &mut node.kind {
            collect.kept.extend(&outer);
        }
    }
    nodes.splice(position..position, inner);
    true
}

/// Returns the positions of a subquery and of the loop over its result that can be merged.
fn find(nodes: &[Node]) -> Option<(usize, usize)> {
    let counts = read_counts(nodes);
    nodes.iter().enumerate().find_map(|(subquery_at, node)| {
        let NodeKind::Subquery(subquery) = &node.kind else { return None };
        let is_eligible = subquery.run_if.is_none()
            && !node.kind.is_modification()
            && counts.get(&subquery.out) == Some(&1)
            && matches!(subquery.nodes.last().map(|node| &node.kind), Some(NodeKind::Return(_)));
        if !is_eligible {
            return None;
        }
        let rest = nodes.iter().enumerate().skip(subquery_at + 1);
        let (loop_at, _) =
            rest.take_while(|(_, node)| is_passed(node)).find(|(_, node)| match &node.kind {
                NodeKind::EnumerateList(list) => list.input == subquery.out && list.filter.is_none(),
                _ => false,
            })?;
        let runs_once = nodes.iter().take(subquery_at).all(|node| yields_one_row(&node.kind));
        (runs_once || subquery.nodes.iter().all(works_row_by_row)).then_some((subquery_at, loop_at))
    })
}

/// Returns true for nodes that may lie between the subquery and its loop, and for the loop itself.
fn is_passed(node: &Node) -> bool {
    match &node.kind {
        NodeKind::Calculation(_) | NodeKind::Subquery(_) => node.kind.is_deterministic(),
        NodeKind::EnumerateList(_) => true,
        _ => false,
    }
}

fn yields_one_row(kind: &NodeKind) -> bool {
    match kind {
        NodeKind::Singleton | NodeKind::Calculation(_) => true,
        NodeKind::Subquery(_) => !kind.is_modification(),
        _ => false,
    }
}

/// Returns true for nodes that treat the rows of several runs like those of one run.
fn works_row_by_row(node: &Node) -> bool {
    match &node.kind {
        NodeKind::Sort(_) | NodeKind::Limit(_) | NodeKind::Collect(_) | NodeKind::NoResults => false,
        kind => !kind.is_modification(),
    }
}
