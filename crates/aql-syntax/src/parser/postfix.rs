//! Accesses after a reference: attributes, indexes, and the array operators `[*]` and `[?]`.

use super::{Parsed, Parser};
use crate::ast::{ArrayQuestion, Expansion, Expression, ExpressionKind, InlineLimit, QuestionQuantifier};
use crate::token::TokenKind;

/// An expansion whose projection is still being parsed.
struct OpenExpansion {
    expansion: Box<Expansion>,
    start: u32,
}

impl Parser<'_> {
    /// Parses all accesses that follow `base`.
    ///
    /// The accesses after a `[*]` apply to its elements. So each `[*]` opens an expansion, and the
    /// chain continues from its element. At the end the open expansions are closed from the
    /// innermost outwards. A `[**]` flattens the result of the whole chain before it, so it closes
    /// the open expansions first.
    #[inline(never)]
    pub(super) fn accesses(&mut self, base: Expression, start: u32) -> Parsed<Expression> {
        let mut open: Vec<OpenExpansion> = Vec::new();
        let mut chain = base;
        let whole_start = start;
        let mut start = start;
        loop {
            chain = match self.current.kind {
                TokenKind::Dot => self.attribute(chain, start)?,
                TokenKind::LeftBracket => match self.peek().kind {
                    TokenKind::Star => {
                        let levels = self.levels(TokenKind::Star);
                        if levels > 1 && !open.is_empty() {
                            chain = self.close(&mut open, chain)?;
                            start = whole_start;
                        }
                        let expansion = self.expansion(chain, levels)?;
                        open.push(OpenExpansion { expansion, start });
                        start = self.previous.span.end;
                        self.node(ExpressionKind::Element, start)?
                    }
                    TokenKind::Question => self.question(chain, start)?,
                    _ => self.index(chain, start)?,
                },
                _ => break,
            };
        }
        self.close(&mut open, chain)
    }

    /// Closes the open expansions. `chain` applies to the elements of the innermost one.
    fn close(&mut self, open: &mut Vec<OpenExpansion>, mut chain: Expression) -> Parsed<Expression> {
        while let Some(OpenExpansion { mut expansion, start }) = open.pop() {
            expansion.projection = Some(chain).filter(|chain| chain.kind != ExpressionKind::Element);
            chain = self.node(ExpressionKind::Expansion(expansion), start)?;
        }
        Ok(chain)
    }

    /// Parses `.name` or `.@bind`.
    #[inline(never)]
    fn attribute(&mut self, base: Expression, start: u32) -> Parsed<Expression> {
        self.advance();
        let token = self.current;
        let kind = match token.kind {
            TokenKind::Identifier | TokenKind::QuotedIdentifier => {
                ExpressionKind::AttributeAccess(Box::new(base), self.name_of(token))
            }
            TokenKind::BindParameter => {
                ExpressionKind::BoundAttributeAccess(Box::new(base), self.bind_name_of(token))
            }
            _ => return Err(self.unexpected(&[TokenKind::Identifier, TokenKind::BindParameter])),
        };
        self.advance();
        self.node(kind, start)
    }

    /// Parses `[expression]`.
    #[inline(never)]
    fn index(&mut self, base: Expression, start: u32) -> Parsed<Expression> {
        self.advance();
        let index = self.expression()?;
        self.expect_among_others(TokenKind::RightBracket)?;
        self.node(ExpressionKind::IndexedAccess(Box::new(base), Box::new(index)), start)
    }

    /// Parses `FILTER c LIMIT o, n RETURN r]` after the asterisks.
    #[inline(never)]
    fn expansion(&mut self, base: Expression, levels: u32) -> Parsed<Box<Expansion>> {
        // Filled in place, which takes less stack than many locals.
        let mut expansion =
            Box::new(Expansion { base, levels, filter: None, limit: None, result: None, projection: None });
        expansion.filter = self.inline(TokenKind::Filter)?;
        expansion.limit = self.inline_limit()?;
        expansion.result = self.inline(TokenKind::Return)?;
        self.expect_among_others(TokenKind::RightBracket)?;
        Ok(expansion)
    }

    /// Parses the opening bracket and counts a run of `mark`s.
    fn levels(&mut self, mark: TokenKind) -> u32 {
        self.advance();
        let mut levels = 0;
        while self.accept(mark) {
            levels += 1;
        }
        levels
    }

    /// Parses `keyword expression`, if the keyword comes next.
    #[inline(never)]
    fn inline(&mut self, keyword: TokenKind) -> Parsed<Option<Expression>> {
        if self.accept(keyword) { self.expression().map(Some) } else { Ok(None) }
    }

    #[inline(never)]
    fn inline_limit(&mut self) -> Parsed<Option<InlineLimit>> {
        let Some(first) = self.inline(TokenKind::Limit)? else {
            return Ok(None);
        };
        Ok(Some(if self.accept(TokenKind::Comma) {
            InlineLimit { offset: Some(first), count: self.expression()? }
        } else {
            InlineLimit { offset: None, count: first }
        }))
    }

    /// Parses `[? quantifier FILTER c]`.
    #[inline(never)]
    fn question(&mut self, base: Expression, start: u32) -> Parsed<Expression> {
        let levels = self.levels(TokenKind::Question);
        let mut question = Box::new(ArrayQuestion { base, levels, quantifier: None, filter: None });
        question.quantifier = self.question_quantifier()?;
        if question.quantifier.is_some() && !self.at(TokenKind::Filter) {
            return Err(self.unexpected(&[TokenKind::Filter]));
        }
        question.filter = self.inline(TokenKind::Filter)?;
        self.expect_among_others(TokenKind::RightBracket)?;
        self.node(ExpressionKind::ArrayQuestion(question), start)
    }

    #[inline(never)]
    fn question_quantifier(&mut self) -> Parsed<Option<QuestionQuantifier>> {
        Ok(match self.current.kind {
            TokenKind::RightBracket | TokenKind::Filter => None,
            TokenKind::All | TokenKind::Any | TokenKind::None | TokenKind::AtLeast => {
                Some(QuestionQuantifier::Quantifier(self.quantifier()?))
            }
            _ => Some(QuestionQuantifier::Count(self.expression()?)),
        })
    }
}
