//! The part of a subquery's result that a query uses.

use aql_plan::{CompareOperator, Expression, Node, NodeKind, VariableId};
use aql_value::Value;

/// The used part of a subquery's result, from nothing to everything.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Demand {
    Nothing,
    /// The existence of results.
    Existence,
    /// The number of results.
    Count,
    /// The first result.
    First,
    Everything,
}

impl Demand {
    /// Returns the demand of both together.
    fn and(self, other: Self) -> Self {
        match (self.min(other), self.max(other)) {
            (Self::Count, Self::First) => Self::Everything,
            (_, most) => most,
        }
    }
}

/// Returns the demand of the nodes on the array in a variable.
pub(crate) fn demand_of(nodes: &[Node], id: VariableId) -> Demand {
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

/// Returns true for `LENGTH(variable)`.
pub(crate) fn is_count(expression: &Expression, id: VariableId) -> bool {
    match expression {
        Expression::Call { function, arguments } => {
            matches!(function.name, "LENGTH" | "COUNT")
                && matches!(&**arguments, [list] if is_variable(list, id))
        }
        _ => false,
    }
}

/// Returns true for `LENGTH(variable) > 0` and its other forms.
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
