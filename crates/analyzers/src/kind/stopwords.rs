//! `stopwords`: the text as a whole, unless it is one of some words.

use std::collections::HashSet;
use std::sync::Arc;

use errors::Result;
use velocypack::Builder;

use super::{Kind, Tokenizer};
use crate::properties::Properties;
use crate::query::QueryCompiler;
use crate::token::{Input, Sink, Token};

#[derive(Debug)]
struct StopWords {
    /// The words as they are given.
    words: Vec<String>,
    hex: bool,
    stopped: Arc<HashSet<Vec<u8>>>,
}

pub(super) fn read(properties: &Properties<'_>) -> Result<Arc<dyn Kind>> {
    const NAME: &str = "stopwords";
    let words = properties.texts(NAME)?.ok_or_else(|| properties.wrong(NAME, "an array of strings"))?;
    let hex = properties.boolean("hex", false)?;
    let bytes = |word: &String| if hex { decoded(word) } else { Some(word.clone().into_bytes()) };
    let stopped: Option<HashSet<_>> = words.iter().map(bytes).collect();
    let expected = "an array of strings of hexadecimal digits, because 'hex' is true";
    let stopped = Arc::new(stopped.ok_or_else(|| properties.wrong(NAME, expected))?);
    Ok(Arc::new(StopWords { words, hex, stopped }))
}

fn decoded(hex: &str) -> Option<Vec<u8>> {
    let digit = |digit: &u8| char::from(*digit).to_digit(16);
    let byte = |pair: &[u8]| match pair {
        [high, low] => u8::try_from(digit(high)? * 16 + digit(low)?).ok(),
        _ => None,
    };
    hex.as_bytes().chunks(2).map(byte).collect()
}

impl Kind for StopWords {
    fn print(&self, out: &mut Builder) -> velocypack::Result<()> {
        out.key("stopwords")?;
        out.open_array()?;
        for word in &self.words {
            out.add_str(word)?;
        }
        out.close()?;
        out.key("hex")?;
        out.add_bool(self.hex)
    }

    fn open(&self, _: &dyn QueryCompiler) -> Result<Box<dyn Tokenizer>> {
        Ok(Box::new(Opened(Arc::clone(&self.stopped))))
    }
}

struct Opened(Arc<HashSet<Vec<u8>>>);

impl Tokenizer for Opened {
    fn tokens(&self, input: Input<'_>, sink: &mut dyn Sink) -> Result<()> {
        let Some(text) = input.text().map(str::as_bytes) else { return Ok(()) };
        if self.0.contains(text) { Ok(()) } else { sink.token(Token::new(text, 0, 0, text.len())) }
    }
}
