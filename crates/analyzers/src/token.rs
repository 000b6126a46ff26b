//! Inputs and tokens of analyzers.

use errors::{Error, ErrorCode, Result};
use owner::Interrupt;
use velocypack::Slice;

/// A value to be analyzed.
#[derive(Debug, Clone, Copy)]
pub enum Input<'a> {
    /// A text.
    Text(&'a str),
    /// A value of any type, for geo-spatial analyzers. Others take it as text, and have no tokens
    /// if it is not text.
    Value(Slice<'a>),
}

impl<'a> Input<'a> {
    /// Returns the text.
    pub(crate) fn text(self) -> Option<&'a str> {
        match self {
            Self::Text(text) => Some(text),
            Self::Value(value) => value.as_str(),
        }
    }

    /// Returns the value; `None` for a text, which is not a shape.
    pub(crate) fn value(self) -> Option<Slice<'a>> {
        match self {
            Self::Text(_) => None,
            Self::Value(value) => Some(value),
        }
    }
}

impl<'a> From<&'a str> for Input<'a> {
    fn from(text: &'a str) -> Self {
        Self::Text(text)
    }
}

impl<'a> From<Slice<'a>> for Input<'a> {
    fn from(value: Slice<'a>) -> Self {
        Self::Value(value)
    }
}

/// A part of an input.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Token<'a> {
    /// The term: UTF-8 unless an n-gram of bytes cuts a character. [`crate::Output`] says how to
    /// read numbers and booleans.
    pub term: &'a [u8],
    /// The place among the tokens, counted from 0. Several tokens may share one.
    pub position: u32,
    /// The first byte of the input that the token is from.
    pub start: u32,
    /// The byte after the last one.
    pub end: u32,
}

impl<'a> Token<'a> {
    /// Creates a token. Inputs are shorter than 4 GB, so places fit.
    pub(crate) fn new(term: &'a [u8], position: u32, start: usize, end: usize) -> Self {
        let place = |place: usize| u32::try_from(place).unwrap_or(u32::MAX);
        Self { term, position, start: place(start), end: place(end) }
    }

    /// Returns the term as text. Errors: 10 if an n-gram of bytes cuts a character.
    pub fn text(&self) -> Result<&'a str> {
        let message = "Invalid UTF-8 sequence: an n-gram of bytes cuts a character; 'streamType' should be \
                       'utf8'";
        std::str::from_utf8(self.term).map_err(|_| Error::new(ErrorCode::BadParameter, message))
    }
}

/// The receiver of tokens.
pub(crate) trait Sink {
    /// Returns the interrupt of the analysis.
    fn interrupt(&self) -> &Interrupt;

    /// Takes a token. An error ends the analysis.
    fn token(&mut self, token: Token<'_>) -> Result<()>;

    /// Called between pieces of a long input. An error ends the analysis.
    fn pause(&mut self) -> Result<()> {
        self.interrupt().check()
    }
}

/// A callback as a receiver.
pub(crate) struct Callback<'i, E> {
    pub interrupt: &'i Interrupt,
    pub emit: E,
}

impl<E: FnMut(Token<'_>) -> Result<()>> Sink for Callback<'_, E> {
    fn interrupt(&self) -> &Interrupt {
        self.interrupt
    }

    fn token(&mut self, token: Token<'_>) -> Result<()> {
        (self.emit)(token)
    }
}
