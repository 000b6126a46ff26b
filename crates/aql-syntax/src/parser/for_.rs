//! `FOR` over arrays, collections and Views, and the choice between the kinds of `FOR`.

use super::{Parsed, Parser};
use crate::ast::{Expression, For, Identifier, Pattern, PatternKind, Span, StatementKind};
use crate::token::TokenKind;

/// The targets between `FOR` and `IN`.
pub(super) struct ForTarget {
    pub(super) first: Pattern,
    pub(super) more: Vec<Identifier>,
    pub(super) span: Span,
}

impl Parser<'_> {
    #[inline(never)]
    pub(super) fn for_statement(&mut self) -> Parsed<StatementKind> {
        self.advance();
        let target = self.for_target()?;
        self.expect(TokenKind::In)?;
        if let Some(direction) = self.direction() {
            return self.graph_statement(target, None, direction);
        }
        let source = self.source_or_depth()?;
        if let Some(direction) = self.direction() {
            return self.graph_statement(target, Some(source), direction);
        }
        self.for_source(target, source)
    }

    fn for_target(&mut self) -> Parsed<ForTarget> {
        let first = self.pattern()?;
        let mut more = Vec::new();
        let mut span = first.span;
        while self.accept(TokenKind::Comma) {
            // The documentation of traversals has `FOR v, IN 0..1 OUTBOUND ...`.
            if self.at(TokenKind::In) && more.is_empty() {
                span = span.to(self.previous.span);
                break;
            }
            let variable = self.identifier()?;
            span = span.to(variable.span);
            more.push(variable);
        }
        Ok(ForTarget { first, more, span })
    }

    #[inline(never)]
    fn for_source(&mut self, target: ForTarget, source: Expression) -> Parsed<StatementKind> {
        if target.span != target.first.span {
            let message = "FOR loops over collections, Views and arrays only allow a single return variable";
            return Err(self.error(target.span, message));
        }
        let search = if self.accept_word("SEARCH") { Some(self.expression()?) } else { None };
        let options = self.options()?;
        Ok(StatementKind::For(For { target: target.first, source, search, options }))
    }
}

impl ForTarget {
    /// Returns the variables if none of them is a pattern.
    pub(super) fn variables(self) -> Option<Vec<Identifier>> {
        match self.first.kind {
            PatternKind::Variable(first) => {
                let mut variables = self.more;
                variables.insert(0, first);
                Some(variables)
            }
            PatternKind::Array(_) | PatternKind::Object(_) => None,
        }
    }
}
