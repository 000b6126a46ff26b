//! Binding of `[* ...]` and `[? ...]`.

use super::{Binder, Element};
use crate::expression::{ArrayQuestion, Expansion, Expression, Quantifier};
use crate::variable::VariableId;
use aql_syntax::ast;
use aql_value::Result;

impl Binder<'_> {
    pub(super) fn expansion(&mut self, expansion: &ast::Expansion) -> Result<Expression> {
        let input = self.expression(&expansion.base)?;
        let (offset, limit) = match &expansion.limit {
            None => (None, None),
            Some(limit) => {
                let offset = limit.offset.as_ref().map(|offset| self.expression(offset)).transpose()?;
                (offset, Some(self.expression(&limit.count)?))
            }
        };
        let element = self.variables.add_temporary();
        let filter = self.within(element, expansion.filter.as_ref())?;
        let result = self.within(element, expansion.result.as_ref())?;
        let projection = match &expansion.projection {
            None => result,
            Some(projection) => {
                self.elements.push(Element::Result(result.unwrap_or(Expression::Variable(element))));
                let projection = self.expression(projection);
                self.elements.pop();
                Some(projection?)
            }
        };
        let levels = expansion.levels;
        let bound = Expansion { input, levels, element, filter, offset, limit, projection };
        Ok(Expression::Expansion(Box::new(bound)))
    }

    pub(super) fn array_question(&mut self, question: &ast::ArrayQuestion) -> Result<Expression> {
        let input = self.expression(&question.base)?;
        let quantifier = match &question.quantifier {
            None => Quantifier::Any,
            Some(ast::QuestionQuantifier::Quantifier(quantifier)) => self.quantifier(quantifier)?,
            Some(ast::QuestionQuantifier::Count(count)) => {
                Quantifier::Exactly(Box::new(self.expression(count)?))
            }
        };
        let element = self.variables.add_temporary();
        let filter = self.within(element, question.filter.as_ref())?;
        let bound = ArrayQuestion { input, levels: question.levels, quantifier, element, filter };
        Ok(Expression::ArrayQuestion(Box::new(bound)))
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

    /// Whether the expression being bound is evaluated for the elements of an expansion (rather than once a row).
    pub(super) fn is_within_expansion(&self) -> bool {
        self.elements.last().is_some_and(|element| !matches!(element, Element::Barrier))
    }
}
