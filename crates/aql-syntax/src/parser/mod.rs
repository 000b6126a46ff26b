//! The parser: recursive descent for statements, operator precedence for expressions.
//!
//! Every recursive path of calls passes [`Parser::nested`], which bounds the stack.
//! [`Parser::node`] makes every expression and bounds its height. So neither the parser nor a walk
//! over its tree goes deeper than [`Limits::max_depth`].
//!
//! Recursive functions are not inlined into each other: otherwise every level would pay for the
//! locals of all of them.
//!
//! The first error ends parsing. There is one token of lookahead, [`Parser::current`]. The few
//! places that need more call [`Parser::peek`].

mod collect;
mod expression;
mod for_;
mod graph;
mod modify;
mod operators;
mod pattern;
mod postfix;
mod statement;

use errors::ErrorCode;

use crate::ast::{DataSource, DataSourceName, Expression, ExpressionKind, Identifier, Query, Span};
use crate::error::{ParseError, ParseWarning};
use crate::lexer::{last_trivia, token_at};
use crate::literal::unescape;
use crate::position::{Position, position};
use crate::token::{Token, TokenKind};
use crate::{Limits, Watch};

/// Maximum number of expected tokens that a message lists; if there are more, it lists none.
const LISTED_EXPECTATIONS: usize = 4;

/// The error is boxed to keep results, which pass through deep recursion, small.
type Parsed<T> = Result<T, Box<ParseError>>;

/// Tokens between two calls of the watch.
const TOKENS_PER_LOOK: usize = 4096;

pub(crate) fn parse(text: &str, limits: &Limits, watch: &mut Watch<'_>) -> Result<Query, ParseError> {
    let start = Position { offset: 0, line: 1, column: 1 };
    if text.len() > limits.max_bytes as usize {
        return Err(ParseError {
            code: ErrorCode::QueryTooMuchNesting,
            message: format!("query text has {} bytes, at most {} are allowed", text.len(), limits.max_bytes),
            position: start,
        });
    }
    let mut parser = Parser::new(text, limits, watch);
    let parsed = parser.query();
    if let Some(refusal) = parser.refusal {
        let message = refusal.message().to_owned();
        return Err(ParseError { code: refusal.code(), message, position: start });
    }
    parsed.map_err(|error| *error)
}

/// A word that may end an expression although it is an operator as well.
#[derive(Clone, Copy, PartialEq, Eq)]
enum ExpressionEnd {
    /// There is none.
    Plain,
    /// `IN` before a collection; see [`Parser::modification_operand`].
    Collection,
    /// `ANY` as the direction of a traversal; see [`Parser::source_or_depth`].
    Direction,
}

struct Parser<'a> {
    text: &'a str,
    limits: &'a Limits,
    /// The next token.
    current: Token,
    /// The token before it.
    previous: Token,
    depth: u32,
    /// The word that may end the expression instead of being an operator.
    end: ExpressionEnd,
    warnings: Vec<ParseWarning>,
    tokens: usize,
    watch: &'a mut Watch<'a>,
    /// The refusal of the watch, which ended the text early.
    refusal: Option<errors::Error>,
}

