//! `wildcard`: n-grams with the ends of the text marked, for patterns with wildcards.

use std::sync::Arc;

use errors::Result;
use owner::Interrupt;
use velocypack::Builder;

use super::nested::Nested;
use super::{Kind, Output, Tokenizer};
use crate::properties::Properties;
use crate::query::QueryCompiler;
use crate::token::{Input, Sink, Token};

/// The mark of both ends.
const MARKER: &str = "\u{FFFD}";

/// Tokens between two pauses.
const TOKENS_PER_PAUSE: u32 = 1024;

#[derive(Debug)]
struct Wildcard {
    ngram_size: u64,
    analyzer: Option<Nested>,
}

pub(super) fn read(properties: &Properties<'_>) -> Result<Arc<dyn Kind>> {
    let analyzer = properties.value("analyzer");
    Ok(Arc::new(Wildcard {
        ngram_size: properties.required_number("ngramSize", 2, u64::from(u32::MAX))?,
        analyzer: analyzer.map(|analyzer| Nested::read(properties, "analyzer", analyzer)).transpose()?,
    }))
}

impl Kind for Wildcard {
    fn print(&self, out: &mut Builder) -> velocypack::Result<()> {
        out.key("ngramSize")?;
        out.add_u64(self.ngram_size)?;
        match &self.analyzer {
            Some(analyzer) => {
                out.key("analyzer")?;
                analyzer.print(out)
            }
            None => Ok(()),
        }
    }

    fn open(&self, queries: &dyn QueryCompiler) -> Result<Box<dyn Tokenizer>> {
        let size = usize::try_from(self.ngram_size).unwrap_or(usize::MAX);
        let analyzer = self.analyzer.as_ref().map(|analyzer| analyzer.open(queries)).transpose()?;
        Ok(Box::new(Opened { size, analyzer }))
    }

    fn runs_query(&self) -> bool {
        self.analyzer.as_ref().is_some_and(Nested::runs_query)
    }

    fn has_offsets(&self) -> bool {
        false
    }
}

struct Opened {
    /// Characters of an n-gram.
    size: usize,
    analyzer: Option<Box<dyn Tokenizer>>,
}

impl Tokenizer for Opened {
    fn tokens(&self, input: Input<'_>, sink: &mut dyn Sink) -> Result<()> {
        let Some(text) = input.text() else { return Ok(()) };
        let mut grams = Grams { size: self.size, padded: String::new(), position: 0, sink };
        match &self.analyzer {
            Some(analyzer) if analyzer.output() == Output::Text => {
                analyzer.tokens(Input::Text(text), &mut grams)
            }
            Some(_) => Ok(()),
            None => grams.token(Token::new(text.as_bytes(), 0, 0, text.len())),
        }
    }
}

/// The receiver of whole texts, which passes their n-grams on.
struct Grams<'a> {
    size: usize,
    /// The text between markers.
    padded: String,
    position: u32,
    sink: &'a mut dyn Sink,
}

impl Sink for Grams<'_> {
    fn interrupt(&self) -> &Interrupt {
        self.sink.interrupt()
    }

    /// An n-gram begins at every character but the last marker. Those at the end are shorter.
    fn token(&mut self, token: Token<'_>) -> Result<()> {
        self.padded.clear();
        self.padded.push_str(MARKER);
        self.padded.push_str(token.text()?);
        self.padded.push_str(MARKER);
        let padded = self.padded.as_str();
        let last = padded.len() - MARKER.len();
        let mut ends =
            padded.char_indices().map(|(at, _)| at).skip(self.size).chain(std::iter::repeat(padded.len()));
        for (start, _) in padded.char_indices().take_while(|(start, _)| *start < last) {
            if self.position.is_multiple_of(TOKENS_PER_PAUSE) {
                self.sink.pause()?;
            }
            let end = ends.next().unwrap_or(padded.len());
            let term = padded.get(start..end).unwrap_or_default().as_bytes();
            self.sink.token(Token { term, position: self.position, ..token })?;
            self.position += 1;
        }
        Ok(())
    }
}
