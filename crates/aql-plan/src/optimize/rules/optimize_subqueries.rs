//! `optimize-subqueries`: a subquery of which only the first result, the number of results, or whether there are any is
//! asked for, does no more than that.

use super::{Rule, RuleContext};
use crate::expression::{CompareOperator, Expression};
use crate::node::{Limit, Node, NodeKind};
use crate::optimize::pipeline::{Workshop, for_each_pipeline};
use crate::plan::Plan;
use crate::variable::VariableId;
use aql_value::{Result, Value};

pub(super) struct OptimizeSubqueries;

/// What is asked of a subquery's result, from little to everything.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Demand {
    Nothing,
    /// Whether there are results.
    Existence,
    /// How many results there are.
    Count,
    /// The first result.
    First,
    Everything,
}

impl Demand {
    /// What is asked if both are.
    fn and(self, other: Self) -> Self {
        match (self.min(other), self.max(other)) {
            (Self::Count, Self::First) => Self::Everything,
            (_, most) => most,
        }
    }
}

impl Rule for OptimizeSubqueries {
    fn name(&self) -> &'static str {
        "optimize-subqueries"
    }

    fn description(&self) -> &'static str {
        "Limits subqueries of which only the first result or the number of results is used."
    }

    fn apply(&self, plan: &mut Plan, _context: &mut RuleContext<'_>) -> Result<bool> {
        for_each_pipeline(plan, &mut |nodes, workshop| {
            let mut changed = false;
            for position in 0..nodes.len() {
                let (before, after) = nodes.split_at_mut(position + 1);
                let Some(node) = before.last_mut() else { continue };
                let is_eligible = node.kind.is_deterministic();
                if let NodeKind::Subquery(subquery) = &mut node.kind
                    && is_eligible
                {
                    let demand = demand_of(after, subquery.out);
                    changed |= reduce(&mut subquery.nodes, demand, workshop);
                }
            }
            Ok(changed)
        })
    }
}

fn reduce(nodes: &mut Vec<Node>, demand: Demand, workshop: &mut Workshop<'_>) -> bool {
    let limited = matches!(demand, Demand::First | Demand::Existence) && limit_to_one(nodes, workshop);
    let counted = matches!(demand, Demand::Count | Demand::Existence) && return_constant(nodes, workshop);
    limited | counted
}

/// Adds LIMIT 1 before the Return, unless there is such a limit.
fn limit_to_one(nodes: &mut Vec<Node>, workshop: &mut Workshop<'_>) -> bool {
    let Some(NodeKind::Return(_)) = nodes.last().map(|node| &node.kind) else { return false };
    let has_limit = nodes.iter().rev().skip(1).find_map(|node| match &node.kind {
        NodeKind::Limit(limit) => Some(limit.limit <= 1),
        NodeKind::Calculation(_) => None,
        _ => Some(false),
    });
    let yields_many = nodes.iter().any(|node| node.kind.is_loop());
    if has_limit == Some(true) || !yields_many {
        return false;
    }
    let limit = workshop.node(NodeKind::Limit(Limit { offset: 0, limit: 1, full_count: false }));
    nodes.insert(nodes.len() - 1, limit);
    true
}

/// Returns a constant instead of a value that is only counted.
fn return_constant(nodes: &mut Vec<Node>, workshop: &mut Workshop<'_>) -> bool {
    let Some(NodeKind::Return(node)) = nodes.last().map(|node| &node.kind) else { return false };
    let input = node.input;
    let is_constant = nodes.iter().any(|node| match &node.kind {
        NodeKind::Calculation(calculation) => calculation.out == input && calculation.expression.is_fixed(),
        _ => false,
    });
    if is_constant {
        return false;
    }
    let (out, calculation) = workshop.calculation(Expression::Constant(Value::Bool(true)));
    if let Some(NodeKind::Return(node)) = nodes.last_mut().map(|node| &mut node.kind) {
        node.input = out;
    }
    nodes.insert(nodes.len() - 1, calculation);
    true
}

/// What the nodes ask of the array in a variable.
pub(super) fn demand_of(nodes: &[Node], id: VariableId) -> Demand {
    nodes.iter().fold(Demand::Nothing, |demand, node| {
        if node.kind.reads_directly(id) {
            return Demand::Everything;
        }
        let mut own = Demand::Nothing;
        node.kind.for_each_expression(&mut |expression| own = own.and(demand_in(expression, id)));
        if let NodeKind::Subquery(subquery) = &node.kind {
            own = own.and(demand_of(&subquery.nodes, id));
        }
        demand.and(own)
    })
}

fn demand_in(expression: &Expression, id: VariableId) -> Demand {
    match expression {
        Expression::Variable(own) if *own == id => Demand::Everything,
        Expression::Compare { operator, left, right } => {
            let existence = is_existence_test(*operator, left, right, id)
                || is_existence_test(operator.mirrored(), right, left, id);
            if existence { Demand::Existence } else { demand_of_children(expression, id) }
        }
        Expression::Index { base, index } if is_variable(base, id) => match index.as_constant() {
            Some(Value::Int(0)) => Demand::First,
            _ => Demand::Everything,
        },
        Expression::Call { function, arguments } => match (function.name, arguments.as_slice()) {
            ("FIRST", [list]) if is_variable(list, id) => Demand::First,
            _ if is_count(expression, id) => Demand::Count,
            _ => demand_of_children(expression, id),
        },
        _ => demand_of_children(expression, id),
    }
}

fn demand_of_children(expression: &Expression, id: VariableId) -> Demand {
    let mut demand = Demand::Nothing;
    expression.for_each_child(&mut |child| demand = demand.and(demand_in(child, id)));
    demand
}

fn is_variable(expression: &Expression, id: VariableId) -> bool {
    expression.as_variable() == Some(id)
}

/// `LENGTH(variable)`.
pub(super) fn is_count(expression: &Expression, id: VariableId) -> bool {
    match expression {
        Expression::Call { function, arguments } => {
            matches!(function.name, "LENGTH" | "COUNT")
                && matches!(&**arguments, [list] if is_variable(list, id))
        }
        _ => false,
    }
}

/// `LENGTH(variable) > 0` and other ways to say that.
fn is_existence_test(
    operator: CompareOperator,
    left: &Expression,
    right: &Expression,
    id: VariableId,
) -> bool {
    use CompareOperator::{Equal, Greater, GreaterEqual, Less, LessEqual, NotEqual};
    is_count(left, id)
        && match right.as_constant() {
            Some(Value::Int(0)) => matches!(operator, Equal | NotEqual | Greater | LessEqual),
            Some(Value::Int(1)) => matches!(operator, Less | GreaterEqual),
            _ => false,
        }
}