impl<'a> Parser<'a> {
    fn new(text: &'a str, limits: &'a Limits, watch: &'a mut Watch<'a>) -> Parser<'a> {
        let nothing = Token { kind: TokenKind::End, span: Span::default() };
        Parser {
            text,
            limits,
            current: token_at(text, 0),
            previous: nothing,
            depth: 0,
            end: ExpressionEnd::Plain,
            warnings: Vec::new(),
            tokens: 0,
            watch,
            refusal: None,
        }
    }

    fn query(&mut self) -> Parsed<Query> {
        if self.at(TokenKind::End) {
            let (code, message) = match self.text.is_empty() {
                true => (ErrorCode::QueryEmpty, "query is empty"),
                false => (ErrorCode::QueryParse, "syntax error, unexpected end of query string"),
            };
            return Err(Box::new(ParseError {
                code,
                message: message.to_owned(),
                position: position(self.text, 0),
            }));
        }
        let with = self.with()?;
        let body = self.block()?;
        if !self.at(TokenKind::End) {
            return Err(self.unexpected_after_block(&body, TokenKind::End));
        }
        Ok(Query { with, body, warnings: std::mem::take(&mut self.warnings) })
    }

    /// Parses `WITH a, b`; commas may be omitted.
    fn with(&mut self) -> Parsed<Vec<DataSource>> {
        let mut sources = Vec::new();
        if self.accept(TokenKind::With) {
            loop {
                sources.push(self.data_source(&[
                    TokenKind::Identifier,
                    TokenKind::BindParameter,
                    TokenKind::DataSourceBindParameter,
                ])?);
                let more = self.accept(TokenKind::Comma)
                    || self.current.kind.is_identifier()
                    || self.at(TokenKind::BindParameter)
                    || self.at(TokenKind::DataSourceBindParameter);
                if !more {
                    break;
                }
            }
        }
        Ok(sources)
    }

    /// Parses a collection or View, named by one of the given kinds of token.
    fn data_source(&mut self, accepted: &[TokenKind]) -> Parsed<DataSource> {
        let token = self.current;
        let name = match token.kind {
            TokenKind::Identifier | TokenKind::QuotedIdentifier => DataSourceName::Name(self.name_of(token)),
            TokenKind::String if accepted.contains(&token.kind) => {
                DataSourceName::Name(self.string_of(token))
            }
            TokenKind::DataSourceBindParameter => DataSourceName::BindParameter(self.bind_name_of(token)),
            TokenKind::BindParameter if accepted.contains(&token.kind) => {
                DataSourceName::ValueParameter(self.bind_name_of(token))
            }
            _ => return Err(self.unexpected(accepted)),
        };
        self.advance();
        Ok(DataSource { name, span: token.span })
    }

    fn identifier(&mut self) -> Parsed<Identifier> {
        if !self.current.kind.is_identifier() {
            return Err(self.unexpected(&[TokenKind::Identifier]));
        }
        let token = self.advance();
        Ok(Identifier { name: self.name_of(token), span: token.span })
    }
}

/// Tokens.
impl<'a> Parser<'a> {
    fn at(&self, kind: TokenKind) -> bool {
        self.current.kind == kind
    }

    /// Returns true if the next token is this word, which is not reserved.
    fn at_word(&self, word: &str) -> bool {
        self.at(TokenKind::Identifier) && self.text_of(self.current).eq_ignore_ascii_case(word)
    }

    fn advance(&mut self) -> Token {
        self.previous = self.current;
        self.tokens += 1;
        if self.tokens.is_multiple_of(TOKENS_PER_LOOK) && self.refusal.is_none() {
            self.refusal = (self.watch)(self.tokens).err();
        }
        self.current = match self.refusal.is_some() {
            true => Token { kind: TokenKind::End, span: self.previous.span },
            false => token_at(self.text, self.current.span.end),
        };
        self.previous
    }

    fn accept(&mut self, kind: TokenKind) -> bool {
        let found = self.at(kind);
        if found {
            self.advance();
        }
        found
    }

    fn accept_word(&mut self, word: &str) -> bool {
        let found = self.at_word(word);
        if found {
            self.advance();
        }
        found
    }

    fn expect(&mut self, kind: TokenKind) -> Parsed<Token> {
        if self.at(kind) { Ok(self.advance()) } else { Err(self.unexpected(&[kind])) }
    }

    /// Consumes a token like [`Parser::expect`] where many other tokens are valid, as after an
    /// expression.
    fn expect_among_others(&mut self, kind: TokenKind) -> Parsed<Token> {
        if self.at(kind) { Ok(self.advance()) } else { Err(self.unexpected(&[])) }
    }

    /// Returns the token after the next.
    fn peek(&self) -> Token {
        self.token_after(self.current)
    }

    fn token_after(&self, token: Token) -> Token {
        token_at(self.text, token.span.end)
    }

