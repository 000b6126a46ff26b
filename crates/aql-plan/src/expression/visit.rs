//! Walks over expressions, and the properties that they find.

use std::collections::HashSet;

use super::{Expansion, Expression, MemberName, Quantifier};
use crate::parameters::ParameterShape;
use crate::variable::VariableId;
use crate::variable_set::VariableSet;

/// Calls `$visit` with each direct operand of the expression `$of`, in the order of evaluation.
///
/// The references are shared, or exclusive if the last argument is `mut`. Both kinds of walks visit
/// the same operands, because both are this one.
macro_rules! walk_children {
    ($of:expr, $visit:expr, $iter:ident, $operand:ident $(, $mut:tt)?) => {{
        let visit = $visit;
        match $of {
            Self::Constant(_) | Self::Variable(_) | Self::Parameter(_) => {}
            Self::Attribute { base, .. } => visit(base),
            Self::Index { base, index } => [base, index].into_iter().for_each(|child| visit(child)),
            Self::Unary { operand, .. } => visit(operand),
            Self::Arithmetic { left, right, .. } | Self::Compare { left, right, .. } => {
                [left, right].into_iter().for_each(|child| visit(child));
            }
            Self::In { value, list, .. } => [value, list].into_iter().for_each(|child| visit(child)),
            Self::ArrayCompare(compare) => {
                visit(&$($mut)? compare.left);
                visit(&$($mut)? compare.right);
                compare.quantifier.$operand().into_iter().for_each(visit);
            }
            Self::And(operands) | Self::Or(operands) | Self::Array(operands) => {
                operands.$iter().for_each(visit)
            }
            Self::Ternary { condition, then, otherwise } => {
                visit(condition);
                then.$iter().for_each(|child| visit(child));
                visit(otherwise);
            }
            Self::Range { first, last } => [first, last].into_iter().for_each(|child| visit(child)),
            Self::Object(members) => members.$iter().for_each(|member| {
                if let MemberName::Computed(name) = &$($mut)? member.name {
                    visit(name);
                }
                visit(&$($mut)? member.value);
            }),
            Self::Call { arguments, .. } => arguments.$iter().for_each(visit),
            Self::Expansion(expansion) => {
                let Expansion { input, filter, offset, limit, projection, .. } = &$($mut)? **expansion;
                visit(input);
                [filter, offset, limit, projection].into_iter().flatten().for_each(visit);
            }
            Self::ArrayQuestion(question) => {
                visit(&$($mut)? question.input);
                question.quantifier.$operand().into_iter().for_each(&mut *visit);
                question.filter.$iter().for_each(visit);
            }
        }
    }};
}

impl Expression {
    /// Calls `visit` with each direct operand, in the order of evaluation.
    pub fn for_each_child<'a>(&'a self, visit: &mut dyn FnMut(&'a Expression)) {
        walk_children!(self, visit, iter, operand);
    }

    /// Calls `visit` with each direct operand, in the order of evaluation, to change it.
    pub fn for_each_child_mut(&mut self, visit: &mut dyn FnMut(&mut Expression)) {
        walk_children!(self, visit, iter_mut, operand_mut, mut);
    }

    /// Calls `change` with each direct operand until it fails. Returns true if any call returned
    /// true.
    pub fn change_children(
        &mut self,
        change: &mut dyn FnMut(&mut Expression) -> errors::Result<bool>,
    ) -> errors::Result<bool> {
        let mut outcome = Ok(false);
        self.for_each_child_mut(&mut |child| combine(&mut outcome, || change(child)));
        outcome
    }

    /// Returns true if `test` holds for this expression or any part of it.
    pub fn any(&self, test: &dyn Fn(&Expression) -> bool) -> bool {
        if test(self) {
            return true;
        }
        let mut found = false;
        self.for_each_child(&mut |child| found = found || child.any(test));
        found
    }

    /// Returns the variable that an expansion or array question introduces for its elements.
    pub(crate) fn element(&self) -> Option<VariableId> {
        match self {
            Self::Expansion(expansion) => Some(expansion.element),
            Self::ArrayQuestion(question) => Some(question.element),
            _ => None,
        }
    }

