//! `async-prefetch`: marks the nodes that may compute their next batch while the current one is
//! processed.
//!
//! Execution does not read the marks: while a query runs, it decides by the number of idle
//! processors which work is done ahead. Clients see the marks in explain, as ArangoDB shows them.

use aql_plan::{Node, NodeKind, Plan};
use errors::Result;

use super::{Rule, RuleContext};

pub(super) struct AsyncPrefetch;

impl Rule for AsyncPrefetch {
    fn name(&self) -> &'static str {
        "async-prefetch"
    }

    fn description(&self) -> &'static str {
        "Marks the nodes that may compute their next batch ahead. Has no effect on execution."
    }

    fn apply(&self, plan: &mut Plan, _context: &mut RuleContext<'_>) -> Result<bool> {
        if plan.is_modification {
            return Ok(false);
        }
        // A node that reads no more rows than a LIMIT passes must not work ahead, and nothing in
        // subqueries does.
        let nodes = plan.nodes.iter_mut().rev();
        let mut changed = false;
        for node in nodes.take_while(|node| !matches!(node.kind, NodeKind::Limit(_))) {
            node.prefetches = is_eligible(node);
            changed |= node.prefetches;
        }
        Ok(changed)
    }
}

/// Returns true if ArangoDB works ahead at such a node. Its release notes exclude graph searches,
/// but a recorded plan of 3.12 marks a traversal.
fn is_eligible(node: &Node) -> bool {
    match &node.kind {
        NodeKind::Singleton
        | NodeKind::Return(_)
        | NodeKind::Subquery(_)
        | NodeKind::Limit(_)
        | NodeKind::IndexCollect(_)
        | NodeKind::Materialize(_)
        | NodeKind::NearVector(_)
        | NodeKind::ShortestPath(_)
        | NodeKind::EnumeratePaths(_)
        | NodeKind::Insert(_)
        | NodeKind::Update(_)
        | NodeKind::Remove(_)
        | NodeKind::Upsert(_) => false,
        NodeKind::NoResults
        | NodeKind::EnumerateCollection(_)
        | NodeKind::Index(_)
        | NodeKind::EnumerateView(_)
        | NodeKind::EnumerateList(_)
        | NodeKind::Traversal(_)
        | NodeKind::Filter(_)
        | NodeKind::Sort(_)
        | NodeKind::Collect(_)
        | NodeKind::Window(_) => true,
        NodeKind::Calculation(calculation) => calculation.expression.is_deterministic(),
    }
}
