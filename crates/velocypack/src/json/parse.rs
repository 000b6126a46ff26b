//! JSON to VelocyPack in one pass, without tree or recursion; the builder holds open arrays and
//! objects.

use std::fmt;

use super::scan::plain_length;
use super::string::unescape;
use super::{JsonError, number};
use crate::{Builder, Duplicates, Error, Limits};

/// Reads one JSON text and adds its value to `out`. Only whitespace may follow it.
///
/// After an error `out` may hold an incomplete value; clear it before using it again.
pub fn parse(input: &[u8], limits: &Limits, out: &mut Builder) -> Result<(), JsonError> {
    Parser::new(input, limits).whole(out)
}

/// Reads one JSON text like [`parse`], but two attributes of the same name in one object are an
/// error.
///
/// ArangoDB treats requests this way.
pub fn parse_strict(input: &[u8], limits: &Limits, out: &mut Builder) -> Result<(), JsonError> {
    Parser::new(input, limits).with_duplicates(Duplicates::Refuse).whole(out)
}

/// A check that runs periodically while a long text is read: true ends the reading with an error.
pub type Interrupt<'a> = &'a dyn Fn() -> bool;

/// Bytes between two checks of the interrupt: a fraction of a millisecond.
const BYTES_PER_CHECK: usize = 64 << 10;

/// A reader of consecutive values in one buffer, with any whitespace between them; so also JSON
/// lines.
pub struct Parser<'i> {
    input: &'i [u8],
    /// The part of the input that is valid UTF-8; the rest is an error when it is reached.
    text: &'i [u8],
    position: usize,
    max_depth: usize,
    max_bytes: usize,
    duplicates: Duplicates,
    /// Text of a string with escapes.
    scratch: Vec<u8>,
    interrupt: Option<Interrupt<'i>>,
    /// The position at which the interrupt is checked next.
    next_check: usize,
}

impl fmt::Debug for Parser<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Parser").field("position", &self.position).finish_non_exhaustive()
    }
}

impl<'i> Parser<'i> {
    /// Creates a parser at the start of `input`. `limits.max_bytes` holds for each value by itself.
    pub fn new(input: &'i [u8], limits: &Limits) -> Self {
        let text = match std::str::from_utf8(input) {
            Ok(text) => text.as_bytes(),
            Err(error) => input.get(..error.valid_up_to()).unwrap_or(&[]),
        };
        let (max_depth, max_bytes) = (limits.max_depth, limits.max_bytes);
        Parser {
            input,
            text,
            position: 0,
            max_depth,
            max_bytes,
            duplicates: Duplicates::KeepLast,
            scratch: Vec::new(),
            interrupt: None,
            next_check: usize::MAX,
        }
    }

    /// Changes the treatment of attributes of the same name in one object. By default the last one
    /// counts.
    pub fn with_duplicates(self, duplicates: Duplicates) -> Self {
        Parser { duplicates, ..self }
    }

    /// Sets an interrupt, which is checked every 64 KiB of the text, between two values.
    pub fn with_interrupt(self, interrupt: Interrupt<'i>) -> Self {
        Parser { interrupt: Some(interrupt), next_check: self.position + BYTES_PER_CHECK, ..self }
    }

    /// Adds the next value to `out` and returns the offset after it, or `None` if only whitespace
    /// is left.
    ///
    /// After an error the parser is at the error, and `out` may hold an incomplete value.
    pub fn next_value(&mut self, out: &mut Builder) -> Result<Option<usize>, JsonError> {
        self.skip_whitespace();
        if self.position >= self.input.len() {
            return Ok(None);
        }
        let start = self.position;
        self.value(out)?;
        if self.position - start > self.max_bytes {
            return Err(self.error(start, Error::TooLarge { max_bytes: self.max_bytes }.to_string()));
        }
        Ok(Some(self.position))
    }

