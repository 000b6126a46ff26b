//! Destructuring patterns.

use super::{Parsed, Parser};
use crate::ast::{ObjectPatternMember, Pattern, PatternKind, Span};
use crate::token::TokenKind;

impl Parser<'_> {
    /// Parses a variable, `[a, , b]` or `{ x, y: z }`.
    pub(super) fn pattern(&mut self) -> Parsed<Pattern> {
        let start = self.current.span.start;
        let kind = match self.current.kind {
            TokenKind::LeftBracket => PatternKind::Array(self.nested(Self::array_pattern)?),
            TokenKind::LeftBrace => PatternKind::Object(self.nested(Self::object_pattern)?),
            kind if kind.is_identifier() => PatternKind::Variable(self.identifier()?),
            _ => {
                return Err(self.unexpected(&[
                    TokenKind::Identifier,
                    TokenKind::LeftBrace,
                    TokenKind::LeftBracket,
                ]));
            }
        };
        Ok(Pattern { kind, span: Span::new(start, self.previous.span.end) })
    }

    /// Parses elements between commas. An empty element skips one; a trailing comma skips nothing.
    fn array_pattern(&mut self) -> Parsed<Vec<Option<Pattern>>> {
        self.advance();
        let mut elements = Vec::new();
        while !self.at(TokenKind::RightBracket) {
            if self.accept(TokenKind::Comma) {
                elements.push(None);
                continue;
            }
            elements.push(Some(self.pattern()?));
            if !self.accept(TokenKind::Comma) {
                break;
            }
        }
        self.expect(TokenKind::RightBracket)?;
        Ok(elements)
    }

    fn object_pattern(&mut self) -> Parsed<Vec<ObjectPatternMember>> {
        self.advance();
        let mut members = Vec::new();
        while !self.at(TokenKind::RightBrace) {
            // A hole, as in arrays.
            if self.accept(TokenKind::Comma) {
                continue;
            }
            members.push(self.object_pattern_member()?);
            if !self.accept(TokenKind::Comma) {
                break;
            }
        }
        self.expect(TokenKind::RightBrace)?;
        Ok(members)
    }

    fn object_pattern_member(&mut self) -> Parsed<ObjectPatternMember> {
        let token = self.current;
        if token.kind == TokenKind::String {
            self.advance();
            self.expect(TokenKind::Colon)?;
            return self.object_pattern_target(self.string_of(token), token.span.start);
        }
        let variable = self.identifier()?;
        if self.accept(TokenKind::Colon) {
            return self.object_pattern_target(variable.name, token.span.start);
        }
        Ok(ObjectPatternMember {
            attribute: variable.name.clone(),
            target: Pattern { kind: PatternKind::Variable(variable), span: token.span },
            span: token.span,
        })
    }

    fn object_pattern_target(&mut self, attribute: String, start: u32) -> Parsed<ObjectPatternMember> {
        let target = self.pattern()?;
        Ok(ObjectPatternMember { attribute, target, span: Span::new(start, self.previous.span.end) })
    }
}
