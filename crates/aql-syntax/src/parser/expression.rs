//! Expressions, except operators (`operators.rs`) and accesses after an operand (`postfix.rs`).

use errors::ErrorCode;

use super::{ExpressionEnd, Parsed, Parser};
use crate::ast::{
    Expression, ExpressionKind, FunctionCall, FunctionName, ObjectKey, ObjectMember, Span, Ternary,
};
use crate::error::ParseWarning;
use crate::literal::{self, Number};
use crate::precedence;
use crate::token::{Token, TokenKind, keyword};

impl Parser<'_> {
    /// Parses an expression in which `IN` is always an operator.
    pub(super) fn expression(&mut self) -> Parsed<Expression> {
        self.expression_before(ExpressionEnd::Plain)
    }

    /// Parses the last expression of a modification before `IN collection`.
    ///
    /// There, `IN` is an operator unless only the collection can follow: `REMOVE a IN b IN c`
    /// removes the result of `a IN b` from `c`.
    pub(super) fn modification_operand(&mut self) -> Parsed<Expression> {
        self.expression_before(ExpressionEnd::Collection)
    }

    /// Parses the expression after `FOR ... IN`, which `ANY` may end as a direction.
    pub(super) fn source_or_depth(&mut self) -> Parsed<Expression> {
        self.expression_before(ExpressionEnd::Direction)
    }

    fn expression_before(&mut self, end: ExpressionEnd) -> Parsed<Expression> {
        let outside = std::mem::replace(&mut self.end, end);
        let result = self.ternary();
        self.end = outside;
        result
    }

    fn ternary(&mut self) -> Parsed<Expression> {
        self.nested(Self::ternary_at_this_level)
    }

    fn ternary_at_this_level(&mut self) -> Parsed<Expression> {
        let start = self.current.span.start;
        let condition = self.operators(precedence::OR)?;
        if !self.accept(TokenKind::Question) {
            return Ok(condition);
        }
        self.branches(condition, start)
    }

    /// Parses a ternary operator from behind its question mark on.
    #[inline(never)]
    fn branches(&mut self, condition: Expression, start: u32) -> Parsed<Expression> {
        let then = if self.at(TokenKind::Colon) {
            None
        } else {
            Some(self.nested_once(Self::ternary_at_this_level)?)
        };
        self.expect_among_others(TokenKind::Colon)?;
        let otherwise = self.nested_once(Self::ternary_at_this_level)?;
        let ternary = Ternary { condition, then, otherwise };
        self.node(ExpressionKind::Ternary(Box::new(ternary)), start)
    }

    /// Parses a literal, or a reference with all its accesses.
    #[inline(never)]
    pub(super) fn operand(&mut self) -> Parsed<Expression> {
        let token = self.current;
        let start = token.span.start;
        let base = match token.kind {
            TokenKind::Null
            | TokenKind::True
            | TokenKind::False
            | TokenKind::String
            | TokenKind::Integer
            | TokenKind::Double => return self.literal(),
            TokenKind::Identifier | TokenKind::QuotedIdentifier | TokenKind::Like => {
                match (token.kind, self.peek().kind) {
                    (_, TokenKind::LeftParenthesis) => self.call(),
                    (TokenKind::Like, _) => Err(self.unexpected(&[])),
                    (_, TokenKind::Scope) => self.call(),
                    _ => {
                        self.advance();
                        self.node(ExpressionKind::Reference(self.reference_of(token)), start)
                    }
                }
            }
            TokenKind::BindParameter | TokenKind::DataSourceBindParameter => self.bind_parameter(),
            TokenKind::LeftParenthesis => self.parenthesized(),
            TokenKind::LeftBracket => self.array(),
            TokenKind::LeftBrace => self.object(),
            _ => Err(self.unexpected(&[])),
        }?;
        match self.current.kind {
            TokenKind::Dot | TokenKind::LeftBracket => self.accesses(base, start),
            _ => Ok(base),
        }
    }

    /// Parses a literal that is not compound. Only an operator can follow it.
    #[inline(never)]
    pub(super) fn literal(&mut self) -> Parsed<Expression> {
        let token = self.advance();
        let kind = match token.kind {
            TokenKind::Null => ExpressionKind::Null,
            TokenKind::True => ExpressionKind::Bool(true),
            TokenKind::False => ExpressionKind::Bool(false),
            TokenKind::String => ExpressionKind::String(self.string_of(token)),
            TokenKind::Integer => self.number(token, literal::integer)?,
            _ => self.number(token, literal::double)?,
        };
        self.node(kind, token.span.start)
    }

    fn number(&mut self, token: Token, value: fn(&str) -> Number) -> Parsed<ExpressionKind> {
        Ok(match value(self.text_of(token)) {
            Number::Int(value) => ExpressionKind::Int(value),
            Number::Double(value) => ExpressionKind::Double(value),
            Number::TooManyDigits => {
                let message = "syntax error, a hexadecimal or binary number has at most 32 bits";
                return Err(self.error_of(ErrorCode::QueryParse, token.span, message));
            }
            Number::OutOfRange => {
                self.warnings.push(ParseWarning {
                    code: ErrorCode::QueryNumberOutOfRange,
                    message: "number out of range".to_owned(),
                    span: token.span,
                });
                ExpressionKind::Null
            }
        })
    }

    #[inline(never)]
    pub(super) fn bind_parameter(&mut self) -> Parsed<Expression> {
        let token = self.advance();
        let name = self.bind_name_of(token);
        let kind = match token.kind {
            TokenKind::DataSourceBindParameter => ExpressionKind::DataSourceBindParameter(name),
            _ => ExpressionKind::BindParameter(name),
        };
        self.node(kind, token.span.start)
    }

    /// Parses `(expression)` or `(query)`.
    #[inline(never)]
    fn parenthesized(&mut self) -> Parsed<Expression> {
        self.advance();
        if self.current.kind.starts_statement() {
            let subquery = self.nested(|parser| parser.subquery(&[TokenKind::RightParenthesis]))?;
            self.advance();
            return Ok(subquery);
        }
        let inner = self.expression()?;
        self.expect_among_others(TokenKind::RightParenthesis)?;
        Ok(inner)
    }

    /// Parses a subquery up to the token that ends it, which is one of `ends` and stays.
    #[inline(never)]
    fn subquery(&mut self, ends: &[TokenKind]) -> Parsed<Expression> {
        let start = self.current.span.start;
        let outside = std::mem::replace(&mut self.end, ExpressionEnd::Plain);
        let block = self.block();
        self.end = outside;
        let block = block?;
        if !ends.contains(&self.current.kind) {
            return Err(self.unexpected_after_block(&block, TokenKind::RightParenthesis));
        }
        self.node(ExpressionKind::Subquery(Box::new(block)), start)
    }

    fn bare_subquery(&mut self) -> Parsed<Expression> {
        self.subquery(&[TokenKind::Comma, TokenKind::RightParenthesis])
    }

    #[inline(never)]
    fn array(&mut self) -> Parsed<Expression> {
        let start = self.advance().span.start;
        let mut elements = Vec::new();
        while !self.at(TokenKind::RightBracket) {
            elements.push(self.array_member()?);
            if !self.accept(TokenKind::Comma) {
                break;
            }
        }
        self.expect_among_others(TokenKind::RightBracket)?;
        self.node(ExpressionKind::Array(elements), start)
    }

    fn array_member(&mut self) -> Parsed<Expression> {
        let start = self.current.span.start;
        if !self.accept_spread() {
            return self.expression();
        }
        let operand = self.nested_once(Self::expression)?;
        self.node(ExpressionKind::Spread(Box::new(operand)), start)
    }

    /// Consumes `...`, which is allowed where a member of a literal begins.
    ///
    /// It is no token, because `1...3` is the range from 1 to 0.3.
    fn accept_spread(&mut self) -> bool {
        let dots = Span::new(self.current.span.start, self.current.span.start.saturating_add(3));
        let found = self.at(TokenKind::Range) && self.text_at(dots) == Some("...");
        if found {
            self.current.span = dots;
            self.advance();
        }
        found
    }

    /// Parses `{...}`; the brace is the next token.
    #[inline(never)]
    pub(super) fn object(&mut self) -> Parsed<Expression> {
        let start = self.advance().span.start;
        let mut members = Vec::new();
        while !self.at(TokenKind::RightBrace) {
            members.push(self.object_member()?);
            if !self.accept(TokenKind::Comma) {
                break;
            }
        }
        self.expect_among_others(TokenKind::RightBrace)?;
        self.node(ExpressionKind::Object(members), start)
    }

    #[inline(never)]
    fn object_member(&mut self) -> Parsed<ObjectMember> {
        let token = self.current;
        let start = token.span.start;
        if self.accept_spread() {
            let value = self.expression()?;
            let span = Span::new(start, self.previous.span.end);
            return Ok(ObjectMember { key: ObjectKey::Spread, value, span });
        }
        let key = match token.kind {
            TokenKind::Identifier | TokenKind::QuotedIdentifier => {
                self.advance();
                if !self.at(TokenKind::Colon) {
                    let value = self.node(ExpressionKind::Reference(self.reference_of(token)), start)?;
                    return Ok(ObjectMember {
                        key: ObjectKey::Name(self.name_of(token)),
                        value,
                        span: token.span,
                    });
                }
                ObjectKey::Name(self.name_of(token))
            }
            TokenKind::String => {
                self.advance();
                ObjectKey::Name(self.string_of(token))
            }
            TokenKind::BindParameter => {
                self.advance();
                ObjectKey::BindParameter(self.bind_name_of(token))
            }
            TokenKind::LeftBracket => {
                self.advance();
                let name = self.expression()?;
                self.expect_among_others(TokenKind::RightBracket)?;
                ObjectKey::Computed(name)
            }
            _ if keyword(self.text_of(token)).is_some() => {
                self.advance();
                ObjectKey::Name(self.text_of(token).to_owned())
            }
            _ => {
                return Err(self.unexpected(&[
                    TokenKind::Identifier,
                    TokenKind::String,
                    TokenKind::BindParameter,
                    TokenKind::LeftBracket,
                ]));
            }
        };
        self.expect(TokenKind::Colon)?;
        let value = self.expression()?;
        Ok(ObjectMember { key, value, span: Span::new(start, self.previous.span.end) })
    }

    /// Parses `name(arguments)` or `space::name(arguments)`; the name is the next token.
    #[inline(never)]
    fn call(&mut self) -> Parsed<Expression> {
        let name = self.function_name()?;
        let start = name.span.start;
        let arguments = self.arguments()?;
        self.node(ExpressionKind::FunctionCall(Box::new(FunctionCall { name, arguments })), start)
    }

    fn function_name(&mut self) -> Parsed<FunctionName> {
        let first = self.advance();
        let mut written = self.name_of(first);
        while self.accept(TokenKind::Scope) {
            written.push_str("::");
            written.push_str(&self.identifier()?.name);
        }
        Ok(FunctionName::new(written, first.span.to(self.previous.span)))
    }

    fn arguments(&mut self) -> Parsed<Vec<Expression>> {
        self.expect(TokenKind::LeftParenthesis)?;
        let mut arguments = Vec::new();
        if self.accept(TokenKind::RightParenthesis) {
            return Ok(arguments);
        }
        loop {
            let argument = if self.current.kind.starts_statement() {
                // Two levels, as if it were in parentheses, so that its printed form needs no more.
                self.nested(|parser| parser.nested(Self::bare_subquery))
            } else {
                self.expression()
            };
            arguments.push(argument?);
            if !self.accept(TokenKind::Comma) {
                break;
            }
        }
        self.expect_among_others(TokenKind::RightParenthesis)?;
        Ok(arguments)
    }
}
