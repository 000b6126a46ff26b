//! Binding of `[* ...]` and `[? ...]` where a subquery within the brackets uses `CURRENT`.
//!
//! A subquery runs before the statement that contains it, where no element is known. So the
//! expansion itself becomes a subquery: a loop over the elements, whose rows run the subqueries
//! within the brackets.

use aql_syntax::ast::{self, ExpressionKind};
use aql_syntax::walk;
use aql_value::Value;
use errors::{Error, Result};

use super::{Binder, Element, Statement};
use crate::expression::{ArrayQuestion, Expansion, Expression};
use crate::variable::VariableId;

/// Returns true if one of the parts within brackets has a subquery that may use the element.
pub(super) fn needs_loop<const PARTS: usize>(parts: [&Option<ast::Expression>; PARTS]) -> bool {
    parts.into_iter().flatten().flat_map(walk::expressions).any(|expression| match &expression.kind {
        ExpressionKind::Subquery(block) => walk::block_expressions(block)
            .any(|inner| matches!(&inner.kind, ExpressionKind::Reference(name) if name == "CURRENT")),
        _ => false,
    })
}

/// The parts of a loop over elements.
#[derive(Clone, Copy, Default)]
struct Parts<'a> {
    filter: Option<&'a ast::Expression>,
    result: Option<&'a ast::Expression>,
    projection: Option<&'a ast::Expression>,
}

impl Binder<'_> {
    pub(super) fn expansion_loop(&mut self, expansion: &ast::Expansion) -> Result<Expression> {
        let input = self.expression(&expansion.base)?;
        let (offset, limit) = self.inline_limit(expansion)?;
        let parts = Parts {
            filter: expansion.filter.as_ref(),
            result: expansion.result.as_ref(),
            projection: expansion.projection.as_ref(),
        };
        let all = Expression::Variable(self.element_loop(input, expansion.levels, parts)?);
        let Some(limit) = limit else { return Ok(all) };
        // Computes elements beyond the limit needlessly, because the limit may be any expression.
        let not_negative = |number: Expression| call("MAX", vec![Expression::Array(vec![zero(), number])]);
        call("SLICE", vec![all, not_negative(offset.unwrap_or_else(zero))?, not_negative(limit)?])
    }

    /// Binds an array question: a loop computes the condition for each element, and the question is
    /// about these values.
    pub(super) fn array_question_loop(&mut self, question: &ast::ArrayQuestion) -> Result<Expression> {
        let input = self.expression(&question.base)?;
        let input = Expression::Variable(self.materialize(input));
        let quantifier = self.question_quantifier(question)?;
        let parts = Parts { result: question.filter.as_ref(), ..Parts::default() };
        let conditions = Expression::Variable(self.element_loop(input.clone(), question.levels, parts)?);
        let element = self.variables.add_temporary();
        let filter = Some(Expression::Variable(element));
        let satisfied = ArrayQuestion { input: conditions, levels: 1, quantifier, element, filter };
        let is_array = call("IS_ARRAY", vec![input])?;
        Ok(Expression::And(vec![is_array, Expression::ArrayQuestion(Box::new(satisfied))]))
    }

    /// Runs a loop over the elements of `input` as a subquery, and returns the variable of its
    /// result.
    fn element_loop(&mut self, input: Expression, levels: u32, parts: Parts<'_>) -> Result<VariableId> {
        let out = self.variables.add_temporary();
        let run_if = self.guard.take();
        let bound = self.aside(|binder| binder.element_loop_body(input, levels, parts));
        self.guard = run_if;
        self.output.push(Statement::Subquery { out, body: bound?.1, run_if });
        Ok(out)
    }

    fn element_loop_body(&mut self, input: Expression, levels: u32, parts: Parts<'_>) -> Result<()> {
        let element = self.variables.add_temporary();
        let list = self.flattened(input, levels);
        self.output.push(Statement::ForList { out: element, list });
        if let Some(filter) = parts.filter {
            let filter = self.within_row(Element::RowCurrent(element), filter)?;
            self.output.push(Statement::Filter(filter));
        }
        let mut value = Expression::Variable(element);
        if let Some(result) = parts.result {
            value = self.within_row(Element::RowCurrent(element), result)?;
        }
        if let Some(projection) = parts.projection {
            let result = self.materialize(value);
            value = self.within_row(Element::RowResult(result), projection)?;
        }
        self.output.push(Statement::Return { value, distinct: false });
        Ok(())
    }

    /// Returns an expansion, which is an array in any case: a loop fails over any other value.
    fn flattened(&mut self, input: Expression, levels: u32) -> Expression {
        let element = self.variables.add_temporary();
        let (filter, offset, limit, projection) = (None, None, None, None);
        let flat = Expansion { input, levels, element, filter, offset, limit, projection };
        Expression::Expansion(Box::new(flat))
    }

    fn within_row(&mut self, element: Element, expression: &ast::Expression) -> Result<Expression> {
        self.elements.push(element);
        let bound = self.expression(expression);
        self.elements.pop();
        bound
    }
}

fn zero() -> Expression {
    Expression::Constant(Value::Int(0))
}

fn call(name: &'static str, arguments: Vec<Expression>) -> Result<Expression> {
    let function =
        aql_functions::lookup(name).ok_or_else(|| Error::internal(format!("function {name} is missing")))?;
    Ok(Expression::Call { function, arguments })
}
