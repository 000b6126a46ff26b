//! The steps of a plan that are shown, with subqueries spliced in and joined scans as one node.

use aql_plan::{JoinPart, Node, NodeKind, Plan, Variable, VariableSet, for_each_node};

/// A step of a plan as it is shown.
pub(super) enum Step<'a> {
    Node(&'a Node),
    /// Index scans that are joined; at least two.
    Join(&'a [Node]),
    Start {
        singleton: &'a Node,
        subquery: &'a Node,
    },
    End {
        subquery: &'a Node,
    },
}

impl Step<'_> {
    pub(super) fn id(&self) -> u64 {
        let node = match self {
            Self::Node(node) | Self::Start { singleton: node, .. } | Self::End { subquery: node } => {
                Some(*node)
            }
            Self::Join(scans) => scans.last(),
        };
        node.map_or(0, |node| u64::from(node.id.0))
    }

    /// Returns true if explain says that the step computes batches ahead.
    pub(super) fn prefetches(&self) -> bool {
        match self {
            Self::Node(node) => node.prefetches,
            Self::Join(scans) => scans.last().is_some_and(|scan| scan.prefetches),
            Self::Start { .. } | Self::End { .. } => false,
        }
    }
}

fn join_part(node: &Node) -> JoinPart {
    match &node.kind {
        NodeKind::Index(scan) => scan.join,
        _ => JoinPart::None,
    }
}

/// Returns the steps of a plan.
pub(super) fn shown(plan: &Plan) -> Vec<Step<'_>> {
    let mut steps = Vec::new();
    splice(&plan.nodes, &constant_vertices(plan), &mut steps);
    steps
}

/// Returns the variables that hold only constant vertices at which searches begin or end. The
/// searches show the vertices.
fn constant_vertices(plan: &Plan) -> VariableSet {
    let (mut vertices, mut others) = (VariableSet::default(), VariableSet::default());
    for_each_node(&plan.nodes, &mut |node| match &node.kind {
        NodeKind::Traversal(node) => {
            vertices.insert(node.start);
        }
        NodeKind::ShortestPath(node) => {
            vertices.insert(node.start);
            vertices.insert(node.target);
        }
        NodeKind::EnumeratePaths(node) => {
            vertices.insert(node.start);
            vertices.insert(node.target);
        }
        // The nodes of a subquery report its reads.
        NodeKind::Subquery(_) => {}
        kind => others.extend(&kind.reads()),
    });
    let is_constant =
        |variable: &&Variable| variable.constant.as_ref().is_some_and(|value| value.as_str().is_some());
    let mut shown_by_searches = VariableSet::default();
    for variable in plan.variables.iter().filter(is_constant) {
        if vertices.contains(variable.id) && !others.contains(variable.id) {
            shown_by_searches.insert(variable.id);
        }
    }
    shown_by_searches
}

/// Appends the steps of a pipeline. The parser bounds the nesting of subqueries.
fn splice<'a>(nodes: &'a [Node], vertices: &VariableSet, steps: &mut Vec<Step<'a>>) {
    for (position, node) in nodes.iter().enumerate() {
        if matches!(&node.kind, NodeKind::Calculation(calculation) if vertices.contains(calculation.out)) {
            continue;
        }
        let NodeKind::Subquery(subquery) = &node.kind else {
            let rest = nodes.get(position..).unwrap_or_default();
            match join_part(node) {
                JoinPart::None => steps.push(Step::Node(node)),
                JoinPart::First => {
                    let others = rest.iter().skip(1).take_while(|next| join_part(next) == JoinPart::Next);
                    steps.push(Step::Join(rest.get(..=others.count()).unwrap_or_default()));
                }
                JoinPart::Next => {}
            }
            continue;
        };
        if let Some((singleton, inner)) = subquery.nodes.split_first() {
            steps.push(Step::Start { singleton, subquery: node });
            let has_return = matches!(inner.last().map(|last| &last.kind), Some(NodeKind::Return(_)));
            splice(inner.get(..inner.len() - usize::from(has_return)).unwrap_or_default(), vertices, steps);
        }
        steps.push(Step::End { subquery: node });
    }
}
