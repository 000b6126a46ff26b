//! Splits a query's text into tokens.
//!
//! [`token_at`] has no state: it finds the token after an offset. A caller looks ahead by calling
//! it again.

use crate::ast::Span;
use crate::token::{Token, TokenKind, keyword};

/// The acute accent, which AQL accepts as a quote for names: U+00B4 in UTF-8.
const FORWARD_TICK: &[u8] = "´".as_bytes();

/// Returns the first token at or after `offset`, or [`TokenKind::End`] at the end of the text.
pub(crate) fn token_at(text: &str, offset: u32) -> Token {
    let mut lexer = Lexer { bytes: text.as_bytes(), offset: offset as usize };
    lexer.token()
}

/// Returns the start of the last lexeme between `offset` and the end of the text; `None` without
/// one.
///
/// Blanks and comments are lexemes here. ArangoDB reports an unexpected end of the query at this
/// place.
pub(crate) fn last_trivia(text: &str, offset: u32) -> Option<u32> {
    let mut lexer = Lexer { bytes: text.as_bytes(), offset: offset as usize };
    let mut last = None;
    while let Some(start) = lexer.skip_one_trivia().ok()? {
        last = u32::try_from(start).ok();
    }
    last
}

struct Lexer<'a> {
    bytes: &'a [u8],
    offset: usize,
}

