//! `INSERT`, `UPDATE`, `REPLACE`, `REMOVE`, `UPSERT`.

use super::{Parsed, Parser};
use crate::ast::{
    DataSource, Expression, ExpressionKind, Insert, ObjectKey, Remove, StatementKind, Update, Upsert,
    UpsertSearch, WriteMode,
};
use crate::lexer::token_at;
use crate::token::TokenKind;

impl Parser<'_> {
    #[inline(never)]
    pub(super) fn insert(&mut self) -> Parsed<StatementKind> {
        self.advance();
        let document = self.modification_operand()?;
        let (collection, options) = self.target()?;
        Ok(StatementKind::Insert(Insert { document, collection, options }))
    }

    /// Parses `UPDATE` or `REPLACE`, with or without `WITH`.
    #[inline(never)]
    pub(super) fn update(&mut self, mode: WriteMode) -> Parsed<StatementKind> {
        self.advance();
        let key = self.modification_operand()?;
        let document = if self.accept(TokenKind::With) { Some(self.modification_operand()?) } else { None };
        let (collection, options) = self.target()?;
        Ok(StatementKind::Update(Box::new(Update { mode, key, document, collection, options })))
    }

    #[inline(never)]
    pub(super) fn remove(&mut self) -> Parsed<StatementKind> {
        self.advance();
        let key = self.modification_operand()?;
        let (collection, options) = self.target()?;
        Ok(StatementKind::Remove(Remove { key, collection, options }))
    }

    #[inline(never)]
    pub(super) fn upsert(&mut self) -> Parsed<StatementKind> {
        self.advance();
        let search = self.upsert_search()?;
        self.expect_among_others(TokenKind::Insert)?;
        let insert = self.expression()?;
        let mode = match self.current.kind {
            TokenKind::Update => WriteMode::Update,
            TokenKind::Replace => WriteMode::Replace,
            _ => return Err(self.unexpected(&[])),
        };
        self.advance();
        let update = self.modification_operand()?;
        let (collection, options) = self.target()?;
        let upsert = Upsert { search, insert, mode, update, collection, options };
        Ok(StatementKind::Upsert(Box::new(upsert)))
    }

    #[inline(never)]
    fn upsert_search(&mut self) -> Parsed<UpsertSearch> {
        if self.accept(TokenKind::Filter) {
            return Ok(UpsertSearch::Filter(self.expression()?));
        }
        let example = self.expression()?;
        let fixed = match &example.kind {
            ExpressionKind::BindParameter(_) => true,
            ExpressionKind::Object(members) => {
                !members.iter().any(|member| matches!(member.key, ObjectKey::Computed(_)))
            }
            _ => false,
        };
        if !fixed {
            let message = "UPSERT requires an object literal without dynamic attribute names as its example";
            return Err(self.error(example.span, message));
        }
        Ok(UpsertSearch::Example(example))
    }

    /// Parses `IN collection OPTIONS {...}`.
    fn target(&mut self) -> Parsed<(DataSource, Option<Expression>)> {
        if !self.accept(TokenKind::In) && !self.accept(TokenKind::Into) {
            return Err(self.unexpected(&[]));
        }
        let collection = self.data_source(&[
            TokenKind::Identifier,
            TokenKind::String,
            TokenKind::DataSourceBindParameter,
        ])?;
        Ok((collection, self.options()?))
    }

    /// Returns true if the next `IN` introduces the collection of a modification.
    ///
    /// A collection must follow, and after it a token that can follow the statement's collection
    /// but not an operand of `IN`.
    pub(super) fn collection_follows(&self) -> bool {
        let collection = self.peek();
        if !matches!(
            collection.kind,
            TokenKind::Identifier
                | TokenKind::QuotedIdentifier
                | TokenKind::String
                | TokenKind::DataSourceBindParameter
        ) {
            return false;
        }
        let behind = token_at(self.text, collection.span.end);
        match behind.kind {
            TokenKind::End | TokenKind::RightParenthesis | TokenKind::Comma | TokenKind::Identifier => true,
            kind => kind.starts_statement(),
        }
    }
}