    /// Adds the one value of the text to `out`. Only whitespace may follow it.
    pub fn whole(mut self, out: &mut Builder) -> Result<(), JsonError> {
        self.check_length()?;
        out.reserve(self.input.len());
        self.value(out)?;
        self.skip_whitespace();
        if self.position < self.text.len() || self.text.len() < self.input.len() {
            return Err(self.error_here("unexpected text behind the value"));
        }
        Ok(())
    }

    /// Returns the number of bytes of the input that were read.
    pub fn offset(&self) -> usize {
        self.position
    }

    /// Continues after the next line break. Readers of JSON lines skip a broken line with it.
    pub fn skip_line(&mut self) {
        let rest = self.input.get(self.position..).unwrap_or(&[]);
        let line = rest.iter().position(|&byte| byte == b'\n').map_or(rest.len(), |newline| newline + 1);
        self.position += line;
        if self.position > self.text.len() {
            // The line had the invalid bytes. After them is text again, up to the next such bytes.
            let rest = self.input.get(self.position..).unwrap_or(&[]);
            let valid = std::str::from_utf8(rest).map_or_else(|error| error.valid_up_to(), str::len);
            self.text = self.input.get(..self.position + valid).unwrap_or(self.input);
        }
    }

    fn check_length(&self) -> Result<(), JsonError> {
        if self.input.len() > self.max_bytes {
            return Err(self.error(self.max_bytes, Error::TooLarge { max_bytes: self.max_bytes }.to_string()));
        }
        Ok(())
    }

    #[cold]
    fn check_interrupt(&mut self) -> Result<(), JsonError> {
        self.next_check = self.position + BYTES_PER_CHECK;
        match self.interrupt {
            Some(interrupt) if interrupt() => Err(self.error(self.position, "interrupted")),
            _ => Ok(()),
        }
    }

    #[cold]
    fn error(&self, offset: usize, message: impl Into<String>) -> JsonError {
        JsonError::new(self.input, offset, message)
    }

    #[cold]
    fn error_here(&self, message: &str) -> JsonError {
        let at_end = self.position >= self.text.len();
        let message = match at_end {
            true if self.text.len() < self.input.len() => "invalid UTF-8",
            true => "unexpected end of the text",
            false => message,
        };
        self.error(self.position, message)
    }

    #[cold]
    fn builder_error(&self, error: &Error) -> JsonError {
        self.error(self.position, error.to_string())
    }

    /// Returns the byte at the position, or 0 at the end. A 0 is allowed nowhere outside strings.
    #[inline]
    fn peek(&self) -> u8 {
        self.text.get(self.position).copied().unwrap_or(0)
    }

    #[inline]
    fn skip_whitespace(&mut self) {
        while let b' ' | b'\n' | b'\r' | b'\t' = self.peek() {
            self.position += 1;
        }
    }

    /// Returns the first byte that is not whitespace.
    #[inline]
    fn token(&mut self) -> u8 {
        let byte = self.peek();
        if byte > b' ' {
            return byte;
        }
        self.skip_whitespace();
        self.peek()
    }

