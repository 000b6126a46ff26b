//! Conditions on the documents of a scan, in a normal form that can be matched against indexes.

mod candidate;
mod merge;
mod normal_form;

use aql_plan::{Expression, Filter, IndexField, Node, NodeKind, VariableId, VariableSet};
use aql_value::{Interrupt, Value};

pub(crate) use candidate::{implied_atoms, match_index};
pub(crate) use normal_form::{Branch, MAX_BRANCHES, NormalForm, normalize};

/// The maximum size, in operations, to which substituted calculations may grow a condition.
const MAX_RESOLVED_SIZE: usize = 1000;

/// A condition on one field of the document: `document.path operator value`. The value does not
/// depend on the document.
#[derive(Debug, Clone)]
pub(crate) struct Atom {
    pub(crate) field: IndexField,
    pub(crate) operator: AtomOperator,
    pub(crate) value: Expression,
}

/// The comparison of an atom.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum AtomOperator {
    Equal,
    NotEqual,
    Less,
    LessEqual,
    Greater,
    GreaterEqual,
    /// The field is a member of the value.
    In,
    /// The value is a member of the field, an array.
    Contains,
}

impl Atom {
    /// Returns true if both atoms mean the same.
    pub(crate) fn is_same(&self, other: &Self) -> bool {
        self.operator == other.operator && self.field == other.field && self.value.is_same(&other.value)
    }

    /// Returns true if the atom cannot hold for null, whatever its value at run time.
    pub(crate) fn excludes_null(&self) -> bool {
        if let Expression::Parameter(parameter) = &self.value {
            return match self.operator {
                AtomOperator::Equal
                | AtomOperator::GreaterEqual
                | AtomOperator::Greater
                | AtomOperator::Contains => true,
                AtomOperator::In => parameter.shape.excludes_null(),
                AtomOperator::NotEqual | AtomOperator::Less | AtomOperator::LessEqual => false,
            };
        }
        let constant = self.value.as_constant();
        match self.operator {
            AtomOperator::Equal | AtomOperator::GreaterEqual => {
                constant.is_some_and(|value| !value.is_null())
            }
            AtomOperator::NotEqual => constant.is_some_and(Value::is_null),
            // Nothing is less than null.
            AtomOperator::Greater => true,
            AtomOperator::In => constant
                .is_some_and(|list| !list.is_array() || !list.elements().any(|member| member.is_null())),
            AtomOperator::Contains => constant.is_some_and(|value| !value.is_null()),
            AtomOperator::Less | AtomOperator::LessEqual => false,
        }
    }
}

/// A filter that the documents of a scan have to pass.
#[derive(Debug)]
pub(crate) struct Condition {
    /// The position of its Filter node.
    pub(crate) position: usize,
    /// The condition with the calculations since the scan substituted. It reads the scan's
    /// document, variables from before the scan, and variables that other nodes set in between.
    pub(crate) expression: Expression,
}

/// Returns the filters after a scan that all of its documents have to pass.
///
/// They end at the next node that has effects or for which the number of rows matters, or when the
/// query is ended.
pub(crate) fn conditions_after(nodes: &[Node], scan: usize, interrupt: &Interrupt) -> Vec<Condition> {
    let mut conditions = Vec::new();
    for (position, node) in nodes.iter().enumerate().skip(scan + 1) {
        if interrupt.is_set() {
            break;
        }
        match &node.kind {
            NodeKind::Filter(Filter { condition, .. }) => {
                let expression = resolve(&Expression::Variable(*condition), nodes, scan, position);
                conditions.push(Condition { position, expression });
            }
            NodeKind::Calculation(_) | NodeKind::Sort(_) => {}
            kind if kind.is_loop() => {}
            NodeKind::Subquery(_) if !node.kind.is_modification() => {}
            _ => break,
        }
    }
    conditions
}

/// Substitutes the calculations between `after` and `before` (positions, exclusive) for their
/// variables.
///
/// A calculation must be deterministic, and the result must not become too large.
pub(crate) fn resolve(expression: &Expression, nodes: &[Node], after: usize, before: usize) -> Expression {
    let mut resolved = expression.clone();
    let mut size = resolved.size_within(MAX_RESOLVED_SIZE);
    let mut variables = resolved.variables();
    for node in nodes.iter().take(before).skip(after + 1).rev() {
        let NodeKind::Calculation(calculation) = &node.kind else { continue };
        if !variables.contains(calculation.out) || !calculation.expression.is_repeatable() {
            continue;
        }
        let reads = resolved.count_reads(calculation.out, MAX_RESOLVED_SIZE);
        let grown =
            size.saturating_add(reads.saturating_mul(calculation.expression.size_within(MAX_RESOLVED_SIZE)));
        // A condition that is a list of thousands of alternatives is substituted as a whole, but
        // not into others.
        if grown <= MAX_RESOLVED_SIZE || resolved.as_variable().is_some() {
            resolved.replace_variable(calculation.out, &calculation.expression);
            size = grown;
            calculation.expression.collect_variables(&mut variables);
        }
        if size >= MAX_RESOLVED_SIZE && resolved.as_variable().is_none() {
            break;
        }
    }
    resolved
}

/// Returns the variables that the nodes from `position` on set.
pub(crate) fn set_from(nodes: &[Node], position: usize) -> VariableSet {
    nodes.iter().skip(position).flat_map(|node| node.kind.sets()).collect()
}

/// Returns the field of the document that the expression reads: `document.a.b`.
pub(crate) fn as_field(expression: &Expression, document: VariableId) -> Option<IndexField> {
    let (variable, names) = expression.as_attribute_path()?;
    let path: Vec<Box<str>> = names.into_iter().map(Into::into).collect();
    (variable == document && !path.is_empty()).then_some(IndexField { path, expansion: None })
}

/// Returns the array of the document that the expression reads: `document.a[*].b`, or `document.a`
/// itself.
pub(crate) fn as_array_field(expression: &Expression, document: VariableId) -> Option<IndexField> {
    if let Expression::Expansion(expansion) = expression {
        let is_plain = expansion.levels == 1
            && expansion.filter.is_none()
            && expansion.limit.is_none()
            && expansion.offset.is_none();
        let mut field = as_field(&expansion.input, document).filter(|_| is_plain)?;
        field.expansion = field.path.len().checked_sub(1);
        if let Some(projection) = &expansion.projection {
            let (element, names) = projection.as_attribute_path()?;
            if element != expansion.element {
                return None;
            }
            field.path.extend(names.into_iter().map(Box::from));
        }
        return Some(field);
    }
    let mut field = as_field(expression, document)?;
    field.expansion = field.path.len().checked_sub(1);
    Some(field)
}
