//! Help for rules: visits of the pipelines of a plan, and searches in them.

use std::collections::HashMap;

use aql_plan::{
    AggregateFunction, Calculation, Expression, Node, NodeId, NodeKind, Plan, VariableId, VariableSet,
    Variables, combine, for_each_node,
};
use aql_value::Interrupt;
use errors::Result;

/// The parts of a plan that rules change besides the nodes of a pipeline.
pub(crate) struct Workshop<'a> {
    pub(crate) variables: &'a mut Variables,
    next_node_id: &'a mut u32,
}

impl Workshop<'_> {
    /// Creates a node with a new number.
    pub(crate) fn node(&mut self, kind: NodeKind) -> Node {
        let id = NodeId(*self.next_node_id);
        *self.next_node_id += 1;
        Node { id, kind, prefetches: false, estimated_cost: 0.0, estimated_items: 0 }
    }

    /// Creates a node that sets a new variable.
    pub(crate) fn calculation(&mut self, expression: Expression) -> (VariableId, Node) {
        let out = self.variables.add_temporary();
        (out, self.node(NodeKind::Calculation(Calculation { out, expression })))
    }
}

/// Calls `visit` with every pipeline of the plan, subqueries before the pipeline around them.
///
/// Returns true if any call did. Errors: those of `visit`, and 1500 for a query that was ended. A
/// visit whose time grows faster than the pipeline must check the interrupt itself.
pub(crate) fn for_each_pipeline(
    plan: &mut Plan,
    interrupt: &Interrupt,
    visit: &mut dyn FnMut(&mut Vec<Node>, &mut Workshop<'_>) -> Result<bool>,
) -> Result<bool> {
    let mut workshop = Workshop { variables: &mut plan.variables, next_node_id: &mut plan.next_node_id };
    visit_pipeline(&mut plan.nodes, &mut workshop, interrupt, visit)
}

fn visit_pipeline(
    nodes: &mut Vec<Node>,
    workshop: &mut Workshop<'_>,
    interrupt: &Interrupt,
    visit: &mut dyn FnMut(&mut Vec<Node>, &mut Workshop<'_>) -> Result<bool>,
) -> Result<bool> {
    let mut changed = false;
    for node in nodes.iter_mut() {
        if let NodeKind::Subquery(subquery) = &mut node.kind {
            changed |= visit_pipeline(&mut subquery.nodes, workshop, interrupt, visit)?;
        }
    }
    interrupt.check()?;
    Ok(changed | visit(nodes, workshop)?)
}

/// Calls `rewrite` with every whole expression of the plan; `rewrite` visits the parts itself.
///
/// Returns true if any call did.
pub(crate) fn rewrite_expressions(
    plan: &mut Plan,
    interrupt: &Interrupt,
    rewrite: &mut dyn FnMut(&mut Expression) -> Result<bool>,
) -> Result<bool> {
    for_each_pipeline(plan, interrupt, &mut |nodes, _| {
        let mut changed = Ok(false);
        for node in nodes {
            interrupt.check()?;
            node.kind.for_each_expression_mut(&mut |expression| {
                combine(&mut changed, || rewrite(expression));
            });
        }
        changed
    })
}

/// Returns the calculation that sets the variable, and its position, in this pipeline.
pub(crate) fn definition(nodes: &[Node], id: VariableId) -> Option<(usize, &Expression)> {
    nodes.iter().enumerate().find_map(|(position, node)| match &node.kind {
        NodeKind::Calculation(calculation) if calculation.out == id => {
            Some((position, &calculation.expression))
        }
        _ => None,
    })
}

/// Returns the variables of a plan that are constants or open parameters, with their expressions.
pub(crate) fn constants(nodes: &[Node]) -> HashMap<VariableId, Expression> {
    let mut constants = HashMap::new();
    for_each_node(nodes, &mut |node| {
        if let NodeKind::Calculation(Calculation { out, expression }) = &node.kind
            && expression.is_fixed()
        {
            constants.insert(*out, expression.clone());
        }
    });
    constants
}

/// Returns the variables of a plan that always hold arrays.
pub(crate) fn arrays(nodes: &[Node]) -> VariableSet {
    let mut arrays = VariableSet::default();
    for_each_node(nodes, &mut |node| match &node.kind {
        NodeKind::Calculation(calculation) if calculation.expression.is_array() => {
            arrays.insert(calculation.out);
        }
        NodeKind::Subquery(subquery) => {
            arrays.insert(subquery.out);
        }
        NodeKind::Collect(collect) => {
            collect.into.iter().for_each(|into| {
                arrays.insert(into.out);
            });
            let lists = [AggregateFunction::Unique, AggregateFunction::SortedUnique, AggregateFunction::Push];
            for aggregate in collect.aggregates.iter().filter(|aggregate| lists.contains(&aggregate.function))
            {
                arrays.insert(aggregate.out);
            }
        }
        _ => {}
    });
    arrays
}

/// Returns how often the nodes of a pipeline and its subqueries read each variable. An expression
/// that reads it twice counts twice.
pub(crate) fn read_counts(nodes: &[Node]) -> HashMap<VariableId, usize> {
    let mut counts = HashMap::new();
    for_each_node(nodes, &mut |node| {
        node.kind.for_each_expression(&mut |expression| count_reads(expression, &mut counts));
        node.kind.for_each_direct_read(&mut |id| *counts.entry(id).or_default() += 1);
    });
    counts
}

fn count_reads(expression: &Expression, counts: &mut HashMap<VariableId, usize>) {
    if let Expression::Variable(id) = expression {
        *counts.entry(*id).or_default() += 1;
    }
    expression.for_each_child(&mut |child| count_reads(child, counts));
}

/// Returns true if other nodes can move over this one as far as their variables allow.
///
/// The node keeps the number and order of rows, has no effects, and does not depend on all rows.
pub(crate) fn is_transparent(kind: &NodeKind) -> bool {
    match kind {
        NodeKind::Calculation(_) => true,
        NodeKind::Subquery(_) => !kind.is_modification(),
        _ => false,
    }
}
