//! `remove-collect-variables`: COLLECT gathers and aggregates only values that are used afterwards.

use std::collections::HashSet;

use aql_plan::{Collect, Expression, IntoContent, Node, NodeKind, Plan, VariableId, reads_of_pipeline};
use errors::Result;

use super::{Rule, RuleContext};
use crate::analysis::demand::is_count;
use crate::analysis::pipeline::for_each_pipeline;

pub(super) struct RemoveCollectVariables;

impl Rule for RemoveCollectVariables {
    fn name(&self) -> &'static str {
        "remove-collect-variables"
    }

    fn description(&self) -> &'static str {
        "Removes unused INTO and AGGREGATE variables of COLLECT, and unused members of INTO."
    }

    fn apply(&self, plan: &mut Plan, context: &mut RuleContext<'_>) -> Result<bool> {
        for_each_pipeline(plan, context.interrupt, &mut |nodes, _| {
            let mut changed = false;
            for position in 0..nodes.len() {
                context.interrupt.check()?;
                let (before, after) = nodes.split_at_mut(position + 1);
                if let Some(NodeKind::Collect(collect)) = before.last_mut().map(|node| &mut node.kind) {
                    changed |= remove_unused(collect, after);
                }
            }
            Ok(changed)
        })
    }
}

fn remove_unused(collect: &mut Collect, after: &[Node]) -> bool {
    let used = reads_of_pipeline(after);
    let counts = (collect.aggregates.len(), collect.kept.len());
    collect.kept.retain(|id| used.contains(*id));
    // A COLLECT without groups needs something to collect.
    let is_needed = collect.groups.is_empty() && collect.into.is_none();
    collect.aggregates.retain(|aggregate| used.contains(aggregate.out) || is_needed);
    let mut changed = collect.aggregates.len() != counts.0 || collect.kept.len() != counts.1;
    if collect.into.as_ref().is_some_and(|into| !used.contains(into.out)) {
        collect.into = None;
        changed = true;
    }
    if let Some(into) = &mut collect.into
        && let IntoContent::Object(members) = &mut into.content
        && let Some(names) = used_members(after, into.out)
    {
        let count = members.len();
        members.retain(|(name, _)| names.contains(&**name));
        changed |= members.len() != count;
    }
    changed
}

/// Returns the names of the used members of the gathered objects, if all uses are `into[*].name` or
/// `LENGTH(into)`.
fn used_members(nodes: &[Node], into: VariableId) -> Option<HashSet<&str>> {
    let mut names = HashSet::new();
    collect_members(nodes, into, &mut names).then_some(names)
}

fn collect_members<'a>(nodes: &'a [Node], into: VariableId, names: &mut HashSet<&'a str>) -> bool {
    nodes.iter().all(|node| {
        let mut only_members = !node.kind.reads_directly(into);
        node.kind.for_each_expression(&mut |expression| {
            only_members = only_members && members_in(expression, into, names);
        });
        match &node.kind {
            NodeKind::Subquery(subquery) => only_members && collect_members(&subquery.nodes, into, names),
            _ => only_members,
        }
    })
}

fn members_in<'a>(expression: &'a Expression, into: VariableId, names: &mut HashSet<&'a str>) -> bool {
    match expression {
        Expression::Variable(id) => *id != into,
        Expression::Expansion(expansion)
            if expansion.input.as_variable() == Some(into) && expansion.levels == 1 =>
        {
            let parts = [&expansion.filter, &expansion.offset, &expansion.limit, &expansion.projection];
            expansion.projection.is_some()
                && parts
                    .into_iter()
                    .flatten()
                    .all(|part| members_in(part, into, names) && members_of(part, expansion.element, names))
        }
        _ if is_count(expression, into) => true,
        _ => {
            let mut only_members = true;
            expression
                .for_each_child(&mut |child| only_members = only_members && members_in(child, into, names));
            only_members
        }
    }
}

/// Adds the names of the attributes of `element` that the expression reads. Returns false if it
/// reads the element as a whole.
fn members_of<'a>(expression: &'a Expression, element: VariableId, names: &mut HashSet<&'a str>) -> bool {
    match expression {
        Expression::Variable(id) => *id != element,
        Expression::Attribute { base, name } if base.as_variable() == Some(element) => {
            names.insert(name);
            true
        }
        _ => {
            let mut only_members = true;
            expression.for_each_child(&mut |child| {
                only_members = only_members && members_of(child, element, names);
            });
            only_members
        }
    }
}
