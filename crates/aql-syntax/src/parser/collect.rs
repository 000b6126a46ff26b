//! `COLLECT` and `WINDOW`.

use errors::ErrorCode;

use super::{Parsed, Parser};
use crate::ast::{
    Aggregate, Assignment, Collect, CollectInto, ExpressionKind, Identifier, StatementKind, Window,
};
use crate::token::TokenKind;

/// The functions that are valid after `AGGREGATE`, sorted.
const AGGREGATORS: [&str; 21] = [
    "AVERAGE",
    "AVG",
    "BIT_AND",
    "BIT_OR",
    "BIT_XOR",
    "COUNT",
    "COUNT_DISTINCT",
    "COUNT_UNIQUE",
    "LENGTH",
    "MAX",
    "MIN",
    "PUSH",
    "SORTED_UNIQUE",
    "STDDEV",
    "STDDEV_POPULATION",
    "STDDEV_SAMPLE",
    "SUM",
    "UNIQUE",
    "VARIANCE",
    "VARIANCE_POPULATION",
    "VARIANCE_SAMPLE",
];

impl Parser<'_> {
    #[inline(never)]
    pub(super) fn collect(&mut self) -> Parsed<StatementKind> {
        self.advance();
        let groups = self.groups()?;
        let aggregates = self.aggregates()?;
        let counts = aggregates.is_empty() && self.at(TokenKind::With);
        let count = if counts { Some(self.with_count()?) } else { None };
        let into = if count.is_none() { self.collect_into(aggregates.is_empty())? } else { None };
        if groups.is_empty() && aggregates.is_empty() && count.is_none() && into.is_none() {
            return Err(self.unexpected(&[
                TokenKind::With,
                TokenKind::Into,
                TokenKind::Aggregate,
                TokenKind::Identifier,
            ]));
        }
        let options = self.options()?;
        Ok(StatementKind::Collect(Box::new(Collect { groups, aggregates, into, count, options })))
    }

    /// Parses `a = x, b = y`, or nothing.
    #[inline(never)]
    fn groups(&mut self) -> Parsed<Vec<Assignment>> {
        let mut groups = Vec::new();
        // In `COLLECT INTO g OPTIONS {...}` a word is where a group could be.
        let mut more = self.current.kind.is_identifier() && self.peek().kind == TokenKind::Assign;
        while more {
            groups.push(self.assignment()?);
            more = self.accept(TokenKind::Comma);
        }
        Ok(groups)
    }

    fn assignment(&mut self) -> Parsed<Assignment> {
        let variable = self.identifier()?;
        self.expect(TokenKind::Assign)?;
        Ok(Assignment { variable, expression: self.expression()? })
    }

    /// Parses `AGGREGATE a = SUM(x), b = MIN(y)`, or nothing.
    fn aggregates(&mut self) -> Parsed<Vec<Aggregate>> {
        let mut aggregates = Vec::new();
        let mut more = self.accept(TokenKind::Aggregate);
        while more {
            aggregates.push(self.aggregate()?);
            more = self.accept(TokenKind::Comma);
        }
        Ok(aggregates)
    }

    #[inline(never)]
    fn aggregate(&mut self) -> Parsed<Aggregate> {
        let Assignment { variable, expression } = self.assignment()?;
        let span = expression.span;
        match expression.kind {
            ExpressionKind::FunctionCall(call) if is_aggregator(call.name.normalized()) => {
                Ok(Aggregate { variable, function: call.name, arguments: call.arguments, span })
            }
            kind => {
                let code = match kind {
                    ExpressionKind::Null
                    | ExpressionKind::Bool(_)
                    | ExpressionKind::Int(_)
                    | ExpressionKind::Double(_)
                    | ExpressionKind::String(_) => ErrorCode::QueryParse,
                    _ => ErrorCode::QueryInvalidAggregateExpression,
                };
                Err(self.error_of(code, span, "invalid aggregate expression"))
            }
        }
    }

    /// Parses `WITH COUNT INTO name`.
    #[inline(never)]
    fn with_count(&mut self) -> Parsed<Identifier> {
        self.advance();
        if !self.accept_word("COUNT") {
            return Err(if self.at(TokenKind::Identifier) {
                self.unexpected_word(self.current, "COUNT")
            } else {
                self.unexpected(&[TokenKind::Identifier])
            });
        }
        self.expect(TokenKind::Into)?;
        self.identifier()
    }

    /// Parses `INTO name = expression KEEP a, b`, or nothing.
    #[inline(never)]
    fn collect_into(&mut self, may_keep: bool) -> Parsed<Option<CollectInto>> {
        if !self.accept(TokenKind::Into) {
            return Ok(None);
        }
        let variable = self.identifier()?;
        let expression = if self.accept(TokenKind::Assign) { Some(self.expression()?) } else { None };
        let mut keep = Vec::new();
        let mut more = may_keep && self.accept_word("KEEP");
        while more {
            keep.push(self.identifier()?);
            more = self.accept(TokenKind::Comma);
        }
        Ok(Some(CollectInto { variable, expression, keep }))
    }

    #[inline(never)]
    pub(super) fn window(&mut self) -> Parsed<StatementKind> {
        self.advance();
        let first = self.expression()?;
        let (range, bounds) = if self.accept(TokenKind::With) {
            if !self.at(TokenKind::LeftBrace) {
                return Err(self.unexpected(&[TokenKind::LeftBrace]));
            }
            (Some(first), self.nested(Self::object)?)
        } else {
            (None, first)
        };
        if !matches!(bounds.kind, ExpressionKind::Object(_)) || !self.at(TokenKind::Aggregate) {
            return Err(self.unexpected(&[]));
        }
        let aggregates = self.aggregates()?;
        Ok(StatementKind::Window(Box::new(Window { range, bounds, aggregates })))
    }
}

fn is_aggregator(normalized: &str) -> bool {
    AGGREGATORS.binary_search(&normalized).is_ok()
}
