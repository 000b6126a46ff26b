//! `materialize-into-separate-variable`: documents that are fetched late, or their attributes, have
//! variables of their own.
//!
//! This is always so; the rule reports it to clients.

use aql_plan::{NodeKind, Plan, for_each_node};
use errors::Result;

use super::{Rule, RuleContext};

pub(super) struct MaterializeIntoSeparateVariable;

impl Rule for MaterializeIntoSeparateVariable {
    fn name(&self) -> &'static str {
        "materialize-into-separate-variable"
    }

    fn description(&self) -> &'static str {
        "Gives documents that are fetched late, or their attributes, variables of their own."
    }

    fn can_be_disabled(&self) -> bool {
        false
    }

    fn apply(&self, plan: &mut Plan, _context: &mut RuleContext<'_>) -> Result<bool> {
        let mut found = false;
        for_each_node(&plan.nodes, &mut |node| {
            found |= matches!(node.kind, NodeKind::Materialize(_));
        });
        Ok(found)
    }
}
