//! `replace-entries-with-object-iteration`: lets `FOR [key, value] IN ENTRIES(object)` loop over
//! the object itself, without an array of pairs.

use aql_plan::{Expression, Node, NodeKind, ObjectMembers, Plan, VariableId, for_each_node};
use aql_value::Value;
use errors::Result;

use super::{Rule, RuleContext};
use crate::analysis::pipeline::{Workshop, definition, for_each_pipeline, read_counts};

pub(super) struct ReplaceEntriesWithObjectIteration;

impl Rule for ReplaceEntriesWithObjectIteration {
    fn name(&self) -> &'static str {
        "replace-entries-with-object-iteration"
    }

    fn description(&self) -> &'static str {
        "Loops over the attributes of objects instead of the result of ENTRIES()."
    }

    fn apply(&self, plan: &mut Plan, context: &mut RuleContext<'_>) -> Result<bool> {
        for_each_pipeline(plan, context.interrupt, &mut |nodes, workshop| {
            let mut changed = false;
            for position in 0..nodes.len() {
                context.interrupt.check()?;
                changed |= replace(nodes, position, workshop).is_some();
            }
            Ok(changed)
        })
    }
}

fn replace(nodes: &mut [Node], position: usize, workshop: &mut Workshop<'_>) -> Option<()> {
    let NodeKind::EnumerateList(list) = &nodes.get(position)?.kind else { return None };
    let (input, pair) = (list.input, list.out);
    let (defined_at, object) = entries_of(nodes, input)?;
    let counts = read_counts(nodes);
    let mut reads = 0;
    for_each_node(nodes, &mut |node| {
        node.kind.for_each_expression(&mut |expression| reads += count_parts(expression, pair));
    });
    let is_for_loop_alone = list.filter.is_none() && list.object.is_none() && counts.get(&input) == Some(&1);
    if !is_for_loop_alone || defined_at > position || counts.get(&pair).copied().unwrap_or(0) != reads {
        return None;
    }
    let members =
        ObjectMembers { key: workshop.variables.add_temporary(), value: workshop.variables.add_temporary() };
    replace_in_nodes(nodes, pair, members);
    if let Some(NodeKind::Calculation(calculation)) = nodes.get_mut(defined_at).map(|node| &mut node.kind) {
        calculation.expression = object;
    }
    if let Some(NodeKind::EnumerateList(list)) = nodes.get_mut(position).map(|node| &mut node.kind) {
        list.object = Some(members);
    }
    Some(())
}

/// Returns the position at which a variable is set to the entries of a variable or attribute, and
/// that variable or attribute.
fn entries_of(nodes: &[Node], id: VariableId) -> Option<(usize, Expression)> {
    let (position, expression) = definition(nodes, id)?;
    match expression {
        Expression::Call { function, arguments } if function.name == "ENTRIES" => {
            let object = arguments.first().filter(|object| object.as_attribute_path().is_some())?;
            Some((position, object.clone()))
        }
        _ => None,
    }
}

/// Returns the index of `pair[0]` or `pair[1]`.
fn part(expression: &Expression, pair: VariableId) -> Option<i64> {
    match expression {
        Expression::Index { base, index } if base.as_variable() == Some(pair) => match index.as_constant() {
            Some(Value::Int(position @ (0 | 1))) => Some(*position),
            _ => None,
        },
        _ => None,
    }
}

fn count_parts(expression: &Expression, pair: VariableId) -> usize {
    if part(expression, pair).is_some() {
        return 1;
    }
    let mut count = 0;
    expression.for_each_child(&mut |child| count += count_parts(child, pair));
    count
}

fn replace_in_nodes(nodes: &mut [Node], pair: VariableId, members: ObjectMembers) {
    for node in nodes {
        node.kind.for_each_expression_mut(&mut |expression| replace_parts(expression, pair, members));
        if let NodeKind::Subquery(subquery) = &mut node.kind {
            replace_in_nodes(&mut subquery.nodes, pair, members);
        }
    }
}

fn replace_parts(expression: &mut Expression, pair: VariableId, members: ObjectMembers) {
    match part(expression, pair) {
        Some(0) => *expression = Expression::Variable(members.key),
        Some(_) => *expression = Expression::Variable(members.value),
        None => expression.for_each_child_mut(&mut |child| replace_parts(child, pair, members)),
    }
}
