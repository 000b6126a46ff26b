//! Conditions that AND joins: one filter in plans, but filters of their own for most rules where
//! some can move farther up than others.

use std::collections::HashMap;

use aql_plan::{Calculation, Expression, Filter, MAX_NODES, Node, NodeKind, Plan, VariableId, for_each_node};
use aql_value::Interrupt;
use errors::Result;

use super::pipeline::{Workshop, definition, for_each_pipeline, read_counts};

/// Maximum number of conditions joined by AND that become filters of their own.
const MAX_PARTS: usize = 64;

/// Splits filters whose condition is an AND into filters that can move independently.
///
/// Operands that can move equally far up stay one filter, as in ArangoDB, whose plans keep the
/// whole condition in one. The plan does not get more nodes than a query may have; further filters
/// stay whole. Errors: 1500 for a query that was ended.
pub(crate) fn split(plan: &mut Plan, interrupt: &Interrupt) -> Result<()> {
    let mut count = 0;
    for_each_node(&plan.nodes, &mut |_| count += 1);
    for_each_pipeline(plan, interrupt, &mut |nodes, workshop| {
        let mut heights = Heights::default();
        let mut position = 0;
        while position < nodes.len() {
            interrupt.check()?;
            let added = split_at(nodes, position, &heights, workshop, MAX_NODES.saturating_sub(count));
            count += added;
            for node in nodes.iter().skip(position).take(1 + added) {
                heights.pass(node);
            }
            position += 1 + added;
        }
        Ok(false)
    })?;
    Ok(())
}

/// The number of nodes above which filters cannot move, for the variables that they read.
///
/// Calculations do not count: they move along.
#[derive(Default)]
struct Heights {
    /// Nodes passed so far that are no calculations.
    passed: usize,
    /// The height of all filters, whatever they read.
    least: usize,
    of_variables: HashMap<VariableId, usize>,
}

impl Heights {
    fn pass(&mut self, node: &Node) {
        if let NodeKind::Calculation(Calculation { out, expression }) = &node.kind
            && expression.is_deterministic()
        {
            self.of_variables.insert(*out, self.of(expression));
            return;
        }
        self.passed += 1;
        for variable in node.kind.sets() {
            self.of_variables.insert(variable, self.passed);
        }
        if !can_filters_pass(&node.kind) {
            self.least = self.passed;
        }
    }

    fn of(&self, expression: &Expression) -> usize {
        let read = expression.variables();
        let heights =
            self.of_variables.iter().filter(|(id, _)| read.contains(**id)).map(|(_, height)| *height);
        heights.max().unwrap_or(0).max(self.least)
    }
}

/// Returns true if filters that do not read what the node sets can move over it.
pub(crate) fn can_filters_pass(kind: &NodeKind) -> bool {
    match kind {
        NodeKind::Filter(_) => true,
        NodeKind::Calculation(_) | NodeKind::Subquery(_) => kind.is_deterministic(),
        NodeKind::Sort(sort) => sort.limit.is_none(),
        kind => kind.is_loop(),
    }
}

/// Joins neighbors of the same height.
fn groups(operands: Vec<Expression>, heights: &Heights) -> Vec<Expression> {
    let mut groups: Vec<(usize, Vec<Expression>)> = Vec::new();
    for operand in operands {
        let height = heights.of(&operand);
        match groups.last_mut() {
            Some((known, members)) if *known == height => members.push(operand),
            _ => groups.push((height, vec![operand])),
        }
    }
    let joined = groups.into_iter().map(|(_, mut members)| match members.len() {
        1 => members.pop().unwrap_or(Expression::And(Vec::new())),
        _ => Expression::And(members),
    });
    joined.collect()
}

/// Splits the filter at a position if its calculation stands before it. Returns the number of nodes
/// that were added.
///
/// The last part keeps the nodes and the variable, so that [`rejoin`] restores them.
fn split_at(
    nodes: &mut Vec<Node>,
    position: usize,
    heights: &Heights,
    workshop: &mut Workshop<'_>,
    room: usize,
) -> usize {
    let Some(whole) = whole_condition(nodes, position, workshop) else { return 0 };
    let calculation = match position.checked_sub(1).and_then(|before| nodes.get_mut(before)) {
        Some(Node { kind: NodeKind::Calculation(calculation), .. }) => calculation,
        _ => return 0,
    };
    let Expression::And(operands) = &mut calculation.expression else { return 0 };
    if !(2..=MAX_PARTS).contains(&operands.len()) || 2 * (operands.len() - 1) > room {
        return 0;
    }
    let mut first = groups(std::mem::take(operands), heights);
    let Some(last) = first.pop() else { return 0 };
    calculation.expression = last;
    if first.is_empty() {
        return 0;
    }
    let mut is_rule = false;
    if let Some(NodeKind::Filter(filter)) = nodes.get_mut(position).map(|node| &mut node.kind) {
        filter.part_of = Some(whole);
        is_rule = filter.is_rule;
    }
    let added = first.into_iter().flat_map(|operand| {
        let (condition, calculation) = workshop.calculation(operand);
        let filter = workshop.node(NodeKind::Filter(Filter { condition, part_of: Some(whole), is_rule }));
        [calculation, filter]
    });
    let added: Vec<Node> = added.collect();
    let count = added.len();
    nodes.splice(position - 1..position - 1, added);
    count
}