    fn text_of(&self, token: Token) -> &'a str {
        self.text_at(token.span).unwrap_or_default()
    }

    fn text_at(&self, span: Span) -> Option<&'a str> {
        self.text.get(span.start as usize..span.end as usize)
    }

    /// Returns the name that an identifier spells, quoted or not.
    fn name_of(&self, token: Token) -> String {
        let text = self.text_of(token);
        let body = match token.kind {
            TokenKind::QuotedIdentifier => text.strip_prefix(['`', '´']),
            _ => None,
        };
        let quoted = body.and_then(|body| body.strip_suffix(['`', '´']));
        quoted.map_or_else(|| text.to_owned(), unescape)
    }

    /// Returns the name of a variable. Pseudo variables may have a dollar sign.
    fn reference_of(&self, token: Token) -> String {
        match self.text_of(token) {
            "$CURRENT" => "CURRENT".to_owned(),
            "$NEW" => "NEW".to_owned(),
            "$OLD" => "OLD".to_owned(),
            _ => self.name_of(token),
        }
    }

    fn string_of(&self, token: Token) -> String {
        let text = self.text_of(token);
        unescape(text.get(1..text.len().saturating_sub(1)).unwrap_or_default())
    }

    /// Returns the name of a bind parameter, without `@` or `@@`.
    fn bind_name_of(&self, token: Token) -> String {
        self.text_of(token).trim_start_matches('@').to_owned()
    }
}

/// Limits and nodes.
impl Parser<'_> {
    /// Runs `parse` one level deeper.
    fn nested<T>(&mut self, parse: impl FnOnce(&mut Self) -> Parsed<T>) -> Parsed<T> {
        if self.depth >= self.limits.max_depth {
            return Err(self.too_deep(self.current.span));
        }
        self.depth += 1;
        let result = parse(self);
        self.depth -= 1;
        result
    }

    /// Runs `parse` one level deeper for an operand. A parenthesis at its beginning adds that level
    /// itself, so that both together count once.
    fn nested_once<T>(&mut self, parse: impl FnOnce(&mut Self) -> Parsed<T>) -> Parsed<T> {
        if self.at(TokenKind::LeftParenthesis) { parse(self) } else { self.nested(parse) }
    }

    /// Creates an expression whose text extends from `start` to the last consumed token.
    fn node(&mut self, kind: ExpressionKind, start: u32) -> Parsed<Expression> {
        let expression = Expression::new(kind, Span::new(start, self.previous.span.end));
        if expression.height() > self.limits.max_depth {
            return Err(self.too_deep(expression.span));
        }
        Ok(expression)
    }
}

/// Errors.
impl Parser<'_> {
    /// Returns the error for a next token that is not valid here.
    ///
    /// `expected` lists the valid tokens if they are few; it is empty if they are many.
    #[cold]
    fn unexpected(&self, expected: &[TokenKind]) -> Box<ParseError> {
        match self.current.kind {
            kind @ (TokenKind::UnterminatedString
            | TokenKind::UnterminatedIdentifier
            | TokenKind::UnterminatedComment) => {
                self.error(self.current.span, &format!("unexpected {}", kind.name()))
            }
            TokenKind::End => {
                // The start of the text's last lexeme, because ArangoDB read that last.
                let start =
                    last_trivia(self.text, self.previous.span.end).unwrap_or(self.previous.span.start);
                let span = Span::new(start, self.current.span.end);
                self.error(span, &unexpected_message(TokenKind::End, expected))
            }
            kind => self.error(self.current.span, &unexpected_message(kind, expected)),
        }
    }

    #[cold]
    fn unexpected_word(&self, token: Token, expected: &str) -> Box<ParseError> {
        let word = self.text_of(token);
        self.error(token.span, &format!("unexpected qualifier '{word}', expecting '{expected}'"))
    }

    #[cold]
    fn error(&self, span: Span, message: &str) -> Box<ParseError> {
        self.error_of(ErrorCode::QueryParse, span, message)
    }

    #[cold]
    fn too_deep(&self, span: Span) -> Box<ParseError> {
        self.error_of(ErrorCode::QueryTooMuchNesting, span, "too much nesting or too many objects")
    }

    #[cold]
    fn error_of(&self, code: ErrorCode, span: Span, message: &str) -> Box<ParseError> {
        Box::new(ParseError::new(code, message, self.text, span))
    }
}

fn unexpected_message(kind: TokenKind, expected: &[TokenKind]) -> String {
    let mut message = format!("syntax error, unexpected {}", kind.name());
    if expected.len() <= LISTED_EXPECTATIONS {
        for (index, expectation) in expected.iter().enumerate() {
            message.push_str(if index == 0 { ", expecting " } else { " or " });
            message.push_str(expectation.name());
        }
    }
    message
}
