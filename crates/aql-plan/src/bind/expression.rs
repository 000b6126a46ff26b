//! Binding of expressions.

use aql_syntax::ast::{self, ExpressionKind};
use aql_value::{Function, Value};
use errors::{Error, Result};

use super::{Binder, Element};
use crate::error;
use crate::expression::{
    ArithmeticOperator, ArrayCompare, ArrayQuestion, CompareOperator, ElementOperator, Expression,
    MemberName, ObjectMember, Parameter, Quantifier, UnaryOperator,
};
use crate::parameters::ParameterShape;

/// Expressions between two checks for an interrupt.
pub(super) const EXPRESSIONS_PER_CHECK: usize = 4096;

impl Binder<'_> {
    /// Binds and folds an expression.
    pub(super) fn expression(&mut self, expression: &ast::Expression) -> Result<Expression> {
        self.expressions += 1;
        if self.expressions.is_multiple_of(EXPRESSIONS_PER_CHECK) {
            self.interrupt.check()?;
        }
        let bound = self.unfolded(&expression.kind)?;
        self.fold(bound)
    }

    fn boxed(&mut self, expression: &ast::Expression) -> Result<Box<Expression>> {
        self.expression(expression).map(Box::new)
    }

    fn unfolded(&mut self, kind: &ExpressionKind) -> Result<Expression> {
        match kind {
            ExpressionKind::Null => Ok(Expression::Constant(Value::Null)),
            ExpressionKind::Bool(value) => Ok(Expression::Constant(Value::Bool(*value))),
            ExpressionKind::Int(value) => Ok(Expression::Constant(Value::Int(*value))),
            ExpressionKind::Double(value) => Ok(Expression::Constant(Value::from_f64(*value))),
            ExpressionKind::String(text) => Ok(Expression::Constant(Value::from_str(text))),
            ExpressionKind::Array(members) => self.array(members),
            ExpressionKind::Object(members) => self.object(members),
            ExpressionKind::Reference(name) => self.reference(name),
            ExpressionKind::BindParameter(name) => self.parameter(name),
            ExpressionKind::DataSourceBindParameter(name) => {
                let name = self.parameters.data_source(name)?.to_owned();
                Err(self.data_source_as_value(&name))
            }
            ExpressionKind::Element => self.element(),
            ExpressionKind::Unary(unary) => {
                let operator = unary_operator(unary.operator);
                Ok(Expression::Unary { operator, operand: self.boxed(&unary.operand)? })
            }
            ExpressionKind::Binary(binary) => self.binary(binary),
            ExpressionKind::Logical(logical) => self.logical(logical),
            ExpressionKind::Ternary(ternary) => self.ternary(ternary),
            _ => self.unfolded_access(kind),
        }
    }

    fn unfolded_access(&mut self, kind: &ExpressionKind) -> Result<Expression> {
        match kind {
            ExpressionKind::Range(first, last) => {
                Ok(Expression::Range { first: self.boxed(first)?, last: self.boxed(last)? })
            }
            ExpressionKind::ArrayComparison(comparison) => self.array_comparison(comparison),
            ExpressionKind::FunctionCall(call) => self.call(call),
            ExpressionKind::Subquery(block) => self.subquery(block).map(Expression::Variable),
            ExpressionKind::AttributeAccess(base, name) => {
                let base = self.expression(base)?;
                Ok(self.attribute(base, name))
            }
            ExpressionKind::BoundAttributeAccess(base, parameter) => self.bound_attribute(base, parameter),
            ExpressionKind::IndexedAccess(base, index) => self.indexed(base, index),
            ExpressionKind::Expansion(expansion) => self.expansion(expansion),
            ExpressionKind::ArrayQuestion(question) => self.array_question(question),
            _ => Err(Error::internal("expression that the binder does not know")),
        }
    }

    /// Returns the parameter if it is open, and its value otherwise.
    fn parameter(&self, name: &str) -> Result<Expression> {
        if let Some(meaning) = self.rule_parameter(name) {
            return meaning;
        }
        let value = self.parameters.value(name)?;
        // The shape of an array depends on all of its members.
        self.interrupt.check()?;
        let open = self.open.slot(name).zip(ParameterShape::of(value));
        Ok(match open {
            Some((slot, shape)) => Expression::Parameter(Parameter { slot, name: name.into(), shape }),
            None => Expression::Constant(value.clone()),
        })
    }

    fn array(&mut self, members: &[ast::Expression]) -> Result<Expression> {
        if members.iter().any(|member| matches!(member.kind, ExpressionKind::Spread(_))) {
            return self.spread_array(members);
        }
        members.iter().map(|member| self.expression(member)).collect::<Result<_>>().map(Expression::Array)
    }

    fn object(&mut self, members: &[ast::ObjectMember]) -> Result<Expression> {
        if members.iter().any(|member| matches!(member.key, ast::ObjectKey::Spread)) {
            return self.spread_object(members);
        }
        members.iter().map(|member| self.member(member)).collect::<Result<_>>().map(Expression::Object)
    }

    pub(super) fn member(&mut self, member: &ast::ObjectMember) -> Result<ObjectMember> {
        let name = match &member.key {
            ast::ObjectKey::Name(name) => MemberName::Fixed(name.as_str().into()),
            ast::ObjectKey::BindParameter(parameter) => {
                let value = self.parameters.value(parameter)?;
                let name = value.as_str().ok_or_else(|| error::parameter_type(parameter))?;
                MemberName::Fixed(name.into())
            }
            ast::ObjectKey::Computed(name) => match self.expression(name)? {
                Expression::Constant(name) => MemberName::Fixed(name.cast_string().into()),
                name => MemberName::Computed(name),
            },
            ast::ObjectKey::Spread => return Err(Error::internal("a spread is not a named member")),
        };
        let value = self.expression(&member.value);
        let value = value.map_err(|error| unknown_shorthand(member).unwrap_or(error))?;
        Ok(ObjectMember { name, value })
    }

    /// Binds a name: a variable, otherwise a pseudo variable. The name of a collection is not a
    /// value.
    ///
    /// As in ArangoDB, a constant variable is replaced by its value. So it is allowed where only
    /// constants are (depths, LIMIT, OPTIONS).
    fn reference(&mut self, name: &str) -> Result<Expression> {
        if let Some(id) = self.scopes.lookup(name) {
            let constant = self.constants.get(&id).cloned().map(Expression::Constant);
            return Ok(constant.unwrap_or(Expression::Variable(id)));
        }
        let pseudo = match name {
            "OLD" => self.scopes.old(),
            "NEW" => self.scopes.new_document(),
            "CURRENT" => return self.current(),
            _ => None,
        };
        if pseudo.is_none() && self.introduced.iter().any(|introduced| **introduced == *name) {
            return Err(error::unknown_variable(name));
        }
        pseudo.map(Expression::Variable).ok_or_else(|| self.data_source_as_value(name))
    }

    /// Binds `CURRENT`: the element of the innermost brackets, or the document that UPSERT FILTER
    /// tests.
    fn current(&mut self) -> Result<Expression> {
        let mut is_in_subquery = false;
        for element in self.elements.iter().rev() {
            match element {
                Element::Current(_) if is_in_subquery => {
                    return Err(Error::internal("element of an expansion within a subquery"));
                }
                Element::Current(id) | Element::RowCurrent(id) => return Ok(Expression::Variable(*id)),
                Element::Result(_) | Element::RowResult(_) => {}
                Element::Barrier => is_in_subquery = true,
            }
        }
        let candidate = self.candidate.map(Expression::Variable);
        candidate.ok_or_else(|| self.data_source_as_value("CURRENT"))
    }

    fn element(&self) -> Result<Expression> {
        match self.elements.last() {
            Some(Element::Result(result)) => Ok(result.clone()),
            Some(Element::RowResult(result)) => Ok(Expression::Variable(*result)),
            _ => Err(Error::internal("element outside of an expansion")),
        }
    }

    /// Returns the error for a name that is not a variable where a value is needed.
    pub(super) fn data_source_as_value(&self, name: &str) -> Error {
        if self.sources.exists(name) {
            error::collection_in_expression(name)
        } else {
            Error::collection_not_found(name)
        }
    }

    fn binary(&mut self, binary: &ast::Binary) -> Result<Expression> {
        let (left, right) = (self.boxed(&binary.left)?, self.boxed(&binary.right)?);
        match binary.operator {
            ast::BinaryOperator::Comparison(operator) => Ok(comparison(operator, left, right)),
            ast::BinaryOperator::Match(operator) => self.text_match(operator, *left, *right),
            ast::BinaryOperator::Arithmetic(operator) => {
                Ok(Expression::Arithmetic { operator: arithmetic_operator(operator), left, right })
            }
        }
    }

    /// Binds `LIKE` and `=~` as calls of functions.
    fn text_match(
        &mut self,
        operator: ast::MatchOperator,
        left: Expression,
        right: Expression,
    ) -> Result<Expression> {
        let (name, negated) = match operator {
            ast::MatchOperator::Like => ("LIKE", false),
            ast::MatchOperator::NotLike => ("LIKE", true),
            ast::MatchOperator::Regex => ("REGEX_TEST", false),
            ast::MatchOperator::NotRegex => ("REGEX_TEST", true),
        };
        let function: &'static Function = aql_functions::lookup(name)
            .ok_or_else(|| Error::internal(format!("function {name} is missing")))?;
        let call = Expression::Call { function, arguments: vec![left, right] };
        if !negated {
            return Ok(call);
        }
        let operand = Box::new(self.fold(call)?);
        Ok(Expression::Unary { operator: UnaryOperator::Not, operand })
    }

    fn array_comparison(&mut self, comparison: &ast::ArrayComparison) -> Result<Expression> {
        let left = self.expression(&comparison.left)?;
        let quantifier = self.quantifier(&comparison.quantifier)?;
        let right = self.expression(&comparison.right)?;
        let operator = match comparison.operator {
            ast::ElementOperator::Comparison(ast::ComparisonOperator::In) => ElementOperator::In,
            ast::ElementOperator::Comparison(ast::ComparisonOperator::NotIn) => ElementOperator::NotIn,
            ast::ElementOperator::Comparison(operator) => {
                ElementOperator::Compare(compare_operator(operator))
            }
            // As ArangoDB 4 has it: `left[? ALL FILTER LIKE(CURRENT, right)]`.
            ast::ElementOperator::Match(operator) => {
                let element = self.variables.add_temporary();
                let filter = Some(self.text_match(operator, Expression::Variable(element), right)?);
                let question = ArrayQuestion { input: left, levels: 1, quantifier, element, filter };
                return Ok(Expression::ArrayQuestion(Box::new(question)));
            }
        };
        Ok(Expression::ArrayCompare(Box::new(ArrayCompare { quantifier, operator, left, right })))
    }

    pub(super) fn quantifier(&mut self, quantifier: &ast::Quantifier) -> Result<Quantifier> {
        Ok(match quantifier {
            ast::Quantifier::All => Quantifier::All,
            ast::Quantifier::Any => Quantifier::Any,
            ast::Quantifier::None => Quantifier::None,
            ast::Quantifier::AtLeast(number) => Quantifier::AtLeast(self.boxed(number)?),
        })
    }

    /// Binds `base.@parameter`, whose value is one name, or a path of several.
    fn bound_attribute(&mut self, base: &ast::Expression, parameter: &str) -> Result<Expression> {
        let base = self.expression(base)?;
        let value = self.parameters.value(parameter)?.clone();
        if let Some(name) = value.as_str().filter(|name| !name.is_empty()) {
            return Ok(self.attribute(base, name));
        }
        if !value.is_array() || value.is_empty() {
            return Err(error::parameter_type(parameter));
        }
        value.elements().try_fold(base, |base, name| {
            let name = name
                .as_str()
                .filter(|name| !name.is_empty())
                .ok_or_else(|| error::parameter_type(parameter))?;
            Ok(self.attribute(base, name))
        })
    }

    /// Binds `base["name"]` as an attribute access, if the name is a constant. A string that looks
    /// like a number may be a position.
    fn indexed(&mut self, base: &ast::Expression, index: &ast::Expression) -> Result<Expression> {
        let (base, index) = (self.boxed(base)?, self.boxed(index)?);
        let name = index.as_constant().and_then(Value::as_str);
        match name.filter(|name| name.starts_with(|first: char| first.is_alphabetic() || first == '_')) {
            Some(name) => Ok(Expression::Attribute { name: name.into(), base }),
            None => Ok(Expression::Index { base, index }),
        }
    }
}