    /// Adds the variables that the expression reads from its row, without those it introduces
    /// itself.
    pub fn collect_variables(&self, variables: &mut VariableSet) {
        match self {
            Self::Variable(id) => {
                variables.insert(*id);
            }
            _ => match self.element() {
                None => self.for_each_child(&mut |child| child.collect_variables(variables)),
                Some(element) => {
                    let mut inner = VariableSet::default();
                    self.for_each_child(&mut |child| child.collect_variables(&mut inner));
                    inner.remove(element);
                    variables.extend(&inner);
                }
            },
        }
    }

    /// Returns the variables that the expression reads from its row.
    pub fn variables(&self) -> VariableSet {
        let mut variables = VariableSet::default();
        self.collect_variables(&mut variables);
        variables
    }

    /// Returns true if the expression reads the variable.
    pub fn reads(&self, id: VariableId) -> bool {
        self.any(&|expression| matches!(expression, Self::Variable(own) if *own == id))
    }

    /// Returns the number of times that the expression reads the variable, at most `limit`.
    pub fn count_reads(&self, id: VariableId, limit: usize) -> usize {
        if limit == 0 {
            return 0;
        }
        if let Self::Variable(own) = self {
            return usize::from(*own == id);
        }
        let mut count = 0;
        self.for_each_child(&mut |child| count += child.count_reads(id, limit - count));
        count
    }

    /// Returns true if the same inputs give the same result, without any other effect.
    ///
    /// The expression calls no function that is not deterministic. Functions that end the query or
    /// wait are not deterministic either.
    pub fn is_deterministic(&self) -> bool {
        !self.any(&|expression| matches!(expression, Self::Call { function, .. } if !function.deterministic))
    }

    /// Returns true if the expression is [deterministic](Expression::is_deterministic), except that
    /// it may read documents as of the query's start.
    pub fn is_repeatable(&self) -> bool {
        !self.any(&|expression| {
            matches!(expression, Self::Call { function, .. } if !function.deterministic && !function.reads_documents)
        })
    }

    /// Returns true if the result of a query with these functions may be cached.
    pub fn is_cacheable(&self) -> bool {
        !self.any(&|expression| {
            matches!(expression, Self::Call { function, .. } if !function.deterministic || !function.cacheable)
        })
    }

    /// Replaces each read of a variable by an expression.
    pub fn replace_variable(&mut self, id: VariableId, replacement: &Expression) {
        match self {
            Self::Variable(own) if *own == id => *self = replacement.clone(),
            _ => self.for_each_child_mut(&mut |child| child.replace_variable(id, replacement)),
        }
    }

    /// Makes the expression read `name(variable)` instead of each variable.
    pub fn rename_variables(&mut self, name: &dyn Fn(VariableId) -> VariableId) {
        match self {
            Self::Variable(own) => *own = name(*own),
            _ => self.for_each_child_mut(&mut |child| child.rename_variables(name)),
        }
    }

    /// Returns the conditions that must all hold for this one to hold.
    pub fn into_conjuncts(self) -> Vec<Expression> {
        match self {
            Self::And(conjuncts) => conjuncts,
            other => vec![other],
        }
    }

    /// Returns a condition that holds if all conditions hold; `None` without conditions.
    pub fn conjunction(mut conditions: Vec<Expression>) -> Option<Expression> {
        match conditions.len() {
            0 => None,
            1 => conditions.pop(),
            _ => Some(Self::And(conditions)),
        }
    }

    /// Returns variable and attribute names of `variable.a.b`. A variable alone has no names.
    pub fn as_attribute_path(&self) -> Option<(VariableId, Vec<&str>)> {
        let mut names = Vec::new();
        let mut current = self;
        loop {
            match current {
                Self::Variable(id) => {
                    names.reverse();
                    return Some((*id, names));
                }
                Self::Attribute { base, name } => {
                    names.push(&**name);
                    current = base;
                }
                _ => return None,
            }
        }
    }

    /// Returns the variable, if the expression is nothing else.
    pub fn as_variable(&self) -> Option<VariableId> {
        match self {
            Self::Variable(id) => Some(*id),
            _ => None,
        }
    }

