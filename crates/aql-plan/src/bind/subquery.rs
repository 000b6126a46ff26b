//! Subqueries in expressions, and the operators that evaluate operands lazily.
//!
//! A subquery becomes a statement before the one that contains it. In an operand that is not always
//! evaluated (`? :`, AND, OR), it depends on a condition. The condition becomes a variable,
//! computed before. The subquery runs in the rows in which that variable is true.

use aql_syntax::ast::{self, Block, ExpressionKind, LogicalOperator};
use aql_syntax::walk;
use aql_value::Value;
use errors::Result;

use super::expression::EXPRESSIONS_PER_CHECK;
use super::{Binder, Element, Statement};
use crate::expression::{Expression, UnaryOperator};
use crate::variable::VariableId;

impl Binder<'_> {
    /// Binds a subquery, and returns the variable of its result.
    pub(super) fn subquery(&mut self, block: &Block) -> Result<VariableId> {
        let out = self.variables.add_temporary();
        self.subquery_into(out, block)?;
        Ok(out)
    }

    /// Binds a subquery whose result goes to `out`.
    pub(super) fn subquery_into(&mut self, out: VariableId, block: &Block) -> Result<()> {
        let run_if = self.guard.take();
        self.elements.push(Element::Barrier);
        let body = self.block(block);
        self.elements.pop();
        self.guard = run_if;
        self.output.push(Statement::Subquery { out, body: body?, run_if });
        Ok(())
    }

    pub(super) fn logical(&mut self, logical: &ast::Logical) -> Result<Expression> {
        let combine = match logical.operator {
            LogicalOperator::And => Expression::And,
            LogicalOperator::Or => Expression::Or,
        };
        let mut operands: Vec<Expression> = Vec::with_capacity(logical.operands.len());
        for operand in &logical.operands {
            if operands.is_empty() || self.is_within_expansion() || !self.has_subquery(operand)? {
                operands.push(self.expression(operand)?);
                continue;
            }
            let before = self.fold(combine(std::mem::take(&mut operands)))?;
            let before = self.materialize_guarded(before);
            operands.push(Expression::Variable(before));
            let wanted = logical.operator == LogicalOperator::And;
            let bound = self.guarded(before, wanted, |binder| binder.expression(operand))?;
            operands.push(bound);
        }
        Ok(combine(operands))
    }

    pub(super) fn ternary(&mut self, ternary: &ast::Ternary) -> Result<Expression> {
        let mut condition = self.expression(&ternary.condition)?;
        let has_subquery = match &ternary.then {
            Some(then) => self.has_subquery(then)? || self.has_subquery(&ternary.otherwise)?,
            None => self.has_subquery(&ternary.otherwise)?,
        };
        if self.is_within_expansion() || !has_subquery {
            let then = ternary.then.as_ref().map(|then| self.expression(then)).transpose()?;
            let otherwise = self.expression(&ternary.otherwise)?;
            return Ok(choose(condition, then, otherwise));
        }
        let decided = self.materialize_guarded(condition);
        condition = Expression::Variable(decided);
        let then = match &ternary.then {
            None => None,
            Some(then) => Some(self.guarded(decided, true, |binder| binder.expression(then))?),
        };
        let otherwise = self.guarded(decided, false, |binder| binder.expression(&ternary.otherwise))?;
        Ok(choose(condition, then, otherwise))
    }

    /// Binds an expression that only rows evaluate in which `condition` is `wanted` (and in which
    /// the surrounding expression is evaluated).
    fn guarded(
        &mut self,
        condition: VariableId,
        wanted: bool,
        bind: impl FnOnce(&mut Self) -> Result<Expression>,
    ) -> Result<Expression> {
        let mut guard = Expression::Variable(condition);
        if !wanted {
            guard = Expression::Unary { operator: UnaryOperator::Not, operand: Box::new(guard) };
        }
        if let Some(outer) = self.guard {
            guard = Expression::And(vec![Expression::Variable(outer), guard]);
        }
        let guard = self.materialize(guard);
        let outer = self.guard.replace(guard);
        let bound = bind(self);
        self.guard = outer;
        bound
    }

    /// Returns true if the expression has a subquery in it.
    ///
    /// Every operator asks for its operands, so that the inner ones of a deep nest are searched
    /// often. Errors: 1500 for a query that was ended.
    fn has_subquery(&self, expression: &ast::Expression) -> Result<bool> {
        for (position, inner) in walk::expressions(expression).enumerate() {
            if matches!(inner.kind, ExpressionKind::Subquery(_)) {
                return Ok(true);
            }
            if position % EXPRESSIONS_PER_CHECK == EXPRESSIONS_PER_CHECK - 1 {
                self.interrupt.check()?;
            }
        }
        Ok(false)
    }

    /// Sets a variable to the expression in rows that would evaluate it, and to null in others.
    fn materialize_guarded(&mut self, expression: Expression) -> VariableId {
        let needs_guard = !matches!(expression, Expression::Variable(_) | Expression::Constant(_));
        match self.guard {
            Some(guard) if needs_guard => {
                let condition = Expression::Variable(guard);
                self.materialize(choose(condition, Some(expression), Expression::Constant(Value::Null)))
            }
            _ => self.materialize(expression),
        }
    }
}

fn choose(condition: Expression, then: Option<Expression>, otherwise: Expression) -> Expression {
    let (condition, then) = (Box::new(condition), then.map(Box::new));
    Expression::Ternary { condition, then, otherwise: Box::new(otherwise) }
}