    /// Reads one value with all its members.
    fn value(&mut self, out: &mut Builder) -> Result<(), JsonError> {
        let outside = out.depth();
        'value: loop {
            if self.position >= self.next_check {
                self.check_interrupt()?;
            }
            match self.token() {
                b'"' => self.string(out)?,
                b'{' => {
                    self.open(out, outside, true)?;
                    if self.token() != b'}' {
                        self.name(out)?;
                        continue 'value;
                    }
                    self.close(out)?;
                }
                b'[' => {
                    self.open(out, outside, false)?;
                    if self.token() != b']' {
                        continue 'value;
                    }
                    self.close(out)?;
                }
                b'-' | b'0'..=b'9' => self.number(out)?,
                b't' => self.word(b"true", |out| out.add_bool(true), out)?,
                b'f' => self.word(b"false", |out| out.add_bool(false), out)?,
                b'n' => self.word(b"null", Builder::add_null, out)?,
                _ => return Err(self.error_here("expected a value")),
            }
            // A value is complete. Its container decides what must follow.
            loop {
                if out.depth() == outside {
                    return Ok(());
                }
                let in_object = out.in_object() == Some(true);
                match self.token() {
                    b',' => {
                        self.position += 1;
                        if in_object {
                            self.name(out)?;
                        }
                        continue 'value;
                    }
                    b'}' if in_object => self.close(out)?,
                    b']' if !in_object => self.close(out)?,
                    _ if in_object => return Err(self.error_here("expected ',' or '}'")),
                    _ => return Err(self.error_here("expected ',' or ']'")),
                }
            }
        }
    }

    #[inline]
    fn open(&mut self, out: &mut Builder, outside: usize, object: bool) -> Result<(), JsonError> {
        if out.depth() - outside >= self.max_depth {
            return Err(self.builder_error(&Error::TooDeep { max_depth: self.max_depth }));
        }
        let opened = if object { out.open_object() } else { out.open_array() };
        opened.map_err(|error| self.builder_error(&error))?;
        self.position += 1;
        Ok(())
    }

    #[inline]
    fn close(&mut self, out: &mut Builder) -> Result<(), JsonError> {
        out.close_with(self.duplicates).map_err(|error| self.builder_error(&error))?;
        self.position += 1;
        Ok(())
    }

    #[inline]
    fn word(
        &mut self,
        word: &[u8],
        add: impl FnOnce(&mut Builder) -> crate::Result<()>,
        out: &mut Builder,
    ) -> Result<(), JsonError> {
        if !self.text.get(self.position..).is_some_and(|rest| rest.starts_with(word)) {
            return Err(self.error_here("expected a value"));
        }
        self.position += word.len();
        add(out).map_err(|error| self.builder_error(&error))
    }

    #[inline]
    fn number(&mut self, out: &mut Builder) -> Result<(), JsonError> {
        let start = self.position;
        let rest = self.text.get(start..).unwrap_or(&[]);
        let (value, length) =
            number::parse(rest).map_err(|(offset, message)| self.error(start + offset, message))?;
        self.position = start + length;
        out.add_number(value).map_err(|error| self.builder_error(&error))
    }

    /// Reads an attribute name and the colon after it.
    #[inline]
    fn name(&mut self, out: &mut Builder) -> Result<(), JsonError> {
        if self.token() != b'"' {
            return Err(self.error_here("expected an attribute name in double quotes"));
        }
        match self.plain_string() {
            Some((source, length)) => out.key_start_of(source, length),
            None => {
                self.escaped_string()?;
                out.key_bytes(&self.scratch)
            }
        }
        .map_err(|error| self.builder_error(&error))?;
        if self.token() != b':' {
            return Err(self.error_here("expected ':'"));
        }
        self.position += 1;
        Ok(())
    }

    #[inline]
    fn string(&mut self, out: &mut Builder) -> Result<(), JsonError> {
        match self.plain_string() {
            Some((source, length)) => out.add_str_start_of(source, length),
            None => {
                self.escaped_string()?;
                out.add_str_bytes(&self.scratch)
            }
        }
        .map_err(|error| self.builder_error(&error))
    }

    /// Reads a string without escapes, from quote to quote.
    ///
    /// Returns the text from the string's first byte on, and the string's length. For any other
    /// string it returns `None`, and the position stays.
    #[inline]
    fn plain_string(&mut self) -> Option<(&'i [u8], usize)> {
        let rest = self.text.get(self.position + 1..)?;
        let length = plain_length(rest);
        if rest.get(length) != Some(&b'"') {
            return None;
        }
        self.position += length + 2;
        Some((rest, length))
    }

    /// Reads any string into `scratch`.
    fn escaped_string(&mut self) -> Result<(), JsonError> {
        let start = self.position + 1;
        self.scratch.clear();
        let rest = self.text.get(start..).unwrap_or(&[]);
        match unescape(rest, &mut self.scratch) {
            Ok(length) => {
                self.position = start + length;
                Ok(())
            }
            Err((offset, message)) => {
                self.position = start + offset;
                Err(match self.position >= self.text.len() && self.text.len() < self.input.len() {
                    true => self.error_here(message),
                    false => self.error(self.position, message),
                })
            }
        }
    }
}