    /// Returns the value, if the expression is a constant.
    pub fn as_constant(&self) -> Option<&aql_value::Value> {
        match self {
            Self::Constant(value) => Some(value),
            _ => None,
        }
    }

    /// Returns true for a constant or an open parameter: the value is the same throughout one run.
    pub fn is_fixed(&self) -> bool {
        matches!(self, Self::Constant(_) | Self::Parameter(_))
    }

    /// Replaces open parameters by their values. Arrays and objects that are constant then become
    /// constants, as if the query had been written with the values.
    pub fn fill_parameters(&mut self, values: &[aql_value::Value]) {
        match self {
            Self::Parameter(parameter) => {
                if let Some(value) = values.get(parameter.slot) {
                    *self = Self::Constant(value.clone());
                }
            }
            _ => {
                self.for_each_child_mut(&mut |child| child.fill_parameters(values));
                if let Some(value) = self.constant_container() {
                    *self = Self::Constant(value);
                }
            }
        }
    }

    /// Returns the value of an array or object of constants.
    fn constant_container(&self) -> Option<aql_value::Value> {
        match self {
            Self::Array(members) => {
                let values: Option<Vec<_>> =
                    members.iter().map(|member| member.as_constant().cloned()).collect();
                Some(aql_value::Value::array(&values?))
            }
            Self::Object(members) => {
                let entries = members.iter().map(|member| match &member.name {
                    super::MemberName::Fixed(name) => Some((&**name, member.value.as_constant()?.clone())),
                    super::MemberName::Computed(_) => None,
                });
                let entries: Vec<_> = entries.collect::<Option<_>>()?;
                let names: HashSet<&str> = entries.iter().map(|(name, _)| *name).collect();
                (names.len() == entries.len()).then(|| aql_value::Value::object(&entries))
            }
            _ => None,
        }
    }

    /// Returns true if the value is always a boolean.
    pub fn is_boolean(&self) -> bool {
        match self {
            Self::Constant(value) => value.kind() == aql_value::Kind::Bool,
            Self::Unary { operator, .. } => *operator == super::UnaryOperator::Not,
            Self::Compare { .. } | Self::In { .. } | Self::ArrayCompare(_) | Self::ArrayQuestion(_) => true,
            Self::And(operands) | Self::Or(operands) => operands.iter().all(Self::is_boolean),
            Self::Ternary { condition, then, otherwise } => {
                then.as_deref().unwrap_or(condition).is_boolean() && otherwise.is_boolean()
            }
            _ => false,
        }
    }

    /// Returns true if the value is always an array.
    pub fn is_array(&self) -> bool {
        match self {
            Self::Constant(value) => value.kind() == aql_value::Kind::Array,
            Self::Parameter(parameter) => matches!(parameter.shape, ParameterShape::Array { .. }),
            Self::Array(_) | Self::Range { .. } | Self::Expansion(_) => true,
            _ => false,
        }
    }

    /// Returns the number of operations, at most `limit`. Also bounds the depth.
    pub fn size_within(&self, limit: usize) -> usize {
        if limit == 0 {
            return 0;
        }
        let mut size = 1;
        self.for_each_child(&mut |child| size += child.size_within(limit.saturating_sub(size)));
        size
    }
}

/// Calls `next` unless an earlier call failed, and remembers in `outcome` if any call returned
/// true.
pub fn combine(outcome: &mut errors::Result<bool>, next: impl FnOnce() -> errors::Result<bool>) {
    if outcome.is_err() {
        return;
    }
    match next() {
        Ok(false) => {}
        other => *outcome = other,
    }
}

impl Quantifier {
    /// Returns the number of elements, if the quantifier has one.
    pub fn operand(&self) -> Option<&Expression> {
        match self {
            Self::All | Self::Any | Self::None => None,
            Self::AtLeast(number) | Self::Exactly(number) => Some(number),
        }
    }

    fn operand_mut(&mut self) -> Option<&mut Expression> {
        match self {
            Self::All | Self::Any | Self::None => None,
            Self::AtLeast(number) | Self::Exactly(number) => Some(number),
        }
    }
}