/// Returns the condition of the filter at a position, unless the query has a name for it.
fn whole_condition(nodes: &[Node], position: usize, workshop: &Workshop<'_>) -> Option<VariableId> {
    let NodeKind::Filter(Filter { condition, part_of: None, .. }) = nodes.get(position)?.kind else {
        return None;
    };
    let before = nodes.get(position.checked_sub(1)?)?;
    let is_named = workshop.variables.get(condition).is_none_or(|variable| variable.is_user_defined());
    (before.kind.sets_variable(condition) && !is_named).then_some(condition)
}

/// Joins filters again that [`split`] made of one, where they follow each other.
///
/// The pipeline is that of a query or subquery. Errors: 1500 for a query that was ended.
pub(crate) fn rejoin(nodes: &mut Vec<Node>, interrupt: &Interrupt) -> Result<()> {
    let counts = read_counts(nodes);
    let mut position = 0;
    while position < nodes.len() {
        interrupt.check()?;
        match next_part(nodes, position, &counts) {
            Some(parts) => {
                join(nodes, &parts);
                // The joined filter stands after the filter that was at this position.
                position = parts.second.saturating_sub(2);
            }
            None => position += 1,
        }
    }
    for node in nodes {
        if let NodeKind::Filter(filter) = &mut node.kind {
            filter.part_of = None;
        }
    }
    Ok(())
}

/// The positions of two filters of one condition, and of their calculations.
struct Parts {
    first: usize,
    first_calculation: usize,
    second: usize,
    second_calculation: usize,
}

/// Returns the filter at a position and the next part of the same condition.
///
/// Only the calculation of the latter may be between them, and only filters and calculations
/// between these and their own calculations.
fn next_part(nodes: &[Node], first: usize, counts: &HashMap<VariableId, usize>) -> Option<Parts> {
    let (part, first_calculation) = own_calculation(nodes, first, counts)?;
    let is_calculation = matches!(nodes.get(first + 1)?.kind, NodeKind::Calculation(_));
    let second = first + 1 + usize::from(is_calculation);
    let (next, second_calculation) = own_calculation(nodes, second, counts)?;
    let is_between = !is_calculation || second_calculation == first + 1;
    (part == next && is_between).then_some(Parts { first, first_calculation, second, second_calculation })
}

/// Returns the condition that the filter at a position is a part of, and the position of the
/// calculation that only this filter reads.
fn own_calculation(
    nodes: &[Node],
    position: usize,
    counts: &HashMap<VariableId, usize>,
) -> Option<(VariableId, usize)> {
    let NodeKind::Filter(Filter { condition, part_of: Some(whole), .. }) = nodes.get(position)?.kind else {
        return None;
    };
    let (calculation, _) = definition(nodes, condition).filter(|_| counts.get(&condition) == Some(&1))?;
    let mut between = nodes.iter().take(position).skip(calculation + 1);
    let is_near = calculation < position
        && between.all(|node| matches!(node.kind, NodeKind::Calculation(_) | NodeKind::Filter(_)));
    is_near.then_some((whole, calculation))
}

/// Moves both conditions into one calculation before the second filter.
///
/// AND evaluates its second operand only if the first is true, just as the second filter sees only
/// rows that pass the first.
fn join(nodes: &mut Vec<Node>, parts: &Parts) {
    let take =
        |nodes: &mut Vec<Node>, position: usize| match nodes.get_mut(position).map(|node| &mut node.kind) {
            Some(NodeKind::Calculation(Calculation { expression, .. })) => {
                std::mem::replace(expression, Expression::And(Vec::new())).into_conjuncts()
            }
            _ => Vec::new(),
        };
    let mut both = take(nodes, parts.first_calculation);
    both.extend(take(nodes, parts.second_calculation));
    if let Some(NodeKind::Calculation(calculation)) =
        nodes.get_mut(parts.second_calculation).map(|node| &mut node.kind)
    {
        calculation.expression = Expression::And(both);
    }
    let calculation = nodes.remove(parts.second_calculation);
    // The second filter has moved up by one.
    nodes.insert(parts.second - 1, calculation);
    let mut gone = [parts.first, parts.first_calculation].map(|position| {
        // Positions between the calculation's old place and the second filter have moved as well.
        if position > parts.second_calculation { position - 1 } else { position }
    });
    gone.sort_unstable();
    for position in gone.into_iter().rev() {
        nodes.remove(position);
    }
}