impl Lexer<'_> {
    fn peek(&self, ahead: usize) -> Option<u8> {
        self.bytes.get(self.offset + ahead).copied()
    }

    fn skip_while(&mut self, accept: impl Fn(u8) -> bool) {
        let rest = self.bytes.get(self.offset..).unwrap_or_default();
        self.offset += rest.iter().position(|&byte| !accept(byte)).unwrap_or(rest.len());
    }

    /// Skips a run of blanks, a line break or a comment and returns its start; `None` at anything
    /// else.
    fn skip_one_trivia(&mut self) -> Result<Option<usize>, UnterminatedComment> {
        let start = self.offset;
        match (self.peek(0), self.peek(1)) {
            (Some(b' ' | b'\t' | b'\r'), _) => self.skip_while(|byte| matches!(byte, b' ' | b'\t' | b'\r')),
            (Some(b'\n'), _) => self.offset += 1,
            (Some(b'/'), Some(b'/')) => self.skip_while(|byte| byte != b'\n'),
            (Some(b'/'), Some(b'*')) => self.skip_block_comment()?,
            _ => return Ok(None),
        }
        Ok(Some(start))
    }

    fn skip_block_comment(&mut self) -> Result<(), UnterminatedComment> {
        let body = self.bytes.get(self.offset + 2..).unwrap_or_default();
        let end = body.windows(2).position(|pair| pair == b"*/").ok_or(UnterminatedComment)?;
        self.offset += 2 + end + 2;
        Ok(())
    }

    fn token(&mut self) -> Token {
        loop {
            match self.skip_one_trivia() {
                Ok(Some(_)) => {}
                Ok(None) => break,
                Err(UnterminatedComment) => {
                    let start = self.offset;
                    self.offset = self.bytes.len();
                    return self.finish(TokenKind::UnterminatedComment, start);
                }
            }
        }
        let start = self.offset;
        let kind = match self.peek(0) {
            None => TokenKind::End,
            Some(b'a'..=b'z' | b'A'..=b'Z' | b'_' | b'$') => self.word(),
            Some(b'0'..=b'9') => self.number(),
            Some(b'.') => self.dot(),
            Some(quote @ (b'"' | b'\'')) => {
                self.quoted(&[quote], TokenKind::String, TokenKind::UnterminatedString)
            }
            Some(b'`') => self.quoted(b"`", TokenKind::QuotedIdentifier, TokenKind::UnterminatedIdentifier),
            Some(0xC2)
                if self.bytes.get(self.offset..).is_some_and(|rest| rest.starts_with(FORWARD_TICK)) =>
            {
                self.quoted(FORWARD_TICK, TokenKind::QuotedIdentifier, TokenKind::UnterminatedIdentifier)
            }
            Some(b'@') => self.bind_parameter(),
            Some(byte) => self.symbol(byte),
        };
        self.finish(kind, start)
    }

    fn finish(&self, kind: TokenKind, start: usize) -> Token {
        // The parser refuses texts whose offsets do not fit before it reads the first token.
        let offset = |offset: usize| u32::try_from(offset).unwrap_or(u32::MAX);
        Token { kind, span: Span::new(offset(start), offset(self.offset)) }
    }

    /// Reads a name: `$`? letter (letter, digit, `_`)*, or `_`+ letter (letter, digit, `_`)*.
    fn word(&mut self) -> TokenKind {
        let start = self.offset;
        match self.peek(0) {
            Some(b'$') => self.offset += 1,
            _ => self.skip_while(|byte| byte == b'_'),
        }
        if !self.peek(0).is_some_and(|byte| byte.is_ascii_alphabetic()) {
            self.offset = start + 1;
            return TokenKind::Invalid;
        }
        self.skip_while(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
        let word = self.bytes.get(start..self.offset).unwrap_or_default();
        let word = std::str::from_utf8(word).unwrap_or_default();
        match keyword(word) {
            Some(TokenKind::Not) if self.take_second_word("IN") => TokenKind::NotIn,
            Some(kind) => kind,
            None if word.eq_ignore_ascii_case("AT") && self.take_second_word("LEAST") => TokenKind::AtLeast,
            None => TokenKind::Identifier,
        }
    }

    /// Consumes the word if it comes next, after nothing but blanks and line breaks.
    fn take_second_word(&mut self, word: &str) -> bool {
        let before = self.offset;
        self.skip_while(|byte| matches!(byte, b' ' | b'\t' | b'\r' | b'\n'));
        let found = self.bytes.get(self.offset..self.offset + word.len());
        let matches = self.offset > before
            && found.is_some_and(|found| found.eq_ignore_ascii_case(word.as_bytes()))
            && !self.peek(word.len()).is_some_and(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
        self.offset = if matches { self.offset + word.len() } else { before };
        matches
    }

    /// Reads a number that starts with a digit.
    ///
    /// `1..2` is 1 and `..`; `01` is 0 and 1, which is valid in no query.
    fn number(&mut self) -> TokenKind {
        if self.peek(0) == Some(b'0') {
            let digits: fn(u8) -> bool = match self.peek(1) {
                Some(b'x' | b'X') => |byte| byte.is_ascii_hexdigit(),
                Some(b'b' | b'B') => |byte| matches!(byte, b'0' | b'1'),
                _ => |_| false,
            };
            if self.peek(2).is_some_and(digits) {
                self.offset += 2;
                self.skip_while(digits);
                return TokenKind::Integer;
            }
            self.offset += 1;
        } else {
            self.skip_while(|byte| byte.is_ascii_digit());
        }
        let fraction = self.peek(0) == Some(b'.') && self.peek(1).is_some_and(|byte| byte.is_ascii_digit());
        if fraction {
            self.offset += 1;
            self.skip_while(|byte| byte.is_ascii_digit());
        }
        if self.exponent() || fraction { TokenKind::Double } else { TokenKind::Integer }
    }

    fn exponent(&mut self) -> bool {
        let sign = usize::from(matches!(self.peek(1), Some(b'+' | b'-')));
        let found = matches!(self.peek(0), Some(b'e' | b'E'))
            && self.peek(1 + sign).is_some_and(|byte| byte.is_ascii_digit());
        if found {
            self.offset += 1 + sign;
            self.skip_while(|byte| byte.is_ascii_digit());
        }
        found
    }

    fn dot(&mut self) -> TokenKind {
        self.offset += 1;
        match self.peek(0) {
            Some(b'.') => {
                self.offset += 1;
                TokenKind::Range
            }
            Some(b'0'..=b'9') => {
                self.skip_while(|byte| byte.is_ascii_digit());
                self.exponent();
                TokenKind::Double
            }
            _ => TokenKind::Dot,
        }
    }

    /// Reads a string or a quoted name. The byte after a backslash does not end it.
    fn quoted(&mut self, quote: &[u8], kind: TokenKind, unterminated: TokenKind) -> TokenKind {
        self.offset += quote.len();
        while let Some(byte) = self.peek(0) {
            if byte == b'\\' {
                self.offset += 2;
            } else if self.bytes.get(self.offset..).is_some_and(|rest| rest.starts_with(quote)) {
                self.offset += quote.len();
                return kind;
            } else {
                self.offset += 1;
            }
        }
        self.offset = self.bytes.len();
        unterminated
    }

    /// Reads `@name` or `@@name`. The name is `_`* letter or digit (letter, digit, `_`)*.
    fn bind_parameter(&mut self) -> TokenKind {
        let start = self.offset;
        let kind = match self.peek(1) {
            Some(b'@') => TokenKind::DataSourceBindParameter,
            _ => TokenKind::BindParameter,
        };
        self.skip_while(|byte| byte == b'@');
        let ats = self.offset - start;
        self.skip_while(|byte| byte == b'_');
        if ats > 2 || !self.peek(0).is_some_and(|byte| byte.is_ascii_alphanumeric()) {
            self.offset = start + 1;
            return TokenKind::Invalid;
        }
        self.skip_while(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
        kind
    }

    fn symbol(&mut self, first: u8) -> TokenKind {
        let (length, kind) = match (first, self.peek(1)) {
            (b'=', Some(b'=')) => (2, TokenKind::Equal),
            (b'=', Some(b'~')) => (2, TokenKind::RegexMatch),
            (b'=', _) => (1, TokenKind::Assign),
            (b'!', Some(b'=')) => (2, TokenKind::NotEqual),
            (b'!', Some(b'~')) => (2, TokenKind::RegexNoMatch),
            (b'!', _) => (1, TokenKind::Not),
            (b'<', Some(b'=')) => (2, TokenKind::LessOrEqual),
            (b'<', _) => (1, TokenKind::Less),
            (b'>', Some(b'=')) => (2, TokenKind::GreaterOrEqual),
            (b'>', _) => (1, TokenKind::Greater),
            (b'&', Some(b'&')) => (2, TokenKind::And),
            (b'|', Some(b'|')) => (2, TokenKind::Or),
            (b':', Some(b':')) => (2, TokenKind::Scope),
            (b':', _) => (1, TokenKind::Colon),
            (b'+', _) => (1, TokenKind::Plus),
            (b'-', _) => (1, TokenKind::Minus),
            (b'*', _) => (1, TokenKind::Star),
            (b'/', _) => (1, TokenKind::Slash),
            (b'%', _) => (1, TokenKind::Percent),
            (b'?', _) => (1, TokenKind::Question),
            (b',', _) => (1, TokenKind::Comma),
            (b'(', _) => (1, TokenKind::LeftParenthesis),
            (b')', _) => (1, TokenKind::RightParenthesis),
            (b'{', _) => (1, TokenKind::LeftBrace),
            (b'}', _) => (1, TokenKind::RightBrace),
            (b'[', _) => (1, TokenKind::LeftBracket),
            (b']', _) => (1, TokenKind::RightBracket),
            _ => (1, TokenKind::Invalid),
        };
        self.offset += length;
        kind
    }
}

struct UnterminatedComment;
