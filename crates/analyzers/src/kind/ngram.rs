//! `ngram`: all parts of a text with some lengths.

use std::sync::Arc;

use errors::Result;
use velocypack::Builder;

use super::{Kind, Tokenizer};
use crate::properties::Properties;
use crate::query::QueryCompiler;
use crate::token::{Input, Sink, Token};

/// Tokens between two pauses.
const TOKENS_PER_PAUSE: usize = 1024;

#[derive(Debug, Clone)]
struct Ngram {
    min: u64,
    max: u64,
    preserve_original: bool,
    start_marker: String,
    end_marker: String,
    is_utf8: bool,
}

pub(super) fn read(properties: &Properties<'_>) -> Result<Arc<dyn Kind>> {
    let min = properties.required_number("min", 1, u64::MAX)?;
    let max = properties.required_number("max", 1, u64::MAX)?;
    if max < min {
        return Err(properties.wrong("max", "at least 'min'"));
    }
    let preserve_original = properties.value("preserveOriginal").map(|_| ());
    preserve_original.ok_or_else(|| properties.wrong("preserveOriginal", "a boolean"))?;
    let marker = |name| -> Result<String> { Ok(properties.text(name)?.unwrap_or_default().to_owned()) };
    let streams = [("binary", false), ("utf8", true)];
    Ok(Arc::new(Ngram {
        min,
        max,
        preserve_original: properties.boolean("preserveOriginal", false)?,
        start_marker: marker("startMarker")?,
        end_marker: marker("endMarker")?,
        is_utf8: properties.choice("streamType", &streams)?.unwrap_or(false),
    }))
}

impl Kind for Ngram {
    fn print(&self, out: &mut Builder) -> velocypack::Result<()> {
        out.key("min")?;
        out.add_u64(self.min)?;
        out.key("max")?;
        out.add_u64(self.max)?;
        out.key("preserveOriginal")?;
        out.add_bool(self.preserve_original)?;
        out.key("streamType")?;
        out.add_str(if self.is_utf8 { "utf8" } else { "binary" })?;
        out.key("startMarker")?;
        out.add_str(&self.start_marker)?;
        out.key("endMarker")?;
        out.add_str(&self.end_marker)
    }

    fn open(&self, _: &dyn QueryCompiler) -> Result<Box<dyn Tokenizer>> {
        Ok(Box::new(self.clone()))
    }
}

impl Tokenizer for Ngram {
    /// The tokens that begin at the same character share a position.
    fn tokens(&self, input: Input<'_>, sink: &mut dyn Sink) -> Result<()> {
        let Some(text) = input.text().map(str::as_bytes) else { return Ok(()) };
        let mut walk = Walk { ngram: self, text, marked: Vec::new(), tokens: 0, sink };
        let (mut start, mut position) = (0, 0);
        while start < text.len() {
            walk.from(start, position)?;
            if start == 0 && self.preserve_original {
                walk.original()?;
            }
            start = self.next(text, start);
            position += 1;
        }
        Ok(())
    }
}

impl Ngram {
    /// Returns the end of the character that begins at a place.
    fn next(&self, text: &[u8], start: usize) -> usize {
        let mut end = start + 1;
        while self.is_utf8 && text.get(end).is_some_and(|byte| byte & 0xC0 == 0x80) {
            end += 1;
        }
        end
    }
}

struct Walk<'a> {
    ngram: &'a Ngram,
    text: &'a [u8],
    /// Room for terms with markers.
    marked: Vec<u8>,
    tokens: usize,
    sink: &'a mut dyn Sink,
}

impl Walk<'_> {
    /// Passes the n-grams that begin at a place.
    fn from(&mut self, start: usize, position: u32) -> Result<()> {
        let (mut end, mut length) = (start, 0);
        while end < self.text.len() && length < self.ngram.max {
            end = self.ngram.next(self.text, end);
            length += 1;
            if length < self.ngram.min {
                continue;
            }
            let is_whole = start == 0 && end == self.text.len();
            if !is_whole {
                self.part(start, end, position)?;
            } else if !self.ngram.preserve_original {
                self.original()?;
            }
        }
        Ok(())
    }

    fn part(&mut self, start: usize, end: usize, position: u32) -> Result<()> {
        let before = if start == 0 { self.ngram.start_marker.as_str() } else { "" };
        let after = if end == self.text.len() { self.ngram.end_marker.as_str() } else { "" };
        self.emit(before, start..end, after, position)
    }

    /// Passes the whole text, once for each marker.
    fn original(&mut self) -> Result<()> {
        let (before, after) = (self.ngram.start_marker.as_str(), self.ngram.end_marker.as_str());
        if !before.is_empty() || after.is_empty() {
            self.emit(before, 0..self.text.len(), "", 0)?;
        }
        if after.is_empty() { Ok(()) } else { self.emit("", 0..self.text.len(), after, 0) }
    }

    fn emit(
        &mut self,
        before: &str,
        range: std::ops::Range<usize>,
        after: &str,
        position: u32,
    ) -> Result<()> {
        if self.tokens.is_multiple_of(TOKENS_PER_PAUSE) {
            self.sink.pause()?;
        }
        self.tokens += 1;
        let (start, end) = (range.start, range.end);
        let mut term = self.text.get(range).unwrap_or_default();
        if !before.is_empty() || !after.is_empty() {
            self.marked.clear();
            self.marked.extend_from_slice(before.as_bytes());
            self.marked.extend_from_slice(term);
            self.marked.extend_from_slice(after.as_bytes());
            term = &self.marked;
        }
        self.sink.token(Token::new(term, position, start, end))
    }
}