/// Returns the error for a name that is not a variable in `{name}`, where no collection is
/// possible.
fn unknown_shorthand(member: &ast::ObjectMember) -> Option<Error> {
    match &member.value.kind {
        ExpressionKind::Reference(name) if member.span == member.value.span => {
            Some(error::unknown_variable(name))
        }
        _ => None,
    }
}

fn comparison(
    operator: ast::ComparisonOperator,
    left: Box<Expression>,
    right: Box<Expression>,
) -> Expression {
    match operator {
        ast::ComparisonOperator::In => Expression::In { negated: false, value: left, list: right },
        ast::ComparisonOperator::NotIn => Expression::In { negated: true, value: left, list: right },
        operator => Expression::Compare { operator: compare_operator(operator), left, right },
    }
}

/// `IN` and `NOT IN` are not comparisons of two values: callers handle them before.
fn compare_operator(operator: ast::ComparisonOperator) -> CompareOperator {
    match operator {
        ast::ComparisonOperator::NotEqual => CompareOperator::NotEqual,
        ast::ComparisonOperator::Less => CompareOperator::Less,
        ast::ComparisonOperator::LessOrEqual => CompareOperator::LessEqual,
        ast::ComparisonOperator::Greater => CompareOperator::Greater,
        ast::ComparisonOperator::GreaterOrEqual => CompareOperator::GreaterEqual,
        ast::ComparisonOperator::Equal | ast::ComparisonOperator::In | ast::ComparisonOperator::NotIn => {
            CompareOperator::Equal
        }
    }
}

fn unary_operator(operator: ast::UnaryOperator) -> UnaryOperator {
    match operator {
        ast::UnaryOperator::Not => UnaryOperator::Not,
        ast::UnaryOperator::Plus => UnaryOperator::Plus,
        ast::UnaryOperator::Minus => UnaryOperator::Minus,
    }
}

fn arithmetic_operator(operator: ast::ArithmeticOperator) -> ArithmeticOperator {
    match operator {
        ast::ArithmeticOperator::Add => ArithmeticOperator::Add,
        ast::ArithmeticOperator::Subtract => ArithmeticOperator::Subtract,
        ast::ArithmeticOperator::Multiply => ArithmeticOperator::Multiply,
        ast::ArithmeticOperator::Divide => ArithmeticOperator::Divide,
        ast::ArithmeticOperator::Modulo => ArithmeticOperator::Modulo,
    }
}
