//! `remove-unnecessary-filters`: drops filters on what is always true; what is always false yields no results.

use super::{Rule, RuleContext};
use crate::expression::Expression;
use crate::node::NodeKind;
use crate::optimize::pipeline::{constants, for_each_pipeline};
use crate::plan::Plan;
use aql_value::Result;

pub(super) struct RemoveUnnecessaryFilters {
    pub(super) name: &'static str,
}

impl Rule for RemoveUnnecessaryFilters {
    fn name(&self) -> &'static str {
        self.name
    }

    fn description(&self) -> &'static str {
        "Removes filters that are always true and replaces filters that are always false by an empty result."
    }

    fn apply(&self, plan: &mut Plan, _context: &mut RuleContext<'_>) -> Result<bool> {
        let constants = constants(&plan.nodes);
        for_each_pipeline(plan, &mut |nodes, _| {
            let count = nodes.len();
            let mut replaced = false;
            nodes.retain_mut(|node| {
                let NodeKind::Filter { condition } = &node.kind else { return true };
                let constant = constants.get(condition).and_then(Expression::as_constant);
                match constant.map(aql_value::Value::to_bool) {
                    Some(true) => false,
                    Some(false) => {
                        node.kind = NodeKind::NoResults;
                        replaced = true;
                        true
                    }
                    None => true,
                }
            });
            Ok(replaced || nodes.len() != count)
        })
    }
}
