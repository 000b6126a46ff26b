//! Blocks of statements, and the statements that have no file of their own.

use super::{Parsed, Parser};
use crate::ast::{
    Block, Expression, Let, Limit, Return, Sort, SortDirection, SortItem, Span, Statement, StatementKind,
    WriteMode,
};
use crate::error::ParseError;
use crate::token::TokenKind;

impl Parser<'_> {
    /// Parses the statements of a query or subquery.
    ///
    /// It ends after a `RETURN`, or at the first token that starts no statement.
    ///
    /// # Errors
    /// The last statement is neither `RETURN` nor a modification.
    pub(super) fn block(&mut self) -> Parsed<Block> {
        let start = self.current.span.start;
        let mut statements = Vec::new();
        while self.current.kind.starts_statement() && !ends_in_return(&statements) {
            self.statement(&mut statements)?;
        }
        if !statements.last().is_some_and(|last| last.kind.can_end_query()) {
            return Err(self.unexpected(&[]));
        }
        Ok(Block::new(statements, Span::new(start, self.previous.span.end)))
    }

    /// Returns the error for a next token that neither continues this block nor is `end`.
    #[cold]
    pub(super) fn unexpected_after_block(&self, block: &Block, end: TokenKind) -> Box<ParseError> {
        // After a RETURN nothing else is valid; after a modification many statements are.
        if ends_in_return(&block.statements) { self.unexpected(&[end]) } else { self.unexpected(&[]) }
    }

    /// Parses one statement. A `LET` with several declarations becomes several.
    fn statement(&mut self, statements: &mut Vec<Statement>) -> Parsed<()> {
        let start = self.current.span.start;
        let kind = match self.current.kind {
            TokenKind::For => self.for_statement(),
            TokenKind::Let => return self.let_statements(statements),
            TokenKind::Filter => self.filter(),
            TokenKind::Sort => self.sort(),
            TokenKind::Limit => self.limit(),
            TokenKind::Collect => self.collect(),
            TokenKind::Window => self.window(),
            TokenKind::Return => self.return_statement(statements),
            TokenKind::Insert => self.insert(),
            TokenKind::Update => self.update(WriteMode::Update),
            TokenKind::Replace => self.update(WriteMode::Replace),
            TokenKind::Remove => self.remove(),
            TokenKind::Upsert => self.upsert(),
            _ => Err(self.unexpected(&[])),
        }?;
        statements.push(Statement { kind, span: Span::new(start, self.previous.span.end) });
        Ok(())
    }

    #[inline(never)]
    fn let_statements(&mut self, statements: &mut Vec<Statement>) -> Parsed<()> {
        let mut start = self.advance().span.start;
        loop {
            let target = self.pattern()?;
            self.expect(TokenKind::Assign)?;
            let value = self.expression()?;
            let span = Span::new(start, self.previous.span.end);
            statements.push(Statement { kind: StatementKind::Let(Let { target, value }), span });
            if !self.accept(TokenKind::Comma) {
                return Ok(());
            }
            start = self.current.span.start;
        }
    }

    #[inline(never)]
    fn filter(&mut self) -> Parsed<StatementKind> {
        self.advance();
        Ok(StatementKind::Filter(self.expression()?))
    }

    #[inline(never)]
    fn sort(&mut self) -> Parsed<StatementKind> {
        self.advance();
        let mut items = Vec::new();
        loop {
            let expression = self.expression()?;
            let direction = self.sort_direction()?;
            items.push(SortItem { expression, direction });
            if !self.accept(TokenKind::Comma) {
                return Ok(StatementKind::Sort(Sort { items }));
            }
        }
    }

    fn sort_direction(&mut self) -> Parsed<SortDirection> {
        Ok(match self.current.kind {
            TokenKind::Ascending => {
                self.advance();
                SortDirection::Ascending
            }
            TokenKind::Descending => {
                self.advance();
                SortDirection::Descending
            }
            TokenKind::Null
            | TokenKind::True
            | TokenKind::False
            | TokenKind::String
            | TokenKind::Integer
            | TokenKind::Double => SortDirection::Computed(self.literal()?),
            TokenKind::BindParameter => SortDirection::Computed(self.bind_parameter()?),
            _ => SortDirection::Ascending,
        })
    }

    #[inline(never)]
    fn limit(&mut self) -> Parsed<StatementKind> {
        self.advance();
        let first = self.expression()?;
        Ok(StatementKind::Limit(if self.accept(TokenKind::Comma) {
            Limit { offset: Some(first), count: self.expression()? }
        } else {
            Limit { offset: None, count: first }
        }))
    }

    /// Parses `RETURN` after the statements `before` of the same block.
    #[inline(never)]
    fn return_statement(&mut self, before: &[Statement]) -> Parsed<StatementKind> {
        self.advance();
        let distinct = self.at(TokenKind::Distinct);
        if distinct {
            let loops = before.iter().any(|statement| statement.kind.iterates());
            if !loops {
                let message = "cannot use DISTINCT modifier on top-level query element";
                return Err(self.error(self.current.span, message));
            }
            self.advance();
        }
        let value = self.expression()?;
        Ok(StatementKind::Return(Return { distinct, value }))
    }

    /// Parses `OPTIONS {...}`, if it comes next.
    pub(super) fn options(&mut self) -> Parsed<Option<Expression>> {
        if !self.accept_word("OPTIONS") {
            return Ok(None);
        }
        if !self.at(TokenKind::LeftBrace) {
            return Err(self.unexpected(&[TokenKind::LeftBrace]));
        }
        self.nested(Self::object).map(Some)
    }
}

fn ends_in_return(statements: &[Statement]) -> bool {
    statements.last().is_some_and(|last| matches!(last.kind, StatementKind::Return(_)))
}
