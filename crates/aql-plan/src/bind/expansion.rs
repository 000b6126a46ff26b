//! Binding of `[* ...]` and `[? ...]`.

use aql_syntax::ast::{self, ExpressionKind};
use errors::Result;

use super::expansion_loop::needs_loop;
use super::{Binder, Element};
use crate::expression::{ArrayQuestion, Expansion, Expression, Quantifier};
use crate::variable::VariableId;

impl Binder<'_> {
    pub(super) fn expansion(&mut self, expansion: &ast::Expansion) -> Result<Expression> {
        self.interrupt.check()?;
        if needs_loop([&expansion.filter, &expansion.result, &expansion.projection]) {
            return self.expansion_loop(expansion);
        }
        let input = self.expression(&expansion.base)?;
        let (offset, limit) = self.inline_limit(expansion)?;
        let element = self.variables.add_temporary();
        let filter = self.within(element, expansion.filter.as_ref())?;
        let result = self.within(element, expansion.result.as_ref())?;
        let projection = match &expansion.projection {
            None => result,
            Some(projection) => {
                self.elements.push(Element::Result(result.unwrap_or(Expression::Variable(element))));
                let projection = self.expression(without_last_star(expansion, projection));
                self.elements.pop();
                Some(projection?)
            }
        };
        let levels = expansion.levels;
        let bound = Expansion { input, levels, element, filter, offset, limit, projection };
        Ok(Expression::Expansion(Box::new(bound)))
    }

    /// Returns offset and count of an inline LIMIT.
    pub(super) fn inline_limit(
        &mut self,
        expansion: &ast::Expansion,
    ) -> Result<(Option<Expression>, Option<Expression>)> {
        let Some(limit) = &expansion.limit else { return Ok((None, None)) };
        let offset = limit.offset.as_ref().map(|offset| self.expression(offset)).transpose()?;
        Ok((offset, Some(self.expression(&limit.count)?)))
    }

    pub(super) fn array_question(&mut self, question: &ast::ArrayQuestion) -> Result<Expression> {
        self.interrupt.check()?;
        if needs_loop([&question.filter]) {
            return self.array_question_loop(question);
        }
        let input = self.expression(&question.base)?;
        let quantifier = self.question_quantifier(question)?;
        let element = self.variables.add_temporary();
        let filter = self.within(element, question.filter.as_ref())?;
        let bound = ArrayQuestion { input, levels: question.levels, quantifier, element, filter };
        Ok(Expression::ArrayQuestion(Box::new(bound)))
    }

    pub(super) fn question_quantifier(&mut self, question: &ast::ArrayQuestion) -> Result<Quantifier> {
        Ok(match &question.quantifier {
            None => Quantifier::Any,
            Some(ast::QuestionQuantifier::Quantifier(quantifier)) => self.quantifier(quantifier)?,
            Some(ast::QuestionQuantifier::Count(count)) => {
                Quantifier::Exactly(Box::new(self.expression(count)?))
            }
        })
    }

    /// Binds an expression in which `CURRENT` is `element`.
    fn within(
        &mut self,
        element: VariableId,
        expression: Option<&ast::Expression>,
    ) -> Result<Option<Expression>> {
        let Some(expression) = expression else { return Ok(None) };
        self.elements.push(Element::Current(element));
        let bound = self.expression(expression);
        self.elements.pop();
        bound.map(Some)
    }

    /// Returns true if the expression being bound is evaluated for the elements of an expansion,
    /// rather than once a row.
    pub(super) fn is_within_expansion(&self) -> bool {
        matches!(self.elements.last(), Some(Element::Current(_) | Element::Result(_)))
    }

    /// Returns true if `CURRENT` is an element here.
    pub(super) fn is_within_brackets(&self) -> bool {
        self.elements.iter().any(|element| matches!(element, Element::Current(_) | Element::RowCurrent(_)))
    }
}

/// Returns the projection of an expansion, without the last `[*]` of `a[*].b[*].c[*]`.
///
/// As in ArangoDB, this one keeps values that are not arrays. It does not change arrays.
fn without_last_star<'a>(expansion: &ast::Expansion, projection: &'a ast::Expression) -> &'a ast::Expression {
    match &projection.kind {
        ExpressionKind::Expansion(last) if is_bare(last) && is_projection(&expansion.base) => &last.base,
        _ => projection,
    }
}

/// Returns true for `[*]` with nothing in or after it.
fn is_bare(expansion: &ast::Expansion) -> bool {
    let has_parts = expansion.filter.is_some() || expansion.limit.is_some() || expansion.result.is_some();
    expansion.levels == 1 && !has_parts && expansion.projection.is_none()
}

/// Returns true for an access to the element of an enclosing expansion.
fn is_projection(mut base: &ast::Expression) -> bool {
    loop {
        base = match &base.kind {
            ExpressionKind::Element => return true,
            ExpressionKind::AttributeAccess(inner, _)
            | ExpressionKind::BoundAttributeAccess(inner, _)
            | ExpressionKind::IndexedAccess(inner, _) => inner,
            _ => return false,
        }
    }
}
