//! `remove-unnecessary-calculations`: drops calculations and subqueries that nobody reads, and
//! inlines calculations that one other calculation reads once.

use std::collections::HashMap;

use aql_plan::{Calculation, Expression, Node, NodeKind, Plan, VariableId, VariableSet};
use aql_value::Interrupt;
use errors::Result;

use super::{Rule, RuleContext};
use crate::analysis::pipeline::{for_each_pipeline, read_counts};

pub(super) struct RemoveUnnecessaryCalculations {
    pub(super) name: &'static str,
}

/// The maximum number of operations of an inlined expression, and of its result. It bounds the
/// depth.
const MAX_INLINED_SIZE: usize = 100;

impl Rule for RemoveUnnecessaryCalculations {
    fn name(&self) -> &'static str {
        self.name
    }

    fn description(&self) -> &'static str {
        "Removes calculations whose result is not used and merges calculations that are used once."
    }

    fn apply(&self, plan: &mut Plan, context: &mut RuleContext<'_>) -> Result<bool> {
        for_each_pipeline(plan, context.interrupt, &mut |nodes, _| {
            let aliased = remove_aliases(nodes, context.interrupt)?;
            let removed = remove_unread(nodes);
            let inlined = inline_read_once(nodes, context.interrupt)?;
            Ok(aliased | removed | inlined)
        })
    }
}

/// Replaces variables that are only copies: their readers read the original.
fn remove_aliases(nodes: &mut [Node], interrupt: &Interrupt) -> Result<bool> {
    let mut names: HashMap<VariableId, VariableId> = HashMap::new();
    let mut found = false;
    for node in nodes {
        interrupt.check()?;
        if !names.is_empty() {
            node.kind.rename_reads(&|id| names.get(&id).copied().unwrap_or(id));
        }
        if let NodeKind::Calculation(Calculation { out, expression: Expression::Variable(original) }) =
            &node.kind
        {
            names.insert(*out, *original);
            found = true;
        }
    }
    Ok(found)
}

fn remove_unread(nodes: &mut Vec<Node>) -> bool {
    let count = nodes.len();
    let mut read = VariableSet::default();
    let mut kept = Vec::with_capacity(count);
    while let Some(node) = nodes.pop() {
        let is_unread = match &node.kind {
            NodeKind::Calculation(calculation) => !read.contains(calculation.out),
            NodeKind::Subquery(subquery) => !read.contains(subquery.out),
            _ => false,
        };
        if is_unread && is_removable(&node.kind) {
            continue;
        }
        node.kind.collect_reads(&mut read);
        kept.push(node);
    }
    kept.reverse();
    *nodes = kept;
    nodes.len() != count
}

/// Returns true if the node's only effect is to set variables.
fn is_removable(kind: &NodeKind) -> bool {
    match kind {
        NodeKind::Calculation(calculation) => calculation.expression.is_repeatable(),
        kind => kind.is_deterministic(),
    }
}

/// Merges from the end, so that chains of calculations merge into their last one.
fn inline_read_once(nodes: &mut Vec<Node>, interrupt: &Interrupt) -> Result<bool> {
    let counts = read_counts(nodes);
    let mut changed = false;
    for from in (1..nodes.len()).rev() {
        interrupt.check()?;
        let Some(NodeKind::Calculation(calculation)) = nodes.get(from).map(|node| &node.kind) else {
            continue;
        };
        let is_read_once = counts.get(&calculation.out) == Some(&1);
        let size = calculation.expression.size_within(MAX_INLINED_SIZE);
        let is_constant = calculation.expression.is_fixed();
        if !is_read_once
            || is_constant
            || size >= MAX_INLINED_SIZE
            || !calculation.expression.is_deterministic()
        {
            continue;
        }
        let (id, expression) = (calculation.out, calculation.expression.clone());
        if let Some(target) = reader(nodes, from, id, size) {
            target.replace_variable(id, &expression);
            nodes.remove(from);
            changed = true;
        }
    }
    Ok(changed)
}

/// Returns the expression of the calculation that reads the variable, if it can take over the work.
/// It must be in the same pipeline and loop, and read the variable once per row.
fn reader(nodes: &mut [Node], from: usize, id: VariableId, size: usize) -> Option<&mut Expression> {
    for node in nodes.iter_mut().skip(from + 1) {
        if node.kind.is_loop() || node.kind.is_grouping() || node.kind.is_modification() {
            return None;
        }
        if let NodeKind::Calculation(calculation) = &mut node.kind
            && calculation.expression.reads(id)
        {
            let grown = size + calculation.expression.size_within(MAX_INLINED_SIZE);
            let is_fit = grown < MAX_INLINED_SIZE && reads_outside_expansions(&calculation.expression, id);
            return is_fit.then_some(&mut calculation.expression);
        }
    }
    None
}

/// Returns true if the variable is read outside of expansions, which would evaluate it for each
/// element of an array instead of once per row.
fn reads_outside_expansions(expression: &Expression, id: VariableId) -> bool {
    match expression {
        Expression::Variable(own) => *own == id,
        Expression::Expansion(expansion) => reads_outside_expansions(&expansion.input, id),
        Expression::ArrayQuestion(question) => reads_outside_expansions(&question.input, id),
        _ => {
            let mut found = false;
            expression.for_each_child(&mut |child| found = found || reads_outside_expansions(child, id));
            found
        }
    }
}
