//! Expressions over the paths that graph nodes produce.

use aql_plan::{
    ArrayCompare, ElementOperator, Expression, Node, NodeKind, PathElement, Quantifier, UnaryOperator,
    VariableId, Variables,
};

/// The parts of a path that expressions read.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct PathParts {
    pub(crate) vertices: bool,
    pub(crate) edges: bool,
    /// `weights`, or `weight` of a path search.
    pub(crate) weights: bool,
    /// True if the path is read at all, even if only an attribute that it does not have.
    pub(crate) any: bool,
}

impl PathParts {
    const ALL: Self = Self { vertices: true, edges: true, weights: true, any: true };

    fn add(&mut self, other: Self) {
        self.vertices |= other.vertices;
        self.edges |= other.edges;
        self.weights |= other.weights;
        self.any |= other.any;
    }
}

/// Returns the parts of the path that the nodes read, including those of subqueries.
pub(crate) fn parts_read_by(nodes: &[Node], path: VariableId) -> PathParts {
    let mut parts = PathParts::default();
    for node in nodes {
        node.kind.for_each_direct_read(&mut |id| {
            if id == path {
                parts.add(PathParts::ALL);
            }
        });
        node.kind.for_each_expression(&mut |expression| parts.add(parts_read_in(expression, path)));
        if let NodeKind::Subquery(subquery) = &node.kind {
            parts.add(parts_read_by(&subquery.nodes, path));
        }
    }
    parts
}

/// Returns the parts of the path that the expression reads.
pub(crate) fn parts_read_in(expression: &Expression, path: VariableId) -> PathParts {
    match expression {
        Expression::Variable(id) if *id == path => PathParts::ALL,
        Expression::Attribute { base, name } if base.as_variable() == Some(path) => PathParts {
            vertices: &**name == "vertices",
            edges: &**name == "edges",
            weights: matches!(&**name, "weights" | "weight"),
            any: true,
        },
        _ => {
            let mut parts = PathParts::default();
            expression.for_each_child(&mut |child| parts.add(parts_read_in(child, path)));
            parts
        }
    }
}

/// Returns the kind of elements in `path.vertices` and `path.edges`.
pub(crate) fn as_elements(expression: &Expression, path: VariableId) -> Option<PathElement> {
    match expression {
        Expression::Attribute { base, name } if base.as_variable() == Some(path) => match &**name {
            "vertices" => Some(PathElement::Vertex),
            "edges" => Some(PathElement::Edge),
            _ => None,
        },
        _ => None,
    }
}

/// Returns the element and position of `path.vertices[n]` or `path.edges[n]`. The position is
/// constant, and negative from the end.
pub(crate) fn as_element_at(expression: &Expression, path: VariableId) -> Option<(PathElement, i64)> {
    let Expression::Index { base, index } = expression else { return None };
    let position = index.as_constant().filter(|value| value.is_number())?.as_i64()?;
    as_elements(base, path).map(|element| (element, position))
}

/// Replaces each element of the path that is read by its position with
/// `replacement(element, position)`, unless that is `None`.
///
/// Returns true if anything changed.
pub(crate) fn replace_elements(
    expression: &mut Expression,
    path: VariableId,
    replacement: &mut dyn FnMut(PathElement, i64) -> Option<Expression>,
) -> bool {
    if let Some((element, position)) = as_element_at(expression, path) {
        return replacement(element, position).is_some_and(|new| {
            *expression = new;
            true
        });
    }
    let mut changed = false;
    expression.for_each_child_mut(&mut |child| changed |= replace_elements(child, path, replacement));
    changed
}

/// Returns a condition on each vertex or each edge of the path that is equivalent to `condition`.
///
/// The result is the kind of element, a new variable for one element, and the condition on it. The
/// supported forms are `path.edges[*].a ALL == value` and `path.edges[? ALL FILTER ...]`, also with
/// `NONE`. The first may have the edges themselves on the left.
pub(crate) fn elements_condition(
    condition: &Expression,
    path: VariableId,
    variables: &mut Variables,
) -> Option<(PathElement, VariableId, Expression)> {
    let (elements, quantifier) = match condition {
        // If the right side may not be an array, no single element can show that the whole
        // comparison is false.
        Expression::ArrayCompare(compare)
            if matches!(compare.operator, ElementOperator::In | ElementOperator::NotIn)
                && !compare.right.is_array() =>
        {
            return None;
        }
        Expression::ArrayCompare(compare) => (expanded(&compare.left), &compare.quantifier),
        Expression::ArrayQuestion(question) if question.levels == 1 && question.filter.is_some() => {
            (&question.input, &question.quantifier)
        }
        _ => return None,
    };
    let element = as_elements(elements, path)?;
    let is_negated = match quantifier {
        Quantifier::All => false,
        Quantifier::None => true,
        Quantifier::Any | Quantifier::AtLeast(_) | Quantifier::Exactly(_) => return None,
    };
    let input = variables.add_temporary();
    let mut each = match condition {
        Expression::ArrayCompare(compare) => compare_one(compare, input),
        Expression::ArrayQuestion(question) => {
            let mut filter = question.filter.clone()?;
            filter.replace_variable(question.element, &Expression::Variable(input));
            filter
        }
        _ => return None,
    };
    if is_negated {
        each = Expression::Unary { operator: UnaryOperator::Not, operand: Box::new(each) };
    }
    (!each.reads(path)).then_some((element, input, each))
}

/// Returns the array whose elements `array[*]...` maps, or any other expression itself.
fn expanded(array: &Expression) -> &Expression {
    match array {
        Expression::Expansion(expansion)
            if expansion.levels == 1
                && expansion.filter.is_none()
                && expansion.offset.is_none()
                && expansion.limit.is_none() =>
        {
            &expansion.input
        }
        other => other,
    }
}

/// Returns the comparison for one element, which is in a variable.
fn compare_one(compare: &ArrayCompare, input: VariableId) -> Expression {
    let mut left = Expression::Variable(input);
    if let Expression::Expansion(expansion) = &compare.left
        && let Some(projection) = &expansion.projection
    {
        let mut projection = projection.clone();
        projection.replace_variable(expansion.element, &left);
        left = projection;
    }
    let (left, right) = (Box::new(left), Box::new(compare.right.clone()));
    match compare.operator {
        ElementOperator::Compare(operator) => Expression::Compare { operator, left, right },
        ElementOperator::In => Expression::In { negated: false, value: left, list: right },
        ElementOperator::NotIn => Expression::In { negated: true, value: left, list: right },
    }
}
